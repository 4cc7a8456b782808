//! Which lines of two source texts are the same line.
//!
//! The textual diff says how people see a patch: what it maps elsewhere is not one instruction, and
//! what it maps is a good sign. Lines are compared without the white space around them. Where a text cannot be read,
//! nothing is known of its lines.

use std::collections::{HashMap, HashSet};

use similar::{Algorithm, DiffOp};
use umbra_ir::{FileId, Id, LocationId, Program, SourceFile};

use crate::Version;
use crate::files::Files;

/// Reads the text of a source file of a version, if it is known.
pub type ReadSource<'a> = &'a dyn Fn(Version, &SourceFile) -> Option<String>;

/// A line of a source file.
pub type Line = (FileId, u32);

/// What the textual diff says of two lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The same line.
    Same,
    /// Nothing is known, or both were edited.
    Open,
    /// At least one of them is another line of the other text.
    Other,
}

/// The map of lines of two programs.
#[derive(Default)]
pub struct Lines {
    /// For each file of the old program the first of the same path; the new one's.
    old_files: Vec<FileId>,
    new_files: Vec<FileId>,
    /// From old to new.
    forth: HashMap<Line, Line>,
    /// From new to old.
    back: HashMap<Line, Line>,
    /// Edits by file of the new version: hunks, lines removed, lines added.
    pub edits: Vec<FileEdits>,
}

/// What the diff of one file comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEdits {
    /// The file in the old version.
    pub old: FileId,
    /// The file in the new version.
    pub new: FileId,
    /// Runs of lines that differ.
    pub hunks: u64,
    /// Lines of the old text that are gone.
    pub removed: u64,
    /// Lines of the new text that were not there.
    pub added: u64,
}

impl Lines {
    /// Compares those files that hold code of functions that differ.
    pub fn compare(
        old: &Program,
        new: &Program,
        files: &Files,
        wanted: &dyn Fn(FileId) -> bool,
        read: ReadSource<'_>,
    ) -> Self {
        let (old_files, new_files) = files.firsts();
        let wanted: HashSet<FileId> = old
            .files
            .ids()
            .filter(|file| wanted(*file))
            .map(|file| old_files[file.index()])
            .collect();
        let mut lines = Self { old_files, new_files, ..Self::default() };
        let mut pairs: Vec<_> = files.pairs().filter(|(old, _)| wanted.contains(old)).collect();
        pairs.sort_unstable();
        for (old_id, new_id) in pairs {
            let texts =
                (read(Version::Old, &old.files[old_id]), read(Version::New, &new.files[new_id]));
            let (Some(old_text), Some(new_text)) = texts else { continue };
            lines.add(old_id, &old_text, new_id, &new_text);
        }
        lines
    }

    fn add(&mut self, old: FileId, old_text: &str, new: FileId, new_text: &str) {
        let trimmed = |text| -> Vec<&str> { str::lines(text).map(str::trim).collect() };
        let (left, right) = (trimmed(old_text), trimmed(new_text));
        let mut edits = FileEdits { old, new, hunks: 0, removed: 0, added: 0 };
        for op in similar::capture_diff_slices(Algorithm::Patience, &left, &right) {
            match op {
                DiffOp::Equal { old_index, new_index, len } => {
                    for at in 0..len {
                        let a = (old, (old_index + at) as u32 + 1);
                        let b = (new, (new_index + at) as u32 + 1);
                        self.forth.insert(a, b);
                        self.back.insert(b, a);
                    }
                }
                DiffOp::Delete { old_len, .. } => {
                    edits.hunks += 1;
                    edits.removed += old_len as u64;
                }
                DiffOp::Insert { new_len, .. } => {
                    edits.hunks += 1;
                    edits.added += new_len as u64;
                }
                DiffOp::Replace { old_len, new_len, .. } => {
                    edits.hunks += 1;
                    edits.removed += old_len as u64;
                    edits.added += new_len as u64;
                }
            }
        }
        if edits.hunks > 0 {
            self.edits.push(edits);
        }
    }

    /// Where a line of the old text is in the new one.
    pub fn forth(&self, old: Line) -> Option<Line> {
        self.forth.get(&first(&self.old_files, old)).copied()
    }

    /// Where a line of the new text is in the old one.
    pub fn back(&self, new: Line) -> Option<Line> {
        self.back.get(&self.in_new(new)).copied()
    }

    /// A line of the new text, in the first file of the same path.
    pub fn in_new(&self, new: Line) -> Line {
        first(&self.new_files, new)
    }

    /// What the diff says of two lines.
    pub fn verdict(&self, old: Option<Line>, new: Option<Line>) -> Verdict {
        let (Some(old), Some(new)) = (old, new) else {
            return Verdict::Open;
        };
        let (old, new) = (first(&self.old_files, old), self.in_new(new));
        match (self.forth.get(&old), self.back.get(&new)) {
            (Some(forth), _) if *forth == new => Verdict::Same,
            (None, None) => Verdict::Open,
            _ => Verdict::Other,
        }
    }
}

fn first(files: &[FileId], (file, line): Line) -> Line {
    (files.get(file.index()).copied().unwrap_or(file), line)
}

/// The line of a location; of inlined code, that of the text itself.
pub fn line_of(program: &Program, location: Option<LocationId>) -> Option<Line> {
    let location = &program.locations[location?];
    (location.line != 0).then_some((location.file, location.line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_diff_forbids_and_favours() {
        let (old, new) = (FileId::from_index(0), FileId::from_index(5));
        let mut lines = Lines::default();
        lines.add(old, "a\nb\nc\n", new, "x\na\n  b\nd\n");
        let verdict = |a, b| lines.verdict(Some((old, a)), Some((new, b)));
        assert_eq!(verdict(1, 2), Verdict::Same);
        assert_eq!(verdict(2, 3), Verdict::Same, "white space around lines means nothing");
        assert_eq!(verdict(1, 3), Verdict::Other);
        assert_eq!(verdict(3, 3), Verdict::Other);
        assert_eq!(verdict(3, 4), Verdict::Open);
        assert_eq!(lines.verdict(None, Some((new, 1))), Verdict::Open);
        assert_eq!(lines.edits, [FileEdits { old, new, hunks: 2, removed: 1, added: 2 }]);
    }
}
