//! Random queries: both backends against exhaustive enumeration.

use std::num::NonZeroU32;
use umbra_expr::{Assignment, Evaluator, ExprId, Expressions};

use umbra_solver::{
    BitBlaster, Config, LayerStatistics, Limits, Query, Solver, Verdict, Z3, chain, minimal_core,
};

use crate::random::{Random, Terms};

/// Whether all terms can hold, by trying the low four bits of every byte.
fn enumerate(exprs: &Expressions, terms: &Terms, query: &Query<'_>) -> bool {
    let mut evaluator = Evaluator::new();
    (0..1u32 << (4 * terms.bytes)).any(|bits| {
        let mut assignment = Assignment::new();
        for byte in 0..terms.bytes {
            assignment.set(terms.input, byte, (bits >> (4 * byte) & 15) as u8);
        }
        let mut run = evaluator.run(exprs, &assignment);
        query.terms().all(|term| run.is_true(term))
    })
}

fn holds(exprs: &Expressions, query: &Query<'_>, model: &Assignment) -> bool {
    let mut evaluator = Evaluator::new();
    let mut run = evaluator.run(exprs, model);
    query.terms().all(|term| run.is_true(term))
}

/// Asks a solver and checks model and core.
fn check(
    solver: &mut dyn Solver,
    name: &str,
    exprs: &mut Expressions,
    query: &Query<'_>,
    expected: bool,
    core_is_enough: &mut dyn FnMut(&mut Expressions, &[ExprId]) -> bool,
) {
    match solver.check(exprs, query).unwrap() {
        Verdict::Sat(model) => {
            assert!(expected, "{name}: a model of a contradictory query");
            assert!(holds(exprs, query, &model), "{name}: wrong model");
        }
        Verdict::Unsat(core) => {
            assert!(!expected, "{name}: a satisfiable query refused");
            assert!(core.iter().all(|term| query.terms().any(|other| other == *term)));
            assert!(core_is_enough(exprs, &core), "{name}: the core is satisfiable");
        }
        Verdict::Unknown(reason) => panic!("{name}: gave up: {}", reason.name()),
    }
}

#[test]
fn backends_agree_with_enumeration() {
    let mut random = Random::new(0xfeed_beef_1234_0001);
    let mut exprs = Expressions::new();
    let terms = Terms::new(&mut exprs, 2);
    let mut blaster = BitBlaster::new(Limits::default());
    let mut z3 = Z3::new(Limits::default());
    let mut counts = [0, 0];
    let mut path: Vec<ExprId> = Vec::new();
    for round in 0..1000 {
        if round % 5 == 0 {
            path.clear();
        }
        let goal = terms.condition(&mut exprs, &mut random, 3);
        let constraints = path.clone();
        let query = Query::new(&constraints, goal);
        let expected = enumerate(&exprs, &terms, &query);
        counts[usize::from(expected)] += 1;
        let mut core_is_enough = |exprs: &mut Expressions, core: &[ExprId]| {
            let Some((&goal, rest)) = core.split_last() else { return false };
            !enumerate(exprs, &terms, &Query::new(rest, goal))
        };
        check(&mut blaster, "blaster", &mut exprs, &query, expected, &mut core_is_enough);
        if round % 3 == 0 {
            check(&mut z3, "z3", &mut exprs, &query, expected, &mut core_is_enough);
        }
        // The path goes on as a program would: on a side that is possible.
        path.push(if expected { goal } else { exprs.not(goal) });
    }
    assert!(counts.iter().all(|&count| count > 150), "one-sided sample: {counts:?}");
}

