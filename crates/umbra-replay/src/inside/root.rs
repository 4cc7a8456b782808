//! The file systems: the keeper's own, and the small fixed root that a program sees.
//!
//! The root is the same as the engine's: both are made from `umbra_case::root`. Everything in it
//! lies in one file system in memory with limits on bytes and entries, which vanishes with the
//! mount namespace of the run. From the host come only the device nodes, since an unprivileged user
//! cannot make any.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind, mount_bind_recursive,
    mount_change, mount_remount, unmount,
};

use umbra_case::root::{DEVICES, FILES, FOLDERS, LINKS};

use super::failure::{Doing, Failure};
use super::store::Program;
use super::terminals;
use super::write_tree::set_time;
use crate::job::NO_TIME;
use crate::wire::Job;

/// Where sanitizers write their reports; outside of every case's tree.
pub const REPORTS: &str = "/umbra-reports";

/// Bytes of executables and libraries that a keeper may hold.
const STORE_BYTES: u64 = 2 << 30;

const STAGE: &str = "/stage";

/// Moves the keeper to a root of its own, so that the mount namespace of a run copies a handful of
/// mounts and none of the host's.
pub fn enter_keeper_root() -> Result<(), Failure> {
    // Any folder will do to mount on: nobody else is in this mount namespace.
    let base = Path::new("/tmp");
    mount_change("/", MountPropagationFlags::REC | MountPropagationFlags::PRIVATE)
        .doing("make the mounts private")?;
    mount_tmpfs(base, STORE_BYTES, None, 0o700)?;
    for folder in ["dev", "proc", "programs", terminals::FOLDER, "stage"] {
        fs::create_dir(base.join(folder)).doing(format_args!("make the folder {folder}"))?;
    }
    mount_bind_recursive("/proc", base.join("proc")).doing("bind /proc")?;
    // Where there is none, a case that has a terminal gets a note.
    let flags = MountFlags::NOSUID | MountFlags::NOEXEC;
    _ = mount("devpts", base.join(terminals::FOLDER), "devpts", flags, c"ptmxmode=0666,mode=0600");
    bind_devices(base)?;
    change_root(base)
}

/// Makes the root of a run and moves into it. Says whether `/proc` is there.
pub fn enter_run_root(job: &Job, program: &Program) -> Result<bool, Failure> {
    let stage = Path::new(STAGE);
    mount_tmpfs(stage, job.limits.disk, Some(job.limits.inodes), 0o755)?;
    for (folder, mode) in FOLDERS {
        make_folder(&below(stage, folder), *mode)?;
    }
    for (path, content) in FILES {
        fs::write(below(stage, path), content).doing(format_args!("write {path}"))?;
    }
    for (path, target) in LINKS {
        symlink(target, below(stage, path)).doing(format_args!("make the link {path}"))?;
    }
    bind_devices(stage)?;
    bind_read_only(&program.executable, &stage.join("bin").join(os(&job.name)))?;
    for (path, copy) in &program.libraries {
        let to = below(stage, path);
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder).doing("make the folder of a library")?;
        }
        bind_read_only(copy, &to)?;
    }
    if job.sanitizer {
        make_folder(&below(stage, REPORTS), 0o777)?;
    }
    for path in FILES.iter().map(|(path, _)| path).chain(FOLDERS.iter().rev().map(|(path, _)| path))
    {
        set_time(&below(stage, path), NO_TIME).doing(format_args!("set the time of {path}"))?;
    }
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    let has_proc = mount("proc", stage.join("proc"), "proc", flags, None).is_ok();
    change_root(stage)?;
    Ok(has_proc)
}

/// Sets the times of the folders above the tree, which was made in them.
pub fn reset_times(tree: &Path) -> Result<(), Failure> {
    for folder in tree.ancestors().skip(1) {
        set_time(folder, NO_TIME).doing(format_args!("set the time of {}", folder.display()))?;
    }
    Ok(())
}

fn os(bytes: &[u8]) -> &std::ffi::OsStr {
    std::ffi::OsStr::from_bytes(bytes)
}

/// An absolute path as it is seen from outside a root.
fn below(root: &Path, path: impl AsRef<Path>) -> PathBuf {
    let path = path.as_ref();
    root.join(path.strip_prefix("/").unwrap_or(path))
}

fn make_folder(path: &Path, mode: u32) -> Result<(), Failure> {
    fs::create_dir(path)
        .and_then(|()| fs::set_permissions(path, Permissions::from_mode(mode)))
        .doing(format_args!("make the folder {}", path.display()))
}

fn mount_tmpfs(at: &Path, bytes: u64, inodes: Option<u64>, mode: u32) -> Result<(), Failure> {
    let inodes = inodes.map_or_else(String::new, |inodes| format!(",nr_inodes={inodes}"));
    let options = format!("size={bytes},mode={mode:o}{inodes}\0");
    let options = std::ffi::CStr::from_bytes_with_nul(options.as_bytes()).ok();
    mount("tmpfs", at, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, options)
        .doing("mount a file system in memory")
}

/// Binds the host's device nodes into a root, those that it has.
fn bind_devices(root: &Path) -> Result<(), Failure> {
    for (device, ..) in DEVICES {
        if Path::new(device).exists() {
            bind_file(Path::new(device), &below(root, device))?;
        }
    }
    Ok(())
}

fn bind_file(from: &Path, to: &Path) -> Result<(), Failure> {
    fs::write(to, "")
        .and_then(|()| Ok(mount_bind(from, to)?))
        .doing(format_args!("bind {}", from.display()))
}

fn bind_read_only(from: &Path, to: &Path) -> Result<(), Failure> {
    bind_file(from, to)?;
    let flags = MountFlags::BIND | MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV;
    mount_remount(to, flags, "").doing(format_args!("make {} read-only", to.display()))
}

/// Makes a mounted folder the root and lets go of what was there before.
fn change_root(to: &Path) -> Result<(), Failure> {
    let change = || -> io::Result<()> {
        std::env::set_current_dir(to)?;
        // With both names the same, the old root ends up mounted over the new one, from where it is
        // taken away.
        rustix::process::pivot_root(".", ".")?;
        unmount(".", UnmountFlags::DETACH)?;
        std::env::set_current_dir("/")
    };
    change().doing("change the root")
}
