//! Asks only for what the goal depends on.
//!
//! Constraints that share no input byte, directly or through others, have nothing to do with each
//! other. Of a path's groups only those that the goal touches are asked; the hint provides the other
//! bytes. Where it does not satisfy their constraints, those groups are asked on their own.

use std::time::Instant;

use umbra_expr::{Assignment, Evaluator, ExprId, Expressions, SymbolRange};

use super::groups::Groups;
use super::prefix::Prefixes;
use crate::query::{Error, LayerStatistics, Query, Solver, Verdict};

/// Slices queries into independent parts.
#[derive(Debug)]
pub struct Independence<S> {
    next: S,
    paths: Prefixes<Groups>,
    evaluator: Evaluator,
    layer: LayerStatistics,
}

impl<S: Solver> Independence<S> {
    /// Asks `next` for the parts.
    pub fn new(next: S) -> Self {
        Self {
            next,
            paths: Prefixes::default(),
            evaluator: Evaluator::new(),
            layer: LayerStatistics::new("independence"),
        }
    }

    /// Where the constraints that share bytes with a term stand, directly or through others.
    fn group(&mut self, exprs: &mut Expressions, path: &[ExprId], term: ExprId) -> Vec<usize> {
        let groups = self.paths.of(path, |groups, _, constraint| {
            groups.add(exprs.support(constraint));
        });
        groups.touched(exprs.support(term), path.len())
    }

    /// The groups of the constraints that the assignment does not satisfy, among those that are not
    /// asked already.
    fn violated(
        &mut self,
        exprs: &mut Expressions,
        assignment: &Assignment,
        constraints: &[ExprId],
        asked: &[usize],
    ) -> Vec<Vec<ExprId>> {
        let mut done = vec![false; constraints.len()];
        asked.iter().for_each(|&position| done[position] = true);
        let mut run = self.evaluator.run(exprs, assignment);
        let rest = (0..constraints.len()).filter(|&position| !done[position]);
        let violated: Vec<usize> =
            rest.filter(|&position| !run.is_true(constraints[position])).collect();
        let mut groups = Vec::new();
        for position in violated {
            if done[position] {
                continue;
            }
            let members = self.group(exprs, constraints, constraints[position]);
            members.iter().for_each(|&member| done[member] = true);
            groups.push(members.into_iter().map(|member| constraints[member]).collect());
        }
        groups
    }
}

/// Copies the bytes that the terms depend on.
fn transfer(
    exprs: &mut Expressions,
    terms: impl Iterator<Item = ExprId>,
    from: &Assignment,
    to: &mut Assignment,
) {
    for term in terms {
        for &SymbolRange { array, start, end } in exprs.support(term) {
            for offset in start..end {
                let value = from.get(array, offset);
                if to.get(array, offset) != value {
                    to.set(array, offset, value);
                }
            }
        }
    }
}

impl<S: Solver> Solver for Independence<S> {
    fn check(
        &mut self,
        expressions: &mut Expressions,
        query: &Query<'_>,
    ) -> Result<Verdict, Error> {
        let start = Instant::now();
        let positions = self.group(expressions, query.constraints, query.goal);
        let own: Vec<ExprId> =
            positions.iter().map(|&position| query.constraints[position]).collect();
        self.layer.pass(start.elapsed());
        let part = Query { constraints: &own, ..*query };
        let verdict = self.next.check(expressions, &part)?;
        let Verdict::Sat(found) = verdict else { return Ok(verdict) };

        let start = Instant::now();
        let mut model = query.hint.cloned().unwrap_or_default();
        transfer(expressions, part.terms(), &found, &mut model);
        // A witness satisfies what it does not share with the goal.
        let open = match query.is_witness {
            true => Vec::new(),
            false => self.violated(expressions, &model, query.constraints, &positions),
        };
        self.layer.time += start.elapsed();
        for group in open {
            let Some((&goal, constraints)) = group.split_last() else { continue };
            let part = Query {
                hint: query.hint,
                is_light: query.is_light,
                ..Query::new(constraints, goal)
            };
            match self.next.check(expressions, &part)? {
                Verdict::Sat(found) => transfer(expressions, part.terms(), &found, &mut model),
                other => return Ok(other),
            }
        }
        Ok(Verdict::Sat(model))
    }

    fn report(&self, layers: &mut Vec<LayerStatistics>) {
        layers.push(self.layer.clone());
        self.next.report(layers);
    }
}
