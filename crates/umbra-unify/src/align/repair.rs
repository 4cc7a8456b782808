//! Takes pairs back that are wrong for certain, and turns branches around.
//!
//! A pair after which the next common places of the versions are disjoint makes them part whenever
//! they come by. Of the two sides the one that less speaks for is dropped, until nothing changes.

use std::collections::{BTreeSet, HashSet};

use umbra_ir::{
    BinaryOp, ConstantValue, Id, Operand, Operation, Predicate, RegisterId, Terminator,
};

use super::{Matching, Sides, may_fail};
use crate::code::{Code, Content, Definition, ItemId};
use crate::lines::Verdict;

/// How deep a condition is looked into.
const DEPTH: u32 = 4;
/// Sweeps over all pairs.
const SWEEPS: usize = 60;
/// More places than this after one item say nothing.
const MANY: usize = 40;

/// A place that both versions may come to next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Next {
    /// A pair, by its old item.
    Pair(ItemId),
    /// Out of the function.
    Exit,
}

/// Repairs a matching.
pub fn repair(sides: &Sides<'_>, matching: &mut Matching, signature: &[u32]) {
    drop_unrelated_branches(sides, matching);
    matching.name_registers(sides, signature);
    turn_branches(sides, matching);
    for _ in 0..SWEEPS {
        let dropped = sweep(sides, matching);
        if dropped.is_empty() {
            break;
        }
        for item in dropped {
            matching.drop(item);
        }
    }
    matching.name_registers(sides, signature);
}

/// Finds pairs to drop.
fn sweep(sides: &Sides<'_>, matching: &Matching) -> BTreeSet<ItemId> {
    let mut dropped = BTreeSet::new();
    for (a, b) in matching.pairs() {
        let (left, right) = next_sets(sides, matching, a, b);
        for (l, r) in left.iter().zip(&right) {
            let (Some(l), Some(r)) = (l, r) else { continue };
            dropped.extend(passed_by_one(sides, matching, l, r));
        }
        let apart: Vec<_> =
            left.iter().zip(&right).filter(|(l, r)| parts(l.as_ref(), r.as_ref())).collect();
        if apart.is_empty() {
            continue;
        }
        if left.len() > 1 && apart.len() == left.len() {
            dropped.insert(a);
            continue;
        }
        for (l, r) in apart {
            let (Some(l), Some(r)) = (l, r) else { continue };
            dropped.extend(weaker(sides, matching, l, r));
        }
    }
    dropped
}

/// The next places of both versions behind a pair, side by side for each way out.
#[allow(clippy::type_complexity, reason = "two lists of optional sets")]
fn next_sets(
    sides: &Sides<'_>,
    matching: &Matching,
    a: ItemId,
    b: ItemId,
) -> (Vec<Option<BTreeSet<Next>>>, Vec<Option<BTreeSet<Next>>>) {
    let old_pair = |item: ItemId| matching.old[item as usize].map(|_| item);
    let new_pair = |item: ItemId| matching.new[item as usize];
    let left: Vec<_> =
        sides.old.steps(a).iter().map(|s| next(sides.old, s.to, &old_pair)).collect();
    let mut right: Vec<_> =
        sides.new.steps(b).iter().map(|s| next(sides.new, s.to, &new_pair)).collect();
    if matching.turned.contains(&a) {
        right.reverse();
    }
    (left, right)
}

fn parts(left: Option<&BTreeSet<Next>>, right: Option<&BTreeSet<Next>>) -> bool {
    match (left, right) {
        (Some(left), Some(right)) => {
            !left.is_empty() && !right.is_empty() && left.is_disjoint(right)
        }
        _ => false,
    }
}

/// Pairs that one version comes to next for certain and the other only on some ways, if nothing but values is computed
/// up to where all of these ways lead: an operand that became one side of a condition. As pairs they would make the versions
/// part.
fn passed_by_one(
    sides: &Sides<'_>,
    matching: &Matching,
    left: &BTreeSet<Next>,
    right: &BTreeSet<Next>,
) -> Vec<ItemId> {
    let old_pair = |item: ItemId| matching.old[item as usize].map(|_| item);
    let new_pair = |item: ItemId| matching.new[item as usize];
    if let Some(old) = only(left, right) {
        return values_before(sides.old, old, right, &old_pair);
    }
    match only(right, left).and_then(|old| matching.old[old as usize]) {
        Some(new) => values_before(sides.new, new, left, &new_pair),
        None => Vec::new(),
    }
}

