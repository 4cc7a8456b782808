//! Replaces in the goal what the path has fixed already.
//!
//! A constraint is true, its negation false, and `x = 5` makes `x` five, wherever they occur in the
//! goal. Many goals become constants by that, others depend on fewer bytes afterwards. Constraints
//! themselves are left alone: each would become a new expression on every path, and our backend
//! finds by propagation what a rewriting would have shown.

use std::time::Instant;

use umbra_expr::{ExprId, Expressions, IdMap, IdSet, Kind};

use super::prefix::Prefixes;
use crate::query::{Error, LayerStatistics, Query, Solver, Verdict, sorted_core};

/// Simplifies goals by what their path implies.
#[derive(Debug)]
pub struct Simplify<S> {
    next: S,
    paths: Prefixes<Known>,
    layer: LayerStatistics,
}

/// What a path fixes: the value of an expression and the constraint that says so.
#[derive(Debug, Default)]
struct Known(IdMap<ExprId, (ExprId, ExprId)>);

impl Known {
    fn add(&mut self, exprs: &mut Expressions, constraint: ExprId) {
        let (truth, falsehood) = (exprs.true_(), exprs.false_());
        self.0.entry(constraint).or_insert((truth, constraint));
        let negation = exprs.not(constraint);
        self.0.entry(negation).or_insert((falsehood, constraint));
        let operands = exprs.operands(constraint);
        match exprs.kind(constraint) {
            Kind::Eq => {
                let (a, b) = (operands[0], operands[1]);
                if exprs.is_constant(b) {
                    self.0.entry(a).or_insert((b, constraint));
                } else if exprs.is_constant(a) {
                    self.0.entry(b).or_insert((a, constraint));
                }
            }
            Kind::And => {
                // Both sides hold, and they hold because of the whole.
                for &side in operands.iter() {
                    self.0.entry(side).or_insert((truth, constraint));
                }
            }
            _ => {}
        }
    }

    /// The parts of the goal that are fixed, outermost first.
    fn within(&self, exprs: &Expressions, goal: ExprId) -> Vec<(ExprId, ExprId, ExprId)> {
        let mut found = Vec::new();
        let mut seen = IdSet::default();
        let mut open = vec![goal];
        while let Some(e) = open.pop() {
            if !seen.insert(e) || exprs.is_constant(e) {
                continue;
            }
            match self.0.get(&e) {
                Some(&(value, source)) => found.push((e, value, source)),
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
        let known = self.paths.of(query.constraints, |known, _, constraint| {
            known.add(exprs, constraint);
        });
        let found = known.within(exprs, query.goal);
        if found.is_empty() {
            return (query.goal, Vec::new());
        }
        let replacements = found.iter().map(|&(e, value, _)| (e, value));
        let goal = exprs.substitute(query.goal, replacements);
        (goal, found.into_iter().map(|(_, _, source)| source).collect())
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
