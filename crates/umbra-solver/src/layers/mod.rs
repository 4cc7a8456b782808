//! The layers of the chain, and the one function that knows their order.

mod cache;
mod fallback;
mod independence;
mod limits;
mod models;
mod prefix;
mod settrie;
mod simplify;
mod validate;

use std::num::NonZeroU32;
use std::time::Duration;

pub use cache::Cache;
pub use fallback::Fallback;
pub use independence::Independence;
pub use limits::RunLimits;
pub use models::Models;
pub use simplify::Simplify;
pub use validate::Validate;

use crate::bitblast::BitBlaster;
use crate::query::{Limits, Solver};
use crate::z3::Z3;

/// What a chain is made of.
#[derive(Debug)]
pub struct Config {
    /// How long to try.
    pub limits: Limits,
    /// Every so many unsat answers of our own solver are asked of Z3 as well.
    pub cross_check_every: Option<NonZeroU32>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            limits: Limits {
                conflicts: Some(5000),
                time: Some(Duration::from_secs(10)),
                ..Limits::default()
            },
            cross_check_every: NonZeroU32::new(1000),
        }
    }
}

/// The whole chain.
///
/// A query passes the layers from the last line to the first. What is cheap and answers often comes
/// before what is dear; models are checked where nothing can change them any more.
pub fn chain(config: Config) -> Box<dyn Solver> {
    let Config { limits, cross_check_every } = config;
    let backend = BitBlaster::new(limits.clone());
    let backend = Fallback::new(backend, Z3::new(limits.clone()), cross_check_every);
    let cached = Cache::new(backend);
    let reused = Models::new(cached);
    let sliced = Independence::new(reused);
    let simplified = Simplify::new(sliced);
    let validated = Validate::new(simplified);
    Box::new(RunLimits::new(validated, limits))
}
