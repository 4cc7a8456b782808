//! The builder: one method per operation.
//!
//! All of them end in [`Expressions::make`], which folds constants, applies the rules and finds or
//! adds the record. Widths that do not fit are a bug of the caller and panic.

use crate::bits::{Bits, mask};
use crate::id::{ArrayId, ExprId};
use crate::kind::{FloatClass, FloatKind, Kind};
use crate::rules::Rule;
use crate::table::{Expressions, INDEX_WIDTH};

macro_rules! same_width {
    ($($(#[$doc:meta])* $name:ident $kind:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name(&mut self, a: ExprId, b: ExprId) -> ExprId {
            self.check_same(Kind::$kind, a, b);
            let width = if Kind::$kind.is_predicate() { 1 } else { self.width(a) };
            self.make(Kind::$kind, width, 0, [a, b, a])
        }
    )*};
}

macro_rules! float_binary {
    ($($(#[$doc:meta])* $name:ident $kind:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name(&mut self, a: ExprId, b: ExprId) -> ExprId {
            self.check_same(Kind::$kind, a, b);
            self.check_float(Kind::$kind, self.width(a));
            let width = if Kind::$kind.is_predicate() { 1 } else { self.width(a) };
            self.make(Kind::$kind, width, 0, [a, b, a])
        }
    )*};
}

macro_rules! float_unary {
    ($($(#[$doc:meta])* $name:ident $kind:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name(&mut self, a: ExprId) -> ExprId {
            self.check_float(Kind::$kind, self.width(a));
            self.make(Kind::$kind, self.width(a), 0, [a; 3])
        }
    )*};
}

impl Expressions {
    /// The constant of at most 64 bits; higher bits of the value are dropped.
    pub fn constant(&mut self, width: u32, value: u64) -> ExprId {
        assert!(width >= 1, "a bit-vector has at least one bit");
        if width > 64 {
            return self.constant_of(&Bits::new(width, &[value]));
        }
        let value = value & mask(width);
        self.intern(Kind::Constant, width, [value as u32, (value >> 32) as u32, 0])
    }

    /// The constant of any width, from words, least significant first.
    pub fn wide_constant(&mut self, width: u32, words: &[u64]) -> ExprId {
        self.constant_of(&Bits::new(width, words))
    }

    /// The bit that is one when the flag is true.
    pub fn boolean(&mut self, value: bool) -> ExprId {
        self.constant(1, u64::from(value))
    }

    /// One bit, set.
    pub fn true_(&mut self) -> ExprId {
        self.constant(1, 1)
    }

    /// One bit, clear.
    pub fn false_(&mut self) -> ExprId {
        self.constant(1, 0)
    }

    same_width! {
        /// Bitwise and; for single bits also the logical one.
        and And;
        /// Bitwise or; for single bits also the logical one.
        or Or;
        /// Bitwise exclusive or.
        xor Xor;
        /// The sum.
        add Add;
        /// The difference.
        sub Sub;
        /// The product.
        mul Mul;
        /// The unsigned quotient; all ones for a division by zero.
        udiv UDiv;
        /// The signed quotient, towards zero.
        sdiv SDiv;
        /// The unsigned remainder; the dividend for a division by zero.
        urem URem;
        /// The signed remainder, with the sign of the dividend.
        srem SRem;
        /// The left shift; zero from the width on.
        shl Shl;
        /// The right shift with zeros; zero from the width on.
        lshr LShr;
        /// The right shift with sign bits.
        ashr AShr;
        /// Whether both are equal.
        eq Eq;
        /// Unsigned `a < b`.
        ult Ult;
        /// Unsigned `a <= b`.
        ule Ule;
        /// Signed `a < b`.
        slt Slt;
        /// Signed `a <= b`.
        sle Sle;
    }

    /// Whether the two differ.
    pub fn ne(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let equal = self.eq(a, b);
        self.not(equal)
    }

    /// All bits flipped; for single bits also the logical negation.
    pub fn not(&mut self, a: ExprId) -> ExprId {
        self.make(Kind::Not, self.width(a), 0, [a; 3])
    }

    /// The two's complement.
    pub fn neg(&mut self, a: ExprId) -> ExprId {
        self.make(Kind::Neg, self.width(a), 0, [a; 3])
    }

    /// `high` above `low`.
    ///
    /// Concatenations nest to the right: put many parts together from the lowest to the highest,
    /// each in constant time; the other way round each takes time in the number of parts.
    pub fn concat(&mut self, high: ExprId, low: ExprId) -> ExprId {
        let width = self.width(high) + self.width(low);
        self.make(Kind::Concat, width, 0, [high, low, high])
    }

