//! Which instructions of two functions are one.
//!
//! [`sequence`] aligns the items, [`repair`] takes pairs back that would make the versions part for
//! certain and turns branches around, [`parameters`] pairs block parameters, which have no names. Whatever comes out of
//! this, the merged function projects to either version: a wrong pair costs lockstep, never an answer.

mod features;
mod parameters;
mod repair;
mod sequence;

use std::collections::{BTreeMap, HashMap, HashSet};

use umbra_ir::{Callee, Operand, Operation, RegisterId, Symbol, Terminator};

pub use features::may_fail;
use features::{Features, features};

use crate::code::{Code, Content, Definition, ItemId};
use crate::correspondence::{Alignment, InstructionPair, Noise, Strength};
use crate::lines::{Lines, Verdict};
use crate::normal::{ASSERT_LINE, constant_hash, is_assertion, shape, terminator_shape};
use crate::pair::Symbols;

/// Below this share of common instructions, in thousandths, two copies are better than one body.
const WORTHLESS: u32 = 200;
/// Functions smaller than this are merged anyway.
const SMALL: usize = 12;

/// Two functions, and what is known of their items.
pub struct Sides<'a> {
    pub old: &'a Code<'a>,
    pub new: &'a Code<'a>,
    pub old_features: Vec<Features>,
    pub new_features: Vec<Features>,
    pub lines: &'a Lines,
    pub symbols: &'a Symbols,
}

impl<'a> Sides<'a> {
    fn new(old: &'a Code<'a>, new: &'a Code<'a>, lines: &'a Lines, symbols: &'a Symbols) -> Self {
        let old_features = features(old, &|symbol| symbols.old_token(symbol));
        let new_features = features(new, &|symbol| symbols.new_token(symbol));
        Self { old, new, old_features, new_features, lines, symbols }
    }

    /// What the textual diff says of two items.
    fn verdict(&self, old: ItemId, new: ItemId) -> Verdict {
        let returns = |code: &Code<'_>, item| {
            matches!(code.content(item), Content::Terminator(Terminator::Return(_)))
        };
        match self.lines.verdict(self.old.line(old), self.new.line(new)) {
            // Where there are two `return`s the compiler makes one, at the end of the function.
            Verdict::Other if returns(self.old, old) && returns(self.new, new) => Verdict::Open,
            verdict => verdict,
        }
    }

    /// How much speaks for a pair.
    fn confidence(&self, old: ItemId, new: ItemId) -> i32 {
        let (left, right) = (&self.old_features[old as usize], &self.new_features[new as usize]);
        let line = if self.verdict(old, new) == Verdict::Same { 100 } else { 0 };
        let looks = if left.looks == right.looks { 20 } else { 0 };
        line + looks + left.worth
    }
}

/// Pairs of items.
pub struct Matching {
    /// The new item that an old one is.
    pub old: Vec<Option<ItemId>>,
    /// The old item that a new one is.
    pub new: Vec<Option<ItemId>>,
    /// Old items that are branches whose partner has its sides exchanged.
    pub turned: HashSet<ItemId>,
    /// The new register that an old one is.
    pub registers: HashMap<RegisterId, RegisterId>,
}

impl Matching {
    fn new(sides: &Sides<'_>, pairs: Vec<(ItemId, ItemId)>, signature: &[u32]) -> Self {
        let mut matching = Self {
            old: vec![None; sides.old.items.len()],
            new: vec![None; sides.new.items.len()],
            turned: HashSet::new(),
            registers: HashMap::new(),
        };
        for (a, b) in pairs {
            matching.old[a as usize] = Some(b);
            matching.new[b as usize] = Some(a);
        }
        matching.name_registers(sides, signature);
        matching
    }

    /// Pairs the registers that paired items assign, and the parameters of the functions.
    fn name_registers(&mut self, sides: &Sides<'_>, signature: &[u32]) {
        self.registers.clear();
        let entry = |code: &Code<'_>| {
            code.body.blocks.values().next().map_or(Vec::new(), |block| block.parameters.clone())
        };
        let (left, right) = (entry(sides.old), entry(sides.new));
        for (register, &position) in left.iter().zip(signature) {
            if let Some(other) = right.get(position as usize) {
                self.registers.insert(*register, *other);
            }
        }
        let pairs: Vec<_> = self.pairs().collect();
        for (a, b) in pairs {
            if let (Content::Operation(a), Content::Operation(b)) =
                (sides.old.content(a), sides.new.content(b))
            {
                let others = b.destinations().iter();
                self.registers.extend(a.destinations().iter().copied().zip(others.copied()));
            }
        }
    }

    /// All pairs, in the order of the old function.
    pub fn pairs(&self) -> impl Iterator<Item = (ItemId, ItemId)> {
        (0..).zip(&self.old).filter_map(|(a, b)| b.map(|b| (a, b)))
    }

    fn drop(&mut self, old: ItemId) {
        if let Some(new) = self.old[old as usize].take() {
            self.new[new as usize] = None;
            self.turned.remove(&old);
        }
    }

    /// Whether two operands are the same value.
    pub fn same(&self, sides: &Sides<'_>, old: Operand, new: Operand) -> bool {
        match (old, new) {
            (Operand::Register(a), Operand::Register(b)) => self.registers.get(&a) == Some(&b),
            (Operand::Constant(a), Operand::Constant(b)) => {
                let (a, b) = (&sides.old.program.constants[a], &sides.new.program.constants[b]);
                constant_hash(a, &|symbol| sides.symbols.old_token(symbol))
                    == constant_hash(b, &|symbol| sides.symbols.new_token(symbol))
            }
            _ => false,
        }
    }
}

