//! What preconditions say holds in all runs of random programs.
//!
//! For each block as a target: a run that comes to it takes no useless step before, the formula of no
//! block on the way is false, and what is unreachable is not reached.

mod random;

use std::collections::HashSet;

use umbra_analysis::{CallGraph, Conditions, Flow, Measure, PointsTo, Preconditions, Step};
use umbra_ir::{BlockPlace, Program};

use random::{Event, run};

/// What was looked at, so that a test of nothing does not pass.
#[derive(Debug, Default)]
struct Counts {
    reached: usize,
    useless: usize,
    unreachable: usize,
    formulas: usize,
}

/// Checks a run against what is said of a target.
fn check(found: &Preconditions, target: BlockPlace, events: &[Event], seed: u64) {
    let is_target = |event: &Event| matches!(event, Event::Block(place, _) if *place == target);
    let Some(last) = events.iter().rposition(is_target) else { return };
    for (at, event) in events[..=last].iter().enumerate() {
        match event {
            Event::Block(place, snapshot) => {
                let Some(formula) = found.of(*place) else { continue };
                let holds = formula.holds(&|variable| snapshot.value(variable));
                assert_ne!(holds, Some(false), "seed {seed}: {target:?} at {place:?}: {formula:?}");
            }
            Event::Step(step) => {
                // A call counts as useless if the target is not reached before it returns.
                let end = match step {
                    Step::Jump { .. } => last,
                    Step::Call { .. } => end_of_call(events, at),
                };
                let comes = events[at..].iter().take(end - at + 1).any(is_target);
                assert!(
                    !comes || !found.is_useless(step),
                    "seed {seed}: {step:?} is no useless step for {target:?}"
                );
            }
            Event::Return => {}
        }
    }
}

/// Where a call that begins at a position comes back, or the run ends.
fn end_of_call(events: &[Event], call: usize) -> usize {
    let mut depth = 0;
    for (at, event) in events.iter().enumerate().skip(call) {
        match event {
            Event::Step(Step::Call { .. }) => depth += 1,
            Event::Return => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    events.len() - 1
}

fn check_program(program: &Program, seed: u64, counts: &mut Counts) {
    let pointers = PointsTo::new(program);
    let calls = CallGraph::of_pointers(program, &pointers);
    let flow = Flow::in_measure(program, &calls, Measure::Branches);
    let conditions = Conditions::new(program, &calls, &flow, &pointers);
    let main = program.function("main").unwrap();
    let runs: Vec<Vec<Event>> = (0..5u64)
        .map(|number| number.wrapping_sub(1) & 0xffff_ffff)
        .flat_map(|number| [0, 2, 3].map(|other| run(program, number, other)))
        .collect();
    let mut reached = HashSet::new();
    for event in runs.iter().flatten() {
        if let Event::Block(place, _) = event {
            reached.insert(*place);
        }
    }
    for (function, description) in program.functions.iter() {
        for block in description.body.iter().flat_map(|body| body.blocks.ids()) {
            let target = BlockPlace { function, block };
            let found = conditions.before(target, main);
            for events in &runs {
                check(&found, target, events, seed);
            }
            let steps = runs
                .iter()
                .flatten()
                .filter(|event| matches!(event, Event::Step(step) if found.is_useless(step)));
            counts.useless += usize::from(steps.count() > 0);
            counts.reached += usize::from(reached.contains(&target));
            if found.is_unreachable(program) {
                assert!(!reached.contains(&target), "seed {seed}: {target:?} is reached");
                counts.unreachable += 1;
            }
            let entry = BlockPlace { function: main, block: umbra_ir::Id::from_index(0) };
            let says = found.of(entry).is_some_and(|formula| formula.atoms().count() > 0);
            counts.formulas += usize::from(says);
        }
    }
}

#[test]
fn runs_satisfy_what_is_said_of_their_targets() {
    let mut counts = Counts::default();
    let seeds = std::env::var("SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(300);
    for seed in 0..seeds {
        let text = random::program(seed);
        let program = umbra_ir::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        check_program(&program, seed, &mut counts);
    }
    println!("{counts:?}");
    let Counts { reached, useless, unreachable, formulas } = counts;
    assert!(reached.min(useless).min(unreachable).min(formulas) > seeds as usize / 10);
}
