//! The search around one seed.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use umbra_analysis::Definitions;
use umbra_case::Case;
use umbra_engine::{
    Coverage, ErrorReport, Fork, Image, Machine, Parked, Path, Process, Shared, State, Termination,
};
use umbra_expr::Assignment;
use umbra_solver::{Query, Solver, Verdict};
use umbra_words::Mechanism;

use super::desk::{Met, Settled, SideDesk};
use super::side::{Means, Queue, Run, Side, SideId};
use super::ways::{Aim, Goal, Ways};
use crate::contexts::{ContextId, Contexts};
use crate::limits::{Limits, Stopped, Used};
use crate::statistics::Statistics;
use crate::world::Built;

/// Instructions between two looks at what was met.
const SLICE: u64 = 50_000;

/// Instructions after which a path that has run a target is not followed any further.
const AFTER: u64 = 2_000_000;

/// What a search starts from.
pub struct Start {
    /// The state; it has not started.
    pub state: State,
    /// What its states share.
    pub shared: Shared,
    /// The world, with its expressions.
    pub built: Built,
    /// The seed, as an assignment of that world.
    pub seed: Assignment,
}

/// How a search goes.
pub struct Terms {
    /// When to stop. Time and instructions are those of each pursuit.
    pub limits: Limits,
    /// The solver and its limits.
    pub solver: umbra_solver::Config,
    /// What it may do.
    pub mechanisms: BTreeSet<Mechanism>,
    /// What has led to the seed.
    pub means: Means,
}

/// An input that runs targets.
pub struct Hit {
    /// The targets, as coverage names them.
    pub goals: Vec<u32>,
    /// The input.
    pub case: Case,
    /// What has led to it.
    pub means: Means,
}

/// An error of the program on a path.
pub struct Failure {
    /// What is wrong.
    pub report: Box<ErrorReport>,
    /// The input.
    pub case: Case,
    /// The targets that the path has run, as coverage names them.
    pub goals: Vec<u32>,
}

/// How a pursuit ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pursuit {
    /// The target was reached, now or before.
    Reached,
    /// There is nothing left to try.
    NothingLeft,
    /// A limit was reached.
    Stopped(Stopped),
}

/// The search around one seed, for any number of targets.
pub struct Hunt<'a> {
    pub(super) image: &'a Image,
    pub(super) ways: &'a Ways<'a>,
    pub(super) shared: Shared,
    pub(super) solver: Box<dyn Solver>,
    /// The room in which states run.
    pub(super) state: State,
    pub(super) built: Built,
    pub(super) seed: Assignment,
    pub(super) limits: Limits,
    pub(super) used: Used,
    pub(super) statistics: Statistics,
    pub(super) mechanisms: BTreeSet<Mechanism>,
    pub(super) means: Means,
    pub(super) runs: Vec<Run>,
    pub(super) sides: Vec<Side>,
    pub(super) queue: Queue,
    pub(super) contexts: Contexts,
    pub(super) aim: Option<Aim>,
    /// Targets that were not reached, as coverage names them.
    pub(super) open: BTreeSet<u32>,
    pub(super) hits: Vec<Hit>,
    pub(super) failures: Vec<Failure>,
    /// What defines what, once it was asked for.
    pub(super) definitions: Option<Definitions<'a, 'a>>,
    /// All that ran so far, as coverage names it.
    pub(super) ran: Vec<bool>,
    /// The definition that is to be run before anything else.
    pub(super) wanted: Option<u32>,
    /// Definitions that were run for targets, or could not be.
    pub(super) switched: BTreeSet<(Goal, Goal)>,
    /// Runs when definitions were looked at last.
    pub(super) looked: usize,
    /// Branches whose other side nobody can take on some path, each once a run.
    pub(super) settled: HashSet<(u32, Option<u32>)>,
    /// The last run that has run targets, with them.
    pub(super) probed: Option<(usize, Vec<u32>)>,
    /// What the program asked for that is not modelled.
    pub(super) unmodelled: BTreeSet<String>,
    /// Bytes of what waits, and how often memory was asked for.
    pub(super) bytes: usize,
    pub(super) asked: u64,
}

impl<'a> Hunt<'a> {
    /// A search that has not begun. `goals` are all targets that are of interest, as coverage names them.
    pub fn new(
        image: &'a Image,
        ways: &'a Ways<'a>,
        start: Start,
        terms: Terms,
        goals: BTreeSet<u32>,
    ) -> Self {
        let Start { state, mut shared, built, seed } = start;
        let Terms { limits, mut solver, mechanisms, means } = terms;
        let stop = limits.control.flag();
        solver.limits.stop.get_or_insert_with(|| Arc::clone(stop));
        shared.alarm = Some(Arc::clone(stop));
        Self {
            image,
            ways,
            shared,
            solver: umbra_solver::chain(solver),
            state,
            built,
            seed,
            asked: limits.control.asked(),
            limits,
            used: Used::new(),
            statistics: Statistics::default(),
            mechanisms,
            means,
            runs: Vec::new(),
            sides: Vec::new(),
            queue: Queue::default(),
            contexts: Contexts::default(),
            aim: None,
            open: goals,
            hits: Vec::new(),
            failures: Vec::new(),
            definitions: None,
            ran: Vec::new(),
            wanted: None,
            switched: BTreeSet::new(),
            looked: 0,
            settled: HashSet::new(),
            probed: None,
            unmodelled: BTreeSet::new(),
            bytes: 0,
        }
    }

