//! The kinds of expressions, in one table.
//!
//! What a kind is called, how many operands it has and whether they may be exchanged is said here
//! and nowhere else; printer, parser, evaluator, rules and tests read it.

/// What an expression is at its root.
///
/// Bit-vector kinds mean what their SMT-LIB operators mean: a shift by the width or more gives
/// zeros (or sign bits), a division by zero gives all ones (`UDiv`), one or minus one (`SDiv`) and
/// the dividend (`URem`, `SRem`). Floats are bit-vectors that hold the IEEE encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// A number.
    Constant,
    /// An input or a constant table, as an array of bytes.
    Array,
    /// An array with one byte changed: operands are the array, the index and the byte.
    Update,
    /// A byte of an array: operands are the array and the index.
    Read,
    /// All bits flipped.
    Not,
    /// Two's complement.
    Neg,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Unsigned quotient.
    UDiv,
    /// Signed quotient, towards zero.
    SDiv,
    /// Unsigned remainder.
    URem,
    /// Signed remainder, with the sign of the dividend.
    SRem,
    /// Left shift.
    Shl,
    /// Right shift with zeros.
    LShr,
    /// Right shift with sign bits.
    AShr,
    /// The first operand above the second.
    Concat,
    /// Some adjacent bits, from [`extract_low`](crate::Expressions::extract_low) on.
    Extract,
    /// Extended with zeros.
    ZExt,
    /// Extended with the sign bit.
    SExt,
    /// Equality.
    Eq,
    /// Unsigned less than.
    Ult,
    /// Unsigned less than or equal.
    Ule,
    /// Signed less than.
    Slt,
    /// Signed less than or equal.
    Sle,
    /// If the first operand then the second else the third.
    Ite,
    /// Float sum.
    FAdd,
    /// Float difference.
    FSub,
    /// Float product.
    FMul,
    /// Float quotient.
    FDiv,
    /// Float remainder as C's `fmod`.
    FRem,
    /// Float square root.
    FSqrt,
    /// Product plus third operand, rounded once.
    FFma,
    /// Made whole, ties to even.
    FRoundEven,
    /// Made whole, downwards.
    FFloor,
    /// Made whole, upwards.
    FCeil,
    /// Made whole, towards zero.
    FTrunc,
    /// Made whole, ties away from zero.
    FRoundAway,
    /// The lesser number; a NaN loses.
    FMin,
    /// The greater number; a NaN loses.
    FMax,
    /// Float equality, false for NaN.
    FEq,
    /// Float less than, false for NaN.
    FLt,
    /// Float less than or equal, false for NaN.
    FLe,
    /// Whether the number is in one of [`float_classes`](crate::Expressions::float_classes).
    FIsClass,
    /// Signed integer to float.
    SToF,
    /// Unsigned integer to float.
    UToF,
    /// Float to signed integer, towards zero; out of range what x86 yields.
    FToS,
    /// Float to unsigned integer, towards zero; out of range what x86 yields.
    FToU,
    /// Float to float of another format.
    FToF,
    /// A shadow pair: the first operand in the old version, the second in the new.
    Pair,
}

/// A row of the kind table.
#[derive(Clone, Copy, Debug)]
pub struct KindInfo {
    /// The kind that the row describes.
    pub kind: Kind,
    /// The name in lower case.
    pub name: &'static str,
    /// How many operands are expressions.
    pub arity: u8,
    /// Whether the first two operands may be exchanged.
    pub commutative: bool,
    /// The SMT-LIB operator, empty where there is no single one.
    pub smt: &'static str,
}

const fn row(
    kind: Kind,
    name: &'static str,
    arity: u8,
    commutative: bool,
    smt: &'static str,
) -> KindInfo {
    KindInfo { kind, name, arity, commutative, smt }
}

/// One row per kind, in the order of the kinds.
pub static KINDS: [KindInfo; 53] = [
    row(Kind::Constant, "constant", 0, false, ""),
    row(Kind::Array, "array", 0, false, ""),
    row(Kind::Update, "update", 3, false, "store"),
    row(Kind::Read, "read", 2, false, "select"),
    row(Kind::Not, "not", 1, false, "bvnot"),
    row(Kind::Neg, "neg", 1, false, "bvneg"),
    row(Kind::And, "and", 2, true, "bvand"),
    row(Kind::Or, "or", 2, true, "bvor"),
    row(Kind::Xor, "xor", 2, true, "bvxor"),
    row(Kind::Add, "add", 2, true, "bvadd"),
    row(Kind::Sub, "sub", 2, false, "bvsub"),
    row(Kind::Mul, "mul", 2, true, "bvmul"),
    row(Kind::UDiv, "udiv", 2, false, "bvudiv"),
    row(Kind::SDiv, "sdiv", 2, false, "bvsdiv"),
    row(Kind::URem, "urem", 2, false, "bvurem"),
    row(Kind::SRem, "srem", 2, false, "bvsrem"),
    row(Kind::Shl, "shl", 2, false, "bvshl"),
    row(Kind::LShr, "lshr", 2, false, "bvlshr"),
    row(Kind::AShr, "ashr", 2, false, "bvashr"),
    row(Kind::Concat, "concat", 2, false, "concat"),
    row(Kind::Extract, "extract", 1, false, "extract"),
    row(Kind::ZExt, "zext", 1, false, "zero_extend"),
    row(Kind::SExt, "sext", 1, false, "sign_extend"),
    row(Kind::Eq, "eq", 2, true, "="),
    row(Kind::Ult, "ult", 2, false, "bvult"),
    row(Kind::Ule, "ule", 2, false, "bvule"),
    row(Kind::Slt, "slt", 2, false, "bvslt"),
    row(Kind::Sle, "sle", 2, false, "bvsle"),
    row(Kind::Ite, "ite", 3, false, "ite"),
    row(Kind::FAdd, "fadd", 2, false, "fp.add"),
    row(Kind::FSub, "fsub", 2, false, "fp.sub"),
    row(Kind::FMul, "fmul", 2, false, "fp.mul"),
    row(Kind::FDiv, "fdiv", 2, false, "fp.div"),
    row(Kind::FRem, "frem", 2, false, ""),
    row(Kind::FSqrt, "fsqrt", 1, false, "fp.sqrt"),
    row(Kind::FFma, "ffma", 3, false, "fp.fma"),
    row(Kind::FRoundEven, "fround-even", 1, false, "RNE"),
    row(Kind::FFloor, "ffloor", 1, false, "RTN"),
    row(Kind::FCeil, "fceil", 1, false, "RTP"),
    row(Kind::FTrunc, "ftrunc", 1, false, "RTZ"),
    row(Kind::FRoundAway, "fround-away", 1, false, "RNA"),
    row(Kind::FMin, "fmin", 2, false, ""),
    row(Kind::FMax, "fmax", 2, false, ""),
    row(Kind::FEq, "feq", 2, true, "fp.eq"),
    row(Kind::FLt, "flt", 2, false, "fp.lt"),
    row(Kind::FLe, "fle", 2, false, "fp.leq"),
    row(Kind::FIsClass, "fis-class", 1, false, ""),
    row(Kind::SToF, "stof", 1, false, "to_fp"),
    row(Kind::UToF, "utof", 1, false, "to_fp_unsigned"),
    row(Kind::FToS, "ftos", 1, false, "fp.to_sbv"),
    row(Kind::FToU, "ftou", 1, false, "fp.to_ubv"),
    row(Kind::FToF, "ftof", 1, false, "to_fp"),
    row(Kind::Pair, "pair", 2, false, ""),
];

