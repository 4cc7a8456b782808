//! Memory mappings. The objects themselves are the machine's; here are only their rules.

use crate::bytes::Chunk;
use crate::errno::Errno;
use crate::fs::inode::Data;
use crate::fs::undecided::Field;
use crate::system::{Reply, System};
use std::sync::Arc;
use umbra_engine::UserMemory;

const PAGE: u64 = 4096;
/// More than any program gets: refuses lengths before they are rounded or allocated.
const MAX_LENGTH: u64 = 1 << 46;
/// The constant that `brk` answers: it never moves, so allocators fall back to `mmap`.
const BREAK: i64 = 0x1000_0000;
const CHUNK: u64 = 1 << 16;

impl System {
    pub(crate) fn brk(&mut self) -> Reply {
        Ok(BREAK)
    }

    pub(crate) fn mmap(&mut self, memory: &mut dyn UserMemory, arguments: [u64; 6]) -> Reply {
        let [_, length, protection, flags, fd, offset] = arguments;
        let (protection, flags, fd) = (protection as i32, flags as i32, fd as i32);
        if length == 0 || offset % PAGE != 0 {
            return Err(Errno::EINVAL.into());
        }
        if length > MAX_LENGTH {
            return Err(Errno::ENOMEM.into());
        }
        if flags & (libc::MAP_FIXED | libc::MAP_FIXED_NOREPLACE) != 0 {
            self.note("at a fixed address");
            return Err(Errno::ENOMEM.into());
        }
        let kind = flags & libc::MAP_TYPE;
        if !matches!(kind, libc::MAP_PRIVATE | libc::MAP_SHARED | libc::MAP_SHARED_VALIDATE) {
            return Err(Errno::EINVAL.into());
        }
        let length = length.next_multiple_of(PAGE);
        if flags & libc::MAP_ANONYMOUS == 0 {
            return self.map_file(
                memory,
                length,
                protection,
                kind != libc::MAP_PRIVATE,
                fd,
                offset,
            );
        }
        self.new_mapping(memory, length)
    }

    fn new_mapping(&mut self, memory: &mut dyn UserMemory, length: u64) -> Reply {
        let address = memory.map(length).ok_or(Errno::ENOMEM)?;
        Arc::make_mut(&mut self.mappings).insert(address, length);
        Ok(address as i64)
    }

    fn map_file(
        &mut self,
        memory: &mut dyn UserMemory,
        length: u64,
        protection: i32,
        shared: bool,
        fd: i32,
        offset: u64,
    ) -> Reply {
        let description = self.file(fd)?;
        let (inode, writable) = (description.inode, description.writable());
        if !description.readable() {
            return Err(Errno::EACCES.into());
        }
        if shared && protection & libc::PROT_WRITE != 0 {
            if !writable {
                return Err(Errno::EACCES.into());
            }
            // Stores would have to find their way back into the file.
            self.note("of a file, shared and writable");
            return Err(Errno::ENODEV.into());
        }
        let Data::Regular(content) = &self.fs.node(inode).data else {
            return Err(Errno::ENODEV.into());
        };
        self.fs.known(inode, &[Field::Length])?;
        let content = content.clone();
        let address = self.new_mapping(memory, length)? as u64;
        let mut done = 0;
        while done < length {
            let want = (length - done).min(CHUNK) as usize;
            let bytes = content.load(&*self.fs.lower, offset.saturating_add(done), want)?;
            if bytes.is_empty() {
                break;
            }
            bytes.store(memory, address + done)?;
            done += bytes.len() as u64;
        }
        self.touch_access(inode);
        Ok(address as i64)
    }

    pub(crate) fn munmap(
        &mut self,
        memory: &mut dyn UserMemory,
        address: u64,
        length: u64,
    ) -> Reply {
        if !address.is_multiple_of(PAGE) || length == 0 || length > MAX_LENGTH {
            return Err(Errno::EINVAL.into());
        }
        let length = length.next_multiple_of(PAGE);
        let end = address.saturating_add(length);
        // What was never mapped is not an error; what lies inside the range goes, whole or in part.
        let hit: Vec<(u64, u64)> = self
            .mappings
            .range(..end)
            .filter(|(start, size)| **start + **size > address)
            .map(|(start, size)| (*start, *size))
            .collect();
        for (start, size) in hit {
            let (from, to) = (start.max(address), (start + size).min(end));
            let mappings = Arc::make_mut(&mut self.mappings);
            mappings.remove(&start);
            if from > start {
                mappings.insert(start, from - start);
            }
            if to < start + size {
                mappings.insert(to, start + size - to);
            }
            // The machine may not be able to give back a part; the rest of the program does not see
            // that.
            let _ = memory.unmap(from, to - from);
        }
        Ok(0)
    }

    pub(crate) fn mremap(
        &mut self,
        memory: &mut dyn UserMemory,
        address: u64,
        old_length: u64,
        new_length: u64,
        flags: i32,
    ) -> Reply {
        if !address.is_multiple_of(PAGE) || new_length == 0 || flags & !libc::MREMAP_MAYMOVE != 0 {
            return Err(Errno::EINVAL.into());
        }
        if new_length > MAX_LENGTH || old_length > MAX_LENGTH {
            return Err(Errno::ENOMEM.into());
        }
        let (old_length, new_length) =
            (old_length.next_multiple_of(PAGE), new_length.next_multiple_of(PAGE));
        let known = self.mappings.get(&address).copied().ok_or(Errno::EFAULT)?;
        if new_length <= old_length.min(known) {
            if new_length < known {
                self.munmap(memory, address + new_length, known - new_length)?;
            }
            return Ok(address as i64);
        }
        if flags & libc::MREMAP_MAYMOVE == 0 {
            return Err(Errno::ENOMEM.into());
        }
        let moved = self.new_mapping(memory, new_length)? as u64;
        let mut done = 0;
        while done < known {
            let bytes = Chunk::load(memory, address + done, (known - done).min(CHUNK) as usize)?;
            bytes.store(memory, moved + done)?;
            done += bytes.len() as u64;
        }
        self.munmap(memory, address, known)?;
        Ok(moved as i64)
    }
}
