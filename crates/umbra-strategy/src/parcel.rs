//! States on the way from one worker to another.
//!
//! Each worker has expressions of its own, since a table that many threads build in would be slow
//! for all of them. States that move are written into a small table that belongs to nobody, and from
//! there into that of the worker that takes them. Inputs are the same if they have the same
//! name. What pairs come from, where two versions run, goes with them.

use std::collections::HashMap;

use umbra_engine::{Parked, Shared};
use umbra_expr::{Array, ArrayId, Assignment, ExprId, Expressions, Importer};

use crate::queue::StateView;
use crate::saved::SavedState;

/// A state on its way.
pub(crate) struct Moved {
    /// What its searcher knew of it.
    pub view: StateView,
    pub parked: Parked,
    /// As in [`crate::queue::Waiting`].
    pub goal: Option<(usize, ExprId)>,
}

/// States on the way from one worker to another, with their expressions.
pub(crate) struct Parcel {
    expressions: Expressions,
    /// The changes that pairs in the states come from.
    origins: Vec<(ExprId, Vec<u32>)>,
    states: Vec<Moved>,
}

impl Parcel {
    /// Packs states of a worker.
    pub fn pack(source: &Shared, mut states: Vec<Moved>) -> Self {
        let mut expressions = Expressions::new();
        let importer = translate(&source.expressions, &mut expressions, &mut states);
        let moved =
            |(pair, changes): (ExprId, &[u32])| Some((importer.imported(pair)?, changes.to_vec()));
        let origins = source.origins().filter_map(moved).collect();
        Self { expressions, origins, states }
    }

    /// Moves the states to another worker.
    pub fn unpack(self, target: &mut Shared) -> Vec<Moved> {
        let Self { expressions, origins, mut states } = self;
        let importer = translate(&expressions, &mut target.expressions, &mut states);
        for (pair, changes) in origins {
            if let Some(pair) = importer.imported(pair) {
                target.note_origin(pair, &changes);
            }
        }
        states
    }

    /// The states as data.
    pub fn save(&self) -> Vec<SavedState> {
        let save = |moved: &Moved| {
            SavedState::new(&moved.view, &moved.parked, moved.goal.is_some(), &self.expressions)
        };
        self.states.iter().map(save).collect()
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.states.len()
    }
}

fn translate<'a>(
    source: &'a Expressions,
    target: &mut Expressions,
    states: &mut [Moved],
) -> Importer<'a> {
    let arrays: HashMap<ArrayId, ArrayId> = source
        .arrays()
        .filter_map(|(array, contents)| match contents {
            Array::Input { name, size } => Some((array, target.input(name, *size))),
            Array::Table(_) => None,
        })
        .collect();
    let mut importer = Importer::new(source);
    for state in states {
        let assignment = moved_assignment(state.parked.path.assignment(), &arrays);
        state.parked.translate(assignment, &mut |input| arrays[&input.array], &mut |expression| {
            importer.import(target, expression)
        });
        if let Some((_, goal)) = &mut state.goal {
            *goal = importer.import(target, *goal);
        }
    }
    importer
}

fn moved_assignment(assignment: &Assignment, arrays: &HashMap<ArrayId, ArrayId>) -> Assignment {
    let mut moved = Assignment::new();
    for (&from, &to) in arrays {
        moved.set_bytes(to, assignment.bytes(from));
        for (offset, value) in assignment.far_bytes(from) {
            moved.set(to, offset, value);
        }
    }
    moved
}
