//! Memory mappings. The objects themselves are the machine's; here are only their rules.

use crate::bytes::Chunk;
use crate::errno::Errno;
use crate::fs::device::Device;
use crate::fs::inode::{Data, InodeId};
use crate::fs::undecided::Field;
use crate::mapping::{PAGE, Region, Source};
use crate::system::{Reply, Stop, System};
use umbra_engine::UserMemory;

/// More than any program gets: refuses lengths before they are rounded or allocated.
const MAX_LENGTH: u64 = 1 << 46;
/// The end of a process's addresses.
const ADDRESSES: u64 = (1 << 47) - PAGE;
/// The constant that `brk` answers: it never moves, so allocators fall back to `mmap`.
const BREAK: u64 = 0x1000_0000;
const CHUNK: u64 = 1 << 16;

const PROT_SEM: i32 = 8;
const PROT_ALL: i32 = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
/// The flags that a mapping of type `MAP_SHARED_VALIDATE` of an ordinary file may have.
const VALIDATED: i32 = libc::MAP_TYPE
    | libc::MAP_FIXED
    | libc::MAP_ANONYMOUS
    | libc::MAP_DENYWRITE
    | libc::MAP_EXECUTABLE
    | libc::MAP_GROWSDOWN
    | libc::MAP_LOCKED
    | libc::MAP_NORESERVE
    | libc::MAP_POPULATE
    | libc::MAP_NONBLOCK
    | libc::MAP_STACK
    | libc::MAP_HUGETLB
    | libc::MAP_32BIT
    | HUGE_SIZES
    | MAP_UNINITIALIZED;
/// The bits of the two sizes of huge pages that this machine has.
const HUGE_SIZES: i32 = (21 | 30) << 26;
const MAP_UNINITIALIZED: i32 = 0x400_0000;
/// Newer than the constants of the C library.
const DROPPABLE: i32 = 8;

/// What `mmap` was asked for.
#[derive(Clone, Copy)]
struct Request {
    address: u64,
    length: u64,
    protection: i32,
    flags: i32,
    fd: i32,
    offset: u64,
}

impl System {
    /// A program that moves the end of its data itself, past every libc, is not modelled.
    pub(crate) fn brk(&mut self, end: u64) -> Reply {
        match end {
            0 | BREAK => Ok(BREAK as i64),
            _ => Err(Stop::unsupported("brk that moves the end of the data")),
        }
    }

    pub(crate) fn mmap(&mut self, memory: &mut dyn UserMemory, arguments: [u64; 6]) -> Reply {
        let [address, length, protection, flags, fd, offset] = arguments;
        let (protection, flags, fd) = (protection as i32 & PROT_ALL, flags as i32, fd as i32);
        let anonymous = flags & libc::MAP_ANONYMOUS != 0;
        if !offset.is_multiple_of(PAGE) {
            return Err(Errno::EINVAL.into());
        }
        if !anonymous {
            self.file(fd)?;
        }
        if length == 0 {
            return Err(Errno::EINVAL.into());
        }
        if length > MAX_LENGTH {
            return Err(Errno::ENOMEM.into());
        }
        let length = length.next_multiple_of(PAGE);
        if offset.checked_add(length).is_none() {
            return Err(Errno::EOVERFLOW.into());
        }
        let request = Request { address, length, protection, flags, fd, offset };
        check_protection(protection)?;
        check_flags(request)?;
        self.check_place(memory, request)?;
        if flags & libc::MAP_LOCKED != 0 && !self.process.credentials.is_privileged() {
            return Err(Stop::unsupported("mmap with MAP_LOCKED and a limit on locked memory"));
        }
        let address = match anonymous {
            true => self.map_anonymous(memory, request)?,
            false => self.map_file(memory, request)?,
        };
        self.watch_mapped_files();
        Ok(address as i64)
    }

