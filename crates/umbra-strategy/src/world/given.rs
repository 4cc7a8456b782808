//! A world in which everything is given: that of a test case.
//!
//! It is the same that the native sandbox makes: the small fixed root, the case's tree in it, an
//! ordinary user unless the case says otherwise.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use umbra_case::{
    Access, Call, Case, Descriptor as CaseDescriptor, EntryKind, KTest, Stdin, listing_order,
};
use umbra_engine::Process;
use umbra_os::{Config, Descriptor, MemoryLower, SinkId, StreamKind, Timestamp};

/// The size of a case's terminal.
const TERMINAL: StreamKind = StreamKind::Terminal { rows: 24, columns: 80 };

/// The operating system and the process that a case starts from.
pub fn given(case: &Case) -> (Config, Process) {
    let settings = &case.settings;
    let (uid, gid) = settings.identity();
    let mut limits = Config::default().limits;
    for (resource, value) in &settings.limits {
        let value = value.unwrap_or(libc::RLIM_INFINITY);
        limits.retain(|(number, ..)| *number != resource.number());
        limits.push((resource.number(), value, value));
    }
    let config = Config {
        lower: Arc::new(tree(case, uid, gid)),
        cwd: path(&case.working_directory()),
        umask: settings.umask,
        uid,
        // As where the case will be run natively.
        capabilities: false,
        only_owner: Some((uid, gid)),
        gid,
        groups: Vec::new(),
        limits,
        descriptors: descriptors(case),
        ignored_signals: settings.ignored_signals.iter().copied().collect(),
        clock: clock(case),
        ..Config::default()
    };
    let mut arguments = vec![case.program.clone()];
    arguments.extend_from_slice(&case.arguments);
    let environment = environment(case);
    (config, Process::concrete(&arguments, &environment, [uid, uid, gid, gid]))
}

/// The variables of a case, and the one that says where its objects are, if it has any.
fn environment(case: &Case) -> Vec<Vec<u8>> {
    let mut environment = case.environment.clone();
    if !case.objects.is_empty() {
        let name = format!("{}=", Case::OBJECTS_VARIABLE);
        environment.retain(|variable| !variable.starts_with(name.as_bytes()));
        environment.push(format!("{name}{}", Case::OBJECTS).into_bytes());
    }
    environment.extend(case.call.as_ref().map(Call::variable));
    environment
}

/// The usual time, or one after all times in the tree: natively they are in the past, too.
fn clock(case: &Case) -> Timestamp {
    let usual = Config::default().clock;
    let times = case.tree.iter().filter_map(|entry| entry.modified);
    match times.map(|time| time.seconds).max() {
        Some(latest) if latest >= usual.seconds => Timestamp::new(latest.saturating_add(1), 0),
        _ => usual,
    }
}

fn path(bytes: &[u8]) -> PathBuf {
    OsStr::from_bytes(bytes).into()
}

/// The fixed root with the case's tree in it.
fn tree(case: &Case, uid: u32, gid: u32) -> MemoryLower {
    let mut lower = MemoryLower::minimal();
    if !case.objects.is_empty() {
        // It fails beyond 4 GiB only; the program then says that the file is damaged.
        let content = KTest::of_objects(case).encode().unwrap_or_default();
        lower.file(Case::OBJECTS, 0o644, content);
    }
    let root = path(case.root());
    folders(&mut lower, root.parent().unwrap_or(&root), (0, 0));
    folders(&mut lower, &root, (uid, gid));
    let order = listing_order(case.tree.iter().map(|entry| &*entry.path));
    let now = clock(case);
    // The last one first, as natively: later ones have higher inode numbers.
    for (place, entry) in order.into_iter().map(|index| &case.tree[index]).enumerate().rev() {
        let at = match &*entry.path {
            b"." => root.clone(),
            below => root.join(path(below)),
        };
        for folder in folders(&mut lower, at.parent().unwrap_or(&root), (uid, gid)) {
            lower.place(folder, place + 1);
        }
        let (kind, bytes) = match &entry.kind {
            EntryKind::File(content) => (libc::S_IFREG, content.clone()),
            EntryKind::Directory => (libc::S_IFDIR, Vec::new()),
            EntryKind::Symlink(target) => (libc::S_IFLNK, target.clone()),
            EntryKind::Fifo => (libc::S_IFIFO, Vec::new()),
        };
        lower.add(&at, kind | entry.mode, 0, bytes).place(&at, place + 1);
        let owner = entry.owner.map_or((uid, gid), |owner| (owner.user, owner.group));
        lower.owner(&at, owner.0, owner.1);
        lower.changed(&at, now);
        if let Some(time) = entry.modified {
            lower.time(&at, Timestamp::new(time.seconds, time.nanoseconds));
        }
    }
    // Natively it is made last, and so listed first.
    folders(&mut lower, &path(&case.working_directory()), (uid, gid));
    lower
}

/// Makes a folder and those on the way to it, unless they are there. Returns those it has made.
fn folders<'a>(lower: &mut MemoryLower, folder: &'a Path, owner: (u32, u32)) -> Vec<&'a Path> {
    let missing = folder.ancestors().take_while(|ancestor| !lower.contains(ancestor));
    let missing: Vec<&Path> = missing.collect();
    for path in missing.iter().rev() {
        lower.directory(*path, 0o755).owner(path, owner.0, owner.1);
    }
    missing
}

