//! A control group for memory, where one is available: the kernel's own count of everything that a run
//! takes, whoever holds it (processes, shared memory, sockets, pipes, the kernel's own tables).
//!
//! The keeper is in the group with all of its runs: to move a process takes milliseconds, to be forked
//! into a group nothing. A run is what is added to what was there when it started.
//!
//! The group is made before the superuser is given up, and only who made it can remove it. So a process
//! stays behind for that ([`stay_behind`]); it outlives a keeper that is killed. What is left when both
//! are killed is removed by the next keeper.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::process::{self, Forked, SingleThread};
use super::scratch;

/// Which of the kernel's interfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

impl Version {
    /// The files with the usage, the limit, and the number of processes that were killed.
    fn files(self) -> [&'static str; 3] {
        match self {
            Self::One => ["memory.usage_in_bytes", "memory.limit_in_bytes", "memory.oom_control"],
            Self::Two => ["memory.current", "memory.max", "memory.events"],
        }
    }
}

/// A group that this process is in.
pub struct Group {
    version: Version,
    usage: File,
    limit: File,
    kills: File,
    statistics: File,
}

/// A group that nobody is in yet.
pub struct Made {
    folder: PathBuf,
    enter: File,
    group: Group,
}

impl Group {
    /// The version of the interface: 1 or 2.
    pub fn version(&self) -> u8 {
        match self.version {
            Version::One => 1,
            Version::Two => 2,
        }
    }

    /// Bytes that are used now.
    pub fn usage(&self) -> io::Result<u64> {
        let text = read(&self.usage)?;
        text.trim().parse().map_err(io::Error::other)
    }

    /// Of these, files of disks, which the kernel can let go of.
    pub fn of_disks(&self) -> io::Result<u64> {
        let text = read(&self.statistics)?;
        let [files, shared] = match self.version {
            Version::One => ["total_cache", "total_shmem"],
            Version::Two => ["file", "shmem"],
        };
        let value = |name| field(&text, name).unwrap_or(0);
        Ok(value(files).saturating_sub(value(shared)))
    }

    /// How many processes the kernel has killed so far because of the limit.
    pub fn kills(&self) -> io::Result<u64> {
        Ok(field(&read(&self.kills)?, "oom_kill").unwrap_or(0))
    }

    /// Sets the limit that the kernel holds; none at all with `None`.
    pub fn limit(&self, bytes: Option<u64>) -> io::Result<()> {
        let none = if self.version == Version::One { "-1" } else { "max" };
        let text = bytes.map_or(none.to_owned(), |bytes| bytes.to_string());
        (&self.limit).write_all(text.as_bytes())
    }
}

fn read(mut file: &File) -> io::Result<String> {
    let mut text = String::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_string(&mut text)?;
    Ok(text)
}

/// The number after a name, one a line.
fn field(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok())
}

/// Makes a group of this name, if there may be one; the error says why not.
pub fn make(name: &str) -> Result<Made, String> {
    let read = |path: &str| fs::read_to_string(path).map_err(|error| format!("{path}: {error}"));
    let (mounts, own) = (read("/proc/self/mountinfo")?, read("/proc/self/cgroup")?);
    let mut reason = None;
    for (version, folder) in candidates(&mounts, &own) {
        remove_stale(&folder);
        match make_in(version, &folder, name) {
            Ok(made) => return Ok(made),
            // A refusal says more than that there is nothing available elsewhere.
            Err(error) if reason.is_some() && error.kind() == io::ErrorKind::Unsupported => {}
            Err(error) => reason = Some(format!("{}: {error}", folder.display())),
        }
    }
    Err(reason.unwrap_or_else(|| "no control groups for memory are mounted".to_owned()))
}

fn make_in(version: Version, parent: &Path, name: &str) -> io::Result<Made> {
    // A group of version 2 limits its groups only where it was told to.
    if version == Version::Two {
        let passed_on = fs::read_to_string(parent.join("cgroup.subtree_control"))?;
        if !passed_on.split_whitespace().any(|controller| controller == "memory") {
            let reason = "memory is not limited for the groups in it";
            return Err(io::Error::new(io::ErrorKind::Unsupported, reason));
        }
    }
    let folder = parent.join(name);
    fs::create_dir(&folder)?;
    let open = || -> io::Result<(File, Group)> {
        let [usage, limit, kills] = version.files().map(|file| folder.join(file));
        // What is moved to a disk is not counted any more.
        let swap = match version {
            Version::One => "memory.swappiness",
            Version::Two => "memory.swap.max",
        };
        let swap = File::options().write(true).open(folder.join(swap));
        _ = swap.and_then(|mut swap| swap.write_all(b"0"));
        let enter = File::options().write(true).open(folder.join("cgroup.procs"))?;
        let group = Group {
            version,
            usage: File::open(usage)?,
            limit: File::options().write(true).open(limit)?,
            kills: File::open(kills)?,
            statistics: File::open(folder.join("memory.stat"))?,
        };
        Ok((enter, group))
    };
    match open() {
        Ok((enter, group)) => Ok(Made { folder, enter, group }),
        Err(error) => {
            _ = fs::remove_dir(&folder);
            Err(error)
        }
    }
}

