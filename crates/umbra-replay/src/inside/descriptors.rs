//! The descriptors that a program starts with, and our ends of them.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use rustix::pipe::{PipeFlags, pipe_with};

use super::beneath::{Beneath, join};
use super::failure::{Doing, Failure};
use super::process;
use super::streams::Input;
use super::terminals::Terminal;
use crate::wire::Source;

/// Both sides of the descriptors of a run.
#[derive(Default)]
pub struct Descriptors {
    /// The program's number and what goes there.
    pub program: Vec<(u32, OwnedFd)>,
    /// The ends we read from, by the program's number.
    pub outputs: Vec<(u32, OwnedFd, Kind)>,
    /// The ends we write to.
    pub inputs: Vec<Input>,
}

/// What an output goes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Pipe,
    Terminal,
}

impl Descriptors {
    /// Opens what is not in the tree, before there is one: nothing of it can stand in the way, or be
    /// a link. `spare` is a folder for files without a name.
    pub fn open(
        sources: &[(u32, Source)],
        terminals: BTreeMap<u32, Terminal>,
        spare: &Path,
    ) -> Result<Self, Failure> {
        let mut descriptors = Self::default();
        for (number, Terminal { ours, theirs }) in terminals {
            descriptors.outputs.push((number, ours, Kind::Terminal));
            descriptors.program.push((number, theirs));
        }
        for (number, source) in sources {
            descriptors.add(*number, source, spare)?;
        }
        Ok(descriptors)
    }

    /// Opens what is in the tree, and what is the same as another.
    pub fn open_in_tree(
        &mut self,
        sources: &[(u32, Source)],
        base: &Beneath,
        root: &[u8],
    ) -> Result<(), Failure> {
        for (number, source) in sources {
            let what = format!("open descriptor {number}");
            let opened = match source {
                Source::File { path, offset, read, write, append } => {
                    let access = match (read, write | append) {
                        (true, true) => OFlags::RDWR,
                        (false, true) => OFlags::WRONLY,
                        (_, false) => OFlags::RDONLY,
                    };
                    let append = if *append { OFlags::APPEND } else { OFlags::empty() };
                    // A named pipe without a partner must not block us.
                    let flags = access | append | OFlags::NONBLOCK | OFlags::NOCTTY;
                    let opened = base.open(&join(root, path), flags, Mode::empty());
                    let mut file = File::from(opened.doing(&what)?);
                    clear_nonblocking(&file).doing(&what)?;
                    if *offset != 0 {
                        file.seek(SeekFrom::Start(*offset)).doing(&what)?;
                    }
                    file.into()
                }
                Source::Same(other) => {
                    let found = self.program.iter().find(|(number, _)| number == other);
                    let (_, found) = found
                        .ok_or_else(|| std::io::Error::other(format!("{other} is not open")))
                        .doing(&what)?;
                    found.try_clone().doing(what)?
                }
                _ => continue,
            };
            self.program.push((*number, opened));
        }
        Ok(())
    }

    fn add(&mut self, number: u32, source: &Source, spare: &Path) -> Result<(), Failure> {
        let what = format!("open descriptor {number}");
        if self.program.iter().any(|(open, _)| *open == number) {
            return Ok(());
        }
        let opened: OwnedFd = match source {
            // A terminal that is available is open already.
            Source::Null | Source::Terminal => {
                let null = OpenOptions::new().read(true).write(true).open("/dev/null");
                null.doing(what)?.into()
            }
            Source::Device { path, read, write } => {
                let opened = OpenOptions::new().read(*read).write(*write).open(path);
                opened.doing(format_args!("open {path} as descriptor {number}"))?.into()
            }
            Source::Input(bytes) => {
                let (theirs, ours) = pipe_with(PipeFlags::CLOEXEC).doing(&what)?;
                let mut input = Input::new(ours, bytes.to_vec()).doing(&what)?;
                // Before the program starts, so that what waits there is the same in every run.
                input.write();
                self.inputs.push(input);
                theirs
            }
            Source::Output => {
                let (ours, theirs) = pipe_with(PipeFlags::CLOEXEC).doing(what)?;
                self.outputs.push((number, ours, Kind::Pipe));
                theirs
            }
            Source::Content(bytes) => without_name(&spare.join("input"), bytes).doing(what)?.into(),
            Source::File { .. } | Source::Same(_) => return Ok(()),
        };
        self.program.push((number, opened));
        Ok(())
    }
}

/// A file with this content and no name, opened for reading only.
fn without_name(path: &Path, bytes: &[u8]) -> std::io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)?.write_all(bytes)?;
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW).open(path)?;
    fs::remove_file(path)?;
    Ok(file)
}

fn clear_nonblocking(file: &File) -> std::io::Result<()> {
    let flags = rustix::fs::fcntl_getfl(file)?;
    Ok(rustix::fs::fcntl_setfl(file, flags - rustix::fs::OFlags::NONBLOCK)?)
}

/// Puts descriptors at their numbers and closes the rest at exec. Called by the program's process
/// only, which does nothing afterwards that needs another descriptor but `keep`.
///
/// Returns the new number of `keep`, a descriptor that has to last until exec.
pub fn arrange(program: &[(u32, OwnedFd)], keep: &OwnedFd) -> std::io::Result<RawFd> {
    // First out of the way of every number that is wanted, then down.
    let highest = program.iter().map(|(number, _)| *number).max().unwrap_or(0);
    let above = RawFd::try_from(highest.max(2)).ok().and_then(|highest| highest.checked_add(1));
    // What the kernel says of a number that is beyond its limits.
    let above = above.ok_or_else(|| std::io::Error::from_raw_os_error(libc::EBADF))?;
    let mut moved = Vec::new();
    for (number, descriptor) in program {
        // No higher than `above`, which is one.
        moved.push((*number as RawFd, move_above(descriptor, above)?));
    }
    let keep = move_above(keep, above)?;
    process::close_on_exec_from(0)?;
    for (number, from) in &moved {
        process::copy_descriptor(*from, *number)?;
    }
    for number in 0..=2 {
        if !moved.iter().any(|(taken, _)| *taken == number) {
            process::close_descriptor(number);
        }
    }
    Ok(keep)
}

fn move_above(descriptor: &OwnedFd, above: RawFd) -> std::io::Result<RawFd> {
    let copy = rustix::io::fcntl_dupfd_cloexec(descriptor, above)?;
    let number = copy.as_raw_fd();
    // It has to outlive this function, until exec closes it.
    std::mem::forget(copy);
    Ok(number)
}
