//! The tracer of a recorded program.
//!
//! The shim in a recorded program (see `umbra-shim`) starts the binary of this crate, two forks away,
//! which traces the program and writes down what it started from and which files it touched, as a
//! [`raw::Recording`]. The same binary also runs the recorded command, as a parent for what that
//! leaves behind.
//!
//! The library is shared with `umbra-record`, which reads the recordings and makes test cases of them.
//!
//! **Invariant:** whatever fails here, the program runs. What was not recorded is written down
//! with its reason.
//!
//! **Invariant:** values of environment variables that are neither on the allow-list nor `PATH` are
//! never written.

pub mod family;
pub mod filter;
pub mod journal;
pub mod presence;
pub mod raw;
pub mod settings;

mod shared;
mod supervise;
mod system;
mod trace;

use std::ffi::{OsStr, c_int};
use std::path::Path;

/// What the binary does with its arguments: `trace RUN PROCESS DESCRIPTOR`, as the shim calls it, or
/// `supervise LIFELINE COMMAND...`. Returns the exit status.
pub fn main(words: &[&OsStr]) -> c_int {
    let number = |word: &OsStr| word.to_str().and_then(|word| word.parse().ok());
    match words {
        [_, role, run, process, notify] if *role == "trace" => {
            match (number(process), number(notify)) {
                (Some(process), Some(notify)) => trace::main(Path::new(run), process, notify),
                _ => misused(),
            }
        }
        [_, role, lifeline, command @ ..] if *role == "supervise" => match number(lifeline) {
            Some(lifeline) => supervise::main(lifeline, command),
            None => misused(),
        },
        _ => misused(),
    }
}

fn misused() -> c_int {
    system::write(2, b"umbra-tracer: this program is used by `umbra record` only\n");
    2
}