/// Folders in which a group could be made, the nearest first: our own group, and for version 2, where
/// a group with processes passes nothing on, those above it.
fn candidates(mounts: &str, own: &str) -> Vec<(Version, PathBuf)> {
    let mut found = Vec::new();
    for line in mounts.lines() {
        let Some((mount, kind)) = line.split_once(" - ") else { continue };
        let mut kind = kind.split(' ');
        let version = match (kind.next(), kind.nth(1)) {
            (Some("cgroup"), Some(options)) if options.split(',').any(|word| word == "memory") => {
                Version::One
            }
            (Some("cgroup2"), _) => Version::Two,
            _ => continue,
        };
        let mut mount = mount.split(' ').skip(3);
        let (Some(root), Some(point)) = (mount.next(), mount.next()) else { continue };
        let Some(path) = own.lines().find_map(|line| group_of(version, line)) else { continue };
        // What is mounted may be a part only, and we may be outside of it.
        let Ok(path) = Path::new(path).strip_prefix(root) else { continue };
        if path.components().any(|part| part == std::path::Component::ParentDir) {
            continue;
        }
        let folder = Path::new(point).join(path);
        let above = if version == Version::One { 1 } else { path.components().count() + 1 };
        found.extend(folder.ancestors().take(above).map(|folder| (version, folder.to_owned())));
    }
    found
}

/// Our group from a line of `/proc/self/cgroup`, if it is of this version.
fn group_of(version: Version, line: &str) -> Option<&str> {
    let (number, rest) = line.split_once(':')?;
    let (controllers, path) = rest.split_once(':')?;
    let fits = match version {
        Version::One => controllers.split(',').any(|controller| controller == "memory"),
        Version::Two => number == "0" && controllers.is_empty(),
    };
    fits.then_some(path)
}

/// Removes groups whose asking process is gone. The kernel refuses where somebody is still in one.
fn remove_stale(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(scratch::is_stale) {
            _ = fs::remove_dir(entry.path());
        }
    }
}

impl Made {
    /// Forks: the child enters the group and goes on as the keeper; this process waits for it, removes
    /// the group and ends.
    pub fn stay_behind(self, thread: SingleThread) -> io::Result<Group> {
        let Self { folder, enter, group } = self;
        let forked = process::fork(thread, 0).inspect_err(|_| _ = fs::remove_dir(&folder))?;
        let Forked::Parent(keeper) = forked else {
            (&enter).write_all(b"0")?;
            return Ok(group);
        };
        drop((enter, group));
        // The keeper's end of the connection is the keeper's alone.
        process::close_socket();
        let status = loop {
            match process::wait_for(keeper) {
                Ok(Some(waited)) => break waited.status,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                _ => break 0,
            }
        };
        // What the keeper's death ends may take a moment to be gone.
        for _ in 0..1000 {
            match fs::remove_dir(&folder) {
                Err(error) if error.raw_os_error() == Some(libc::EBUSY) => {
                    std::thread::sleep(std::time::Duration::from_millis(5));
                }
                _ => break,
            }
        }
        let exited = libc::WIFEXITED(status);
        process::exit(if exited { libc::WEXITSTATUS(status) } else { 3 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_found_of_either_version() {
        let mounts = "25 1 0:23 / /sys rw - sysfs sysfs rw\n\
            30 25 0:26 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n\
            31 25 0:27 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n";
        let own = "4:memory:/a/b\n1:cpu:/\n0::/\n";
        let folders = |mounts: &str, own: &str| -> Vec<String> {
            candidates(mounts, own)
                .iter()
                .map(|(version, folder)| format!("{version:?} {}", folder.display()))
                .collect()
        };
        assert_eq!(folders(mounts, own), ["One /sys/fs/cgroup/memory/a/b"]);
        let mounts = "30 25 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
        let own = "0::/user.slice/app.slice/x.scope\n";
        let all = ["/user.slice/app.slice/x.scope", "/user.slice/app.slice", "/user.slice", ""];
        assert_eq!(folders(mounts, own), all.map(|path| format!("Two /sys/fs/cgroup{path}")));
        // A container that sees a part.
        let part = "30 25 0:26 /docker/1 /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
        assert_eq!(
            folders(part, "0::/docker/1/x\n"),
            ["Two /sys/fs/cgroup/x", "Two /sys/fs/cgroup"]
        );
        assert!(folders(part, "0::/elsewhere\n").is_empty());
        assert!(folders(mounts, "0::/../other\n").is_empty());
        assert!(folders("", own).is_empty());
    }

    /// On folders that look like a hierarchy of version 2, which not every machine has.
    #[test]
    fn a_group_of_version_two_is_made_where_memory_is_passed_on() {
        let parent = tempfile::tempdir().expect("a folder");
        let make = || make_in(Version::Two, parent.path(), "umbra-replay-1-0");
        fs::write(parent.path().join("cgroup.subtree_control"), "cpu pids\n").expect("a file");
        let error = make().err().expect("no memory").to_string();
        assert_eq!(error, "memory is not limited for the groups in it");
        fs::write(parent.path().join("cgroup.subtree_control"), "cpu memory\n").expect("a file");
        // The kernel would have made its files; a plain folder has none, and is removed again.
        assert!(make().is_err());
        assert!(!parent.path().join("umbra-replay-1-0").exists());
    }

    #[test]
    fn numbers_are_read_by_name() {
        let events = "low 0\noom 3\noom_kill 2\noom_group_kill 9\n";
        assert_eq!(field(events, "oom_kill"), Some(2));
        assert_eq!(field(events, "oom"), Some(3));
        assert_eq!(field(events, "missing"), None);
    }
}
