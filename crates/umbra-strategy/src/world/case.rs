//! From the end of a path to a test case.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use umbra_case::{
    Call, Case, Entry, EntryKind, Expected, Listing, Object, ObjectId, Resource, Stdin, Timestamp,
};
use umbra_engine::{Byte, Path, Shared, Termination};
use umbra_expr::{ArrayId, Assignment, ExprId};
use umbra_os::{Kernel, OutputAction, SymbolicKind};

use crate::words::end_of;

use super::build::{Built, BuiltData, BuiltFile, StartArgument};

impl Built {
    /// The test case of a path that began with the start of this number. Where memory was
    /// `refused`, its limit is part of the case.
    pub fn case(
        &self,
        start: usize,
        path: &Path,
        kernel: &Kernel,
        refused: Option<u64>,
        shared: &mut Shared,
        termination: &Termination,
    ) -> Case {
        let assignment = path.assignment();
        let arguments = self.starts[start].arguments.iter().map(|argument| match argument {
            StartArgument::Given(text) => text.clone(),
            StartArgument::Symbolic { array, length } => text_of(assignment, *array, *length),
        });
        let call = self.starts[start].call.clone();
        let fixed = &self.starts[start].process.environment;
        let mut environment: Vec<Vec<u8>> = fixed
            .iter()
            .filter_map(|text| text.iter().map(|byte| byte.concrete()).collect())
            // The call says it.
            .filter(|text: &Vec<u8>| call.is_none() || !Call::is_variable(text))
            .collect();
        for (name, array, length) in &self.variables {
            let mut text = format!("{name}=").into_bytes();
            text.extend(text_of(assignment, *array, *length));
            environment.push(text);
        }
        let objects = path.inputs().to_vec().into_iter().map(|input| Object {
            name: input.name.as_bytes().to_vec(),
            bytes: bytes_of(assignment, input.array, input.size),
        });
        let root = self.world.base.as_ref().map_or(Case::ROOT, Case::root);
        let made = Case {
            program: self.world.program.clone(),
            arguments: arguments.collect(),
            environment,
            objects: objects.collect(),
            call,
            expected: expected(root, path, kernel, shared, termination),
            ..Case::default()
        };
        let stdin = self.stdin.as_ref().map(|data| data.value(assignment));
        let entries = self.files.iter().filter_map(|file| file.entry(assignment));
        let mut case = match &self.world.base {
            None => Case {
                stdin: stdin.map_or(Stdin::Null, Stdin::Pipe),
                tree: entries.collect(),
                ..made
            },
            Some(base) => Case {
                stdin: match (stdin, &base.stdin) {
                    (None, given) => given.clone(),
                    (Some(bytes), Stdin::File(_)) => Stdin::File(bytes),
                    (Some(bytes), _) => Stdin::Pipe(bytes),
                },
                descriptors: base.descriptors.clone(),
                root: base.root.clone(),
                directory: base.directory.clone(),
                tree: with_contents(&base.tree, entries),
                settings: base.settings.clone(),
                ..made
            },
        };
        if let Some(space) = refused {
            case.settings.limits.entry(Resource::AddressSpace).or_insert(Some(space));
        }
        case
    }
}

/// A tree whose files have the contents of these.
fn with_contents(tree: &[Entry], others: impl Iterator<Item = Entry>) -> Vec<Entry> {
    let mut tree = tree.to_vec();
    for other in others {
        if let Some(entry) = tree.iter_mut().find(|entry| entry.path == other.path) {
            entry.kind = other.kind;
        }
    }
    tree
}

impl BuiltData {
    fn value(&self, assignment: &Assignment) -> Vec<u8> {
        let mut bytes =
            self.array.map_or(Vec::new(), |array| bytes_of(assignment, array, self.size));
        if let Some(length) = self.length {
            bytes.truncate(number_of(assignment, length, 0, 4) as usize);
        }
        bytes
    }
}

