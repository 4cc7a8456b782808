//! Running a script on both sides and comparing what comes of it. The model runs twice: on numbers,
//! and on expressions that have these numbers as their values.

use crate::model::{Model, User};
use crate::native::{self, Native};
use crate::script::Op;
use crate::sides;
use rustix::fs::{AtFlags, CWD};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use umbra_os::Kernel;

/// The tree that every script starts from, besides what it sets up itself.
const SETUP: &str = "
mkdir d 755
mkdir d/sub 755
mkdir e 755
open s0 a CREAT|RDWR 644
write s0 contents-of-a
open s0 d/x CREAT|RDWR 600
write s0 contents-of-x
link a hard
symlink a la
symlink d ld
symlink nowhere dangling
symlink loop loop
symlink d/x lx
open s0 sparse CREAT|RDWR 644
pwrite s0 middle 20000
ftruncate s0 100000
mknod fifo fifo 644
open s0 e/suid CREAT|RDWR 644
chmod e/suid 6755
close s0
";

/// What comes of a script.
pub(crate) enum Outcome {
    Agrees,
    /// The path of the model has ended before the script.
    Cut,
    Differs(String),
}

/// Compares on a script file's text; the difference comes back.
pub(crate) fn check(text: &str) -> Result<(), String> {
    let lines: Vec<String> = text
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
        .map(str::to_owned)
        .collect();
    match run_both(&lines) {
        Outcome::Differs(report) => Err(report),
        Outcome::Agrees | Outcome::Cut => Ok(()),
    }
}

/// Runs the script on both sides; the first difference comes back.
pub(crate) fn run_both(lines: &[String]) -> Outcome {
    let place = tempfile::tempdir().unwrap();
    let other = lines.first().and_then(|line| line.strip_prefix("user "));
    let other: Option<u32> = other.map(|uid| uid.parse().unwrap());
    // Only the superuser can become somebody else.
    if other.is_some() && !rustix::process::geteuid().is_root() {
        return Outcome::Agrees;
    }
    let user = other.map_or_else(User::own, User::numbered);
    let lines: Vec<&str> =
        lines.iter().map(String::as_str).filter(|line| !line.starts_with("user ")).collect();
    let (native_root, model_root) = (place.path().join("one/root"), place.path().join("two/root"));
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
    let setup = SETUP
        .lines()
        .filter(|line| !line.is_empty())
        .chain(lines.iter().filter_map(|line| line.strip_prefix("setup ")));
    let setup: Vec<Op> = setup.map(Op::parse).collect();
    for root in [&native_root, &model_root] {
        std::fs::create_dir_all(root).unwrap();
        rustix::fs::chmod(place.path(), rustix::fs::Mode::from_raw_mode(0o755)).unwrap();
        let mut runner = Native::new(root);
        for op in &setup {
            let result = runner.run(op);
            assert!(!result.starts_with("errno"), "setup {op:?}: {result}");
        }
    }
    let ops: Vec<Op> = lines
        .iter()
        .filter(|line| !line.starts_with("setup "))
        .map(|line| Op::parse(line))
        .collect();
    // Not all that can be done with these is modelled.
    let may_be_cut = ops.iter().any(|op| sides::NAMES.contains(&op.name.as_str()));
    let before = native_tree(&model_root);
    let native_results = run_native(&native_root, other, &ops);
    let native = native_tree(native_root.parent().unwrap());
    let models = [
        ("model", Model::new(&model_root, &user)),
        ("symbolic", Model::symbolic(&model_root, &user)),
    ];
    let mut outcome = Outcome::Agrees;
    for (name, mut model) in models {
        for (n, op) in ops.iter().enumerate() {
            let result = model.run(op);
            if let Some(why) = &model.cut {
                if !may_be_cut {
                    let report = format!("operation {n}, {op:?}\n  {name} is cut: {why}");
                    return Outcome::Differs(report);
                }
                break;
            }
            if result != native_results[n] {
                return Outcome::Differs(format!(
                    "operation {n}, {op:?}\n  native: {}\n  {name}: {result}",
                    native_results[n]
                ));
            }
        }
        assert_eq!(before, native_tree(&model_root), "the model changed the host");
        if model.cut.is_some() {
            outcome = Outcome::Cut;
            continue;
        }
        let tree = model_tree(&mut model.concrete(), model_root.parent().unwrap());
        if let Some(text) = difference(&native, &tree) {
            return Outcome::Differs(format!("{name}: {text}"));
        }
    }
    outcome
}

