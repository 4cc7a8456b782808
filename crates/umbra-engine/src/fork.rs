//! Where paths part, and who decides what becomes of the other side.
//!
//! A state runs on the side that its own assignment takes, which is never asked of a solver. The
//! other side is offered to [`Forks`]: whoever drives the machine says whether it is wanted, and if
//! so gets a second state, parked before the operation at which they parted.

use umbra_expr::{Assignment, ExprId};

use crate::path::{Path, Script};
use crate::state::{Parked, Shared};

/// Why a path has two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ForkReason {
    /// A branch of the program.
    Branch,
    /// A switch of the program.
    Switch,
    /// An operation that may go wrong: the other side is where it does (or does not).
    Check,
    /// An address that may be outside of the object it points into.
    Pointer,
    /// Something that needs a number (a size, a file name): the other side is all other numbers.
    Value,
    /// An assumption that the state's own input does not meet: the state ends, and only the other
    /// side goes on.
    Assumption,
}

impl ForkReason {
    /// Every reason.
    pub const ALL: [Self; 6] =
        [Self::Branch, Self::Switch, Self::Check, Self::Pointer, Self::Value, Self::Assumption];

    /// The stable name for statistics and tests.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Branch => "branch",
            Self::Switch => "switch",
            Self::Check => "check",
            Self::Pointer => "pointer",
            Self::Value => "value",
            Self::Assumption => "assumption",
        }
    }
}

/// What becomes of the other side of a branch.
#[derive(Clone, Debug)]
pub enum OtherSide {
    /// Nobody can take it, or nobody wants to.
    Drop,
    /// It is kept as a state of its own; an input that takes it may be known already.
    Keep(Option<Assignment>),
}

/// Where on a path a condition holds.
#[derive(Clone, Debug)]
pub enum Found {
    /// On none of its inputs.
    Nowhere,
    /// On this one.
    Input(Assignment),
    /// Nobody knows.
    Unknown,
}

/// Whose decision a fork is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decider {
    /// The state's as a whole.
    State,
    /// One version's of two, at a branch on what differs between them.
    Version,
    /// That of a version which runs alone.
    Alone,
}

/// The place of a fork: where in the code, and where the other side goes if that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fork {
    /// Why.
    pub reason: ForkReason,
    /// What holds on the other side.
    pub condition: ExprId,
    /// The operation, by its place in the image.
    pub place: u32,
    /// The block (or edge) that the other side enters.
    pub target: Option<u32>,
    /// Whose decision it is.
    pub decider: Decider,
}

/// Decides what becomes of other sides.
pub trait Forks {
    /// Whether the other side of a fork of the running state is wanted. `path` is what holds on
    /// both sides.
    fn other_side(&mut self, shared: &mut Shared, path: &Path, fork: &Fork) -> OtherSide;

    /// Takes the state on the other side, after [`OtherSide::Keep`].
    fn keep(&mut self, parked: Parked, fork: &Fork);

    /// An input of the path on which a condition holds. To know it is worth a little, but no more.
    fn find(&mut self, shared: &mut Shared, path: &Path, condition: ExprId) -> Found {
        let _ = (shared, path, condition);
        Found::Unknown
    }

    /// The running state comes to a branch whose other side contradicts what was decided before on its path, so nobody can take
    /// it. `held` is what holds.
    fn settled(&mut self, shared: &Shared, path: &Path, fork: &Fork, held: ExprId) {
        let _ = (shared, path, fork, held);
    }

    /// The program does not want the other side of a fork, as `klee_set_forking` says.
    fn left_out(&mut self, shared: &mut Shared, path: &Path, fork: &Fork) {
        let _ = (shared, path, fork);
    }

    /// The versions of the running state have parted; it goes on as the new one.
    fn diverged(&mut self) {}

    /// The decisions that the running state is to make, if they are known.
    fn script(&mut self) -> Option<&mut Script> {
        None
    }

    /// Whether the running state is to pause before its next block.
    fn wants_pause(&self) -> bool {
        false
    }
}

/// Drops every other side: the machine runs one path.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoForks;

impl Forks for NoForks {
    fn other_side(&mut self, _: &mut Shared, _: &Path, _: &Fork) -> OtherSide {
        OtherSide::Drop
    }

    fn keep(&mut self, _: Parked, _: &Fork) {}
}
