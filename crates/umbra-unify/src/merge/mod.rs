//! From the correspondence to one program.
//!
//! Equal functions and globals are the new program's; changed functions get a merged body
//! ([`body`]), changed globals keep their old size and contents beside the new ones, what the old program has
//! alone is appended.

mod body;
mod draft;
mod names;
mod operation;
mod signature;
mod ssa;
mod target;

use std::collections::BTreeMap;

use umbra_ir::{
    Block, BlockId, BlockPlace, Body, Function, FunctionId, Global, Id, Merged, OldFunction,
    OldGlobal, Presence, Program, Table, Terminator,
};

pub use body::MergedBody;
pub use names::Names;
pub use signature::{Signatures, merged_positions};
use target::Target;

use crate::code::Code;
use crate::correspondence::{Correspondence, FunctionPair, Place, Relation};
use crate::pair::Symbols;
use ssa::map_terminator;

/// The program that two became.
pub struct Assembled {
    /// The program.
    pub program: Program,
    /// Merged bodies, by function. Their code is in the program.
    pub bodies: BTreeMap<FunctionId, MergedBody>,
    /// What the proof needs to know.
    pub evidence: Evidence,
}

/// What the proof needs to know of how a program was made.
#[derive(Debug)]
pub struct Evidence {
    /// What symbols are called.
    pub names: Names,
    /// Functions with two signatures.
    pub signatures: Signatures,
    /// For each `alloca` of the entry of a merged function where it is in either version.
    pub allocas: BTreeMap<FunctionId, Vec<[Option<Place>; 2]>>,
    /// For each block of a merged function the instructions that it passes, as they are in either version.
    pub passed: BTreeMap<FunctionId, Vec<Vec<[Option<Place>; 2]>>>,
}

/// Makes one program of two.
pub fn assemble(
    old: &Program,
    new: &Program,
    symbols: Symbols,
    correspondence: &Correspondence,
) -> Assembled {
    let names = Names::new(new, symbols, correspondence);
    let mut target = Target::new(old, new, &names);
    let signatures = Signatures::new(old, new, correspondence);
    add_globals(&mut target, old, correspondence);
    let mut bodies = BTreeMap::new();
    for (pair, alignment) in correspondence.changed() {
        let (f, g) = (&old.functions[pair.old], &new.functions[pair.new]);
        let (Some(left), Some(right)) = (&f.body, &g.body) else { continue };
        let (left, right) = (Code::new(old, left), Code::new(new, right));
        let mut merged = body::merge(&left, &right, alignment, &signatures, &mut target);
        let code = std::mem::take(&mut merged.body);
        bodies.insert(pair.new, merged);
        target.program.functions[pair.new].body = Some(code);
    }
    for pair in &correspondence.functions {
        name_old(&mut target, pair, &signatures);
    }
    for &id in &correspondence.added_functions {
        own(&mut target, id, &signatures);
    }
    for &id in &correspondence.removed_functions {
        let function = removed(&mut target, id, &signatures);
        target.program.functions.push(function);
    }
    let mut program = target.program;
    program.merged = Some(Box::new(block_map(old, new, &names, correspondence, &bodies)));
    let (mut allocas, mut passed) = (BTreeMap::new(), BTreeMap::new());
    for (&id, body) in &mut bodies {
        allocas.insert(id, std::mem::take(&mut body.allocas));
        passed.insert(id, std::mem::take(&mut body.passed));
    }
    Assembled { program, bodies, evidence: Evidence { names, signatures, allocas, passed } }
}

fn add_globals(target: &mut Target<'_>, old: &Program, correspondence: &Correspondence) {
    for pair in correspondence.globals.iter().filter(|pair| !pair.equal) {
        let global = &old.globals[pair.old];
        let before = OldGlobal {
            name: global.name.clone(),
            identity: target.old_identity(global.identity.as_ref()),
            size: global.size,
            align: global.align,
            constant: global.constant,
            initializer: target.old_initializer(&global.initializer),
        };
        target.program.globals[pair.new].old = Some(Box::new(before));
    }
    for &id in &correspondence.removed_globals {
        let global = &old.globals[id];
        let identity = target.old_identity(global.identity.as_ref());
        let initializer = target.old_initializer(&global.initializer);
        let global = Global { identity, initializer, ..global.clone() };
        target.program.globals.push(global);
    }
}