fn descriptors(case: &Case) -> Vec<Descriptor> {
    let highest = case.descriptors.keys().copied().max().unwrap_or(0).max(2);
    let all = (0..=highest).map(|number| match (number, case.descriptors.get(&number)) {
        (_, Some(descriptor)) => descriptor_of(case, number, descriptor),
        (0, None) => match &case.stdin {
            Stdin::Null => Descriptor::Null,
            Stdin::Closed => Descriptor::Closed,
            Stdin::Pipe(bytes) => Descriptor::bytes(bytes.clone()),
            // A file that has no name any more: the model has none, and a pipe cannot seek.
            Stdin::File(bytes) => file_input(bytes),
        },
        (1 | 2, None) => Descriptor::output(StreamKind::Pipe, SinkId(number)),
        (_, None) => Descriptor::Closed,
    });
    all.collect()
}

fn file_input(bytes: &[u8]) -> Descriptor {
    Descriptor::input(unnamed_file(bytes.len()), Arc::new(bytes.to_vec()))
}

/// A file of so many bytes that has no name any more.
pub(super) fn unnamed_file(size: usize) -> StreamKind {
    StreamKind::File(umbra_os::LowerStat {
        mode: libc::S_IFREG | 0o644,
        nlink: 0,
        size: size as u64,
        blksize: 4096,
        ..umbra_os::LowerStat::default()
    })
}

fn descriptor_of(case: &Case, number: u32, descriptor: &CaseDescriptor) -> Descriptor {
    match descriptor {
        CaseDescriptor::Closed => Descriptor::Closed,
        CaseDescriptor::Null => Descriptor::Null,
        CaseDescriptor::Same(other) => Descriptor::Same(*other as i32),
        CaseDescriptor::Pipe(_) if matches!(number, 1 | 2) => {
            Descriptor::output(StreamKind::Pipe, SinkId(number))
        }
        CaseDescriptor::Pipe(bytes) => Descriptor::bytes(bytes.clone()),
        CaseDescriptor::Terminal => match number {
            0 => Descriptor::input(TERMINAL, Arc::new(Vec::new())),
            _ => Descriptor::output(TERMINAL, SinkId(number)),
        },
        CaseDescriptor::Device { device, access } => {
            Descriptor::Path { path: device.path().into(), flags: access_flags(*access), offset: 0 }
        }
        CaseDescriptor::File { path: below, offset, access, append } => Descriptor::Path {
            path: path(case.root()).join(path(below)),
            flags: access_flags(*access) | if *append { libc::O_APPEND } else { 0 },
            offset: *offset,
        },
    }
}

fn access_flags(access: Access) -> i32 {
    match access {
        Access::Read => libc::O_RDONLY,
        Access::Write => libc::O_WRONLY,
        Access::Both => libc::O_RDWR,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use umbra_case::{Device, Entry, Owner};
    use umbra_os::Kernel;

    use super::*;

    fn kernel(case: &Case) -> Kernel {
        Kernel::new(given(case).0).unwrap()
    }

    #[test]
    fn the_tree_of_a_case_is_there() {
        let case = Case {
            root: Some(b"/srv/place".to_vec()),
            directory: b"d/e".to_vec(),
            tree: vec![
                Entry { mode: 0o600, ..Entry::file("d/x", "content") },
                Entry { owner: Some(Owner { user: 0, group: 5 }), ..Entry::directory("other") },
                Entry::symlink("l", "d/x"),
                Entry::fifo("p"),
            ],
            ..Case::default()
        };
        let entries = kernel(&case).walk_tree(Path::new("/srv/place")).unwrap();
        let shown: Vec<String> = entries
            .iter()
            .map(|entry| {
                let stat = &entry.stat;
                format!("{} {:o} {}:{}", entry.path.display(), stat.mode, stat.uid, stat.gid)
            })
            .collect();
        assert_eq!(
            shown,
            [
                " 40755 1000:1000",
                "d 40755 1000:1000",
                "d/e 40755 1000:1000",
                "d/x 100600 1000:1000",
                "l 120777 1000:1000",
                "other 40755 0:5",
                "p 10644 1000:1000",
            ]
        );
    }

    #[test]
    fn a_descriptor_may_lead_into_the_tree() {
        let file = |offset| CaseDescriptor::File {
            path: b"x".to_vec(),
            offset,
            access: Access::Read,
            append: false,
        };
        let case = Case {
            tree: vec![Entry::file("x", "0123")],
            descriptors: BTreeMap::from([(0, file(2)), (5, CaseDescriptor::Same(0))]),
            ..Case::default()
        };
        let (config, _) = given(&case);
        assert_eq!(config.descriptors.len(), 6);
        assert!(matches!(config.descriptors[3], Descriptor::Closed));
        Kernel::new(config).unwrap();
    }

    #[test]
    fn no_file_is_from_the_future() {
        let usual = Config::default().clock.seconds;
        for (seconds, clock) in [(-5, usual), (usual - 1, usual), (usual + 7, usual + 8)] {
            let modified = Some(umbra_case::Timestamp { seconds, nanoseconds: 5 });
            let tree = vec![Entry::fifo("p"), Entry { modified, ..Entry::file("f", "") }];
            let case = Case { tree, ..Case::default() };
            assert_eq!(given(&case).0.clock.seconds, clock);
            // As natively: made for this run, whatever else is set.
            let entries = kernel(&case).walk_tree(Path::new("/home/user")).unwrap();
            let file = entries.iter().find(|entry| entry.path == Path::new("f")).unwrap();
            assert_eq!((file.stat.mtime.seconds, file.stat.ctime.seconds), (seconds, clock));
        }
    }

    #[test]
    fn every_device_of_a_case_is_in_the_fixed_root() {
        for device in Device::ALL {
            let access = Access::Write;
            let descriptors = BTreeMap::from([(1, CaseDescriptor::Device { device, access })]);
            kernel(&Case { descriptors, ..Case::default() });
        }
    }
}