    /// `width` bits from bit `low` on.
    pub fn extract(&mut self, e: ExprId, low: u32, width: u32) -> ExprId {
        assert!(width >= 1 && low + width <= self.width(e), "bits {low}+{width} of {e}");
        self.make(Kind::Extract, width, low, [e; 3])
    }

    /// Extended with zeros to `width`; the expression itself when it has that width.
    pub fn zext(&mut self, e: ExprId, width: u32) -> ExprId {
        assert!(width >= self.width(e), "zero extension of {e} to {width} bits");
        if width == self.width(e) {
            return e;
        }
        self.make(Kind::ZExt, width, 0, [e; 3])
    }

    /// Extended with the sign bit to `width`; the expression itself when it has that width.
    pub fn sext(&mut self, e: ExprId, width: u32) -> ExprId {
        assert!(width >= self.width(e), "sign extension of {e} to {width} bits");
        if width == self.width(e) {
            return e;
        }
        self.make(Kind::SExt, width, 0, [e; 3])
    }

    /// `a` if the bit `condition` is set, else `b`.
    pub fn ite(&mut self, condition: ExprId, a: ExprId, b: ExprId) -> ExprId {
        assert_eq!(self.width(condition), 1, "width of a condition");
        self.check_same(Kind::Ite, a, b);
        self.make(Kind::Ite, self.width(a), 0, [condition, a, b])
    }

    /// An array as it is at the start.
    pub fn array_start(&mut self, array: ArrayId) -> ExprId {
        self.intern(Kind::Array, 0, [array.index() as u32, 0, 0])
    }

    /// A byte of an array, updated or not; the index has [`INDEX_WIDTH`] bits.
    pub fn read(&mut self, array: ExprId, index: ExprId) -> ExprId {
        self.check_array(array);
        assert_eq!(self.width(index), INDEX_WIDTH, "width of an index");
        self.make(Kind::Read, 8, 0, [array, index, array])
    }

    /// The array with the byte at `index` replaced.
    pub fn update(&mut self, array: ExprId, index: ExprId, value: ExprId) -> ExprId {
        self.check_array(array);
        assert_eq!(self.width(index), INDEX_WIDTH, "width of an index");
        assert_eq!(self.width(value), 8, "width of an element");
        self.make(Kind::Update, 0, 0, [array, index, value])
    }

    /// A byte of an array as it is at the start.
    pub fn byte(&mut self, array: ArrayId, offset: u32) -> ExprId {
        let array = self.array_start(array);
        let index = self.constant(INDEX_WIDTH, u64::from(offset));
        self.read(array, index)
    }

    float_binary! {
        /// The float sum, rounded to nearest even like all of these.
        fadd FAdd;
        /// The float difference.
        fsub FSub;
        /// The float product.
        fmul FMul;
        /// The float quotient.
        fdiv FDiv;
        /// The float remainder, C's `fmod`.
        frem FRem;
        /// The lesser number; a NaN loses.
        fmin FMin;
        /// The greater number; a NaN loses.
        fmax FMax;
        /// Float equality: false for NaN, true for zeros of both signs.
        feq FEq;
        /// Float `a < b`, false for NaN.
        flt FLt;
        /// Float `a <= b`, false for NaN.
        fle FLe;
    }

    float_unary! {
        /// The square root.
        fsqrt FSqrt;
        /// Made whole, ties to even.
        fround_even FRoundEven;
        /// Made whole, downwards.
        ffloor FFloor;
        /// Made whole, upwards.
        fceil FCeil;
        /// Made whole, towards zero.
        ftrunc FTrunc;
        /// Made whole, ties away from zero.
        fround_away FRoundAway;
    }

    /// The number with its sign bit flipped.
    pub fn fneg(&mut self, a: ExprId) -> ExprId {
        let width = self.width(a);
        self.check_float(Kind::Xor, width);
        let sign = self.constant_of(&Bits::ones(1).concat(&Bits::zero(width - 1)));
        self.xor(a, sign)
    }

    /// The number without its sign bit.
    pub fn fabs(&mut self, a: ExprId) -> ExprId {
        let width = self.width(a);
        self.check_float(Kind::And, width);
        let rest = self.constant_of(&Bits::ones(width - 1).zext(width));
        self.and(a, rest)
    }

