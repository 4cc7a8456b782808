//! Attributes that are expressions.

use super::world::{DATA, World};
use umbra_os::{Config, MemoryLower, SymbolicFile, SymbolicMetadata, SymbolicTime, Timestamp};

/// Input bytes of each attribute, and where `stat` and `statx` have it with how many bytes.
struct Attribute {
    from: usize,
    count: usize,
    stat: (u64, usize),
    statx: (u64, usize),
}

const fn attribute(
    from: usize,
    count: usize,
    stat: (u64, usize),
    statx: (u64, usize),
) -> Attribute {
    Attribute { from, count, stat, statx }
}

const PERMISSIONS: usize = 0;
const ATTRIBUTES: [Attribute; 10] = [
    attribute(0, 2, (24, 4), (28, 2)),
    attribute(2, 4, (28, 4), (20, 4)),
    attribute(6, 4, (32, 4), (24, 4)),
    attribute(10, 2, (16, 8), (16, 4)),
    attribute(12, 4, (72, 8), (64, 8)),
    attribute(16, 4, (80, 8), (72, 4)),
    attribute(20, 4, (88, 8), (112, 8)),
    attribute(24, 4, (96, 8), (120, 4)),
    attribute(28, 4, (104, 8), (96, 8)),
    attribute(32, 4, (112, 8), (104, 4)),
];

/// The start of the model's clock.
const NOW: u64 = 1_700_000_000;

/// Values of the attributes in the order of the table.
type Values = [u32; 10];

const USUAL: Values = [0o640, 1000, 1000, 1, 5, 6, 3, 4, 1, 2];

fn world(uid: u32, values: Values) -> World {
    let mut input = vec![0; 40];
    for (attribute, value) in ATTRIBUTES.iter().zip(values) {
        let bytes = &value.to_le_bytes()[..attribute.count];
        input[attribute.from..attribute.from + attribute.count].copy_from_slice(bytes);
    }
    World::new(&input, move |memory| {
        let mut numbers = ATTRIBUTES.iter().map(|attribute| {
            let wide = memory.number(attribute.from, attribute.count, 64);
            let width = if attribute.from == 0 { 12 } else { 64 };
            Some(memory.exprs.extract(wide, 0, width))
        });
        let mut next = || numbers.next().flatten();
        let (permissions, uid_, gid, nlink) = (next(), next(), next(), next());
        let mut time = || SymbolicTime { seconds: next(), nanoseconds: next() };
        let (atime, mtime, ctime) = (time(), time(), time());
        let metadata = SymbolicMetadata { permissions, uid: uid_, gid, nlink, atime, mtime, ctime };
        let file = SymbolicFile { path: "/tmp/s".into(), ..SymbolicFile::default() };
        let mut lower = MemoryLower::minimal();
        lower.file("/tmp/plain", 0o666, "x");
        Config {
            lower: std::sync::Arc::new(lower),
            uid,
            gid: uid,
            groups: Vec::new(),
            symbolic_files: vec![SymbolicFile { metadata: Some(metadata), ..file }],
            ..Config::default()
        }
    })
}

/// What `stat` says: each attribute, and whether it is an expression.
fn stat(world: &mut World) -> Vec<(u64, bool)> {
    let path = world.text("/tmp/s");
    assert_eq!(world.call(libc::SYS_stat, &[path, DATA]), 0);
    assert_eq!(world.decisions(), 0);
    shown(world, |attribute| attribute.stat)
}

fn shown(world: &World, place: impl Fn(&Attribute) -> (u64, usize)) -> Vec<(u64, bool)> {
    let field = |attribute: &Attribute| {
        let (at, size) = place(attribute);
        let mut bytes = world.values(DATA + at, size);
        bytes.resize(8, 0);
        let value = u64::from_le_bytes(bytes.try_into().unwrap());
        (value, world.symbolic(DATA + at, size).contains(&true))
    };
    ATTRIBUTES.iter().map(field).collect()
}

/// What is expected when everything is an expression with its value.
fn all_symbolic(values: Values) -> Vec<(u64, bool)> {
    let mut expected: Vec<(u64, bool)> =
        values.into_iter().map(|value| (u64::from(value), true)).collect();
    expected[PERMISSIONS].0 |= u64::from(libc::S_IFREG);
    expected
}

#[test]
fn stat_shows_expressions() {
    let mut world = world(0, USUAL);
    assert_eq!(stat(&mut world), all_symbolic(USUAL));
    let path = world.text("/tmp/s");
    let arguments = [libc::AT_FDCWD as u64, path, 0, 0x7ff, DATA];
    assert_eq!(world.call(libc::SYS_statx, &arguments), 0);
    assert_eq!(world.decisions(), 0);
    assert_eq!(shown(&world, |attribute| attribute.statx), all_symbolic(USUAL));
    assert_eq!(world.open("/tmp/s", libc::O_RDONLY), 3);
    assert_eq!(world.call(libc::SYS_fstat, &[3, DATA]), 0);
    assert_eq!(shown(&world, |attribute| attribute.stat), all_symbolic(USUAL));
}

