//! Lets no wrong model through.

use std::time::Instant;

use umbra_expr::{Evaluator, ExprId, Expressions};

use crate::query::{Error, LayerStatistics, Query, Reason, Solver, Verdict};

/// Evaluates every model on its query.
///
/// A wrong one is an error. With floats it is an unknown: Z3 is free in the bits of a NaN where the
/// machine is not, and a query can depend on them.
#[derive(Debug)]
pub struct Validate<S> {
    next: S,
    evaluator: Evaluator,
    layer: LayerStatistics,
}

impl<S: Solver> Validate<S> {
    /// Checks the models of `next`.
    pub fn new(next: S) -> Self {
        Self { next, evaluator: Evaluator::new(), layer: LayerStatistics::new("validate") }
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
        if let Some(term) = query.terms().find(|&term| !is_condition(expressions, term)) {
            return Err(Error::NotACondition { term });
        }
        self.layer.pass(start.elapsed());
        let verdict = self.next.check(expressions, query)?;
        let Verdict::Sat(model) = &verdict else { return Ok(verdict) };
        let start = Instant::now();
        let mut run = self.evaluator.run(expressions, model);
        let wrong = query.terms().find(|&term| !run.is_true(term));
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
