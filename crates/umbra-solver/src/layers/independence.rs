//! Asks only for what the goal depends on.
//!
//! Constraints that share no input byte, directly or through others, have nothing to do with each
//! other. Of a path's groups only those that the goal touches are asked; the hint provides the other
//! bytes. Where it does not satisfy their constraints, those groups are asked on their own.

use std::collections::BTreeMap;
use std::time::Instant;

use umbra_expr::{ArrayId, Assignment, Evaluator, ExprId, Expressions, SymbolRange};

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

/// The constraints of a path by the input bytes they depend on.
#[derive(Debug, Default)]
struct Groups {
    /// By constraint: a group; `None` when it depends on nothing.
    groups: Vec<Option<u32>>,
    /// By group: the one it was joined to, or itself.
    parents: Vec<u32>,
    /// By group: how many were joined to it, itself included. The larger of two stays, so that no
    /// chain of parents is long.
    sizes: Vec<u32>,
    /// Ranges of bytes that do not overlap: by array and start, their end and group.
    ranges: BTreeMap<(ArrayId, u32), (u32, u32)>,
}

impl Groups {
    fn find(&self, mut group: u32) -> u32 {
        while self.parents[group as usize] != group {
            group = self.parents[group as usize];
        }
        group
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return;
        }
        let (from, to) =
            if self.sizes[a as usize] < self.sizes[b as usize] { (a, b) } else { (b, a) };
        self.parents[from as usize] = to;
        self.sizes[to as usize] += self.sizes[from as usize];
    }

    /// Start, end and group of the ranges that overlap this one.
    fn overlapping(&self, range: SymbolRange) -> impl Iterator<Item = (u32, u32, u32)> + '_ {
        let SymbolRange { array, start, end } = range;
        let before = self.ranges.range((array, 0)..(array, start)).next_back();
        let before = before.filter(move |(_, (before_end, _))| *before_end > start);
        let from = before.map_or((array, start), |(&key, _)| key);
        self.ranges
            .range(from..(array, end))
            .map(|(&(_, start), &(end, group))| (start, end, group))
    }

    fn add(&mut self, support: &[SymbolRange]) {
        let mut own = None;
        for &range in support {
            let group = *own.get_or_insert_with(|| {
                self.parents.push(self.parents.len() as u32);
                self.sizes.push(1);
                self.parents.len() as u32 - 1
            });
            // Most constraints are about bytes that an earlier one is about.
            let first = self.overlapping(range).next();
            if let Some((start, end, other)) = first
                && start <= range.start
                && end >= range.end
            {
                self.join(group, other);
                continue;
            }
            let met: Vec<(u32, u32, u32)> = self.overlapping(range).collect();
            let mut joined = range;
            for (start, end, other) in met {
                self.ranges.remove(&(range.array, start));
                joined.start = joined.start.min(start);
                joined.end = joined.end.max(end);
                self.join(group, other);
            }
            self.ranges.insert((joined.array, joined.start), (joined.end, group));
        }
        self.groups.push(own);
    }

    /// The groups that share a byte with the support.
    fn touched(&self, support: &[SymbolRange]) -> Vec<u32> {
        let ranges = support.iter().flat_map(|&range| self.overlapping(range));
        let mut groups: Vec<u32> = ranges.map(|(_, _, group)| self.find(group)).collect();
        groups.sort_unstable();
        groups.dedup();
        groups
    }
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

    /// The constraints that matter to the goal, and the rest.
    fn slice(&mut self, exprs: &mut Expressions, query: &Query<'_>) -> (Vec<ExprId>, Vec<ExprId>) {
        let groups = self.paths.of(query.constraints, |groups, _, constraint| {
            groups.add(exprs.support(constraint));
        });
        let touched = groups.touched(exprs.support(query.goal));
        let most = query.constraints.len();
        let (mut own, mut rest) = (Vec::with_capacity(most), Vec::with_capacity(most));
        for (&constraint, group) in query.constraints.iter().zip(&groups.groups) {
            match group.map(|group| groups.find(group)) {
                Some(group) if !touched.contains(&group) => rest.push(constraint),
                _ => own.push(constraint),
            }
        }
        (own, rest)
    }

    /// The groups of the constraints that the assignment does not satisfy.
    fn violated(
        &mut self,
        exprs: &mut Expressions,
        assignment: &Assignment,
        constraints: &[ExprId],
    ) -> Vec<Vec<ExprId>> {
        let mut run = self.evaluator.run(exprs, assignment);
        let violated: Vec<ExprId> =
            constraints.iter().copied().filter(|&constraint| !run.is_true(constraint)).collect();
        if violated.is_empty() {
            return Vec::new();
        }
        let mut groups = Groups::default();
        for &constraint in constraints {
            groups.add(exprs.support(constraint));
        }
        let mut members: BTreeMap<u32, Vec<ExprId>> = BTreeMap::new();
        for &constraint in &violated {
            let touched = groups.touched(exprs.support(constraint));
            members.extend(touched.into_iter().map(|group| (group, Vec::new())));
        }
        for (&constraint, group) in constraints.iter().zip(&groups.groups) {
            let group = group.map(|group| groups.find(group));
            if let Some(members) = group.and_then(|group| members.get_mut(&group)) {
                members.push(constraint);
            }
        }
        members.into_values().collect()
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
        let (own, rest) = self.slice(expressions, query);
        self.layer.pass(start.elapsed());
        let part = Query { constraints: &own, ..*query };
        let verdict = self.next.check(expressions, &part)?;
        let Verdict::Sat(found) = verdict else { return Ok(verdict) };

        let start = Instant::now();
        let mut model = query.hint.cloned().unwrap_or_default();
        transfer(expressions, part.terms(), &found, &mut model);
        let open = self.violated(expressions, &model, &rest);
        self.layer.time += start.elapsed();
        for group in open {
            let Some((&goal, constraints)) = group.split_last() else { continue };
            let part = Query { constraints, goal, hint: query.hint };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_paths_make_no_long_chains() {
        let mut exprs = Expressions::new();
        let input = exprs.input("in", 5000);
        let range = |start, end| SymbolRange { array: input, start, end };
        let mut groups = Groups::default();
        for start in 0..4000 {
            // Each constraint shares a byte with the one before.
            groups.add(&[range(start, start + 2)]);
        }
        groups.add(&[range(4500, 4510)]);
        let depth = |mut group: u32| {
            let mut depth = 0;
            while groups.parents[group as usize] != group {
                group = groups.parents[group as usize];
                depth += 1;
            }
            depth
        };
        let deepest = (0..groups.parents.len() as u32).map(depth).max();
        assert!(deepest <= Some(12), "{deepest:?}");
        assert_eq!(groups.touched(&[range(17, 18), range(3999, 4400)]).len(), 1);
        assert_eq!(groups.touched(&[range(4001, 4501)]).len(), 1);
        assert_eq!(groups.touched(&[range(4000, 4501)]).len(), 2);
        assert_eq!(groups.touched(&[range(4001, 4500)]).len(), 0);
    }
}
