//! The files of the machine: overlays over the host's folders.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};

use nix::mount::{MsFlags, mount};

use super::doing;

/// File systems that hold no files of anybody: not part of the machine, except for those that
/// programs cannot do without (`BOUND`).
const NOT_FILES: [&str; 17] = [
    "autofs",
    "binfmt_misc",
    "bpf",
    "cgroup",
    "cgroup2",
    "configfs",
    "debugfs",
    "devpts",
    "devtmpfs",
    "fusectl",
    "hugetlbfs",
    "mqueue",
    "proc",
    "pstore",
    "securityfs",
    "sysfs",
    "tracefs",
];

/// Folders of the kernel that are the host's own in the machine too.
const BOUND: [&str; 2] = ["/dev", "/sys"];

/// The most that everything that is written may take, so that a failed defence fills nothing.
const SIZE: &str = "size=512m";

/// Whose rights the machine is made with.
#[derive(Clone, Copy, Eq, PartialEq)]
pub enum Rights {
    /// The superuser's.
    Superuser,
    /// Those of the superuser of a user namespace, who may not set the attributes that overlays keep
    /// for themselves unless they are told to use others.
    Mapped,
}

/// A machine that nothing runs on yet.
pub struct Machine {
    /// All that is kept of it: in memory, a file system of its own.
    pub kept: PathBuf,
    /// Its root.
    pub root: PathBuf,
    rights: Rights,
}

/// Mounts a machine below an empty folder.
pub fn make(folder: &Path, rights: Rights) -> Result<Machine, String> {
    mount(NONE, "/", NONE, MsFlags::MS_REC | MsFlags::MS_PRIVATE, NONE)
        .map_err(doing("make mounts private"))?;
    let mounts = Mounts::read()?;
    mount(Some("machine"), folder, Some("tmpfs"), MsFlags::empty(), Some(SIZE))
        .map_err(doing("mount a file system in memory"))?;
    let machine = Machine { kept: folder.to_owned(), root: folder.join("root"), rights };
    for name in ["root", "upper", "work", "shm"] {
        fs::create_dir(folder.join(name)).map_err(doing("make a folder"))?;
    }
    // A root has to be a mount.
    mount(Some(&machine.root), &machine.root, NONE, MsFlags::MS_BIND, NONE)
        .map_err(doing("mount the root"))?;
    mirror_content(&machine, &mounts, Path::new("/"))?;
    let shared = machine.root.join("dev/shm");
    if shared.is_dir() {
        let open = fs::Permissions::from_mode(0o1777);
        fs::set_permissions(folder.join("shm"), open).map_err(doing("open shm"))?;
        mount(Some(&folder.join("shm")), &shared, NONE, MsFlags::MS_BIND, NONE)
            .map_err(doing("mount /dev/shm"))?;
    }
    Ok(machine)
}

const NONE: Option<&str> = None;

fn mirror_content(machine: &Machine, mounts: &Mounts, folder: &Path) -> Result<(), String> {
    for entry in fs::read_dir(folder).map_err(doing(folder.display()))? {
        mirror(machine, mounts, &entry.map_err(doing(folder.display()))?.path())?;
    }
    Ok(())
}

/// Makes a path of the host part of the machine.
fn mirror(machine: &Machine, mounts: &Mounts, path: &Path) -> Result<(), String> {
    let inside = below(&machine.root, path);
    let metadata = fs::symlink_metadata(path).map_err(doing(path.display()))?;
    if metadata.is_symlink() {
        let target = fs::read_link(path).map_err(doing(path.display()))?;
        return std::os::unix::fs::symlink(target, inside).map_err(doing(path.display()));
    }
    if !metadata.is_dir() {
        // Files beside folders that cannot be overlaid as a whole: few, and nobody needs them. One
        // that may not be read is left out.
        _ = fs::copy(path, inside);
        return Ok(());
    }
    make_like(&inside, &metadata)?;
    if BOUND.iter().any(|bound| path == Path::new(bound)) {
        return mount(Some(path), &inside, NONE, MsFlags::MS_BIND | MsFlags::MS_REC, NONE)
            .map_err(doing(format_args!("mount {}", path.display())));
    }
    if mounts.is_not_files(path) {
        return Ok(());
    }
    // The kernel overlays no folder in which others are mounted, unless one is the superuser.
    if mounts.has_below(path) {
        return mirror_content(machine, mounts, path);
    }
    // What one may not read cannot be a layer; it is empty in the machine, and closed on the host.
    if fs::read_dir(path).is_err() {
        return Ok(());
    }
    overlay(machine, path, &inside)
}

fn overlay(machine: &Machine, path: &Path, inside: &Path) -> Result<(), String> {
    let metadata = fs::metadata(path).map_err(doing(path.display()))?;
    let mut options = format!("lowerdir={}", escaped(path));
    for (name, option) in [("upper", "upperdir"), ("work", "workdir")] {
        let folder = below(&machine.kept.join(name), path);
        fs::create_dir_all(&folder).map_err(doing("make a layer"))?;
        make_like(&folder, &metadata)?;
        options += &format!(",{option}={}", escaped(&folder));
    }
    if machine.rights == Rights::Mapped {
        options += ",userxattr";
    }
    mount(Some("machine"), inside, Some("overlay"), MsFlags::empty(), Some(options.as_str()))
        .map_err(doing(format_args!("overlay {}", path.display())))
}

/// Makes a folder unless it is there, with the mode and owner of another.
fn make_like(folder: &Path, metadata: &fs::Metadata) -> Result<(), String> {
    if !folder.is_dir() {
        fs::create_dir(folder).map_err(doing(folder.display()))?;
    }
    // Owners that are not mapped cannot be given to anything; then it is ours.
    _ = chown(folder, Some(metadata.uid()), Some(metadata.gid()));
    fs::set_permissions(folder, metadata.permissions()).map_err(doing(folder.display()))
}

fn below(folder: &Path, path: &Path) -> PathBuf {
    folder.join(path.strip_prefix("/").unwrap_or(path))
}

fn escaped(path: &Path) -> String {
    let text = path.to_string_lossy();
    text.replace('\\', "\\\\").replace(',', "\\,").replace(':', "\\:")
}

/// What is mounted on the host: where, and what kind.
struct Mounts(Vec<(PathBuf, String)>);

impl Mounts {
    fn read() -> Result<Self, String> {
        let text = fs::read_to_string("/proc/self/mountinfo").map_err(doing("see mounts"))?;
        let parse = |line: &str| {
            let path = line.split(' ').nth(4)?.replace("\\040", " ");
            let kind = line.split_once(" - ")?.1.split(' ').next()?;
            Some((PathBuf::from(path), kind.to_owned()))
        };
        Ok(Self(text.lines().filter_map(parse).collect()))
    }

    fn is_not_files(&self, path: &Path) -> bool {
        // The last one mounted at a place is the one that is seen.
        let kind = self.0.iter().rfind(|(place, _)| place == path).map(|(_, kind)| kind.as_str());
        kind.is_some_and(|kind| NOT_FILES.contains(&kind))
    }

    fn has_below(&self, path: &Path) -> bool {
        self.0.iter().any(|(place, _)| place != path && place.starts_with(path))
    }
}
