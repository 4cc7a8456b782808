//! The rewrite rules.
//!
//! A rule is a named function from an expression about to be built to what it becomes, or nothing.
//! Rules are grouped in files by theory; [`list`] says which are tried for a kind, in which order.
//! Operands are in normal form already, constants are folded and, where operands may be exchanged,
//! a constant is the second. Every rule has its cases in `tests/rules`, from which its proofs come.

mod arith;
mod array;
mod bitwise;
mod compare;
mod extract;
mod float;
mod ite;
mod linear;
mod product;
mod range;
mod shift;
mod split;

use std::fmt;

use crate::id::ExprId;
use crate::kind::Kind;
use crate::make::Term;
use crate::table::Expressions;

/// Defines the rules and their names.
macro_rules! define_rules {
    ($($(#[$doc:meta])* $variant:ident $name:literal;)*) => {
        /// A rewrite rule.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Rule {
            $($(#[$doc])* $variant,)*
        }

        impl Rule {
            /// All rules in order.
            pub const ALL: &[Rule] = &[$(Rule::$variant,)*];

            /// The name in statistics, reports and tests.
            pub fn name(self) -> &'static str {
                match self {
                    $(Rule::$variant => $name,)*
                }
            }
        }
    };
}

define_rules! {
    /// An operation on constants becomes its value.
    FoldConstants "fold-constants";
    /// An operation on constants and a choice of constants becomes a choice of values.
    LiftIteConstants "lift-ite-constants";

    /// Sums, differences and products with constants get their linear normal form.
    LinearForm "linear-form";
    /// Neutral and absorbing operands of sums and products, at any width.
    ArithIdentity "arith-identity";
    /// Arithmetic on single bits is logic.
    ArithOfBits "arith-of-bits";
    /// A sum whose low parts do not carry is a concatenation.
    SumSplit "sum-split";
    /// Division by constants zero, one and the dividend itself.
    DivisionIdentity "division-identity";
    /// Division by a power of two takes bits.
    DivisionPowerOfTwo "division-power-of-two";
    /// A dividend less than the divisor.
    DivisionByLarger "division-by-larger";
    /// Signed division of numbers that are never negative is unsigned.
    DivisionUnsigned "division-unsigned";
    /// Division of zero extensions is done at the narrow width.
    DivisionNarrow "division-narrow";

    /// A double negation.
    NotNot "not-not";
    /// A negated comparison is the opposite comparison.
    NotCompare "not-compare";
    /// A negated and or or, whose operands are negated at no cost.
    NotLogic "not-logic";
    /// Neutral, absorbing and equal operands of bitwise operations.
    BitwiseIdentity "bitwise-identity";
    /// An operand and its complement.
    BitwiseComplement "bitwise-complement";
    /// An operand that is part of the other.
    BitwiseAbsorb "bitwise-absorb";
    /// Two constants in a chain of one operation.
    BitwiseConstants "bitwise-constants";
    /// Complements go outside.
    BitwiseNots "bitwise-nots";
    /// A mask with few runs of bits takes those bits.
    MaskRuns "mask-runs";
    /// Bitwise operations on concatenations go part by part.
    BitwiseSplit "bitwise-split";
    /// Contradicting or implied comparisons with constants.
    LogicRanges "logic-ranges";

    /// A shift by a constant takes bits.
    ShiftConstant "shift-constant";
    /// A shift of zero.
    ShiftZero "shift-zero";

    /// The whole of an expression.
    ExtractWhole "extract-whole";
    /// Bits of bits.
    ExtractExtract "extract-extract";
    /// Bits of a concatenation.
    ExtractConcat "extract-concat";
    /// Bits of an extension.
    ExtractExtension "extract-extension";
    /// Bits of a bitwise operation whose operands have simple bits.
    ExtractBitwise "extract-bitwise";
    /// Bits of a choice whose branches have simple bits.
    ExtractIte "extract-ite";
    /// Low bits of a sum or product of extensions.
    ExtractSum "extract-sum";
    /// Concatenations nest to the right.
    ConcatNest "concat-nest";
    /// Adjacent bits of the same expression, or adjacent constants.
    ConcatMerge "concat-merge";
    /// Zeros above are an extension.
    ConcatZeros "concat-zeros";
    /// Copies of the sign bit above are an extension.
    ConcatSigns "concat-signs";
    /// Extensions of extensions.
    ExtendExtend "extend-extend";
    /// Sign extension of what is never negative.
    ExtendUnsigned "extend-unsigned";

    /// Both sides are the same.
    CompareSame "compare-same";
    /// Equality of single bits is logic.
    EqOfBits "eq-of-bits";
    /// Comparisons of single bits are logic.
    OrderOfBits "order-of-bits";
    /// Equality of extensions.
    EqExtension "eq-extension";
    /// Equality of concatenations goes part by part.
    EqSplit "eq-split";
    /// Equality of products of sums that are the same when multiplied out, or never.
    EqProduct "eq-product";
    /// Equality of sums: equal terms cancel, an odd factor is divided away.
    EqLinear "eq-linear";
    /// Equality of a bitwise operation with a constant.
    EqBitwise "eq-bitwise";
    /// Equality of a choice with a constant.
    EqIte "eq-ite";
    /// Equality of a choice with one of its branches.
    EqIteBranch "eq-ite-branch";
    /// What the range of values decides.
    CompareRange "compare-range";
    /// Comparison with the ends of the range and their neighbours.
    CompareEnds "compare-ends";
    /// A constant on the left becomes less-or-equal, on the right less.
    CompareConstant "compare-constant";
    /// Less-or-equal is the negation of less.
    CompareNegated "compare-negated";
    /// Signed comparison with zero is the sign bit.
    CompareSign "compare-sign";
    /// Signed comparison of numbers that are never negative is unsigned.
    CompareUnsigned "compare-unsigned";
    /// Comparison of extensions.
    CompareExtension "compare-extension";
    /// Comparison of concatenations with equal upper parts.
    CompareConcat "compare-concat";
    /// Comparison of a sum that does not overflow with a constant.
    CompareSum "compare-sum";
    /// Whether a number is in a window, written as a difference less than a constant.
    CompareWindow "compare-window";

    /// The condition is a constant, or both branches are the same.
    IteTrivial "ite-trivial";
    /// A negated condition exchanges the branches.
    IteNot "ite-not";
    /// A choice of single bits is logic.
    IteOfBits "ite-of-bits";
    /// A choice between one or all ones and zero is an extension.
    IteExtension "ite-extension";
    /// A choice inside a choice by the same condition.
    IteNested "ite-nested";
    /// A choice inside a choice with a common branch.
    IteMerge "ite-merge";
    /// A choice between a value and what equals it.
    IteEqual "ite-equal";

    /// A constant index into a table, or beyond the end.
    ReadConstant "read-constant";
    /// A read after an update with a comparable index.
    ReadUpdate "read-update";
    /// A read of a table at a choice of constants.
    ReadIte "read-ite";
    /// An update that is overwritten, or writes what is there.
    UpdateUpdate "update-update";

    /// Comparison of floats that are not computed, on their encodings.
    FloatCompareBits "float-compare-bits";
    /// Class of a float that is not computed, on its encoding.
    FloatClassBits "float-class-bits";
    /// Float comparison with itself or with NaN.
    FloatCompareSame "float-compare-same";
    /// Class of a converted integer.
    FloatClassInteger "float-class-integer";
    /// Logic on classes of the same float.
    FloatClassLogic "float-class-logic";
    /// Rounding of what is whole.
    FloatRoundWhole "float-round-whole";
    /// An integer through a float that holds it exactly.
    FloatIntegerExact "float-integer-exact";

    /// A pair as the side of a pair is projected.
    PairSide "pair-side";
    /// A pair of equal sides is none.
    PairEqual "pair-equal";
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How often each rule was applied.
#[derive(Clone, Debug)]
pub(crate) struct RuleHits([u64; Rule::ALL.len()]);

impl Default for RuleHits {
    fn default() -> Self {
        Self([0; Rule::ALL.len()])
    }
}

impl RuleHits {
    pub fn count(&mut self, rule: Rule) {
        self.0[rule as usize] += 1;
    }

    pub fn iter(&self) -> impl Iterator<Item = (Rule, u64)> + '_ {
        Rule::ALL.iter().copied().zip(self.0.iter().copied())
    }
}

/// What a rule makes of an expression; nothing when it does not apply.
type RuleFn = fn(&mut Expressions, &Term) -> Option<ExprId>;

/// The rules for a kind, in the order in which they are tried.
fn list(kind: Kind) -> &'static [(Rule, RuleFn)] {
    match kind {
        Kind::Add => arith::ADD,
        Kind::Sub | Kind::Neg => arith::SUB,
        Kind::Mul => arith::MUL,
        Kind::UDiv | Kind::URem => arith::UNSIGNED_DIVISION,
        Kind::SDiv | Kind::SRem => arith::SIGNED_DIVISION,
        Kind::Not => bitwise::NOT,
        Kind::And | Kind::Or => bitwise::AND_OR,
        Kind::Xor => bitwise::XOR,
        Kind::Shl | Kind::LShr | Kind::AShr => shift::SHIFT,
        Kind::Extract => extract::EXTRACT,
        Kind::Concat => extract::CONCAT,
        Kind::ZExt | Kind::SExt => extract::EXTEND,
        Kind::Eq => compare::EQ,
        Kind::Ult => compare::ULT,
        Kind::Slt => compare::SLT,
        Kind::Ule | Kind::Sle => compare::LESS_OR_EQUAL,
        Kind::Ite => ite::ITE,
        Kind::Read => array::READ,
        Kind::Update => array::UPDATE,
        Kind::FEq | Kind::FLt | Kind::FLe => float::COMPARE,
        Kind::FIsClass => float::CLASS,
        Kind::FRoundEven | Kind::FFloor | Kind::FCeil | Kind::FTrunc | Kind::FRoundAway => {
            float::ROUND
        }
        Kind::FToS | Kind::FToU => float::TO_INTEGER,
        _ => &[(Rule::LiftIteConstants, ite::lift_constants)],
    }
}

/// The result of the first rule that applies.
pub(crate) fn apply(exprs: &mut Expressions, term: &Term) -> Option<ExprId> {
    for &(rule, function) in list(term.kind) {
        if let Some(result) = function(exprs, term) {
            exprs.hits.count(rule);
            return Some(result);
        }
    }
    None
}

/// Constants that rules ask about and make.
impl Expressions {
    pub(crate) fn zero(&mut self, width: u32) -> ExprId {
        self.constant(width, 0)
    }

    pub(crate) fn all_ones(&mut self, width: u32) -> ExprId {
        if width <= 64 {
            return self.constant(width, u64::MAX);
        }
        self.constant_of(&crate::bits::Bits::ones(width))
    }

    pub(crate) fn is_zero(&self, e: ExprId) -> bool {
        match self.constant_u64(e) {
            Some(value) => value == 0,
            None => self.constant_bits(e).is_some_and(|value| value.is_zero()),
        }
    }

    pub(crate) fn is_all_ones(&self, e: ExprId) -> bool {
        match self.constant_u64(e) {
            Some(value) => value == crate::bits::mask(self.width(e)),
            None => self.constant_bits(e).is_some_and(|value| value.not().is_zero()),
        }
    }

    pub(crate) fn is_one(&self, e: ExprId) -> bool {
        self.constant_bits(e).is_some_and(|value| value.to_u64() == Some(1))
    }

    /// Whether one is the complement of the other, as far as their roots show it.
    pub(crate) fn are_complements(&self, a: ExprId, b: ExprId) -> bool {
        let is_not = |a: ExprId, b: ExprId| self.kind(a) == Kind::Not && self.operand(a, 0) == b;
        let opposite = |a: ExprId, b: ExprId| {
            matches!((self.kind(a), self.kind(b)), (Kind::Ult, Kind::Ule) | (Kind::Slt, Kind::Sle))
                && self.operand(a, 0) == self.operand(b, 1)
                && self.operand(a, 1) == self.operand(b, 0)
        };
        is_not(a, b) || is_not(b, a) || opposite(a, b) || opposite(b, a)
    }
}
