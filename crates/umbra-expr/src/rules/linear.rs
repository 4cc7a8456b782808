//! Linear normal form: a sum of terms with coefficients, plus a constant, modulo 2^width.
//!
//! Sums, differences, negations, products with constants and left shifts by constants are all read
//! into this form and written out in one way, so that equal sums are the same expression. The
//! bit-blaster would not see that `(x + y) - y` is `x`; here it costs nothing.
//!
//! Written form: terms with positive coefficients, smallest id first, minus the terms with
//! negative ones, plus the constant last. A coefficient that is a power of two is written as a
//! concatenation with zeros. Only for widths up to 64.

use smallvec::SmallVec;

use crate::bits::{mask, signed};
use crate::id::ExprId;
use crate::kind::Kind;
use crate::table::Expressions;

/// Larger sums are left as they are: reading one costs time in its size for every addition.
const MAX_TERMS: usize = 16;

/// A sum. Invariant: terms are sorted by id, have different ids and coefficients that are not zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Linear {
    pub width: u32,
    pub terms: SmallVec<[(ExprId, u64); 4]>,
    pub constant: u64,
}

impl Linear {
    /// The empty sum.
    pub fn new(width: u32) -> Self {
        Self { width, terms: SmallVec::new(), constant: 0 }
    }

    /// Adds `factor * e`; false when the sum gets too large, and is then not to be used.
    pub fn add(&mut self, exprs: &mut Expressions, e: ExprId, factor: u64) -> bool {
        let mut stack: SmallVec<[(ExprId, u64); 8]> = SmallVec::new();
        stack.push((e, factor));
        let mut steps = 0;
        while let Some((e, factor)) = stack.pop() {
            steps += 1;
            if steps > 4 * MAX_TERMS || self.terms.len() > MAX_TERMS {
                return false;
            }
            let factor = factor & mask(self.width);
            if factor == 0 {
                continue;
            }
            if let Some(value) = exprs.constant_u64(e) {
                self.add_constant(factor.wrapping_mul(value));
                continue;
            }
            let spread = spreads(exprs, e, signed(factor, self.width));
            match exprs.kind(e) {
                Kind::Add if spread => {
                    stack.push((exprs.operand(e, 0), factor));
                    stack.push((exprs.operand(e, 1), factor));
                }
                Kind::Sub if spread => {
                    stack.push((exprs.operand(e, 0), factor));
                    stack.push((exprs.operand(e, 1), factor.wrapping_neg()));
                }
                Kind::Neg => stack.push((exprs.operand(e, 0), factor.wrapping_neg())),
                Kind::Not => {
                    self.add_constant(factor.wrapping_neg());
                    stack.push((exprs.operand(e, 0), factor.wrapping_neg()));
                }
                Kind::Mul => match exprs.constant_u64(exprs.operand(e, 1)) {
                    Some(value) => stack.push((exprs.operand(e, 0), factor.wrapping_mul(value))),
                    None => self.add_term(e, factor),
                },
                Kind::Concat | Kind::ZExt => match shifted(exprs, e) {
                    Some((inner, shift, low)) => {
                        self.add_constant(factor.wrapping_mul(low));
                        stack.push((inner, factor << shift));
                    }
                    None => self.add_term(e, factor),
                },
                _ => self.add_term(e, factor),
            }
        }
        self.terms.len() <= MAX_TERMS
    }

    fn add_constant(&mut self, value: u64) {
        self.constant = self.constant.wrapping_add(value) & mask(self.width);
    }

    fn add_term(&mut self, e: ExprId, factor: u64) {
        match self.terms.binary_search_by_key(&e, |term| term.0) {
            Ok(place) => {
                let sum = self.terms[place].1.wrapping_add(factor) & mask(self.width);
                if sum == 0 {
                    self.terms.remove(place);
                } else {
                    self.terms[place].1 = sum;
                }
            }
            Err(place) => self.terms.insert(place, (e, factor)),
        }
    }

    /// All coefficients and the constant multiplied.
    pub fn scale(&mut self, factor: u64) {
        let cut = mask(self.width);
        self.constant = self.constant.wrapping_mul(factor) & cut;
        for term in &mut self.terms {
            term.1 = term.1.wrapping_mul(factor) & cut;
        }
        self.terms.retain(|term| term.1 != 0);
    }

    /// The terms with positive and those with negative coefficients, these negated.
    pub fn split(&self) -> (Self, Self) {
        let (mut plus, mut minus) = (Self::new(self.width), Self::new(self.width));
        let smallest = 1 << (self.width - 1);
        for &(e, factor) in &self.terms {
            if signed(factor, self.width) > 0 || factor == smallest {
                plus.terms.push((e, factor));
            } else {
                minus.terms.push((e, factor.wrapping_neg() & mask(self.width)));
            }
        }
        (plus, minus)
    }

