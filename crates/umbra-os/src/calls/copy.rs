//! Copying from descriptor to descriptor inside the kernel.

use super::io::{CHUNK, Position};
use crate::errno::Errno;
use crate::fs::inode::Data;
use crate::system::{Reply, Stop, System};
use crate::user::{self, MAX_TRANSFER};
use umbra_engine::UserMemory;

/// One end of a copy: a descriptor and where its offset is, or 0 to use its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    pub(crate) fd: i32,
    pub(crate) offset_address: u64,
}

impl System {
    /// Where an end starts. Its own offset counts as given: both ends may be one description, and
    /// then each goes on from there for itself.
    fn end_position(&self, memory: &mut dyn UserMemory, end: End) -> Result<Position, Errno> {
        if end.offset_address != 0 {
            return Ok(Position::At(user::u64_at(memory, end.offset_address)?));
        }
        let description = self.file(end.fd)?;
        match self.is_seekable(description.inode) {
            true => Ok(Position::At(description.offset)),
            false => Ok(Position::Current),
        }
    }

    pub(crate) fn copy_file_range(
        &mut self,
        memory: &mut dyn UserMemory,
        from: End,
        to: End,
        length: u64,
        flags: u64,
    ) -> Reply {
        let (source, target) = (self.file(from.fd)?, self.file(to.fd)?);
        let (source_inode, target_inode) = (source.inode, target.inode);
        let usable = source.readable() && target.writable() && target.flags & libc::O_APPEND == 0;
        let offset = |position, own| match position {
            Position::Current => own,
            Position::At(offset) => offset,
        };
        let (own_in, own_out) = (source.offset, target.offset);
        let position_in = self.end_position(memory, from)?;
        let position_out = self.end_position(memory, to)?;
        if flags != 0 {
            return Err(Errno::EINVAL.into());
        }
        let (one, two) = (self.fs.node(source_inode), self.fs.node(target_inode));
        if one.is_directory() || two.is_directory() {
            return Err(Errno::EISDIR.into());
        }
        if !one.is_regular() || !two.is_regular() {
            return Err(Errno::EINVAL.into());
        }
        if !usable {
            return Err(Errno::EBADF.into());
        }
        if one.dev != two.dev {
            return Err(Errno::EXDEV.into());
        }
        let (at_in, at_out) = (offset(position_in, own_in), offset(position_out, own_out));
        let too_far = |at: u64| {
            (at as i64) < 0 || at.checked_add(length).is_none_or(|end| end > i64::MAX as u64)
        };
        if too_far(at_in) || too_far(at_out) {
            return Err(Errno::EOVERFLOW.into());
        }
        let size = self.fs.size(source_inode)?;
        self.known_for_writing(target_inode)?;
        let length = length.min(size.saturating_sub(at_in)).min(MAX_TRANSFER);
        let overlap = at_in < at_out + length && at_out < at_in + length;
        if source_inode == target_inode && overlap {
            return Err(Errno::EINVAL.into());
        }
        let (from, to) = ((from, position_in), (to, position_out));
        let total = self.transfer(from, to, length)?;
        self.settle(memory, from, total)?;
        self.settle(memory, to, total)?;
        Ok(total as i64)
    }

    pub(crate) fn sendfile(
        &mut self,
        memory: &mut dyn UserMemory,
        to: i32,
        from: i32,
        offset: u64,
        length: u64,
    ) -> Reply {
        let (source, target) = (self.file(from)?, self.file(to)?);
        if !source.readable() || !target.writable() {
            return Err(Errno::EBADF.into());
        }
        let append = target.flags & libc::O_APPEND != 0;
        let (source, target_inode) = (source.inode, target.inode);
        if let Data::Pipe(pipe) = &self.fs.node(target_inode).data {
            if pipe.readers == 0 {
                self.signals.raise(libc::SIGPIPE);
                return Err(Errno::EPIPE.into());
            }
        } else if append || !self.is_seekable(source) {
            return Err(Errno::EINVAL.into());
        }
        if length == 0 {
            return Ok(0);
        }
        let node = self.fs.node(source);
        if !(node.is_regular() || matches!(node.data, Data::Character)) {
            return Err(Errno::EINVAL.into());
        }
        let from = End { fd: from, offset_address: offset };
        let to = End { fd: to, offset_address: 0 };
        let (position, target) = (self.end_position(memory, from)?, self.end_position(memory, to)?);
        if let Position::At(offset) = position
            && (offset as i64) < 0
        {
            return Err(Errno::EINVAL.into());
        }
        self.decide_end(memory, source, self.read_offset(from.fd, position)?, length)?;
        self.known_for_writing(target_inode)?;
        let (from, to) = ((from, position), (to, target));
        let total = self.transfer(from, to, length.min(MAX_TRANSFER))?;
        // Where both are one description the source's position stays.
        self.settle(memory, to, total)?;
        self.settle(memory, from, total)?;
        Ok(total as i64)
    }

    fn transfer(
        &mut self,
        from: (End, Position),
        to: (End, Position),
        length: u64,
    ) -> Result<u64, Stop> {
        let mut total = 0u64;
        while total < length {
            let want = (length - total).min(CHUNK) as usize;
            let at = |position| match position {
                Position::Current => Position::Current,
                Position::At(offset) => Position::At(offset + total),
            };
            let bytes = self.read_some(from.0.fd, at(from.1), want, total > 0)?;
            if bytes.is_empty() {
                break;
            }
            let written = match self.write_some(to.0.fd, at(to.1), &bytes) {
                Ok(written) => written,
                Err(Stop::Errno(_)) if total > 0 => break,
                Err(stop) => return Err(stop),
            };
            if from.1 == Position::Current {
                self.consume(from.0.fd, written as u64)?;
            }
            total += written as u64;
            if written < bytes.len() {
                break;
            }
        }
        Ok(total)
    }

    /// Puts an end's position behind what was copied.
    fn settle(
        &mut self,
        memory: &mut dyn UserMemory,
        (end, position): (End, Position),
        total: u64,
    ) -> Result<(), Errno> {
        let Position::At(offset) = position else {
            return Ok(());
        };
        if end.offset_address != 0 {
            return user::put(memory, end.offset_address, &(offset + total).to_le_bytes());
        }
        self.fds.get_mut(end.fd)?.offset = offset + total;
        Ok(())
    }
}
