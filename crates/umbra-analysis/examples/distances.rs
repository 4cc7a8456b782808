//! How long the analyses take on a program: `distances PROGRAM.bc`.

use std::path::Path;
use std::time::Instant;

use umbra_analysis::{CallGraph, Distances, Flow, Measure};

fn main() {
    let Some(path) = std::env::args().nth(1) else {
        return eprintln!("usage: distances PROGRAM.bc");
    };
    let program = umbra_ir::load_bitcode(Path::new(&path)).expect("the program can be read");
    let start = Instant::now();
    let calls = CallGraph::new(&program);
    println!("call graph      {:8.2?}", start.elapsed());
    let start = Instant::now();
    let flow = Flow::in_measure(&program, &calls, Measure::Branches);
    println!("control flow    {:8.2?}, {} places", start.elapsed(), flow.len());

    let mut blocks = Vec::new();
    for (id, function) in program.functions.iter() {
        let ids = function.body.iter().flat_map(|body| body.blocks.ids());
        blocks.extend(ids.filter_map(|block| flow.node(id, block, 0)));
    }
    for every in [1, 10, 100, 10_000] {
        let start = Instant::now();
        let targets = blocks.iter().copied().step_by(every);
        let distances = Distances::new(&flow, targets.clone());
        let time = start.elapsed();
        let reached = blocks.iter().filter(|&&block| distances.of(block).is_some()).count();
        let targets = targets.count();
        println!(
            "{targets:7} targets {time:8.2?}, reached from {reached} of {} blocks",
            blocks.len()
        );
    }
}
