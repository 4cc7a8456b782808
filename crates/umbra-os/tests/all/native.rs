//! Scripts on the host's kernel.
#![allow(unsafe_code, reason = "system calls as the host's kernel answers them")]

use crate::script::{Op, Shown};
use crate::sides::{self, Mapping, Side};
use rustix::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use rustix::fs::{
    self, Access, AtFlags, FallocateFlags, FileType, Gid, Mode, OFlags, RenameFlags, SeekFrom, Uid,
};
use rustix::fs::{Timespec, Timestamps};
use rustix::io::{self, Errno};
use std::path::Path;

pub(crate) struct Native {
    root: String,
    base: OwnedFd,
    slots: Vec<Option<OwnedFd>>,
    places: [Vec<u8>; 2],
    mappings: Vec<Mapping>,
}

/// Bytes that a script's operation may pass in memory.
const ROOM: usize = 1 << 16;

impl Native {
    pub(crate) fn new(root: &Path) -> Native {
        let base = fs::open(root, OFlags::PATH | OFlags::DIRECTORY, Mode::empty()).unwrap();
        Native {
            root: root.to_str().unwrap().to_owned(),
            base,
            slots: (0..8).map(|_| None).collect(),
            places: [vec![0; ROOM], vec![0; ROOM]],
            mappings: vec![Mapping::default(); 4],
        }
    }

    pub(crate) fn run(&mut self, op: &Op) -> String {
        let result = match sides::run(self, op) {
            Some(result) => result,
            None => self.try_run(op).map_err(Errno::raw_os_error),
        };
        let text = match result {
            Ok(text) => text,
            Err(errno) => format!("errno {errno}"),
        };
        text.replace(&self.root, "@")
    }

