//! `umbra __hook INPUT OUTPUT FUNCTION...`: hooks the calls of functions in bitcode. Not for users: a step
//! of `--from`, in a process of its own since LLVM ends it when something goes wrong.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use crate::out::tell;

/// Runs the step.
pub fn main(args: &[OsString]) -> ExitCode {
    let [input, output, functions @ ..] = args else {
        tell!("usage: umbra __hook INPUT OUTPUT FUNCTION...");
        return ExitCode::from(2);
    };
    let functions: Vec<String> =
        functions.iter().map(|name| name.to_string_lossy().into_owned()).collect();
    match umbra_ir::hook_calls(Path::new(input), Path::new(output), &functions) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tell!("{error}");
            ExitCode::from(2)
        }
    }
}
