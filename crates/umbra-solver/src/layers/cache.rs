//! Answers known from earlier queries.
//!
//! A query that contains a contradictory core is contradictory. A query that is contained in one
//! with a model has that model.

use std::time::Instant;

use umbra_expr::{ExprId, Expressions};

use super::settrie::SetTrie;
use crate::query::{Core, Error, LayerStatistics, Model, Query, Solver, Verdict, sorted_core};

/// Beyond this many nodes in a tree everything is forgotten.
const NODE_LIMIT: usize = 200_000;
/// Beyond this many models everything is forgotten; they are as large as the inputs.
const MODEL_LIMIT: usize = 5_000;

/// Remembers cores and models by sets of constraints.
#[derive(Debug)]
pub struct Cache<S> {
    next: S,
    cores: SetTrie<Core>,
    models: SetTrie<Model>,
    model_count: usize,
    layer: LayerStatistics,
}

impl<S: Solver> Cache<S> {
    /// Asks `next` for what is not known yet.
    pub fn new(next: S) -> Self {
        Self {
            next,
            cores: SetTrie::default(),
            models: SetTrie::default(),
            model_count: 0,
            layer: LayerStatistics::new("cache"),
        }
    }

    fn known(&self, set: &[ExprId]) -> Option<Verdict> {
        if let Some(core) = self.cores.subset(set) {
            return Some(Verdict::Unsat(core.clone()));
        }
        self.models.superset(set).map(|model| Verdict::Sat(model.clone()))
    }
}

impl<S: Solver> Solver for Cache<S> {
    fn check(
        &mut self,
        expressions: &mut Expressions,
        query: &Query<'_>,
    ) -> Result<Verdict, Error> {
        let start = Instant::now();
        let set = sorted_core(query.terms().collect());
        if let Some(verdict) = self.known(&set) {
            self.layer.record(&verdict, start.elapsed());
            return Ok(verdict);
        }
        self.layer.pass(start.elapsed());
        let verdict = self.next.check(expressions, query)?;
        let start = Instant::now();
        match &verdict {
            Verdict::Sat(model) => {
                self.models.insert(&set, model.clone());
                self.model_count += 1;
            }
            Verdict::Unsat(core) => self.cores.insert(core, core.clone()),
            // An unknown is not remembered: the next attempt may have more time.
            Verdict::Unknown(_) => {}
        }
        let is_full = self.models.len() > NODE_LIMIT
            || self.cores.len() > NODE_LIMIT
            || self.model_count > MODEL_LIMIT;
        if is_full {
            self.models = SetTrie::default();
            self.cores = SetTrie::default();
            self.model_count = 0;
        }
        self.layer.time += start.elapsed();
        Ok(verdict)
    }

    fn report(&self, layers: &mut Vec<LayerStatistics>) {
        layers.push(self.layer.clone());
        self.next.report(layers);
    }
}
