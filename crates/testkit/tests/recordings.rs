//! The whole way from a project and its test suite to cases, and from cases to differences between
//! two revisions; and the engine on every recording.
//!
//! By default on the small project in `tests/projects/fields`. `UMBRA_SUITE=full` takes upstream
//! releases of diffutils, findutils and coreutils (a package's name as argument picks it). `UMBRA` is
//! the command to test, by default the release build beside this one.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use testkit::filetest::umbra_command;
use testkit::recordings::{Checked, Project, Suite, check, commit};

/// A package with two releases, whose suite is recorded.
struct Package {
    name: &'static str,
    /// Where the releases are from.
    suites: [&'static str; 2],
    /// What runs the tests of its programs, without those of gnulib, which run other programs.
    tests: &'static str,
    /// Of how many recordings one is run in the engine.
    step: usize,
}

const PACKAGES: &[Package] = &[
    Package {
        name: "diffutils",
        suites: ["bookworm", "trixie"],
        tests: "make -C tests check",
        step: 1,
    },
    Package {
        name: "findutils",
        suites: ["bookworm", "trixie"],
        tests: "for folder in find xargs locate tests; do make -k -C $folder check; done",
        step: 1,
    },
    Package {
        name: "coreutils",
        suites: ["bookworm", "trixie"],
        // A part of the suite: the tests that are tables of invocations, and those of three
        // programs that change the tree.
        tests: "make -k check SUBDIRS=. TESTS=\"$(echo tests/*/*.pl tests/mkdir/*.sh \
                tests/ln/*.sh tests/touch/*.sh)\"",
        step: 8,
    },
];

/// Invocations that may go unchecked, in percent.
const MOST_UNCHECKED: f64 = 10.0;

/// A suite may take so many times as long while it is recorded.
const MOST_OVERHEAD: f64 = 2.0;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("recordings: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let umbra = umbra_command()?;
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    match std::env::var("UMBRA_SUITE").is_ok_and(|value| value == "full") {
        false => small(&umbra),
        true => {
            let packages = PACKAGES.iter();
            packages
                .filter(|package| {
                    wanted.is_empty() || wanted.iter().any(|word| word == package.name)
                })
                .try_for_each(|package| {
                    real(&umbra, package).with_context(|| package.name.to_owned())
                })
        }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The small project: every number is known.
fn small(umbra: &Path) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let folder = scratch.path().join("fields");
    let source = root().join("tests/projects/fields");
    let copy = |from: &str| -> Result<()> {
        let mut command = Command::new("cp");
        command.arg("-a").arg(source.join(from).join(".")).arg(&folder);
        ensure!(command.status()?.success(), "cannot copy {from}");
        Ok(())
    };
    std::fs::create_dir(&folder)?;
    copy("old")?;
    commit(&folder, "old")?;
    copy("patch")?;
    commit(&folder, "new")?;
    let project = Project { umbra: umbra.to_owned(), folder: folder.clone() };
    project.init()?;

    let recorded = project.umbra(&["record", "--revision", "old", "--json"])?;
    ensure!(recorded["exit"] == 0, "the suite fails while it is recorded: {recorded}");
    ensure!(recorded["invocations"] == 11 && recorded["recorded"] == 11, "{recorded}");
    // Two of the calls are the same, but for a variable that is not kept.
    ensure!(recorded["cases"] == 10, "{recorded}");
    let store = folder.join(".umbra/recordings");
    let leaks = Command::new("grep").args(["-r", "hunter2"]).arg(&store).output()?;
    ensure!(leaks.stdout.is_empty(), "a secret was stored");

    let replayed = project.umbra(&["replay", "--range", "old..new", "--sanitize", "--json"])?;
    let classes = &replayed["comparisons"][0]["classes"];
    let expected = serde_json::json!({
        "regression": 1, "output-difference": 4, "fix": 1, "same": 4,
    });
    ensure!(*classes == expected, "{replayed}");
    ensure!(replayed["exit"] == 1, "{replayed}");
    let first = &replayed["comparisons"][0]["clusters"][0];
    ensure!(first["class"] == "regression" && first["place"] == "fields.c:13", "{first}");
    let same = project.umbra(&["replay", "--range", "old..old", "--json"])?;
    ensure!(same["exit"] == 0 && same["comparisons"][0]["classes"]["same"] == 10, "{same}");

    let bare = project.umbra(&["record", "--revision", "old", "--bare", "--json"])?;
    ensure!(bare["exit"] == 0 && bare["invocations"] == 0, "{bare}");
    let checked = check(umbra, &store, &project.build("old")?, 1)?;
    let unchecked = show("fields", &checked, &Suite::of(&recorded));
    ensure!(checked.problems.is_empty() && checked.unlike_recording.is_empty(), "see above");
    ensure!(checked.agreed.cases == 10, "only {} of 10 were compared", checked.agreed.cases);
    ensure!(checked.agreed.invocations == 11 && unchecked == 0.0, "of 11: {checked:?}");
    Ok(())
}

/// A package: what its suite alone shows between two releases.
fn real(umbra: &Path, package: &Package) -> Result<()> {
    let Package { name, suites, tests, step } = package;
    let scratch = root().join("target/releases");
    std::fs::create_dir_all(&scratch)?;
    let folder = scratch.join(name);
    let status = Command::new(root().join("scripts/import-releases"))
        .arg(name)
        .arg(&folder)
        .args(suites)
        .status()?;
    ensure!(status.success(), "the releases were not imported");
    let mut git = Command::new("git");
    let tags = git.args(["tag", "--sort=creatordate"]).current_dir(&folder).output()?.stdout;
    let tags: Vec<String> = String::from_utf8(tags)?.lines().map(str::to_owned).collect();
    let [old, new] = &*tags else { anyhow::bail!("two releases, not {tags:?}") };
    let project = Project { umbra: umbra.to_owned(), folder: folder.clone() };
    project.init()?;
    let run = |more: &[&str]| {
        let begin = ["record", "--revision", old, "--json"];
        project.umbra(&[&begin, more, &["--", "/bin/sh", "-c", tests]].concat())
    };
    let recorded = run(&[])?;
    let bare = run(&["--bare"])?;
    let number = |key: &str| recorded[key].as_u64().unwrap_or(0);
    let seconds = |object: &Value| object["command_s"].as_f64().unwrap_or(0.0);
    let overhead = seconds(&recorded) / seconds(&bare).max(1.0);
    println!(
        "{name} {old}: {} invocations, {} recorded, {} cases; {:.0} s, {:.0} s without: {overhead:.2}",
        number("invocations"),
        number("recorded"),
        number("cases"),
        seconds(&recorded),
        seconds(&bare),
    );
    println!(
        "  statuses of the suite: {} recorded, {} without",
        recorded["status"], bare["status"]
    );
    let replayed = project.umbra(&["replay", "--range", &format!("{old}..{new}"), "--json"])?;
    let comparison = &replayed["comparisons"][0];
    println!(
        "{name} {old}..{new}: {}, {} clusters, {:.0} s",
        comparison["classes"],
        comparison["clusters"].as_array().map_or(0, Vec::len),
        replayed["wall_s"].as_f64().unwrap_or(0.0)
    );
    let checked = check(umbra, &folder.join(".umbra/recordings"), &project.build(old)?, *step)?;
    let unchecked = show(name, &checked, &Suite::of(&recorded));
    ensure!(checked.problems.is_empty(), "the engine disagrees with the native program");
    ensure!(unchecked <= MOST_UNCHECKED, "too many invocations are not checked");
    ensure!(recorded["status"] == bare["status"], "recording changes how the suite ends");
    ensure!(overhead < MOST_OVERHEAD, "recording slows the suite down too much");
    Ok(())
}

/// Prints what came out; returns the share of invocations that was not checked, in percent.
fn show(name: &str, checked: &Checked, suite: &Suite) -> f64 {
    let unchecked = checked.unchecked_percent(suite);
    println!(
        "{name}: the engine on {} cases: {} agree, {} disagree; {unchecked:.1} % of all invocations \
         are not checked",
        checked.cases(),
        checked.agreed.cases,
        checked.disagreed.cases,
    );
    for (reason, count) in &suite.lost {
        println!("  {count:>6} invocations are no cases: {reason}");
    }
    for (reason, count) in &checked.excluded {
        let (cases, invocations) = (count.cases, count.invocations);
        println!("  {invocations:>6} invocations ({cases} cases) left out: {reason}");
    }
    for problem in checked.problems.iter().take(40).chain(checked.unlike_recording.iter().take(40))
    {
        println!("  {problem}");
    }
    unchecked
}
