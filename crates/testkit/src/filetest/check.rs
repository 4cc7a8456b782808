//! One file test, from source to verdict.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, bail};
use serde_json::Value;

use super::directives::{Directives, Finding, Native};
use super::process::{self, Outcome};
use super::{diff, report};

/// A run that takes longer hangs.
const LIMIT: Duration = Duration::from_secs(60);

/// What tests are run with.
#[derive(Clone, Debug)]
pub struct Toolbox {
    /// The `umbra` command.
    pub umbra: PathBuf,
    /// Whether expected reports are rewritten.
    pub bless: bool,
}

/// What is wrong with a test; nothing if it passed.
pub type Verdict = Vec<String>;

/// Compiles and runs the test in `source` and says what is not as expected.
pub fn check(toolbox: &Toolbox, source: &Path) -> anyhow::Result<Verdict> {
    let text = fs::read_to_string(source)?;
    let directives = Directives::parse(&text)?;
    let scratch = tempfile::tempdir().context("making a temporary folder")?;
    let exe = scratch.path().join(source.file_stem().unwrap_or_default());
    compile(toolbox, &directives.cc, source, &exe)?;

    let mut engine = Command::new(&toolbox.umbra);
    engine.args(["run", "--json"]).args(&directives.flags);
    let engine = run(&directives, engine, &exe)?;
    let (stdout, summary) = split_summary(&engine)?;
    let file = file_name(source);
    let stderr = report::normalise(&String::from_utf8_lossy(&engine.stderr));
    let findings = report::findings(&stderr, &file);

    let mut wrong = Vec::new();
    wrong.extend(compare_marks(&directives.marks, &findings));
    wrong.extend(compare_summary(&summary, &findings));
    let exit = directives.exit.unwrap_or(match findings.first() {
        Some(finding) if finding.kind == "unsupported" => 2,
        Some(_) => 1,
        None => 0,
    });
    if engine.code() != exit {
        wrong.push(format!("exit status {}, expected {exit}", engine.code()));
    }
    let expected = source.with_extension("expected");
    if directives.native == Native::Same {
        // Only starts what follows, as `umbra run` does.
        let native = run(&directives, Command::new("/usr/bin/env"), &exe)?;
        wrong.extend(compare_native(&native, &engine, stdout));
        if expected.exists() {
            wrong.push(format!("{} is of no use: remove it", expected.display()));
        }
    } else {
        let actual = transcript(&stderr, stdout, engine.code());
        wrong.extend(compare_expected(toolbox, &expected, &actual, &accept(source))?);
    }
    Ok(wrong)
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Compiles in the source's folder, so that reports name the file and no path.
pub(crate) fn compile(
    toolbox: &Toolbox,
    flags: &[String],
    source: &Path,
    exe: &Path,
) -> anyhow::Result<()> {
    let mut command = Command::new(&toolbox.umbra);
    command
        .args(["cc", "-w"])
        .args(flags)
        .arg(file_name(source))
        .arg("-o")
        .arg(exe)
        .current_dir(source.parent().unwrap_or(Path::new(".")));
    let outcome = process::run(&mut command, LIMIT)?;
    if outcome.code() != 0 {
        bail!("it does not compile:\n{}", String::from_utf8_lossy(&outcome.stderr));
    }
    Ok(())
}

/// Runs the program behind `command` in a fresh folder beside it.
fn run(directives: &Directives, mut command: Command, exe: &Path) -> anyhow::Result<Outcome> {
    let folder = exe.with_extension("run");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir(&folder)?;
    let stdin = exe.with_extension("stdin");
    fs::write(&stdin, &directives.stdin)?;
    command
        .arg(Path::new("..").join(exe.file_name().unwrap_or_default()))
        .args(&directives.args)
        .env_clear()
        .envs(directives.env.iter().cloned())
        .current_dir(&folder)
        .stdin(File::open(&stdin)?);
    process::run(&mut command, LIMIT)
}

/// The program's own standard output, and the object behind it.
pub(crate) fn split_summary(engine: &Outcome) -> anyhow::Result<(&[u8], Value)> {
    // From the last brace on: the program may have written objects too, or left its last line open.
    let braces = (0..engine.stdout.len()).rev();
    for at in braces.filter(|&at| engine.stdout[at] == b'{') {
        if let Ok(summary) = serde_json::from_slice::<Value>(&engine.stdout[at..])
            && summary["schema"] == "umbra/1"
        {
            return Ok((&engine.stdout[..at], summary));
        }
    }
    bail!(
        "no JSON object at the end of standard output; exit status {}, standard error:\n{}",
        engine.code(),
        String::from_utf8_lossy(&engine.stderr)
    )
}

/// Every finding needs its mark, every mark its finding.
fn compare_marks(marks: &[Finding], findings: &[Finding]) -> Verdict {
    let mut wrong = Vec::new();
    for finding in findings.iter().filter(|finding| !marks.contains(finding)) {
        let Finding { line, kind } = finding;
        wrong.push(format!("line {line}: {kind} was found but is not marked"));
    }
    for mark in marks.iter().filter(|mark| !findings.contains(mark)) {
        let Finding { line, kind } = mark;
        wrong.push(format!("line {line}: {kind} is marked but was not found"));
    }
    wrong
}

/// The JSON object must tell the same as the text.
fn compare_summary(summary: &Value, findings: &[Finding]) -> Verdict {
    let kinds = |errors: &Value| -> Vec<String> {
        let errors = errors.as_array().into_iter().flatten();
        errors.map(|error| error["kind"].to_string()).collect()
    };
    let errors = findings.iter().filter(|finding| finding.kind != "unsupported");
    let expected: Vec<String> = errors.map(|error| format!("\"{}\"", error.kind)).collect();
    let found = kinds(&summary["errors"]);
    if found == expected {
        return Vec::new();
    }
    vec![format!("the JSON object has errors {found:?}, the text {expected:?}")]
}

fn compare_native(native: &Outcome, engine: &Outcome, stdout: &[u8]) -> Verdict {
    let mut wrong = Vec::new();
    if native.code() != engine.code() {
        let (native, engine) = (native.code(), engine.code());
        wrong.push(format!("native exit status {native}, engine {engine}"));
    }
    for (name, native, engine) in
        [("output", &native.stdout, stdout), ("error", &native.stderr, &engine.stderr)]
    {
        if native.as_slice() != engine {
            let text =
                diff::lines(&String::from_utf8_lossy(native), &String::from_utf8_lossy(engine));
            wrong.push(format!("standard {name} differs (- native, + engine):\n{text}"));
        }
    }
    wrong
}

/// What an expected report holds.
fn transcript(stderr: &str, stdout: &[u8], code: i32) -> String {
    let mut text = stderr.to_owned();
    if !stdout.is_empty() {
        text += "--- standard output\n";
        text += &String::from_utf8_lossy(stdout);
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text + &format!("--- exit {code}\n")
}

/// The command that accepts what a file test prints.
fn accept(source: &Path) -> String {
    let stem = source.file_stem().unwrap_or_default().to_string_lossy();
    format!("BLESS=1 UMBRA_FILETEST={stem} cargo test -p testkit --test filetests")
}

/// Compares with the file at `path`, or writes it; `accept` is the command to write it.
pub(crate) fn compare_expected(
    toolbox: &Toolbox,
    path: &Path,
    actual: &str,
    accept: &str,
) -> anyhow::Result<Verdict> {
    let expected = fs::read_to_string(path).unwrap_or_default();
    if expected == actual {
        return Ok(Vec::new());
    }
    if toolbox.bless {
        fs::write(path, actual).with_context(|| format!("writing {}", path.display()))?;
        return Ok(Vec::new());
    }
    Ok(vec![format!(
        "the report differs (- expected, + actual):\n{}  to accept it: {accept}",
        diff::lines(&expected, actual)
    )])
}
