//! Terminals that a program has as descriptors: pseudo-terminals whose other end is ours.
//!
//! They are what the engine's model is (`umbra-os`, `tty.rs`): 24 rows of 80 columns, the settings
//! after login, one terminal for each descriptor so that output and error output can be told apart,
//! and the first of them is the controlling terminal. Nothing can be read from one but the end of
//! the input.
//!
//! In namespaces they come from a `devpts` of the keeper, which the program does not see: the numbers
//! in its names are the same in every run. Under Landlock they are the host's, and `/dev/tty`, which
//! would be the first of them, is refused as all devices of the host are.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::pty::{OpenptFlags, ioctl_tiocgptpeer, unlockpt};
use rustix::termios::{InputModes, OptionalActions, Winsize, tcgetattr, tcsetattr, tcsetwinsize};

use crate::Confinement;
use crate::wire::Source;
use umbra_compare::Note;

/// Where the keeper has its own `devpts`, in namespaces.
pub const FOLDER: &str = "pts";

/// How often the end of the input can be read. It is a character that ends one reading, so there is
/// no terminal that has ended for good; a program that reads on waits until its time is up.
const ENDS: usize = 1000;

/// The character that ends the input.
const END: u8 = 4;

/// One terminal.
pub struct Terminal {
    /// The end that shows what the program writes.
    pub ours: OwnedFd,
    /// The program's end.
    pub theirs: OwnedFd,
}

/// Opens the terminals of a run, by the numbers of their descriptors. One that is not available has a
/// note, and is the null device then.
pub fn open_all(
    sources: &[(u32, Source)],
    confinement: Confinement,
    notes: &mut Vec<Note>,
) -> BTreeMap<u32, Terminal> {
    let device = match confinement {
        Confinement::Namespaces => Path::new("/").join(FOLDER).join("ptmx"),
        Confinement::Landlock => "/dev/ptmx".into(),
    };
    let mut terminals = BTreeMap::new();
    for (number, _) in sources.iter().filter(|(_, source)| matches!(source, Source::Terminal)) {
        match open(&device) {
            Ok(terminal) => drop(terminals.insert(*number, terminal)),
            Err(_) => notes.push(Note::Descriptor { number: *number }),
        }
    }
    terminals
}

fn open(device: &Path) -> io::Result<Terminal> {
    // Nobody's controlling terminal, until the program makes it its own.
    let mut ours =
        OpenOptions::new().read(true).write(true).custom_flags(libc::O_NOCTTY).open(device)?;
    unlockpt(&ours)?;
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let theirs = ioctl_tiocgptpeer(&ours, flags)?;
    tcsetwinsize(&theirs, Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 })?;
    let mut settings = tcgetattr(&theirs)?;
    settings.input_modes |= InputModes::IUTF8;
    tcsetattr(&theirs, OptionalActions::Now, &settings)?;
    ours.write_all(&[END; ENDS])?;
    Ok(Terminal { ours: ours.into(), theirs })
}

/// What the program has written, from what the terminal shows: a return before every end of line is
/// the terminal's own (`ONLCR`). Of a program that has turned this off, its own ones are lost.
pub fn written(shown: &[u8]) -> Vec<u8> {
    let mut written = Vec::with_capacity(shown.len());
    for byte in shown {
        if *byte == b'\n' && written.last() == Some(&b'\r') {
            written.pop();
        }
        written.push(*byte);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_return_before_an_end_of_line_is_the_terminals() {
        for (shown, expected) in [
            ("a\r\nb\r\n", "a\nb\n"),
            ("a\r\r\n", "a\r\n"),
            ("\r\n\r\n", "\n\n"),
            ("a\rb", "a\rb"),
            ("a\n", "a\n"),
            ("", ""),
        ] {
            assert_eq!(written(shown.as_bytes()), expected.as_bytes());
        }
    }
}
