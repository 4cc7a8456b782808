//! How terms are made: one method for each operation.

use umbra_expr::FloatKind;
use z3_sys::*;

use super::{Context, Rounding, Term};

macro_rules! unary {
    ($($name:ident $function:ident)*) => { $(
        pub(in crate::z3) fn $name(&mut self, a: Term) -> Term {
            // SAFETY: the context and the term are alive (invariant of the type).
            let ast = unsafe { $function(self.raw, self.ast(a)) };
            self.keep(ast)
        }
    )* };
}

macro_rules! binary {
    ($($name:ident $function:ident)*) => { $(
        pub(in crate::z3) fn $name(&mut self, a: Term, b: Term) -> Term {
            // SAFETY: the context and the terms are alive (invariant of the type).
            let ast = unsafe { $function(self.raw, self.ast(a), self.ast(b)) };
            self.keep(ast)
        }
    )* };
}

macro_rules! rounded_binary {
    ($($name:ident $function:ident)*) => { $(
        pub(in crate::z3) fn $name(&mut self, a: Term, b: Term) -> Term {
            let mode = self.rounding(Rounding::NearestEven);
            // SAFETY: the context and the terms are alive (invariant of the type).
            let ast = unsafe { $function(self.raw, self.ast(mode), self.ast(a), self.ast(b)) };
            self.keep(ast)
        }
    )* };
}

impl Context {
    /// An unknown byte, named by a number.
    pub(in crate::z3) fn unknown_byte(&mut self, number: u32) -> Term {
        let ast = self.bit_sort(8).and_then(|sort| {
            // SAFETY: context and sort are alive.
            unsafe {
                let symbol = Z3_mk_int_symbol(self.raw, number as i32)?;
                Z3_mk_const(self.raw, symbol, sort)
            }
        });
        self.keep(ast)
    }

    /// A number.
    pub(in crate::z3) fn number(&mut self, width: u32, words: &[u64]) -> Term {
        if width > 64 {
            let bits: Vec<bool> = (0..width)
                .map(|bit| {
                    words.get((bit / 64) as usize).is_some_and(|word| word >> (bit % 64) & 1 == 1)
                })
                .collect();
            // SAFETY: the context is alive and the array has `width` elements.
            let ast = unsafe { Z3_mk_bv_numeral(self.raw, width, bits.as_ptr()) };
            return self.keep(ast);
        }
        let ast = self.bit_sort(width).and_then(|sort| {
            // SAFETY: context and sort are alive.
            unsafe { Z3_mk_unsigned_int64(self.raw, words.first().copied().unwrap_or(0), sort) }
        });
        self.keep(ast)
    }

    unary! {
        not Z3_mk_not
        bv_not Z3_mk_bvnot
        bv_neg Z3_mk_bvneg
        is_nan Z3_mk_fpa_is_nan
        is_infinite Z3_mk_fpa_is_infinite
        is_zero Z3_mk_fpa_is_zero
        is_subnormal Z3_mk_fpa_is_subnormal
        is_normal Z3_mk_fpa_is_normal
        ieee_bits Z3_mk_fpa_to_ieee_bv
    }

    binary! {
        equal Z3_mk_eq
        differ Z3_mk_xor
        bv_and Z3_mk_bvand
        bv_or Z3_mk_bvor
        bv_xor Z3_mk_bvxor
        bv_add Z3_mk_bvadd
        bv_sub Z3_mk_bvsub
        bv_mul Z3_mk_bvmul
        bv_udiv Z3_mk_bvudiv
        bv_sdiv Z3_mk_bvsdiv
        bv_urem Z3_mk_bvurem
        bv_srem Z3_mk_bvsrem
        bv_shl Z3_mk_bvshl
        bv_lshr Z3_mk_bvlshr
        bv_ashr Z3_mk_bvashr
        bv_ult Z3_mk_bvult
        bv_ule Z3_mk_bvule
        bv_slt Z3_mk_bvslt
        bv_sle Z3_mk_bvsle
        concat Z3_mk_concat
        float_equal Z3_mk_fpa_eq
        float_less Z3_mk_fpa_lt
        float_less_equal Z3_mk_fpa_leq
    }

    rounded_binary! {
        float_add Z3_mk_fpa_add
        float_sub Z3_mk_fpa_sub
        float_mul Z3_mk_fpa_mul
        float_div Z3_mk_fpa_div
    }

    pub(in crate::z3) fn and(&mut self, a: Term, b: Term) -> Term {
        let both = [self.ast(a), self.ast(b)];
        // SAFETY: the context and the terms are alive, and there are two of them.
        let ast = unsafe { Z3_mk_and(self.raw, 2, both.as_ptr()) };
        self.keep(ast)
    }

    pub(in crate::z3) fn or(&mut self, a: Term, b: Term) -> Term {
        let both = [self.ast(a), self.ast(b)];
        // SAFETY: as in `and`.
        let ast = unsafe { Z3_mk_or(self.raw, 2, both.as_ptr()) };
        self.keep(ast)
    }

    pub(in crate::z3) fn choose(&mut self, condition: Term, a: Term, b: Term) -> Term {
        // SAFETY: the context and the terms are alive.
        let ast = unsafe { Z3_mk_ite(self.raw, self.ast(condition), self.ast(a), self.ast(b)) };
        self.keep(ast)
    }