    /// What was counted so far.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// What the program asked for that is not modelled.
    pub fn unmodelled(&self) -> &BTreeSet<String> {
        &self.unmodelled
    }

    /// Inputs that run targets, found since the last time.
    pub fn take_hits(&mut self) -> Vec<Hit> {
        std::mem::take(&mut self.hits)
    }

    /// Errors, found since the last time.
    pub fn take_failures(&mut self) -> Vec<Failure> {
        std::mem::take(&mut self.failures)
    }

    /// From now on these targets are of interest, as coverage names them, and no others.
    pub fn set_goals(&mut self, goals: BTreeSet<u32>) {
        self.open = goals;
    }

    /// Bytes of states that wait and of expressions.
    pub fn bytes(&self) -> usize {
        self.bytes + self.shared.expressions.bytes()
    }

    /// Whether all paths were followed to their ends.
    pub fn is_complete(&self) -> bool {
        let counted = &self.statistics;
        let cut = ["limit", "unsupported", "engine-bug"];
        self.sides.iter().all(|side| side.parked.is_none())
            && !self.runs.is_empty()
            && counted.dropped.is_empty()
            && counted.unknown.is_empty()
            && counted.failures.is_empty()
            && !cut.iter().any(|end| counted.ends.contains_key(end))
    }

    /// So much may be used from now on.
    fn allow(&mut self, time: Option<Duration>, instructions: Option<u64>) {
        self.limits.time = time.map(|time| self.used.start.elapsed() + time);
        self.limits.instructions =
            instructions.map(|most| self.statistics.instructions.saturating_add(most));
    }

    /// Follows the seed to its end.
    pub fn follow(
        &mut self,
        process: &Process,
        time: Option<Duration>,
        instructions: Option<u64>,
    ) -> Option<Stopped> {
        self.allow(time, instructions);
        let expressions = &self.shared.expressions;
        self.state.path = Path::begin(0, self.seed.clone(), expressions, &self.built.constraints);
        self.runs.push(Run { from: None, sides: Vec::new(), after: Vec::new(), means: self.means });
        self.shared.coverage = Coverage::new(self.image);
        let started = self.at_desk(|machine| machine.start(process));
        match started {
            (Err(termination), _) => self.end(0, &termination, &[]),
            (Ok(()), met) => {
                self.keep(0, met);
                self.go(0, u32::MAX);
                self.probe();
            }
        }
        self.limits.reached(&self.used)
    }

    /// Looks for an input that runs a target, as long as it may.
    pub fn seek(
        &mut self,
        goal: Goal,
        time: Option<Duration>,
        instructions: Option<u64>,
    ) -> Pursuit {
        self.allow(time, instructions);
        let Some(target) = self.image.block_target(goal.function, goal.block) else {
            return Pursuit::NothingLeft;
        };
        self.aim_at(goal);
        self.pursue(goal, target)
    }

    pub(super) fn stopped(&self) -> Option<Stopped> {
        if self.shared.expressions.limit_reached() {
            return Some(Stopped::Expressions);
        }
        // States can be dropped, expressions cannot.
        let expressions = self.shared.expressions.bytes();
        if self.limits.memory.is_some_and(|limit| expressions >= limit) {
            return Some(Stopped::Memory);
        }
        self.limits.reached(&self.used)
    }

    pub(super) fn ask(
        &mut self,
        prefix: &[umbra_expr::ExprId],
        condition: umbra_expr::ExprId,
        witness: &Assignment,
    ) -> Option<Verdict> {
        let query = Query::new(prefix, condition).with_witness(witness);
        let start = Instant::now();
        let verdict = self.solver.check(&mut self.shared.expressions, &query);
        self.statistics.solver_time += start.elapsed();
        self.statistics.queries += 1;
        match &verdict {
            Ok(Verdict::Sat(_)) => {}
            Ok(Verdict::Unsat(_)) => self.statistics.infeasible += 1,
            Ok(Verdict::Unknown(reason)) => {
                *self.statistics.unknown.entry(reason.name()).or_default() += 1;
            }
            Err(error) => self.statistics.fail(error.name()),
        }
        verdict.ok()
    }