/// The one pair that comes next, where the other version may come to it or to others.
fn only(next: &BTreeSet<Next>, others: &BTreeSet<Next>) -> Option<ItemId> {
    match next.first() {
        Some(&Next::Pair(old))
            if next.len() == 1 && others.len() > 1 && others.contains(&Next::Pair(old)) =>
        {
            Some(old)
        }
        _ => None,
    }
}

/// The pairs from an item on that only compute values, up to one of the other places; none if that does not come.
fn values_before(
    code: &Code<'_>,
    from: ItemId,
    others: &BTreeSet<Next>,
    pair: &dyn Fn(ItemId) -> Option<ItemId>,
) -> Vec<ItemId> {
    let mut values = Vec::new();
    let mut item = from;
    for _ in 0..MANY {
        let paired = pair(item);
        if item != from && paired.is_some_and(|old| others.contains(&Next::Pair(old))) {
            return values;
        }
        if !computes_value(code, item) {
            break;
        }
        values.extend(paired);
        match code.steps(item).as_slice() {
            [step] => item = step.to,
            _ => break,
        }
    }
    Vec::new()
}

/// Whether an item does nothing but compute a value. (A load may fail, which is no effect of its own.)
fn computes_value(code: &Code<'_>, item: ItemId) -> bool {
    match code.content(item) {
        Content::Operation(operation) => match operation {
            Operation::Binary { op, .. } => !may_fail(*op),
            Operation::Compare { .. }
            | Operation::FloatBinary { .. }
            | Operation::FloatCompare { .. }
            | Operation::FloatNegate { .. }
            | Operation::Cast { .. }
            | Operation::Select { .. }
            | Operation::Offset { .. }
            | Operation::Copy { .. }
            | Operation::Load { .. } => true,
            _ => false,
        },
        Content::Terminator(_) => false,
    }
}

/// The common places that may come next, from an item on.
fn next(
    code: &Code<'_>,
    from: ItemId,
    pair: &dyn Fn(ItemId) -> Option<ItemId>,
) -> Option<BTreeSet<Next>> {
    let mut found = BTreeSet::new();
    let mut seen = HashSet::new();
    let mut waiting = vec![from];
    while let Some(item) = waiting.pop() {
        if let Some(old) = pair(item) {
            found.insert(Next::Pair(old));
        } else if seen.insert(item) {
            if matches!(code.content(item), Content::Terminator(Terminator::Return(_))) {
                found.insert(Next::Exit);
            }
            waiting.extend(code.steps(item).into_iter().map(|step| step.to));
        }
        if found.len() > MANY || seen.len() > 20 * MANY {
            return None;
        }
    }
    Some(found)
}

/// The pair of the weaker side that less speaks for than for any other of it.
fn weaker(
    sides: &Sides<'_>,
    matching: &Matching,
    left: &BTreeSet<Next>,
    right: &BTreeSet<Next>,
) -> Option<ItemId> {
    let confidence = |next: &Next| match next {
        Next::Pair(old) => {
            let new = matching.old[*old as usize];
            new.map_or(0, |new| sides.confidence(*old, new))
        }
        Next::Exit => i32::MAX,
    };
    let strongest = |side: &BTreeSet<Next>| side.iter().map(confidence).max().unwrap_or(i32::MAX);
    let side = if strongest(left) < strongest(right) { left } else { right };
    let weakest = side.iter().min_by_key(|next| confidence(next))?;
    match weakest {
        Next::Pair(old) => Some(*old),
        Next::Exit => None,
    }
}

