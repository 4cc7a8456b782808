//! A real package: what its suite alone shows between two releases.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use testkit::recordings::{Project, Share, Suite, check};

use crate::package::{Package, Recorded};
use crate::{root, show};

/// Where a project keeps its recordings.
const STORE: &str = ".umbra/recordings";

/// A suite may take so many times as long while it is recorded.
const MOST_OVERHEAD: f64 = 2.0;

/// Records, replays and checks a package, and adds what is not checked.
///
/// `reuse`: what an earlier run has recorded is taken as it is.
pub fn real(umbra: &Path, package: &Package, reuse: bool, unchecked: &mut Share) -> Result<()> {
    let (project, [old, new]) = import(umbra, package)?;
    let name = package.name;
    let of = if package.recorded == Recorded::Old { &old } else { &new };
    let recorded = run_suite(&project, (package, of), How::Recorded, reuse)?;
    let bare = run_suite(&project, (package, of), How::Bare, reuse)?;
    let number = |key: &str| recorded.object[key].as_u64().unwrap_or(0);
    let overhead = recorded.seconds() / bare.seconds().max(1.0);
    println!(
        "{name} {of}: {} invocations, {} recorded, {} cases; {:.0} s, {:.0} s without: {overhead:.2}",
        number("invocations"),
        number("recorded"),
        number("cases"),
        recorded.seconds(),
        bare.seconds(),
    );
    let changed = show_changed(&recorded, &bare);
    let store = project.folder.join(STORE);
    let checked = check(umbra, &store, &project.build(of)?, package.step)?;
    let list = project.folder.with_extension("left-out");
    std::fs::write(&list, checked.left_out.join("\n"))?;
    println!("  {}: every case that was left out, and why", list.display());
    *unchecked += show(name, &checked, &Suite::of(&recorded.object));
    show_differences(&project, (name, &old, &new), reuse)?;
    ensure!(checked.problems.is_empty(), "the engine disagrees with the native program");
    ensure!(changed == 0, "recording changes the results of {changed} tests");
    ensure!(overhead < MOST_OVERHEAD, "recording slows the suite down too much");
    Ok(())
}

/// Prints the tests that end otherwise while they are recorded; returns the number of their results.
fn show_changed(recorded: &Ran, bare: &Ran) -> usize {
    let changed: Vec<&String> = recorded.results.symmetric_difference(&bare.results).collect();
    println!("  {} results of tests, {} differ", recorded.results.len(), changed.len());
    changed.iter().for_each(|line| println!("  {line}"));
    changed.len()
}

/// Runs every case on both releases, and prints what differs.
fn show_differences(
    project: &Project,
    (name, old, new): (&str, &str, &str),
    reuse: bool,
) -> Result<()> {
    let object = project.folder.with_extension("replayed.json");
    if !(reuse && object.exists()) {
        let range = format!("{old}..{new}");
        let replayed = project.umbra(&["replay", "--range", &range, "--json"])?;
        std::fs::write(&object, replayed.to_string())?;
    }
    let replayed: Value = serde_json::from_slice(&std::fs::read(&object)?)?;
    let comparison = &replayed["comparisons"][0];
    println!(
        "{name} {old}..{new}: {}, {} clusters, {:.0} s",
        comparison["classes"],
        comparison["clusters"].as_array().map_or(0, Vec::len),
        replayed["wall_s"].as_f64().unwrap_or(0.0)
    );
    Ok(())
}

/// A git repository with the releases, and their tags.
fn import(umbra: &Path, package: &Package) -> Result<(Project, [String; 2])> {
    let scratch = root().join("target/releases");
    std::fs::create_dir_all(&scratch)?;
    let folder = scratch.canonicalize()?.join(package.name);
    let status = Command::new(root().join("scripts/import-releases"))
        .arg(package.name)
        .arg(&folder)
        .args(package.suites)
        .status()?;
    ensure!(status.success(), "the releases were not imported");
    let mut git = Command::new("git");
    let tags = git.args(["tag", "--sort=creatordate"]).current_dir(&folder).output()?.stdout;
    let tags: Vec<String> = String::from_utf8(tags)?.lines().map(str::to_owned).collect();
    let tags = <[String; 2]>::try_from(tags).ok().context("there must be two releases")?;
    let project = Project { umbra: umbra.to_owned(), folder };
    project.init()?;
    Ok((project, tags))
}

/// How a suite went.
struct Ran {
    object: Value,
    /// The result of each test, as automake and DejaGnu write them.
    results: BTreeSet<String>,
}

impl Ran {
    fn seconds(&self) -> f64 {
        self.object["command_s"].as_f64().unwrap_or(0.0)
    }
}

/// How a suite is run.
#[derive(Clone, Copy)]
enum How {
    Recorded,
    Bare,
}

/// Runs the suite of a revision. What came out is kept beside the repository.
fn run_suite(
    project: &Project,
    (package, revision): (&Package, &str),
    how: How,
    reuse: bool,
) -> Result<Ran> {
    let (name, flags): (_, &[&str]) = match how {
        How::Recorded => ("recorded", &[]),
        How::Bare => ("bare", &["--bare"]),
    };
    let [results, object] =
        ["results", "json"].map(|ending| project.folder.with_extension(format!("{name}.{ending}")));
    if !(reuse && results.exists() && object.exists()) {
        if let How::Recorded = how {
            // An earlier run's cases are not of this one.
            let store = project.folder.join(STORE);
            if store.exists() {
                std::fs::remove_dir_all(&store)?;
            }
        }
        let command = with_results(package.tests, &results);
        let begin = ["record", "--revision", revision, "--json"];
        let words = [&begin, flags, &["--", "/bin/sh", "-c", &command]].concat();
        std::fs::write(&object, project.umbra(&words)?.to_string())?;
    }
    let text = std::fs::read_to_string(&results).context("reading the results of tests")?;
    let results: BTreeSet<String> = text.lines().map(str::to_owned).collect();
    ensure!(!results.is_empty(), "no test has a result");
    Ok(Ran { object: serde_json::from_slice(&std::fs::read(&object)?)?, results })
}

/// The command of a suite, which then collects what its tests have written of themselves.
fn with_results(tests: &str, file: &Path) -> String {
    format!(
        "find . -name '*.trs' -exec rm {{}} +\n({tests})\nstatus=$?\n\
         {{ find . -name '*.trs' -exec grep -H '^:test-result:' {{}} +\n\
         find . -name '*.sum' -exec grep -EH '^(X?(PASS|FAIL)|UN[A-Z]*|ERROR): ' {{}} + ; }} \
         >'{}'\nexit $status",
        file.display()
    )
}
