//! All that the command prints.
//!
//! Standard output is the result: what cannot be written there is an error, except that a reader who has
//! gone has had enough, which ends the command quietly. Standard error is for messages; whoever closed it
//! wants none. Both go through [`Clean`], so that no control character of somebody else reaches a
//! terminal; names are [shown](umbra_text::Show) before, so that none passes for a line of ours.
//!
//! What a program under test prints is not text of ours and goes its own way (`host.rs`).
#![allow(clippy::disallowed_methods, reason = "the one place that writes")]

use std::fmt::{self, Write as _};
use std::io::{self, Write};
use std::process::ExitCode;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use umbra_report::{Colour, FailureReport};
use umbra_text::{Clean, Colours};

/// Prints a line to standard output: `say!("{} cases", count)?`.
macro_rules! say {
    ($($text:tt)*) => { $crate::out::line(::std::format_args!($($text)*)) };
}

/// Prints a message to standard error, behind the name of the command.
macro_rules! tell {
    ($($text:tt)*) => { $crate::out::message("umbra", ::std::format_args!($($text)*)) };
}

pub(crate) use {say, tell};

/// Standard output did not take the result.
#[derive(Debug)]
pub struct WriteError(io::Error);

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cannot write to standard output")
    }
}

impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

impl WriteError {
    /// Whether the reader has gone.
    fn is_closed_pipe(&self) -> bool {
        self.0.kind() == io::ErrorKind::BrokenPipe
    }
}

/// Prints a line to standard output.
pub fn line(text: fmt::Arguments<'_>) -> Result<(), WriteError> {
    write(&mut io::stdout().lock(), &format!("{}\n", cleaned(text, Colours::None)))
}

/// Prints a text of several lines to standard output, in the colours that it has.
pub fn page(text: fmt::Arguments<'_>, colour: Colour) -> Result<(), WriteError> {
    let colours = match colour {
        Colour::Ansi => Colours::Kept,
        Colour::Plain => Colours::None,
    };
    write(&mut io::stdout().lock(), &cleaned(text, colours))
}

/// Prints the object of `--json` to standard output, as one line.
pub fn json_line(text: &str) -> Result<(), WriteError> {
    write(&mut io::stdout().lock(), &(umbra_text::json(text.trim_end()) + "\n"))
}

/// Prints the last words; not if nobody takes them.
pub fn last_words(text: &str) {
    let stdout = io::stdout();
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        // The lock of the stream may be held by who waits for the same reader.
        let mut ready = [PollFd::new(&stdout, PollFlags::OUT)];
        let soon = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
        if !matches!(poll(&mut ready, Some(&soon)), Ok(1)) {
            return;
        }
        match rustix::io::write(&stdout, &rest[..rest.len().min(4096)]) {
            Ok(written) => rest = &rest[written..],
            Err(_) => return,
        }
    }
}

/// Prints a message to standard error, behind a name.
pub fn message(name: &str, text: fmt::Arguments<'_>) {
    let text = cleaned(text, Colours::None);
    // There is no other place to say it.
    let _ = write(&mut io::stderr().lock(), &format!("{name}: {}\n", text.trim_end_matches('\n')));
}

/// Writes over the line that somebody watches; an empty text removes it.
pub fn watched_line(text: &str) {
    let text = cleaned(format_args!("{text}"), Colours::None).replace(['\n', '\t'], " ");
    let _ = write(&mut io::stderr().lock(), &format!("\r\x1b[K{text}"));
}

/// Prints what is wrong with the command line.
pub fn complaint(text: &str) {
    let text = cleaned(format_args!("{text}"), Colours::None);
    let _ = write(&mut io::stderr().lock(), &text);
}

/// How a command ends that has failed: a reader who has gone is no failure.
pub fn failed(name: &str, error: &anyhow::Error, status: u8) -> ExitCode {
    if error.downcast_ref().is_some_and(WriteError::is_closed_pipe) {
        return ExitCode::SUCCESS;
    }
    // An error names what others named. Should there be the end of a line in it, what follows does not
    // stand where our own lines begin.
    let text = match error.downcast_ref() {
        // It has lines of its own, with what others say indented.
        Some(umbra_project::Error::Build(_)) => with_causes(error),
        _ => with_causes(error).replace('\n', "\n    "),
    };
    message(name, format_args!("{text}"));
    ExitCode::from(status)
}

/// An error and its causes, but for those that it names itself.
fn with_causes(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if !text.contains(&cause) {
            let between = if text.is_empty() { "" } else { ": " };
            text = text + between + &cause;
        }
    }
    text
}

/// The object of `--json` for a command that has failed, where it was not the writing of one that did.
pub fn failure_object(command: &str, error: &anyhow::Error, status: u8) -> Result<(), WriteError> {
    if error.is::<WriteError>() {
        return Ok(());
    }
    let (command, error) = (command.to_owned(), with_causes(error));
    json_line(&FailureReport { command, exit: status, error }.to_json())
}

fn cleaned(text: fmt::Arguments<'_>, colours: Colours) -> String {
    let mut clean = Clean::new(String::new(), colours);
    // A string takes everything; only a `Display` that gives up could fail.
    let _ = clean.write_fmt(text);
    clean.into_inner()
}

fn write(out: &mut impl Write, text: &str) -> Result<(), WriteError> {
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(WriteError)
}