impl BuiltFile {
    fn entry(&self, assignment: &Assignment) -> Option<Entry> {
        if self.exists.is_some_and(|array| assignment.get(array, 0) & 1 == 0) {
            return None;
        }
        let kind = self.kind.map_or(0, |array| number_of(assignment, array, 0, 1));
        let kind = match SymbolicKind::from_number(kind) {
            SymbolicKind::Directory => EntryKind::Directory,
            SymbolicKind::Symlink => EntryKind::Symlink(b"/nonexistent".to_vec()),
            SymbolicKind::Fifo => EntryKind::Fifo,
            SymbolicKind::Regular | SymbolicKind::CharacterDevice => {
                EntryKind::File(self.data.value(assignment))
            }
        };
        let mut entry = Entry::new(self.name.as_os_str().as_bytes(), kind);
        if let Some(array) = self.permissions {
            entry.mode = number_of(assignment, array, 0, 2) as u32 & 0o7777;
        }
        entry.modified = self.modified.map(|array| Timestamp {
            seconds: number_of(assignment, array, 0, 8) as i64,
            nanoseconds: number_of(assignment, array, 8, 4) as u32,
        });
        Some(entry)
    }
}

fn expected(
    root: &[u8],
    path: &Path,
    kernel: &Kernel,
    shared: &mut Shared,
    termination: &Termination,
) -> Expected {
    let end = end_of(termination);
    let mut evaluation = shared.evaluation(path.assignment());
    let tree = left(root, kernel, |value| evaluation.value_u64(value));
    // A test case has a copy of all of it.
    if kernel.output_bytes() > LARGEST_OUTPUT {
        return Expected { end: Some(end), stdout: None, stderr: None, tree };
    }
    let mut streams = [Vec::new(), Vec::new()];
    for event in kernel.output() {
        let stream = if event.sink.0 == 1 { &mut streams[0] } else { &mut streams[1] };
        if let OutputAction::Write { bytes, .. } = &event.action {
            stream.extend(bytes.iter().map(|byte| match byte {
                Byte::Concrete(value) => value,
                Byte::Symbolic(value) => evaluation.value_u64(value) as u8,
            }));
        }
    }
    let [stdout, stderr] = streams;
    Expected { end: Some(end), stdout: Some(stdout), stderr: Some(stderr), tree }
}

/// Bytes of output beyond which it is not predicted.
const LARGEST_OUTPUT: u64 = 1 << 24;

/// Bytes of one file beyond which the tree is not predicted: a program can make one of any size
/// without writing it.
const LARGEST_FILE: u64 = 1 << 24;

/// What is below the case's root, as text. `None` if the model does not know.
fn left(root: &[u8], kernel: &Kernel, value: impl FnMut(ExprId) -> u64) -> Option<Vec<u8>> {
    let mut kernel = kernel.concrete(value).ok()?;
    let root = std::path::Path::new(OsStr::from_bytes(root));
    let mut listing = Listing::default();
    for entry in kernel.walk_tree(root).ok()? {
        let (path, mode) = (entry.path.as_os_str().as_bytes(), entry.stat.mode);
        match (mode & libc::S_IFMT, entry.target) {
            _ if path.is_empty() => {}
            (_, Some(target)) => listing.symlink(path, &target),
            (libc::S_IFDIR, _) => listing.directory(path, mode),
            (libc::S_IFREG, _) if entry.stat.size > LARGEST_FILE => return None,
            (libc::S_IFREG, _) => {
                let mut bytes = vec![0; usize::try_from(entry.stat.size).ok()?];
                let read = kernel.read_file(entry.id, 0, &mut bytes).ok()?;
                bytes.truncate(read);
                listing.file(path, mode, bytes.len() as u64, &ObjectId::of(&bytes));
            }
            (libc::S_IFIFO, _) => listing.special(path, "fifo"),
            (libc::S_IFSOCK, _) => listing.special(path, "socket"),
            _ => return None,
        }
    }
    Some(listing.to_bytes())
}

fn bytes_of(assignment: &Assignment, array: ArrayId, size: u32) -> Vec<u8> {
    (0..size).map(|offset| assignment.get(array, offset)).collect()
}

/// A string: bytes after a NUL do not exist.
fn text_of(assignment: &Assignment, array: ArrayId, size: u32) -> Vec<u8> {
    let mut bytes = bytes_of(assignment, array, size);
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    bytes.truncate(end);
    bytes
}

fn number_of(assignment: &Assignment, array: ArrayId, offset: u32, size: u32) -> u64 {
    (0..size)
        .rev()
        .fold(0, |value, index| (value << 8) | u64::from(assignment.get(array, offset + index)))
}
