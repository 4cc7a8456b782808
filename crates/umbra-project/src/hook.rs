//! A program whose calls of some functions go through hooks: what `--from FUNCTION` runs.
//!
//! It is made from the prepared module of a program that was linked before, so nothing is built again:
//! hooks are put into the functions, their code (`libc/call/call.c`) is linked behind it, and from this
//! module comes the native executable, with counters, as `umbra cc` makes its own. So what is analysed
//! and what runs natively are one module here, too.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::prepare::{beside, first_line};
use crate::wrapper::{Plan, Wrapper, relink};
use crate::{Error, Program, Toolchain};

/// The code of the hooks.
const CALL: &str = include_str!("../libc/call/call.c");

/// The program of a prepared module with its calls of some functions hooked, under this name in a folder. Of several functions
/// those that take no bytes are left out.
/// The executable is missing where the program has machine code of its own, which the module has not.
pub fn hook(
    toolchain: &Toolchain,
    bitcode: &Path,
    functions: &[String],
    exe: &Path,
) -> Result<(Program, Option<Error>), Error> {
    let umbra = toolchain.umbra.as_ref().ok_or(Error::Uncounted)?;
    if let Some(folder) = exe.parent() {
        fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
    }
    let wrapper = Wrapper::new(toolchain)?;
    let code = beside(exe, ".call.o");
    compile_hooks(toolchain, &wrapper, &code)?;
    let hooked = beside(exe, ".hooked.bc");
    let mut step = Command::new(umbra);
    step.arg("__hook").arg(bitcode).arg(&hooked).args(functions);
    run(&mut step).map_err(|error| Error::Hook(error_text(error)))?;
    let whole = beside(exe, ".bc");
    let link = &toolchain.tools.link;
    run(Command::new(link).args([&hooked, &code]).arg("-o").arg(&whole))?;
    for done in [&hooked, &code] {
        fs::remove_file(done).map_err(Error::io("remove", done))?;
    }
    let native = relink(toolchain, &whole, exe, wrapper.rest_of_nothing());
    Ok((Program { exe: exe.to_owned(), bitcode: whole }, native.err()))
}

/// Compiles the code of the hooks. By the name of its file it is code of the libc, in which different
/// ways are no divergence.
fn compile_hooks(toolchain: &Toolchain, wrapper: &Wrapper, output: &Path) -> Result<(), Error> {
    let source = beside(output, ".c");
    fs::write(&source, CALL).map_err(Error::io("write", &source))?;
    let args: [OsString; 4] = ["-c".into(), source.clone().into(), "-o".into(), output.into()];
    let Plan::Exec(mut args) = wrapper.plan(&args)? else { return Err(Error::NothingToCompile) };
    args.extend(["-ffreestanding", "-fno-builtin"].map(OsString::from));
    let mut map = OsString::from("-ffile-prefix-map=");
    map.push(&source);
    map.push("=musl/src/umbra/call.c");
    args.extend([map, "-fdebug-compilation-dir=.".into()]);
    let compiled = run(Command::new(&toolchain.tools.clang).args(args));
    // Temporary; the result decides.
    let _ = fs::remove_file(&source);
    compiled
}

fn run(command: &mut Command) -> Result<(), Error> {
    let program = PathBuf::from(command.get_program());
    let output = command.output().map_err(Error::start(&program))?;
    match output.status.success() {
        true => Ok(()),
        false => {
            let output_text = first_line(&output.stderr);
            Err(Error::Failed { program, status: output.status, output: output_text })
        }
    }
}

/// What a step of our own said.
fn error_text(error: Error) -> String {
    match error {
        Error::Failed { output, .. } if !output.is_empty() => {
            output.trim_start_matches("umbra: ").to_owned()
        }
        other => other.to_string(),
    }
}
