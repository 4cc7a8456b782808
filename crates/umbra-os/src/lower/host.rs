//! The host's file system, for reading only.
//!
//! Only regular files and directories are ever opened: opening a device or a FIFO may have effects,
//! or block. Symbolic links are refused at every component (`openat2`), so what is opened is what
//! the overlay resolved.

use super::{Lower, LowerEntry, LowerFileSystem, LowerStat};
use crate::errno::Errno;
use crate::time::Timestamp;
use rustix::fd::OwnedFd;
use rustix::fs::{self, AtFlags, CWD, FileType, Mode, OFlags, ResolveFlags, SeekFrom, StatxFlags};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Files whose mere reading takes something away from the host, or that never end.
const NEVER_READ: [&str; 5] =
    ["/proc/kmsg", "/proc/kcore", "/proc/acpi/event", "/sys/kernel/debug", "/sys/kernel/tracing"];

/// The host's files below a root directory, read-only.
pub struct HostLower {
    root: PathBuf,
    /// The file read last: programs read a file in many pieces.
    last: Mutex<Option<(PathBuf, Arc<OwnedFd>)>>,
}

impl HostLower {
    /// Makes `root` on the host the root of the lower layer.
    pub fn new(root: impl Into<PathBuf>) -> HostLower {
        let root = root.into();
        // Links on the way to the root itself are the user's; below it there are none to follow.
        let root = root.canonicalize().unwrap_or(root);
        HostLower { root, last: Mutex::new(None) }
    }

    fn host(&self, path: &Path) -> PathBuf {
        match path.strip_prefix("/") {
            Ok(rest) if rest.as_os_str().is_empty() => self.root.clone(),
            Ok(rest) => self.root.join(rest),
            Err(_) => self.root.join(path),
        }
    }

    fn open_file(&self, path: &Path) -> Result<Arc<OwnedFd>, Errno> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, file)) = &*last
            && known == path
        {
            return Ok(Arc::clone(file));
        }
        let host = self.host(path);
        if NEVER_READ.iter().any(|banned| host.starts_with(banned)) {
            return Err(Errno::EPERM);
        }
        let stat = fs::statat(CWD, &host, AtFlags::SYMLINK_NOFOLLOW)?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(Errno::ENXIO);
        }
        let file = Arc::new(open_read_only(&host, OFlags::empty())?);
        *last = Some((path.to_owned(), Arc::clone(&file)));
        Ok(file)
    }
}

fn open_read_only(host: &Path, extra: OFlags) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY
        | OFlags::NOFOLLOW
        | OFlags::NONBLOCK
        | OFlags::NOCTTY
        | OFlags::CLOEXEC
        | extra;
    let resolve = ResolveFlags::NO_SYMLINKS;
    // Reading must not even move the access time; only the owner may ask for that.
    match fs::openat2(CWD, host, flags | OFlags::NOATIME, Mode::empty(), resolve) {
        Err(rustix::io::Errno::PERM) => Ok(fs::openat2(CWD, host, flags, Mode::empty(), resolve)?),
        Err(rustix::io::Errno::NOSYS) => Ok(fs::openat(CWD, host, flags, Mode::empty())?),
        other => Ok(other?),
    }
}

impl Lower for HostLower {
    fn stat(&self, path: &Path) -> Result<LowerStat, Errno> {
        let host = self.host(path);
        let stat = fs::statat(CWD, &host, AtFlags::SYMLINK_NOFOLLOW)?;
        let btime = fs::statx(CWD, &host, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::BTIME)
            .ok()
            .filter(|statx| statx.stx_mask & StatxFlags::BTIME.bits() != 0)
            .map(|statx| Timestamp::new(statx.stx_btime.tv_sec, statx.stx_btime.tv_nsec));
        Ok(LowerStat { btime, ..from_host(&stat) })
    }