    /// `width` bits from `low` on.
    pub(in crate::z3) fn extract(&mut self, a: Term, low: u32, width: u32) -> Term {
        // SAFETY: the context and the term are alive.
        let ast = unsafe { Z3_mk_extract(self.raw, low + width - 1, low, self.ast(a)) };
        self.keep(ast)
    }

    pub(in crate::z3) fn zero_extend(&mut self, a: Term, by: u32) -> Term {
        // SAFETY: the context and the term are alive.
        let ast = unsafe { Z3_mk_zero_ext(self.raw, by, self.ast(a)) };
        self.keep(ast)
    }

    pub(in crate::z3) fn sign_extend(&mut self, a: Term, by: u32) -> Term {
        // SAFETY: the context and the term are alive.
        let ast = unsafe { Z3_mk_sign_ext(self.raw, by, self.ast(a)) };
        self.keep(ast)
    }

    pub(in crate::z3) fn rounding(&mut self, mode: Rounding) -> Term {
        let make = match mode {
            Rounding::NearestEven => Z3_mk_fpa_rne,
            Rounding::NearestAway => Z3_mk_fpa_rna,
            Rounding::Up => Z3_mk_fpa_rtp,
            Rounding::Down => Z3_mk_fpa_rtn,
            Rounding::ToZero => Z3_mk_fpa_rtz,
        };
        // SAFETY: the context is alive.
        let ast = unsafe { make(self.raw) };
        self.keep(ast)
    }

    /// A float out of sign, exponent and significand fields.
    pub(in crate::z3) fn float_of_fields(
        &mut self,
        sign: Term,
        exponent: Term,
        fraction: Term,
    ) -> Term {
        let (sign, exponent) = (self.ast(sign), self.ast(exponent));
        // SAFETY: the context and the terms are alive.
        let ast = unsafe { Z3_mk_fpa_fp(self.raw, sign, exponent, self.ast(fraction)) };
        self.keep(ast)
    }

    pub(in crate::z3) fn float_sqrt(&mut self, a: Term) -> Term {
        let mode = self.rounding(Rounding::NearestEven);
        // SAFETY: the context and the terms are alive.
        let ast = unsafe { Z3_mk_fpa_sqrt(self.raw, self.ast(mode), self.ast(a)) };
        self.keep(ast)
    }

    pub(in crate::z3) fn float_fma(&mut self, a: Term, b: Term, c: Term) -> Term {
        let mode = self.rounding(Rounding::NearestEven);
        let (mode, a, b) = (self.ast(mode), self.ast(a), self.ast(b));
        // SAFETY: the context and the terms are alive.
        let ast = unsafe { Z3_mk_fpa_fma(self.raw, mode, a, b, self.ast(c)) };
        self.keep(ast)
    }

    pub(in crate::z3) fn float_round(&mut self, mode: Rounding, a: Term) -> Term {
        let mode = self.rounding(mode);
        // SAFETY: the context and the terms are alive.
        let ast = unsafe { Z3_mk_fpa_round_to_integral(self.raw, self.ast(mode), self.ast(a)) };
        self.keep(ast)
    }

    /// A float in another format.
    pub(in crate::z3) fn float_convert(&mut self, a: Term, kind: FloatKind) -> Term {
        self.make_float(a, kind, Z3_mk_fpa_to_fp_float)
    }

    pub(in crate::z3) fn float_of_signed(&mut self, a: Term, kind: FloatKind) -> Term {
        self.make_float(a, kind, Z3_mk_fpa_to_fp_signed)
    }

    pub(in crate::z3) fn float_of_unsigned(&mut self, a: Term, kind: FloatKind) -> Term {
        self.make_float(a, kind, Z3_mk_fpa_to_fp_unsigned)
    }

    fn make_float(
        &mut self,
        a: Term,
        kind: FloatKind,
        make: unsafe extern "C" fn(Z3_context, Z3_ast, Z3_ast, Z3_sort) -> Option<Z3_ast>,
    ) -> Term {
        let mode = self.rounding(Rounding::NearestEven);
        let ast = self.float_sort(kind).and_then(|sort| {
            // SAFETY: the context, the terms and the sort are alive.
            unsafe { make(self.raw, self.ast(mode), self.ast(a), sort) }
        });
        self.keep(ast)
    }

    /// Towards zero; not specified when the number does not fit.
    pub(in crate::z3) fn float_to_signed(&mut self, a: Term, width: u32) -> Term {
        let mode = self.rounding(Rounding::ToZero);
        // SAFETY: the context and the terms are alive.
        let ast = unsafe { Z3_mk_fpa_to_sbv(self.raw, self.ast(mode), self.ast(a), width) };
        self.keep(ast)
    }

    /// Towards zero; not specified when the number does not fit.
    pub(in crate::z3) fn float_to_unsigned(&mut self, a: Term, width: u32) -> Term {
        let mode = self.rounding(Rounding::ToZero);
        // SAFETY: the context and the terms are alive.
        let ast = unsafe { Z3_mk_fpa_to_ubv(self.raw, self.ast(mode), self.ast(a), width) };
        self.keep(ast)
    }
}
