//! Compares what the analyses say with native runs: `runs PROGRAM.bc COUNTERS...`.
//!
//! A file of counters is the section of that name, as an executable of `umbra cc` leaves it at its end.
//! Every function that ran must have been called by a block that ran, and for a block that ran, no
//! way to it may be called useless, nor the block unreachable.

use std::path::Path;

use umbra_analysis::{CallGraph, Conditions, Distances, Executed, Flow, Measure, PointsTo, Step};
use umbra_ir::{BlockId, BlockPlace, Id};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(path) = arguments.next() else {
        return eprintln!("usage: runs PROGRAM.bc COUNTERS...");
    };
    let program = umbra_ir::load_bitcode(Path::new(&path)).expect("the program can be read");
    let pointers = PointsTo::new(&program);
    let calls = CallGraph::of_pointers(&program, &pointers);
    let flow = Flow::in_measure(&program, &calls, Measure::Branches);
    let conditions = Conditions::new(&program, &calls, &flow, &pointers);
    let start = program.function("_start_c").expect("programs start somewhere");
    let mut places = Vec::new();
    for (function, description) in program.functions.iter() {
        let ids = description.body.iter().flat_map(|body| body.blocks.ids());
        places.extend(ids.map(|block| BlockPlace { function, block }));
    }
    for file in arguments {
        let counters = std::fs::read(&file).expect("the counters can be read");
        let ran = places.iter().zip(&counters).filter(|(_, count)| **count != 0);
        let ran: Vec<BlockPlace> = ran.map(|(place, _)| *place).collect();
        let executed = Executed::of_blocks(&program, &calls, start, ran.iter().copied());
        let uncalled = executed.starts().filter(|place| place.function != start);
        for place in uncalled {
            println!("{file}: nothing calls {}", program.functions[place.function].name);
        }
        let (mut looked, mut contradicted) = (0, 0);
        for &target in ran.iter().step_by(ran.len().div_ceil(150).max(1)) {
            let found = conditions.before(target, start);
            let node = flow.node(target.function, target.block, 0);
            let distances = Distances::new(&flow, node);
            let is_useless = |step: &Step| found.is_useless(step);
            let nearest = executed.nearest(&flow, &distances, &is_useless);
            looked += 1;
            if nearest.is_none_or(|nearest| nearest.distance != 0)
                || conditions.why_unreachable(target, start, &found).is_some()
            {
                contradicted += 1;
                let (name, block) = (&program.functions[target.function].name, target.block);
                let entry = BlockPlace { function: start, block: BlockId::from_index(0) };
                let reason = conditions.why_unreachable(target, start, &found);
                println!(
                    "{file}: {name} {block} ran; nearest {nearest:?}, {reason:?}, {:?}",
                    found.of(entry)
                );
            }
        }
        println!(
            "{file}: {} blocks ran, {looked} looked at, {contradicted} contradicted",
            ran.len()
        );
    }
}
