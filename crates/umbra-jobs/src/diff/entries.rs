//! The public functions of a library that lead to what changed: where a search starts if the tests of the
//! library are its programs, and nobody has named a function.
//!
//! The test's own code is the file that `main` is in. From `main` on down, the first functions of other files that
//! take a pointer and lead to a change are the entries; what lies behind them is reached through them. Where nothing
//! else than that file leads to a change, nobody can tell the test and the library apart: there the entries
//! are the changed functions themselves, or the nearest that call them.

use std::collections::BTreeSet;
use std::path::PathBuf;

use umbra_analysis::CallGraph;
use umbra_ir::{FunctionId, Program, Type};

use super::unify;
use crate::own::is_own;
use crate::program::{self, Tools};
use crate::{Error, Subject};

/// Entries at most: each has its calls, and these share the time.
const MOST: usize = 8;

/// The functions at whose calls a comparison of two programs may start, by name; none where nothing that
/// takes a pointer leads to a change.
pub fn entries(subject: &Subject, toolchain: Tools<'_>) -> Result<Vec<String>, Error> {
    let Some(old) = &subject.old else {
        return Err(Error::NotTwoPrograms(subject.program.clone()));
    };
    let bitcode = program::find_bitcode(&subject.program, None, toolchain)?;
    let new = program::load(&bitcode)?;
    let plain = Subject { from: None, ..subject.clone() };
    let (_, both) = unify(old, &plain, new, None, toolchain)?;
    let correspondence = &both.unified.correspondence;
    let changed = correspondence.changed().map(|(pair, _)| pair.new);
    let changed = changed.chain(correspondence.added_functions.iter().copied()).collect();
    Ok(leading_to(&both.new, &changed))
}

/// The same, given the functions that changed.
fn leading_to(program: &Program, changed: &BTreeSet<FunctionId>) -> Vec<String> {
    let graph = CallGraph::new(program);
    let Some(main) = program.function("main") else { return Vec::new() };
    // In layers upwards from the changes, so that the nearest come first.
    let (mut layers, mut leading) = (vec![changed.clone()], changed.clone());
    while let Some(layer) = layers.last().filter(|layer| !layer.is_empty()) {
        let callers = layer.iter().flat_map(|function| graph.callers(*function)).copied();
        let next = callers.filter(|caller| leading.insert(*caller)).collect();
        layers.push(next);
    }
    let file = |function: FunctionId| -> Option<PathBuf> {
        let identity = program.functions[function].identity.as_ref()?;
        Some(program.files[identity.unit].path())
    };
    let test = file(main);
    let is_entry = |function: FunctionId| {
        let definition = &program.functions[function];
        leading.contains(&function)
            && function != main
            && definition.body.is_some()
            && definition.parameters.contains(&Type::Pointer)
            && file(function).is_some_and(|file| is_own(&file))
    };
    let (mut open, mut seen) = (vec![main], BTreeSet::from([main]));
    let mut found = BTreeSet::new();
    while let Some(function) = open.pop() {
        if file(function) != test && is_entry(function) {
            found.insert(function);
            continue;
        }
        open.extend(graph.callees(function).iter().filter(|callee| seen.insert(**callee)));
    }
    if found.is_empty() {
        let nearest = layers.iter().map(|layer| {
            layer.iter().copied().filter(|function| is_entry(*function)).collect::<BTreeSet<_>>()
        });
        found = nearest.into_iter().find(|layer| !layer.is_empty()).unwrap_or_default();
    }
    let by_distance = layers.iter().flat_map(|layer| layer.intersection(&found));
    let name = |function: &FunctionId| {
        let definition = &program.functions[*function];
        definition.identity.as_ref().map_or(&definition.name, |identity| &identity.name).clone()
    };
    by_distance.take(MOST).map(name).collect()
}
