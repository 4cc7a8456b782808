//! Programs of the project in the tree of a case: each version runs its own.
//!
//! A recorded `diff3` runs the `diff` that it finds in its tree, and that is the one of the version
//! that was recorded. A run of another version has that version's `diff` there. In what the run
//! leaves behind it counts as the recorded one, unless the program has changed it: the case is the
//! same for all versions.

use umbra_case::{Case, EntryKind};

use crate::Program;
use umbra_compare::{Content, Outcome, TreeKind};

/// The sibling that stands at a path of the tree instead of what was recorded.
pub fn instead<'a>(case: &Case, program: &'a Program, path: &[u8]) -> Option<&'a Program> {
    let path = case.programs().find(|program| program.as_bytes() == path)?;
    program.sibling(path)
}

/// Puts what was recorded back into the tree that a run has left.
pub fn put_back(case: &Case, program: &Program, outcome: &mut Outcome) {
    for entry in &case.tree {
        let EntryKind::File(recorded) = &entry.kind else { continue };
        let Some(sibling) = instead(case, program, &entry.path) else { continue };
        let left = outcome.tree.0.iter_mut().find(|left| left.path == entry.path);
        let Some(left) = left else { continue };
        if left.kind == TreeKind::File(Content::of(sibling.bytes().to_vec())) {
            left.kind = TreeKind::File(Content::of(recorded.clone()));
        }
    }
}
