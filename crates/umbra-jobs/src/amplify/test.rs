//! One test, between its distances.

use std::time::{Duration, Instant};

use umbra_case::Case;
use umbra_engine::{
    Image, Limits, Machine, Memory, NoForks, Path, Process, Shared, State, Termination,
    UninitialisedReads,
};
use umbra_expr::Assignment;
use umbra_os::Kernel;
use umbra_strategy::{
    AmplifyLimits, Built, Config, Route, Sensitive, Statistics, Stopped, Work, Worker, given,
};

use super::book::At;
use super::collect::Teller;
use super::suite::Common;
use crate::Error;
use crate::diff::NamedSeed;

/// Instructions between two looks at the time.
const SLICE: u64 = 1_000_000;

/// A test that was followed, with all that is left to explore from it.
pub struct OpenTest<'a> {
    /// Its position among all tests.
    pub position: usize,
    name: &'a str,
    worker: Worker<'a>,
    built: Built,
    seed: Assignment,
    pub route: Route,
    /// How its own path has ended, if it has.
    pub end: Option<Termination>,
}

impl<'a> OpenTest<'a> {
    /// Follows a test, within this time.
    pub fn follow(
        common: &Common<'a>,
        (position, named): (usize, &'a NamedSeed),
        (image, memory): (&'a Image, &mut Memory),
        (sensitive, limits): (&Sensitive, &AmplifyLimits),
        (config, time): (Config, Option<Duration>),
    ) -> Result<Self, Error> {
        let state_limits = common.state_limits();
        let mut own = Memory::new(state_limits.memory, UninitialisedReads::Zero);
        own.resume(memory.fork());
        let mut shared = Shared::new(image);
        let world = named.seed.world();
        let (mut kernel, _) = given(named.seed.case());
        let identity = [kernel.uid, kernel.uid, kernel.gid, kernel.gid];
        let built = world.build(&mut shared.expressions, identity);
        built.configure(&mut shared.expressions, &mut kernel);
        let kernel = Kernel::new(kernel).map_err(Error::Start)?;
        let state = State::new(own, Box::new(kernel), state_limits);
        let seed = built.assignment(&mut shared.expressions, &named.seed);
        let path = Path::begin(0, seed.clone(), &shared.expressions, &built.constraints);
        let process = built.starts.first().ok_or(Error::NoTest)?.process.clone();
        let mut worker = Worker::new(image, shared, state, config);
        if let Some(time) = time {
            worker.allow(time);
        }
        let mut teller = teller(common, &built, (position, &named.name), &seed);
        let route = worker.amplify(&process, path, (sensitive, limits), &mut teller);
        let end = teller.seed_end;
        Ok(Self { position, name: &named.name, worker, built, seed, route, end })
    }

    /// Explores at a distance, within this time. Says why it ended early, if it did.
    pub fn explore(
        &mut self,
        common: &Common<'_>,
        at: (u32, u32),
        (sensitive, limits): (&Sensitive, &AmplifyLimits),
        time: Option<Duration>,
    ) -> Option<Stopped> {
        if let Some(time) = time {
            self.worker.allow(time);
        }
        let test = (self.position, self.name);
        let mut teller = teller(common, &self.built, test, &self.seed);
        self.worker.amplify_at(&mut self.route, at, (sensitive, limits), &mut teller)
    }

    /// Bytes that it keeps.
    pub fn bytes(&self) -> usize {
        self.worker.shared().expressions.bytes() + self.route.bytes() + ROOM
    }

    /// What was counted.
    pub fn statistics(&self) -> Statistics {
        self.worker.statistics()
    }
}

/// Bytes of the room in which states run.
const ROOM: usize = 4 << 20;

fn teller<'t>(
    common: &Common<'t>,
    built: &'t Built,
    (test, name): (usize, &'t str),
    seed: &'t Assignment,
) -> Teller<'t> {
    let at = At { test, work: Work::Seed, distance: 0, depth: 0 };
    let (job, book, guard) = (common.job, common.book, common.watched.guard);
    let (worker, moved) = (common.worker, common.moved[test]);
    Teller { job, book, built, guard, worker, seed, name, moved, at, seed_end: None }
}

/// How long a test takes with all bytes given, in the same machine; `None` if it takes longer than `most`.
pub fn concrete_time(
    image: &Image,
    memory: &mut Memory,
    case: &Case,
    (limits, most): (Limits, Duration),
) -> Option<Duration> {
    let mut own = Memory::new(limits.memory, UninitialisedReads::Zero);
    own.resume(memory.fork());
    let (config, process): (_, Process) = given(case);
    let mut state = State::new(own, Box::new(Kernel::new(config).ok()?), limits);
    let mut shared = Shared::new(image);
    let mut forks = NoForks;
    let start = Instant::now();
    if Machine::new(image, &mut state, &mut shared, &mut forks).start(&process).is_err() {
        return None;
    }
    while start.elapsed() < most {
        let ended = Machine::new(image, &mut state, &mut shared, &mut forks).run(SLICE);
        if ended.is_some() {
            return Some(start.elapsed());
        }
    }
    None
}
