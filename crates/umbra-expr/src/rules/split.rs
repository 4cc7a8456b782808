//! Places where an expression falls into two parts without any operation.

use smallvec::SmallVec;

use crate::id::ExprId;
use crate::kind::Kind;
use crate::table::Expressions;

/// How many parts deep to look.
const DEPTH: u32 = 16;

/// Whether the bits below and from `at` on are simple expressions by themselves.
pub(super) fn splits_at(x: &Expressions, e: ExprId, at: u32) -> bool {
    let (mut e, mut at) = (e, at);
    for _ in 0..DEPTH {
        if at == 0 || at == x.width(e) {
            return true;
        }
        match x.kind(e) {
            Kind::Constant => return true,
            Kind::ZExt => {
                let inner = x.operand(e, 0);
                if at >= x.width(inner) {
                    return true;
                }
                e = inner;
            }
            Kind::Concat => {
                let low = x.operand(e, 1);
                if at <= x.width(low) {
                    e = low;
                } else {
                    at -= x.width(low);
                    e = x.operand(e, 0);
                }
            }
            _ => return false,
        }
    }
    false
}

/// The places where the parts of an expression meet, lowest last; none for constants.
pub(super) fn splits(x: &Expressions, e: ExprId) -> SmallVec<[u32; 8]> {
    let mut places = SmallVec::new();
    let mut e = e;
    for _ in 0..DEPTH {
        match x.kind(e) {
            Kind::ZExt => {
                e = x.operand(e, 0);
                places.push(x.width(e));
            }
            // Concatenations nest to the right, so the first operand has no parts.
            Kind::Concat => {
                e = x.operand(e, 1);
                places.push(x.width(e));
            }
            _ => break,
        }
    }
    places
}
