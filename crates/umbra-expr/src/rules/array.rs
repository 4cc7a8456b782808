//! Reads and updates.

use super::linear::Linear;
use super::{Rule, RuleFn};
use crate::id::ExprId;
use crate::kind::Kind;
use crate::make::Term;
use crate::table::{Array, Expressions, INDEX_WIDTH};

pub(super) const READ: &[(Rule, RuleFn)] = &[
    (Rule::ReadConstant, read_constant),
    (Rule::ReadUpdate, read_update),
    (Rule::ReadIte, read_ite),
];

pub(super) const UPDATE: &[(Rule, RuleFn)] = &[(Rule::UpdateUpdate, update_update)];

/// match:  table[k], array[k] beyond its end
/// result: the byte, 0
fn read_constant(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let index = x.constant_u64(t.b())?;
    if x.kind(t.a()) != Kind::Array {
        return None;
    }
    let value = match x.array(x.array_of(t.a())) {
        Array::Table(bytes) => usize::try_from(index).ok().and_then(|i| bytes.get(i)).copied(),
        Array::Input { size, .. } if index < u64::from(*size) => return None,
        Array::Input { .. } => None,
    };
    Some(x.constant(8, u64::from(value.unwrap_or(0))))
}

/// How two indices compare: always equal, never equal, or unknown.
fn compare(x: &mut Expressions, a: ExprId, b: ExprId) -> Option<bool> {
    if a == b {
        return Some(true);
    }
    let mut difference = Linear::new(INDEX_WIDTH);
    let known = difference.add(x, a, 1)
        && difference.add(x, b, 1u64.wrapping_neg())
        && difference.terms.is_empty();
    known.then_some(difference.constant == 0)
}

/// match:  update(array, i, value)[j], where i and j are comparable
/// result: value if they are equal, array[j] if not
fn read_update(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let mut array = t.a();
    while x.kind(array) == Kind::Update {
        let operands = x.operands(array);
        match compare(x, operands[1], t.b()) {
            Some(true) => return Some(operands[2]),
            Some(false) => array = operands[0],
            None => break,
        }
    }
    (array != t.a()).then(|| x.read(array, t.b()))
}

/// match:  table[ite(c, k1, k2)]
/// result: ite(c, table[k1], table[k2])
fn read_ite(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    if x.kind(t.b()) != Kind::Ite || x.kind(t.a()) != Kind::Array {
        return None;
    }
    let choice = x.operands(t.b());
    if !x.is_constant(choice[1]) || !x.is_constant(choice[2]) {
        return None;
    }
    let (a, b) = (x.read(t.a(), choice[1]), x.read(t.a(), choice[2]));
    Some(x.ite(choice[0], a, b))
}

/// match:  update(update(array, i, _), i, value), update(array, i, array[i])
/// result: update(array, i, value), array
fn update_update(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let (array, index, value) = (t.a(), t.b(), t.c());
    let written_back =
        x.kind(value) == Kind::Read && (x.operand(value, 0), x.operand(value, 1)) == (array, index);
    if written_back {
        return Some(array);
    }
    if x.kind(array) == Kind::Update && x.operand(array, 1) == index {
        return Some(x.update(x.operand(array, 0), index, value));
    }
    None
}
