//! What a program does natively on many inputs: `native/enumerate.c` forks for each.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use anyhow::{Context, ensure};

use super::input::Input;
use crate::filetest::process::{Outcome, run};

/// For all inputs of one program; the machine may be busy.
const LIMIT: Duration = Duration::from_secs(600);

/// The server's source, whose `main` forks for each input and calls `program_main`.
pub(super) fn server() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("native/enumerate.c")
}

/// Programs that run on many inputs.
pub struct Enumerator {
    exe: PathBuf,
    name: String,
    environment: Vec<(String, String)>,
    folder: tempfile::TempDir,
}

impl Enumerator {
    /// Compiles a program with `umbra cc`, whose libc is the one that is explored.
    pub fn new(umbra: &Path, source: &Path, name: &str) -> anyhow::Result<Self> {
        Self::with_flags(umbra, source, name, &[])
    }

    /// The same, with more flags for the compiler.
    pub fn with_flags(
        umbra: &Path,
        source: &Path,
        name: &str,
        flags: &[&str],
    ) -> anyhow::Result<Self> {
        Self::of_units(umbra, source, &[], name, flags)
    }

    /// The same for a program of several files, of which the first has `main`.
    pub fn of_units(
        umbra: &Path,
        source: &Path,
        others: &[&str],
        name: &str,
        flags: &[&str],
    ) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let mut objects = Vec::new();
        for unit in [source].into_iter().chain(others.iter().map(Path::new)) {
            let object = folder.path().join(format!("{}.o", objects.len()));
            let mut compile = Command::new(umbra);
            compile.args(["cc", "-g", "-w", "-Dmain=program_main", "-c"]).args(flags).arg(unit);
            succeed(compile.arg("-o").arg(&object))?;
            objects.push(object);
        }
        Self::link(umbra, &objects, name)
    }

    /// Links objects of `umbra cc` that have a `program_main`.
    pub fn link(umbra: &Path, objects: &[PathBuf], name: &str) -> anyhow::Result<Self> {
        Self::linked(name, Vec::new(), |exe| {
            let mut link = Command::new(umbra);
            link.args(["cc", "-O1"]).arg(server()).args(objects);
            succeed(link.arg("-lm").arg("-o").arg(exe))
        })
    }

    /// What `link` makes, which runs with these variables beside the usual ones.
    pub(super) fn linked(
        name: &str,
        environment: Vec<(String, String)>,
        link: impl FnOnce(&Path) -> anyhow::Result<()>,
    ) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let exe = folder.path().join("enumerate");
        link(&exe)?;
        Ok(Self { exe, name: name.to_owned(), environment, folder })
    }

    /// The executable.
    pub fn exe(&self) -> &Path {
        &self.exe
    }

    /// Runs the program on each of the inputs; `args` come before those of the input.
    pub fn run(&self, args: &[String], inputs: &[Input]) -> anyhow::Result<Vec<Outcome>> {
        self.run_as(&self.name, args, inputs)
    }

    /// The same, when it is called by this name.
    pub fn run_as(
        &self,
        name: &str,
        args: &[String],
        inputs: &[Input],
    ) -> anyhow::Result<Vec<Outcome>> {
        if inputs.is_empty() {
            return Ok(Vec::new());
        }
        let mut bytes = Vec::new();
        for input in inputs {
            encode(&mut bytes, args, input);
        }
        let scratch = tempfile::tempdir_in(self.folder.path())?;
        let file = scratch.path().join("inputs");
        fs::write(&file, bytes)?;
        let mut command = Command::new(&self.exe);
        command.arg(scratch.path()).arg(name).stdin(Stdio::from(fs::File::open(&file)?));
        command.env_clear().env("LC_ALL", "C").env("TZ", "UTC0");
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        let outcome = run(&mut command, LIMIT)?;
        let report = String::from_utf8_lossy(&outcome.stderr);
        ensure!(outcome.status.is_some_and(|status| status.success()), "enumerating: {report}");
        let mut rest = outcome.stdout.as_slice();
        let outcomes: anyhow::Result<Vec<Outcome>> =
            inputs.iter().map(|_| decode(&mut rest).context("too few outcomes")).collect();
        ensure!(rest.is_empty(), "more outcomes than inputs");
        outcomes
    }
}

fn succeed(command: &mut Command) -> anyhow::Result<()> {
    let output = command.output().with_context(|| format!("starting {command:?}"))?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

fn put_number(bytes: &mut Vec<u8>, number: usize) {
    bytes.extend(u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes());
}

fn put_text(bytes: &mut Vec<u8>, text: &[u8]) {
    put_number(bytes, text.len());
    bytes.extend(text);
}

fn encode(bytes: &mut Vec<u8>, args: &[String], input: &Input) {
    put_number(bytes, args.len() + input.args.len());
    for arg in args.iter().map(String::as_bytes).chain(input.args.iter().map(Vec::as_slice)) {
        put_text(bytes, arg);
    }
    put_text(bytes, &input.stdin);
    put_number(bytes, input.files.len());
    for (name, content) in &input.files {
        put_text(bytes, name.as_bytes());
        put_text(bytes, content);
    }
    put_text(bytes, &input.ktest());
}

fn take_number(rest: &mut &[u8]) -> Option<u32> {
    let (number, behind) = rest.split_first_chunk()?;
    *rest = behind;
    Some(u32::from_le_bytes(*number))
}

fn take_text(rest: &mut &[u8]) -> Option<Vec<u8>> {
    let length = take_number(rest)? as usize;
    let (text, behind) = rest.split_at_checked(length)?;
    *rest = behind;
    Some(text.to_vec())
}

fn decode(rest: &mut &[u8]) -> Option<Outcome> {
    let status = take_number(rest)?;
    let (stdout, stderr) = (take_text(rest)?, take_text(rest)?);
    Some(Outcome { status: Some(ExitStatus::from_raw(status.cast_signed())), stdout, stderr })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Says which signals it ignores and blocks; whoever starts it ignores one and blocks another.
    const TELLING: &str = "#include <signal.h>
        __attribute__((constructor)) static void before(void) {
            sigset_t set;
            sigemptyset(&set);
            sigaddset(&set, SIGUSR1);
            sigprocmask(SIG_BLOCK, &set, 0);
            signal(SIGHUP, SIG_IGN);
        }
        int program_main(int argc, char **argv) {
            struct sigaction action;
            sigset_t set;
            sigaction(SIGHUP, 0, &action);
            sigprocmask(SIG_BLOCK, 0, &set);
            return (action.sa_handler != SIG_DFL) + 2 * sigismember(&set, SIGUSR1);
        }";

    #[test]
    fn a_program_has_the_dispositions_of_signals_that_the_engine_gives_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let source = folder.path().join("telling.c");
        fs::write(&source, TELLING).expect("a source");
        let enumerator = Enumerator::linked("telling", Vec::new(), |exe| {
            succeed(
                Command::new("clang-19").arg("-w").arg(server()).arg(&source).arg("-o").arg(exe),
            )
        });
        let outcomes = enumerator.expect("a program").run(&[], &[Input::default()]);
        assert_eq!(outcomes.expect("an outcome")[0].code(), 0);
    }
}
