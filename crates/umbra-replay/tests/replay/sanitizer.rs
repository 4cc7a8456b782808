//! Sanitizers in the sandbox: `tests/sanitizer`, small programs with one error each, marked `//~ kind`
//! in the line where it happens. A program without a mark must be clean.

use std::fs;
use std::path::Path;

use umbra_case::Case;
use umbra_compare::SanitizerReport;
use umbra_replay::{Confinement, Limits, Program, Sandbox, Symbolizer};
use umbra_words::End;

use crate::support::{compile, confinements, launcher};

const FLAGS: &[&str] =
    &["-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize-recover=undefined", "-O0"];

#[test]
fn each_error_is_reported_with_kind_and_place() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sanitizer");
    let mut names: Vec<String> = fs::read_dir(folder)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a plain name"))
        .collect();
    names.sort();
    assert!(names.len() > 15, "{names:?}");
    let mut sandboxes: Vec<Sandbox> = confinements()
        .map(|confinement| Sandbox::start(&launcher(), confinement).expect("a sandbox"))
        .collect();
    let mut symbolizer = Symbolizer::start("llvm-symbolizer-19").expect("llvm-symbolizer-19");
    let mut failures = Vec::new();
    for name in &names {
        let path = format!("sanitizer/{name}");
        let program = Program::open(compile(&path, FLAGS)).expect("an executable");
        assert!(program.is_sanitized(), "{name}");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(&path);
        let expected = marked(&fs::read_to_string(source).expect("the source"));
        for sandbox in &mut sandboxes {
            let case = Case { program: name.clone().into_bytes(), ..Case::default() };
            let outcome = sandbox.run(&case, &program, &Limits::default()).expect("a run");
            let mut report = outcome.report;
            if let Some(report) = &mut report {
                symbolizer.symbolize(&program, report).expect("symbols");
            }
            let found = report.as_ref().map(shown);
            if found != expected {
                failures.push(format!("{name}: {found:?} instead of {expected:?}; {report:#?}"));
            }
            if expected.is_none() {
                assert_eq!(outcome.end, End::Exited(3), "{name}");
                assert_eq!(outcome.stdout.bytes, b"fine\n", "{name}");
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Kind and line of the mark, if there is one.
fn marked(source: &str) -> Option<(String, u32)> {
    let numbered = source.lines().zip(1..);
    let mut marks = numbered
        .filter_map(|(line, number)| Some((line.split_once("//~ ")?.1.trim().to_owned(), number)));
    let first = marks.next();
    assert_eq!(marks.next(), None, "one error each");
    first
}

fn shown(report: &SanitizerReport) -> (String, u32) {
    (report.kind.clone(), report.place.as_ref().map_or(0, |place| place.line))
}

#[test]
fn the_stack_has_functions_and_places() {
    let program = Program::open(compile("sanitizer/in_library.c", FLAGS)).expect("an executable");
    let mut sandbox = Sandbox::start(&launcher(), Confinement::Namespaces).expect("a sandbox");
    let case = Case { program: b"in_library".to_vec(), ..Case::default() };
    let outcome = sandbox.run(&case, &program, &Limits::default()).expect("a run");
    let mut report = outcome.report.expect("a report");
    let mut symbolizer = Symbolizer::start("llvm-symbolizer-19").expect("llvm-symbolizer-19");
    symbolizer.symbolize(&program, &mut report).expect("symbols");
    let own: Vec<(&str, u32)> = report
        .stack
        .iter()
        .filter_map(|frame| {
            let place =
                frame.place.as_ref().filter(|place| place.file.ends_with("in_library.c"))?;
            Some((frame.function.as_deref()?, place.line))
        })
        .collect();
    assert_eq!(own, [("copy", 5), ("main", 9)]);
}