    fn read_dir(&self, path: &Path) -> Result<Vec<LowerEntry>, Errno> {
        let file = open_read_only(&self.host(path), OFlags::DIRECTORY)?;
        let mut entries = Vec::new();
        for entry in fs::Dir::new(file)? {
            let entry = entry?;
            entries.push(LowerEntry {
                name: entry.file_name().to_bytes().to_vec(),
                ino: entry.ino(),
                kind: directory_type(entry.file_type()),
            });
        }
        Ok(entries)
    }

    fn read_link(&self, path: &Path) -> Result<Vec<u8>, Errno> {
        Ok(fs::readlinkat(CWD, self.host(path), Vec::new())?.into_bytes())
    }

    fn read(&self, path: &Path, offset: u64, buffer: &mut [u8]) -> Result<usize, Errno> {
        let file = self.open_file(path)?;
        Ok(rustix::io::pread(&*file, buffer, offset)?)
    }

    fn seek_data(&self, path: &Path, offset: u64) -> Result<u64, Errno> {
        let file = self.open_file(path)?;
        Ok(fs::seek(&*file, SeekFrom::Data(offset))?)
    }

    fn seek_hole(&self, path: &Path, offset: u64) -> Result<u64, Errno> {
        let file = self.open_file(path)?;
        Ok(fs::seek(&*file, SeekFrom::Hole(offset))?)
    }

    fn file_system(&self, path: &Path) -> Result<LowerFileSystem, Errno> {
        let host = self.host(path);
        // statfs follows links: a link is on the file system of the directory that holds it.
        let stat = fs::statat(CWD, &host, AtFlags::SYMLINK_NOFOLLOW)?;
        let place = match FileType::from_raw_mode(stat.st_mode) {
            FileType::Symlink => host.parent().unwrap_or(&host),
            _ => &host,
        };
        let fs = fs::statfs(place)?;
        let vfs = fs::statvfs(place)?;
        Ok(LowerFileSystem {
            magic: fs.f_type,
            bsize: fs.f_bsize,
            blocks: fs.f_blocks,
            bfree: fs.f_bfree,
            bavail: fs.f_bavail,
            files: fs.f_files,
            ffree: fs.f_ffree,
            fsid: [vfs.f_fsid as u32 as i32, (vfs.f_fsid >> 32) as i32],
            namelen: fs.f_namelen,
            frsize: fs.f_frsize,
            flags: fs.f_flags,
        })
    }

    fn process_directory(&self) -> Option<PathBuf> {
        (self.root == Path::new("/"))
            .then(|| PathBuf::from(format!("/proc/{}", std::process::id())))
    }
}

/// The fields that `struct stat` has.
fn from_host(stat: &fs::Stat) -> LowerStat {
    LowerStat {
        dev: stat.st_dev,
        ino: stat.st_ino,
        mode: stat.st_mode,
        nlink: stat.st_nlink,
        uid: stat.st_uid,
        gid: stat.st_gid,
        rdev: stat.st_rdev,
        size: stat.st_size as u64,
        blksize: stat.st_blksize as u64,
        blocks: stat.st_blocks as u64,
        atime: Timestamp::new(stat.st_atime, stat.st_atime_nsec as u32),
        mtime: Timestamp::new(stat.st_mtime, stat.st_mtime_nsec as u32),
        ctime: Timestamp::new(stat.st_ctime, stat.st_ctime_nsec as u32),
        btime: None,
    }
}

impl LowerStat {
    /// What the host says of one of our own descriptors.
    pub fn of_descriptor(fd: impl rustix::fd::AsFd) -> Result<LowerStat, Errno> {
        Ok(from_host(&fs::fstat(fd)?))
    }
}

fn directory_type(kind: FileType) -> u8 {
    match kind {
        FileType::RegularFile => libc::DT_REG,
        FileType::Directory => libc::DT_DIR,
        FileType::Symlink => libc::DT_LNK,
        FileType::Fifo => libc::DT_FIFO,
        FileType::Socket => libc::DT_SOCK,
        FileType::CharacterDevice => libc::DT_CHR,
        FileType::BlockDevice => libc::DT_BLK,
        FileType::Unknown => libc::DT_UNKNOWN,
    }
}
