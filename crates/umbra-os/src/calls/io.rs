//! Reading and writing.

use crate::bytes::{Chunk, OutputBytes};
use crate::content::MAX_BYTES;
use crate::errno::Errno;
use crate::fs::device::Device;
use crate::fs::inode::{Data, InodeId};
use crate::fs::undecided::Field;
use crate::stream::{OutputAction, OutputEvent};
use crate::system::{Reply, Stop, System};
use crate::time::Timestamp;
use crate::user;
use std::borrow::Cow;
use umbra_engine::UserMemory;

/// Bytes moved at a time: bounds what a program's length argument can make us allocate.
pub(crate) const CHUNK: u64 = 1 << 18;

/// Bytes that a pipe takes or gives as a whole.
const PIPE_BUFFER: u64 = 4096;

/// Where a transfer takes place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Position {
    /// At the description's offset, which moves.
    Current,
    /// At this offset.
    At(u64),
}

impl System {
    pub(crate) fn readv(
        &mut self,
        memory: &mut dyn UserMemory,
        fd: i32,
        buffers: &[(u64, u64)],
        position: Position,
    ) -> Reply {
        // In this order: a pipe's write end says that it cannot seek rather than that it cannot be
        // read.
        let description = self.file(fd)?;
        let inode = description.inode;
        self.check_position(inode, position)?;
        if !description.readable() {
            return Err(Errno::EBADF.into());
        }
        check_range(description.offset, position, buffers)?;
        if self.fs.node(inode).is_directory() {
            return Err(Errno::EISDIR.into());
        }
        self.check_watch(fd)?;
        match &self.fs.node(inode).data {
            // Nothing is asked of a socket for nothing.
            Data::Pair(_) if buffers.iter().all(|(_, length)| *length == 0) => return Ok(0),
            Data::Pair(_) => return self.transfer_buffers(memory, true, fd, buffers, 0),
            Data::Event(_) | Data::Timer(_) => return self.read_number(memory, fd, buffers),
            _ => {}
        }
        if self.fs.node(inode).undecided.is_some() {
            let wanted = buffers.iter().map(|(_, length)| length).sum();
            self.decide_end(memory, inode, self.read_offset(fd, position)?, wanted)?;
        }
        if buffers.len() > 1 && matches!(self.fs.node(inode).data, Data::Pipe(_)) {
            return self.scatter_pipe(memory, fd, inode, buffers);
        }
        in_parts(buffers, |address, want, total| {
            let at = advanced(position, total);
            // A second read of something that delivers what it has must not wait for more.
            let bytes = self.read_some(fd, at, want as usize, total > 0)?;
            if let Err(bad) = bytes.store(memory, address) {
                self.undelivered(inode, &bytes);
                return Err(self.bad_address(inode, total, bad.into()));
            }
            if position == Position::Current {
                self.consume(fd, bytes.len() as u64)?;
            }
            Ok(bytes.len() as u64)
        })
    }

    /// Reads from a pipe to several places: to all of them or, if one is bad, not at all.
    fn scatter_pipe(
        &mut self,
        memory: &mut dyn UserMemory,
        fd: i32,
        inode: InodeId,
        buffers: &[(u64, u64)],
    ) -> Reply {
        let wanted: u64 = buffers.iter().map(|(_, length)| length).sum();
        let bytes = self.read_some(fd, Position::Current, wanted.min(CHUNK) as usize, false)?;
        let mut done = 0;
        for &(address, length) in buffers {
            let part = bytes.slice(done, length as usize);
            if let Err(bad) = part.store(memory, address) {
                self.undelivered(inode, &bytes);
                let far = done as u64 >= PIPE_BUFFER;
                return Err(self.bad_address(inode, far.into(), bad.into()));
            }
            done += part.len();
        }
        Ok(done as i64)
    }

    /// What was read has no place in the program's memory.
    fn undelivered(&mut self, inode: InodeId, bytes: &Chunk) {
        if let Data::Pipe(pipe) = &mut self.fs.node_mut(inode).data {
            pipe.restore(bytes);
        }
    }

    /// A transfer meets a bad address. What a file or a device does with the bytes before it is
    /// known only of regular files.
    fn bad_address(&self, inode: InodeId, total: u64, bad: Stop) -> Stop {
        match &self.fs.node(inode).data {
            Data::Regular(_) => bad,
            _ if total == 0 => bad,
            _ => Stop::unsupported("a transfer with addresses of which some are bad"),
        }
    }

