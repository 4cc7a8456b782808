//! A small conflict-driven SAT solver made for many short, related questions.
//!
//! It differs from a general solver in four points. A question is restricted to the variables it
//! depends on (its *cone*, see [`Sat::activate`]): no other variable is decided or assigned. All
//! assumptions share one decision level, and the caller may look at what they imply before a
//! search starts. A search decides only variables that matter: those in focus, and those that took
//! part in a conflict (see [`Sat::search`]). [`Sat::reset`] forgets everything but the memory it
//! holds.
//!
//! The restriction is sound only when every assignment of the cone that satisfies the clauses
//! within it extends to the other variables. Definitions of gates have that property when the cone
//! is closed under inputs, and so has whatever is learnt from them.

mod analyze;
mod arena;
mod dimacs;
mod heap;
mod literal;
mod propagate;
mod reduce;
mod search;
#[cfg(test)]
mod tests;

pub use dimacs::{Dimacs, DimacsError};
pub use literal::{Literal, Variable};
pub use search::{Answer, Budget, Exhausted, Guidance};

use arena::{Arena, ClauseRef};
use heap::Heap;
use literal::Value;

/// A watched clause: it is looked at when the literal under which it is filed becomes false.
#[derive(Clone, Copy, Debug)]
struct Watch {
    /// Another literal of the clause; when it is true the clause needs no look.
    blocker: Literal,
    /// The clause; the lowest bit tells that it has just two literals.
    tagged: u32,
}

/// Counters over the life of a solver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SatStatistics {
    /// Conflicts met.
    pub conflicts: u64,
    /// Decisions made, assumptions not counted.
    pub decisions: u64,
    /// Literals propagated.
    pub propagations: u64,
    /// Restarts of a search.
    pub restarts: u64,
    /// Learnt clauses removed again.
    pub removed: u64,
}

/// A SAT solver.
#[derive(Debug, Default)]
pub struct Sat {
    arena: Arena,
    learnt: Vec<ClauseRef>,
    /// Per literal, the clauses watching its negation. Lists beyond the variables are spare.
    watches: Vec<Vec<Watch>>,
    /// Per literal.
    values: Vec<Value>,
    /// Per variable: the decision level of its value.
    levels: Vec<u32>,
    /// Per variable: the clause that forced its value.
    reasons: Vec<ClauseRef>,
    /// Per variable: the value it had last.
    phases: Vec<bool>,
    /// Per variable: the cone it was last part of.
    cones: Vec<u32>,
    cone: u32,
    active: Vec<Variable>,
    /// Per variable: the last question in which it may be decided.
    focused: Vec<u32>,
    question: u32,
    heap: Heap,
    trail: Vec<Literal>,
    /// Where in the trail each decision level starts.
    levels_start: Vec<usize>,
    propagated: usize,
    assumptions: Vec<Literal>,
    core: Vec<Literal>,
    /// A clause without literals has been added or derived.
    contradiction: bool,
    learnt_limit: usize,
    restarts: search::Restarts,
    scratch: analyze::Scratch,
    statistics: SatStatistics,
}

impl Sat {
    /// An empty solver.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets variables, clauses and values; memory is kept for the next use.
    pub fn reset(&mut self) {
        self.arena.clear();
        self.learnt.clear();
        for list in self.watches.iter_mut().take(self.values.len()) {
            list.clear();
        }
        self.values.clear();
        self.levels.clear();
        self.reasons.clear();
        self.phases.clear();
        self.cones.clear();
        self.focused.clear();
        self.question = 0;
        self.cone = 0;
        self.active.clear();
        self.heap.reset();
        self.trail.clear();
        self.levels_start.clear();
        self.propagated = 0;
        self.assumptions.clear();
        self.core.clear();
        self.contradiction = false;
        self.learnt_limit = 0;
        self.scratch.clear();
    }

    /// How many variables there are.
    pub fn variables(&self) -> usize {
        self.levels.len()
    }

    /// Counters over the life of the solver; a reset does not clear them.
    pub fn statistics(&self) -> SatStatistics {
        self.statistics
    }

    /// A new variable, outside of the current cone.
    pub fn variable(&mut self, phase: bool) -> Variable {
        let variable = Variable::from_index(self.levels.len());
        self.values.extend([Value::Unknown; 2]);
        if self.watches.len() < self.values.len() {
            self.watches.resize_with(self.values.len(), Vec::new);
        }
        self.levels.push(0);
        self.reasons.push(ClauseRef::NONE);
        self.phases.push(phase);
        self.cones.push(0);
        self.focused.push(0);
        self.heap.grow();
        self.scratch.grow();
        variable
    }

