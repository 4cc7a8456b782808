//! Cores without anything superfluous.

use umbra_expr::{ExprId, Expressions};

use crate::query::{Core, Error, Query, Solver};

/// A core of which no element can be left out, or `None` if the query is not known to be unsat.
///
/// Elements are left out one after the other, the goal last, as long as the rest is still
/// contradictory; an unknown counts as needed. This asks as many queries as the first core has
/// elements.
pub fn minimal_core(
    solver: &mut dyn Solver,
    expressions: &mut Expressions,
    query: &Query<'_>,
) -> Result<Option<Core>, Error> {
    let verdict = solver.check(expressions, query)?;
    let Some(core) = verdict.core() else { return Ok(None) };
    let mut core = core.to_vec();
    let mut candidates: Vec<ExprId> = core.clone();
    candidates.sort_by_key(|&term| term == query.goal);
    let truth = expressions.true_();
    for candidate in candidates {
        if !core.contains(&candidate) {
            continue;
        }
        let rest: Core = core.iter().copied().filter(|&term| term != candidate).collect();
        let verdict = solver.check(expressions, &Query::new(&rest, truth))?;
        if let Some(smaller) = verdict.core() {
            core = smaller.iter().copied().filter(|&term| term != truth).collect();
        }
    }
    Ok(Some(core))
}
