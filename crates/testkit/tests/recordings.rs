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
use testkit::recordings::{Checked, Project, check, commit};

/// Packages with two releases each, the arguments that keep their suites within minutes, and how
/// many recordings there are to one that the engine runs.
const PACKAGES: &[(&str, [&str; 2], usize)] = &[
    ("diffutils", ["bookworm", "trixie"], 1),
    ("findutils", ["bookworm", "trixie"], 1),
    ("coreutils", ["bookworm", "trixie"], 4),
];

/// Recordings that may be left out, in percent.
const MOST_EXCLUDED: f64 = 10.0;

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
                .filter(|(name, ..)| wanted.is_empty() || wanted.iter().any(|word| word == name))
                .try_for_each(|package| real(&umbra, package).with_context(|| package.0.to_owned()))
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

    let checked = check(umbra, &store, &project.build("old")?, 1)?;
    show("fields", &checked);
    ensure!(checked.disagreed.is_empty() && checked.unlike_recording.is_empty(), "see above");
    ensure!(checked.agreed == 10, "only {} of 10 were compared", checked.agreed);
    Ok(())
}

/// A package: what its suite alone shows between two releases.
fn real(umbra: &Path, (name, suites, step): &(&str, [&str; 2], usize)) -> Result<()> {
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
    let recorded = project.umbra(&["record", "--revision", old, "--json"])?;
    let number = |object: &Value, key: &str| object[key].as_u64().unwrap_or(0);
    println!(
        "{name} {old}: {} invocations, {} recorded, {} cases, {:.0} s",
        number(&recorded, "invocations"),
        number(&recorded, "recorded"),
        number(&recorded, "cases"),
        recorded["wall_s"].as_f64().unwrap_or(0.0)
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
    show(name, &checked);
    ensure!(checked.disagreed.is_empty(), "the engine disagrees with the native program");
    ensure!(checked.excluded_percent() <= MOST_EXCLUDED, "too many recordings are left out");
    Ok(())
}

fn show(name: &str, checked: &Checked) {
    println!(
        "{name}: {} recordings, {} agree, {} disagree, {:.1} % left out",
        checked.total(),
        checked.agreed,
        checked.disagreed.len(),
        checked.excluded_percent()
    );
    for (reason, count) in &checked.excluded {
        println!("  {count:>6} left out: {reason}");
    }
    let problems = checked.disagreed.iter().chain(&checked.unlike_recording);
    problems.take(40).for_each(|problem| println!("  {problem}"));
}