    /// A fixed address must be one of pages that were mapped before: those are replaced. Elsewhere
    /// the machine has no addresses to give.
    fn check_place(&mut self, memory: &mut dyn UserMemory, request: Request) -> Result<(), Stop> {
        let Request { address, length, flags, .. } = request;
        if flags & (libc::MAP_FIXED | libc::MAP_FIXED_NOREPLACE) == 0 {
            return Ok(());
        }
        if !address.is_multiple_of(PAGE) {
            return Err(Errno::EINVAL.into());
        }
        if address > ADDRESSES - length {
            return Err(Errno::ENOMEM.into());
        }
        let inside = self.object_of_range(address, length).is_some();
        if flags & libc::MAP_FIXED_NOREPLACE != 0 {
            let hit = !self.mappings_mut().within(address, address + length).is_empty();
            if hit || memory.page_state(address).is_some_and(|page| page.mapped) {
                return Err(Errno::EEXIST.into());
            }
        }
        match inside {
            true => Ok(()),
            false => Err(Stop::unsupported("mmap at a fixed address")),
        }
    }

    /// The machine's object that a range of regions lies in, with holes or without.
    fn object_of_range(&self, start: u64, length: u64) -> Option<u64> {
        let (_, first) = self.mappings.before(start)?;
        let (last_start, last) = self.mappings.last_in(first.object)?;
        (start + length <= last_start + last.length).then_some(first.object)
    }

    /// An object for a new region: a new one, or the one that lies at a fixed address, whose pages
    /// are empty again then.
    fn place(&mut self, memory: &mut dyn UserMemory, request: Request) -> Result<(u64, u64), Stop> {
        let Request { address, length, flags, .. } = request;
        if flags & (libc::MAP_FIXED | libc::MAP_FIXED_NOREPLACE) == 0 {
            let object = memory.map(length).ok_or(Errno::ENOMEM)?;
            return Ok((object, object));
        }
        let object = self.object_of_range(address, length).ok_or(Errno::ENOMEM)?;
        let regions = self.mappings_mut().within(address, address + length);
        let (_, kept) = self.mappings.first_in(object).ok_or(Errno::ENOMEM)?;
        if matches!(kept.source, Source::Shared { .. }) {
            return Err(Stop::unsupported("mmap at a fixed address in a shared mapping"));
        }
        for (start, _) in regions {
            self.mappings_mut().remove(start);
        }
        let zeros =
            Region { length, object, protection: libc::PROT_WRITE, source: Source::Anonymous };
        self.show_pages(memory, address, &zeros)?;
        clear(memory, address, length)?;
        Ok((address, object))
    }

    fn map_anonymous(
        &mut self,
        memory: &mut dyn UserMemory,
        request: Request,
    ) -> Result<u64, Stop> {
        let Request { length, protection, flags, .. } = request;
        match flags & libc::MAP_TYPE {
            libc::MAP_PRIVATE => {
                let (address, object) = self.place(memory, request)?;
                let source = Source::Anonymous;
                self.add_region(memory, address, Region { length, object, protection, source })
            }
            libc::MAP_SHARED => {
                let shared = memory.share(length).ok_or(Errno::ENOMEM)?;
                self.show_shared(memory, request, (shared, None, 0), true)
            }
            DROPPABLE => Err(Stop::unsupported("mmap with MAP_DROPPABLE")),
            _ => Err(Errno::EINVAL.into()),
        }
    }

    fn add_region(
        &mut self,
        memory: &mut dyn UserMemory,
        address: u64,
        region: Region,
    ) -> Result<u64, Stop> {
        self.mappings_mut().insert(address, region);
        self.show_pages(memory, address, &region)?;
        Ok(address)
    }

    /// A region that shows a shared object from an offset on.
    fn show_shared(
        &mut self,
        memory: &mut dyn UserMemory,
        request: Request,
        (shared, inode, offset): (u64, Option<InodeId>, u64),
        may_write: bool,
    ) -> Result<u64, Stop> {
        let Request { length, protection, flags, .. } = request;
        if flags & (libc::MAP_FIXED | libc::MAP_FIXED_NOREPLACE) != 0 {
            return Err(Stop::unsupported("mmap of shared memory at a fixed address"));
        }
        let object = memory.map_shared(shared, offset, length).ok_or(Errno::ENOMEM)?;
        let source = Source::Shared { object: shared, inode, offset, may_write };
        self.add_region(memory, object, Region { length, object, protection, source })
    }

