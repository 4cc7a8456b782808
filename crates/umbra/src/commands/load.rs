//! `umbra __load FILE`: reads bitcode and writes it in our own binary form. Not for users: LLVM's
//! reader runs in a process of its own, since damaged files crash it.

use std::ffi::OsString;
use std::io::stdout;
use std::path::Path;
use std::process::ExitCode;
use umbra_text::Show;

use crate::out::tell;

/// Runs the step.
pub fn main(args: &[OsString]) -> ExitCode {
    let [path] = args else {
        tell!("usage: umbra __load FILE");
        return ExitCode::from(2);
    };
    match umbra_ir::load_child(Path::new(path), &mut stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tell!("writing the program of {}: {error}", Path::new(path).shown());
            ExitCode::from(2)
        }
    }
}