    /// Where the next byte would be read from.
    pub(crate) fn read_offset(&self, fd: i32, position: Position) -> Result<u64, Errno> {
        let description = self.file(fd)?;
        Ok(match (&self.fs.node(description.inode).data, position) {
            (Data::Stream(stream), _) if !stream.is_file() => stream.consumed,
            (_, Position::Current) => description.offset,
            (_, Position::At(offset)) => offset,
        })
    }

    fn check_position(&self, inode: InodeId, position: Position) -> Result<(), Errno> {
        if let Position::At(offset) = position {
            if !self.is_seekable(inode) {
                return Err(Errno::ESPIPE);
            }
            if (offset as i64) < 0 {
                return Err(Errno::EINVAL);
            }
        }
        Ok(())
    }

    /// Can this inode be read at an offset? (Devices that ignore the offset count as such.)
    pub(crate) fn is_seekable(&self, inode: InodeId) -> bool {
        match &self.fs.node(inode).data {
            Data::Regular(_) | Data::Directory(_) | Data::Block => true,
            Data::Character => Device::from_rdev(self.fs.node(inode).rdev)
                .is_some_and(|device| device != Device::Terminal),
            Data::Stream(stream) => stream.is_file(),
            _ => false,
        }
    }

    /// Reads without moving anything; `more` says that bytes were read already.
    pub(crate) fn read_some(
        &mut self,
        fd: i32,
        position: Position,
        want: usize,
        more: bool,
    ) -> Result<Chunk, Stop> {
        let description = self.file(fd)?;
        let (inode, nonblocking) = (description.inode, description.nonblocking());
        let offset = match position {
            Position::Current => description.offset,
            Position::At(offset) => offset,
        };
        let node = self.fs.node(inode);
        match &node.data {
            Data::Regular(content) => {
                let bytes = content.load(&*self.fs.lower, offset, want)?;
                self.touch_access(inode);
                Ok(bytes)
            }
            Data::Directory(_) => Err(Errno::EISDIR.into()),
            Data::Character => match Device::from_rdev(node.rdev) {
                Some(Device::Zero | Device::Full) => Ok(vec![0; want].into()),
                Some(Device::Random) => Ok(self.random_bytes(want).into()),
                _ => Ok(Chunk::default()),
            },
            Data::Pipe(pipe) => {
                if pipe.len() > 0 || pipe.writers == 0 || more {
                    // The bytes leave the pipe here; a transfer to a bad address loses them, as in
                    // Linux.
                    let Data::Pipe(pipe) = &mut self.fs.node_mut(inode).data else {
                        return Ok(Chunk::default());
                    };
                    let bytes = pipe.take(want);
                    if !bytes.is_empty() {
                        self.touch_access(inode);
                    }
                    return Ok(bytes);
                }
                if nonblocking {
                    Err(Errno::EAGAIN.into())
                } else {
                    Err(Stop::endless("reading an empty pipe"))
                }
            }
            Data::Stream(stream) => {
                if more && !stream.is_file() {
                    return Ok(Chunk::default());
                }
                let from = if stream.is_file() { offset } else { stream.consumed };
                Ok(stream.load(from, want).map_err(|_| Errno::EIO)?)
            }
            Data::Pair(_) | Data::Event(_) | Data::Timer(_) => {
                Err(Stop::unsupported("a copy from a socket or a counter"))
            }
            _ => Err(Errno::EINVAL.into()),
        }
    }

    /// Reads the number of a counter.
    fn read_number(
        &mut self,
        memory: &mut dyn UserMemory,
        fd: i32,
        buffers: &[(u64, u64)],
    ) -> Reply {
        let description = self.file(fd)?;
        let (inode, nonblocking) = (description.inode, description.nonblocking());
        let &[(address, length)] = buffers else {
            return Err(Stop::unsupported("readv of a counter"));
        };
        let bytes = self.read_counter(inode, length as usize, nonblocking)?;
        user::put(memory, address, &bytes)?;
        Ok(8)
    }

