//! What a process starts from, read from /proc while it is stopped where it begins.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use libc::pid_t;

use super::Following;
use super::files::Files;
use crate::raw::{Descriptor, Interest, Note, Start, Target};
use crate::settings::Settings;
use crate::system;

/// The resources whose limits are kept.
const RESOURCES: &[u32] = &[
    libc::RLIMIT_AS,
    libc::RLIMIT_CORE,
    libc::RLIMIT_CPU,
    libc::RLIMIT_DATA,
    libc::RLIMIT_FSIZE,
    libc::RLIMIT_MEMLOCK,
    libc::RLIMIT_NOFILE,
    libc::RLIMIT_NPROC,
    libc::RLIMIT_STACK,
];
/// The number of /dev/null.
const NULL_DEVICE: libc::dev_t = libc::makedev(1, 3);
/// Devices that every system has: zero, full, random, urandom.
const DEVICES: [libc::dev_t; 4] =
    [libc::makedev(1, 5), libc::makedev(1, 7), libc::makedev(1, 8), libc::makedev(1, 9)];
/// What the kernel appends to the name of something that has none any more.
const DELETED: &[u8] = b" (deleted)";

/// A stream among the descriptors: device and inode tell it from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamKey {
    device: u64,
    inode: u64,
}

/// What is known of a process at its start.
pub struct Gathered {
    /// For the recording.
    pub start: Start,
    /// What it has touched by having it open.
    pub files: Files,
    /// Streams it can read, with the lowest descriptor of each.
    pub streams: Vec<(StreamKey, u32)>,
}

/// Reads all of it. `real` is the folder of the programs' own files.
pub fn gather(pid: pid_t, following: Following, settings: &Settings, real: &Path) -> Gathered {
    let directory = link(pid, "cwd").filter(|path| !path.ends_with(DELETED));
    let mut files = Files::new(settings, real, directory.as_deref());
    match &directory {
        Some(directory) => files.start_in(directory),
        None => {
            files.notes.insert(Note::NoDirectory);
        }
    }
    let (environment, others) = environment(pid, settings);
    let mut start = Start {
        arguments: strings(&told(pid, "cmdline")),
        environment,
        dropped: others.iter().map(|variable| name(variable).to_vec()).collect(),
        path: others.into_iter().find(|variable| name(variable) == b"PATH"),
        directory,
        limits: limits(pid),
        ..Start::default()
    };
    read_status(pid, &mut start);
    let streams = descriptors(pid, &mut start, &mut files);
    if following == Following::Filter && !streams.is_empty() && !is_reading_seen(&start) {
        files.notes.insert(Note::UnfollowedStream);
    }
    files.begin_paths();
    for library in mapped(pid) {
        files.touch(b"/", &library, true, Interest::Content);
    }
    Gathered { start, files, streams }
}

/// Whether the shim has seen that there are streams, so that reading is not filtered out.
fn is_reading_seen(start: &Start) -> bool {
    use Target::{Device, Pipe, Socket, Terminal};
    let is_stream = |target: &Target| matches!(target, Pipe | Terminal | Socket | Device(_));
    let low = start.descriptors.iter().filter(|open| open.number <= umbra_shim::HIGHEST_DESCRIPTOR);
    low.map(|open| &open.target).any(is_stream)
}

/// Libraries that the loader has mapped before the program begins.
fn mapped(pid: pid_t) -> BTreeSet<Vec<u8>> {
    let maps = told(pid, "maps");
    let path = |line: &[u8]| Some(line[line.iter().position(|byte| *byte == b'/')?..].to_vec());
    let program = link(pid, "exe");
    let paths = maps.split(|byte| *byte == b'\n').filter_map(path);
    paths.filter(|path| Some(path) != program.as_ref() && !path.ends_with(DELETED)).collect()
}

/// Where a descriptor leads: file system and inode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(u64, u64);

/// Where a descriptor of a process leads, if it is open.
pub fn place(pid: pid_t, descriptor: u32) -> Option<Place> {
    let metadata = fs::metadata(proc(pid, &format!("fd/{descriptor}"))).ok()?;
    Some(Place(metadata.dev(), metadata.ino()))
}

/// The stream that a descriptor of a process leads to.
pub fn stream_key(pid: pid_t, descriptor: u64) -> Option<StreamKey> {
    let metadata = fs::metadata(proc(pid, &format!("fd/{descriptor}"))).ok()?;
    let kind = metadata.file_type();
    let is_stream = kind.is_fifo() || kind.is_socket() || kind.is_char_device();
    is_stream.then(|| StreamKey { device: metadata.dev(), inode: metadata.ino() })
}

/// Where a link below /proc/PID leads to.
pub fn link(pid: pid_t, name: &str) -> Option<Vec<u8>> {
    fs::read_link(proc(pid, name)).ok().map(|path| path.into_os_string().into_vec())
}

fn proc(pid: pid_t, name: &str) -> PathBuf {
    PathBuf::from(format!("/proc/{pid}/{name}"))
}

/// What a file of a process says; nothing if it cannot be read.
///
/// Such a file does not tell its length, and what has room for little is filled in many small steps.
pub fn told(pid: pid_t, name: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(8 << 10);
    let read = File::open(proc(pid, name)).and_then(|mut file| file.read_to_end(&mut bytes));
    if read.is_err() {
        bytes.clear();
    }
    bytes
}

/// Strings that end with a NUL each.
fn strings(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut strings: Vec<Vec<u8>> = bytes.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect();
    strings.pop();
    strings
}

