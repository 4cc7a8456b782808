//! Replaces in the goal what the path has fixed already.
//!
//! A constraint is true, its negation false, and `x = 5` makes `x` five, wherever they occur in the
//! goal. Many goals become constants by that, others depend on fewer bytes afterwards. Constraints
//! themselves are left alone: each would become a new expression on every path, and our backend
//! finds by propagation what a rewriting would have shown.

use std::collections::hash_map::Entry;
use std::time::Instant;

use umbra_expr::{ExprId, Expressions, IdMap, IdSet, Kind};

use super::prefix::{Facts, Prefixes};
use crate::query::{Error, LayerStatistics, Query, Solver, Verdict, sorted_core};

/// Simplifies goals by what their path implies.
#[derive(Debug)]
pub struct Simplify<S> {
    next: S,
    paths: Prefixes<Known>,
    layer: LayerStatistics,
}

/// What a path fixes.
#[derive(Debug, Default)]
struct Known {
    fixed: IdMap<ExprId, Fixed>,
    /// The expressions that are fixed, in the order in which they came to be.
    order: Vec<ExprId>,
}

/// The value of an expression, and the constraint that says so.
#[derive(Clone, Copy, Debug)]
struct Fixed {
    value: ExprId,
    source: ExprId,
    position: usize,
}

impl Facts for Known {
    fn truncate(&mut self, length: usize) {
        while let Some(last) = self.order.last()
            && self.fixed[last].position >= length
        {
            self.fixed.remove(last);
            self.order.pop();
        }
    }
}

impl Known {
    fn add(&mut self, exprs: &mut Expressions, position: usize, source: ExprId) {
        let mut fix = |e: ExprId, value: ExprId| {
            if let Entry::Vacant(entry) = self.fixed.entry(e) {
                entry.insert(Fixed { value, source, position });
                self.order.push(e);
            }
        };
        let (truth, falsehood) = (exprs.true_(), exprs.false_());
        fix(source, truth);
        fix(exprs.not(source), falsehood);
        let operands = exprs.operands(source);
        match exprs.kind(source) {
            Kind::Eq => {
                let (a, b) = (operands[0], operands[1]);
                if exprs.is_constant(b) {
                    fix(a, b);
                } else if exprs.is_constant(a) {
                    fix(b, a);
                }
            }
            // Both sides hold, and they hold because of the whole.
            Kind::And => operands.iter().for_each(|&side| fix(side, truth)),
            _ => {}
        }
    }

    /// The parts of the goal that the first constraints fix, outermost first.
    fn within(&self, exprs: &Expressions, goal: ExprId, length: usize) -> Vec<(ExprId, Fixed)> {
        let mut found = Vec::new();
        let mut seen = IdSet::default();
        let mut open = vec![goal];
        while let Some(e) = open.pop() {
            if !seen.insert(e) || exprs.is_constant(e) {
                continue;
            }
            match self.fixed.get(&e).filter(|fixed| fixed.position < length) {
                Some(&fixed) => found.push((e, fixed)),
                None => open.extend(exprs.operands(e).iter()),
            }
        }
        found
    }
}

impl<S: Solver> Simplify<S> {
    /// Asks `next` for what is left.
    pub fn new(next: S) -> Self {
        Self { next, paths: Prefixes::default(), layer: LayerStatistics::new("simplify") }
    }

    /// The goal as it is under the constraints, and the constraints that were used.
    fn simplify(&mut self, exprs: &mut Expressions, query: &Query<'_>) -> (ExprId, Vec<ExprId>) {
        let known = self.paths.of(query.constraints, |known, position, constraint| {
            known.add(exprs, position, constraint);
        });
        let found = known.within(exprs, query.goal, query.constraints.len());
        if found.is_empty() {
            return (query.goal, Vec::new());
        }
        let replacements = found.iter().map(|&(e, fixed)| (e, fixed.value));
        let goal = exprs.substitute(query.goal, replacements);
        (goal, found.into_iter().map(|(_, fixed)| fixed.source).collect())
    }
}

impl<S: Solver> Solver for Simplify<S> {
    fn check(
        &mut self,
        expressions: &mut Expressions,
        query: &Query<'_>,
    ) -> Result<Verdict, Error> {
        let start = Instant::now();
        let (goal, mut used) = self.simplify(expressions, query);
        if goal == expressions.false_() {
            used.push(query.goal);
            let verdict = Verdict::Unsat(sorted_core(used));
            self.layer.record(&verdict, start.elapsed());
            return Ok(verdict);
        }
        self.layer.pass(start.elapsed());
        let verdict = self.next.check(expressions, &Query { goal, ..*query })?;
        // What contradicts the simplified goal contradicts the goal and what simplified it.
        let Verdict::Unsat(mut core) = verdict else { return Ok(verdict) };
        if goal != query.goal && core.contains(&goal) {
            // The simplified goal may be a constraint as well.
            core.retain(|&term| term != goal || query.constraints.contains(&goal));
            core.push(query.goal);
            core.extend(used);
        }
        Ok(Verdict::Unsat(sorted_core(core)))
    }

    fn report(&self, layers: &mut Vec<LayerStatistics>) {
        layers.push(self.layer.clone());
        self.next.report(layers);
    }
}
