//! Native runs under sanitizers, and what they say of an error.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use anyhow::{Context, bail};
use umbra_case::Case;

use super::enumerate::{self, Enumerator};
use super::input::Input;
use crate::filetest::directives::Finding;
use crate::filetest::process::{Outcome, run};

/// Checks of clang that tell apart less than those that come after them: with them, a write
/// outside an array were "an index out of bounds", and a null pointer no memory error.
const NOT_WANTED: &str = "-fno-sanitize=bounds,null,object-size,pointer-overflow,\
                          nonnull-attribute,function";

/// Generous, since the machine may be busy: none of the programs runs for long.
const LIMIT: Duration = Duration::from_secs(120);

/// What the sanitizers are told.
const OPTIONS: &str = "detect_leaks=0:handle_abort=1:detect_stack_use_after_return=1:\
                       allocator_may_return_null=1";
const UBSAN_OPTIONS: &str = "print_stacktrace=1";

/// The file of [`separate_arguments`].
const ARGUMENTS: &str = "arguments.so";

/// The compiler and the compiled runtime of symbolic inputs.
pub struct Sanitizer {
    include: PathBuf,
    objects: Vec<PathBuf>,
    folder: tempfile::TempDir,
}

impl Sanitizer {
    /// Compiles the runtime.
    pub fn new() -> anyhow::Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let tree = root.join("../umbra-project/libc/tree");
        let folder = tempfile::tempdir()?;
        let mut objects = Vec::new();
        for entry in fs::read_dir(tree.join("src/umbra"))? {
            let source = entry?.path();
            if source.extension().is_none_or(|extension| extension != "c") {
                continue;
            }
            let object = folder.path().join(source.file_stem().context("a source has a name")?);
            let object = object.with_extension("o");
            let mut clang = Command::new("clang-19");
            clang.args(["-D_GNU_SOURCE", "-Dhidden=", "-O1", "-w", "-c"]).arg(&source);
            clang.arg("-I").arg(root.join("native")).arg("-I").arg(tree.join("include"));
            succeed(clang.arg("-o").arg(&object))?;
            objects.push(object);
        }
        Ok(Self { include: tree.join("include"), objects, folder })
    }

    /// Compiles a program of the corpus; `name` is a file name of its own.
    pub fn compile(&self, source: &Path, name: &str) -> anyhow::Result<PathBuf> {
        self.compile_with(source, name, &[])
    }

    /// Compiles with a check of every index into an array whose size is known.
    pub fn compile_checking_indices(&self, source: &Path, name: &str) -> anyhow::Result<PathBuf> {
        self.compile_with(source, name, &["-fsanitize=bounds"])
    }

    pub(super) fn compile_with(
        &self,
        source: &Path,
        name: &str,
        flags: &[&str],
    ) -> anyhow::Result<PathBuf> {
        let exe = self.folder.path().join(name);
        let mut clang = self.compiler();
        clang.args(["-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter"]);
        // Declared by those who use it, not by a header.
        clang.arg("-Wno-strict-prototypes");
        clang.args(flags).arg(source).args(&self.objects);
        succeed(clang.arg("-lm").arg("-o").arg(&exe))?;
        Ok(exe)
    }

    fn compiler(&self) -> Command {
        let mut clang = Command::new("clang-19");
        clang.args(["-g", "-O0", "-D_GNU_SOURCE"]);
        // The libc's own check of the place that is jumped to.
        clang.arg("-Dlongjmp=__longjmp_chk");
        // Builtins are calls that the sanitizer's runtime sees.
        clang.args(["-fno-builtin", "-fsanitize=address,undefined"]);
        clang.args([NOT_WANTED, "-fno-sanitize-recover=all"]);
        clang.arg("-I").arg(&self.include);
        clang
    }

    /// Compiles a source whose `main` is to be called `main`; warnings do not matter.
    pub fn compile_object(&self, source: &Path, main: &str, object: &Path) -> anyhow::Result<()> {
        let mut clang = self.compiler();
        clang.args(["-w", "-c"]).arg(format!("-Dmain={main}")).arg(source);
        succeed(clang.arg("-o").arg(object))
    }

    /// Links objects that have a `program_main` to a program that runs on many inputs.
    pub fn enumerator(&self, objects: &[PathBuf], name: &str) -> anyhow::Result<Enumerator> {
        let server = self.folder.path().join("enumerate.o");
        if !server.exists() {
            // Under another name first: two may do this at a time.
            let fresh = tempfile::Builder::new().suffix(".o").tempfile_in(self.folder.path())?;
            let mut clang = Command::new("clang-19");
            clang.args(["-O1", "-w", "-c"]).arg(enumerate::server()).arg("-o").arg(fresh.path());
            succeed(&mut clang)?;
            fresh.persist(&server)?;
        }
        let variable = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        let asan = format!("{OPTIONS}:symbolize=0:print_legend=0");
        let ubsan = format!("{UBSAN_OPTIONS}:symbolize=0");
        let environment = [("ASAN_OPTIONS", &*asan), ("UBSAN_OPTIONS", &*ubsan)].map(variable);
        Enumerator::linked(name, environment.to_vec(), |exe| {
            let mut link = Command::new("clang-19");
            link.arg("-fsanitize=address,undefined").arg(&server).args(objects);
            succeed(link.args(&self.objects).arg("-lm").arg("-o").arg(exe))
        })
    }
}

