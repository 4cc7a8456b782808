//! Random cases, the same for the same seed.

use std::collections::{BTreeMap, BTreeSet};

use umbra_case::{
    Access, Case, Descriptor, Device, Entry, EntryKind, Expected, Object, Owner, Resource,
    Settings, Stdin, Timestamp,
};
use umbra_words::{End, Fault, LimitKind, Place};

/// A case that a process can be started from, anything but ordinary.
pub fn case(seed: u64) -> Case {
    let rng = &mut fastrand::Rng::with_seed(seed);
    let tree = tree(rng);
    Case {
        program: c_string(rng),
        arguments: list(rng, c_string),
        environment: list(rng, variable),
        stdin: match rng.u8(..6) {
            0 => Stdin::Null,
            1 => Stdin::Closed,
            2 => Stdin::Pipe(bytes(rng)),
            _ => Stdin::File(bytes(rng)),
        },
        descriptors: descriptors(rng, &tree),
        root: maybe(rng, |rng| [b"/r".to_vec(), component(rng)].concat()),
        directory: if rng.bool() { Vec::new() } else { [b"d".to_vec(), component(rng)].concat() },
        tree,
        settings: if rng.bool() { Settings::default() } else { settings(rng) },
        objects: list(rng, |rng| Object { name: c_string(rng), bytes: bytes(rng) }),
        call: None,
        expected: Expected {
            end: maybe(rng, end),
            stdout: maybe(rng, bytes),
            stderr: maybe(rng, bytes),
            tree: maybe(rng, bytes),
        },
        origin: list(rng, |rng| (text(rng), text(rng))).into_iter().collect(),
    }
}

fn list<T>(rng: &mut fastrand::Rng, item: impl Fn(&mut fastrand::Rng) -> T) -> Vec<T> {
    (0..rng.usize(..5)).map(|_| item(rng)).collect()
}

fn maybe<T>(rng: &mut fastrand::Rng, item: impl Fn(&mut fastrand::Rng) -> T) -> Option<T> {
    rng.bool().then(|| item(rng))
}

/// Bytes of all kinds, with a liking for those that quoting goes wrong on.
pub fn bytes(rng: &mut fastrand::Rng) -> Vec<u8> {
    const AWKWARD: &[u8] = b"\0\n\r\t '\"\\$`%!*?~#-=.;&|<>(){}[]\x01\x7f\x80\x81\x88\xff";
    (0..rng.usize(..12))
        .map(|_| match rng.u8(..3) {
            0 => AWKWARD[rng.usize(..AWKWARD.len())],
            1 => rng.u8(..),
            _ => rng.u8(b'a'..=b'z'),
        })
        .collect()
}

fn c_string(rng: &mut fastrand::Rng) -> Vec<u8> {
    bytes(rng).into_iter().filter(|byte| *byte != 0).collect()
}

fn text(rng: &mut fastrand::Rng) -> String {
    (0..rng.usize(..8)).map(|_| rng.char(..)).collect()
}

fn variable(rng: &mut fastrand::Rng) -> Vec<u8> {
    let name = c_string(rng).into_iter().filter(|byte| *byte != b'=');
    let mut variable: Vec<u8> = [b'V'].into_iter().chain(name).collect();
    variable.push(b'=');
    variable.extend(c_string(rng));
    variable
}

/// A name, or nothing.
fn component(rng: &mut fastrand::Rng) -> Vec<u8> {
    c_string(rng).into_iter().filter(|byte| *byte != b'/').collect()
}

fn descriptors(rng: &mut fastrand::Rng, tree: &[Entry]) -> BTreeMap<u32, Descriptor> {
    let descriptors = list(rng, |rng| {
        let number = rng.u32(1..20);
        let descriptor = match (rng.u8(..7), tree) {
            (0, _) => Descriptor::Closed,
            (1, _) => Descriptor::Null,
            (2, _) => Descriptor::Terminal,
            (3, _) => Descriptor::Same(rng.u32(..number)),
            // What is open is no link.
            (4, [entry, ..]) if !matches!(entry.kind, EntryKind::Symlink(_)) => Descriptor::File {
                path: entry.path.clone(),
                offset: rng.u64(..),
                access: [Access::Read, Access::Write, Access::Both][rng.usize(..3)],
                append: rng.bool(),
            },
            (5, _) => Descriptor::Device {
                device: Device::ALL[rng.usize(..3)],
                access: [Access::Read, Access::Write, Access::Both][rng.usize(..3)],
            },
            _ => Descriptor::Pipe(bytes(rng)),
        };
        (number, descriptor)
    });
    descriptors.into_iter().collect()
}

fn tree(rng: &mut fastrand::Rng) -> Vec<Entry> {
    let mut folders = vec![Vec::new()];
    let mut entries = BTreeMap::new();
    for _ in 0..rng.usize(..8) {
        let name = component(rng);
        if matches!(&*name, b"" | b"." | b"..") {
            continue;
        }
        let mut path: Vec<u8> = folders[rng.usize(..folders.len())].clone();
        path.extend(name);
        let kind = match rng.u8(..5) {
            0 => EntryKind::Directory,
            1 => EntryKind::Fifo,
            2 => EntryKind::Symlink([b"t".to_vec(), c_string(rng)].concat()),
            _ => EntryKind::File(bytes(rng)),
        };
        if entries.contains_key(&path) {
            continue;
        }
        if kind == EntryKind::Directory {
            folders.push([&*path, b"/"].concat());
        }
        let mode = match kind {
            EntryKind::Symlink(_) => 0o777,
            _ => rng.u32(..0o10000),
        };
        let modified = maybe(rng, |rng| Timestamp {
            seconds: rng.i64(..2_000_000_000),
            nanoseconds: rng.u32(..1_000_000_000),
        });
        let owner = maybe(rng, |rng| Owner { user: rng.u32(..), group: rng.u32(..) });
        entries.insert(path.clone(), Entry { path, kind, mode, modified, owner });
    }
    let mut entries: Vec<Entry> = entries.into_values().collect();
    rng.shuffle(&mut entries);
    entries
}

fn settings(rng: &mut fastrand::Rng) -> Settings {
    let resources = Resource::ALL.iter().filter(|_| rng.u8(..6) == 0).copied();
    let resources: Vec<Resource> = resources.collect();
    Settings {
        umask: rng.u32(..0o1000),
        user: maybe(rng, |rng| rng.u32(..)),
        group: maybe(rng, |rng| rng.u32(..)),
        limits: resources.into_iter().map(|name| (name, maybe(rng, |rng| rng.u64(..)))).collect(),
        ignored_signals: BTreeSet::from_iter(list(rng, |rng| rng.i32(1..9))),
    }
}

fn end(rng: &mut fastrand::Rng) -> End {
    match rng.u8(..6) {
        0 => End::Exited(rng.i32(..)),
        1 => End::Killed(rng.i32(1..65)),
        2 => End::Cut { reason: text(rng) },
        3 => End::Hung,
        4 => End::OverLimit(LimitKind::ALL[rng.usize(..LimitKind::ALL.len())]),
        _ => End::Error(Box::new(Fault {
            kind: text(rng),
            place: Place { file: text(rng), line: rng.u32(..100) },
            message: text(rng),
            stack: list(rng, text),
        })),
    }
}
