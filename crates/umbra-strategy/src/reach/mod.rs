//! The way to a target, starting from a seed (KATCH, FSE 2013).
//!
//! The seed runs with its bytes symbolic, and every branch of its path that it does not take is kept as a *side*: parked and
//! unasked. Sides are ordered by the distance of where they lead to the target. The nearest one is taken; its path
//! brings sides of its own, among which one may be nearer. That is the *greedy* search. Where the nearest side has no input, the
//! contradiction says which earlier branches must go the other way, and these are next (*regeneration*). Where no input decides
//! a branch, code that stores another value into what it tests becomes a target of its own (*switching*). All other
//! sides come after them (*exploration*), so a search without limits follows all paths.
//!
//! | file | what it has |
//! |---|---|
//! | `ways.rs` | distances to targets, and what must hold on the way |
//! | `side.rs` | sides, the runs they were met on, and the order they wait in |
//! | `desk.rs` | takes in the sides of the state that runs |
//! | `hunt.rs` | the search around one seed: one exploration for any number of targets, one after the other |
//! | `order.rs` | which side is next |
//! | `ends.rs` | the ends of paths: inputs that run targets, and errors |
//! | `switch.rs` | code that stores another value is run first |
//! | `regenerate.rs` | from a contradiction to earlier branches |
//! | `closest.rs` | the input of a path that is closest to the seed |

mod closest;
mod desk;
mod ends;
mod hunt;
mod order;
mod regenerate;
mod side;
mod switch;
mod ways;

pub use hunt::{Failure, Hit, Hunt, Pursuit, Start, Terms};
pub use side::Means;
pub use ways::{Approach, Goal, Grounds, Ran, Ways};