fn succeed(command: &mut Command) -> anyhow::Result<()> {
    let output = command.output().context("starting clang-19")?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}

/// Runs a program on an input, in a folder of its own.
pub fn run_on(
    exe: &Path,
    args: &[String],
    env: &[(String, String)],
    input: &Input,
) -> anyhow::Result<Outcome> {
    let folder = tempfile::tempdir()?;
    let work = folder.path().join("work");
    fs::create_dir(&work)?;
    for (name, bytes) in &input.files {
        fs::write(work.join(name), bytes)?;
    }
    let (stdin, ktest) = (folder.path().join("stdin"), folder.path().join("case.ktest"));
    fs::write(&stdin, &input.stdin)?;
    fs::write(&ktest, input.ktest())?;
    let mut command = Command::new(exe);
    command.args(args).args(input.args.iter().map(|arg| text(arg))).current_dir(&work);
    command.stdin(Stdio::from(fs::File::open(&stdin)?));
    command.env_clear().envs(env.iter().map(|(name, value)| (name, value)));
    command.env("KTEST_FILE", &ktest);
    let options = format!("{OPTIONS}:symbolize=1");
    command.env("ASAN_OPTIONS", options).env("UBSAN_OPTIONS", UBSAN_OPTIONS);
    command.env("ASAN_SYMBOLIZER_PATH", "/usr/bin/llvm-symbolizer-19");
    command.env("LD_PRELOAD", separate_arguments()?);
    run(&mut command, LIMIT)
}

/// The library that lets AddressSanitizer see where an argument ends, compiled once.
fn separate_arguments() -> anyhow::Result<PathBuf> {
    static FOLDER: OnceLock<Result<tempfile::TempDir, String>> = OnceLock::new();
    let compile = || {
        let folder = tempfile::tempdir()?;
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("native/arguments.c");
        let mut clang = Command::new("clang-19");
        clang.args(["-O1", "-fPIC", "-shared"]).arg(source);
        succeed(clang.arg("-o").arg(folder.path().join(ARGUMENTS)))?;
        anyhow::Ok(folder)
    };
    match FOLDER.get_or_init(|| compile().map_err(|error| format!("{error:#}"))) {
        Ok(folder) => Ok(folder.path().join(ARGUMENTS)),
        Err(error) => bail!("{error}"),
    }
}

