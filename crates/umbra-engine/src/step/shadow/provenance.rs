//! Which changes a difference comes from.
//!
//! A pair is noted with the operations that made it: the annotation of the change itself, or what
//! the pairs came from that made the versions run alone. Equal pairs are one expression, so a pair
//! that two changes make, be it on different paths, is noted with both; of these, the changes that
//! have run on a state's own path are those that its difference comes from.

use umbra_expr::{ExprId, IdSet, Kind};

use crate::code::{Image, Place};
use crate::state::{Shared, State};
use crate::step::Machine;

/// More changes than this are not told apart.
const MOST: usize = 16;

impl Shared {
    /// Notes where a pair comes from.
    pub fn note_origin(&mut self, pair: ExprId, changes: &[u32]) {
        if self.expressions.kind(pair) != Kind::Pair {
            return;
        }
        let known = self.origins.entry(pair).or_default();
        for change in changes {
            if !known.contains(change) && known.len() < MOST {
                known.push(*change);
                self.pair_makers.insert(*change);
            }
        }
    }

    /// Notes where a pair comes from that a join has made.
    pub(crate) fn note_fresh(&mut self, pair: ExprId, changes: &[u32]) {
        self.note_origin(pair, changes);
        if self.expressions.contains_pair(pair) {
            self.fresh.push(pair);
        }
    }

    /// All pairs, with the changes that they come from.
    pub fn origins(&self) -> impl Iterator<Item = (ExprId, &[u32])> {
        self.origins.iter().map(|(&pair, changes)| (pair, changes.as_slice()))
    }

    /// How many changes have made a value that differs between the versions, on any path so far.
    pub fn pair_maker_count(&self) -> usize {
        self.pair_makers.len()
    }

    /// Where these changes are.
    pub fn pair_makers(&self, image: &Image) -> Vec<Place> {
        let changes: Vec<u32> = self.pair_makers.iter().copied().collect();
        places_of(image, &changes)
    }

    /// The changes that the pairs in some expressions come from, on any path.
    fn changes_in(&self, values: &[ExprId]) -> Vec<u32> {
        let mut changes: Vec<u32> = Vec::new();
        let mut seen = IdSet::default();
        let mut stack = values.to_vec();
        while let Some(value) = stack.pop() {
            if !self.expressions.contains_pair(value) || !seen.insert(value) {
                continue;
            }
            match self.origins.get(&value) {
                Some(origins) => changes.extend(origins),
                None => stack.extend(self.expressions.operands(value).iter()),
            }
        }
        changes.sort_unstable();
        changes.dedup();
        changes
    }
}

impl State {
    /// Where the changes are that the pairs in an expression come from.
    pub fn changes_behind(&self, image: &Image, shared: &Shared, value: ExprId) -> Vec<Place> {
        places_of(image, &self.changes_in(shared, &[value]))
    }

    fn changes_in(&self, shared: &Shared, values: &[ExprId]) -> Vec<u32> {
        let mut changes = shared.changes_in(values);
        changes.retain(|change| self.shadow.changes.binary_search(change).is_ok());
        changes
    }
}

impl Machine<'_> {
    /// The operation at `pc` is a change that has made a pair.
    pub(in crate::step) fn note_change(&mut self, pair: ExprId) {
        self.shared.note_origin(pair, &[self.state.pc]);
        self.state.shadow.note_change(self.state.pc);
    }

    /// The changes that the pairs in some expressions come from.
    pub(super) fn changes_in(&self, values: &[ExprId]) -> Vec<u32> {
        self.state.changes_in(self.shared, values)
    }

    /// A system call needs the value of an expression. If that differs, it is why the versions have a
    /// world each from now on.
    pub(in crate::step) fn note_needed(&mut self, value: ExprId) {
        if self.differs(value) {
            let changes = self.changes_in(&[value]);
            self.state.shadow.note_apart(&changes);
        }
    }

    /// The expressions with pairs that the operation at `pc` reads.
    pub(super) fn pairs_read(&self) -> Vec<ExprId> {
        let op = self.image.ops[self.state.pc as usize];
        let base = self.state.frames.last().map_or(0, |frame| frame.base as usize);
        let mut values = Vec::new();
        self.image.visit_reads(&op, &mut |slot| {
            values.extend(self.state.values[base + slot as usize]);
        });
        values
    }
}

/// Where changes are in the source text.
pub(super) fn places_of(image: &Image, changes: &[u32]) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    for &change in changes {
        let place = image.places(change).into_iter().next();
        places.extend(place.filter(|place| !places.contains(place)));
    }
    places
}