impl Kind {
    /// The row of the kind table.
    pub fn info(self) -> &'static KindInfo {
        &KINDS[self as usize]
    }

    /// How many operands are expressions.
    pub fn arity(self) -> usize {
        usize::from(self.info().arity)
    }

    /// Whether a bit-vector solver without a float theory cannot take it.
    pub fn is_float(self) -> bool {
        (Kind::FAdd..=Kind::FToF).contains(&self)
    }

    /// Whether the result is one bit whatever the operands are.
    pub fn is_predicate(self) -> bool {
        matches!(
            self,
            Kind::Eq
                | Kind::Ult
                | Kind::Ule
                | Kind::Slt
                | Kind::Sle
                | Kind::FEq
                | Kind::FLt
                | Kind::FLe
                | Kind::FIsClass
        )
    }
}

/// A float format.
///
/// No two formats have the same number of bits, so the width of an expression says which it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FloatKind {
    /// 16 bits.
    Half,
    /// 32 bits.
    Single,
    /// 64 bits.
    Double,
    /// The 80 bits of the x87 extended format, with its explicit integer bit.
    X87,
}

impl FloatKind {
    /// The width of the encoding.
    pub fn bits(self) -> u32 {
        match self {
            FloatKind::Half => 16,
            FloatKind::Single => 32,
            FloatKind::Double => 64,
            FloatKind::X87 => 80,
        }
    }

    /// The format with this width.
    pub fn of_width(width: u32) -> Option<Self> {
        match width {
            16 => Some(FloatKind::Half),
            32 => Some(FloatKind::Single),
            64 => Some(FloatKind::Double),
            80 => Some(FloatKind::X87),
            _ => None,
        }
    }

    /// Bits of the exponent field.
    pub fn exponent_bits(self) -> u32 {
        match self {
            FloatKind::Half => 5,
            FloatKind::Single => 8,
            FloatKind::Double => 11,
            FloatKind::X87 => 15,
        }
    }

    /// Bits of the significand with its leading bit, written or not.
    pub fn precision(self) -> u32 {
        match self {
            FloatKind::Half => 11,
            FloatKind::Single => 24,
            FloatKind::Double => 53,
            FloatKind::X87 => 64,
        }
    }
}

/// Classes of floats, as in LLVM's class masks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatClass;

impl FloatClass {
    /// A NaN that signals.
    pub const SIGNALING_NAN: u32 = 1;
    /// A NaN that does not signal.
    pub const QUIET_NAN: u32 = 2;
    /// Any NaN.
    pub const NAN: u32 = 3;
    /// Minus infinity.
    pub const NEGATIVE_INFINITY: u32 = 4;
    /// Negative with full precision.
    pub const NEGATIVE_NORMAL: u32 = 8;
    /// Negative with less than full precision.
    pub const NEGATIVE_SUBNORMAL: u32 = 16;
    /// Minus zero.
    pub const NEGATIVE_ZERO: u32 = 32;
    /// Plus zero.
    pub const POSITIVE_ZERO: u32 = 64;
    /// Positive with less than full precision.
    pub const POSITIVE_SUBNORMAL: u32 = 128;
    /// Positive with full precision.
    pub const POSITIVE_NORMAL: u32 = 256;
    /// Plus infinity.
    pub const POSITIVE_INFINITY: u32 = 512;
    /// Either infinity.
    pub const INFINITY: u32 = 516;
    /// Either zero.
    pub const ZERO: u32 = 96;
    /// Everything.
    pub const ALL: u32 = 1023;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_the_order_of_the_kinds() {
        for (index, info) in KINDS.iter().enumerate() {
            assert_eq!(info.kind as usize, index, "{}", info.name);
        }
        assert_eq!(Kind::Pair as usize + 1, KINDS.len());
    }
}
