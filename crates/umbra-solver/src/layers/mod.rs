//! The layers of the chain, and the one function that knows their order.

mod cache;
mod enumerate;
mod fallback;
mod groups;
mod independence;
mod limits;
mod log;
mod models;
mod prefix;
mod settrie;
mod simplify;
mod validate;

use std::num::NonZeroU32;
use std::time::Duration;

pub use cache::Cache;
pub use enumerate::Enumerate;
pub use fallback::Fallback;
pub use independence::Independence;
pub use limits::RunLimits;
pub use log::{Log, LogEntry, Recorder, folder_recorder};
pub use models::Models;
pub use simplify::Simplify;
pub use validate::Validate;

use crate::bitblast::BitBlaster;
use crate::query::{Limits, Solver};
use crate::z3::Z3;

/// What a chain is made of.
pub struct Config {
    /// How long to try.
    pub limits: Limits,
    /// Every so many unsat answers of our own solver are asked of Z3 as well.
    pub cross_check_every: Option<NonZeroU32>,
    /// Where every query is written down.
    pub log: Option<Recorder>,
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
            log: None,
        }
    }
}

/// The whole chain.
///
/// A query passes the layers from the last line to the first. What is cheap and answers often comes
/// before what is dear; models are checked where nothing can change them any more.
pub fn chain(config: Config) -> Box<dyn Solver> {
    let Config { limits, cross_check_every, log } = config;
    let backend = BitBlaster::new(limits.clone());
    let second = Enumerate::new(Z3::new(limits.clone()));
    let backend = Fallback::new(backend, second, cross_check_every);
    let cached = Cache::new(backend);
    let reused = Models::new(cached);
    let sliced = Independence::new(reused);
    let simplified: Box<dyn Solver> = Box::new(Simplify::new(sliced));
    // Within the validation, so that a query with a wrong model can be looked at.
    let logged = match log {
        Some(recorder) => Box::new(Log::new(simplified, recorder)),
        None => simplified,
    };
    let validated = Validate::new(logged);
    Box::new(RunLimits::new(validated, limits))
}
