//! A second backend: for what the first one leaves open, and to check it.

use std::num::NonZeroU32;

use umbra_expr::Expressions;

use crate::query::{Error, LayerStatistics, Query, Reason, Solver, Verdict};

/// Asks the second backend what the first does not know, and every n-th unsat of the first.
///
/// A wrong sat shows when its model is evaluated; nothing but a second opinion shows a wrong unsat.
#[derive(Debug)]
pub struct Fallback<A, B> {
    first: A,
    second: B,
    check_every: Option<NonZeroU32>,
    refused: u32,
    checks: LayerStatistics,
}

impl<A: Solver, B: Solver> Fallback<A, B> {
    /// Without a number nothing is checked.
    pub fn new(first: A, second: B, check_every: Option<NonZeroU32>) -> Self {
        let checks = LayerStatistics::new("cross-check");
        Self { first, second, check_every, refused: 0, checks }
    }

    fn is_due(&mut self) -> bool {
        self.refused += 1;
        self.check_every.is_some_and(|every| self.refused % every == 0)
    }
}

impl<A: Solver, B: Solver> Solver for Fallback<A, B> {
    fn check(
        &mut self,
        expressions: &mut Expressions,
        query: &Query<'_>,
    ) -> Result<Verdict, Error> {
        let verdict = self.first.check(expressions, query)?;
        match &verdict {
            Verdict::Sat(_) | Verdict::Unknown(Reason::Stopped | Reason::RunTime) => Ok(verdict),
            Verdict::Unknown(_) if query.is_light => Ok(verdict),
            Verdict::Unknown(_) => self.second.check(expressions, query),
            Verdict::Unsat(_) if self.is_due() => {
                let start = std::time::Instant::now();
                let other = self.second.check(expressions, query)?;
                self.checks.record(&other, start.elapsed());
                if other.is_sat() {
                    return Err(Error::Disagreement {
                        first: "the bit-blaster",
                        answer: verdict.name(),
                        second: "z3",
                        other: other.name(),
                        goal: query.goal,
                    });
                }
                Ok(verdict)
            }
            Verdict::Unsat(_) => Ok(verdict),
        }
    }

    fn report(&self, layers: &mut Vec<LayerStatistics>) {
        self.first.report(layers);
        layers.push(self.checks.clone());
        self.second.report(layers);
    }
}
