//! From a conflict to a learnt clause (first unique implication point), and to a core.

use super::{ClauseRef, Literal, Sat, Variable};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    None,
    /// Part of the clause being learnt, or resolved away.
    Seen,
    /// Implied by other literals of the clause.
    Redundant,
    /// Known to be needed.
    Needed,
}

/// Buffers of the analysis.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    marks: Vec<Mark>,
    /// Variables whose mark must be taken back.
    marked: Vec<Variable>,
    pub(super) clause: Vec<Literal>,
    /// Literals to explain, with how far their reason has been read.
    stack: Vec<(Literal, usize)>,
    /// Per decision level: the last count that saw it.
    level_stamps: Vec<u64>,
    stamp: u64,
}

impl Scratch {
    pub(super) fn grow(&mut self) {
        self.marks.push(Mark::None);
    }

    pub(super) fn clear(&mut self) {
        self.marks.clear();
        self.marked.clear();
        self.clause.clear();
    }

    fn mark(&mut self, variable: Variable, mark: Mark) {
        if self.marks[variable.index()] == Mark::None {
            self.marked.push(variable);
        }
        self.marks[variable.index()] = mark;
    }

    /// Marks a variable as seen, unless it is a fact.
    fn mark_open(&mut self, variable: Variable, levels: &[u32]) {
        if levels[variable.index()] > 0 {
            self.mark(variable, Mark::Seen);
        }
    }

    fn is(&self, variable: Variable, mark: Mark) -> bool {
        self.marks[variable.index()] == mark
    }

    fn forget(&mut self) {
        while let Some(variable) = self.marked.pop() {
            self.marks[variable.index()] = Mark::None;
        }
    }
}

/// What a conflict teaches; the clause itself is in the scratch, its forced literal first.
pub(super) struct Lesson {
    /// The level to go back to, where the clause forces its first literal.
    pub(super) level: usize,
    /// The number of decision levels in the clause.
    pub(super) levels: u32,
}

impl Sat {
    /// Learns from a conflict above the level of the assumptions.
    pub(super) fn analyze(&mut self, mut conflict: ClauseRef) -> Lesson {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clause.clear();
        // The place of the forced literal, which is found last.
        scratch.clause.push(Variable::from_index(0).literal(true));
        let current = self.level() as u32;
        let mut open = 0;
        let mut position = self.trail.len();
        let mut resolved = None;
        loop {
            self.freshen(conflict, &mut scratch);
            for position in 0..self.arena.literals(conflict).len() {
                let literal = self.arena.literals(conflict)[position];
                let variable = literal.variable();
                let level = self.levels[variable.index()];
                if Some(variable) == resolved || level == 0 || scratch.is(variable, Mark::Seen) {
                    continue;
                }
                scratch.mark(variable, Mark::Seen);
                self.heap.bump(variable);
                self.focus(variable);
                if level == current {
                    open += 1;
                } else {
                    scratch.clause.push(literal);
                }
            }
            let literal = loop {
                position -= 1;
                let literal = self.trail[position];
                if scratch.is(literal.variable(), Mark::Seen) {
                    break literal;
                }
            };
            open -= 1;
            if open == 0 {
                scratch.clause[0] = !literal;
                break;
            }
            resolved = Some(literal.variable());
            conflict = self.reasons[literal.variable().index()];
        }
        self.minimise(&mut scratch);
        let lesson = self.lesson(&mut scratch);
        scratch.forget();
        self.scratch = scratch;
        self.heap.decay();
        lesson
    }

    /// A learnt clause that takes part in a conflict may have become better than it was.
    fn freshen(&mut self, clause: ClauseRef, scratch: &mut Scratch) {
        if self.arena.is_learnt(clause) && self.arena.levels(clause) > 2 {
            let levels = self.count_levels(self.arena.literals(clause), scratch);
            if levels < self.arena.levels(clause) {
                self.arena.set_levels(clause, levels);
            }
        }
    }