    fn slot(&self, op: &Op, n: usize) -> Result<BorrowedFd<'_>, Errno> {
        self.slots[op.slot(n)].as_ref().map(AsFd::as_fd).ok_or(Errno::BADF)
    }

    fn try_run(&mut self, op: &Op) -> Result<String, Errno> {
        let path = |n| op.path(n, &self.root);
        let base = self.base.as_fd();
        let mode = |n| Mode::from_raw_mode(op.octal(n));
        let done = |()| "0".to_owned();
        match op.name.as_str() {
            "open" => {
                let flags = OFlags::from_bits_retain(op.flags(2) as u32);
                let file = fs::openat(base, path(1), flags, mode(3))?;
                self.slots[op.slot(0)] = Some(file);
                Ok("opened".into())
            }
            "close" => match self.slots[op.slot(0)].take() {
                Some(_) => Ok("0".into()),
                None => Err(Errno::BADF),
            },
            "read" => read(|buffer| io::read(self.slot(op, 0)?, buffer), op.number(1)),
            "pread" => read(
                |buffer| io::pread(self.slot(op, 0)?, buffer, op.number(2) as u64),
                op.number(1),
            ),
            "write" => Ok(io::write(self.slot(op, 0)?, op.word(1).as_bytes())?.to_string()),
            "pwrite" => {
                Ok(io::pwrite(self.slot(op, 0)?, op.word(1).as_bytes(), op.number(2) as u64)?
                    .to_string())
            }
            "lseek" => {
                let offset = op.number(1);
                let position = match op.word(2) {
                    "SET" => SeekFrom::Start(offset as u64),
                    "CUR" => SeekFrom::Current(offset),
                    "END" => SeekFrom::End(offset),
                    "DATA" => SeekFrom::Data(offset as u64),
                    _ => SeekFrom::Hole(offset as u64),
                };
                Ok(fs::seek(self.slot(op, 0)?, position)?.to_string())
            }
            "ftruncate" => fs::ftruncate(self.slot(op, 0)?, op.number(1) as u64).map(done),
            "fallocate" => {
                let flags = FallocateFlags::from_bits_retain(op.number(1) as u32);
                fs::fallocate(self.slot(op, 0)?, flags, op.number(2) as u64, op.number(3) as u64)
                    .map(done)
            }
            "mkdir" => fs::mkdirat(base, path(0), mode(1)).map(done),
            "rmdir" => fs::unlinkat(base, path(0), AtFlags::REMOVEDIR).map(done),
            "unlink" => fs::unlinkat(base, path(0), AtFlags::empty()).map(done),
            "link" => fs::linkat(base, path(0), base, path(1), follow(op.word(2))).map(done),
            "symlink" => fs::symlinkat(path(0), base, path(1)).map(done),
            "rename" => {
                let flags = match op.word(2) {
                    "NOREPLACE" => RenameFlags::NOREPLACE,
                    "EXCHANGE" => RenameFlags::EXCHANGE,
                    _ => RenameFlags::empty(),
                };
                fs::renameat_with(base, path(0), base, path(1), flags).map(done)
            }
            "mknod" => {
                let (kind, device) = match op.word(1) {
                    "fifo" => (FileType::Fifo, 0),
                    "sock" => (FileType::Socket, 0),
                    "chr" => (FileType::CharacterDevice, fs::makedev(1, 3)),
                    "dir" => (FileType::Directory, 0),
                    _ => (FileType::RegularFile, 0),
                };
                fs::mknodat(base, path(0), kind, mode(2), device).map(done)
            }
            "stat" => Ok(show(&fs::statat(base, path(0), AtFlags::empty())?)),
            "lstat" => Ok(show(&fs::statat(base, path(0), AtFlags::SYMLINK_NOFOLLOW)?)),
            "fstat" => Ok(show(&fs::fstat(self.slot(op, 0)?)?)),
            "access" => {
                let access = Access::from_bits_retain(op.number(1) as u32);
                fs::accessat(base, path(0), access, AtFlags::empty()).map(done)
            }
            "chmod" => fs::chmodat(base, path(0), mode(1), AtFlags::empty()).map(done),
            "fchmod" => fs::fchmod(self.slot(op, 0)?, mode(1)).map(done),
            "chown" => {
                fs::chownat(base, path(0), uid(op.number(1)), gid(op.number(2)), AtFlags::empty())
                    .map(done)
            }
            "lchown" => fs::chownat(
                base,
                path(0),
                uid(op.number(1)),
                gid(op.number(2)),
                AtFlags::SYMLINK_NOFOLLOW,
            )
            .map(done),
            "fchown" => {
                fs::fchown(self.slot(op, 0)?, uid(op.number(1)), gid(op.number(2))).map(done)
            }
            "utime" => {
                let times = Timestamps {
                    last_access: time(op.word(1)),
                    last_modification: time(op.word(2)),
                };
                fs::utimensat(base, path(0), &times, AtFlags::SYMLINK_NOFOLLOW).map(done)
            }
            "readlink" => {
                let text = fs::readlinkat(base, path(0), Vec::new())?;
                Ok(text.to_string_lossy().into_owned())
            }
            "list" => {
                let file =
                    fs::openat(base, path(0), OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty())?;
                let mut names: Vec<String> = Vec::new();
                for entry in fs::Dir::new(file)? {
                    let entry = entry?;
                    names.push(format!(
                        "{}:{:?}",
                        entry.file_name().to_string_lossy(),
                        entry.file_type()
                    ));
                }
                names.sort();
                Ok(names.join(" "))
            }
            "chdir" => {
                let new =
                    fs::openat(base, path(0), OFlags::PATH | OFlags::DIRECTORY, Mode::empty())?;
                fs::accessat(&new, ".", Access::EXEC_OK, AtFlags::EACCESS)?;
                self.base = new;
                Ok("0".into())
            }
            "dup" => {
                let copy = io::dup(self.slot(op, 0)?)?;
                self.slots[op.slot(1)] = Some(copy);
                Ok("opened".into())
            }
            "getfl" => Ok(format!("{:o}", fs::fcntl_getfl(self.slot(op, 0)?)?.bits())),
            "setfl" => {
                fs::fcntl_setfl(self.slot(op, 0)?, OFlags::from_bits_retain(op.flags(1) as u32))
                    .map(done)
            }
            "copy" => {
                let (from, to) = (self.slot(op, 0)?, self.slot(op, 1)?);
                Ok(fs::copy_file_range(from, None, to, None, op.number(2) as usize)?.to_string())
            }
            "send" | "send-apart" => {
                let (from, to) = (self.slot(op, 0)?, self.slot(op, 1)?);
                if op.name == "send-apart" && fs::fstat(from)?.st_ino == fs::fstat(to)?.st_ino {
                    return Ok("same file".into());
                }
                Ok(fs::sendfile(to, from, None, op.number(2) as usize)?.to_string())
            }
            "pipe" => {
                let (read, write) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::NONBLOCK)?;
                self.slots[op.slot(0)] = Some(read);
                self.slots[op.slot(1)] = Some(write);
                Ok("opened".into())
            }
            "fsync" => fs::fsync(self.slot(op, 0)?).map(done),
            other => panic!("unknown operation {other}"),
        }
    }
}

