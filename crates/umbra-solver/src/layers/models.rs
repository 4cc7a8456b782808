//! Tries assignments that are at hand before anything is solved.

use std::collections::VecDeque;
use std::time::Instant;

use umbra_expr::{Assignment, Evaluator, Expressions};

use crate::query::{Error, LayerStatistics, Model, Query, Solver, Verdict};

/// How many models are remembered.
const REMEMBERED: usize = 8;

/// Queries after which it is judged anew whether trying models is worth the time.
const WINDOW: u32 = 64;

/// Evaluates the query under the hint, then under recent models.
///
/// A search that takes sides in order asks for what no model at hand can have; then only the last
/// model is tried, and all of them in one window out of eight.
#[derive(Debug)]
pub struct Models<S> {
    next: S,
    /// Most recently useful first.
    recent: VecDeque<Model>,
    /// Queries and hits in the current window, and how many windows there were.
    asked: u32,
    hits: u32,
    windows: u32,
    /// How many models are tried in this window.
    tried: usize,
    evaluator: Evaluator,
    layer: LayerStatistics,
}

impl<S: Solver> Models<S> {
    /// Asks `next` when no assignment at hand will do.
    pub fn new(next: S) -> Self {
        Self {
            next,
            recent: VecDeque::new(),
            asked: 0,
            hits: 0,
            windows: 0,
            tried: REMEMBERED,
            evaluator: Evaluator::new(),
            layer: LayerStatistics::new("models"),
        }
    }

    fn at_hand(&mut self, exprs: &Expressions, query: &Query<'_>) -> Option<Model> {
        if let Some(hint) = query.hint {
            // What a witness satisfies already need not be evaluated.
            let constraints = if query.is_witness { &[] } else { query.constraints };
            let asked = Query { constraints, ..*query };
            if satisfies(&mut self.evaluator, exprs, &asked, hint) {
                return Some(hint.clone());
            }
        }
        let found = self
            .recent
            .iter()
            .take(self.tried)
            .position(|model| satisfies(&mut self.evaluator, exprs, query, model))?;
        let model = self.recent.remove(found)?;
        self.recent.push_front(model.clone());
        Some(model)
    }
}

impl<S> Models<S> {
    /// Counts a query, and decides at the end of a window how many models the next one tries.
    fn count(&mut self, hit: bool) {
        self.asked += 1;
        self.hits += u32::from(hit);
        if self.asked < WINDOW {
            return;
        }
        self.windows += 1;
        let worth = self.hits * 16 >= WINDOW || self.windows.is_multiple_of(8);
        self.tried = if worth { REMEMBERED } else { 1 };
        (self.asked, self.hits) = (0, 0);
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
        let at_hand = self.at_hand(expressions, query);
        self.count(at_hand.is_some());
        if let Some(model) = at_hand {
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
