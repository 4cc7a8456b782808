//! Strategies: what to run next and when to stop.
//!
//! The machine runs one state and offers the other side of every fork; a [`Worker`] keeps those
//! states, asks the solver about them when a [`Searcher`] wants them, and tells an [`Observer`] how
//! each path ended.

mod limits;
mod queue;
mod searcher;
mod statistics;
mod worker;
mod world;

pub use limits::{Limits, Stopped};
pub use queue::{StateId, StateView, View};
pub use searcher::{Search, Searcher};
pub use statistics::Statistics;
pub use worker::{Config, Observer, PathEnd, Worker};
pub use world::{Argument, BadInput, Built, Data, File, Start, Variable, World, is_symbolic_word};
