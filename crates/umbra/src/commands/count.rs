//! `umbra __count INPUT OUTPUT`: adds block counters to bitcode. Not for users: a step of `umbra cc`,
//! in a process of its own since LLVM ends it when something goes wrong.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use crate::out::tell;

/// Runs the step.
pub fn main(args: &[OsString]) -> ExitCode {
    let [input, output] = args else {
        tell!("usage: umbra __count INPUT OUTPUT");
        return ExitCode::from(2);
    };
    match umbra_ir::count_blocks(Path::new(input), Path::new(output)) {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            tell!("{error}");
            ExitCode::from(2)
        }
    }
}