    /// Moves products that are constants into the constant: the low bits of a term may be known.
    fn fold_products(&mut self, exprs: &mut Expressions) {
        let (width, mut more) = (self.width, 0u64);
        self.terms.retain(|&mut (e, factor)| {
            let negated = factor.wrapping_neg() & mask(width);
            let (positive, sign) =
                if factor.is_power_of_two() { (factor, 1) } else { (negated, u64::MAX) };
            if positive == 1 || !positive.is_power_of_two() {
                return true;
            }
            let product = build_product(exprs, e, positive, width);
            match exprs.constant_u64(product) {
                Some(value) => {
                    more = more.wrapping_add(value.wrapping_mul(sign));
                    false
                }
                None => true,
            }
        });
        self.add_constant(more);
    }

    /// The expression in its written form.
    pub fn build(&mut self, exprs: &mut Expressions) -> ExprId {
        self.fold_products(exprs);
        let (plus, minus) = self.split();
        let constant = exprs.constant(self.width, self.constant);
        if self.terms.is_empty() {
            return constant;
        }
        if minus.terms.is_empty() {
            let sum = plus.build_sum(exprs);
            return self.build_constant(exprs, sum);
        }
        let subtrahend = minus.build_sum(exprs);
        if !plus.terms.is_empty() {
            let sum = plus.build_sum(exprs);
            let difference = exprs.intern(Kind::Sub, self.width, [sum.raw(), subtrahend.raw(), 0]);
            return self.build_constant(exprs, difference);
        }
        let args = [subtrahend.raw(), 0, 0];
        if self.constant == 0 {
            exprs.intern(Kind::Neg, self.width, args)
        } else if self.constant == mask(self.width) {
            exprs.intern(Kind::Not, self.width, args)
        } else {
            exprs.intern(Kind::Sub, self.width, [constant.raw(), subtrahend.raw(), 0])
        }
    }

    fn build_constant(&self, exprs: &mut Expressions, sum: ExprId) -> ExprId {
        if self.constant == 0 {
            return sum;
        }
        let constant = exprs.constant(self.width, self.constant);
        exprs.intern(Kind::Add, self.width, [sum.raw(), constant.raw(), 0])
    }

    fn build_sum(&self, exprs: &mut Expressions) -> ExprId {
        let mut sum = None;
        for &(e, factor) in &self.terms {
            let product = build_product(exprs, e, factor, self.width);
            sum = Some(match sum {
                None => product,
                Some(sum) => {
                    let (a, b) = if sum < product { (sum, product) } else { (product, sum) };
                    exprs.intern(Kind::Add, self.width, [a.raw(), b.raw(), 0])
                }
            });
        }
        sum.expect("a sum that is built has terms")
    }
}

fn build_product(exprs: &mut Expressions, e: ExprId, factor: u64, width: u32) -> ExprId {
    if factor == 1 {
        return e;
    }
    if factor.is_power_of_two() {
        let shift = factor.trailing_zeros();
        let low = exprs.extract(e, 0, width - shift);
        let zeros = exprs.constant(shift, 0);
        return exprs.concat(low, zeros);
    }
    let factor = exprs.constant(width, factor);
    exprs.intern(Kind::Mul, width, [e.raw(), factor.raw(), 0])
}

/// Whether a product with a sum is spread over its terms: not when that makes more products.
fn spreads(exprs: &Expressions, e: ExprId, factor: i64) -> bool {
    factor.unsigned_abs().is_power_of_two()
        || exprs.kind(e) == Kind::Add && exprs.is_constant(exprs.operand(e, 1))
}

/// An expression that is another one shifted left, plus a constant in the bits made free:
/// the other one, the amount, the constant.
fn shifted(exprs: &mut Expressions, e: ExprId) -> Option<(ExprId, u32, u64)> {
    let width = exprs.width(e);
    let mut inner = e;
    if exprs.kind(inner) == Kind::ZExt {
        inner = exprs.operand(inner, 0);
    }
    if exprs.kind(inner) != Kind::Concat {
        return None;
    }
    let (high, low) = (exprs.operand(inner, 0), exprs.operand(inner, 1));
    let value = exprs.constant_u64(low)?;
    let shift = exprs.width(low);
    if exprs.kind(high) == Kind::Extract && exprs.extract_low(high) == 0 {
        let source = exprs.operand(high, 0);
        if exprs.width(source) == width && exprs.width(high) + shift == width {
            return Some((source, shift, value));
        }
    }
    Some((exprs.zext(high, width), shift, value))
}
