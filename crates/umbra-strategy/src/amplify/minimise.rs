//! As few changes to a test as possible.
//!
//! A model of the solver satisfies what was asked, and nothing more. First bytes are put back by evaluation, by halves and then one
//! by one. What is left is a question to the solver: do fewer bytes do? The last "no" is the proof that they do not, on
//! this path.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use umbra_expr::{ArrayId, Assignment, Evaluator, ExprId, Expressions};
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
    expressions: &mut Expressions,
    solver: &mut dyn Solver,
    constraints: &[ExprId],
    (seed, found): (&Assignment, &Assignment),
    time: Duration,
) -> Minimised {
    let start = Instant::now();
    let mut best = put_back(expressions, constraints, seed, found);
    let mut is_least = false;
    loop {
        let changed = best.differences(seed);
        if changed.is_empty() {
            return Minimised { assignment: best, changed, is_least: true };
        }
        let bytes = connected(expressions, constraints, &changed);
        let asked = bytes.len() <= MOST_BYTES && start.elapsed() < time;
        if is_least || !asked {
            return Minimised { assignment: best, changed, is_least };
        }
        let goal = fewer(expressions, seed, &bytes, changed.len());
        let query = Query::new(constraints, goal).with_hint(&best);
        match solver.check(expressions, &query) {
            Ok(Verdict::Sat(model)) => {
                let better = put_back(expressions, constraints, seed, &model);
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
    expressions: &mut Expressions,
    constraints: &[ExprId],
    seed: &Assignment,
    found: &Assignment,
) -> Assignment {
    let mut evaluator = Evaluator::new();
    let mut best = found.clone();
    let mut size = best.differences(seed).len();
    while size > 0 {
        let changed = best.differences(seed);
        for part in changed.chunks(size) {
            let mut tried = best.clone();
            part.iter().for_each(|&(array, at)| tried.set(array, at, seed.get(array, at)));
            let concerned = touching(expressions, constraints, part);
            let mut values = evaluator.run(expressions, &tried);
            if concerned.iter().all(|&constraint| values.is_true(constraint)) {
                best = tried;
            }
        }
        size /= 2;
    }
    best
}

/// The constraints that depend on any of these bytes.
fn touching(
    expressions: &mut Expressions,
    constraints: &[ExprId],
    bytes: &[(ArrayId, u32)],
) -> Vec<ExprId> {
    let depends = |constraint: &ExprId| {
        let ranges = expressions.support(*constraint);
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
    expressions: &mut Expressions,
    constraints: &[ExprId],
    changed: &[(ArrayId, u32)],
) -> Vec<(ArrayId, u32)> {
    let mut bytes: BTreeSet<(ArrayId, u32)> = changed.iter().copied().collect();
    let mut rest = constraints.to_vec();
    loop {
        let all: Vec<_> = bytes.iter().copied().collect();
        let concerned = touching(expressions, &rest, &all);
        if concerned.is_empty() || bytes.len() > MOST_BYTES {
            return all;
        }
        for constraint in &concerned {
            for range in expressions.support(*constraint).to_vec() {
                bytes.extend((range.start..range.end).map(|at| (range.array, at)));
            }
        }
        rest.retain(|constraint| !concerned.contains(constraint));
    }
}

/// The condition that fewer than `count` of these bytes are others than in the test.
fn fewer(
    expressions: &mut Expressions,
    seed: &Assignment,
    bytes: &[(ArrayId, u32)],
    count: usize,
) -> ExprId {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The fewest of three bytes that have to be others for a condition, by trying all values of one and of two.
    fn by_force(
        expressions: &Expressions,
        array: ArrayId,
        seed: &Assignment,
        condition: ExprId,
    ) -> usize {
        let mut evaluator = Evaluator::new();
        let mut holds = |changes: &[(u32, u8)]| {
            let mut tried = seed.clone();
            changes.iter().for_each(|&(at, value)| tried.set(array, at, value));
            evaluator.run(expressions, &tried).is_true(condition)
        };
        let one = || (0..3).flat_map(|at| (0..=255).map(move |value| (at, value)));
        if holds(&[]) {
            return 0;
        }
        if one().any(|change| holds(&[change])) {
            return 1;
        }
        match one().any(|first| one().any(|second| first.0 < second.0 && holds(&[first, second]))) {
            true => 2,
            false => 3,
        }
    }

    #[test]
    fn no_input_of_the_path_differs_in_fewer_bytes() {
        let mut expressions = Expressions::new();
        let array = expressions.input("x", 3);
        let [a, b, c] = [0, 1, 2].map(|at| expressions.byte(array, at));
        let number = |e: &mut Expressions, value| e.constant(8, value);
        let (one, two, nine) =
            (number(&mut expressions, 1), number(&mut expressions, 2), number(&mut expressions, 9));
        let sum = expressions.add(a, b);
        let sum = expressions.add(sum, c);
        let conditions = [
            expressions.eq(sum, nine),
            expressions.ult(sum, two),
            {
                let (x, y) = (expressions.eq(a, one), expressions.eq(b, nine));
                expressions.and(x, y)
            },
            {
                let (x, y) = (expressions.eq(a, b), expressions.eq(b, c));
                let (both, large) = (expressions.and(x, y), expressions.ult(nine, a));
                expressions.and(both, large)
            },
            {
                let product = expressions.mul(a, b);
                expressions.eq(product, nine)
            },
        ];
        let mut counts = Vec::new();
        for condition in conditions {
            for text in [*b"abc", [1, 9, 0], [3, 3, 3], [0, 0, 9]] {
                let mut seed = Assignment::new();
                seed.set_bytes(array, &text);
                let mut solver = umbra_solver::chain(umbra_solver::Config::default());
                let query = Query::new(&[], condition);
                let Ok(Verdict::Sat(found)) = solver.check(&mut expressions, &query) else {
                    panic!("it can hold");
                };
                let constraints = [condition];
                let time = Duration::from_secs(60);
                let least =
                    minimise(&mut expressions, &mut *solver, &constraints, (&seed, &found), time);
                let fewest = by_force(&expressions, array, &seed, condition);
                assert_eq!(least.changed.len(), fewest, "{text:?}");
                assert!(least.is_least);
                assert!(Evaluator::new().run(&expressions, &least.assignment).is_true(condition));
                counts.push(fewest);
            }
        }
        // All of these are there.
        assert!((0..=3).all(|count| counts.contains(&count)), "{counts:?}");
    }
}
