//! C++ in a project of C.
//!
//! There is no C++ library for our libc. What needs none of it is compiled as machine code, without
//! exceptions and run-time types, and linked as assembly is: symbolic execution does not see into it.
//! What needs more is left out: its object holds a mark, and a program with such an object is a script
//! that says so and ends as a test does that was skipped. So one file of C++ does not stop the build.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::prepare::first_line;
use crate::{Error, Toolchain, files};
use std::ffi::OsString;

/// What makes do without a C++ library.
pub(super) const FLAGS: &[&str] = &["-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics"];

/// In the object of what was left out.
const MARK: &str = ".umbra_left_out";

/// One command line with C++ in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CxxJob {
    /// Clang's arguments.
    pub args: Vec<OsString>,
    /// The first source in C++.
    pub source: String,
    /// What is written.
    pub output: PathBuf,
    /// Whether that is a program.
    pub is_program: bool,
}

/// Compiles C++ as machine code. If that is not possible, the result is why, and a mark is left.
pub fn compile_cxx(toolchain: &Toolchain, job: &CxxJob) -> Result<Option<String>, Error> {
    let clang = &toolchain.tools.clang;
    let output = Command::new(clang).args(&job.args).output().map_err(Error::start(clang))?;
    if output.status.success() {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let error = text.lines().find(|line| line.contains("error:"));
    let why = error.map_or_else(|| first_line(&output.stderr), str::to_owned);
    match job.is_program {
        true => leave_out(&job.output)?,
        false => mark(toolchain, &job.output)?,
    }
    Ok(Some(why))
}

/// An object with nothing but the mark in it.
fn mark(toolchain: &Toolchain, object: &Path) -> Result<(), Error> {
    let clang = &toolchain.tools.clang;
    let text = format!("static char left_out __attribute__((used, section(\"{MARK}\")));\n");
    let mut child = Command::new(clang)
        .args(["--target=x86_64-linux-musl", "-x", "c", "-c", "-", "-o"])
        .arg(object)
        .stdin(Stdio::piped())
        .spawn()
        .map_err(Error::start(clang))?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(text.as_bytes()).map_err(Error::io("write", object))?;
    }
    let status = child.wait().map_err(Error::start(clang))?;
    match status.success() {
        true => Ok(()),
        false => Err(Error::Failed { program: clang.clone(), status, output: String::new() }),
    }
}

/// Whether an object stands for what was left out.
pub(super) fn is_left_out(path: &Path) -> bool {
    let is_object = path.extension().is_some_and(|suffix| suffix == "o");
    // The whole file is the mark: a large one is something else.
    let is_small = fs::metadata(path).is_ok_and(|metadata| metadata.len() < 4096);
    let holds = |bytes: Vec<u8>| bytes.windows(MARK.len()).any(|window| window == MARK.as_bytes());
    is_object && is_small && fs::read(path).is_ok_and(holds)
}

/// Writes a script in the place of a program: tests that end so are skipped.
pub fn leave_out(program: &Path) -> Result<(), Error> {
    let script = "#!/bin/sh\necho \"$0: left out: it needs the C++ library\" >&2\nexit 77\n";
    files::write_script(program, script.as_bytes())
}
