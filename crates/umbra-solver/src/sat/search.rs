//! Assumptions, decisions, restarts: the search itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::literal::Value;
use super::{ClauseRef, Literal, Sat, Watch};

/// When a search gives up.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// After so many conflicts.
    pub conflicts: Option<u64>,
    /// At this time.
    pub deadline: Option<Instant>,
    /// When someone sets the flag.
    pub stop: Option<Arc<AtomicBool>>,
}

/// Why a search gave up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exhausted {
    /// The conflicts were used up.
    Conflicts,
    /// The deadline passed.
    Time,
    /// The flag was set.
    Stopped,
}

/// The outcome of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// There is an assignment, to be read with [`Sat::value`].
    Satisfied,
    /// There is none under the assumptions of [`Sat::core`].
    Unsatisfied,
    /// Not known.
    GaveUp(Exhausted),
}

/// What the guide of a search says to the values found so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guidance {
    /// They will do; the other variables may stay without a value.
    Enough,
    /// They will not; there are new variables in focus.
    More,
}

/// Steps between two looks at the clock and the flag.
const STEPS_BETWEEN_CHECKS: u32 = 128;

impl Budget {
    fn exhausted(&self, conflicts: u64, clock: bool) -> Option<Exhausted> {
        if self.conflicts.is_some_and(|limit| conflicts >= limit) {
            return Some(Exhausted::Conflicts);
        }
        if !clock {
            return None;
        }
        if self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Some(Exhausted::Stopped);
        }
        self.deadline.is_some_and(|end| Instant::now() >= end).then_some(Exhausted::Time)
    }
}

/// Restarts when the clauses learnt lately are worse than those before (Biere and Fröhlich,
/// "Evaluating CDCL Restart Schemes", 2015).
#[derive(Debug, Default)]
pub(super) struct Restarts {
    fast: f64,
    slow: f64,
    learnt: u64,
    since: u64,
}

impl Restarts {
    const FAST: f64 = 1.0 / 32.0;
    const SLOW: f64 = 1.0 / 4096.0;
    const MARGIN: f64 = 1.15;
    const PAUSE: u64 = 10;

    fn learn(&mut self, levels: u32) {
        self.learnt += 1;
        self.since += 1;
        // Plain averages until there is enough to forget.
        let young = 1.0 / self.learnt as f64;
        self.fast += (f64::from(levels) - self.fast) * Self::FAST.max(young);
        self.slow += (f64::from(levels) - self.slow) * Self::SLOW.max(young);
    }

    fn due(&mut self) -> bool {
        let due = self.since > Self::PAUSE && self.fast > Self::MARGIN * self.slow;
        if due {
            self.since = 0;
        }
        due
    }
}

impl Sat {
    /// Assumes literals, in the cone, and draws their consequences.
    ///
    /// Returns false when they contradict each other; [`Sat::core`] then says which. After true,
    /// [`Sat::value`] tells what is implied, and [`Sat::search`] decides the rest.
    pub fn assume(&mut self, literals: &[Literal]) -> bool {
        self.backtrack(0);
        self.assumptions.clear();
        self.assumptions.extend_from_slice(literals);
        self.heap.empty();
        self.question += 1;
        // The facts were last propagated in another cone.
        self.propagated = 0;
        self.place_assumptions()
    }

    /// Brings back level one; false when there is a conflict, with the core set.
    fn place_assumptions(&mut self) -> bool {
        if self.contradiction || self.propagate().is_some() {
            self.contradiction = true;
            self.core.clear();
            return false;
        }
        self.levels_start.push(self.trail.len());
        for position in 0..self.assumptions.len() {
            let literal = self.assumptions[position];
            match self.value_of(literal) {
                Value::True => {}
                Value::False => {
                    self.analyze_final(ClauseRef::NONE, Some(literal));
                    return false;
                }
                Value::Unknown => self.enqueue(literal, ClauseRef::NONE),
            }
        }
        match self.propagate() {
            Some(conflict) => {
                self.analyze_final(conflict, None);
                false
            }
            None => true,
        }
    }

    /// Looks for values of the whole cone, after [`Sat::assume`] returned true.
    pub fn search_all(&mut self, budget: &Budget) -> Answer {
        self.focus_all();
        self.search(budget, &mut |_| Guidance::Enough)
    }

    /// Looks for values, after [`Sat::assume`] returned true.
    ///
    /// Whenever all variables in focus have values without a conflict, `guide` is asked: are these
    /// values enough, or has it set more variables in focus? When it wants more without naming an
    /// unassigned variable, all of the cone is set in focus.
    pub fn search(
        &mut self,
        budget: &Budget,
        guide: &mut dyn FnMut(&mut Sat) -> Guidance,
    ) -> Answer {
        self.restarts = Restarts::default();
        let first = self.statistics.conflicts;
        let mut steps = 0;
        loop {
            if let Some(conflict) = self.propagate() {
                self.statistics.conflicts += 1;
                if self.level() <= 1 {
                    self.analyze_final(conflict, None);
                    return Answer::Unsatisfied;
                }
                if !self.learn(conflict) {
                    return Answer::Unsatisfied;
                }
                let used = self.statistics.conflicts - first;
                if let Some(reason) = budget.exhausted(used, used.is_multiple_of(8)) {
                    return Answer::GaveUp(reason);
                }
                continue;
            }
            steps += 1;
            if steps % STEPS_BETWEEN_CHECKS == 0
                && let Some(reason) = budget.exhausted(0, true)
            {
                return Answer::GaveUp(reason);
            }
            if self.restarts.due() {
                self.statistics.restarts += 1;
                self.backtrack(1);
            }
            self.reduce();
            let Some(decision) = self.decide_with(guide) else { return Answer::Satisfied };
            self.statistics.decisions += 1;
            self.levels_start.push(self.trail.len());
            self.enqueue(decision, ClauseRef::NONE);
        }
    }

    /// Learns from a conflict and goes back; false when the assumptions turn out contradictory.
    fn learn(&mut self, conflict: ClauseRef) -> bool {
        let lesson = self.analyze(conflict);
        self.restarts.learn(lesson.levels);
        self.backtrack(lesson.level);
        let clause = std::mem::take(&mut self.scratch.clause);
        let mut ok = true;
        if let [fact] = *clause {
            // A fact: it goes to level zero and the assumptions come back above it.
            self.enqueue(fact, ClauseRef::NONE);
            ok = self.place_assumptions();
        } else {
            let learnt = self.arena.add(&clause, Some(lesson.levels));
            self.watch(learnt);
            self.learnt.push(learnt);
            self.enqueue(clause[0], learnt);
        }
        self.scratch.clause = clause;
        ok
    }

    fn decide_with(&mut self, guide: &mut dyn FnMut(&mut Sat) -> Guidance) -> Option<Literal> {
        if let Some(literal) = self.decide() {
            return Some(literal);
        }
        if guide(self) == Guidance::Enough {
            return None;
        }
        self.decide().or_else(|| {
            self.focus_all();
            self.decide()
        })
    }

    fn decide(&mut self) -> Option<Literal> {
        while let Some(variable) = self.heap.pop() {
            let literal = variable.literal(self.phases[variable.index()]);
            if self.value_of(literal) == Value::Unknown {
                return Some(literal);
            }
        }
        None
    }
}

// A watch is read for every clause of a propagated literal: it should stay small.
const _: () = assert!(std::mem::size_of::<Watch>() == 8);
