//! Bounded exploration of the new version from the points where the versions parted.
//!
//! Each point has states and a searcher of its own. Points take turns, so that one with endless
//! paths does not take the time of the others. At the end of a turn all states of the point are
//! kept as they are: nothing is executed twice. The first path of a point is the one of its own input ([`Lead`]),
//! and its end is the point's test case. A point that has used up its budget is dropped: its
//! first path ends there if it has not ended before, and what else is dropped is counted.
//!
//! [`Lead`]: super::lead::Lead

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use umbra_engine::Termination;

use super::pool::Pool;
use super::{Observer, Point, Worker};
use crate::limits::{Limits, Stopped, Used};
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
}

/// A point between its turns.
struct Turn {
    pool: Pool,
    turns: u32,
    time: Duration,
    instructions: u64,
}

/// The lower of two limits, where there may be none.
fn lower<T: Ord>(one: Option<T>, other: Option<T>) -> Option<T> {
    [one, other].into_iter().flatten().min()
}

impl Worker<'_> {
    /// Explores the new version from points in turn, as far as their budgets and the limits of the
    /// worker allow. The limits count from when the worker was made.
    pub fn explore_points(
        &mut self,
        points: Vec<Point>,
        budget: &PointBudget,
        search: &Search,
        terrain: Option<&Arc<Terrain>>,
        observer: &mut dyn Observer,
    ) -> Option<Stopped> {
        let (limits, used) = (self.limits.clone(), Arc::clone(&self.used));
        let mut turns: VecDeque<Turn> = VecDeque::new();
        for (number, point) in (0..).zip(points) {
            let searcher = search.searcher(number, terrain);
            let pool = Pool::of_point(searcher, self.image, &self.shared.coverage, point);
            turns.push_back(Turn { pool, turns: 0, time: Duration::ZERO, instructions: 0 });
        }
        let mut stopped = None;
        while let Some(mut turn) = turns.pop_front() {
            let elsewhere = turns.iter().map(|turn| turn.pool.bytes()).sum();
            self.limits = turn.limits(&limits, budget, &used, elsewhere);
            let start = Instant::now();
            std::mem::swap(&mut self.pool, &mut turn.pool);
            let ended = self.explore(observer);
            std::mem::swap(&mut self.pool, &mut turn.pool);
            turn.turns += 1;
            turn.time += start.elapsed();
            // Each exploration counts for itself.
            turn.instructions += self.used.instructions.load(Ordering::Relaxed);
            used.add(&self.used);
            stopped = limits.reached(&used).or(ended.filter(|stopped| !stopped.is_budget()));
            if stopped.is_some() {
                turns.push_back(turn);
                break;
            }
            match ended {
                None => {}
                Some(_) if turn.is_over(budget) => {
                    self.give_up(turn.pool, "point-budget", observer);
                }
                Some(_) => {
                    if turn.pool.is_leading() && turn.has_led(budget) {
                        turn.pool.step_back(self.image, &self.shared.coverage);
                    }
                    turns.push_back(turn);
                }
            }
        }
        for turn in turns {
            self.give_up(turn.pool, "end-of-run", observer);
        }
        (self.limits, self.used) = (limits, used);
        stopped
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
