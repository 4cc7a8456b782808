//! Which block parameters of two functions are one.
//!
//! They have no names, so they are paired by votes: uses at the same position of paired items (2),
//! equal arguments on corresponding edges (3), the same position in blocks that begin with a pair (1). Pairs vote for
//! others, so it takes a few rounds.

use std::collections::{BTreeMap, HashSet};

use umbra_ir::{Operand, RegisterId, Terminator};

use super::{Matching, Sides};
use crate::code::{Code, Content, Definition, ItemId, Step};

/// Rounds of votes.
const ROUNDS: usize = 5;

/// Pairs block parameters, and says which. Those of the entry are the function's own.
pub fn pair(sides: &Sides<'_>, matching: &mut Matching) -> Vec<(RegisterId, RegisterId)> {
    let fixed = matching.registers.clone();
    let mut pairs = Vec::new();
    for _ in 0..ROUNDS {
        let votes = votes(sides, matching);
        let chosen = choose(&votes);
        if chosen == pairs {
            break;
        }
        pairs = chosen;
        matching.registers.clone_from(&fixed);
        matching.registers.extend(pairs.iter().copied());
    }
    pairs
}

/// The greatest numbers of votes first; a register is in one pair only.
fn choose(votes: &BTreeMap<(RegisterId, RegisterId), u32>) -> Vec<(RegisterId, RegisterId)> {
    let mut ranked: Vec<_> = votes.iter().map(|(&pair, &votes)| (votes, pair)).collect();
    ranked.sort_by_key(|&(votes, pair)| (std::cmp::Reverse(votes), pair));
    let (mut old, mut new) = (HashSet::new(), HashSet::new());
    let mut chosen = Vec::new();
    for (_, (a, b)) in ranked {
        if !old.contains(&a) && !new.contains(&b) {
            old.insert(a);
            new.insert(b);
            chosen.push((a, b));
        }
    }
    chosen.sort_unstable();
    chosen
}

fn votes(sides: &Sides<'_>, matching: &Matching) -> BTreeMap<(RegisterId, RegisterId), u32> {
    let mut votes = BTreeMap::new();
    let mut vote = |a: RegisterId, b: RegisterId, count: u32| {
        let fits = sides.old.body.registers[a] == sides.new.body.registers[b]
            && is_inner(sides.old, a)
            && is_inner(sides.new, b);
        if fits {
            *votes.entry((a, b)).or_default() += count;
        }
    };
    for (a, b) in matching.pairs() {
        let (left, right) = (operands(sides.old, a), operands(sides.new, b));
        for (x, y) in left.iter().zip(&right) {
            if let (Operand::Register(x), Operand::Register(y)) = (x, y) {
                vote(*x, *y, 2);
            }
        }
        let (left, mut right) = (sides.old.steps(a), sides.new.steps(b));
        if matching.turned.contains(&a) {
            right.reverse();
        }
        for (x, y) in left.iter().zip(&right) {
            if matching.old[x.to as usize] == Some(y.to) {
                edge_votes(sides, matching, x, y, &mut vote);
            }
        }
    }
    votes
}

fn edge_votes(
    sides: &Sides<'_>,
    matching: &Matching,
    old: &Step,
    new: &Step,
    vote: &mut dyn FnMut(RegisterId, RegisterId, u32),
) {
    for (i, (a, x)) in old.assignments.iter().enumerate() {
        for (j, (b, y)) in new.assignments.iter().enumerate() {
            if matching.same(sides, *x, *y) {
                vote(*a, *b, 3);
            }
            if i == j {
                vote(*a, *b, 1);
            }
        }
    }
}

/// Whether a register is a parameter of a block other than the entry.
fn is_inner(code: &Code<'_>, register: RegisterId) -> bool {
    matches!(code.definition(register), Some(Definition::Parameter(block, _))
        if umbra_ir::Id::index(block) != 0)
}

fn operands(code: &Code<'_>, item: ItemId) -> Vec<Operand> {
    let mut found = Vec::new();
    match code.content(item) {
        Content::Operation(operation) => {
            operation.visit_operands(&mut |operand| found.push(operand));
        }
        Content::Terminator(Terminator::Branch { condition, .. }) => found.push(*condition),
        Content::Terminator(Terminator::Switch { value, .. }) => found.push(*value),
        Content::Terminator(Terminator::Return(results)) => found.extend(results),
        Content::Terminator(_) => {}
    }
    found
}
