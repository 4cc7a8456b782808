//! Test cases run natively, and what they predict.

use std::fs;
use std::io::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, ensure};
use umbra_case::{Case, Entry, EntryKind, KTest, Listing, ObjectId, Settings, Stdin};
use umbra_words::{End, Fault};

use super::command::Written;
use crate::filetest::directives::Finding;
use crate::filetest::process::{Outcome, run};

/// A native run takes milliseconds; the machine may be busy.
const LIMIT: Duration = Duration::from_secs(60);

/// Runs a case by its own script.
pub fn run_script(written: &Written, exe: &Path) -> anyhow::Result<Outcome> {
    let mut command = Command::new("sh");
    command.arg(written.folder.join("run.sh")).arg(exe).stdin(Stdio::null());
    run(&mut command, LIMIT)
}

/// Whether [`run_directly`] can run a case: plain files and nothing else.
pub fn is_plain(case: &Case) -> bool {
    let plain = |entry: &Entry| {
        matches!(entry.kind, EntryKind::File(_)) && entry.mode == 0o644 && entry.modified.is_none()
    };
    case.tree.iter().all(plain)
        && matches!(case.stdin, Stdin::Null | Stdin::Pipe(_))
        && case.settings == Settings::default()
}

/// Runs a case without its script, which is many times faster.
pub fn run_directly(case: &Case, exe: &Path) -> anyhow::Result<Outcome> {
    Ok(run_in_tree(case, exe, false)?.0)
}

/// The same, with the tree that is left behind, if that is asked for.
fn run_in_tree(case: &Case, exe: &Path, lists: bool) -> anyhow::Result<(Outcome, Listing)> {
    ensure!(is_plain(case), "this case needs its script");
    let folder = tempfile::tempdir()?;
    let work = folder.path().join("work");
    fs::create_dir(&work)?;
    for entry in &case.tree {
        if let EntryKind::File(bytes) = &entry.kind {
            fs::write(work.join(std::ffi::OsStr::from_bytes(&entry.path)), bytes)?;
        }
    }
    let text = |bytes: &[u8]| std::ffi::OsString::from_vec(bytes.to_vec());
    let mut command = Command::new(exe);
    command.arg0(text(&case.program)).args(case.arguments.iter().map(|word| text(word)));
    command.current_dir(&work).env_clear();
    for variable in &case.environment {
        let at =
            variable.iter().position(|&byte| byte == b'=').context("a variable has a value")?;
        command.env(text(&variable[..at]), text(&variable[at + 1..]));
    }
    if !case.objects.is_empty() {
        let ktest = folder.path().join("objects.ktest");
        fs::write(&ktest, KTest::of_objects(case).encode()?)?;
        command.env("KTEST_FILE", ktest);
    }
    command.stdin(match &case.stdin {
        Stdin::Pipe(bytes) => {
            // It fits into the pipe's buffer, so nobody has to read meanwhile.
            ensure!(bytes.len() <= 1 << 16, "too much standard input for a pipe");
            let (reader, mut writer) = std::io::pipe()?;
            writer.write_all(bytes)?;
            Stdio::from(reader)
        }
        _ => Stdio::null(),
    });
    let outcome = run(&mut command, LIMIT)?;
    let mut listing = Listing::default();
    if lists {
        list(&work, b"", &mut listing)?;
    }
    Ok((outcome, listing))
}

/// Lists what is in a folder.
fn list(folder: &Path, prefix: &[u8], listing: &mut Listing) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = [prefix, entry.file_name().as_bytes()].concat();
        let (metadata, kind) = (entry.metadata()?, entry.file_type()?);
        let mode = metadata.permissions().mode();
        if kind.is_symlink() {
            listing.symlink(&path, fs::read_link(entry.path())?.as_os_str().as_bytes());
        } else if kind.is_dir() {
            listing.directory(&path, mode);
            list(&entry.path(), &[&path[..], b"/"].concat(), listing)?;
        } else if kind.is_file() {
            let bytes = fs::read(entry.path())?;
            listing.file(&path, mode, bytes.len() as u64, &ObjectId::of(&bytes));
        } else {
            listing.special(&path, if kind.is_fifo() { "fifo" } else { "socket" });
        }
    }
    Ok(())
}

/// Runs a case directly if that can be done, else by its script; what is wrong with what it did.
pub fn check(written: &Written, exe: &Path) -> anyhow::Result<Result<(), String>> {
    let case = &written.case;
    if !is_plain(case) {
        return Ok(compare(case, &run_script(written, exe)?));
    }
    let predicted = case.expected.tree.as_ref().filter(|_| is_to_end(case));
    let (outcome, listing) = run_in_tree(case, exe, predicted.is_some())?;
    let left = listing.to_bytes();
    Ok(compare(case, &outcome).and_then(|()| match predicted {
        Some(predicted) if *predicted != left => {
            let show = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            Err(format!("it leaves {:?}, predicted is {:?}", show(&left), show(predicted)))
        }
        _ => Ok(()),
    }))
}

