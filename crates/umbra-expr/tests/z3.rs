//! The `z3` command as a judge of equivalence.

use std::io::Write;
use std::process::{Command, Stdio};

/// The answers to the `check-sat` commands of a script, or nothing where there is no `z3`.
///
/// With `UMBRA_REQUIRE_Z3` set a missing `z3` is a failure.
pub fn answers(script: &str) -> Option<Vec<String>> {
    let child = Command::new("z3")
        .args(["-in", "-T:300"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => {
            assert!(std::env::var_os("UMBRA_REQUIRE_Z3").is_none(), "starting z3: {error}");
            eprintln!("skipped: starting z3: {error}");
            return None;
        }
    };
    let mut input = child.stdin.take().expect("stdin is piped");
    let text = script.to_owned();
    // On its own thread: z3 answers while it reads.
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().expect("z3 ends");
    writer.join().expect("the writer ends").expect("z3 reads its input");
    let text = String::from_utf8(output.stdout).expect("z3 answers in text");
    Some(text.lines().map(str::to_owned).collect())
}