    /// Starts an empty cone. Assumptions and values of the last question are gone.
    pub fn begin(&mut self) {
        self.backtrack(0);
        self.assumptions.clear();
        self.core.clear();
        self.active.clear();
        self.cone += 1;
    }

    /// Takes a variable into the cone; returns whether it was outside.
    pub fn activate(&mut self, variable: Variable) -> bool {
        if self.cones[variable.index()] == self.cone {
            return false;
        }
        self.cones[variable.index()] = self.cone;
        self.active.push(variable);
        true
    }

    /// Takes every variable into the cone.
    pub fn activate_all(&mut self) {
        for index in 0..self.variables() {
            self.activate(Variable::from_index(index));
        }
    }

    /// Allows decisions on a variable of the cone; returns whether that is new.
    pub fn focus(&mut self, variable: Variable) -> bool {
        let index = variable.index();
        let is_new = self.cones[index] == self.cone && self.focused[index] != self.question;
        if is_new {
            self.focused[index] = self.question;
            self.heap.insert(variable);
        }
        is_new
    }

    /// Allows decisions on every variable of the cone.
    pub fn focus_all(&mut self) {
        for index in 0..self.active.len() {
            self.focus(self.active[index]);
        }
    }

    /// Adds a clause. A literal must not occur twice, nor with its negation.
    ///
    /// Must not be called between [`Sat::assume`] and [`Sat::search`].
    pub fn add_clause(&mut self, literals: &[Literal]) {
        self.backtrack(0);
        match *literals {
            [] => self.contradiction = true,
            [unit] => match self.value_of(unit) {
                Value::True => {}
                Value::False => self.contradiction = true,
                Value::Unknown => self.enqueue(unit, ClauseRef::NONE),
            },
            // Values of level zero need no care: they are propagated anew for every question.
            _ => {
                let clause = self.arena.add(literals, None);
                self.watch(clause);
            }
        }
    }

    /// The value of a literal after a search that was satisfied, or what the assumptions imply
    /// after [`Sat::assume`].
    pub fn value(&self, literal: Literal) -> Option<bool> {
        match self.value_of(literal) {
            Value::True => Some(true),
            Value::False => Some(false),
            Value::Unknown => None,
        }
    }

    /// Sets the value that is tried first when the variable is decided.
    pub fn set_phase(&mut self, variable: Variable, phase: bool) {
        self.phases[variable.index()] = phase;
    }

    /// Assumptions that cannot hold together, after an unsatisfied answer.
    pub fn core(&self) -> &[Literal] {
        &self.core
    }

    /// How much room the clauses take, in words.
    pub fn arena_words(&self) -> usize {
        self.arena.words()
    }

    fn watch(&mut self, clause: ClauseRef) {
        let literals = self.arena.literals(clause);
        let (first, second) = (literals[0], literals[1]);
        let tagged = clause.tagged(literals.len() == 2);
        self.watches[(!first).index()].push(Watch { blocker: second, tagged });
        self.watches[(!second).index()].push(Watch { blocker: first, tagged });
    }

    fn value_of(&self, literal: Literal) -> Value {
        self.values[literal.index()]
    }

    fn level(&self) -> usize {
        self.levels_start.len()
    }

    fn in_cone(&self, variable: Variable) -> bool {
        self.cones[variable.index()] == self.cone
    }

    fn enqueue(&mut self, literal: Literal, reason: ClauseRef) {
        let index = literal.variable().index();
        self.values[literal.index()] = Value::True;
        self.values[(!literal).index()] = Value::False;
        self.levels[index] = self.level() as u32;
        self.reasons[index] = reason;
        self.trail.push(literal);
    }

    fn backtrack(&mut self, level: usize) {
        if self.level() <= level {
            return;
        }
        let start = self.levels_start[level];
        for position in (start..self.trail.len()).rev() {
            let literal = self.trail[position];
            let variable = literal.variable();
            self.values[literal.index()] = Value::Unknown;
            self.values[(!literal).index()] = Value::Unknown;
            self.phases[variable.index()] = literal.is_positive();
            if self.focused[variable.index()] == self.question {
                self.heap.insert(variable);
            }
        }
        self.trail.truncate(start);
        self.levels_start.truncate(level);
        self.propagated = start;
    }
}