    /// Runs the state until its path ends, or something nearer than `cost` waits.
    pub(super) fn go(&mut self, run: usize, cost: u32) {
        let most = self.limits.path_instructions.unwrap_or(u64::MAX);
        let mut goals: Vec<u32> = Vec::new();
        let mut after = 0;
        loop {
            let before = self.state.instructions();
            let left = self.limits.instructions_left(&self.used).max(1);
            let (ended, met) = self.at_desk(|machine| machine.run(SLICE.min(left)));
            let ran = self.state.instructions() - before;
            self.statistics.instructions += ran;
            self.used.instructions.fetch_add(ran, std::sync::atomic::Ordering::Relaxed);
            self.keep(run, met);
            let coverage = &self.shared.coverage;
            let new: Vec<u32> =
                self.open.iter().copied().filter(|goal| coverage.is_covered(*goal)).collect();
            self.open.retain(|goal| !new.contains(goal));
            goals.extend(new);
            after += if goals.is_empty() { 0 } else { ran };
            let limit = match self.state.instructions() >= most {
                true => Some("instructions"),
                false => (after >= AFTER).then_some("run"),
            };
            if let Some(termination) = ended.or(limit.map(Termination::Limit)) {
                return self.end(run, &termination, &goals);
            }
            let stops = self.stopped().is_some();
            if stops && !goals.is_empty() {
                return self.end(run, &Termination::Limit("run"), &goals);
            }
            let is_late = goals.is_empty()
                && self.queue.first().is_some_and(|(nearest, _)| nearest < cost)
                && run > 0;
            if stops || is_late {
                return self.interrupt(run);
            }
        }
    }

    /// The running state waits like a side.
    fn interrupt(&mut self, run: usize) {
        self.note_ran(run);
        let parked = self.state.fork(self.image);
        let place = parked.place();
        let id = SideId(self.sides.len() as u32);
        self.bytes += parked.bytes();
        self.sides.push(Side {
            run,
            at: self.runs[run].sides.len(),
            context: self.contexts.intern(parked.return_places()),
            parked: Some(parked),
            goal: None,
            branch: (place, None),
            reason: None,
            node: self.ways.place(self.image, place),
            means: self.runs[run].means,
            blockers: Vec::new(),
            promoted: None,
            cost: None,
        });
        // It decides nothing, so it is none of the run's own sides.
        self.line_up(id);
    }

    /// Keeps what a run has met.
    fn keep(&mut self, run: usize, (met, settled): (Vec<Met>, Vec<Settled>)) {
        let before = self.runs[run].sides.len();
        for Met { parked, fork, base } in met {
            let context = self.contexts.intern(parked.return_places());
            self.bytes += parked.bytes();
            self.add(run, &fork, base, (Some(parked), context));
        }
        for Settled { fork, base, decided, before: met } in settled {
            // It decides nothing, so it is none of the run's own sides.
            let id = self.add(run, &fork, base, (None, ContextId::OUTERMOST));
            self.runs[run].sides.pop();
            self.sides[id.0 as usize].at = before + met;
            let blockers = decided.into_iter().filter_map(|at| self.decided(id, at)).collect();
            self.sides[id.0 as usize].blockers = blockers;
            if let Some((cost, _)) = self.cost(id).filter(|_| self.may(Mechanism::Regeneration)) {
                self.promote_blockers(id, cost);
            }
        }
    }

    fn add(
        &mut self,
        run: usize,
        fork: &Fork,
        base: usize,
        (parked, context): (Option<Parked>, ContextId),
    ) -> SideId {
        let node = match fork.target {
            Some(target) => self.ways.block(self.image, target),
            None => self.ways.place(self.image, fork.place),
        };
        let id = SideId(self.sides.len() as u32);
        self.sides.push(Side {
            run,
            at: self.runs[run].sides.len(),
            parked,
            goal: Some((base, fork.condition)),
            branch: (fork.place, fork.target),
            reason: Some(fork.reason),
            node,
            context,
            means: self.runs[run].means,
            blockers: Vec::new(),
            promoted: None,
            cost: None,
        });
        self.runs[run].sides.push(id);
        self.line_up(id);
        id
    }

    /// Drops the farthest half of what waits if somebody asks for memory, or it takes too much.
    pub(super) fn give_memory(&mut self) {
        let asked = self.limits.control.asked();
        let is_asked = asked != std::mem::replace(&mut self.asked, asked);
        let is_much = self.limits.memory.is_some_and(|limit| self.bytes() > limit);
        if !is_asked && !is_much {
            return;
        }
        let most = self.bytes / 2;
        while self.bytes > most {
            let Some(id) = self.queue.last() else { break };
            let side = &mut self.sides[id.0 as usize];
            self.queue.take(id, side);
            self.bytes -= side.parked.take().map_or(0, |parked| parked.bytes()).min(self.bytes);
            self.statistics.drop("memory");
        }
        if is_asked {
            self.limits.control.answer();
        }
    }

    /// Does something with the running state, and says which sides it has met.
    fn at_desk<T>(
        &mut self,
        work: impl FnOnce(&mut Machine<'_>) -> T,
    ) -> (T, (Vec<Met>, Vec<Settled>)) {
        let waiting: usize = self.bytes;
        let room = match self.limits.memory {
            Some(memory) if waiting >= memory => 0,
            _ => usize::MAX,
        };
        let mut desk = SideDesk {
            solver: &mut *self.solver,
            statistics: &mut self.statistics,
            limits: &self.limits,
            used: &self.used,
            room,
            met: Vec::new(),
            base: 0,
            settled: Vec::new(),
            seen: &mut self.settled,
        };
        let mut machine = Machine::new(self.image, &mut self.state, &mut self.shared, &mut desk);
        let done = work(&mut machine);
        (done, (desk.met, desk.settled))
    }
}
