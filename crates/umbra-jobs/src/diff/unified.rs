//! Two programs that became one, and the texts that they were made of.

use std::collections::HashSet;
use std::path::PathBuf;

use umbra_ir::{Program, SourceFile};
use umbra_report::{Ignored, UnificationCounts};
use umbra_unify::{FunctionStatistics, Unified};
use umbra_words::Version;

use crate::Patch;

/// Two programs, and the one that they became.
pub struct Both<'a> {
    pub old: Program,
    pub new: Program,
    pub unified: Unified,
    pub texts: Texts<'a>,
    /// How long it took.
    pub seconds: f64,
}

impl Both<'_> {
    /// What it came to.
    pub fn counts(&self) -> UnificationCounts {
        let statistics = &self.unified.statistics;
        let sum =
            |count: fn(&FunctionStatistics) -> u64| statistics.changed.iter().map(count).sum();
        let ignored = self.unified.correspondence.ignored();
        UnificationCounts {
            shared: statistics.shared,
            changed: statistics.changed.len() as u64,
            rippled: sum(|function| u64::from(function.ripples)),
            two_copies: sum(|function| u64::from(function.two_copies)),
            added: statistics.added,
            removed: statistics.removed,
            globals: statistics.changed_globals,
            changes: sum(|function| function.changes),
            version_branches: sum(|function| function.version_branches),
            ignored: ignored.map(|(what, count)| Ignored { what, count }).collect(),
            seconds: self.seconds,
        }
    }
}

/// Where the texts of two programs come from.
pub enum Texts<'a> {
    /// Two revisions of a repository.
    Revisions(&'a Patch),
    /// The files that debug information names.
    Files {
        /// Built in one folder, one after the other: what is there now is not the text of both.
        common: HashSet<PathBuf>,
    },
}

impl<'a> Texts<'a> {
    /// The texts of two programs; those of revisions are known from the patch.
    pub fn new(old: &Program, new: &Program, patch: Option<&'a Patch>) -> Self {
        let paths = |program: &Program| -> HashSet<PathBuf> {
            program.files.values().map(SourceFile::path).collect()
        };
        match patch {
            Some(patch) => Self::Revisions(patch),
            None => {
                let mut common = paths(old);
                let others = paths(new);
                common.retain(|path| others.contains(path));
                Self::Files { common }
            }
        }
    }

    /// The text of a source file, where it is known.
    pub fn read(&self, version: Version, file: &SourceFile) -> Option<String> {
        match self {
            Self::Revisions(patch) => patch.text(version, file),
            Self::Files { common } => {
                let path = file.path();
                if common.contains(&path) {
                    return None;
                }
                let bytes = std::fs::read(path).ok()?;
                Some(String::from_utf8_lossy(&bytes).into_owned())
            }
        }
    }
}
