//! Shadow pairs and their projections.
//!
//! Operations on pairs are not pushed into them: `add(pair(a, b), c)` stays an addition, and what
//! the versions share is stored once. A projection to one version is built when it is asked for,
//! and remembered.

use umbra_words::Version;

use crate::hash::IdMap;
use crate::id::ExprId;
use crate::kind::Kind;
use crate::table::Expressions;

/// What expressions with pairs are in each version.
#[derive(Clone, Debug, Default)]
pub(crate) struct Projections {
    memo: [IdMap<ExprId, ExprId>; 2],
}

impl Expressions {
    /// The expression as the old version sees it: without pairs.
    pub fn project_old(&mut self, e: ExprId) -> ExprId {
        self.project(e, Version::Old)
    }

    /// The expression as the new version sees it: without pairs.
    pub fn project_new(&mut self, e: ExprId) -> ExprId {
        self.project(e, Version::New)
    }

    /// The expression as one version sees it.
    pub fn project(&mut self, e: ExprId, side: Version) -> ExprId {
        if !self.contains_pair(e) {
            return e;
        }
        // Taken out so that the walk can borrow the table; rules never project.
        let mut memo = std::mem::take(&mut self.projections.memo[side as usize]);
        let result = self.rebuild(e, &mut memo, |exprs, e| {
            if !exprs.contains_pair(e) {
                Some(e)
            } else if exprs.kind(e) == Kind::Pair {
                Some(exprs.operand(e, side as usize))
            } else {
                None
            }
        });
        self.projections.memo[side as usize] = memo;
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_has_no_pair_as_its_side() {
        let mut exprs = Expressions::new();
        let input = exprs.input("in", 3);
        let bytes = [0, 1, 2].map(|offset| exprs.byte(input, offset));
        let inner = exprs.pair(bytes[0], bytes[1]);
        let outer = exprs.pair(inner, bytes[2]);
        assert_eq!(outer, exprs.pair(bytes[0], bytes[2]));
        assert_eq!(exprs.pair(inner, inner), inner);
        assert_eq!(exprs.pair(bytes[0], inner), exprs.pair(bytes[0], bytes[1]));
    }

    #[test]
    fn equal_sides_make_no_pair() {
        let mut exprs = Expressions::new();
        let input = exprs.input("in", 2);
        let (x, y) = (exprs.byte(input, 0), exprs.byte(input, 1));
        assert_eq!(exprs.pair(x, x), x);
        let pair = exprs.pair(x, y);
        assert_eq!(exprs.pair(pair, x), x);
    }

    #[test]
    fn operations_stay_outside_and_projections_are_plain() {
        let mut exprs = Expressions::new();
        let input = exprs.input("in", 3);
        let bytes = [0, 1, 2].map(|offset| exprs.byte(input, offset));
        let pair = exprs.pair(bytes[0], bytes[1]);
        let quotient = exprs.udiv(pair, bytes[2]);
        assert_eq!(exprs.kind(quotient), Kind::UDiv);
        assert!(exprs.contains_pair(quotient));
        let old = exprs.project_old(quotient);
        assert_eq!(old, exprs.udiv(bytes[0], bytes[2]));
        let new = exprs.project_new(quotient);
        assert_eq!(new, exprs.udiv(bytes[1], bytes[2]));
        assert!(!exprs.contains_pair(new));
    }
}
