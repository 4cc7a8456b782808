//! Removal of learnt clauses that are unlikely to be of use, and of the room they took.

use super::literal::Value;
use super::{ClauseRef, Sat};

/// How many learnt clauses there may be at first, and how many more after every removal.
const LEARNT_START: usize = 2000;
const LEARNT_STEP: usize = 500;
/// Clauses whose literals come from this many decision levels are kept for good.
const LEVELS_KEPT: u32 = 2;

impl Sat {
    /// Removes the worse half of the learnt clauses when there are many.
    pub(super) fn reduce(&mut self) {
        if self.learnt_limit == 0 {
            self.learnt_limit = LEARNT_START;
        }
        if self.learnt.len() < self.learnt_limit {
            return;
        }
        self.learnt_limit += LEARNT_STEP;
        let mut candidates: Vec<ClauseRef> = Vec::new();
        for &clause in &self.learnt {
            if self.is_reason(clause) {
                continue;
            }
            if self.holds_for_good(clause) {
                self.arena.remove(clause);
            } else if self.arena.levels(clause) > LEVELS_KEPT {
                candidates.push(clause);
            }
        }
        // A stable sort: among equals the older ones go first.
        candidates.sort_by_key(|&clause| {
            std::cmp::Reverse((self.arena.levels(clause), self.arena.literals(clause).len()))
        });
        for &clause in &candidates[..candidates.len() / 2] {
            self.arena.remove(clause);
        }
        self.sweep();
    }

    /// Whether the clause is the reason of a value; it then has the forced literal as one of its
    /// two watched ones.
    fn is_reason(&self, clause: ClauseRef) -> bool {
        self.arena.literals(clause)[..2].iter().any(|literal| {
            self.value_of(*literal) == Value::True
                && self.reasons[literal.variable().index()] == clause
        })
    }

    fn holds_for_good(&self, clause: ClauseRef) -> bool {
        self.arena.literals(clause).iter().any(|literal| {
            self.value_of(*literal) == Value::True && self.levels[literal.variable().index()] == 0
        })
    }

    /// Takes the removed clauses out of all tables.
    fn sweep(&mut self) {
        let before = self.learnt.len();
        let arena = &self.arena;
        self.learnt.retain(|&clause| !arena.is_removed(clause));
        self.statistics.removed += (before - self.learnt.len()) as u64;
        let used = self.values.len();
        for list in &mut self.watches[..used] {
            list.retain(|watch| !arena.is_removed(ClauseRef::from_tagged(watch.tagged)));
        }
        let moved = self.arena.compact();
        for clause in &mut self.learnt {
            *clause = moved.place(*clause);
        }
        for list in &mut self.watches[..used] {
            for watch in list {
                let place = moved.place(ClauseRef::from_tagged(watch.tagged));
                watch.tagged = place.tagged(watch.tagged & 1 == 1);
            }
        }
        // Only values in force have a reason that still exists.
        for literal in &self.trail {
            let reason = &mut self.reasons[literal.variable().index()];
            *reason = moved.place(*reason);
        }
    }
}