/// Notes what a function was called, and its signature, if that was another one.
fn name_old(target: &mut Target<'_>, pair: &FunctionPair, signatures: &Signatures) {
    let before = &target.old.functions[pair.old];
    let name = |function: &Function| function.identity.as_ref().map(|i| i.name.clone());
    let signature = signatures.get(pair.new);
    let renamed = name(before) != name(&target.program.functions[pair.new]);
    if signature.is_none() && !renamed {
        return;
    }
    let count = before.parameters.len() as u32;
    let old = OldFunction {
        name: before.name.clone(),
        identity: target.old_identity(before.identity.as_ref()),
        parameters: signature.map_or((0..count).collect(), |signature| signature.old.clone()),
        new_parameters: signature.map_or(count, |signature| signature.new),
    };
    let function = &mut target.program.functions[pair.new];
    if let Some(signature) = signature {
        function.parameters.clone_from(&signature.types);
    }
    function.old = Some(Box::new(old));
}

/// A function of the new version alone.
fn own(target: &mut Target<'_>, id: FunctionId, signatures: &Signatures) {
    let Some(mut body) = target.program.functions[id].body.take() else { return };
    for (_, block) in body.blocks.iter_mut() {
        block.presence = Presence::New;
        for instruction in &mut block.instructions {
            let operation = instruction.operation.clone();
            instruction.operation = signatures.new_call(target, operation);
        }
    }
    target.program.functions[id].body = Some(body);
}

/// A function of the old version alone.
fn removed(target: &mut Target<'_>, id: FunctionId, signatures: &Signatures) -> Function {
    let function = &target.old.functions[id];
    let identity = target.old_identity(function.identity.as_ref());
    let body = function.body.as_ref().map(|body| old_body(target, body, signatures));
    Function { identity, body, ..function.clone() }
}

fn old_body(target: &mut Target<'_>, body: &Body, signatures: &Signatures) -> Body {
    let mut blocks = Table::new();
    for block in body.blocks.values() {
        let mut block: Block = block.clone();
        block.presence = Presence::Old;
        for instruction in &mut block.instructions {
            let operation = target.old_operation(&instruction.operation, &|register| register);
            instruction.operation = signatures.old_call(target, operation);
            instruction.location = instruction.location.map(|at| target.old_location(at));
        }
        block.location = block.location.map(|at| target.old_location(at));
        if let Terminator::Switch { cases, .. } = &mut block.terminator {
            cases.iter_mut().for_each(|(constant, _)| *constant = target.old_constant(*constant));
        }
        map_terminator(&mut block.terminator, &mut |operand| match operand {
            umbra_ir::Operand::Constant(id) => umbra_ir::Operand::Constant(target.old_constant(id)),
            umbra_ir::Operand::Register(_) => operand,
        });
        blocks.push(block);
    }
    Body { registers: body.registers.clone(), blocks }
}

/// Where the blocks of either program are.
fn block_map(
    old: &Program,
    new: &Program,
    names: &Names,
    correspondence: &Correspondence,
    bodies: &BTreeMap<FunctionId, MergedBody>,
) -> Merged {
    let changed: BTreeMap<FunctionId, FunctionId> = correspondence
        .functions
        .iter()
        .filter(|pair| matches!(pair.relation, Relation::Changed(_)))
        .map(|pair| (pair.old, pair.new))
        .collect();
    let places = |program: &Program, side: usize| {
        let mut places = Vec::new();
        for (id, function) in program.functions.iter() {
            let Some(body) = &function.body else { continue };
            let into = if side == 0 { names.function(id) } else { id };
            let is_merged = side == 1 || changed.contains_key(&id);
            let merged = bodies.get(&into).filter(|_| is_merged);
            places.extend(body.blocks.ids().map(|block: BlockId| -> Vec<BlockPlace> {
                let blocks = match merged {
                    Some(merged) => &*merged.blocks[side][block.index()],
                    None => &[block],
                };
                blocks.iter().map(|&block| BlockPlace { function: into, block }).collect()
            }));
        }
        places
    };
    Merged { old: places(old, 0), new: places(new, 1) }
}