    fn map_file(&mut self, memory: &mut dyn UserMemory, request: Request) -> Result<u64, Stop> {
        let Request { length, protection, flags, fd, offset, .. } = request;
        let description = self.file(fd)?;
        let (inode, readable, writable) =
            (description.inode, description.readable(), description.writable());
        let shared = match flags & libc::MAP_TYPE {
            libc::MAP_PRIVATE => false,
            libc::MAP_SHARED => true,
            libc::MAP_SHARED_VALIDATE if flags & !VALIDATED == 0 => true,
            libc::MAP_SHARED_VALIDATE => return Err(Errno::EOPNOTSUPP.into()),
            _ => return Err(Errno::EINVAL.into()),
        };
        let writes = shared && protection & libc::PROT_WRITE != 0;
        if !readable || (writes && !writable) {
            return Err(Errno::EACCES.into());
        }
        let node = self.fs.node(inode);
        match &node.data {
            Data::Regular(_) => {}
            Data::Stream(stream) if stream.is_file() => {
                return self.map_stream(memory, request, inode, shared);
            }
            Data::Character if Device::from_rdev(node.rdev) == Some(Device::Zero) => {
                return self.map_anonymous(memory, request);
            }
            _ => return Err(Errno::ENODEV.into()),
        }
        if matches!(self.fs.file_system(inode).magic, crate::fs::PROC | crate::fs::SYSFS) {
            return Err(Stop::unsupported("mmap of a file of /proc or /sys"));
        }
        self.fs.known(inode, &[Field::Length])?;
        self.touch_access(inode);
        if shared {
            let object = self.shared_file(memory, inode, offset + length)?;
            return self.show_shared(memory, request, (object, Some(inode), offset), writable);
        }
        let Data::Regular(content) = &self.fs.node(inode).data else {
            return Err(Errno::ENODEV.into());
        };
        let content = content.clone();
        let (address, object) = self.place(memory, request)?;
        self.copy_content(memory, &content, offset, address, length)?;
        let source = Source::Private { inode, offset };
        self.add_region(memory, address, Region { length, object, protection, source })
    }

    /// A file that the process was started with: nobody but itself changes it.
    fn map_stream(
        &mut self,
        memory: &mut dyn UserMemory,
        request: Request,
        inode: InodeId,
        shared: bool,
    ) -> Result<u64, Stop> {
        let Request { length, protection, offset, .. } = request;
        self.fs.known(inode, &[Field::Length])?;
        let Data::Stream(stream) = &self.fs.node(inode).data else {
            return Err(Errno::ENODEV.into());
        };
        let stream = stream.clone();
        let end = stream.size.next_multiple_of(PAGE);
        if stream.sink.is_some() || end < offset + length {
            let what = "mmap of a file that was open at the start, to be written or past its end";
            return Err(Stop::unsupported(what));
        }
        let _ = shared;
        let (address, object) = self.place(memory, request)?;
        let mut done = 0;
        while done < length {
            let want = (length - done).min(CHUNK) as usize;
            let bytes = stream.load(offset + done, want).map_err(|_| Errno::EIO)?;
            if bytes.is_empty() {
                break;
            }
            bytes.store(memory, address + done)?;
            done += bytes.len() as u64;
        }
        let source = Source::Stream;
        self.add_region(memory, address, Region { length, object, protection, source })
    }

    pub(crate) fn munmap(
        &mut self,
        memory: &mut dyn UserMemory,
        address: u64,
        length: u64,
    ) -> Reply {
        if !address.is_multiple_of(PAGE)
            || length == 0
            || length > ADDRESSES
            || address > ADDRESSES - length
        {
            return Err(Errno::EINVAL.into());
        }
        let length = length.next_multiple_of(PAGE);
        self.check_own(memory, address, "munmap")?;
        self.end_regions(memory, address, address + length)?;
        self.watch_mapped_files();
        Ok(0)
    }

