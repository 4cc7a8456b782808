//! The corpus of `tests/compare`: what two versions come to, and what they do when they change
//! places.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;

use serde_json::Value;

use crate::replay::{replay, with_case};

/// Every class there is.
const CLASSES: [&str; 6] =
    ["regression", "nondeterminism-introduced", "output-difference", "fix", "flaky", "same"];

/// Everywhere that a difference can show.
const PLACES: [&str; 10] = [
    "end",
    "sanitizer",
    "stdout",
    "stderr",
    "existence of",
    "kind of",
    "content of",
    "mode of",
    "time of",
    "links of",
];

#[test]
fn versions_are_compared_as_the_corpus_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/compare");
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let sources = Mutex::new(paths.filter(|path| path.extension().is_some_and(|it| it == "c")));
    let seen = Mutex::new((BTreeSet::new(), BTreeSet::new()));
    // What hangs waits for its time to be up, so there is something to do meanwhile.
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while let Some(source) = { sources.lock().unwrap().next() } {
                    let (classes, places) = check(&source);
                    let mut seen = seen.lock().unwrap();
                    seen.0.extend(classes);
                    seen.1.extend(places);
                }
            });
        }
    });
    let (classes, places) = seen.into_inner().unwrap();
    for class in CLASSES {
        assert!(classes.contains(class), "no file for {class}");
    }
    for place in PLACES {
        assert!(places.iter().any(|seen| seen.starts_with(place)), "no file for {place}");
    }
}

/// Compares the versions of one file in both directions; returns the classes and where they differ.
fn check(source: &PathBuf) -> ([String; 2], Vec<String>) {
    let text = fs::read_to_string(source).unwrap();
    let directive = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("// {name}: ")));
        line.unwrap_or_default().to_owned()
    };
    let (class, differs) = (directive("class"), directive("differs"));
    let flags = directive("flags");
    let expected: Vec<String> =
        differs.split(", ").filter(|word| !word.is_empty()).map(str::to_owned).collect();
    let dir = with_case();
    let source = source.display();
    for version in ["OLD", "NEW"] {
        dir.ok(&format!("clang-19 -g -w {flags} -D{version} {source} -o {version}"));
    }
    let back = swapped(&class).to_owned();
    for (class, versions) in [(&class, "--on OLD --on NEW"), (&back, "--on NEW --on OLD")] {
        let is_finding = !["same", "fix", "flaky"].contains(&&**class);
        let sanitize = if flags.contains("-fsanitize") { "--sanitize" } else { "" };
        let arguments = format!("--max-time 1s {sanitize} {versions} case");
        let object = replay(&dir, &arguments, i32::from(is_finding));
        let comparison = &object["comparisons"][0];
        assert_eq!(comparison["classes"][class], 1, "{source} {versions}: {comparison}");
        let found = comparison["clusters"][0]["differences"].as_array().cloned();
        same(&expected, &found.unwrap_or_default(), &format!("{source} {versions}"));
    }
    ([class, back], expected)
}

/// The class of the same two versions, the new one first.
fn swapped(class: &str) -> &str {
    match class {
        "regression" => "fix",
        "fix" => "regression",
        // Now it is the old one that cannot be relied on.
        "nondeterminism-introduced" => "flaky",
        _ => class,
    }
}

/// Each difference is expected and each expected one is there: by its channel, or exactly.
fn same(expected: &[String], found: &[Value], what: &str) {
    let is = |word: &String, difference: &Value| {
        difference["channel"] == **word || difference["where"] == **word
    };
    let is_expected = |difference: &Value| expected.iter().any(|word| is(word, difference));
    let is_found = |word: &String| found.iter().any(|difference| is(word, difference));
    assert!(found.iter().all(is_expected), "{what}: {found:?}, not {expected:?}");
    assert!(expected.iter().all(is_found), "{what}: {found:?}, not {expected:?}");
}