    fn count_levels(&self, literals: &[Literal], scratch: &mut Scratch) -> u32 {
        scratch.stamp += 1;
        let mut count = 0;
        for literal in literals {
            let level = self.levels[literal.variable().index()] as usize;
            if scratch.level_stamps.len() <= level {
                scratch.level_stamps.resize(level + 1, 0);
            }
            if scratch.level_stamps[level] != scratch.stamp {
                scratch.level_stamps[level] = scratch.stamp;
                count += 1;
            }
        }
        count
    }

    fn minimise(&self, scratch: &mut Scratch) {
        let mut clause = std::mem::take(&mut scratch.clause);
        let mut kept = 1;
        for position in 1..clause.len() {
            let literal = clause[position];
            if !self.is_redundant(literal, scratch) {
                clause[kept] = literal;
                kept += 1;
            }
        }
        clause.truncate(kept);
        scratch.clause = clause;
    }

    /// Whether a literal of the clause follows from the others.
    fn is_redundant(&self, literal: Literal, scratch: &mut Scratch) -> bool {
        if self.reasons[literal.variable().index()] == ClauseRef::NONE {
            return false;
        }
        scratch.stack.clear();
        scratch.stack.push((literal, 0));
        while let Some(&mut (literal, ref mut read)) = scratch.stack.last_mut() {
            let variable = literal.variable();
            let literals = self.arena.literals(self.reasons[variable.index()]);
            let Some(&next) = literals.get(*read) else {
                scratch.stack.pop();
                if scratch.is(variable, Mark::None) {
                    scratch.mark(variable, Mark::Redundant);
                }
                continue;
            };
            *read += 1;
            let other = next.variable();
            let explained = other == variable
                || self.levels[other.index()] == 0
                || scratch.is(other, Mark::Seen)
                || scratch.is(other, Mark::Redundant);
            if explained {
                continue;
            }
            if scratch.is(other, Mark::Needed) || self.reasons[other.index()] == ClauseRef::NONE {
                // Everything on the way here needs a literal that is not in the clause.
                for index in 0..scratch.stack.len() {
                    let variable = scratch.stack[index].0.variable();
                    if scratch.is(variable, Mark::None) {
                        scratch.mark(variable, Mark::Needed);
                    }
                }
                return false;
            }
            scratch.stack.push((next, 0));
        }
        true
    }

    fn lesson(&self, scratch: &mut Scratch) -> Lesson {
        let mut clause = std::mem::take(&mut scratch.clause);
        let level_of = |literal: Literal| self.levels[literal.variable().index()];
        // The second watch must be the literal that becomes unassigned last.
        let mut level = 0;
        if clause.len() > 1 {
            let highest =
                (1..clause.len()).max_by_key(|&position| level_of(clause[position])).unwrap_or(1);
            clause.swap(1, highest);
            level = level_of(clause[1]) as usize;
        }
        let levels = self.count_levels(&clause, scratch);
        scratch.clause = clause;
        Lesson { level, levels }
    }

    /// Collects the assumptions behind a conflict of theirs.
    ///
    /// `failed` is an assumption found false, when there is no false clause to start from.
    pub(super) fn analyze_final(&mut self, conflict: ClauseRef, failed: Option<Literal>) {
        let mut scratch = std::mem::take(&mut self.scratch);
        self.core.clear();
        if let Some(literal) = failed {
            self.core.push(literal);
            scratch.mark_open(literal.variable(), &self.levels);
        } else {
            for &literal in self.arena.literals(conflict) {
                scratch.mark_open(literal.variable(), &self.levels);
            }
        }
        let base = self.levels_start.first().copied().unwrap_or(self.trail.len());
        for position in (base..self.trail.len()).rev() {
            let literal = self.trail[position];
            let variable = literal.variable();
            if !scratch.is(variable, Mark::Seen) {
                continue;
            }
            let reason = self.reasons[variable.index()];
            if reason == ClauseRef::NONE {
                self.core.push(literal);
            } else {
                for &other in self.arena.literals(reason) {
                    scratch.mark_open(other.variable(), &self.levels);
                }
            }
        }
        scratch.forget();
        self.scratch = scratch;
    }
}
