//! Which ways of C programs are useless for a target: the programs of `tests/useless`.
//!
//! The target is the block that calls `target`. All steps into a block that calls `useless` are useless
//! for it, none into a block that calls `useful` is.

mod compile;

use std::fs;
use std::path::Path;

use umbra_analysis::{CallGraph, Conditions, Distances, Executed, Flow, Measure, PointsTo, Step};
use umbra_ir::{BlockPlace, Callee, Operation, Program};

/// The blocks that call a function.
fn calling(program: &Program, name: &str) -> Vec<BlockPlace> {
    let wanted = program.function(name);
    let mut found = Vec::new();
    for (function, description) in program.functions.iter() {
        for (block, code) in description.body.iter().flat_map(|body| body.blocks.iter()) {
            let calls = code.instructions.iter().any(|it| match it.operation {
                Operation::Call { callee: Callee::Direct(callee), .. } => Some(callee) == wanted,
                _ => false,
            });
            if calls {
                found.push(BlockPlace { function, block });
            }
        }
    }
    found
}

fn steps_into(program: &Program, place: BlockPlace) -> Vec<Step> {
    let BlockPlace { function, block: to } = place;
    let body = program.functions[function].body.as_ref().unwrap();
    let leads = |block: &umbra_ir::Block| block.terminator.edges().iter().any(|it| it.block == to);
    let before = body.blocks.iter().filter(|(_, block)| leads(block));
    before.map(|(from, _)| Step::Jump { function, from, to }).collect()
}

fn check(program: &Program, name: &str) {
    let pointers = PointsTo::new(program);
    let calls = CallGraph::of_pointers(program, &pointers);
    let flow = Flow::in_measure(program, &calls, Measure::Branches);
    let conditions = Conditions::new(program, &calls, &flow, &pointers);
    let main = program.function("main").unwrap();
    let target = calling(program, "target")[0];
    let found = conditions.before(target, main);
    assert!(!found.is_unreachable(program));
    for (kind, expected) in [("useful", false), ("useless", true)] {
        for place in calling(program, kind) {
            for step in steps_into(program, place) {
                let useless = found.is_useless(&step);
                assert_eq!(useless, expected, "{name}: {step:?}, {:?}", found.of(place));
            }
        }
    }

    // Of a test that ran everything but the target, no block that only useless steps lead to is the nearest.
    let distances = Distances::new(&flow, flow.node(target.function, target.block, 0));
    let all = program.functions.iter().flat_map(|(function, description)| {
        let ids = description.body.iter().flat_map(|body| body.blocks.ids());
        ids.map(move |block| BlockPlace { function, block })
    });
    let ran = Executed::of_blocks(program, &calls, main, all.filter(|place| *place != target));
    let nearest = ran.nearest(&flow, &distances, &|step| found.is_useless(step)).unwrap();
    assert!(!calling(program, "useless").contains(&nearest.place), "{name}");
}

#[test]
fn ways_are_useless_that_contradict_the_target() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/useless");
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        check(&compile::compile(&path), path.file_stem().unwrap().to_str().unwrap());
        count += 1;
    }
    assert!(count > 0);
}
