//! Opening what is below a folder, without ever following a link.
//!
//! The tree of a case is a stranger's, and so is what a program leaves of it: a link in it may lead
//! anywhere, and a link of `/proc` to whatever this process has open. So every path of a case is
//! resolved here: below the folder, on its file system, with no symbolic and no magic link on the way
//! or at the end. Where the kernel, or a filter that this process is in, has no `openat2`, the path is
//! walked one name at a time, which refuses the same.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, Mode, OFlags, ResolveFlags, StatxFlags, fstat, mkdirat, openat, openat2, statx,
};
use rustix::io::Errno;

const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// A folder under which paths are resolved.
pub struct Beneath {
    folder: OwnedFd,
    how: How,
}

/// How paths are resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// By the kernel, at once.
    AtOnce,
    /// One name at a time.
    ByName,
}

impl Beneath {
    /// A folder of our own choosing, whose path may have links.
    pub fn new(folder: &Path) -> io::Result<Self> {
        let folder = openat(CWD, folder, FOLDER, Mode::empty())?;
        let probe = at_once(&folder, b".", FOLDER, Mode::empty());
        // A filter that does not know the call answers either.
        let how = match probe {
            Err(Errno::NOSYS | Errno::PERM) => How::ByName,
            _ => How::AtOnce,
        };
        Ok(Self { folder, how })
    }

    /// Opens a relative path of plain names; the empty one is the folder itself.
    pub fn open(&self, path: &[u8], flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
        let path = if path.is_empty() { b"." } else { path };
        let flags = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        Ok(match self.how {
            How::AtOnce => at_once(&self.folder, path, flags, mode)?,
            How::ByName => by_name(&self.folder, path, flags, mode)?,
        })
    }

    /// A folder, to name things in.
    pub fn folder(&self, path: &[u8]) -> io::Result<OwnedFd> {
        self.open(path, FOLDER, Mode::empty())
    }

    /// The folder that a path's last name is in, and that name.
    pub fn parent<'a>(&self, path: &'a [u8]) -> io::Result<(OwnedFd, &'a [u8])> {
        let (folder, name) = split(path);
        Ok((self.folder(folder)?, name))
    }

    /// Makes a folder and those above it, as far as they are not there.
    pub fn make_folders(&self, path: &[u8]) -> io::Result<OwnedFd> {
        let mut at = self.folder(b"")?;
        for name in names(path) {
            match mkdirat(&at, name, Mode::from_raw_mode(0o755)) {
                // Whether it is a folder is seen when it is opened.
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
            at = by_name(&at, name, FOLDER, Mode::empty())?;
        }
        Ok(at)
    }
}

/// A path as the folder and the last name.
pub fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(at) => (&path[..at], &path[at + 1..]),
        None if path.is_empty() => (b"", b"."),
        None => (b"", path),
    }
}

/// One path below another; `.` and the empty one are the upper itself.
pub fn join(upper: &[u8], path: &[u8]) -> Vec<u8> {
    match (upper, path) {
        (_, b"" | b".") => upper.to_vec(),
        (b"", _) => path.to_vec(),
        _ => [upper, b"/", path].concat(),
    }
}

fn names(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|byte| *byte == b'/').filter(|name| !matches!(*name, b"" | b"."))
}

fn at_once(folder: &OwnedFd, path: &[u8], flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
    let resolve = ResolveFlags::BENEATH
        | ResolveFlags::NO_SYMLINKS
        | ResolveFlags::NO_MAGICLINKS
        | ResolveFlags::NO_XDEV;
    openat2(folder, path, flags, mode, resolve)
}

/// What is mounted where a file is. Its device would not do: files of an overlay can have other devices than its
/// folders. It has to where the kernel tells no mounts (before Linux 5.8).
#[derive(PartialEq, Eq)]
enum Mounted {
    Mount(u64),
    Device(u64),
}

