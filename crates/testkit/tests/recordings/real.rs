//! A real package: what its suite alone shows between two releases.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use testkit::recordings::{Project, Share, Suite, check};

use crate::package::Package;
use crate::{root, show};

/// A suite may take so many times as long while it is recorded.
const MOST_OVERHEAD: f64 = 2.0;

/// Records, replays and checks a package, and adds what is not checked.
pub fn real(umbra: &Path, package: &Package, unchecked: &mut Share) -> Result<()> {
    let (project, [old, new]) = import(umbra, package)?;
    let name = package.name;
    let recorded = run_suite(&project, package, &old, &[])?;
    let bare = run_suite(&project, package, &old, &["--bare"])?;
    let number = |key: &str| recorded.object[key].as_u64().unwrap_or(0);
    let overhead = recorded.seconds() / bare.seconds().max(1.0);
    println!(
        "{name} {old}: {} invocations, {} recorded, {} cases; {:.0} s, {:.0} s without: {overhead:.2}",
        number("invocations"),
        number("recorded"),
        number("cases"),
        recorded.seconds(),
        bare.seconds(),
    );
    let changed: Vec<&String> = recorded.results.symmetric_difference(&bare.results).collect();
    println!("  {} results of tests, {} differ without", recorded.results.len(), changed.len());
    changed.iter().for_each(|line| println!("  {line}"));
    let replayed = project.umbra(&["replay", "--range", &format!("{old}..{new}"), "--json"])?;
    let comparison = &replayed["comparisons"][0];
    println!(
        "{name} {old}..{new}: {}, {} clusters, {:.0} s",
        comparison["classes"],
        comparison["clusters"].as_array().map_or(0, Vec::len),
        replayed["wall_s"].as_f64().unwrap_or(0.0)
    );
    let store = project.folder.join(".umbra/recordings");
    let checked = check(umbra, &store, &project.build(&old)?, package.step)?;
    *unchecked += show(name, &checked, &Suite::of(&recorded.object));
    ensure!(checked.problems.is_empty(), "the engine disagrees with the native program");
    ensure!(changed.is_empty(), "recording changes the results of tests");
    ensure!(recorded.object["status"] == bare.object["status"], "the suite ends differently");
    ensure!(overhead < MOST_OVERHEAD, "recording slows the suite down too much");
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

fn run_suite(project: &Project, package: &Package, old: &str, more: &[&str]) -> Result<Ran> {
    let file: PathBuf = project.folder.with_extension("results");
    let tests = package.tests;
    let command = format!(
        "find . -name '*.trs' -exec rm {{}} +\n({tests})\nstatus=$?\n\
         {{ find . -name '*.trs' -exec grep -H '^:test-result:' {{}} +\n\
         find . -name '*.sum' -exec grep -H '^[A-Z]*: ' {{}} + ; }} >'{}'\nexit $status",
        file.display()
    );
    let begin = ["record", "--revision", old, "--json"];
    let object = project.umbra(&[&begin, more, &["--", "/bin/sh", "-c", &command]].concat())?;
    let results = std::fs::read_to_string(&file).context("reading the results of tests")?;
    let results: BTreeSet<String> = results.lines().map(str::to_owned).collect();
    ensure!(!results.is_empty(), "no test has a result");
    Ok(Ran { object, results })
}
