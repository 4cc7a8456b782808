//! From a raw recording to a test case.

mod descriptors;
pub mod programs;
mod root;
mod settings;
mod tree;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use umbra_case::{Case, Expected};
use umbra_tracer::raw::{self, Cap, Content, Note, Recording};
use umbra_words::End;

pub use settings::Baseline;

/// Why an invocation is no test case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Incomplete {
    /// It exceeds a limit.
    Exceeded(Cap),
    /// The tracer has noted that something is missing, or not as without it.
    Noted(Note),
    /// It uses files that have no folder in common but the root of the machine.
    NoCommonFolder,
    /// A test case cannot hold it: a descriptor, a name, a variable.
    Inexpressible,
    /// The limit of the whole run was reached before.
    Total,
}

/// Notes that keep an invocation from being a test case.
const REFUSED: &[Note] = &[
    Note::NoDirectory,
    Note::Unresolved,
    Note::Unseen,
    Note::Debugger,
    Note::Unreadable,
    Note::UnfollowedStream,
];

impl Incomplete {
    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exceeded(cap) => cap.name(),
            Self::Noted(note) => note.name(),
            Self::NoCommonFolder => "no-common-folder",
            Self::Inexpressible => "inexpressible",
            Self::Total => "total-bytes",
        }
    }
}

/// Contents by their hash.
pub(crate) struct Objects<'a>(pub &'a Path);

impl Objects<'_> {
    fn read(&self, content: Content) -> Result<Vec<u8>, Incomplete> {
        match content {
            Content::Object(hash) => {
                let name: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
                fs::read(self.0.join(name)).map_err(|_| Incomplete::Noted(Note::Unreadable))
            }
            // Nobody has read it, so that any bytes do; the length can be seen.
            Content::Unread(length) => match usize::try_from(length) {
                Ok(length) if length <= MOST_UNREAD => Ok(vec![0; length]),
                _ => Err(Incomplete::Exceeded(Cap::File)),
            },
        }
    }
}

/// Files that nobody has read are made up to this size.
const MOST_UNREAD: usize = 16 << 20;

/// Makes the test case of a recording whose contents are in a folder.
pub fn convert(
    recording: &Recording,
    objects: &Path,
    baseline: &Baseline,
) -> Result<Case, Incomplete> {
    let objects = Objects(objects);
    refuse_incomplete(recording)?;
    let start = &recording.start;
    let mut arguments = start.arguments.iter().cloned();
    let mut case = Case {
        program: arguments.next().unwrap_or_default(),
        arguments: arguments.collect(),
        environment: environment(recording),
        settings: settings::settings(start, baseline),
        ..Case::default()
    };
    let (root, directory) = root::root(recording)?;
    case.directory = directory;
    case.tree = tree::tree(recording, &root, &objects)?;
    descriptors::add(&mut case, recording, &root, &objects)?;
    case.expected = expected(&case, recording);
    if root::is_named(&case, recording, &root) {
        case.root = Some(root);
    }
    if let Some(test) = &recording.test {
        case.origin.insert("test".to_owned(), String::from_utf8_lossy(test).into_owned());
    }
    let notes: BTreeSet<&str> = recording.notes.iter().map(|note| note.name()).collect();
    if !notes.is_empty() {
        let notes: Vec<&str> = notes.into_iter().collect();
        case.origin.insert("notes".to_owned(), notes.join(" "));
    }
    case.check().map_err(|_| Incomplete::Inexpressible)?;
    Ok(case)
}

/// What it has in its environment. It matters where programs are looked for only to those that run
/// some; in all other cases the places of this machine would be for nothing.
fn environment(recording: &Recording) -> Vec<Vec<u8>> {
    let mut environment = recording.start.environment.clone();
    if keeps_path(recording) {
        environment.extend(recording.start.path.clone());
    }
    environment
}

/// Whether the variable `PATH` is stored.
pub fn keeps_path(recording: &Recording) -> bool {
    [Note::Executes, Note::Spawns].iter().any(|note| recording.notes.contains(note))
}

fn refuse_incomplete(recording: &Recording) -> Result<(), Incomplete> {
    if let Some(cap) = recording.exceeded.first() {
        return Err(Incomplete::Exceeded(*cap));
    }
    let found = REFUSED.iter().find(|note| recording.notes.contains(note));
    found.map_or(Ok(()), |note| Err(Incomplete::Noted(*note)))
}

/// What the invocation did, as far as it was seen to its end. Output that did not go to a pipe is no
/// output to who runs the case.
fn expected(case: &Case, recording: &Recording) -> Expected {
    let end = end(recording);
    let output = |number: u32| {
        let bytes = recording.outputs[number as usize - 1].clone();
        bytes.filter(|_| end.is_some() && !case.descriptors.contains_key(&number))
    };
    Expected { stdout: output(1), stderr: output(2), end, ..Expected::default() }
}

fn end(recording: &Recording) -> Option<End> {
    match recording.end {
        raw::End::Unknown => None,
        raw::End::Exited(status) => Some(End::Exited(status)),
        raw::End::Killed(signal) => Some(End::Killed(signal)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_who_runs_other_programs_keeps_the_path() {
        let mut recording = Recording::default();
        recording.start.environment = vec![b"LANG=C".to_vec()];
        recording.start.path = Some(b"PATH=/somewhere".to_vec());
        assert_eq!(environment(&recording), [b"LANG=C"]);
        for note in [Note::Executes, Note::Spawns] {
            recording.notes = BTreeSet::from([note]);
            assert_eq!(environment(&recording), [&b"LANG=C"[..], b"PATH=/somewhere"]);
        }
    }
}
