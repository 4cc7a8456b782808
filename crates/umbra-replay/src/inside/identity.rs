//! Who runs: user and group maps, and giving up the superuser.

use std::{fs, io};

use nix::sys::prctl;
use nix::unistd::{Gid, Uid, getegid, geteuid, setgroups, setresgid, setresuid};

use super::failure::{Doing, Failure};

/// The user and group that the superuser becomes before anything else: `nobody`.
///
/// Not only for safety: the kernel does not count processes of the real superuser, so a limit on
/// their number would not hold.
const NOBODY: u32 = 65_534;

/// Becomes an ordinary user if this is the superuser; says whether it was possible.
///
/// It is not in a container that maps a single user. There user 0 is not the real superuser.
pub fn give_up_superuser() -> bool {
    if !geteuid().is_root() {
        return true;
    }
    let (user, group) = (Uid::from_raw(NOBODY), Gid::from_raw(NOBODY));
    let dropped = setgroups(&[])
        .and_then(|()| setresgid(group, group, group))
        .and_then(|()| setresuid(user, user, user))
        .is_ok();
    // A change of user makes /proc/self the superuser's, and with it the maps below.
    dropped && prctl::set_dumpable(true).is_ok()
}

/// Gives a folder to the user that [`give_up_superuser`] will make us.
///
/// A user that is not mapped (`EINVAL`) cannot be given anything, and will not be who we are.
pub fn hand_over(folder: &std::path::Path) -> io::Result<()> {
    if !geteuid().is_root() {
        return Ok(());
    }
    match std::os::unix::fs::chown(folder, Some(NOBODY), Some(NOBODY)) {
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => Ok(()),
        done => done,
    }
}

/// The caller's effective user and group.
pub fn ids() -> (u32, u32) {
    (geteuid().as_raw(), getegid().as_raw())
}

/// Maps one user and one group into the user namespace that was just entered. `outside` are the
/// caller's ids before it entered.
pub fn map(inside: (u32, u32), outside: (u32, u32)) -> Result<(), Failure> {
    let map = |path: &str, inside: u32, outside: u32| {
        fs::write(path, format!("{inside} {outside} 1")).doing(format_args!("write {path}"))
    };
    fs::write("/proc/self/setgroups", "deny").doing("write /proc/self/setgroups")?;
    map("/proc/self/uid_map", inside.0, outside.0)?;
    map("/proc/self/gid_map", inside.1, outside.1)
}
