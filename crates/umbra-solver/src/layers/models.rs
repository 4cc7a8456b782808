//! Tries assignments that are at hand before anything is solved.

use std::collections::VecDeque;
use std::time::Instant;

use umbra_expr::{Assignment, Evaluator, Expressions};

use crate::query::{Error, LayerStatistics, Model, Query, Solver, Verdict};

/// How many models are remembered.
const REMEMBERED: usize = 8;

/// Evaluates the query under the hint, then under recent models.
#[derive(Debug)]
pub struct Models<S> {
    next: S,
    /// Most recently useful first.
    recent: VecDeque<Model>,
    evaluator: Evaluator,
    layer: LayerStatistics,
}

impl<S: Solver> Models<S> {
    /// Asks `next` when no assignment at hand will do.
    pub fn new(next: S) -> Self {
        Self {
            next,
            recent: VecDeque::new(),
            evaluator: Evaluator::new(),
            layer: LayerStatistics::new("models"),
        }
    }

    fn at_hand(&mut self, exprs: &Expressions, query: &Query<'_>) -> Option<Model> {
        if let Some(hint) = query.hint
            && satisfies(&mut self.evaluator, exprs, query, hint)
        {
            return Some(hint.clone());
        }
        let found = self
            .recent
            .iter()
            .position(|model| satisfies(&mut self.evaluator, exprs, query, model))?;
        let model = self.recent.remove(found)?;
        self.recent.push_front(model.clone());
        Some(model)
    }
}

fn satisfies(
    evaluator: &mut Evaluator,
    exprs: &Expressions,
    query: &Query<'_>,
    assignment: &Assignment,
) -> bool {
    let mut run = evaluator.run(exprs, assignment);
    // The goal is the likeliest to fail.
    run.is_true(query.goal) && query.constraints.iter().all(|&term| run.is_true(term))
}

impl<S: Solver> Solver for Models<S> {
    fn check(
        &mut self,
        expressions: &mut Expressions,
        query: &Query<'_>,
    ) -> Result<Verdict, Error> {
        let start = Instant::now();
        if let Some(model) = self.at_hand(expressions, query) {
            let verdict = Verdict::Sat(model);
            self.layer.record(&verdict, start.elapsed());
            return Ok(verdict);
        }
        self.layer.pass(start.elapsed());
        let verdict = self.next.check(expressions, query)?;
        if let Verdict::Sat(model) = &verdict {
            self.recent.push_front(model.clone());
            self.recent.truncate(REMEMBERED);
        }
        Ok(verdict)
    }

    fn report(&self, layers: &mut Vec<LayerStatistics>) {
        layers.push(self.layer.clone());
        self.next.report(layers);
    }
}