    /// `a * b + c`, rounded once.
    pub fn ffma(&mut self, a: ExprId, b: ExprId, c: ExprId) -> ExprId {
        self.check_same(Kind::FFma, a, b);
        self.check_same(Kind::FFma, a, c);
        self.check_float(Kind::FFma, self.width(a));
        self.make(Kind::FFma, self.width(a), 0, [a, b, c])
    }

    /// Whether the number is in one of the classes, bits of [`FloatClass`].
    pub fn fis_class(&mut self, a: ExprId, classes: u32) -> ExprId {
        self.check_float(Kind::FIsClass, self.width(a));
        self.make(Kind::FIsClass, 1, classes & FloatClass::ALL, [a; 3])
    }

    /// Whether one of the two is not a number.
    pub fn funordered(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let a = self.fis_class(a, FloatClass::NAN);
        let b = self.fis_class(b, FloatClass::NAN);
        self.or(a, b)
    }

    /// The float nearest to a signed integer of at most 128 bits.
    pub fn signed_to_float(&mut self, a: ExprId, kind: FloatKind) -> ExprId {
        assert!(self.width(a) <= 128, "an integer of at most 128 bits");
        self.make(Kind::SToF, kind.bits(), 0, [a; 3])
    }

    /// The float nearest to an unsigned integer of at most 128 bits.
    pub fn unsigned_to_float(&mut self, a: ExprId, kind: FloatKind) -> ExprId {
        assert!(self.width(a) <= 128, "an integer of at most 128 bits");
        self.make(Kind::UToF, kind.bits(), 0, [a; 3])
    }

    /// The float cut to a signed integer of at most 128 bits.
    pub fn float_to_signed(&mut self, a: ExprId, width: u32) -> ExprId {
        self.check_float(Kind::FToS, self.width(a));
        assert!(width <= 128, "an integer of at most 128 bits");
        self.make(Kind::FToS, width, 0, [a; 3])
    }

    /// The float cut to an unsigned integer of at most 128 bits.
    pub fn float_to_unsigned(&mut self, a: ExprId, width: u32) -> ExprId {
        self.check_float(Kind::FToU, self.width(a));
        assert!(width <= 128, "an integer of at most 128 bits");
        self.make(Kind::FToU, width, 0, [a; 3])
    }

    /// The float in another format.
    pub fn float_to_float(&mut self, a: ExprId, kind: FloatKind) -> ExprId {
        self.check_float(Kind::FToF, self.width(a));
        if self.width(a) == kind.bits() {
            return a;
        }
        self.make(Kind::FToF, kind.bits(), 0, [a; 3])
    }

    /// The shadow pair of what is `old` in the old version and `new` in the new one.
    ///
    /// Normal form: sides are projected first, so that they hold no pairs, and when they are then
    /// equal there is no pair.
    pub fn pair(&mut self, old: ExprId, new: ExprId) -> ExprId {
        self.check_same(Kind::Pair, old, new);
        if self.contains_pair(old) || self.contains_pair(new) {
            self.hits.count(Rule::PairSide);
        }
        let old = self.project_old(old);
        let new = self.project_new(new);
        if old == new {
            self.hits.count(Rule::PairEqual);
            return old;
        }
        self.intern(Kind::Pair, self.width(old), [old.raw(), new.raw(), 0])
    }

    /// The expression of this kind with these operands, through the method for the kind.
    ///
    /// `extra` is the lowest bit of an extraction or the classes of a class test. Not for
    /// constants and arrays.
    pub fn build(&mut self, kind: Kind, width: u32, extra: u32, operands: &[ExprId]) -> ExprId {
        let a = operands[0];
        let b = operands.get(1).copied().unwrap_or(a);
        let c = operands.get(2).copied().unwrap_or(a);
        match kind {
            Kind::Constant | Kind::Array => unreachable!("{} has no operands", kind.info().name),
            Kind::Pair => self.pair(a, b),
            Kind::ZExt => self.zext(a, width),
            Kind::SExt => self.sext(a, width),
            _ => self.make(kind, width, extra, [a, b, c]),
        }
    }

    fn check_same(&self, kind: Kind, a: ExprId, b: ExprId) {
        let (left, right) = (self.width(a), self.width(b));
        assert!(left == right && left > 0, "{}: widths {left} and {right}", kind.info().name);
    }

    fn check_float(&self, kind: Kind, width: u32) {
        assert!(FloatKind::of_width(width).is_some(), "{}: width {width}", kind.info().name);
    }

    fn check_array(&self, array: ExprId) {
        assert!(matches!(self.kind(array), Kind::Array | Kind::Update), "{array} is an array");
    }
}
