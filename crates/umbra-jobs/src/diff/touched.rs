//! Which native blocks say that a test touches a change.
//!
//! An annotated program has one executable for both versions, and counts the very blocks that have changes. Two programs
//! have an executable each; [`Merged`] says where their blocks are in the program that they became. A test touches
//! a block of that program if it runs a block of either version that has instructions in it. A block that only leads the versions
//! their own ways has none: then it is the code of one version behind it that counts, or else what is before it.
//!
//! A global that differs is touched by a block that names it, or names a global that points to it.

use std::collections::{BTreeMap, BTreeSet};

use umbra_engine::Image;
use umbra_ir::{
    Block, BlockPlace, ConstantValue, FunctionId, GlobalId, Id, Initializer, Merged, Operand,
    Presence, Program, Symbol, Table, Terminator,
};

/// A change, and the blocks of the old and of the new executable that run it.
pub struct Touched {
    /// What coverage calls its block; of globals a number that is no block's.
    pub target: u32,
    /// The counters of the old executable, then of the new one.
    pub blocks: [Vec<usize>; 2],
}

/// All changes of a program, and how many blocks the executables have, the old one first.
pub fn touched(image: &Image) -> (Vec<Touched>, [usize; 2]) {
    let program = &*image.program;
    match &program.merged {
        None => of_annotated(image, program),
        Some(merged) => (of_two(image, program, merged), [merged.old.len(), merged.new.len()]),
    }
}

fn of_annotated(image: &Image, program: &Program) -> (Vec<Touched>, [usize; 2]) {
    let mut offsets = vec![0];
    for function in program.functions.values() {
        let blocks = function.body.as_ref().map_or(0, |body| body.blocks.len());
        offsets.push(offsets[offsets.len() - 1] + blocks);
    }
    let all = offsets.last().copied().unwrap_or(0);
    let changes = image.changes().into_iter().filter_map(|(_, target)| {
        let (function, block) = image.target_block(target)?;
        let counter = offsets[function.index()] + block.index();
        Some(Touched { target, blocks: [vec![counter], vec![counter]] })
    });
    (changes.collect(), [all, all])
}

fn of_two(image: &Image, program: &Program, merged: &Merged) -> Vec<Touched> {
    let counters = Counters::new(program, merged);
    let mut all: Vec<Touched> = Vec::new();
    let targets: BTreeSet<u32> = image.changes().into_iter().map(|(_, target)| target).collect();
    for target in targets {
        let Some((function, block)) = image.target_block(target) else { continue };
        all.push(Touched { target, blocks: counters.of(BlockPlace { function, block }) });
    }
    for (number, places) in users(program).into_iter().enumerate() {
        let blocks = counters.of_all(places.into_iter());
        all.push(Touched { target: u32::MAX - number as u32, blocks });
    }
    all
}

/// The native blocks of both programs, by where they are in the one that they became.
struct Counters<'a> {
    program: &'a Program,
    blocks: [BTreeMap<(FunctionId, usize), Vec<usize>>; 2],
}

impl<'a> Counters<'a> {
    fn new(program: &'a Program, merged: &Merged) -> Self {
        let inverse = |places: &[Vec<BlockPlace>]| {
            let mut blocks: BTreeMap<(FunctionId, usize), Vec<usize>> = BTreeMap::new();
            for (counter, places) in places.iter().enumerate() {
                for place in places {
                    let at = (place.function, place.block.index());
                    blocks.entry(at).or_default().push(counter);
                }
            }
            blocks
        };
        Self { program, blocks: [inverse(&merged.old), inverse(&merged.new)] }
    }

    /// The native blocks that have instructions in a block.
    fn own(&self, place: BlockPlace) -> [Vec<usize>; 2] {
        let at = (place.function, place.block.index());
        [0, 1].map(|version| self.blocks[version].get(&at).cloned().unwrap_or_default())
    }

    /// The native blocks that say that a block runs.
    fn of(&self, place: BlockPlace) -> [Vec<usize>; 2] {
        let is_empty = |blocks: &[Vec<usize>; 2]| blocks.iter().all(Vec::is_empty);
        let own = self.own(place);
        if !is_empty(&own) {
            return own;
        }
        let Some(body) = &self.program.functions[place.function].body else { return own };
        let behind = match &body.blocks[place.block].terminator {
            Terminator::Version { old, new } => [old.block, new.block].map(|block| {
                let alone = matches!(body.blocks[block].presence, Presence::Old | Presence::New);
                alone.then_some(BlockPlace { block, ..place })
            }),
            _ => [None, None],
        };
        let blocks = self.of_all(behind.into_iter().flatten());
        if !is_empty(&blocks) {
            return blocks;
        }
        let leads_here =
            |block: &Block| block.terminator.edges().iter().any(|edge| edge.block == place.block);
        let before = body.blocks.iter().filter(|(_, block)| leads_here(block));
        self.of_all(before.map(|(block, _)| BlockPlace { block, ..place }))
    }

    /// The native blocks that have instructions in any of these blocks.
    fn of_all(&self, places: impl Iterator<Item = BlockPlace>) -> [Vec<usize>; 2] {
        let mut blocks = [Vec::new(), Vec::new()];
        for place in places {
            for (all, own) in blocks.iter_mut().zip(self.own(place)) {
                all.extend(own);
            }
        }
        blocks
    }
}

/// For each function that names a global that differs, the blocks that do.
fn users(program: &Program) -> Vec<Vec<BlockPlace>> {
    let differs = differing(program);
    if differs.is_empty() {
        return Vec::new();
    }
    let names = |operand: Operand| {
        let Operand::Constant(id) = operand else { return false };
        match &program.constants[id].value {
            ConstantValue::Address { symbol: Symbol::Global(global), .. } => {
                differs.contains(global)
            }
            _ => false,
        }
    };
    let mut users = Vec::new();
    for (function, definition) in program.functions.iter() {
        let Some(body) = &definition.body else { continue };
        let uses = |block: &Block| {
            let mut found = false;
            let mut look = |operand| found |= names(operand);
            for instruction in &block.instructions {
                instruction.operation.visit_operands(&mut look);
            }
            block.terminator.visit_operands(&mut look);
            found
        };
        let blocks = body.blocks.iter().filter(|(_, block)| uses(block));
        let places: Vec<_> = blocks.map(|(block, _)| BlockPlace { function, block }).collect();
        if !places.is_empty() {
            users.push(places);
        }
    }
    users
}

/// Globals that differ between the versions, and those that point to one.
fn differing(program: &Program) -> BTreeSet<GlobalId> {
    let globals: &Table<GlobalId, _> = &program.globals;
    let mut pointers: BTreeMap<GlobalId, Vec<GlobalId>> = BTreeMap::new();
    for (id, global) in globals.iter() {
        let old = global.old.as_ref().map(|old| &old.initializer);
        for initializer in std::iter::once(&global.initializer).chain(old) {
            let Initializer::Data { relocations, .. } = initializer else { continue };
            for relocation in relocations {
                if let Symbol::Global(to) = relocation.symbol {
                    pointers.entry(to).or_default().push(id);
                }
            }
        }
    }
    let mut found = BTreeSet::new();
    let mut waiting: Vec<GlobalId> =
        globals.iter().filter(|(_, global)| global.old.is_some()).map(|(id, _)| id).collect();
    while let Some(id) = waiting.pop() {
        if found.insert(id) {
            waiting.extend(pointers.get(&id).into_iter().flatten());
        }
    }
    found
}
