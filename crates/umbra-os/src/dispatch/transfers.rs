//! Descriptors and transfers.

use super::Row;
use crate::calls::{End, Position};
use crate::errno::Errno;
use crate::system::{Reply, Stop, System};
use crate::user::{self, MAX_TRANSFER};
use umbra_engine::UserMemory;

pub(super) const CALLS: &[Row] = &[
    (libc::SYS_read, |system, memory, [a, b, c, ..]| {
        system.readv(memory, a as i32, &one(b, c), Position::Current)
    }),
    (libc::SYS_write, |system, memory, [a, b, c, ..]| {
        system.writev(memory, a as i32, &one(b, c), Position::Current)
    }),
    (libc::SYS_pread64, |system, memory, [a, b, c, d, ..]| {
        system.readv(memory, a as i32, &one(b, c), Position::At(d))
    }),
    (libc::SYS_pwrite64, |system, memory, [a, b, c, d, ..]| {
        system.writev(memory, a as i32, &one(b, c), Position::At(d))
    }),
    (libc::SYS_readv, |system, memory, [a, b, c, ..]| {
        system.vectored(memory, a as i32, [b, c], Position::Current, System::readv)
    }),
    (libc::SYS_writev, |system, memory, [a, b, c, ..]| {
        system.vectored(memory, a as i32, [b, c], Position::Current, System::writev)
    }),
    (libc::SYS_preadv, |system, memory, [a, b, c, d, ..]| {
        system.vectored(memory, a as i32, [b, c], Position::At(d), System::readv)
    }),
    (libc::SYS_pwritev, |system, memory, [a, b, c, d, ..]| {
        system.vectored(memory, a as i32, [b, c], Position::At(d), System::writev)
    }),
    (libc::SYS_preadv2, |system, memory, [a, b, c, d, _, f]| {
        system.vectored(memory, a as i32, [b, c], flagged_position(d, f)?, System::readv)
    }),
    (libc::SYS_pwritev2, |system, memory, [a, b, c, d, _, f]| {
        system.vectored(memory, a as i32, [b, c], flagged_position(d, f)?, System::writev)
    }),
    (libc::SYS_lseek, |system, _, [a, b, c, ..]| system.lseek(a as i32, b as i64, c as i32)),
    (libc::SYS_close, |system, _, [a, ..]| {
        system.close_descriptor(a as i32).map(|()| 0).map_err(Stop::from)
    }),
    (libc::SYS_close_range, |system, _, [a, b, c, ..]| {
        system.close_range(a as u32, b as u32, c as u32)
    }),
    (libc::SYS_dup, |system, _, [a, ..]| system.dup(a as i32)),
    (libc::SYS_dup2, |system, _, [a, b, ..]| system.dup2(a as i32, b as i32)),
    (libc::SYS_dup3, |system, _, [a, b, c, ..]| system.dup3(a as i32, b as i32, c as i32)),
    (libc::SYS_fcntl, |system, memory, [a, b, c, ..]| system.fcntl(memory, a as i32, b as i32, c)),
    (libc::SYS_ioctl, |system, memory, [a, b, c, ..]| system.ioctl(memory, a as i32, b, c)),
    (libc::SYS_pipe, |system, memory, [a, ..]| system.pipe2(memory, a, 0)),
    (libc::SYS_pipe2, |system, memory, [a, b, ..]| system.pipe2(memory, a, b as i32)),
    (libc::SYS_poll, |system, memory, [a, b, c, ..]| {
        let timeout = u64::try_from(c as i32).ok().map(|timeout| timeout * 1_000_000);
        system.poll(memory, a, b, timeout)
    }),
    (libc::SYS_ppoll, |system, memory, [a, b, c, ..]| {
        optional_timeout(memory, c, 1).and_then(|timeout| system.poll(memory, a, b, timeout))
    }),
    (libc::SYS_select, |system, memory, [a, b, c, d, e, ..]| {
        optional_timeout(memory, e, 1000)
            .and_then(|timeout| system.select(memory, a as i32, [b, c, d], timeout))
    }),
    (libc::SYS_pselect6, |system, memory, [a, b, c, d, e, ..]| {
        optional_timeout(memory, e, 1)
            .and_then(|timeout| system.select(memory, a as i32, [b, c, d], timeout))
    }),
    (libc::SYS_sendfile, |system, memory, [a, b, c, d, ..]| {
        system.sendfile(memory, a as i32, b as i32, c, d)
    }),
    (libc::SYS_copy_file_range, |system, memory, [a, b, c, d, e, f]| {
        let from = End { fd: a as i32, offset_address: b };
        let to = End { fd: c as i32, offset_address: d };
        system.copy_file_range(memory, from, to, e, f)
    }),
    (libc::SYS_fsync, |system, _, [a, ..]| system.synchronise(a as i32)),
    (libc::SYS_fdatasync, |system, _, [a, ..]| system.synchronise(a as i32)),
    (libc::SYS_sync_file_range, |system, _, [a, b, c, d, ..]| {
        system.sync_file_range(a as i32, [b, c], d as u32)
    }),
    (libc::SYS_syncfs, |system, _, [a, ..]| system.file(a as i32).map(|_| 0).map_err(Stop::from)),
    (libc::SYS_sync, |_, _, _| Ok(0)),
    (libc::SYS_fadvise64, |system, _, [a, _, c, d, ..]| {
        system.advise(a as i32, c as i64, d as i32)
    }),
    (libc::SYS_readahead, |system, _, [a, ..]| {
        system.file(a as i32).map(|_| 0).map_err(Stop::from)
    }),
    (libc::SYS_flock, |system, _, [a, b, ..]| system.flock(a as i32, b as i32)),
    (libc::SYS_fallocate, |system, _, [a, b, c, d, ..]| {
        system.fallocate(a as i32, b as i32, c as i64, d as i64)
    }),
    (libc::SYS_ftruncate, |system, _, [a, b, ..]| system.ftruncate(a as i32, b as i64)),
];