/// The whole chain along paths, with the hint that a state would give and without, and with wrong
/// ones.
#[test]
fn the_chain_agrees_with_enumeration() {
    let mut random = Random::new(0x0bad_cafe_1234_0001);
    let mut exprs = Expressions::new();
    let terms = Terms::new(&mut exprs, 3);
    let config = Config { cross_check_every: NonZeroU32::new(7), ..Config::default() };
    let mut solver = chain(config);
    let mut path: Vec<ExprId> = Vec::new();
    let mut hint = Assignment::new();
    for round in 0..500 {
        if round % 12 == 0 {
            path.clear();
            hint = Assignment::new();
        }
        let goal = terms.condition(&mut exprs, &mut random, 2);
        let constraints = path.clone();
        let plain = Query::new(&constraints, goal);
        let stray = Assignment::new();
        let query = match random.below(4) {
            0 => plain,
            1 => plain.with_hint(&stray),
            _ => plain.with_hint(&hint),
        };
        let expected = enumerate(&exprs, &terms, &query);
        let mut core_is_enough = |exprs: &mut Expressions, core: &[ExprId]| {
            let Some((&goal, rest)) = core.split_last() else { return false };
            !enumerate(exprs, &terms, &Query::new(rest, goal))
        };
        check(&mut solver, "chain", &mut exprs, &query, expected, &mut core_is_enough);
        let next = if expected && random.below(3) > 0 { goal } else { exprs.not(goal) };
        if let Verdict::Sat(model) = solver.check(&mut exprs, &Query::new(&path, next)).unwrap() {
            path.push(next);
            hint = model;
        }
    }
    let mut layers: Vec<LayerStatistics> = Vec::new();
    solver.report(&mut layers);
    for name in ["simplify", "models", "bit-blaster", "cross-check"] {
        let layer = layers.iter().find(|layer| layer.name == name).unwrap();
        assert!(layer.sat + layer.unsat > 0, "{name} answered nothing: {layers:#?}");
    }
}

/// A backend that has to start over all the time says the same.
#[test]
fn forgetting_changes_no_answer() {
    let mut random = Random::new(0x0123_4567_89ab_cdef);
    let mut exprs = Expressions::new();
    let terms = Terms::new(&mut exprs, 2);
    let mut blaster = BitBlaster::with_node_limit(Limits::default(), 3000);
    for _ in 0..300 {
        let constraints = [terms.condition(&mut exprs, &mut random, 3)];
        let goal = terms.condition(&mut exprs, &mut random, 3);
        let query = Query::new(&constraints, goal);
        let expected = enumerate(&exprs, &terms, &query);
        check(&mut blaster, "blaster", &mut exprs, &query, expected, &mut |_, _| true);
    }
    assert!(blaster.statistics().restarts > 5, "{:?}", blaster.statistics());
}

/// The same queries give the same answers, models included, when nothing depends on time.
#[test]
fn runs_are_equal() {
    let run = || {
        let mut random = Random::new(0x7777_1111_2222_3333);
        let mut exprs = Expressions::new();
        let terms = Terms::new(&mut exprs, 6);
        let limits = Limits { conflicts: Some(50), work: Some(10_000_000), ..Limits::default() };
        let mut solver = chain(Config { limits, ..Config::default() });
        let mut path: Vec<ExprId> = Vec::new();
        let mut verdicts: Vec<Verdict> = Vec::new();
        for round in 0..300 {
            if round % 20 == 0 {
                path.clear();
            }
            let goal = terms.condition(&mut exprs, &mut random, 3);
            let verdict = solver.check(&mut exprs, &Query::new(&path, goal)).unwrap();
            if verdict.is_sat() {
                path.push(goal);
            }
            verdicts.push(verdict);
        }
        verdicts
    };
    assert_eq!(run(), run());
}

/// Nothing can be left out of a minimal core.
#[test]
fn minimal_cores_are_minimal() {
    let mut random = Random::new(0x4242_4242_4242_4241);
    let mut exprs = Expressions::new();
    let terms = Terms::new(&mut exprs, 2);
    let mut solver = chain(Config::default());
    let mut found = 0;
    while found < 25 {
        let constraints: Vec<ExprId> =
            (0..6).map(|_| terms.condition(&mut exprs, &mut random, 2)).collect();
        let goal = terms.condition(&mut exprs, &mut random, 2);
        let query = Query::new(&constraints, goal);
        let expected = enumerate(&exprs, &terms, &query);
        let core = minimal_core(&mut solver, &mut exprs, &query).unwrap();
        assert_eq!(core.is_none(), expected);
        let Some(core) = core else { continue };
        found += 1;
        let truth = exprs.true_();
        assert!(!enumerate(&exprs, &terms, &Query::new(&core, truth)));
        for left_out in 0..core.len() {
            let mut rest = core.clone();
            rest.remove(left_out);
            assert!(enumerate(&exprs, &terms, &Query::new(&rest, truth)), "{core:?}");
        }
    }
}
