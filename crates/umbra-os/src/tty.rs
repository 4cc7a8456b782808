//! Terminals and the other `ioctl`s.

use crate::calls::Position;
use crate::errno::Errno;
use crate::fs::EXT4;
use crate::fs::device::Device;
use crate::fs::inode::Data;
use crate::fs::undecided::Field;
use crate::stream::StreamKind;
use crate::system::{Reply, Stop, System};
use crate::user;
use umbra_engine::UserMemory;

/// Bytes of the kernel's `struct termios`.
const TERMIOS: usize = 36;

const FICLONE: u64 = 0x4004_9409;
const FICLONERANGE: u64 = 0x4020_940d;
const FS_IOC_GETFLAGS: u64 = 0x8008_6601;
const FIBMAP: u64 = 1;
const FIGETBSZ: u64 = 2;
const FIOQSIZE: u64 = 0x5460;
const EXTENTS_FL: u32 = 0x0008_0000;

/// The settings of the one terminal there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Terminal {
    termios: [u8; TERMIOS],
    size: Option<(u16, u16)>,
}

impl Default for Terminal {
    /// What a terminal has after login: the `INIT_C_CC` and flags of the kernel.
    fn default() -> Terminal {
        let mut termios = [0; TERMIOS];
        for (n, word) in [0x4500u32, 0x0005, 0x00bf, 0x8a3b].into_iter().enumerate() {
            termios[n * 4..n * 4 + 4].copy_from_slice(&word.to_le_bytes());
        }
        let characters = [3, 28, 127, 21, 4, 0, 1, 0, 17, 19, 26, 0, 18, 15, 23, 22];
        termios[17..17 + characters.len()].copy_from_slice(&characters);
        Terminal { termios, size: None }
    }
}

impl System {
    /// Rows and columns, if the descriptor is a terminal.
    fn terminal_size(&self, fd: i32) -> Result<Option<(u16, u16)>, Errno> {
        let node = self.fs.node(self.file(fd)?.inode);
        let size = match &node.data {
            Data::Stream(stream) => match stream.kind {
                StreamKind::Terminal { rows, columns } => Some((rows, columns)),
                _ => None,
            },
            Data::Character if Device::from_rdev(node.rdev) == Some(Device::Terminal) => {
                Some((24, 80))
            }
            _ => None,
        };
        Ok(size.map(|size| self.terminal.size.unwrap_or(size)))
    }

    pub(crate) fn ioctl(
        &mut self,
        memory: &mut dyn UserMemory,
        fd: i32,
        request: u64,
        argument: u64,
    ) -> Reply {
        let request = request & 0xffff_ffff;
        let terminal = self.terminal_size(fd)?;
        match request {
            libc::FIOCLEX => {
                self.fds.set_close_on_exec(fd, true)?;
                return Ok(0);
            }
            libc::FIONCLEX => {
                self.fds.set_close_on_exec(fd, false)?;
                return Ok(0);
            }
            libc::FIONBIO => {
                let on = user::u32_at(memory, argument)? != 0;
                let flags = &mut self.fds.get_mut(fd)?.flags;
                *flags = if on { *flags | libc::O_NONBLOCK } else { *flags & !libc::O_NONBLOCK };
                return Ok(0);
            }
            libc::FIONREAD => return self.bytes_waiting(memory, fd, argument),
            FICLONE | FICLONERANGE => return self.clone_file(fd, argument as i32),
            FS_IOC_GETFLAGS => return self.inode_flags(memory, fd, argument),
            FIGETBSZ => {
                let size = self.fs.node(self.file(fd)?.inode).blksize as u32;
                user::put(memory, argument, &size.to_le_bytes())?;
                return Ok(0);
            }
            libc::FIOASYNC if user::u32_at(memory, argument)? == 0 => return Ok(0),
            FIBMAP | FIOQSIZE | libc::FIOASYNC => {
                return Err(Stop::unsupported(format!("ioctl {request:#x}")));
            }
            // What sockets know of the network and of their owners.
            libc::TIOCOUTQ | 0x8900..=0x89ff if self.is_socket(fd)? => {
                return Err(Stop::unsupported(format!("ioctl {request:#x} on a socket")));
            }
            _ => {}
        }
        let Some((rows, columns)) = terminal else {
            return Err(Errno::ENOTTY.into());
        };
        self.terminal_request(memory, request, argument, rows, columns)
    }