    /// Insists that what lies at an address is a mapping, or nothing.
    fn check_own(&self, memory: &dyn UserMemory, address: u64, call: &str) -> Result<(), Stop> {
        let foreign = self.mappings.find(address).is_none()
            && memory.page_state(address).is_some_and(|page| page.mapped);
        match foreign {
            true => Err(Stop::unsupported(format!("{call} of memory that mmap did not make"))),
            false => Ok(()),
        }
    }

    pub(crate) fn mprotect(
        &mut self,
        memory: &mut dyn UserMemory,
        address: u64,
        length: u64,
        protection: i32,
    ) -> Reply {
        let grows = libc::PROT_GROWSDOWN | libc::PROT_GROWSUP;
        if protection & grows == grows || !address.is_multiple_of(PAGE) {
            return Err(Errno::EINVAL.into());
        }
        if length == 0 {
            return Ok(0);
        }
        let end = length
            .checked_next_multiple_of(PAGE)
            .and_then(|length| address.checked_add(length))
            .ok_or(Errno::ENOMEM)?;
        if protection & grows != 0 {
            return Err(Stop::unsupported("mprotect with PROT_GROWSDOWN or PROT_GROWSUP"));
        }
        if protection & !(PROT_ALL | PROT_SEM) != 0 {
            return Err(Errno::EINVAL.into());
        }
        let protection = protection & PROT_ALL;
        check_protection(protection)?;
        if self.mappings.find(address).is_none() && memory.page_state(address).is_some() {
            return self.protect_object(memory, address, end - address, protection);
        }
        // Pages in front of a hole are changed before the call fails.
        let mut at = address;
        for (start, region) in self.mappings_mut().within(address, end) {
            if start != at {
                break;
            }
            if let Source::Shared { may_write: false, .. } = region.source
                && protection & libc::PROT_WRITE != 0
            {
                return Err(Errno::EACCES.into());
            }
            self.add_region(memory, start, Region { protection, ..region })?;
            at = start + region.length;
        }
        if at < end { Err(Errno::ENOMEM.into()) } else { Ok(0) }
    }

    /// Memory that `mmap` did not make: whole pages of one object can be protected.
    fn protect_object(
        &self,
        memory: &mut dyn UserMemory,
        address: u64,
        length: u64,
        protection: i32,
    ) -> Reply {
        let region = Region { length, object: address, protection, source: Source::Anonymous };
        match self.show_pages(memory, address, &region) {
            Ok(()) => Ok(0),
            Err(_) => Err(Stop::unsupported("mprotect of several objects, or of a part of a page")),
        }
    }

    pub(crate) fn mremap(&mut self, memory: &mut dyn UserMemory, arguments: [u64; 6]) -> Reply {
        let [address, old_length, new_length, flags, ..] = arguments;
        let flags = flags as i32;
        let known = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED | libc::MREMAP_DONTUNMAP;
        let may_move = flags & libc::MREMAP_MAYMOVE != 0;
        if flags & !known != 0 || (flags & !libc::MREMAP_MAYMOVE != 0 && !may_move) {
            return Err(Errno::EINVAL.into());
        }
        if !address.is_multiple_of(PAGE) || new_length == 0 {
            return Err(Errno::EINVAL.into());
        }
        if new_length > MAX_LENGTH || old_length > MAX_LENGTH {
            return Err(Errno::ENOMEM.into());
        }
        if flags & !libc::MREMAP_MAYMOVE != 0 {
            return Err(Stop::unsupported("mremap with MREMAP_FIXED or MREMAP_DONTUNMAP"));
        }
        self.check_own(memory, address, "mremap")?;
        let (old_length, new_length) =
            (old_length.next_multiple_of(PAGE), new_length.next_multiple_of(PAGE));
        let (start, region) = self.mappings.find(address).ok_or(Errno::EFAULT)?;
        if old_length >= new_length {
            if old_length > new_length {
                self.munmap(memory, address + new_length, old_length - new_length)?;
            }
            return Ok(address as i64);
        }
        if old_length == 0 {
            return match region.source {
                Source::Shared { .. } => Err(Stop::unsupported("mremap of no bytes")),
                _ => Err(Errno::EINVAL.into()),
            };
        }
        if old_length > start + region.length - address {
            return Err(Errno::EFAULT.into());
        }
        if !may_move {
            // Whether there is room behind it is a matter of where the kernel put it.
            return Err(Stop::unsupported("mremap without MREMAP_MAYMOVE that grows"));
        }
        let moved = self.move_region(memory, address, old_length, new_length)?;
        self.watch_mapped_files();
        Ok(moved as i64)
    }

