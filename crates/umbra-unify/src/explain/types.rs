//! Types whose layout differs, and the functions that changed because of them.
//!
//! A function ripples if nobody edited it. It ripples because of a type if it leads to a field of it.

use std::collections::BTreeMap;

use umbra_ir::{Body, FunctionId, Operation, Program, Struct};

use crate::unify::Unified;

/// A struct whose layout differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedType {
    /// Its tag.
    pub name: String,
    /// Bytes in the old version, and in the new one.
    pub sizes: (u64, u64),
    /// Fields in the old version, and in the new one.
    pub fields: (usize, usize),
    /// Functions that changed because of it though nobody edited them, by name.
    pub ripples: Vec<String>,
}

/// The types whose layout differs, by name.
pub fn changed_types(old: &Program, new: &Program, unified: &Unified) -> Vec<ChangedType> {
    let old_types = by_name(old);
    let mut found = Vec::new();
    for (name, after) in by_name(new) {
        let Some(before) = old_types.get(name) else { continue };
        if name.is_empty() || (before.size, &before.offsets) == (after.size, &after.offsets) {
            continue;
        }
        let rippled = unified.statistics.changed.iter().filter(|function| function.ripples);
        let ripples = rippled
            .filter(|function| reads(new, function.function, name))
            .map(|function| function.name.clone());
        found.push(ChangedType {
            name: name.to_owned(),
            sizes: (before.size, after.size),
            fields: (before.offsets.len(), after.offsets.len()),
            ripples: ripples.collect(),
        });
    }
    found
}

/// Structs of which there is one of their name.
fn by_name(program: &Program) -> BTreeMap<&str, &Struct> {
    let mut found: BTreeMap<&str, Option<&Struct>> = BTreeMap::new();
    for of in program.structs.values() {
        found.entry(&of.name).and_modify(|known| *known = None).or_insert(Some(of));
    }
    found.into_iter().filter_map(|(name, of)| Some((name, of?))).collect()
}

/// Whether a function leads to a field of a struct of this name.
fn reads(program: &Program, function: FunctionId, name: &str) -> bool {
    let body: Option<&Body> = program.functions[function].body.as_ref();
    let blocks = body.into_iter().flat_map(|body| body.blocks.values());
    let mut operations = blocks.flat_map(|block| &block.instructions).map(|i| &i.operation);
    operations.any(|operation| match operation {
        Operation::Offset { field: Some(field), .. } => program.structs[field.of].name == name,
        _ => false,
    })
}
