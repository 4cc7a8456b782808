//! What is known of the inputs on one path.

mod decisions;
mod list;
mod trail;

use std::sync::Arc;

use umbra_expr::{ArrayId, Assignment, ExprId, Expressions, Kind};

pub use decisions::{Decisions, Script, Standing};
pub use list::List;
pub(crate) use trail::Way;
pub use trail::{Decision, Described, Trail};

/// A piece of input that the program asked for while it ran, such as an object made symbolic.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Input {
    /// The name the program gave it.
    pub name: Arc<str>,
    /// Its bytes.
    pub array: ArrayId,
    /// How many.
    pub size: u32,
    /// How many inputs of this name the path had before.
    pub ordinal: u32,
}

/// Spreads the bits of an identity; an odd number without a pattern.
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// The conditions under which a path is taken, with an input that satisfies them.
///
/// Invariant: in a state that runs, `assignment` satisfies all of `constraints`.
#[derive(Clone, Debug)]
pub struct Path {
    /// Which of several starts it began with.
    pub(crate) origin: u32,
    constraints: List<ExprId>,
    assignment: Arc<Assignment>,
    /// The inputs that the program asked for, in order.
    pub(crate) inputs: List<Input>,
    /// Inputs whose words, used as addresses, come to point to objects when they are.
    pub(crate) lazy: Arc<Vec<ArrayId>>,
    /// Conditions that a test should meet if it can, the most wanted first.
    pub(crate) preferences: Arc<Vec<ExprId>>,
    /// What was decided on it.
    decisions: Decisions,
    /// See [`Self::identity`].
    identity: u64,
    /// How often an expression was narrowed to one of its values.
    pub(crate) values: u32,
    /// Which way it went, where two versions run: nobody else asks.
    pub(crate) trail: Trail,
    /// Whether it forks at branches and values; if not, it stays on its own input's side. Checks have two sides always.
    pub(crate) forking: bool,
}

impl Path {
    /// A path on which nothing was decided yet.
    pub fn new(assignment: Assignment) -> Self {
        Self {
            origin: 0,
            constraints: List::default(),
            assignment: Arc::new(assignment),
            inputs: List::default(),
            lazy: Arc::default(),
            preferences: Arc::default(),
            decisions: Decisions::default(),
            identity: 0,
            values: 0,
            trail: Trail::default(),
            forking: true,
        }
    }

    /// The path of the start of this number, on which some conditions hold already; its
    /// assignment must satisfy them.
    pub fn begin(
        origin: u32,
        assignment: Assignment,
        expressions: &Expressions,
        conditions: &[ExprId],
    ) -> Self {
        let mut path = Self { origin, ..Self::new(assignment) };
        for &condition in conditions {
            path.assume(expressions, condition);
        }
        path
    }

    /// Which of several starts it began with.
    pub fn origin(&self) -> u32 {
        self.origin
    }

    /// What holds on the path.
    pub fn constraints(&self) -> &List<ExprId> {
        &self.constraints
    }

    /// An input that takes the path.
    pub fn assignment(&self) -> &Assignment {
        &self.assignment
    }

    /// The inputs that the program asked for, in order.
    pub fn inputs(&self) -> &List<Input> {
        &self.inputs
    }

    /// Conditions that a test should meet if it can, the most wanted first.
    pub fn preferences(&self) -> &[ExprId] {
        &self.preferences
    }

    /// What was decided on it.
    pub fn decisions(&self) -> &Decisions {
        &self.decisions
    }

    /// How much was decided on it.
    pub fn depth(&self) -> u32 {
        self.decisions.len() as u32
    }

    /// A number for the yes and no that it was decided by, the same in every run. What was made from a value of the state's own
    /// input does not count: which values were tried first is another one in each run.
    pub fn identity(&self) -> u64 {
        self.identity
    }

    /// How often an expression on the path was narrowed to one of its values.
    pub fn values(&self) -> u32 {
        self.values
    }

    /// The branches on inputs that were decided on it. Empty where only one version runs.
    pub fn trail(&self) -> &Trail {
        &self.trail
    }

    /// Bytes that no other path shares.
    pub(crate) fn own_bytes(&self) -> usize {
        self.constraints.own_bytes() + self.inputs.own_bytes() + self.decisions.own_bytes()
    }

    /// The same path with another input that takes it.
    pub fn with_assignment(&self, assignment: Assignment) -> Self {
        Self { assignment: Arc::new(assignment), ..self.clone() }
    }

    /// Another input that takes the path.
    pub(crate) fn set_assignment(&mut self, assignment: Assignment) {
        self.assignment = Arc::new(assignment);
    }

    /// Whether the condition is one of those that hold, or a conjunction of them.
    pub(crate) fn implies(&self, expressions: &Expressions, condition: ExprId) -> bool {
        let mut parts = vec![condition];
        while let Some(part) = parts.pop() {
            if self.constraints.contains(&part) || expressions.constant_u64(part) == Some(1) {
                continue;
            }
            if expressions.kind(part) != Kind::And {
                return false;
            }
            parts.extend([expressions.operand(part, 1), expressions.operand(part, 0)]);
        }
        true
    }

    /// A side was taken of a question that was made from these numbers: from here on the condition holds.
    pub(crate) fn decide(
        &mut self,
        expressions: &Expressions,
        condition: ExprId,
        side: bool,
        numbers: &[u64],
    ) {
        self.assume(expressions, condition);
        self.decisions.push(side, numbers);
        if numbers.is_empty() {
            self.identity =
                (self.identity ^ (2 + u64::from(side))).wrapping_mul(MIX).rotate_left(29);
        }
    }

    /// Something was found out that is to be known when the path is made again.
    pub(crate) fn note_number(&mut self, number: u64) {
        self.decisions.push_number(number);
    }

    /// From here on the condition holds; a conjunction is kept in its parts.
    pub(crate) fn assume(&mut self, expressions: &Expressions, condition: ExprId) {
        let mut parts = vec![condition];
        while let Some(part) = parts.pop() {
            if expressions.kind(part) == Kind::And {
                parts.extend([expressions.operand(part, 1), expressions.operand(part, 0)]);
            } else if !expressions.is_constant(part) && !self.constraints.contains(&part) {
                self.constraints.push(part);
            }
        }
    }

    /// Replaces all expressions and inputs: the path goes to another table.
    pub(crate) fn translate(
        &mut self,
        assignment: Assignment,
        array: &mut dyn FnMut(&Input) -> ArrayId,
        translation: &mut dyn FnMut(ExprId) -> ExprId,
    ) {
        self.constraints.replace(&mut *translation);
        for preference in Arc::make_mut(&mut self.preferences) {
            *preference = translation(*preference);
        }
        let lazy = Arc::make_mut(&mut self.lazy);
        self.inputs.replace(|input| {
            let moved = array(&input);
            let same = lazy.iter_mut().filter(|lazy| **lazy == input.array);
            same.for_each(|lazy| *lazy = moved);
            Input { array: moved, ..input }
        });
        self.assignment = Arc::new(assignment);
    }
}
