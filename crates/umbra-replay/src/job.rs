//! From a case to what the sandbox's process is told: everything is decided here.

use std::collections::BTreeMap;

use serde_bytes::ByteBuf;
use umbra_case::{Access, Call, Case, Descriptor, Entry, EntryKind, KTest, Stdin};

use crate::wire::{Job, Node, NodeKind, Source};
use crate::{Error, Limits, Program, siblings};
use umbra_compare::Note;

/// The time of entries that carry none, in seconds and nanoseconds. Fixed, so that two runs of a
/// case see the same.
pub const NO_TIME: (i64, u32) = (0, 0);

/// The job, and notes on what the case asks for and cannot have.
pub fn job(case: &Case, program: &Program, limits: &Limits) -> Result<(Job, Vec<Note>), Error> {
    case.check()?;
    let mut notes = Vec::new();
    let settings = &case.settings;
    let (user, group) = settings.identity();
    notes.extend(foreign_owners(&case.tree, user, group));
    let arguments = std::iter::once(&case.program).chain(&case.arguments);
    let bytes = |bytes: &Vec<u8>| ByteBuf::from(bytes.clone());
    let is_for_sanitizers = |variable: &[u8]| {
        [&b"ASAN_OPTIONS="[..], b"UBSAN_OPTIONS="].iter().any(|name| variable.starts_with(name))
    };
    let objects = objects(case)?;
    let environment = case.environment.iter().filter(|variable| {
        !(program.is_sanitized() && is_for_sanitizers(variable)
            || objects.is_some() && names_objects(variable))
    });
    let call = case.call.as_ref().map(Call::variable).map(ByteBuf::from);
    let job = Job {
        program: program.id(),
        name: ByteBuf::from(file_name(&case.program)),
        arguments: arguments.map(bytes).collect(),
        environment: environment.map(bytes).chain(call).collect(),
        descriptors: descriptors(case),
        root: ByteBuf::from(case.root()),
        directory: ByteBuf::from(case.directory.clone()),
        tree: case.tree.iter().map(|entry| node(case, program, entry)).collect(),
        umask: settings.umask,
        user,
        group,
        resources: settings
            .limits
            .iter()
            .map(|(resource, bound)| (resource.number(), *bound, resource.name().to_owned()))
            .collect(),
        ignored_signals: settings.ignored_signals.iter().copied().collect(),
        limits: limits.of(case),
        counters: program.counters(),
        sanitizer: program.is_sanitized(),
        objects,
    };
    Ok((job, notes))
}

/// The file from which the program takes what it makes symbolic itself.
fn objects(case: &Case) -> Result<Option<ByteBuf>, Error> {
    if case.objects.is_empty() {
        return Ok(None);
    }
    Ok(Some(ByteBuf::from(KTest::of_objects(case).encode().map_err(Error::Objects)?)))
}

/// Whether a variable says where that file is.
fn names_objects(variable: &[u8]) -> bool {
    let rest = variable.strip_prefix(Case::OBJECTS_VARIABLE.as_bytes());
    rest.is_some_and(|rest| rest.starts_with(b"="))
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

/// Entries that belong to somebody else: a single user is mapped into the sandbox.
fn foreign_owners(tree: &[Entry], user: u32, group: u32) -> impl Iterator<Item = Note> {
    let is_foreign = move |entry: &&Entry| {
        entry.owner.is_some_and(|owner| (owner.user, owner.group) != (user, group))
    };
    tree.iter().filter(is_foreign).map(|entry| Note::Owner { path: entry.path.clone() })
}

/// In ascending order, so that a descriptor is there before another is the same.
fn descriptors(case: &Case) -> Vec<(u32, Source)> {
    let mut sources = BTreeMap::from([(1, Source::Output), (2, Source::Output)]);
    let stdin = match &case.stdin {
        Stdin::Closed => None,
        Stdin::Null => Some(Source::Null),
        Stdin::Pipe(bytes) => Some(Source::Input(ByteBuf::from(bytes.clone()))),
        Stdin::File(bytes) => Some(Source::Content(ByteBuf::from(bytes.clone()))),
    };
    sources.extend(stdin.map(|source| (0, source)));
    for (number, descriptor) in &case.descriptors {
        let source = match descriptor {
            Descriptor::Closed => {
                sources.remove(number);
                continue;
            }
            Descriptor::Null => Source::Null,
            Descriptor::Terminal => Source::Terminal,
            Descriptor::Pipe(_) if matches!(number, 1 | 2) => Source::Output,
            Descriptor::Pipe(bytes) => Source::Input(ByteBuf::from(bytes.clone())),
            Descriptor::File { path, offset, access, append } => Source::File {
                path: ByteBuf::from(path.clone()),
                offset: *offset,
                read: *access != Access::Write,
                write: *access != Access::Read,
                append: *append,
            },
            Descriptor::Device { device, access } => Source::Device {
                path: device.path().to_owned(),
                read: *access != Access::Write,
                write: *access != Access::Read,
            },
            Descriptor::Same(other) => Source::Same(*other),
        };
        sources.insert(*number, source);
    }
    sources.into_iter().collect()
}

fn node(case: &Case, program: &Program, entry: &Entry) -> Node {
    let kind = match &entry.kind {
        EntryKind::File(content) => {
            let sibling = siblings::instead(case, program, &entry.path);
            NodeKind::File(ByteBuf::from(sibling.map_or(&**content, Program::bytes)))
        }
        EntryKind::Directory => NodeKind::Directory,
        EntryKind::Symlink(target) => NodeKind::Symlink(ByteBuf::from(target.clone())),
        EntryKind::Fifo => NodeKind::Fifo,
    };
    Node {
        path: ByteBuf::from(entry.path.clone()),
        kind,
        mode: entry.mode,
        modified: entry.modified.map_or(NO_TIME, |time| (time.seconds, time.nanoseconds)),
    }
}