/// Drops pairs of branches on lines that were edited whose conditions have nothing in common.
fn drop_unrelated_branches(sides: &Sides<'_>, matching: &mut Matching) {
    let pairs: Vec<_> = matching.pairs().collect();
    for (a, b) in pairs {
        let (Some(left), Some(right)) = (condition(sides.old, a), condition(sides.new, b)) else {
            continue;
        };
        if sides.verdict(a, b) == Verdict::Same {
            continue;
        }
        let mut shares = false;
        let mut is_parameter = false;
        let mut old_values = HashSet::new();
        leaves(sides.old, left, DEPTH, &mut |register, definition| {
            is_parameter |= is_block_parameter(definition);
            old_values.extend(matching.registers.get(&register).copied());
        });
        leaves(sides.new, right, DEPTH, &mut |register, definition| {
            is_parameter |= is_block_parameter(definition);
            shares |= old_values.contains(&register);
        });
        let alike = sides.old_features[a as usize].looks == sides.new_features[b as usize].looks;
        // Parameters of blocks are not paired yet, so nothing is known of them.
        if !alike && !is_parameter && !shares {
            matching.drop(a);
        }
    }
}

fn is_block_parameter(definition: Option<Definition>) -> bool {
    matches!(definition, Some(Definition::Parameter(block, _)) if block.index() != 0)
}

fn definition(code: &Code<'_>, operand: Operand) -> Option<Definition> {
    match operand {
        Operand::Register(register) => code.definition(register),
        Operand::Constant(_) => None,
    }
}

/// The registers that a condition is computed from; not the condition itself, which compares other
/// things if they differ.
fn leaves(
    code: &Code<'_>,
    condition: Operand,
    depth: u32,
    visit: &mut dyn FnMut(RegisterId, Option<Definition>),
) {
    let Some(definition) = definition(code, condition) else { return };
    let Definition::Item(item) = definition else {
        if let Operand::Register(register) = condition {
            visit(register, Some(definition));
        }
        return;
    };
    let Content::Operation(operation) = code.content(item) else { return };
    let mut operands = Vec::new();
    operation.visit_operands(&mut |operand| operands.push(operand));
    for operand in operands {
        if let Operand::Register(register) = operand {
            visit(register, code.definition(register));
            if depth > 0 {
                leaves(code, operand, depth - 1, visit);
            }
        }
    }
}

fn condition(code: &Code<'_>, item: ItemId) -> Option<Operand> {
    match code.content(item) {
        Content::Terminator(Terminator::Branch { condition, .. }) => Some(*condition),
        _ => None,
    }
}

/// Turns branches around whose conditions are negations of each other.
fn turn_branches(sides: &Sides<'_>, matching: &mut Matching) {
    let pairs: Vec<_> = matching.pairs().collect();
    for (a, b) in pairs {
        let (Some(left), Some(right)) = (condition(sides.old, a), condition(sides.new, b)) else {
            continue;
        };
        let (l, r) = next_sets(sides, matching, a, b);
        let [l0, l1] = l.as_slice() else { continue };
        let [r0, r1] = r.as_slice() else { continue };
        let meets = |x: &Option<BTreeSet<Next>>, y: &Option<BTreeSet<Next>>| match (x, y) {
            (Some(x), Some(y)) => u32::from(!x.is_disjoint(y)),
            _ => 0,
        };
        // Where the ways out lead says most: `==` that became `!=` is no branch turned around.
        let straight = meets(l0, r0) + meets(l1, r1);
        let cross = meets(l0, r1) + meets(l1, r0);
        let turned = match straight.cmp(&cross) {
            std::cmp::Ordering::Greater => false,
            std::cmp::Ordering::Less => true,
            std::cmp::Ordering::Equal => negated(sides, matching, left, right).unwrap_or(false),
        };
        if turned {
            matching.turned.insert(a);
        }
    }
}

