//! Structures of the kernel's x86-64 interface, byte by byte.

use crate::fs::undecided::Field;
use crate::lower::{LowerFileSystem, LowerStat};
use crate::time::Timestamp;

/// Writes fields one after the other.
struct Layout<const N: usize> {
    bytes: [u8; N],
    at: usize,
}

impl<const N: usize> Layout<N> {
    fn new() -> Layout<N> {
        Layout { bytes: [0; N], at: 0 }
    }

    fn put(mut self, field: &[u8]) -> Layout<N> {
        self.bytes[self.at..self.at + field.len()].copy_from_slice(field);
        self.at += field.len();
        self
    }

    fn u16(self, value: u16) -> Layout<N> {
        self.put(&value.to_le_bytes())
    }

    fn u32(self, value: u32) -> Layout<N> {
        self.put(&value.to_le_bytes())
    }

    fn u64(self, value: u64) -> Layout<N> {
        self.put(&value.to_le_bytes())
    }

    fn timespec(self, time: Timestamp) -> Layout<N> {
        self.u64(time.seconds as u64).u64(u64::from(time.nanoseconds))
    }

    fn statx_time(self, time: Timestamp) -> Layout<N> {
        self.u64(time.seconds as u64).u32(time.nanoseconds).u32(0)
    }
}

/// Offset and size in `struct stat` of what may be an expression.
pub(crate) const STAT: [(Field, usize, usize); 10] = [
    (Field::Links, 16, 8),
    (Field::Permissions, 24, 4),
    (Field::Uid, 28, 4),
    (Field::Gid, 32, 4),
    (Field::AccessSeconds, 72, 8),
    (Field::AccessNanoseconds, 80, 8),
    (Field::ModifySeconds, 88, 8),
    (Field::ModifyNanoseconds, 96, 8),
    (Field::ChangeSeconds, 104, 8),
    (Field::ChangeNanoseconds, 112, 8),
];

/// Offset and size in `struct statx` of what may be an expression.
pub(crate) const STATX: [(Field, usize, usize); 10] = [
    (Field::Links, 16, 4),
    (Field::Uid, 20, 4),
    (Field::Gid, 24, 4),
    (Field::Permissions, 28, 2),
    (Field::AccessSeconds, 64, 8),
    (Field::AccessNanoseconds, 72, 4),
    (Field::ChangeSeconds, 96, 8),
    (Field::ChangeNanoseconds, 104, 4),
    (Field::ModifySeconds, 112, 8),
    (Field::ModifyNanoseconds, 120, 4),
];

/// `struct stat`.
pub(crate) fn stat(stat: &LowerStat) -> [u8; 144] {
    Layout::new()
        .u64(stat.dev)
        .u64(stat.ino)
        .u64(stat.nlink)
        .u32(stat.mode)
        .u32(stat.uid)
        .u32(stat.gid)
        .u32(0)
        .u64(stat.rdev)
        .u64(stat.size)
        .u64(stat.blksize)
        .u64(stat.blocks)
        .timespec(stat.atime)
        .timespec(stat.mtime)
        .timespec(stat.ctime)
        .bytes
}

/// `struct statx`; the fields of `STATX_BASIC_STATS`, `STATX_BTIME` and the mount's root attribute.
pub(crate) fn statx(stat: &LowerStat, mount_root: bool) -> [u8; 256] {
    const BASIC: u32 = 0x7ff;
    const BTIME: u32 = 0x800;
    const MOUNT_ROOT: u64 = 0x2000;
    let mask = BASIC | if stat.btime.is_some() { BTIME } else { 0 };
    Layout::new()
        .u32(mask)
        .u32(stat.blksize as u32)
        .u64(if mount_root { MOUNT_ROOT } else { 0 })
        .u32(stat.nlink as u32)
        .u32(stat.uid)
        .u32(stat.gid)
        .u16(stat.mode as u16)
        .u16(0)
        .u64(stat.ino)
        .u64(stat.size)
        .u64(stat.blocks)
        .u64(MOUNT_ROOT)
        .statx_time(stat.atime)
        .statx_time(stat.btime.unwrap_or_default())
        .statx_time(stat.ctime)
        .statx_time(stat.mtime)
        .u32(libc::major(stat.rdev))
        .u32(libc::minor(stat.rdev))
        .u32(libc::major(stat.dev))
        .u32(libc::minor(stat.dev))
        .bytes
}

/// `struct statfs`.
pub(crate) fn statfs(fs: &LowerFileSystem) -> [u8; 120] {
    Layout::new()
        .u64(fs.magic as u64)
        .u64(fs.bsize as u64)
        .u64(fs.blocks)
        .u64(fs.bfree)
        .u64(fs.bavail)
        .u64(fs.files)
        .u64(fs.ffree)
        .u32(fs.fsid[0] as u32)
        .u32(fs.fsid[1] as u32)
        .u64(fs.namelen as u64)
        .u64(fs.frsize as u64)
        .u64(fs.flags as u64)
        .bytes
}

/// `struct linux_dirent64`, padded to eight bytes.
pub(crate) fn dirent(ino: u64, next: u64, kind: u8, name: &[u8]) -> Vec<u8> {
    let length = (19 + name.len() + 1).next_multiple_of(8);
    let mut bytes = Vec::with_capacity(length);
    bytes.extend_from_slice(&ino.to_le_bytes());
    bytes.extend_from_slice(&next.to_le_bytes());
    bytes.extend_from_slice(&(length as u16).to_le_bytes());
    bytes.push(kind);
    bytes.extend_from_slice(name);
    bytes.resize(length, 0);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stat_fields_are_where_the_kernel_has_them() {
        let bytes = stat(&LowerStat {
            dev: 1,
            ino: 2,
            nlink: 3,
            mode: 4,
            size: 5,
            blocks: 6,
            ..LowerStat::default()
        });
        let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap_or_default());
        assert_eq!((word(0), word(8), word(16), bytes[24], word(48), word(64)), (1, 2, 3, 4, 5, 6));
    }

    #[test]
    fn statx_has_its_devices_after_the_times() {
        let dev = libc::makedev(8, 3);
        let bytes = statx(&LowerStat { dev, size: 7, ..LowerStat::default() }, false);
        assert_eq!((bytes[40], bytes[136], bytes[140]), (7, 8, 3));
    }

    #[test]
    fn entries_are_padded() {
        let bytes = dirent(1, 2, libc::DT_REG, b"name");
        assert_eq!(
            (bytes.len(), bytes[16], bytes[18], &bytes[19..24]),
            (24, 24, libc::DT_REG, &b"name\0"[..])
        );
    }
}
