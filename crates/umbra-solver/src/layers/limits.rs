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
        self.limits.question.begin(self.limits.time);
        let start = Instant::now();
        let verdict = self.next.check(expressions, query);
        self.spent += start.elapsed();
        self.limits.question.begin(None);
        verdict
    }

    fn report(&self, layers: &mut Vec<LayerStatistics>) {
        layers.push(self.layer.clone());
        self.next.report(layers);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layers::Fallback;

    /// Never finds an answer, for as long as it may look.
    #[derive(Debug)]
    struct Endless(Limits);

    impl Solver for Endless {
        fn check(&mut self, _: &mut Expressions, _: &Query<'_>) -> Result<Verdict, Error> {
            let end = Instant::now() + self.0.time_left().unwrap_or_default();
            while Instant::now() < end {
                std::hint::spin_loop();
            }
            Ok(Verdict::Unknown(Reason::Time))
        }

        fn report(&self, _: &mut Vec<LayerStatistics>) {}
    }

    #[test]
    fn all_backends_have_the_time_of_a_query_together() {
        let time = Duration::from_millis(400);
        let limits = Limits { time: Some(time), ..Limits::default() };
        let backends = Fallback::new(Endless(limits.clone()), Endless(limits.clone()), None);
        let mut solver = RunLimits::new(backends, limits);
        let mut expressions = Expressions::new();
        let goal = expressions.true_();
        // The second one has its time anew.
        for _ in 0..2 {
            let start = Instant::now();
            let verdict = solver.check(&mut expressions, &Query::new(&[], goal)).unwrap();
            let took = start.elapsed();
            assert!(matches!(verdict, Verdict::Unknown(Reason::Time)), "{verdict:?}");
            assert!(took >= time && took < time * 2, "{took:?}");
        }
    }
}