/// Aligns two functions. `signature`: the merged positions of the old one's parameters.
pub fn align(
    old: &Code<'_>,
    new: &Code<'_>,
    lines: &Lines,
    symbols: &Symbols,
    signature: Vec<u32>,
    noise: &mut BTreeMap<Noise, u64>,
) -> Alignment {
    let sides = Sides::new(old, new, lines, symbols);
    let pairs = sequence::align(&sides);
    let mut matching = Matching::new(&sides, pairs, &signature);
    repair::repair(&sides, &mut matching, &signature);
    let parameters = parameters::pair(&sides, &mut matching);
    let (old_count, new_count) = (old.items.len() as u32, new.items.len() as u32);
    let mut weak = matching.turned.clone();
    for (a, b) in matching.pairs() {
        if !weak.contains(&a) && !is_equal(&sides, &matching, a, b, noise) {
            weak.insert(a);
        }
    }
    let pairs: Vec<InstructionPair> = matching
        .pairs()
        .map(|(a, b)| {
            let is_weak =
                weak.contains(&a) || decides_on(old, a).is_some_and(|by| weak.contains(&by));
            let strength = if is_weak { Strength::Weak } else { Strength::Strong };
            let turned = matching.turned.contains(&a);
            let (old, new) = (old.items[a as usize], new.items[b as usize]);
            InstructionPair { old, new, strength, turned }
        })
        .collect();
    let mut alignment = Alignment {
        pairs,
        parameters,
        old_signature: signature,
        old_count,
        new_count,
        two_copies: false,
    };
    let small = old.items.len() + new.items.len() < SMALL;
    if !small && alignment.share() < WORTHLESS {
        alignment.pairs.clear();
        alignment.parameters.clear();
        alignment.two_copies = true;
    }
    alignment
}

/// The item that computes what a branch or a switch decides on: they are as strong as that.
fn decides_on(code: &Code<'_>, item: ItemId) -> Option<ItemId> {
    let value = match code.content(item) {
        Content::Terminator(Terminator::Branch { condition, .. }) => *condition,
        Content::Terminator(Terminator::Switch { value, .. }) => *value,
        _ => return None,
    };
    match value {
        Operand::Register(register) => match code.definition(register) {
            Some(Definition::Item(item)) => Some(item),
            _ => None,
        },
        Operand::Constant(_) => None,
    }
}

/// Whether two items do the same with the same values.
fn is_equal(
    sides: &Sides<'_>,
    matching: &Matching,
    old: ItemId,
    new: ItemId,
    noise: &mut BTreeMap<Noise, u64>,
) -> bool {
    let (old_token, new_token) = (
        |symbol: Symbol| sides.symbols.old_token(symbol),
        |symbol: Symbol| sides.symbols.new_token(symbol),
    );
    let (old_program, new_program) = (sides.old.program, sides.new.program);
    let (mut left, mut right) = (Vec::new(), Vec::new());
    let same_shape = match (sides.old.content(old), sides.new.content(new)) {
        (Content::Operation(a), Content::Operation(b)) => {
            a.visit_operands(&mut |operand| left.push(operand));
            b.visit_operands(&mut |operand| right.push(operand));
            if is_assertion(old_program, a)
                && is_assertion(new_program, b)
                && left.len() > ASSERT_LINE
                && right.len() > ASSERT_LINE
            {
                if !matching.same(sides, left[ASSERT_LINE], right[ASSERT_LINE]) {
                    *noise.entry(Noise::AssertLine).or_default() += 1;
                }
                left.remove(ASSERT_LINE);
                right.remove(ASSERT_LINE);
            }
            same_signature(sides, a, b)
                && shape(old_program, a, &old_token) == shape(new_program, b, &new_token)
        }
        (Content::Terminator(a), Content::Terminator(b)) => {
            let operand = |terminator: &Terminator| match terminator {
                Terminator::Branch { condition, .. } => vec![*condition],
                Terminator::Switch { value, .. } => vec![*value],
                Terminator::Return(results) => results.clone(),
                _ => Vec::new(),
            };
            (left, right) = (operand(a), operand(b));
            terminator_shape(old_program, a) == terminator_shape(new_program, b)
        }
        _ => false,
    };
    same_shape
        && left.len() == right.len()
        && left.iter().zip(&right).all(|(a, b)| matching.same(sides, *a, *b))
}

/// Whether two calls are of a function whose signature is the same in both versions.
fn same_signature(sides: &Sides<'_>, old: &Operation, new: &Operation) -> bool {
    let parameters = |program: &umbra_ir::Program, operation: &Operation| match operation {
        Operation::Call { callee: Callee::Direct(id), .. } => {
            Some(program.functions[*id].parameters.clone())
        }
        _ => None,
    };
    parameters(sides.old.program, old) == parameters(sides.new.program, new)
}