    fn terminal_request(
        &mut self,
        memory: &mut dyn UserMemory,
        request: u64,
        argument: u64,
        rows: u16,
        columns: u16,
    ) -> Reply {
        match request {
            libc::TCGETS => user::put(memory, argument, &self.terminal.termios)?,
            libc::TCSETS | libc::TCSETSW | libc::TCSETSF => {
                self.terminal.termios = user::array(memory, argument)?;
            }
            libc::TIOCGWINSZ => {
                let mut bytes = [0; 8];
                bytes[..2].copy_from_slice(&rows.to_le_bytes());
                bytes[2..4].copy_from_slice(&columns.to_le_bytes());
                user::put(memory, argument, &bytes)?;
            }
            libc::TIOCSWINSZ => {
                let bytes: [u8; 8] = user::array(memory, argument)?;
                let word = |n: usize| u16::from_le_bytes([bytes[n], bytes[n + 1]]);
                self.terminal.size = Some((word(0), word(2)));
            }
            libc::TIOCGPGRP => user::put(memory, argument, &self.process.pgid.to_le_bytes())?,
            libc::TIOCGSID => user::put(memory, argument, &self.process.sid.to_le_bytes())?,
            libc::TIOCSPGRP | libc::TCFLSH | libc::TCXONC | libc::TCSBRK => {}
            _ => return Err(Stop::unsupported(format!("ioctl {request:#x} on a terminal"))),
        }
        Ok(0)
    }

    fn is_socket(&self, fd: i32) -> Result<bool, Errno> {
        let node = self.fs.node(self.file(fd)?.inode);
        Ok(matches!(node.data, Data::Socket | Data::Pair(_)))
    }

    fn bytes_waiting(&mut self, memory: &mut dyn UserMemory, fd: i32, argument: u64) -> Reply {
        let description = self.file(fd)?;
        self.fs.known(description.inode, &[Field::Length])?;
        let waiting = match &self.fs.node(description.inode).data {
            Data::Regular(content) => content.size().saturating_sub(description.offset),
            Data::Pipe(pipe) => pipe.len() as u64,
            Data::Pair(pair) => pair.waiting() as u64,
            Data::Stream(stream) => stream.waiting(self.read_offset(fd, Position::Current)?),
            _ => return Err(Errno::ENOTTY.into()),
        };
        let waiting = i32::try_from(waiting).unwrap_or(i32::MAX);
        user::put(memory, argument, &waiting.to_le_bytes())?;
        Ok(0)
    }

    /// `FICLONE`: no file system that is modelled shares extents, so only the error is of interest.
    fn clone_file(&mut self, to: i32, from: i32) -> Reply {
        let (target, source) = (self.file(to)?, self.file(from)?);
        let (one, two) = (self.fs.node(target.inode), self.fs.node(source.inode));
        if one.dev != two.dev {
            return Err(Errno::EXDEV.into());
        }
        if one.is_directory() || two.is_directory() {
            return Err(Errno::EISDIR.into());
        }
        if !one.is_regular() || !two.is_regular() {
            return Err(Errno::EINVAL.into());
        }
        if !source.readable() || !target.writable() || target.flags & libc::O_APPEND != 0 {
            return Err(Errno::EBADF.into());
        }
        Err(Errno::EOPNOTSUPP.into())
    }

    fn inode_flags(&mut self, memory: &mut dyn UserMemory, fd: i32, argument: u64) -> Reply {
        let inode = self.file(fd)?.inode;
        let node = self.fs.node(inode);
        if self.fs.file_system(inode).magic != EXT4 || !(node.is_regular() || node.is_directory()) {
            return Err(Errno::ENOTTY.into());
        }
        user::put(memory, argument, &EXTENTS_FL.to_le_bytes())?;
        Ok(0)
    }
}