/// Runs a program on the input of a case.
pub fn run_case(exe: &Path, case: &Case) -> anyhow::Result<Outcome> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let variables = case.environment.iter().filter_map(|variable| {
        let at = variable.iter().position(|&byte| byte == b'=')?;
        Some((text(&variable[..at]), text(&variable[at + 1..])))
    });
    let variables: Vec<_> = variables.collect();
    run_on(exe, &[], &variables, &Input::of_case(case))
}

fn text(bytes: &[u8]) -> std::ffi::OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes.to_vec())
}

/// What of a report of the sanitizers belongs to each kind of error; all of a row must be there.
const SIGNS: &[(&str, &[&str])] = &[
    ("out-of-bounds-read", &["-buffer-", "READ of size"]),
    ("out-of-bounds-write", &["-buffer-", "WRITE of size"]),
    ("negative-size-param", &["negative-size-param"]),
    ("use-after-free", &["heap-use-after-free"]),
    ("use-after-return", &["stack-use-after-return"]),
    ("use-after-scope", &["stack-use-after-scope"]),
    ("double-free", &["attempting double-free"]),
    ("invalid-free", &["attempting free on address which was not malloc()-ed"]),
    ("null-dereference", &["SEGV", "points to the zero page"]),
    ("wild-pointer", &["SEGV on unknown address"]),
    ("protected-memory", &["SEGV on unknown address"]),
    ("beyond-mapped-file", &["BUS on unknown address"]),
    ("write-to-constant", &["SEGV", "caused by a WRITE memory access"]),
    ("bad-function-pointer", &["SEGV", "(pc 0x00000000"]),
    ("division-by-zero", &["division by zero"]),
    ("division-overflow", &["by -1 cannot be represented"]),
    ("stack-overflow", &["stack-overflow"]),
    ("abort", &["AddressSanitizer: ABRT"]),
    ("assertion-failure", &["Assertion", "failed"]),
    ("unreachable", &["execution reached an unreachable program point"]),
    ("bad-longjmp", &["longjmp causes uninitialized stack frame"]),
];

/// Whether a report is about this kind of error.
pub fn is_about(report: &str, kind: &str) -> bool {
    let signs = SIGNS.iter().find(|(known, _)| *known == kind);
    let all_there = signs.is_some_and(|(_, signs)| signs.iter().all(|sign| report.contains(sign)));
    all_there || (kind.starts_with("out-of-bounds") && report.contains(INDEX))
}

/// What the check of indices says.
const INDEX: &str = "out of bounds for type";

/// What is wrong with a run that should end in this error.
pub fn check_error(outcome: &Outcome, file: &str, mark: &Finding) -> Result<(), String> {
    // Nobody reports it: natively the program stands still.
    match (outcome.status.is_none(), mark.kind == "deadlock") {
        (true, true) => return Ok(()),
        (false, true) => return Err("it ended".to_owned()),
        (true, false) => return Err("it did not end in time".to_owned()),
        (false, false) => {}
    }
    let report = String::from_utf8_lossy(&outcome.stderr);
    let Some((_, signs)) = SIGNS.iter().find(|(kind, _)| *kind == mark.kind) else {
        return Err(format!("no native sign of {} is known", mark.kind));
    };
    if let Some(sign) = signs.iter().find(|sign| !report.contains(**sign)) {
        return Err(format!("`{sign}` is not in the report:\n{}", start(&report)));
    }
    // With the program counter nowhere there is no stack to be walked.
    if mark.kind == "bad-function-pointer" {
        return Ok(());
    }
    let mut lines = lines(&report, file);
    let place = match mark.kind.as_str() {
        // The innermost frame is the one that did not fit; its caller is as good.
        "stack-overflow" => lines.find(|line| *line == mark.line),
        _ => lines.next(),
    };
    match place {
        Some(line) if line == mark.line => Ok(()),
        other => {
            let start = start(&report);
            Err(format!("the error is in line {other:?}, not in {}:\n{start}", mark.line))
        }
    }
}

