//! Products of sums.
//!
//! Products are not multiplied out when they are built: that makes more of them. But an equality of
//! products that holds by the laws of arithmetic alone is hard for a bit-blaster at any width worth
//! mentioning, so there they are, to see whether everything cancels.

use super::linear::Linear;
use crate::id::ExprId;
use crate::kind::Kind;
use crate::make::Term;
use crate::table::Expressions;

/// More products than this are not made.
const MAX_PRODUCTS: usize = 8;

/// match:  a = b of at most 64 bits, with a product of sums in it, that differ by a constant when
///         multiplied out
/// result: true if the constant is zero, else false
pub(super) fn eq_product(x: &mut Expressions, t: &Term) -> Option<ExprId> {
    let width = x.width(t.a());
    let related =
        |e: ExprId| matches!(x.kind(e), Kind::Add | Kind::Sub | Kind::Neg | Kind::Not | Kind::Mul);
    if width > 64 || !related(t.a()) || !related(t.b()) && !x.is_constant(t.b()) {
        return None;
    }
    let mut sum = Linear::new(width);
    if !sum.add(x, t.a(), 1) || !sum.add(x, t.b(), u64::MAX) || sum.terms.len() < 2 {
        return None;
    }
    if !sum.terms.iter().any(|term| is_product_of_sum(x, term.0)) {
        return None;
    }
    let mut expanded = Linear::new(width);
    expanded.constant = sum.constant;
    for &(e, factor) in &sum.terms {
        let fits = match x.kind(e) {
            Kind::Mul => multiply_out(x, &mut expanded, e, factor)?,
            _ => expanded.add(x, e, factor),
        };
        if !fits {
            return None;
        }
    }
    expanded.terms.is_empty().then(|| x.boolean(expanded.constant == 0))
}

fn is_product_of_sum(x: &Expressions, e: ExprId) -> bool {
    x.kind(e) == Kind::Mul
        && x.operands(e)
            .iter()
            .any(|&operand| matches!(x.kind(operand), Kind::Add | Kind::Sub | Kind::Neg))
}

/// Adds a product, multiplied out; false or nothing when that is too much.
fn multiply_out(
    x: &mut Expressions,
    sum: &mut Linear,
    product: ExprId,
    factor: u64,
) -> Option<bool> {
    let (mut left, mut right) = (Linear::new(sum.width), Linear::new(sum.width));
    if !left.add(x, x.operand(product, 0), factor) || !right.add(x, x.operand(product, 1), 1) {
        return None;
    }
    if left.terms.len() * right.terms.len() > MAX_PRODUCTS {
        return None;
    }
    let one = x.constant(sum.width, 1);
    left.terms.push((one, left.constant));
    right.terms.push((one, right.constant));
    for &(a, by) in &left.terms {
        for &(b, times) in &right.terms {
            let factor = by.wrapping_mul(times);
            let product = x.mul(a, b);
            if !sum.add(x, product, factor) {
                return Some(false);
            }
        }
    }
    Some(true)
}
