//! What a test only visits is checked (ZESTI: Marinescu, Cadar, *make test-case generation zero-effort*, ICSE'12).
//!
//! A test's own input decides every branch, its bytes being symbolic. Only at *sensitive* operations is the solver asked
//! whether another input of the same path goes wrong there: that is *distance 0*. Branches of which both sides are
//! possible are the *divergence points* of the path. At distance D, bounded exploration starts from the point that is D of
//! them before a sensitive operation. `worker/amplify/` does both; here is what it is told and what it tells.

mod digest;
mod minimise;

use std::collections::{BTreeSet, HashSet};
use std::time::Duration;

use umbra_engine::Image;
use umbra_ir::FunctionId;

use crate::worker::Observer;
pub(crate) use digest::{Digests, mix};
pub use minimise::{Minimised, minimise};

/// Which operations are sensitive, beside those that show themselves when they meet symbolic data.
#[derive(Debug)]
pub struct Sensitive {
    /// For each block whether it accesses memory at a computed address.
    pub(crate) blocks: Vec<bool>,
    /// Operations behind calls from which a block goes on to such an access.
    pub(crate) after_calls: HashSet<u32>,
    /// For each block and edge whether it leads to the end of the program in any case.
    pub(crate) hopeless: Vec<bool>,
}

impl Sensitive {
    /// Finds them in the functions that are the program's own: those of libraries step through memory all the time.
    pub fn new(image: &Image, is_own: &dyn Fn(FunctionId) -> bool) -> Self {
        Self {
            blocks: image.computed_accesses(is_own),
            after_calls: image.accesses_computed_after(is_own),
            hopeless: image.hopeless_blocks(),
        }
    }
}

/// A piece of work that two tests may have in common: the same conditions before, the same operation, the same condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// The test's own path.
    Seed,
    /// One check at distance 0.
    Check(u64),
    /// Exploration from a divergence point, so many branches deep.
    Point {
        /// Which point it is.
        digest: u64,
        /// How deep.
        bound: u32,
    },
}

/// Is told what comes of a test that is amplified.
pub trait Amplifier: Observer {
    /// Whether this was done before, perhaps for another test. If so, what came of it counts for this one too, at this
    /// distance.
    fn is_done(&mut self, work: Work, distance: u32) -> bool;

    /// What ends from here on belongs to this work, at this distance. A path that ends has so many branches behind
    /// the point that it started from.
    fn begins(&mut self, work: Work, distance: u32, depth: u32);
}

/// Which checks are made at distance 0 and later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checks {
    /// Accesses through symbolic addresses.
    pub memory: bool,
    /// Divisors that may be zero.
    pub division: bool,
    /// Branches to code that ends the program because something is wrong.
    pub assertion: bool,
}

impl Default for Checks {
    fn default() -> Self {
        Self { memory: true, division: true, assertion: true }
    }
}

/// What one test may take.
#[derive(Clone, Debug)]
pub struct AmplifyLimits {
    /// Divergence points that are kept of a path: the last ones. With 0 none is wanted.
    pub points: usize,
    /// Checks of one operation on the path of a test; beyond that only every second, fourth, eighth one is made.
    pub checks: u32,
    /// Time for the checks of one test, likewise.
    pub check_time: Option<Duration>,
    /// Instructions of one path behind a point.
    pub instructions: u64,
    /// States behind one point that wait or are suspended.
    pub states: usize,
    /// Time for one point at one distance.
    pub point_time: Option<Duration>,
    /// Which checks are made.
    pub which: Checks,
}

impl Default for AmplifyLimits {
    fn default() -> Self {
        Self {
            points: 1 << 10,
            checks: 1 << 10,
            check_time: None,
            instructions: 2_000_000,
            states: 1 << 10,
            point_time: None,
            which: Checks::default(),
        }
    }
}

/// What was counted on the path of one test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AmplifyCounts {
    /// Questions that were asked at sensitive operations.
    pub checks: u64,
    /// Of these, operations that cannot go wrong on any input of the path.
    pub safe: u64,
    /// Operations that can.
    pub failing: u64,
    /// Questions that the solver left open.
    pub unknown: u64,
    /// Questions that were asked for another test, or before.
    pub repeated: u64,
    /// Questions that were left out, since checks took too much.
    pub thinned: u64,
    /// Branches of the path, whether or not both sides are possible.
    pub branches: u64,
    /// Divergence points that were dropped, because there were too many.
    pub forgotten: u64,
    /// Points from which was explored.
    pub explored: u64,
    /// Where questions were asked, as operations.
    pub places: BTreeSet<u32>,
    /// Instructions of the test's own path.
    pub instructions: u64,
    /// Time that it took to follow the test, without the solver.
    pub followed: Duration,
    /// Time in the solver meanwhile.
    pub solving: Duration,
}