/// Whether one condition is the negation of the other, if that can be seen.
fn negated(sides: &Sides<'_>, matching: &Matching, old: Operand, new: Operand) -> Option<bool> {
    let (old, old_nots) = without_not(sides.old, old);
    let (new, new_nots) = without_not(sides.new, new);
    let nots = old_nots != new_nots;
    if matching.same(sides, old, new) && (old_nots || new_nots) {
        // One register may still be assigned by comparisons that are negations.
        if sides.old.operation_of(old).is_none() {
            return Some(nots);
        }
    }
    let (
        Some(Operation::Compare { predicate: p, left: l, right: r, .. }),
        Some(Operation::Compare { predicate: q, left: m, right: s, .. }),
    ) = (sides.old.operation_of(old), sides.new.operation_of(new))
    else {
        return None;
    };
    let same = |a: &Operand, b: &Operand| alike(sides, matching, *a, *b);
    let q = match (same(l, m) || same(r, s), same(l, s) || same(r, m)) {
        (true, _) => *q,
        (false, true) => swapped(*q),
        (false, false) => return None,
    };
    let (p, q) = (unsigned(*p), unsigned(q));
    match (p == q, p == inverse(q)) {
        (true, _) => Some(nots),
        (_, true) => Some(!nots),
        _ => None,
    }
}

/// Whether two operands are the same value, or are loaded, cut or extended from the same one.
fn alike(sides: &Sides<'_>, matching: &Matching, old: Operand, new: Operand) -> bool {
    if matching.same(sides, old, new) {
        return true;
    }
    let number = |code: &Code<'_>, operand| match operand {
        Operand::Constant(id) => match code.program.constants[id].value {
            ConstantValue::Word(word) => Some(word),
            _ => None,
        },
        Operand::Register(_) => None,
    };
    if let (Some(a), Some(b)) = (number(sides.old, old), number(sides.new, new)) {
        return a == b;
    }
    match (sides.old.operation_of(old), sides.new.operation_of(new)) {
        (Some(Operation::Cast { operand: a, .. }), Some(Operation::Cast { operand: b, .. })) => {
            alike(sides, matching, *a, *b)
        }
        (Some(Operation::Cast { operand: a, .. }), _) => matching.same(sides, *a, new),
        (_, Some(Operation::Cast { operand: b, .. })) => matching.same(sides, old, *b),
        _ => false,
    }
}

/// A condition without the negations in front of it, and whether their number is odd.
fn without_not(code: &Code<'_>, condition: Operand) -> (Operand, bool) {
    let (mut condition, mut odd) = (condition, false);
    while let Some(Operation::Binary {
        op: BinaryOp::Xor,
        left,
        right: Operand::Constant(id),
        ..
    }) = code.operation_of(condition)
    {
        if code.program.constants[*id].value != ConstantValue::Word(1) {
            break;
        }
        (condition, odd) = (*left, !odd);
    }
    (condition, odd)
}

/// Signed and unsigned are one here.
fn unsigned(predicate: Predicate) -> Predicate {
    match predicate {
        Predicate::Sgt => Predicate::Ugt,
        Predicate::Sge => Predicate::Uge,
        Predicate::Slt => Predicate::Ult,
        Predicate::Sle => Predicate::Ule,
        other => other,
    }
}

fn inverse(predicate: Predicate) -> Predicate {
    match predicate {
        Predicate::Eq => Predicate::Ne,
        Predicate::Ne => Predicate::Eq,
        Predicate::Ugt => Predicate::Ule,
        Predicate::Uge => Predicate::Ult,
        Predicate::Ult => Predicate::Uge,
        Predicate::Ule => Predicate::Ugt,
        Predicate::Sgt => Predicate::Sle,
        Predicate::Sge => Predicate::Slt,
        Predicate::Slt => Predicate::Sge,
        Predicate::Sle => Predicate::Sgt,
    }
}

fn swapped(predicate: Predicate) -> Predicate {
    match predicate {
        Predicate::Eq | Predicate::Ne => predicate,
        Predicate::Ugt => Predicate::Ult,
        Predicate::Uge => Predicate::Ule,
        Predicate::Ult => Predicate::Ugt,
        Predicate::Ule => Predicate::Uge,
        Predicate::Sgt => Predicate::Slt,
        Predicate::Sge => Predicate::Sle,
        Predicate::Slt => Predicate::Sgt,
        Predicate::Sle => Predicate::Sge,
    }
}