    fn move_region(
        &mut self,
        memory: &mut dyn UserMemory,
        address: u64,
        old_length: u64,
        new_length: u64,
    ) -> Result<u64, Stop> {
        let regions = self.mappings_mut().within(address, address + old_length);
        let (_, region) = *regions.first().ok_or(Errno::EFAULT)?;
        let Region { protection, source, .. } = region;
        let request = Request {
            address: 0,
            length: new_length,
            protection,
            flags: libc::MAP_PRIVATE,
            fd: -1,
            offset: 0,
        };
        if let Source::Shared { object, inode, offset, may_write } = source {
            // It may show more of the file than before, so that the file needs a larger object.
            let object = match inode {
                Some(inode) => {
                    self.end_regions(memory, address, address + old_length)?;
                    self.shared_file(memory, inode, offset + new_length)?
                }
                None => object,
            };
            if inode.is_none() {
                return Err(Stop::unsupported("mremap of shared memory without a file"));
            }
            return self.show_shared(memory, request, (object, inode, offset), may_write);
        }
        let moved = memory.map(new_length).ok_or(Errno::ENOMEM)?;
        let whole = Region { length: old_length, protection: libc::PROT_READ, ..region };
        self.show_pages(memory, address, &Region { source: Source::Anonymous, ..whole })?;
        let mut done = 0;
        while done < old_length {
            let length = (old_length - done).min(CHUNK) as usize;
            let bytes = Chunk::load(memory, address + done, length)?;
            bytes.store(memory, moved + done)?;
            done += bytes.len() as u64;
        }
        if let Source::Private { inode, offset } = source
            && let Data::Regular(content) = &self.fs.node(inode).data
        {
            let content = content.clone();
            let (from, to) = (offset + old_length, moved + old_length);
            self.copy_content(memory, &content, from, to, new_length - old_length)?;
        }
        self.end_regions(memory, address, address + old_length)?;
        self.add_region(
            memory,
            moved,
            Region { length: new_length, object: moved, protection, source },
        )
    }
}

/// Some processors can forbid reads of what may be executed only, and Linux then does.
fn check_protection(protection: i32) -> Result<(), Stop> {
    match protection == libc::PROT_EXEC {
        true => Err(Stop::unsupported("memory that may be executed and not read")),
        false => Ok(()),
    }
}

/// Flags that change what a mapping is in ways that are not modelled. (Those that Linux does not
/// know it ignores.)
fn check_flags(request: Request) -> Result<(), Stop> {
    let named = [
        (libc::MAP_GROWSDOWN, "MAP_GROWSDOWN"),
        (libc::MAP_HUGETLB, "MAP_HUGETLB"),
        (libc::MAP_32BIT, "MAP_32BIT"),
        // Whether a file may be mapped so is a matter of its file system.
        (libc::MAP_SYNC, "MAP_SYNC"),
    ];
    let anonymous = request.flags & libc::MAP_ANONYMOUS != 0;
    let named = if anonymous { &named[..3] } else { &named };
    match named.iter().find(|(flag, _)| request.flags & flag != 0) {
        Some((_, name)) => Err(Stop::unsupported(format!("mmap with {name}"))),
        None => Ok(()),
    }
}

/// Zeros pages that may be written.
pub(super) fn clear(memory: &mut dyn UserMemory, address: u64, length: u64) -> Result<(), Stop> {
    let zeros = vec![0; length.min(CHUNK) as usize];
    let mut done = 0;
    while done < length {
        let n = (length - done).min(CHUNK) as usize;
        memory.write(address + done, &zeros[..n])?;
        done += n as u64;
    }
    Ok(())
}
