//! Ends a run of queries whose time is used up.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use umbra_expr::Expressions;

use crate::query::{Error, LayerStatistics, Limits, Query, Reason, Solver, Verdict};

/// Passes queries on until the time for all of them is spent, the run is to end, or the flag is set.
#[derive(Debug)]
pub struct RunLimits<S> {
    next: S,
    limits: Limits,
    spent: Duration,
    layer: LayerStatistics,
}

impl<S: Solver> RunLimits<S> {
    /// Only the limits that are for all queries together are looked at.
    pub fn new(next: S, limits: Limits) -> Self {
        Self { next, limits, spent: Duration::ZERO, layer: LayerStatistics::new("limits") }
    }

    fn exhausted(&self) -> Option<Reason> {
        let stop = self.limits.stop.as_ref();
        if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Some(Reason::Stopped);
        }
        let is_late = self.limits.deadline.is_some_and(|end| Instant::now() >= end);
        let is_spent = self.limits.run_time.is_some_and(|limit| self.spent >= limit);
        (is_late || is_spent).then_some(Reason::RunTime)
    }
}

impl<S: Solver> Solver for RunLimits<S> {
    fn check(
        &mut self,
        expressions: &mut Expressions,
        query: &Query<'_>,
    ) -> Result<Verdict, Error> {
        if let Some(reason) = self.exhausted() {
            let verdict = Verdict::Unknown(reason);
            self.layer.record(&verdict, Duration::ZERO);
            return Ok(verdict);
        }
        self.layer.pass(Duration::ZERO);
        let start = Instant::now();
        let verdict = self.next.check(expressions, query);
        self.spent += start.elapsed();
        verdict
    }

    fn report(&self, layers: &mut Vec<LayerStatistics>) {
        layers.push(self.layer.clone());
        self.next.report(layers);
    }
}