fn mount_of(opened: &OwnedFd) -> Result<Mounted, Errno> {
    let wanted = StatxFlags::MNT_ID;
    match statx(opened, c"", AtFlags::EMPTY_PATH, wanted) {
        Ok(found) if found.stx_mask & wanted.bits() != 0 => Ok(Mounted::Mount(found.stx_mnt_id)),
        _ => Ok(Mounted::Device(fstat(opened)?.st_dev)),
    }
}

/// Without following a link at any name: each but the last has to be a folder, and a link is none.
fn by_name(folder: &OwnedFd, path: &[u8], flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
    let mount = mount_of(folder)?;
    let same_mount = |opened: OwnedFd| match mount_of(&opened)? == mount {
        true => Ok(opened),
        false => Err(Errno::XDEV),
    };
    let mut names = names(path).peekable();
    let mut at = openat(folder.as_fd(), ".", FOLDER, Mode::empty())?;
    if names.peek().is_none() {
        return openat(&at, ".", flags, mode);
    }
    while let Some(name) = names.next() {
        if name == b".." {
            return Err(Errno::XDEV);
        }
        let is_last = names.peek().is_none();
        let (flags, mode) = if is_last { (flags, mode) } else { (FOLDER, Mode::empty()) };
        at = same_mount(openat(&at, name, flags | OFlags::NOFOLLOW, mode)?)?;
    }
    Ok(at)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// The same answers, whether the kernel resolves or we do.
    #[test]
    fn no_link_is_followed() {
        let base = tempfile::tempdir().expect("a folder");
        let inside = base.path().join("in");
        fs::create_dir_all(inside.join("a/b")).expect("folders");
        fs::write(inside.join("a/b/f"), "inside").expect("a file");
        fs::write(base.path().join("secret"), "outside").expect("a file");
        for (name, target) in [
            ("up", ".."),
            ("absolute", "/"),
            ("same", "a"),
            ("a/b/link", "f"),
            ("magic", "/proc/self/fd"),
            ("cwd", "/proc/self/cwd"),
            ("loop", "loop"),
        ] {
            symlink(target, inside.join(name)).expect("a link");
        }
        for how in [How::AtOnce, How::ByName] {
            let beneath = Beneath { how, ..Beneath::new(&inside).expect("the folder") };
            let open =
                |path: &str| beneath.open(path.as_bytes(), OFlags::RDONLY, Mode::empty()).map(drop);
            for path in ["", ".", "a", "a/b", "a/b/f"] {
                assert!(open(path).is_ok(), "{how:?} {path}: {:?}", open(path));
            }
            for path in [
                "up",
                "up/secret",
                "../secret",
                "a/../../secret",
                "absolute",
                "absolute/etc",
                "same",
                "same/b/f",
                "a/b/link",
                "magic",
                "magic/0",
                "cwd",
                "cwd/a",
                "loop",
                "missing",
                "a/b/f/x",
            ] {
                assert!(open(path).is_err(), "{how:?} {path}");
                let made = beneath.make_folders(format!("{path}/new").as_bytes());
                assert!(made.is_err() || path == "missing", "{how:?} {path}");
            }
            fs::remove_dir_all(inside.join("missing")).expect("what was made");
            beneath.make_folders(b"a/c/d").expect("folders");
            fs::remove_dir_all(inside.join("a/c")).expect("what was made");
        }
        let mut left: Vec<_> = fs::read_dir(base.path()).expect("the folder").flatten().collect();
        left.sort_by_key(fs::DirEntry::file_name);
        assert_eq!(left.len(), 2, "{left:?}");
    }

    #[test]
    fn what_is_mounted_elsewhere_is_not_below() {
        for how in [How::AtOnce, How::ByName] {
            let beneath = Beneath { how, ..Beneath::new(Path::new("/")).expect("the root") };
            let opened = beneath.open(b"proc/self/status", OFlags::RDONLY, Mode::empty());
            assert!(opened.is_err(), "{how:?}");
            let opened = beneath.open(b"proc/1/comm", OFlags::RDONLY, Mode::empty());
            assert_eq!(opened.err().and_then(|e| e.raw_os_error()), Some(libc::EXDEV), "{how:?}");
        }
    }
}
