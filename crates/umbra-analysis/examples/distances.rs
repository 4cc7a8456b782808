//! How long the analyses take on a program: `distances PROGRAM.bc`.

use std::path::Path;
use std::time::{Duration, Instant};

use umbra_ir::{BlockPlace, Callee, Id, Operation, Program};

use umbra_analysis::{
    CallGraph, Conditions, Definition, Definitions, Distances, Flow, Measure, PointsTo, Satisfies,
};

fn main() {
    let Some(path) = std::env::args().nth(1) else {
        return eprintln!("usage: distances PROGRAM.bc");
    };
    let program = umbra_ir::load_bitcode(Path::new(&path)).expect("the program can be read");
    let start = Instant::now();
    let pointers = PointsTo::new(&program);
    println!("points-to       {:8.2?}, {} elements", start.elapsed(), pointers.work());
    let start = Instant::now();
    let calls = CallGraph::of_pointers(&program, &pointers);
    println!("call graph      {:8.2?}", start.elapsed());
    indirect_calls(&program, &calls);
    let start = Instant::now();
    let flow = Flow::in_measure(&program, &calls, Measure::Branches);
    println!("control flow    {:8.2?}, {} places", start.elapsed(), flow.len());

    let start = Instant::now();
    let conditions = Conditions::new(&program, &calls, &flow, &pointers);
    println!("effects         {:8.2?}", start.elapsed());
    preconditions(&program, &conditions);
    definitions(&program, &conditions);

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

/// Finds the preconditions of some targets in the program's own code.
fn preconditions(program: &Program, conditions: &Conditions<'_>) {
    let Some(start) = program.function("_start_c").or_else(|| program.function("main")) else {
        return;
    };
    let mut places = Vec::new();
    for (function, description) in program.functions.iter() {
        let ids = description.body.iter().flat_map(|body| body.blocks.ids());
        places.extend(ids.map(|block| BlockPlace { function, block }));
    }
    let begun = Instant::now();
    let (mut work, mut longest, mut unreachable) = (0, Duration::ZERO, 0);
    let targets: Vec<_> = places.iter().step_by(places.len().div_ceil(20).max(1)).collect();
    for &&target in &targets {
        let begun = Instant::now();
        let found = conditions.before(target, start);
        longest = longest.max(begun.elapsed());
        work += found.work();
        unreachable += usize::from(found.is_unreachable(program));
    }
    let (count, time) = (targets.len(), begun.elapsed());
    println!(
        "preconditions   {time:8.2?} for {count} targets, {longest:.2?} at most, {work} blocks, {unreachable} unreachable"
    );
}

/// Finds what can make each of some branches take each of its sides.
fn definitions(program: &Program, conditions: &Conditions<'_>) {
    let begun = Instant::now();
    let definitions = Definitions::new(conditions);
    println!("calls, fields   {:8.2?}", begun.elapsed());
    let begun = Instant::now();
    let (mut sides, mut found, mut yes, mut open) = (0, 0, 0, 0);
    for (function, description) in program.functions.iter() {
        let Some(body) = &description.body else { continue };
        for (block, code) in body.blocks.iter().filter(|(block, _)| block.index() % 20 == 0) {
            let edges = code.terminator.edges();
            for edge in edges.iter().filter(|_| edges.len() == 2) {
                let reaching = definitions.of_branch(BlockPlace { function, block }, edge.block);
                let satisfied = |it: &Definition| it.satisfies == Satisfies::Yes;
                sides += 1;
                found += reaching.definitions.len();
                yes += usize::from(reaching.definitions.iter().any(satisfied));
                open += usize::from(reaching.open);
            }
        }
    }
    println!(
        "definitions     {:8.2?} for {sides} sides: {found} found, {yes} sides have one that satisfies, {open} are open",
        begun.elapsed()
    );
}

/// Says how many callees indirect calls have.
fn indirect_calls(program: &Program, calls: &CallGraph) {
    let by_type = CallGraph::new(program);
    let (mut count, mut open, mut known, mut typed) = (0, 0, 0, 0);
    for (id, function) in program.functions.iter() {
        let Some(body) = &function.body else { continue };
        for instruction in body.blocks.values().flat_map(|block| &block.instructions) {
            let call = &instruction.operation;
            if let Operation::Call { callee: Callee::Indirect(_), .. } = call {
                let callees = calls.callees_of_call(program, id, body, call);
                count += 1;
                open += usize::from(callees.known.is_empty());
                known += callees.known.len();
                typed += by_type.callees_of_call(program, id, body, call).known.len();
                if std::env::var_os("CALLS").is_some() {
                    let names = callees.known.iter().map(|&f| program.functions[f].name.as_str());
                    println!("  {}: {:?}", function.name, names.collect::<Vec<_>>());
                }
            }
        }
    }
    println!("{count} indirect calls: {known} callees ({typed} by type), none known for {open}");
}
