//! Bounded exploration of the new version from the points where the versions parted, and of both from what is around a test.
//!
//! Each point has states and a searcher of its own. Points take turns, so that one with endless
//! paths does not take the time of the others. At the end of a turn all states of the point are
//! kept as they are: nothing is executed twice. The first path of a point is the one of its own input ([`Lead`]),
//! and its end is the point's test case. A point that has used up its budget is dropped: its
//! first path ends there if it has not ended before, and what else is dropped is counted.
//!
//! The sides around the test are one more such set of states, in which both versions run. Every other turn is theirs.
//!
//! All of it can be left between two turns and gone on with later ([`Open`]).
//!
//! [`Lead`]: super::lead::Lead

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use umbra_engine::Termination;
use umbra_words::Phase;

use super::follow::Followed;
use super::pool::Pool;
use super::{Observer, Worker};
use crate::limits::{Limits, Stopped, Used};
use crate::prune::Pruner;
use crate::queue::StateView;
use crate::searcher::Search;
use crate::terrain::Terrain;

/// Turns after which the first path of a point waits for the others, where no budget says it sooner.
const LEAD_TURNS: u32 = 10;

/// What a point may take. Its first path goes before the others for half of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PointBudget {
    /// Time of one point.
    pub time: Option<Duration>,
    /// Instructions on all paths from one point.
    pub instructions: Option<u64>,
    /// Instructions on all paths around the test.
    pub around: Option<u64>,
    /// Time of one turn; unlimited where equal runs are to be equal.
    pub turn_time: Option<Duration>,
    /// Instructions of one turn.
    pub turn_instructions: u64,
}

impl PointBudget {
    /// Half of it, in turns that are as long.
    fn half(&self) -> Self {
        Self {
            time: self.time.map(|time| time / 2),
            instructions: self.instructions.map(|instructions| instructions.div_ceil(2)),
            ..*self
        }
    }

    /// What paths around the test may take.
    fn of_around(&self) -> Self {
        Self { time: None, instructions: self.around, ..*self }
    }
}

/// How points, and what is around a test, are explored.
#[derive(Clone, Debug)]
pub struct Searches {
    /// From a point.
    pub points: Search,
    /// Around the test.
    pub around: Search,
    /// What searchers know that look ahead.
    pub terrain: Option<Arc<Terrain>>,
    /// Tells which states around the test can only do the same in both versions.
    pub pruner: Option<Arc<Pruner>>,
}

/// What is left to explore from a test, between two turns.
#[derive(Default)]
pub struct Open {
    points: VecDeque<Turn>,
    around: Option<Turn>,
    pruner: Option<Arc<Pruner>>,
    /// Whether the last turn was for what is around the test.
    was_around: bool,
}

impl Open {
    /// Whether nothing is left.
    pub fn is_done(&self) -> bool {
        self.points.is_empty() && self.around.is_none()
    }

    /// Bytes that only its states use.
    pub fn bytes(&self) -> usize {
        self.points.iter().chain(&self.around).map(|turn| turn.pool.bytes()).sum()
    }

    /// Whose turn it is.
    fn next(&mut self) -> Option<Turn> {
        let is_around = self.points.is_empty() || !self.was_around;
        let turn = if is_around { self.around.take() } else { None };
        self.was_around = turn.is_some();
        turn.or_else(|| self.points.pop_front())
    }

    /// Something is left of a turn.
    fn put_back(&mut self, turn: Turn) {
        match self.was_around {
            true => self.around = Some(turn),
            false => self.points.push_back(turn),
        }
    }
}

/// A point between its turns.
struct Turn {
    pool: Pool,
    turns: u32,
    time: Duration,
    instructions: u64,
}

impl Turn {
    fn new(pool: Pool) -> Self {
        Self { pool, turns: 0, time: Duration::ZERO, instructions: 0 }
    }
}

/// The lower of two limits, where there may be none.
fn lower<T: Ord>(one: Option<T>, other: Option<T>) -> Option<T> {
    [one, other].into_iter().flatten().min()
}