type Transfer = fn(&mut System, &mut dyn UserMemory, i32, &[(u64, u64)], Position) -> Reply;

impl System {
    fn vectored(
        &mut self,
        memory: &mut dyn UserMemory,
        fd: i32,
        [address, count]: [u64; 2],
        position: Position,
        transfer: Transfer,
    ) -> Reply {
        self.file(fd)?;
        let buffers = user::iovec(memory, address, count & 0xffff_ffff)?;
        let is_empty = buffers.iter().all(|(_, length)| *length == 0);
        if is_empty && position == Position::Current && self.writes_empty_message(fd)? {
            return Ok(0);
        }
        transfer(self, memory, fd, &buffers, position)
    }

    fn sync_file_range(&mut self, fd: i32, [offset, length]: [u64; 2], flags: u32) -> Reply {
        let node = self.fs.node(self.file(fd)?.inode);
        let end = (offset as i64).checked_add(length as i64);
        if flags & !7 != 0 || (offset as i64) < 0 || end.is_none_or(|end| end < offset as i64) {
            return Err(Errno::EINVAL.into());
        }
        match node.type_bits() {
            libc::S_IFREG | libc::S_IFDIR | libc::S_IFBLK | libc::S_IFLNK => Ok(0),
            _ => Err(Errno::ESPIPE.into()),
        }
    }

    fn synchronise(&mut self, fd: i32) -> Reply {
        let node = self.fs.node(self.file(fd)?.inode);
        // Only what is stored can be written back.
        match node.type_bits() {
            libc::S_IFREG | libc::S_IFDIR | libc::S_IFBLK => Ok(0),
            _ => Err(Errno::EINVAL.into()),
        }
    }

    fn advise(&mut self, fd: i32, length: i64, advice: i32) -> Reply {
        let node = self.fs.node(self.file(fd)?.inode);
        if node.type_bits() == libc::S_IFIFO {
            return Err(Errno::ESPIPE.into());
        }
        if length < 0 || !(0..=5).contains(&advice) {
            return Err(Errno::EINVAL.into());
        }
        Ok(0)
    }
}

fn one(address: u64, length: u64) -> [(u64, u64); 1] {
    [(address, length.min(MAX_TRANSFER))]
}

/// Where `preadv2` and `pwritev2` transfer: -1 is the current position.
fn flagged_position(offset: u64, flags: u64) -> Result<Position, Stop> {
    if flags as u32 != 0 {
        return Err(Stop::unsupported(format!("preadv2 or pwritev2 with flags {flags:#x}")));
    }
    Ok(if offset == u64::MAX { Position::Current } else { Position::At(offset) })
}

/// A timeout in nanoseconds; its fraction counts units of `unit` nanoseconds.
fn optional_timeout(
    memory: &mut dyn UserMemory,
    address: u64,
    unit: i64,
) -> Result<Option<u64>, Stop> {
    if address == 0 {
        return Ok(None);
    }
    let (seconds, fraction) = user::timespec(memory, address)?;
    Ok(Some(user::nanoseconds_of(seconds, fraction.checked_mul(unit).ok_or(Errno::EINVAL)?)?))
}