    /// Adds to a counter.
    fn write_number(
        &mut self,
        memory: &mut dyn UserMemory,
        fd: i32,
        buffers: &[(u64, u64)],
    ) -> Reply {
        let description = self.file(fd)?;
        let (inode, nonblocking) = (description.inode, description.nonblocking());
        let &[(address, length)] = buffers else {
            return Err(Stop::unsupported("writev to a counter"));
        };
        if matches!(self.fs.node(inode).data, Data::Timer(_)) || length < 8 {
            return Err(Errno::EINVAL.into());
        }
        if length > 8 {
            // An error since some version.
            return Err(Stop::unsupported("a write of more than 8 bytes to an event counter"));
        }
        let added = user::u64_at(memory, address)?;
        Ok(self.write_event(inode, added, nonblocking)? as i64)
    }

    /// Moves the position after a read.
    pub(crate) fn consume(&mut self, fd: i32, count: u64) -> Result<(), Errno> {
        let inode = self.file(fd)?.inode;
        if self.is_seekable(inode) {
            let description = self.fds.get_mut(fd)?;
            description.offset = description.offset.saturating_add(count);
        } else if let Data::Stream(_) = self.fs.node(inode).data
            && let Data::Stream(stream) = &mut self.fs.node_mut(inode).data
        {
            stream.consumed += count;
        }
        Ok(())
    }

    pub(crate) fn writev(
        &mut self,
        memory: &mut dyn UserMemory,
        fd: i32,
        buffers: &[(u64, u64)],
        position: Position,
    ) -> Reply {
        let description = self.file(fd)?;
        self.check_position(description.inode, position)?;
        if !description.writable() {
            return Err(Errno::EBADF.into());
        }
        check_range(description.offset, position, buffers)?;
        match &self.fs.node(description.inode).data {
            Data::Pair(_) => return self.transfer_buffers(memory, false, fd, buffers, 0),
            Data::Event(_) | Data::Timer(_) => return self.write_number(memory, fd, buffers),
            _ => {}
        }
        self.known_for_writing(description.inode)?;
        let inode = description.inode;
        let wanted: u64 = buffers.iter().map(|(_, length)| length).sum();
        if buffers.len() > 1 && wanted <= PIPE_BUFFER && !self.is_seekable(inode) {
            // A pipe takes so little as a whole.
            let mut whole = Chunk::default();
            for &(address, length) in buffers {
                whole.append(Chunk::load(memory, address, length as usize)?);
            }
            return Ok(self.write_some(fd, position, &whole)? as i64);
        }
        in_parts(buffers, |address, want, total| {
            let bytes = Chunk::load(memory, address, want as usize)
                .map_err(|bad| self.bad_address(inode, total, bad.into()))?;
            Ok(self.write_some(fd, advanced(position, total), &bytes)? as u64)
        })
    }

    /// Insists on knowing what a write depends on: where the end is, and set-id bits.
    pub(crate) fn known_for_writing(&self, inode: InodeId) -> Result<(), Stop> {
        let node = self.fs.node(inode);
        if node.undecided.is_some() && node.is_regular() {
            self.fs.known(inode, &[Field::Length])?;
            self.known_set_ids(inode)?;
        }
        Ok(())
    }

    /// Insists on knowing whether there are set-id bits that a change takes away.
    pub(crate) fn known_set_ids(&self, inode: InodeId) -> Result<(), Stop> {
        match self.process.credentials.is_privileged() {
            true => Ok(()),
            false => self.fs.known(inode, &[Field::Permissions]),
        }
    }

    /// Writes bytes and moves the position if it is the current one. What a write depends on must
    /// be known.
    pub(crate) fn write_some(
        &mut self,
        fd: i32,
        position: Position,
        bytes: &Chunk,
    ) -> Result<usize, Stop> {
        let description = self.file(fd)?;
        let (inode, nonblocking) = (description.inode, description.nonblocking());
        let append = description.flags & libc::O_APPEND != 0;
        let offset = match position {
            // Linux appends even if an offset is given.
            _ if append => self.fs.stat(inode).size,
            Position::Current => description.offset,
            Position::At(offset) => offset,
        };
        let node = self.fs.node(inode);
        match &node.data {
            Data::Regular(_) => {
                let n = self.write_regular(inode, offset, bytes)?;
                if position == Position::Current {
                    self.fds.get_mut(fd)?.offset = offset + n as u64;
                }
                Ok(n)
            }
            Data::Character => match Device::from_rdev(node.rdev) {
                Some(Device::Full) => Err(Errno::ENOSPC.into()),
                _ => Ok(bytes.len()),
            },
            Data::Pipe(_) => self.write_pipe(inode, bytes, nonblocking),
            Data::Stream(_) => {
                let n = self.write_stream(inode, offset, bytes)?;
                if position == Position::Current && self.is_seekable(inode) {
                    self.fds.get_mut(fd)?.offset = offset + n as u64;
                }
                Ok(n)
            }
            Data::Pair(_) | Data::Event(_) | Data::Timer(_) => {
                Err(Stop::unsupported("a copy to a socket or a counter"))
            }
            _ => Err(Errno::EINVAL.into()),
        }
    }

