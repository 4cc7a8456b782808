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
    ("umbra-solver", &["umbra-text", "umbra-expr", "umbra-words"]),
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
        let found = ours(&text);
        all.insert(name, found);
    }
    all
}

/// Whether a section lists what a crate needs outside of its tests.
fn is_list(section: &str) -> bool {
    matches!(section, "dependencies" | "build-dependencies")
}

/// What a manifest depends on that is ours, however it is written.
fn ours(manifest: &str) -> Vec<String> {
    let (mut is_needed, mut found) = (false, Vec::new());
    for line in manifest.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end_matches(']');
            // `dependencies`, `target.x.dependencies`, `build-dependencies.umbra-x`
            let mut parts = section.rsplit('.');
            let last = parts.next().unwrap_or_default();
            is_needed = is_list(last);
            if last.starts_with("umbra") && parts.next().is_some_and(is_list) {
                found.push(last.to_owned());
            }
            continue;
        }
        let key = line.split(['=', '.', ' ']).next().unwrap_or_default();
        if is_needed && key.starts_with("umbra") {
            found.push(key.to_owned());
        }
        // Under another name it is the same crate.
        let renamed = line.split("package = \"").nth(1).and_then(|rest| rest.split('"').next());
        found.extend(renamed.filter(|name| name.starts_with("umbra")).map(str::to_owned));
    }
    found
}

#[test]
fn dependencies_are_found_however_they_are_written() {
    let text = "[package]\nname = \"umbra-a\"\n[dependencies]\numbra-b = { workspace = true }\n\
                umbra-c.workspace = true\nother = { package = \"umbra-d\" }\n\
                [target.'cfg(unix)'.dependencies]\numbra-e = \"1\"\n[build-dependencies]\n\
                umbra-f = \"1\"\n[dependencies.umbra-g]\nworkspace = true\n\
                [dev-dependencies]\numbra-h = \"1\"\n[dev-dependencies.umbra-i]\n";
    let names = ["b", "c", "d", "e", "f", "g"].map(|name| format!("umbra-{name}"));
    assert_eq!(ours(text), names);
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
const BELOW_JOBS: &[&str] = &[
    "umbra-engine",
    "umbra-strategy",
    "umbra-solver",
    "umbra-expr",
    "umbra-os",
    "umbra-unify",
    "umbra-analysis",
    "umbra-compare",
];

#[test]
fn the_command_line_knows_jobs_only() {
    let known = &dependencies()["umbra"];
    assert!(known.contains(&"umbra-jobs".to_owned()), "{known:?}");
    for name in BELOW_JOBS {
        assert!(!known.contains(&(*name).to_owned()), "umbra depends on {name}");
    }
}

/// Nor does a crate that the command line knows hand them on.
#[test]
fn nobody_hands_on_what_is_below_jobs() {
    let all = dependencies();
    let knows_below =
        |name: &&String| all[*name].iter().any(|other| BELOW_JOBS.contains(&other.as_str()));
    let between: Vec<&String> = all["umbra"].iter().filter(knows_below).collect();
    assert!(between.contains(&&"umbra-jobs".to_owned()), "{between:?}");
    for name in between {
        let mut files = Vec::new();
        sources(&crates().join(name).join("src"), &mut files);
        assert!(files.len() > 5, "{name}: {files:?}");
        for path in files {
            let text = fs::read_to_string(&path).unwrap();
            assert_eq!(handed_on(&text), None, "{}", path.display());
        }
    }
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// What a file exports, or gives another name, of a crate below jobs.
fn handed_on(text: &str) -> Option<&str> {
    const EXPORTS: [&str; 3] = ["pub use ", "pub extern crate ", "pub type "];
    let mut statements = text.split(';').filter_map(|statement| {
        let start = EXPORTS.iter().filter_map(|export| statement.rfind(export)).max()?;
        Some(&statement[start..])
    });
    statements
        .find(|statement| BELOW_JOBS.iter().any(|name| statement.contains(&name.replace('-', "_"))))
}

#[test]
fn what_is_handed_on_is_found_however_it_is_written() {
    for text in [
        "mod a;\npub use umbra_engine::State;",
        "pub use ::umbra_strategy::{\n    Worker,\n};",
        "use a::B;\npub use {a::C, umbra_os::Kernel};",
        "pub extern crate umbra_solver;",
        "/// A state.\npub type State = umbra_engine::State;",
    ] {
        assert!(handed_on(text).is_some(), "{text}");
    }
    for text in
        ["use umbra_engine::State;\npub use own::State;", "pub(crate) use umbra_os::Kernel;"]
    {
        assert_eq!(handed_on(text), None);
    }
}
