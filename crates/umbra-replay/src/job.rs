//! From a case to what the sandbox's process is told: everything is decided here.

use serde_bytes::ByteBuf;
use umbra_case::{Case, EntryKind, Resource, Stdin, Timestamp};

use crate::wire::{Job, Node, NodeKind, Source};
use crate::{Error, Limits, Note, Program};

/// Where the tree stands unless the case says otherwise.
const ROOT: &[u8] = b"/work";

/// User and group of a case that does not say: an ordinary user.
const USER: u32 = 1000;

/// The time of entries that carry none. Fixed, so that two runs of a case see the same.
const NO_TIME: Timestamp = Timestamp { seconds: 0, nanoseconds: 0 };

/// The job, and notes on what the case asks for and cannot have.
pub fn job(case: &Case, program: &Program, limits: &Limits) -> Result<(Job, Vec<Note>), Error> {
    case.check()?;
    let notes = Vec::new();
    let settings = &case.settings;
    let user = settings.user.unwrap_or(USER);
    let arguments = std::iter::once(&case.program).chain(&case.arguments);
    let bytes = |bytes: &Vec<u8>| ByteBuf::from(bytes.clone());
    let is_for_sanitizers = |variable: &[u8]| {
        [&b"ASAN_OPTIONS="[..], b"UBSAN_OPTIONS="].iter().any(|name| variable.starts_with(name))
    };
    let environment = case
        .environment
        .iter()
        .filter(|variable| !(program.is_sanitized() && is_for_sanitizers(variable)));
    let job = Job {
        program: program.id(),
        name: ByteBuf::from(file_name(&case.program)),
        arguments: arguments.map(bytes).collect(),
        environment: environment.map(bytes).collect(),
        descriptors: descriptors(case),
        root: ByteBuf::from(ROOT),
        directory: ByteBuf::new(),
        tree: case.tree.iter().map(node).collect(),
        umask: settings.umask,
        user,
        group: settings.group.unwrap_or(if settings.user.is_some() { user } else { USER }),
        resources: settings
            .limits
            .iter()
            .map(|(resource, bound)| (number(*resource), *bound, resource.name().to_owned()))
            .collect(),
        ignored_signals: settings.ignored_signals.iter().copied().collect(),
        limits: limits.clone(),
        counters: program.counters(),
        sanitizer: program.is_sanitized(),
    };
    Ok((job, notes))
}

/// The name of the executable's file: the last part of `argv[0]`, the same for every version.
fn file_name(program: &[u8]) -> Vec<u8> {
    let last = program.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    match last {
        // Longer names than a file can have are possible in `argv[0]`.
        b"" | b"." | b".." => b"program".to_vec(),
        name => name[..name.len().min(255)].to_vec(),
    }
}

fn descriptors(case: &Case) -> Vec<(u32, Source)> {
    let stdin = match &case.stdin {
        Stdin::Closed => None,
        Stdin::Null => Some(Source::Null),
        Stdin::Pipe(bytes) => Some(Source::Input(ByteBuf::from(bytes.clone()))),
        Stdin::File(bytes) => Some(Source::Content(ByteBuf::from(bytes.clone()))),
    };
    let outputs = [(1, Source::Output), (2, Source::Output)];
    stdin.map(|source| (0, source)).into_iter().chain(outputs).collect()
}

fn node(entry: &umbra_case::Entry) -> Node {
    let kind = match &entry.kind {
        EntryKind::File(content) => NodeKind::File(ByteBuf::from(content.clone())),
        EntryKind::Directory => NodeKind::Directory,
        EntryKind::Symlink(target) => NodeKind::Symlink(ByteBuf::from(target.clone())),
        EntryKind::Fifo => NodeKind::Fifo,
    };
    let time = entry.modified.unwrap_or(NO_TIME);
    Node {
        path: ByteBuf::from(entry.path.clone()),
        kind,
        mode: entry.mode,
        modified: (time.seconds, time.nanoseconds),
    }
}

fn number(resource: Resource) -> u32 {
    match resource {
        Resource::AddressSpace => libc::RLIMIT_AS,
        Resource::Core => libc::RLIMIT_CORE,
        Resource::Cpu => libc::RLIMIT_CPU,
        Resource::Data => libc::RLIMIT_DATA,
        Resource::FileSize => libc::RLIMIT_FSIZE,
        Resource::LockedMemory => libc::RLIMIT_MEMLOCK,
        Resource::OpenFiles => libc::RLIMIT_NOFILE,
        Resource::Processes => libc::RLIMIT_NPROC,
        Resource::Stack => libc::RLIMIT_STACK,
    }
}
