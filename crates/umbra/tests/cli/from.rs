//! `--from FUNCTION`: calls inside of a test program as inputs.
//!
//! `tests/libraries` has small libraries with their tests, each in one file. Its head says what the changes
//! are that `CHANGE=N` makes: faults, which must be found from the library's own tests and confirmed natively,
//! and correct changes, of which no regression may be reported.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{Dir, UMBRA};

/// A library of the corpus.
struct Library {
    name: String,
    source: PathBuf,
    from: String,
    faults: Vec<u32>,
    correct: Vec<u32>,
}

impl Library {
    fn read(name: &str) -> Self {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/libraries");
        let source = source.join(name).with_extension("c");
        let text = fs::read_to_string(&source).unwrap();
        let of = |kind: &str| -> Vec<u32> {
            let lines = text.lines().filter_map(|line| line.strip_prefix(kind));
            lines.map(|rest| rest.split(':').next().unwrap().parse().unwrap()).collect()
        };
        let from = text.lines().find_map(|line| line.strip_prefix(" * from: ")).unwrap();
        let (faults, correct) = (of(" * fault "), of(" * correct "));
        assert!(!faults.is_empty() && !correct.is_empty(), "{name} says nothing");
        Self { name: name.to_owned(), source, from: from.to_owned(), faults, correct }
    }

    fn build(&self, dir: &Dir) {
        for change in [0].iter().chain(&self.faults).chain(&self.correct) {
            let source = self.source.display();
            fs::create_dir_all(dir.path(&change.to_string())).unwrap();
            dir.cc(&format!("-g -DCHANGE={change} {source} -o {change}/{}", self.name));
            // What its own tests show needs no Umbra.
            dir.ok(&format!("{change}/{}", self.name));
        }
    }

    fn diff(&self, dir: &Dir, change: u32) -> Value {
        let (name, from) = (&self.name, &self.from);
        let line = format!(
            "{UMBRA} diff --from {from} --json -q --deterministic --output run{change} 0/{name} {change}/{name} --"
        );
        let output = dir.shell(&line);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let last = text.lines().last().map(serde_json::from_str);
        let Some(Ok(result)) = last else {
            panic!("{line}: {text}{}", String::from_utf8_lossy(&output.stderr));
        };
        result
    }
}

fn divergences(result: &Value) -> impl Iterator<Item = &Value> {
    result["divergences"].as_array().unwrap().iter()
}

/// Every fault of a library is found and shown natively, and no correct change is taken for one.
fn check(name: &str) {
    let (library, dir) = (Library::read(name), Dir::new());
    library.build(&dir);
    for &fault in &library.faults {
        let result = library.diff(&dir, fault);
        let is_shown = |line: &&Value| {
            let class = line["native"].as_str().unwrap_or_default();
            line["confirmed"] == true && ["regression", "output-difference"].contains(&class)
        };
        let shown: Vec<&Value> = divergences(&result).filter(is_shown).collect();
        assert!(!shown.is_empty(), "{name}: fault {fault} is not found: {result:#}");
        for line in shown {
            let call = line["call"].as_str().unwrap_or_default();
            assert!(call.starts_with(&format!("{}(", library.from)), "{call}: {line:#}");
        }
    }
    for &change in &library.correct {
        let result = library.diff(&dir, change);
        let worse = divergences(&result).filter(|line| {
            line["native"] != "same" && (line["class"] != "same" || !line["native"].is_null())
        });
        let worse: Vec<&Value> = worse.collect();
        assert!(worse.is_empty(), "{name}: change {change} is correct: {worse:#?}");
    }
}

#[test]
fn faults_of_numbers_are_found_from_the_tests_of_the_library() {
    check("number");
}

#[test]
fn faults_of_utf8_are_found_from_the_tests_of_the_library() {
    check("utf8");
}

#[test]
fn faults_of_queries_are_found_from_the_tests_of_the_library() {
    check("query");
}

#[test]
fn faults_of_ini_files_are_found_from_the_tests_of_the_library() {
    check("ini");
}

#[test]
fn faults_of_base64_are_found_from_the_tests_of_the_library() {
    check("base64");
}