impl Worker<'_> {
    /// What there is to explore after a test was followed.
    pub fn open(&mut self, followed: Followed, searches: &Searches) -> Open {
        let Followed { points, around } = followed;
        let (image, coverage) = (self.image, &self.shared.coverage);
        let mut open = Open { pruner: searches.pruner.clone(), ..Open::default() };
        for (number, point) in (0..).zip(points) {
            let searcher = searches.points.searcher(number, searches.terrain.as_ref());
            open.points.push_back(Turn::new(Pool::of_point(searcher, image, coverage, point)));
        }
        if !around.is_empty() {
            let searcher = searches.around.searcher(0, searches.terrain.as_ref());
            let mut pool = Pool::new(searcher);
            for side in around {
                let view = StateView {
                    reason: Some(side.fork.reason),
                    target: side.fork.target,
                    near: side.near,
                    ..StateView::new(pool.new_id())
                };
                let goal = Some((side.base, side.fork.condition));
                pool.add(image, coverage, view, side.parked, goal);
            }
            open.around = Some(Turn::new(pool));
        }
        open
    }

    /// Explores what is open in turns, as far as budgets and the limits of the
    /// worker allow. The limits count from when the worker was made.
    pub fn explore_open(
        &mut self,
        open: &mut Open,
        budget: &PointBudget,
        observer: &mut dyn Observer,
    ) -> Option<Stopped> {
        let (limits, used) = (self.limits.clone(), Arc::clone(&self.used));
        let mut stopped = limits.reached(&used);
        while stopped.is_none()
            && let Some(mut turn) = open.next()
        {
            let is_around = open.was_around;
            let budget = if is_around { budget.of_around() } else { *budget };
            observer.phase(if is_around { Phase::Around } else { Phase::Bounded });
            self.limits = turn.limits(&limits, &budget, &used, open.bytes());
            let ended = self.take_turn(&mut turn, is_around.then_some(&open.pruner), observer);
            used.add(&self.used);
            stopped = limits.reached(&used).or(ended.filter(|stopped| !stopped.is_budget()));
            match ended {
                // Nothing is left of it.
                None => {}
                Some(_) if stopped.is_none() && turn.is_over(&budget) => match is_around {
                    true => self.leave_around(&turn.pool),
                    false => self.give_up(turn.pool, "point-budget", observer),
                },
                _ => {
                    if turn.pool.is_leading() && turn.has_led(&budget) {
                        turn.pool.step_back(self.image, &self.shared.coverage);
                    }
                    open.put_back(turn);
                }
            }
        }
        (self.limits, self.used) = (limits, used);
        stopped
    }

    /// Explores the states of one turn. Each exploration counts for itself.
    fn take_turn(
        &mut self,
        turn: &mut Turn,
        pruner: Option<&Option<Arc<Pruner>>>,
        observer: &mut dyn Observer,
    ) -> Option<Stopped> {
        let start = Instant::now();
        std::mem::swap(&mut self.pool, &mut turn.pool);
        let own = self.pruner.clone();
        if let Some(pruner) = pruner {
            self.pruner.clone_from(pruner);
        }
        let ended = self.explore(observer);
        self.pruner = own;
        std::mem::swap(&mut self.pool, &mut turn.pool);
        turn.turns += 1;
        turn.time += start.elapsed();
        turn.instructions += self.used.instructions.load(Ordering::Relaxed);
        ended
    }

    /// Nothing more is explored: the first path of each point ends here if it has not ended, and what is left is counted.
    pub fn close(&mut self, open: Open, observer: &mut dyn Observer) {
        observer.phase(Phase::Bounded);
        for turn in open.points {
            self.give_up(turn.pool, "end-of-run", observer);
        }
        if let Some(turn) = open.around {
            self.leave_around(&turn.pool);
        }
    }

    /// Counts what is left around the test. There is no end to it, so it is not said to be left out.
    fn leave_around(&mut self, pool: &Pool) {
        let mut rest = pool.rest();
        self.statistics.around += (rest.count - rest.diff_paths.len()) as u64;
        // But that the versions parted is known, and not to what end.
        rest.count = rest.diff_paths.len();
        self.leave_out("end-of-run", rest);
    }

    /// Ends the first path of a point if it has not ended, and drops the other states.
    fn give_up(&mut self, pool: Pool, limit: &'static str, observer: &mut dyn Observer) {
        let other = std::mem::replace(&mut self.pool, pool);
        if self.pool.step_forward()
            && let Some(running) = self.wake()
        {
            self.end(&running.view, Termination::Limit(limit), observer);
        }
        let rest = std::mem::replace(&mut self.pool, other).rest();
        self.leave_out(limit, rest);
    }
}

impl Turn {
    /// The limits of the next turn: of the turn, of the point, and of the worker.
    fn limits(
        &self,
        whole: &Limits,
        budget: &PointBudget,
        used: &Used,
        elsewhere: usize,
    ) -> Limits {
        let left = |limit: Option<Duration>, spent| limit.map(|limit| limit.saturating_sub(spent));
        let budget = if self.pool.is_leading() { budget.half() } else { *budget };
        let time = lower(left(whole.time, used.start.elapsed()), left(budget.time, self.time));
        let point = budget.instructions.map(|limit| limit.saturating_sub(self.instructions));
        let instructions = whole.instructions.map(|_| whole.instructions_left(used));
        Limits {
            time: lower(time, budget.turn_time),
            instructions: lower(lower(instructions, point), Some(budget.turn_instructions)),
            forks: whole
                .forks
                .map(|limit| limit.saturating_sub(used.forks.load(Ordering::Relaxed))),
            memory: whole.memory.map(|limit| limit.saturating_sub(elsewhere)),
            ..whole.clone()
        }
    }

    /// Whether the first path of the point has gone before the others for long enough.
    fn has_led(&self, budget: &PointBudget) -> bool {
        self.turns >= LEAD_TURNS || self.is_over(&budget.half())
    }

    /// Whether the point has used up what it may.
    fn is_over(&self, budget: &PointBudget) -> bool {
        budget.time.is_some_and(|limit| self.time >= limit)
            || budget.instructions.is_some_and(|limit| self.instructions >= limit)
    }
}
