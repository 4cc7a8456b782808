//! Lower crates do not know higher ones.
//!
//! [`ORDER`] is the order of ARCHITECTURE.md's code map. A crate may depend on those before it; a
//! crate that is not in the list fails the test, so whoever adds one has to say where it belongs.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Our crates, the lowest first.
const ORDER: &[&str] = &[
    "umbra-text",
    "umbra-words",
    "umbra-case",
    "umbra-ir",
    "umbra-expr",
    "umbra-solver",
    "umbra-engine",
    "umbra-os",
    "umbra-analysis",
    "umbra-unify",
    "umbra-project",
    "umbra-compare",
    "umbra-replay",
    "umbra-shim",
    "umbra-tracer",
    "umbra-record",
    "umbra-report",
    "umbra-strategy",
    "umbra-jobs",
    "umbra",
    "testkit",
    "bench",
];

/// What the lowest crates may know, though others are below them.
const ALONE: &[(&str, &[&str])] = &[
    ("umbra-words", &["umbra-text"]),
    ("umbra-ir", &["umbra-text", "umbra-words"]),
    ("umbra-expr", &["umbra-text", "umbra-words"]),
    ("umbra-solver", &["umbra-expr", "umbra-words"]),
    ("umbra-compare", &["umbra-text", "umbra-words", "umbra-case"]),
    ("umbra-project", &["umbra-text", "umbra-words"]),
];

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The dependencies of each crate that are ours, those of its tests left out.
fn dependencies() -> BTreeMap<String, Vec<String>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(crates()).unwrap() {
        let path = entry.unwrap().path().join("Cargo.toml");
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let name = path.parent().and_then(Path::file_name).unwrap().to_str().unwrap().to_owned();
        let mut section = "";
        let mut found = Vec::new();
        for line in text.lines().map(str::trim) {
            if line.starts_with('[') {
                section = line;
            }
            let key = line.split(['=', '.', ' ']).next().unwrap_or_default();
            if section == "[dependencies]" && key.starts_with("umbra") {
                found.push(key.to_owned());
            }
        }
        all.insert(name, found);
    }
    all
}

fn position(name: &str) -> usize {
    let found = ORDER.iter().position(|known| *known == name);
    found.unwrap_or_else(|| panic!("{name} has no place in the order of crates"))
}

#[test]
fn no_crate_knows_a_higher_one() {
    let all = dependencies();
    assert!(all["umbra"].contains(&"umbra-report".to_owned()), "{all:?}");
    for (name, known) in &all {
        for other in known {
            assert!(position(other) < position(name), "{name} depends on {other}, which is higher");
        }
    }
}

#[test]
fn crates_that_stand_alone_do() {
    let all = dependencies();
    for (name, allowed) in ALONE {
        for other in &all[*name] {
            assert!(allowed.contains(&other.as_str()), "{name} knows {other}");
        }
    }
}

/// The command line decides nothing of the search: it has jobs for that, and no way around them.
const BELOW_JOBS: &[&str] =
    &["umbra-engine", "umbra-strategy", "umbra-solver", "umbra-expr", "umbra-os"];

#[test]
fn the_command_line_knows_jobs_only() {
    let known = &dependencies()["umbra"];
    assert!(known.contains(&"umbra-jobs".to_owned()), "{known:?}");
    for name in BELOW_JOBS {
        assert!(!known.contains(&(*name).to_owned()), "umbra depends on {name}");
    }
}

/// Nor does the crate of jobs hand them on.
#[test]
fn jobs_do_not_hand_on_what_is_below() {
    let mut folders = vec![crates().join("umbra-jobs/src")];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            files += 1;
            for line in fs::read_to_string(&path).unwrap().lines() {
                let exported = line.trim_start().strip_prefix("pub use ");
                let named = |name: &&&str| {
                    let name = name.replace('-', "_");
                    exported.is_some_and(|text| text.trim_start_matches("::").starts_with(&name))
                };
                let handed_on = BELOW_JOBS.iter().find(named);
                assert!(handed_on.is_none(), "{}: {line}", path.display());
            }
        }
    }
    assert!(files > 10, "{files}");
}