/// Runs in a thread of its own, since a user id is set per thread.
fn run_native(root: &Path, other: Option<u32>, ops: &[Op]) -> Vec<String> {
    let _alone = crate::host_alone();
    let (root, ops) = (root.to_owned(), ops.to_owned());
    let work = move || {
        if let Some(uid) = other {
            use rustix::fs::{Gid, Uid};
            rustix::thread::set_thread_groups(&[Gid::from_raw(uid)]).unwrap();
            let gid = Gid::from_raw(uid);
            rustix::thread::set_thread_res_gid(gid, gid, gid).unwrap();
            let uid = Uid::from_raw(uid);
            rustix::thread::set_thread_res_uid(uid, uid, uid).unwrap();
        }
        let mut runner = Native::new(&root);
        ops.iter().map(|op| runner.run(op)).collect()
    };
    std::thread::spawn(work).join().unwrap()
}

type Tree = BTreeMap<PathBuf, String>;

fn native_tree(root: &Path) -> Tree {
    let mut tree = Tree::new();
    let mut groups = BTreeMap::new();
    visit(root, Path::new(""), &mut tree, &mut groups);
    tree
}

fn visit(root: &Path, path: &Path, tree: &mut Tree, groups: &mut BTreeMap<u64, PathBuf>) {
    let host = if path.as_os_str().is_empty() { root.to_owned() } else { root.join(path) };
    let stat = rustix::fs::statat(CWD, &host, AtFlags::SYMLINK_NOFOLLOW).unwrap();
    let first = groups.entry(stat.st_ino).or_insert_with(|| path.to_owned()).clone();
    // Access times move when this walk itself reads.
    let mut text = format!("{} same as {}", without_access(&native::show(&stat)), first.display());
    match stat.st_mode & libc::S_IFMT {
        libc::S_IFREG => {
            let bytes = std::fs::read(&host).unwrap();
            write!(text, " {:x}", checksum(&bytes)).unwrap();
        }
        libc::S_IFLNK => {
            let target = std::fs::read_link(&host).unwrap();
            let target = target.display().to_string().replace(root.to_str().unwrap(), "@");
            write!(text, " -> {target}").unwrap();
        }
        libc::S_IFDIR => {
            let mut names: Vec<_> =
                std::fs::read_dir(&host).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            for name in names {
                visit(root, &path.join(name), tree, groups);
            }
        }
        _ => {}
    }
    tree.insert(path.to_owned(), text);
}

fn model_tree(kernel: &mut Kernel, root: &Path) -> Tree {
    let entries = kernel.walk_tree(root).unwrap();
    let mut groups = BTreeMap::new();
    let mut tree = Tree::new();
    for entry in entries {
        let first = groups.entry(entry.id).or_insert_with(|| entry.path.clone()).clone();
        let stat = entry.stat;
        let shown = crate::script::Shown {
            mode: stat.mode,
            nlink: stat.nlink,
            uid: stat.uid,
            gid: stat.gid,
            rdev: stat.rdev,
            size: stat.size,
            blocks: stat.blocks,
            blksize: stat.blksize,
            atime: stat.atime.seconds,
            mtime: stat.mtime.seconds,
        };
        let mut text =
            format!("{} same as {}", without_access(&shown.to_string()), first.display());
        match stat.mode & libc::S_IFMT {
            libc::S_IFREG => {
                let mut bytes = vec![0; stat.size as usize];
                kernel.read_file(entry.id, 0, &mut bytes).unwrap();
                write!(text, " {:x}", checksum(&bytes)).unwrap();
            }
            libc::S_IFLNK => {
                let target = String::from_utf8(entry.target.unwrap()).unwrap();
                write!(text, " -> {}", target.replace(root.to_str().unwrap(), "@")).unwrap();
            }
            _ => {}
        }
        tree.insert(entry.path, text);
    }
    tree
}

fn without_access(shown: &str) -> String {
    let (front, times) = shown.split_once(" times ").unwrap();
    format!("{front} changed {}", times.split(' ').nth(1).unwrap())
}

fn checksum(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

fn difference(native: &Tree, model: &Tree) -> Option<String> {
    let mut text = String::new();
    for path in native.keys().chain(model.keys().filter(|path| !native.contains_key(*path))) {
        let (one, two) = (native.get(path), model.get(path));
        if one != two {
            writeln!(text, "tree at {}:\n  native: {one:?}\n  model:  {two:?}", path.display())
                .unwrap();
        }
    }
    (!text.is_empty()).then_some(text)
}

/// Leaves out operations as long as there is still a difference.
pub(crate) fn shrink(mut lines: Vec<String>) -> Vec<String> {
    let mut size = lines.len() / 2;
    while size > 0 {
        let mut at = 0;
        while at < lines.len() {
            let mut fewer = lines.clone();
            fewer.drain(at..(at + size).min(lines.len()));
            let keeps_user = lines[0].starts_with("user ")
                == fewer.first().is_some_and(|line| line.starts_with("user "));
            if keeps_user && matches!(run_both(&fewer), Outcome::Differs(_)) {
                lines = fewer;
            } else {
                at += size;
            }
        }
        size /= 2;
    }
    lines
}
