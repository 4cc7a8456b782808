//! `umbra __limited --as BYTES --cpu SECONDS -- COMMAND...`: lowers its own limits and
//! becomes the command. Not for users: tools that read foreign files are
//! started through it.

use std::ffi::OsString;
use std::process::ExitCode;

use umbra_project::exec_limited;

use crate::out::tell;

/// Runs the step. Returns only if it failed.
pub fn main(args: &[OsString]) -> ExitCode {
    let (mut address_space, mut cpu) = (None, None);
    let mut words = args.iter();
    while let Some(word) = words.next() {
        let slot = match word.to_str() {
            Some("--as") => &mut address_space,
            Some("--cpu") => &mut cpu,
            Some("--") => {
                let error = exec_limited(address_space, cpu, words.as_slice());
                tell!("{error}");
                return ExitCode::from(2);
            }
            _ => break,
        };
        match words.next().and_then(|value| value.to_str()?.parse().ok()) {
            Some(value) => *slot = Some(value),
            None => break,
        }
    }
    tell!("usage: umbra __limited --as BYTES --cpu SECONDS -- COMMAND...");
    ExitCode::from(2)
}
