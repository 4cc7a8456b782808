//! Lets no wrong model through.
//!
//! All terms are evaluated, unless an assignment is known that satisfies the constraints: then only
//! those that depend on a byte with another value. Which these are is kept here, apart from the
//! layer that slices queries, so that a mistake there shows.

use std::time::Instant;

use umbra_expr::{ArrayId, Evaluator, ExprId, Expressions, IdMap, IdSet, SymbolRange};

use super::prefix::{Facts, Prefixes};
use crate::query::{Error, LayerStatistics, Model, Query, Reason, Solver, Verdict};

/// Ranges of more bytes than this are not entered byte by byte.
const WIDE: u32 = 16;

/// Evaluates every model on its query.
///
/// A wrong one is an error. With floats it is an unknown: Z3 is free in the bits of a NaN where the
/// machine is not, and a query can depend on them.
#[derive(Debug)]
pub struct Validate<S> {
    next: S,
    paths: Prefixes<Mentions>,
    evaluator: Evaluator,
    layer: LayerStatistics,
}

impl<S: Solver> Validate<S> {
    /// Checks the models of `next`.
    pub fn new(next: S) -> Self {
        let layer = LayerStatistics::new("validate");
        Self { next, paths: Prefixes::default(), evaluator: Evaluator::new(), layer }
    }

    /// What a model has to be tried on.
    fn suspects(
        &mut self,
        exprs: &mut Expressions,
        query: &Query<'_>,
        model: &Model,
    ) -> Vec<ExprId> {
        let Some(witness) = query.witness() else { return query.terms().collect() };
        let mentions = self.paths.of(query.constraints, |mentions, position, constraint| {
            mentions.add(position as u32, exprs.support(constraint));
        });
        let changed = witness.differences(model);
        let positions = mentions.about(&changed, query.constraints.len());
        let constraints = positions.iter().map(|&position| query.constraints[position as usize]);
        constraints.chain([query.goal]).collect()
    }
}

/// Which constraints of a path mention a byte.
#[derive(Debug, Default)]
struct Mentions {
    /// By range: a single byte, or many.
    positions: IdMap<SymbolRange, Vec<u32>>,
    /// The ranges of many bytes.
    wide: IdSet<SymbolRange>,
    /// What was entered, in order.
    entered: Vec<(SymbolRange, u32)>,
}

impl Facts for Mentions {
    fn truncate(&mut self, length: usize) {
        while let Some((range, _)) = self.entered.pop_if(|entry| entry.1 as usize >= length) {
            if let Some(positions) = self.positions.get_mut(&range) {
                positions.pop();
            }
        }
    }
}

impl Mentions {
    fn enter(&mut self, range: SymbolRange, position: u32) {
        self.positions.entry(range).or_default().push(position);
        self.entered.push((range, position));
    }

    fn add(&mut self, position: u32, support: &[SymbolRange]) {
        for &range in support {
            if range.end - range.start > WIDE {
                self.wide.insert(range);
                self.enter(range, position);
                continue;
            }
            for start in range.start..range.end {
                self.enter(SymbolRange { start, end: start + 1, ..range }, position);
            }
        }
    }

    /// The positions of those among the first so many constraints that mention one of the bytes.
    fn about(&self, changed: &[(ArrayId, u32)], length: usize) -> Vec<u32> {
        let narrow =
            changed.iter().map(|&(array, start)| SymbolRange { array, start, end: start + 1 });
        let wide = self.wide.iter().copied().filter(|range| {
            let first = changed.partition_point(|&byte| byte < (range.array, range.start));
            changed.get(first).is_some_and(|&byte| byte < (range.array, range.end))
        });
        let ranges = narrow.chain(wide).filter_map(|range| self.positions.get(&range));
        let mut positions: Vec<u32> =
            ranges.flatten().copied().filter(|&position| (position as usize) < length).collect();
        positions.sort_unstable();
        positions.dedup();
        positions
    }
}

/// Whether something can be a constraint or a goal.
fn is_condition(exprs: &Expressions, term: ExprId) -> bool {
    exprs.width(term) == 1 && !exprs.contains_pair(term)
}

impl<S: Solver> Solver for Validate<S> {
    fn check(
        &mut self,
        expressions: &mut Expressions,
        query: &Query<'_>,
    ) -> Result<Verdict, Error> {
        let start = Instant::now();
        // Constraints with a witness were goals once.
        let known = if query.is_witness { query.constraints.len() } else { 0 };
        if let Some(term) = query.terms().skip(known).find(|&term| !is_condition(expressions, term))
        {
            return Err(Error::NotACondition { term });
        }
        self.layer.pass(start.elapsed());
        let verdict = self.next.check(expressions, query)?;
        let Verdict::Sat(model) = &verdict else { return Ok(verdict) };
        let start = Instant::now();
        let suspects = self.suspects(expressions, query, model);
        let mut run = self.evaluator.run(expressions, model);
        let wrong = suspects.into_iter().find(|&term| !run.is_true(term));
        self.layer.time += start.elapsed();
        match wrong {
            None => Ok(verdict),
            Some(_) if query.terms().any(|term| expressions.contains_float(term)) => {
                self.layer.unknown += 1;
                Ok(Verdict::Unknown(Reason::FloatModel))
            }
            Some(term) => Err(Error::WrongModel { term }),
        }
    }

    fn report(&self, layers: &mut Vec<LayerStatistics>) {
        layers.push(self.layer.clone());
        self.next.report(layers);
    }
}
