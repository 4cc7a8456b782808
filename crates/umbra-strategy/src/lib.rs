//! Strategies: what to run next and when to stop.
//!
//! The machine runs one state and offers the other side of every fork; a [`Worker`] keeps those
//! states, asks the solver about them when a [`Searcher`] wants them, and tells an [`Observer`] how
//! each path ended. [`explore`] does so with several workers on threads of their own.

mod amplify;
mod contexts;
mod control;
mod encoding;
mod exchange;
mod explorer;
mod limits;
mod parcel;
mod prune;
mod queue;
mod random;
mod reach;
mod saved;
mod searcher;
mod shadow;
mod snapshot;
mod statistics;
mod terrain;
mod words;
mod worker;
mod world;

pub use amplify::{
    Amplifier, AmplifyCounts, AmplifyLimits, Checks, Minimised, Sensitive, Work, minimise,
};
pub use contexts::{ContextId, Contexts};
pub use control::{Control, Need};
pub use explorer::{Exploration, Outcome, WORKER_STACK, explore};
pub use limits::{DrainLimits, DrainTime, Limits, Stopped};
pub use prune::{Pruner, Unprunable};
pub use queue::{StateId, StateView, View};
pub use random::Random;
pub use reach::{
    Approach, Failure, Goal, Grounds, Hit, Hunt, Means, Pursuit, Ran, Start as HuntStart, Terms,
    Ways,
};
pub use saved::SavedState;
pub use searcher::{Again, Batch, Search, SearchKind, Searcher, UnknownSearch};
pub use shadow::{Output, PathDifference, PathJudgement, judge_path};
pub use snapshot::{Journal, Snapshot};
pub use statistics::Statistics;
pub use terrain::Terrain;
pub use words::{end_of, place_of};
pub use worker::{
    Config, FollowLimits, Followed, NotRemade, Observer, Open, PathEnd, Point, PointBudget, Route,
    Searches, Worker,
};
pub use world::{
    Argument, BadFunction, BadInput, Built, Data, File, Seed, Start, TooLarge, Variable, World,
    compare_function, given, is_symbolic_word, run_function,
};
