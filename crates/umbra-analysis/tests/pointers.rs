//! What indirect calls of C programs may reach: the programs of `tests/pointers`.
//!
//! A line `//= caller: callee callee` says which functions the only indirect call of `caller`
//! reaches; every indirect call is in such a line.

mod compile;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use umbra_analysis::{CallGraph, PointsTo};
use umbra_ir::{Callee, Operation, Program};

/// The known callees of each function with an indirect call, by name.
fn found(program: &Program) -> BTreeMap<String, Vec<String>> {
    let pointers = PointsTo::new(program);
    let calls = CallGraph::of_pointers(program, &pointers);
    let mut found = BTreeMap::new();
    for (id, function) in program.functions.iter() {
        let Some(body) = &function.body else { continue };
        for instruction in body.blocks.values().flat_map(|block| &block.instructions) {
            let call = &instruction.operation;
            if let Operation::Call { callee: Callee::Indirect(_), .. } = call {
                let callees = calls.callees_of_call(program, id, body, call);
                assert_eq!(callees.by_type, [], "{} is open", function.name);
                let names = callees.known.iter().map(|&f| program.functions[f].name.clone());
                let mut names: Vec<String> = names.collect();
                names.sort();
                found.insert(function.name.clone(), names);
            }
        }
    }
    found
}

fn expected(source: &str) -> BTreeMap<String, Vec<String>> {
    let lines = source.lines().filter_map(|line| line.strip_prefix("//= ")?.split_once(": "));
    lines
        .map(|(caller, callees)| {
            (caller.to_owned(), callees.split_whitespace().map(str::to_owned).collect())
        })
        .collect()
}

#[test]
fn indirect_calls_reach_what_their_address_points_to() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pointers");
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let source = fs::read_to_string(&path).unwrap();
        assert_eq!(found(&compile::compile(&path)), expected(&source), "{}", path.display());
        count += 1;
    }
    assert!(count > 0);
}