/// The variables that are kept, and the others.
fn environment(pid: pid_t, settings: &Settings) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let all = strings(&told(pid, "environ"));
    all.into_iter().partition(|variable| settings.keeps_variable(name(variable)))
}

/// The name of a variable. Without `=` it is no variable; it might be a value all the same.
fn name(variable: &[u8]) -> &[u8] {
    let length = variable.iter().position(|byte| *byte == b'=');
    &variable[..length.unwrap_or(0)]
}

/// Soft limits.
pub fn limits(pid: pid_t) -> Vec<(u32, Option<u64>)> {
    let soft = |resource: &u32| {
        let limit = system::limit(pid, *resource).ok()?;
        Some((*resource, (limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)))
    };
    RESOURCES.iter().filter_map(soft).collect()
}

/// Reads mask, user, group and signals.
fn read_status(pid: pid_t, start: &mut Start) {
    let status = told(pid, "status");
    for line in String::from_utf8_lossy(&status).lines() {
        let Some((name, value)) = line.split_once(':') else { continue };
        let value = value.trim();
        let second = || value.split_ascii_whitespace().nth(1).and_then(|id| id.parse().ok());
        match name {
            "Umask" => start.umask = u32::from_str_radix(value, 8).unwrap_or_default(),
            "Uid" => start.user = second().unwrap_or_default(),
            "Gid" => start.group = second().unwrap_or_default(),
            "SigIgn" => start.ignored = u64::from_str_radix(value, 16).unwrap_or_default(),
            _ => {}
        }
    }
}

fn descriptors(pid: pid_t, start: &mut Start, files: &mut Files) -> Vec<(StreamKey, u32)> {
    let mut numbers: Vec<u32> = fs::read_dir(proc(pid, "fd"))
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect();
    numbers.sort_unstable();
    let mut streams: Vec<(StreamKey, u32)> = Vec::new();
    for number in numbers {
        let (offset, flags) = position(pid, number);
        let target = target(pid, number, flags, start.directory.as_deref(), files);
        let same = start.descriptors.iter().find(|other| {
            other.same.is_none()
                && other.target == target
                && system::same_file(pid, other.number, number)
        });
        let same = same.map(|other| other.number);
        let readable = flags & libc::O_ACCMODE as u32 != libc::O_WRONLY as u32;
        if readable
            && matches!(target, Target::Pipe | Target::Terminal | Target::Socket)
            && let Some(key) = stream_key(pid, number.into())
            && streams.iter().all(|(other, _)| *other != key)
        {
            streams.push((key, number));
        }
        start.descriptors.push(Descriptor { number, target, flags, offset, same });
    }
    streams
}

fn position(pid: pid_t, number: u32) -> (u64, u32) {
    let bytes = told(pid, &format!("fdinfo/{number}"));
    let text = String::from_utf8_lossy(&bytes);
    let value = |name| text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let offset = value("pos:").and_then(|text| text.parse().ok()).unwrap_or_default();
    let flags = value("flags:").and_then(|text| u32::from_str_radix(text, 8).ok());
    (offset, flags.unwrap_or_default())
}

fn target(
    pid: pid_t,
    number: u32,
    flags: u32,
    directory: Option<&[u8]>,
    files: &mut Files,
) -> Target {
    let handle = proc(pid, &format!("fd/{number}"));
    let Ok(metadata) = fs::metadata(&handle) else { return Target::Other };
    let path = link(pid, &format!("fd/{number}")).unwrap_or_default();
    let kind = metadata.file_type();
    if kind.is_fifo() {
        // A named pipe is a pipe to who has it open; the name is of no use to the process.
        Target::Pipe
    } else if kind.is_socket() {
        files.notes.insert(Note::Socket);
        Target::Socket
    } else if kind.is_char_device() && metadata.rdev() == NULL_DEVICE {
        Target::Null
    } else if kind.is_char_device() && DEVICES.contains(&metadata.rdev()) {
        Target::Device(libc::minor(metadata.rdev()))
    } else if kind.is_char_device() && is_terminal(&path) {
        files.notes.insert(Note::Terminal);
        Target::Terminal
    } else if kind.is_file() && is_at(&path, &metadata) {
        // A log that grows with every invocation is not what the process starts from.
        let only_written = flags & libc::O_ACCMODE as u32 == libc::O_WRONLY as u32;
        if !only_written || directory.is_some_and(|directory| path.starts_with(directory)) {
            files.touch(b"/", &path, false, Interest::Content);
        }
        Target::File(path)
    } else if kind.is_file() {
        files.notes.insert(Note::Deleted);
        Target::Nameless(files.store(&handle, metadata.len()))
    } else if kind.is_dir() && is_at(&path, &metadata) {
        files.touch(b"/", &path, false, Interest::Existence);
        Target::Directory(path)
    } else {
        files.notes.insert(Note::Descriptor);
        Target::Other
    }
}

fn is_terminal(path: &[u8]) -> bool {
    [&b"/dev/pts/"[..], b"/dev/tty", b"/dev/console"].iter().any(|start| path.starts_with(start))
}

/// Whether a path leads to this very file: it may have been removed or replaced.
fn is_at(path: &[u8], metadata: &fs::Metadata) -> bool {
    fs::symlink_metadata(OsStr::from_bytes(path))
        .is_ok_and(|other| (other.dev(), other.ino()) == (metadata.dev(), metadata.ino()))
}
