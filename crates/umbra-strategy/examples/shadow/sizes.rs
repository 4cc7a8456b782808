//! How large questions to the solver are.

use std::cell::RefCell;
use std::rc::Rc;

use umbra_expr::{Expressions, IdSet};
use umbra_solver::{Error, LayerStatistics, Query, Solver, Verdict};

/// Distinct expressions in each question that was asked.
#[derive(Clone, Default)]
pub struct Sizes(Rc<RefCell<Vec<usize>>>);

impl Sizes {
    /// A solver whose questions are counted.
    pub fn counting(&self, solver: Box<dyn Solver>) -> Counting {
        Counting { solver, sizes: self.clone() }
    }

    /// `size_max=N size_mean=N size_median=N`, zeros where nothing was counted.
    pub fn report(&self) -> String {
        let mut sizes = self.0.borrow().clone();
        sizes.sort_unstable();
        let most = sizes.last().copied().unwrap_or(0);
        let mean = sizes.iter().sum::<usize>() as f64 / sizes.len().max(1) as f64;
        let median = sizes.get(sizes.len() / 2).copied().unwrap_or(0);
        format!("size_max={most} size_mean={mean:.1} size_median={median}")
    }
}

/// Counts and passes on.
pub struct Counting {
    solver: Box<dyn Solver>,
    sizes: Sizes,
}

impl Solver for Counting {
    fn check(
        &mut self,
        expressions: &mut Expressions,
        query: &Query<'_>,
    ) -> Result<Verdict, Error> {
        let mut seen = IdSet::default();
        let mut stack: Vec<_> = query.terms().collect();
        let mut count = 0;
        while let Some(term) = stack.pop() {
            if seen.insert(term) {
                count += 1;
                stack.extend(expressions.operands(term).iter());
            }
        }
        self.sizes.0.borrow_mut().push(count);
        self.solver.check(expressions, query)
    }

    fn report(&self, layers: &mut Vec<LayerStatistics>) {
        self.solver.report(layers);
    }
}
