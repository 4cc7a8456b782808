//! From a few C files to a program, without a build system.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::build::CHECKING;
use crate::wrapper::{Plan, Wrapper, link_program};
use crate::{Error, Toolchain};

/// A program that was built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The native static executable.
    pub exe: PathBuf,
    /// The prepared whole-program bitcode.
    pub bitcode: PathBuf,
}

/// Compiles and links `files` with the compiler flags `flags` into `out_dir`. The program
/// is named after the first file. Diagnostics of the compiler go to its own
/// standard error.
pub fn compile(
    toolchain: &Toolchain,
    files: &[PathBuf],
    flags: &[OsString],
    out_dir: &Path,
) -> Result<Program, Error> {
    let first = files.first().ok_or(Error::NothingToCompile)?;
    fs::create_dir_all(out_dir).map_err(Error::io("create", out_dir))?;
    let exe = out_dir.join(first.file_stem().unwrap_or_else(|| "program".as_ref()));
    let mut args: Vec<OsString> = vec!["-o".into(), exe.into()];
    args.extend(files.iter().map(OsString::from));
    args.extend_from_slice(flags);
    let link = match Wrapper::new(toolchain)?.plan(&args)? {
        Plan::Link(link) => link,
        Plan::Cxx(job) => return Err(Error::Cxx(job.source)),
        // A flag such as -c asked for something else than a program.
        _ => return Err(Error::NothingToCompile),
    };
    let status = link_program(toolchain, &link)?.status;
    if !status.success() {
        let program = toolchain.tools.clang.clone();
        return Err(Error::Failed { program, status, output: String::new() });
    }
    let bitcode = link.bitcode();
    if !bitcode.exists() {
        return Err(Error::NoBitcode { exe: link.exe });
    }
    Ok(Program { exe: link.exe, bitcode })
}

/// Compiles a C file with sanitizers and the system's libc, as evidence: what it is found to do wrong
/// must show itself there. Diagnostics are those of the other build, so nobody wants them again.
pub fn compile_checking(toolchain: &Toolchain, file: &Path, exe: &Path) -> Result<(), Error> {
    let program = toolchain.tools.clang.clone();
    let mut clang = Command::new(&program);
    clang.args(CHECKING).arg(file).arg("-lm").arg("-o").arg(exe);
    let output = clang.stdin(Stdio::null()).output();
    let output = output.map_err(Error::io("start", &program))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(Error::Failed {
            program,
            status: output.status,
            output: String::from_utf8_lossy(&output.stderr).into_owned(),
        }),
    }
}