impl Side for Native {
    fn system_call(&mut self, number: i64, words: &[i64]) -> Result<i64, i32> {
        let word = |n: usize| words.get(n).copied().unwrap_or(0);
        // SAFETY: the operations use their own descriptors, buffers and mappings, whose addresses
        // stay theirs until the end.
        let result =
            unsafe { libc::syscall(number, word(0), word(1), word(2), word(3), word(4), word(5)) };
        match result {
            -1 => Err(std::io::Error::last_os_error().raw_os_error().unwrap()),
            result => Ok(result),
        }
    }

    fn place(&mut self, place: usize, bytes: &[u8]) -> i64 {
        self.places[place][..bytes.len()].copy_from_slice(bytes);
        self.places[place].as_ptr() as i64
    }

    fn placed(&mut self, place: usize, length: usize) -> Vec<u8> {
        // The kernel has written to it behind the compiler's back.
        std::hint::black_box(&mut self.places[place])[..length].to_vec()
    }

    fn descriptor(&self, slot: usize) -> i64 {
        self.slots[slot].as_ref().map_or(-1, |fd| fd.as_raw_fd().into())
    }

    fn set_descriptor(&mut self, slot: usize, fd: i64) {
        // SAFETY: a call has just made it, for this slot.
        self.slots[slot] = Some(unsafe { OwnedFd::from_raw_fd(fd as i32) });
    }

    fn mapping(&mut self, slot: usize) -> &mut Mapping {
        &mut self.mappings[slot]
    }

    fn unmap(&mut self, address: i64, length: i64) -> Result<i64, i32> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
        let words = [address, length, libc::PROT_NONE.into(), flags.into(), -1, 0];
        self.system_call(libc::SYS_mmap, &words)
    }
}

impl Drop for Native {
    fn drop(&mut self) {
        for mapping in std::mem::take(&mut self.mappings) {
            if mapping.length > 0 {
                self.system_call(libc::SYS_munmap, &[mapping.address, mapping.length]).unwrap();
            }
        }
    }
}

fn read(
    mut read: impl FnMut(&mut [u8]) -> Result<usize, Errno>,
    count: i64,
) -> Result<String, Errno> {
    let mut buffer = vec![0; count as usize];
    let n = read(&mut buffer)?;
    Ok(buffer[..n].escape_ascii().to_string())
}

fn follow(word: &str) -> AtFlags {
    if word == "follow" { AtFlags::SYMLINK_FOLLOW } else { AtFlags::empty() }
}

fn uid(id: i64) -> Option<Uid> {
    u32::try_from(id).ok().map(Uid::from_raw)
}

fn gid(id: i64) -> Option<Gid> {
    u32::try_from(id).ok().map(Gid::from_raw)
}

fn time(word: &str) -> Timespec {
    match word {
        "now" => Timespec { tv_sec: 0, tv_nsec: libc::UTIME_NOW },
        "omit" => Timespec { tv_sec: 0, tv_nsec: libc::UTIME_OMIT },
        _ => Timespec { tv_sec: word.parse().unwrap(), tv_nsec: 0 },
    }
}

pub(crate) fn show(stat: &fs::Stat) -> String {
    Shown {
        mode: stat.st_mode,
        nlink: stat.st_nlink,
        uid: stat.st_uid,
        gid: stat.st_gid,
        rdev: stat.st_rdev,
        size: stat.st_size as u64,
        blocks: stat.st_blocks as u64,
        blksize: stat.st_blksize as u64,
        atime: stat.st_atime,
        mtime: stat.st_mtime,
    }
    .to_string()
}
