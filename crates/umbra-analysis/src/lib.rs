//! What can be said of a program without running it.
//!
//! [`CallGraph`] says who calls whom, [`Flow`] how control goes through the whole program, and
//! [`Distances`] how far every place of it is from the nearest of some targets. [`PointsTo`] says
//! what pointers point to, [`Conditions`] what must hold for a target to be reached and why it cannot
//! be, [`Executed`] how near a test comes to it, and [`Definitions`] which code gives a branch what it tests.
//!
//! **Invariant:** knows only the IR: no states, no execution.

mod call_graph;
mod components;
mod definitions;
mod distance;
mod effects;
mod executed;
mod flow;
mod points_to;
mod precondition;
mod through;
mod unreachable;

pub use call_graph::{CallGraph, Callees};
pub use definitions::{Definition, Definitions, How, Reaching, Satisfies, Wanted};
pub use distance::Distances;
pub use executed::{Executed, Nearest, Step};
pub use flow::{Flow, Measure, NodeId};
pub use points_to::{Object, Pointee, PointsTo};
pub use precondition::{Base, Conditions, Formula, Preconditions, Source, Values, Variable};
pub use unreachable::Unreachable;