#[test]
fn root_opens_without_asking_and_others_do_not() {
    let access = |uid, values, flags| {
        let mut world = world(uid, values);
        (world.open("/tmp/s", flags), world.decisions())
    };
    let denied = -i64::from(libc::EACCES);
    let other: Values = [0o640, 7, 8, 1, 0, 0, 0, 0, 0, 0];
    let group: Values = [0o640, 7, 1000, 1, 0, 0, 0, 0, 0, 0];
    assert_eq!(access(0, other, libc::O_RDWR), (3, 0));
    // The owner needs no group.
    assert_eq!(access(1000, USUAL, libc::O_RDWR), (3, 2));
    assert_eq!(access(1000, group, libc::O_RDONLY), (3, 3));
    assert_eq!(access(1000, group, libc::O_RDWR), (denied, 3));
    assert_eq!(access(1000, other, libc::O_RDONLY), (denied, 3));
}

#[test]
fn setting_replaces_expressions() {
    let mut world = world(0, USUAL);
    let path = world.text("/tmp/s");
    assert_eq!(world.call(libc::SYS_chmod, &[path, 0o4755]), 0);
    let shown = stat(&mut world);
    assert_eq!(shown[PERMISSIONS], (u64::from(libc::S_IFREG | 0o4755), false));
    // The change of the inode is now; the rest is as it was.
    assert_eq!(shown[8..], [(NOW, false), (0, false)]);
    assert_eq!(shown[1..8], all_symbolic(USUAL)[1..8]);
    let times = [11u64, 12, 13, libc::UTIME_OMIT as u64];
    world.put(DATA, &times.map(u64::to_le_bytes).concat());
    let cwd = libc::AT_FDCWD as u64;
    assert_eq!(world.call(libc::SYS_utimensat, &[cwd, path, DATA, 0]), 0);
    let shown = stat(&mut world);
    assert_eq!(shown[4..8], [(11, false), (12, false), (3, true), (4, true)]);
    assert_eq!(world.call(libc::SYS_chown, &[path, 21, u64::from(u32::MAX)]), 0);
    let shown = stat(&mut world);
    assert_eq!(shown[..3], [(u64::from(libc::S_IFREG | 0o755), false), (21, false), (1000, true)]);
}

#[test]
fn writing_replaces_times() {
    let mut world = world(0, USUAL);
    assert_eq!(world.open("/tmp/s", libc::O_WRONLY), 3);
    assert_eq!(world.call(libc::SYS_write, &[3, DATA, 1]), 1);
    let shown = stat(&mut world);
    assert_eq!(shown[6..], [(NOW, false), (0, false), (NOW, false), (0, false)]);
    assert_eq!(shown[..6], all_symbolic(USUAL)[..6]);
}

#[test]
fn removing_a_link_asks_how_many_there_are() {
    for (links, left) in [(1, 0), (3, 2)] {
        let mut values = USUAL;
        values[3] = links;
        let mut world = world(0, values);
        assert_eq!(world.open("/tmp/s", libc::O_RDONLY), 3);
        let path = world.text("/tmp/s");
        assert_eq!(world.call(libc::SYS_unlink, &[path]), 0);
        assert_eq!(world.decisions(), 1);
        assert_eq!(world.call(libc::SYS_fstat, &[3, DATA]), 0);
        assert_eq!(shown(&world, |attribute| attribute.stat)[3], (left, false));
        assert_eq!(world.tree("/tmp").len(), 2);
    }
}

#[test]
fn access_times_move_by_the_rule() {
    let recent = NOW as u32 - 100;
    for (atime, mtime, ctime, moves) in [
        ((recent, 5), (recent, 4), (recent, 4), false),
        ((recent, 5), (recent, 5), (recent, 4), true),
        ((recent, 5), (recent, 4), (recent + 1, 0), true),
        ((recent - 86_400, 5), (3, 0), (3, 0), true),
        ((recent - 86_000, 5), (3, 0), (3, 0), false),
    ] {
        let mut values = USUAL;
        for (at, time) in [(4, atime), (6, mtime), (8, ctime)] {
            (values[at], values[at + 1]) = time;
        }
        let mut world = world(0, values);
        assert_eq!(world.open("/tmp/s", libc::O_RDONLY), 3);
        assert_eq!(world.call(libc::SYS_read, &[3, DATA, 1]), 0);
        assert_eq!(world.decisions(), 0);
        let shown = stat(&mut world);
        let expected = if moves { (NOW, 0) } else { (atime.0.into(), atime.1.into()) };
        assert_eq!((shown[4].0, shown[5].0), expected, "{atime:?} {mtime:?} {ctime:?}");
    }
}

#[test]
fn a_sticky_directory_asks_for_the_owner() {
    for (uid, result) in [(1000, 0), (7, -i64::from(libc::EPERM))] {
        let mut values = USUAL;
        values[1] = uid;
        let mut world = world(1000, values);
        let path = world.text("/tmp/s");
        assert_eq!(world.call(libc::SYS_unlink, &[path]), result);
        assert_eq!(world.tree("/tmp").len(), if result == 0 { 2 } else { 3 });
    }
}

#[test]
fn values_come_out_at_the_end() {
    let world = world(0, USUAL);
    let memory = &world.eager.memory;
    let mut kernel = world.eager.kernel.concrete(|expression| memory.value(expression)).unwrap();
    let stat = kernel.walk_tree("/tmp/s".as_ref()).unwrap()[0].stat;
    assert_eq!((stat.mode & 0o7777, stat.uid, stat.gid, stat.nlink), (0o640, 1000, 1000, 1));
    assert_eq!((stat.atime, stat.mtime), (Timestamp::new(5, 6), Timestamp::new(3, 4)));
    assert_eq!(stat.ctime, Timestamp::new(1, 2));
}