/// The error that a sanitizer reports in this file.
pub fn reported(outcome: &Outcome, file: &str) -> Option<Finding> {
    let report = String::from_utf8_lossy(&outcome.stderr);
    // All signs of a wild pointer are also there when something more special is.
    let (wild, special): (Vec<_>, Vec<_>) =
        SIGNS.iter().partition(|(kind, _)| *kind == "wild-pointer");
    let mut kinds = special.into_iter().chain(wild);
    let (kind, _) = kinds.find(|(kind, _)| is_about(&report, kind))?;
    Some(Finding { line: lines(&report, file).next()?, kind: (*kind).to_owned() })
}

/// Whether a run ended at an index outside of its array, in the line of the mark.
pub fn check_index(outcome: &Outcome, file: &str, mark: &Finding) -> bool {
    let report = String::from_utf8_lossy(&outcome.stderr);
    report.contains(INDEX) && lines(&report, file).next() == Some(mark.line)
}

/// Whether a run ended with an error of this kind in this function of the file, in whatever line: what
/// happens inside a libc that checks nothing is seen where its result is used.
pub fn check_function(outcome: &Outcome, file: &str, function: &str, kind: &str) -> bool {
    let report = String::from_utf8_lossy(&outcome.stderr);
    let mut frames = report.lines().filter(|line| line.trim_start().starts_with('#'));
    let frame = frames.find(|frame| line_in(frame, file).is_some());
    is_about(&report, kind)
        && frame.is_some_and(|frame| frame.contains(&format!(" in {function} ")))
}

/// As much of a report as a person wants to read.
fn start(report: &str) -> String {
    report.lines().take(16).collect::<Vec<_>>().join("\n")
}

/// The lines of this file in a report, the innermost call first.
fn lines<'a>(report: &'a str, file: &'a str) -> impl Iterator<Item = u32> + 'a {
    let frames = report.lines().filter(|line| line.trim_start().starts_with('#'));
    frames.filter_map(move |frame| line_in(frame, file))
}

fn line_in(frame: &str, file: &str) -> Option<u32> {
    let (_, rest) = frame.split_once(&format!("/{file}:"))?;
    rest.split([':', ' ']).next()?.parse().ok()
}

/// The runtime's exit status for an input that an assumption leaves out.
const ASSUMED_AWAY: i32 = 99;

/// Whether an assumption of the program leaves out the input of a run. A program may have the status for
/// reasons of its own; the runtime also says so.
pub fn is_left_out(outcome: &Outcome) -> bool {
    let said = String::from_utf8_lossy(&outcome.stderr);
    outcome.status.and_then(|status| status.code()) == Some(ASSUMED_AWAY)
        && said.lines().last().is_some_and(|line| line.starts_with("umbra: "))
}

/// What is wrong with a run that should be clean.
pub fn check_clean(outcome: &Outcome) -> Result<(), String> {
    let report = String::from_utf8_lossy(&outcome.stderr);
    let exited = outcome.status.and_then(|status| status.code());
    match exited {
        // 98 and 99 are the runtime's: the input does not fit, or is assumed away.
        Some(98 | ASSUMED_AWAY) | None => Err(format!("exit status {exited:?}:\n{report}")),
        Some(_) if report.contains("Sanitizer") || report.contains("runtime error") => {
            Err(report.into_owned())
        }
        Some(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_in_a_function() {
        let report = "ERROR: AddressSanitizer: heap-buffer-overflow on address 0x1\nREAD of size 1\n    \
                      #0 0x1 in strtoul (/lib/libc.so.6+0x1)\n    #1 0x1 in main /tree/one.c:315:24\n    \
                      #2 0x1 in start /tree/two.c:9:1\n";
        let outcome = Outcome { status: None, stdout: Vec::new(), stderr: report.into() };
        let check = |file, function, kind| check_function(&outcome, file, function, kind);
        assert!(check("one.c", "main", "out-of-bounds-read"));
        assert!(!check("one.c", "main", "out-of-bounds-write"));
        assert!(!check("one.c", "start", "out-of-bounds-read"));
        assert!(!check("two.c", "main", "out-of-bounds-read"));
    }
}
