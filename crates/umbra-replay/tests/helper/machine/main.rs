//! Runs a command on a machine of its own, and says what it changed there.
//!
//! The machine is this one, copied on write: every folder of the host is the lower layer of an
//! overlay whose upper layer is in memory and empty at first (`tree.rs`). Processes are in a
//! namespace of their own. Nobody else writes there, so the comparison is exact: whatever is in the
//! upper layers when the command has ended, and every process that is still there, is its doing,
//! even a file that was rewritten with what was in it. And if a defence fails, the host is unharmed.
//!
//! `umbra-machine FOLDER USER COMMAND...` uses an empty folder to mount on. USER is a number, or `-`
//! to stay who one is. The superuser needs namespaces of mounts and processes; others
//! need user namespaces too, and cannot choose USER. (Theirs is not as exact: the kernel refuses to
//! copy what belongs to somebody else, so a write to it fails instead of being noticed.)
//!
//! Lines on standard error that begin with `machine: ` are what was changed or left. The exit status
//! is 0 if there is none and the command succeeded, else a sum: 1 if the command failed, 2 if something
//! changed or was left; or 64 if there is no machine available, and a line says why.

mod inside;
#[path = "../snapshot.rs"]
mod snapshot;
mod tree;

use std::ffi::OsString;
use std::fmt::Display;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use nix::sched::{CloneFlags, unshare};
use nix::unistd::{getegid, geteuid};

use tree::Rights;

use snapshot::{changes, snapshot};

/// The command failed.
const FAILED: u8 = 1;
/// Something was changed or left.
const CHANGED: u8 = 2;
/// There is no machine available.
const UNAVAILABLE: u8 = 64;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let done = match arguments.as_slice() {
        [mode, root, user, command @ ..] if mode == "inside" && !command.is_empty() => {
            inside::run(Path::new(root), user, command)
        }
        [mode, user, command @ ..] if mode == "mapped" && !command.is_empty() => {
            inside::mapped(user, command)
        }
        [folder, user, command @ ..] if !command.is_empty() => {
            outside(Path::new(folder), user, command)
        }
        _ => Err("usage: umbra-machine FOLDER USER COMMAND...".to_owned()),
    };
    done.map_or_else(
        |reason| {
            eprintln!("no machine: {reason}");
            ExitCode::from(UNAVAILABLE)
        },
        ExitCode::from,
    )
}

/// Makes the machine, starts what runs in it, and compares.
fn outside(folder: &Path, user: &OsString, command: &[OsString]) -> Result<u8, String> {
    let mut user = user.clone();
    let mut rights = Rights::Superuser;
    if !geteuid().is_root() {
        rights = Rights::Mapped;
        user = format!("{}:{}", geteuid(), getegid()).into();
        unshare(CloneFlags::CLONE_NEWUSER).map_err(doing("make a user namespace"))?;
        map((0, 0), &user)?;
    }
    let kinds = CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWPID | CloneFlags::CLONE_NEWIPC;
    unshare(kinds).map_err(doing("make namespaces"))?;
    let machine = tree::make(folder, rights)?;
    let look = || {
        let mut found = snapshot(&machine.kept).map_err(doing("look at the machine"))?;
        // Temporary files are made and removed there, which leaves a time and nothing else.
        if let Some(entry) = found.get_mut(&machine.kept.join("upper/tmp")) {
            entry.modified = None;
        }
        Ok::<_, String>(found)
    };
    let before = look()?;
    let status = Command::new("/proc/self/exe")
        .arg("inside")
        .args([machine.root.as_os_str(), &user])
        .args(command)
        .status()
        .map_err(doing("start the first process"))?;
    let mut code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(FAILED);
    for change in changes(&before, &look()?) {
        eprintln!("machine: {}", change.replace(&*machine.kept.to_string_lossy(), ""));
        code |= CHANGED;
    }
    Ok(code)
}

/// Maps one user and one group, `inside`, to those that `outside` names, in a namespace that was just
/// entered.
fn map(inside: (u32, u32), outside: &OsString) -> Result<(), String> {
    let outside = outside.to_string_lossy();
    let (user, group) = outside.split_once(':').ok_or("a user and a group are needed")?;
    let write = |path: &str, text: String| fs::write(path, text).map_err(doing(path));
    write("/proc/self/setgroups", "deny".to_owned())?;
    write("/proc/self/uid_map", format!("{} {user} 1", inside.0))?;
    write("/proc/self/gid_map", format!("{} {group} 1", inside.1))
}

/// The words of an error.
fn doing<E: Display>(what: impl Display) -> impl Fn(E) -> String {
    move |error| format!("cannot {what}: {error}")
}
