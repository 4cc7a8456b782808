//! The first process of the machine: starts the command, and looks for what it left.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sched::{CloneFlags, unshare};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, chdir, pivot_root};

use super::{CHANGED, FAILED, doing, map};

/// How long a process that was killed may take to be gone. What attacks leave stays longer.
const DYING: Duration = Duration::from_secs(2);

/// Runs in the process namespace as its first process.
pub fn run(root: &Path, user: &OsStr, command: &[OsString]) -> Result<u8, String> {
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))
        .map_err(doing("end with the process outside"))?;
    enter(root)?;
    let mut process = command_as(user, command)?;
    let process = process.spawn().map_err(doing(format_args!("start {:?}", command[0])))?;
    let process = Pid::from_raw(process.id().cast_signed());
    let mut code = 0;
    // Everything whose parent has ended is a child of ours too.
    loop {
        match waitpid(None, None) {
            Ok(WaitStatus::Exited(pid, status)) if pid == process => {
                code |= if status == 0 { 0 } else { FAILED };
                break;
            }
            Ok(WaitStatus::Signaled(pid, ..)) if pid == process => {
                code |= FAILED;
                break;
            }
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(format!("cannot wait: {error}")),
        }
    }
    for left in left()? {
        eprintln!("machine: {left} is left");
        code |= CHANGED;
    }
    Ok(code)
}

/// Becomes another user in a namespace of users, where the superuser is only one by name; then the
/// command.
pub fn mapped(user: &OsString, command: &[OsString]) -> Result<u8, String> {
    let text = user.to_string_lossy();
    let numbers = text
        .split_once(':')
        .and_then(|(user, group)| Some((user.parse().ok()?, group.parse().ok()?)));
    let inside = numbers.ok_or("a user and a group are needed")?;
    unshare(CloneFlags::CLONE_NEWUSER).map_err(doing("make a user namespace"))?;
    map(inside, &"0:0".into())?;
    let error = Command::new(&command[0]).args(&command[1..]).exec();
    Err(format!("cannot start {:?}: {error}", command[0]))
}

fn enter(root: &Path) -> Result<(), String> {
    const NONE: Option<&str> = None;
    // The process outside goes on to see the machine from there.
    unshare(CloneFlags::CLONE_NEWNS).map_err(doing("make a mount namespace"))?;
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    mount(Some("proc"), &root.join("proc"), Some("proc"), flags, NONE)
        .map_err(doing("mount /proc"))?;
    chdir(root).map_err(doing("enter the root"))?;
    pivot_root(".", ".").map_err(doing("change the root"))?;
    umount2(".", MntFlags::MNT_DETACH).map_err(doing("leave the old root"))?;
    chdir("/").map_err(doing("enter the root"))
}

fn command_as(user: &OsStr, command: &[OsString]) -> Result<Command, String> {
    let user = user.to_string_lossy();
    let mut process = Command::new(&command[0]);
    if user.contains(':') {
        process = Command::new("/proc/self/exe");
        process.args(["mapped", &user]).arg(&command[0]);
    } else if user != "-" {
        let number = user.parse().map_err(doing(format_args!("read the user {user}")))?;
        process.uid(number).gid(number);
    }
    process.args(&command[1..]);
    Ok(process)
}

/// Processes that are there when the command has ended.
fn left() -> Result<Vec<String>, String> {
    let until = Instant::now() + DYING;
    loop {
        while matches!(waitpid(None, Some(WaitPidFlag::WNOHANG)), Ok(status) if status != WaitStatus::StillAlive)
        {
        }
        let left = others()?;
        if left.is_empty() || Instant::now() > until {
            return Ok(left);
        }
        std::thread::yield_now();
    }
}

fn others() -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").map_err(doing("see processes"))? {
        let entry = entry.map_err(doing("see processes"))?;
        let name = entry.file_name();
        let number: Option<u32> = name.to_str().and_then(|name| name.parse().ok());
        if let Some(number) = number.filter(|number| *number != 1) {
            let name = fs::read_to_string(entry.path().join("comm")).unwrap_or_default();
            found.push(format!("process {number} ({})", name.trim()));
        }
    }
    Ok(found)
}
