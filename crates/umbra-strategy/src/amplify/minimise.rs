//! As few changes to a test as possible.
//!
//! A model of the solver satisfies what was asked, and nothing more. First bytes are put back by evaluation, by halves and then one
//! by one. What is left is a question to the solver: do fewer bytes do? The last "no" is the proof that they do not, on
//! this path.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use umbra_engine::Shared;
use umbra_expr::{ArrayId, Assignment, ExprId};
use umbra_solver::{Query, Solver, Verdict};

/// Bytes among which the fewest are looked for.
const MOST_BYTES: usize = 512;

/// An input of a path that differs little from that of a test.
#[derive(Clone, Debug)]
pub struct Minimised {
    /// The input.
    pub assignment: Assignment,
    /// The bytes that differ.
    pub changed: Vec<(ArrayId, u32)>,
    /// Whether no input of the path differs in fewer bytes.
    pub is_least: bool,
}

/// Finds an input that satisfies the constraints, as `found` does, and differs from `seed` in as few bytes as can be found in the
/// time.
pub fn minimise(
    shared: &mut Shared,
    solver: &mut dyn Solver,
    constraints: &[ExprId],
    (seed, found): (&Assignment, &Assignment),
    time: Duration,
) -> Minimised {
    let start = Instant::now();
    let mut best = put_back(shared, constraints, seed, found);
    let mut is_least = false;
    loop {
        let changed = best.differences(seed);
        if changed.is_empty() {
            return Minimised { assignment: best, changed, is_least: true };
        }
        let bytes = connected(shared, constraints, &changed);
        let asked = bytes.len() <= MOST_BYTES && start.elapsed() < time;
        if is_least || !asked {
            return Minimised { assignment: best, changed, is_least };
        }
        let goal = fewer(shared, seed, &bytes, changed.len());
        let query = Query::new(constraints, goal).with_hint(&best);
        match solver.check(&mut shared.expressions, &query) {
            Ok(Verdict::Sat(model)) => {
                let better = put_back(shared, constraints, seed, &model);
                // A model that is no better would go round for ever.
                if better.differences(seed).len() >= changed.len() {
                    return Minimised { assignment: best, changed, is_least };
                }
                best = better;
            }
            Ok(Verdict::Unsat(_)) => is_least = true,
            // Unknown, or a solver that failed: what there is, is right.
            _ => return Minimised { assignment: best, changed, is_least },
        }
    }
}

/// Puts bytes back to what the test has, as long as all constraints hold.
fn put_back(
    shared: &mut Shared,
    constraints: &[ExprId],
    seed: &Assignment,
    found: &Assignment,
) -> Assignment {
    let mut best = found.clone();
    let mut size = best.differences(seed).len();
    while size > 0 {
        let changed = best.differences(seed);
        for part in changed.chunks(size) {
            let mut tried = best.clone();
            part.iter().for_each(|&(array, at)| tried.set(array, at, seed.get(array, at)));
            let concerned = touching(shared, constraints, part);
            let mut values = shared.evaluation(&tried);
            if concerned.iter().all(|&constraint| values.is_true(constraint)) {
                best = tried;
            }
        }
        size /= 2;
    }
    best
}

/// The constraints that depend on any of these bytes.
fn touching(shared: &mut Shared, constraints: &[ExprId], bytes: &[(ArrayId, u32)]) -> Vec<ExprId> {
    let depends = |constraint: &ExprId| {
        let ranges = shared.expressions.support(*constraint);
        let within = |&(array, at): &(ArrayId, u32)| {
            ranges
                .iter()
                .any(|range| range.array == array && (range.start..range.end).contains(&at))
        };
        bytes.iter().any(within)
    };
    constraints.iter().copied().filter(depends).collect()
}

/// The bytes that have to do with these, by way of any constraints: to change others helps nobody. More than can be looked at,
/// if there are more.
fn connected(
    shared: &mut Shared,
    constraints: &[ExprId],
    changed: &[(ArrayId, u32)],
) -> Vec<(ArrayId, u32)> {
    let mut bytes: BTreeSet<(ArrayId, u32)> = changed.iter().copied().collect();
    let mut rest = constraints.to_vec();
    loop {
        let all: Vec<_> = bytes.iter().copied().collect();
        let concerned = touching(shared, &rest, &all);
        if concerned.is_empty() || bytes.len() > MOST_BYTES {
            return all;
        }
        for constraint in &concerned {
            for range in shared.expressions.support(*constraint).to_vec() {
                bytes.extend((range.start..range.end).map(|at| (range.array, at)));
            }
        }
        rest.retain(|constraint| !concerned.contains(constraint));
    }
}

/// The condition that fewer than `count` of these bytes are others than in the test.
fn fewer(shared: &mut Shared, seed: &Assignment, bytes: &[(ArrayId, u32)], count: usize) -> ExprId {
    let expressions = &mut shared.expressions;
    let mut sum = expressions.constant(16, 0);
    for &(array, at) in bytes {
        let byte = expressions.byte(array, at);
        let own = expressions.constant(8, seed.get(array, at).into());
        let differs = expressions.ne(byte, own);
        let differs = expressions.zext(differs, 16);
        sum = expressions.add(sum, differs);
    }
    let count = expressions.constant(16, count as u64);
    expressions.ult(sum, count)
}