/// Whether it is predicted how the case ends.
fn is_to_end(case: &Case) -> bool {
    matches!(case.expected.end, Some(End::Exited(_) | End::Killed(_)))
}

/// What is wrong with a run that should go as its case predicts. Errors are not predicted to show
/// themselves without a sanitizer, and what was cut is not known.
pub fn compare(case: &Case, outcome: &Outcome) -> Result<(), String> {
    let expected = &case.expected;
    let code = match &expected.end {
        Some(End::Exited(status)) => *status,
        Some(End::Killed(signal)) => 128 + signal,
        _ => return Ok(()),
    };
    // A shell's way to say it: the script and a direct run agree.
    if outcome.code() != code {
        return Err(format!("status {code} is predicted, natively it is {}", outcome.code()));
    }
    let streams = [
        ("standard output", &expected.stdout, &outcome.stdout),
        ("standard error", &expected.stderr, &outcome.stderr),
    ];
    for (name, predicted, native) in streams {
        if predicted.as_ref().is_some_and(|predicted| predicted != native) {
            let show = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let predicted = show(predicted.as_deref().unwrap_or_default());
            return Err(format!("{name}: {predicted:?} is predicted, natively {:?}", show(native)));
        }
    }
    Ok(())
}

/// The place of an error in this source file: the innermost call there.
pub fn line_in(error: &Fault, file: &str) -> u32 {
    let ending = |place: &str| {
        let (_, rest) = place.rsplit_once(&format!("{file}:"))?;
        rest.split(':').next()?.trim().parse().ok()
    };
    error.stack.iter().find_map(|place| ending(place)).unwrap_or(0)
}

/// An error as the marks of the corpus have it.
pub fn finding(error: &Fault, file: &str) -> Finding {
    // What a program reports itself is an abort natively.
    let reported = error.kind == "reported-error";
    let kind = if reported { "abort".to_owned() } else { error.kind.clone() };
    Finding { line: line_in(error, file), kind }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use umbra_case::Expected;

    use super::*;

    fn outcome(status: i32, stdout: &str) -> Outcome {
        let status = Some(ExitStatus::from_raw(status));
        Outcome { status, stdout: stdout.into(), stderr: Vec::new() }
    }

    fn case(end: End, stdout: &str) -> Case {
        let expected = Expected {
            end: Some(end),
            stdout: Some(stdout.into()),
            stderr: Some(Vec::new()),
            tree: None,
        };
        Case { expected, ..Case::default() }
    }

    #[test]
    fn a_wrong_prediction_is_seen() {
        let exited = case(End::Exited(3), "a\n");
        assert_eq!(compare(&exited, &outcome(3 << 8, "a\n")), Ok(()));
        assert!(compare(&exited, &outcome(4 << 8, "a\n")).is_err());
        assert!(compare(&exited, &outcome(3 << 8, "b\n")).is_err());
        let killed = case(End::Killed(9), "");
        assert_eq!(compare(&killed, &outcome(9, "")), Ok(()));
        assert!(compare(&killed, &outcome(0, "")).is_err());
        let mut silent = outcome(3 << 8, "a\n");
        silent.stderr = b"x".to_vec();
        assert!(compare(&exited, &silent).is_err());
    }

    #[test]
    fn an_error_is_where_the_program_is() {
        let error = |kind: &str, stack: &[&str]| Fault {
            kind: kind.to_owned(),
            stack: stack.iter().map(|&place| place.to_owned()).collect(),
            ..Fault::default()
        };
        let found = |error: &Fault| {
            let Finding { line, kind } = finding(error, "t.c");
            format!("{kind} {line}")
        };
        let deep = ["strcpy at musl/src/string/strcpy.c:9:3", "main at /x/t.c:12:5"];
        assert_eq!(found(&error("out-of-bounds-write", &deep)), "out-of-bounds-write 12");
        assert_eq!(found(&error("reported-error", &deep[1..])), "abort 12");
        let reached = ["reach_error at musl/src/umbra/verifier.c:7:1", "main at /x/t.c:4"];
        assert_eq!(found(&error("abort", &reached)), "abort 4");
        let own = ["reach_error at /x/t.c:3:1", "main at /x/t.c:4"];
        assert_eq!(found(&error("assertion-failure", &own)), "assertion-failure 3");
        assert_eq!(found(&error("abort", &["main at /x/other.c:4"])), "abort 0");
    }
}