    fn write_regular(&mut self, inode: InodeId, offset: u64, bytes: &Chunk) -> Result<usize, Stop> {
        if bytes.is_empty() {
            return Ok(0);
        }
        if matches!(self.fs.file_system(inode).magic, crate::fs::PROC | crate::fs::SYSFS) {
            return Err(Stop::unsupported("a write to a file of /proc or /sys"));
        }
        let n = self.room_below_limits(offset, bytes.len() as u64)?;
        let bytes = bytes.prefix(n as usize);
        self.fs.edit(
            inode,
            |content| content.pages_needed(offset, n),
            |content, lower| content.store(lower, offset, &bytes),
        )?;
        self.mark_modified(inode);
        self.drop_set_ids(inode);
        Ok(bytes.len())
    }

    /// How much of a write fits below the limits on file size.
    fn room_below_limits(&mut self, offset: u64, length: u64) -> Result<u64, Stop> {
        let limit = self.process.limit(libc::RLIMIT_FSIZE).0;
        if offset >= limit {
            self.signals.raise(libc::SIGXFSZ);
            return Err(Errno::EFBIG.into());
        }
        let length = length.min(limit - offset);
        if offset.saturating_add(length) > MAX_BYTES {
            // How large a file may be is a matter of the file system.
            return Err(Stop::unsupported("a write at an offset of 16 TiB or more"));
        }
        Ok(length)
    }

    /// A change by a normal user takes the setuid and setgid bits away.
    pub(crate) fn drop_set_ids(&mut self, inode: InodeId) {
        if self.process.credentials.is_privileged() {
            return;
        }
        let mode = self.fs.node(inode).permissions;
        let mut drop = mode & libc::S_ISUID;
        if mode & 0o2010 == 0o2010 {
            drop |= libc::S_ISGID;
        }
        if drop != 0 {
            self.fs.node_mut(inode).permissions = mode & !drop;
        }
    }

    fn write_pipe(
        &mut self,
        inode: InodeId,
        bytes: &Chunk,
        nonblocking: bool,
    ) -> Result<usize, Stop> {
        let Data::Pipe(pipe) = &mut self.fs.node_mut(inode).data else {
            return Err(Errno::EINVAL.into());
        };
        if bytes.is_empty() {
            return Ok(0);
        }
        if pipe.readers == 0 {
            self.signals.raise(libc::SIGPIPE);
            return Err(Errno::EPIPE.into());
        }
        // Small writes are atomic: all or nothing.
        let fits = pipe.space() >= bytes.len();
        let atomic = bytes.len() <= 4096;
        let written = match (fits, nonblocking) {
            (true, _) => pipe.put(bytes),
            (false, true) if atomic || pipe.space() == 0 => return Err(Errno::EAGAIN.into()),
            (false, true) => pipe.put(bytes),
            (false, false) => return Err(Stop::endless("writing to a full pipe")),
        };
        self.mark_modified(inode);
        Ok(written)
    }

    fn write_stream(&mut self, inode: InodeId, offset: u64, bytes: &Chunk) -> Result<usize, Stop> {
        let Data::Stream(stream) = &self.fs.node(inode).data else {
            return Err(Errno::EINVAL.into());
        };
        if bytes.is_empty() {
            return Ok(0);
        }
        if stream.broken {
            self.signals.raise(libc::SIGPIPE);
            return Err(Errno::EPIPE.into());
        }
        let (sink, file) = (stream.sink, stream.is_file());
        let limit = self.config.output_limit;
        if sink.is_some() && self.output_bytes + bytes.len() as u64 > limit {
            return Err(Stop::unsupported(format!("more than {limit} bytes of output")));
        }
        let mut bytes = Cow::Borrowed(bytes);
        if file {
            let n = self.room_below_limits(offset, bytes.len() as u64)?;
            if (n as usize) < bytes.len() {
                bytes = Cow::Owned(bytes.slice(0, n as usize));
            }
            self.mark_modified(inode);
            if let Data::Stream(stream) = &mut self.fs.node_mut(inode).data {
                stream.size = stream.size.max(offset + n);
            }
        }
        if let Some(sink) = sink {
            let offset = file.then_some(offset);
            self.emit(OutputEvent {
                sink,
                action: OutputAction::Write { offset, bytes: OutputBytes::from(&*bytes) },
            });
        }
        Ok(bytes.len())
    }

