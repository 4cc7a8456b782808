//! What can make branches of C programs take a side: the programs of `tests/definitions`.
//!
//! The side is the block that calls a function without a body. A mark `//~ function satisfies` is on the
//! line of each definition of what decides whether that block comes next. Every definition is marked, and
//! every mark is a definition. A constant on an edge is marked where the block before ends.

mod compile;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use umbra_analysis::{
    CallGraph, Conditions, Definition, Definitions, Flow, How, Measure, PointsTo, Satisfies,
};
use umbra_ir::{BlockPlace, Callee, Operation, Program};

type Marks = BTreeMap<String, BTreeSet<(u32, &'static str)>>;

fn word(satisfies: Satisfies) -> &'static str {
    match satisfies {
        Satisfies::Yes => "yes",
        Satisfies::Unknown => "unknown",
        Satisfies::No => "no",
    }
}

fn marks(source: &str) -> Marks {
    let mut marks = Marks::new();
    for (number, line) in source.lines().enumerate() {
        let Some((_, found)) = line.split_once("//~ ") else { continue };
        for mark in found.split(", ") {
            let (function, satisfies) = mark.split_once(' ').unwrap();
            let known = ["yes", "unknown", "no"].into_iter().find(|it| *it == satisfies).unwrap();
            marks.entry(function.to_owned()).or_default().insert((number as u32 + 1, known));
        }
    }
    marks
}

fn line(program: &Program, definition: &Definition) -> Option<u32> {
    let body = program.functions[definition.place.function].body.as_ref()?;
    let block = &body.blocks[definition.place.block];
    let location = match definition.how {
        How::Store(at) | How::Argument(at) => block.instructions[at].location,
        How::Return | How::Edge(_) => block.location,
    };
    Some(program.locations[location?].line)
}

/// The blocks that call functions without a body, and the branches that lead there.
fn sides(program: &Program) -> Vec<(String, BlockPlace, umbra_ir::BlockId)> {
    let mut sides = Vec::new();
    for (function, description) in program.functions.iter() {
        let Some(body) = &description.body else { continue };
        for (to, block) in body.blocks.iter() {
            let called = block.instructions.iter().find_map(|it| match &it.operation {
                Operation::Call { callee: Callee::Direct(callee), destinations, .. } => {
                    let callee = &program.functions[*callee];
                    (callee.body.is_none() && destinations.is_empty()).then(|| callee.name.clone())
                }
                _ => None,
            });
            let Some(name) = called else { continue };
            for (from, before) in body.blocks.iter() {
                if before.terminator.edges().iter().any(|edge| edge.block == to) {
                    sides.push((name.clone(), BlockPlace { function, block: from }, to));
                }
            }
        }
    }
    sides
}

fn found(program: &Program) -> Marks {
    let pointers = PointsTo::new(program);
    let calls = CallGraph::of_pointers(program, &pointers);
    let flow = Flow::in_measure(program, &calls, Measure::Branches);
    let conditions = Conditions::new(program, &calls, &flow, &pointers);
    let definitions = Definitions::new(&conditions);
    let mut found = Marks::new();
    for (name, branch, to) in sides(program) {
        let reaching = definitions.of_branch(branch, to);
        let ranks: Vec<_> = reaching.definitions.iter().map(|it| it.satisfies).collect();
        assert!(ranks.is_sorted(), "{name}");
        for definition in &reaching.definitions {
            // What is passed on without a line of its own is followed.
            let mut open = vec![definition.clone()];
            while let Some(definition) = open.pop() {
                let passed = matches!(definition.how, How::Return | How::Edge(_));
                match definition.value.filter(|_| passed && definition.constant.is_none()) {
                    None => {
                        let line = line(program, &definition).unwrap_or(0);
                        let marks = found.entry(name.clone()).or_default();
                        marks.insert((line, word(definition.satisfies)));
                    }
                    Some(value) => {
                        let (function, wanted) =
                            (definition.place.function, definition.wanted.as_ref());
                        open.extend(definitions.of(function, value, wanted).definitions);
                    }
                }
            }
        }
    }
    found
}

#[test]
fn branches_are_decided_by_what_is_marked() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/definitions");
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let source = fs::read_to_string(&path).unwrap();
        let (found, marks) = (found(&compile::compile(&path)), marks(&source));
        for name in found.keys().chain(marks.keys()).collect::<BTreeSet<_>>() {
            assert_eq!(found.get(name), marks.get(name), "{name} in {}", path.display());
        }
        count += 1;
    }
    assert!(count > 0);
}
