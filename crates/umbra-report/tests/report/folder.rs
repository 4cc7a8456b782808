//! The folder of a run.

use std::fs;
use std::path::{Path, PathBuf};

use umbra_case::Case;
use umbra_report::{Error, Info, LineCoverage, RunFolder, Sample, WrittenCase};

use crate::example;

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn case(program: &str) -> Case {
    Case { program: program.into(), ..Case::default() }
}

#[test]
fn runs_are_numbered_and_the_last_is_linked() {
    let project = tempfile::tempdir().unwrap();
    let runs = project.path().join(".umbra/runs");
    for number in ["0001", "0002"] {
        let run = RunFolder::create_next(project.path()).unwrap();
        assert_eq!(run.path(), runs.join(number));
        assert_eq!(fs::read_link(runs.join("last")).unwrap(), Path::new(number));
    }
    // Numbers are not used again, and other things there do not matter.
    fs::remove_dir(runs.join("0001")).unwrap();
    fs::create_dir(runs.join("0041")).unwrap();
    fs::write(runs.join("notes"), "").unwrap();
    let run = RunFolder::create_next(project.path()).unwrap();
    assert_eq!(run.path(), runs.join("0042"));
    assert_eq!(names(&runs), ["0002", "0041", "0042", "last", "notes"]);
}

#[test]
fn a_given_folder_must_be_empty() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("out");
    let mut run = RunFolder::create_at(&folder).unwrap();
    let mut run_again = RunFolder::create_at(&folder).unwrap();
    run.write_case(&case("p")).unwrap();
    assert!(matches!(RunFolder::create_at(&folder), Err(Error::NotEmpty { .. })));
    let error = RunFolder::create_at(&parent.path().join("no/out")).unwrap_err().to_string();
    assert!(error.starts_with("cannot make ") && error.contains("no/out: No such file"), "{error}");
    let error = RunFolder::create_at(Path::new("/dev/null")).unwrap_err().to_string();
    assert!(error.starts_with("cannot look into /dev/null: "), "{error}");
    // What is there is never overwritten.
    let error = run_again.write_case(&case("q")).unwrap_err().to_string();
    assert!(error.ends_with("cases/000001 already exists (lost: a test case)"), "{error}");
    assert_eq!(Case::read(&folder.join("cases/000001")).unwrap(), case("p"));
}

#[test]
fn everything_is_where_it_should_be() {
    let parent = tempfile::tempdir().unwrap();
    let mut run = RunFolder::create_at(&parent.path().join("run")).unwrap();
    let info = Info { command: vec!["umbra".into()], version: "1".to_owned(), started: 0 };
    run.write_info(&info).unwrap();
    for (program, name, is_new) in
        [("a", "cases/000001", true), ("b", "cases/000002", true), ("a", "cases/000001", false)]
    {
        let written = run.write_case(&case(program)).unwrap();
        assert_eq!(written, WrittenCase { name: name.to_owned(), is_new });
        assert_eq!(Case::read(&run.path().join(name)).unwrap(), case(program));
    }
    assert_eq!(run.cases(), 2);
    let coverage: LineCoverage = [(PathBuf::from("a.c"), [(1, true)].into())].into();
    run.write_coverage(&coverage).unwrap();
    for seconds in [0.0, 1.0] {
        run.write_sample(&Sample { seconds, ..Sample::default() }).unwrap();
    }
    let summary = example::cut_short();
    run.write_summary(&summary).unwrap();
    let expected = ["cases", "coverage.info", "info", "stats.csv", "summary.json"];
    assert_eq!(names(run.path()), expected);
    let read = |name: &str| fs::read_to_string(run.path().join(name)).unwrap();
    assert_eq!(read("info"), info.to_text());
    assert_eq!(read("coverage.info"), "TN:\nSF:a.c\nDA:1,1\nLH:1\nLF:1\nend_of_record\n");
    assert_eq!(read("summary.json"), summary.to_json() + "\n");
    let rows = "0.000,0,0,0,0,0,0,0.000,0.0,0\n1.000,0,0,0,0,0,0,0.000,0.0,0\n";
    assert_eq!(read("stats.csv"), format!("{}\n{rows}", Sample::CSV_HEADER));
}

#[test]
fn reports_of_errors_have_names_of_their_own() {
    let parent = tempfile::tempdir().unwrap();
    let mut run = RunFolder::create_at(&parent.path().join("run")).unwrap();
    let long = "x".repeat(500);
    for (kind, file, line, name) in [
        ("trap", "src/a.c", 7, "errors/trap-a.c-7.txt".to_owned()),
        ("trap", "lib/a.c", 7, "errors/trap-a.c-7-2.txt".to_owned()),
        ("abort", "src/a.c", 7, "errors/abort-a.c-7.txt".to_owned()),
        ("trap", "src/a.c", 7, "errors/trap-a.c-7.txt".to_owned()),
        ("trap", "", 0, "errors/trap-unknown-0.txt".to_owned()),
        ("../../x y", "..", 1, "errors/.._.._x_y-unknown-1.txt".to_owned()),
        ("trap", &long, 1, format!("errors/trap-{}-1.txt", &long[..80])),
    ] {
        let finding = example::finding(kind, file, line, None);
        assert_eq!(run.write_error(&finding, 2).unwrap(), name);
        let text = fs::read_to_string(run.path().join(name)).unwrap();
        assert_eq!(text, umbra_report::finding_text(&finding, 2, run.path()));
    }
    assert_eq!(names(&run.path().join("errors")).len(), 6);
}

#[test]
fn what_cannot_be_written_is_named() {
    let parent = tempfile::tempdir().unwrap();
    let mut run = RunFolder::create_at(&parent.path().join("run")).unwrap();
    fs::remove_dir(run.path()).unwrap();
    let coverage = run.write_coverage(&LineCoverage::new()).unwrap_err().to_string();
    let sample = run.write_sample(&Sample::default()).unwrap_err().to_string();
    let summary = run.write_summary(&example::complete()).unwrap_err().to_string();
    for (error, file, lost) in [
        (coverage, "coverage.info", "the lines covered"),
        (sample, "stats.csv", "statistics over time"),
        (summary, "summary.json", "the summary of the run"),
    ] {
        let path = run.path().join(file);
        assert!(error.starts_with(&format!("cannot write {}: ", path.display())), "{error}");
        assert!(error.ends_with(&format!("(lost: {lost})")), "{error}");
    }
}