    pub(crate) fn mark_modified(&mut self, inode: InodeId) {
        let now = self.clock.now();
        let node = self.fs.node(inode);
        // Not written when nothing changes: a write would copy the inode of a forked state.
        let symbolic = node.has_undecided(&Field::MTIME) || node.has_undecided(&Field::CTIME);
        if symbolic || node.mtime != now || node.ctime != now {
            self.fs.node_mut(inode).set_modified(now);
        }
    }

    /// Moves the access time by the rule of `relatime`, which is how file systems are mounted
    /// today.
    pub(crate) fn touch_access(&mut self, inode: InodeId) {
        let now = self.clock.now();
        let flags = self.fs.file_system(inode).flags as u64;
        if flags & (libc::ST_RDONLY | libc::ST_NOATIME) != 0 {
            return;
        }
        let node = self.fs.node(inode);
        if [Field::ATIME, Field::MTIME, Field::CTIME].iter().any(|time| node.has_undecided(time)) {
            if !self.accessed.contains(&inode) {
                self.accessed.push(inode);
            }
            return;
        }
        let day = Timestamp::new(node.atime.seconds.saturating_add(86_400), node.atime.nanoseconds);
        let stale = node.atime <= node.mtime || node.atime <= node.ctime || day <= now;
        if stale && node.atime != now {
            self.fs.node_mut(inode).atime = now;
        }
    }

    /// Deterministic random bytes: splitmix64, written out, since they must stay the same from version to version
    /// of whatever we depend on.
    pub(crate) fn random_bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(count + 8);
        while bytes.len() < count {
            self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut word = self.random;
            word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            bytes.extend_from_slice(&(word ^ (word >> 31)).to_le_bytes());
        }
        bytes.truncate(count);
        bytes
    }

    pub(crate) fn getrandom(
        &mut self,
        memory: &mut dyn UserMemory,
        buffer: u64,
        count: u64,
        flags: u32,
    ) -> Reply {
        let sources = libc::GRND_RANDOM | libc::GRND_INSECURE;
        if flags & !(sources | libc::GRND_NONBLOCK) != 0 || flags & sources == sources {
            return Err(Errno::EINVAL.into());
        }
        let count = count.min(1 << 20);
        let bytes = self.random_bytes(count as usize);
        user::put(memory, buffer, &bytes)?;
        Ok(count as i64)
    }
}

/// Does a transfer part by part, until one comes up short. A part gets an address, a length and how
/// much was moved before it; an error after the first one is the next call's.
fn in_parts(
    buffers: &[(u64, u64)],
    mut part: impl FnMut(u64, u64, u64) -> Result<u64, Stop>,
) -> Reply {
    let mut total = 0;
    for &(address, length) in buffers {
        let mut done = 0;
        while done < length {
            let want = (length - done).min(CHUNK);
            match part(address.wrapping_add(done), want, total) {
                Ok(moved) => {
                    total += moved;
                    done += moved;
                    if moved < want {
                        return Ok(total as i64);
                    }
                }
                Err(Stop::Errno(_)) if total > 0 => return Ok(total as i64),
                Err(stop) => return Err(stop),
            }
        }
    }
    Ok(total as i64)
}

/// `rw_verify_area` of Linux: a transfer must not run over the largest offset there is.
fn check_range(current: u64, position: Position, buffers: &[(u64, u64)]) -> Result<(), Errno> {
    let offset = match position {
        Position::Current => current,
        Position::At(offset) => offset,
    };
    let length: u64 = buffers.iter().map(|(_, length)| length).sum();
    match offset.checked_add(length) {
        Some(end) if end <= i64::MAX as u64 => Ok(()),
        _ => Err(Errno::EINVAL),
    }
}

fn advanced(position: Position, by: u64) -> Position {
    match position {
        Position::Current => Position::Current,
        Position::At(offset) => Position::At(offset.saturating_add(by)),
    }
}
