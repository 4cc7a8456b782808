//! Sums, products and quotients.

use super::{Edge, Graph};

impl Graph {
    /// `a + b + carry`.
    fn sum(&mut self, a: &[Edge], b: &[Edge], mut carry: Edge) -> Vec<Edge> {
        let mut result = Vec::with_capacity(a.len());
        for (&a, &b) in a.iter().zip(b) {
            let differ = self.xor(a, b);
            result.push(self.xor(differ, carry));
            carry = self.mux(differ, carry, a);
        }
        result
    }

    pub(crate) fn add(&mut self, a: &[Edge], b: &[Edge]) -> Vec<Edge> {
        self.sum(a, b, Edge::FALSE)
    }

    pub(crate) fn subtract(&mut self, a: &[Edge], b: &[Edge]) -> Vec<Edge> {
        let b: Vec<Edge> = b.iter().map(|&edge| !edge).collect();
        self.sum(a, &b, Edge::TRUE)
    }

    pub(crate) fn negate(&mut self, a: &[Edge]) -> Vec<Edge> {
        self.subtract(&vec![Edge::FALSE; a.len()], a)
    }

    /// `-a` if the condition holds, else `a`.
    fn negate_if(&mut self, condition: Edge, a: &[Edge]) -> Vec<Edge> {
        let negated = self.negate(a);
        self.choose(condition, &negated, a)
    }

    pub(crate) fn multiply(&mut self, a: &[Edge], b: &[Edge]) -> Vec<Edge> {
        if let Some(digits) = signed_digits(b) {
            return self.multiply_by_digits(a, &digits);
        }
        if let Some(digits) = signed_digits(a) {
            return self.multiply_by_digits(b, &digits);
        }
        // Rows come from the operand with more constant bits: a constant zero drops its row.
        let constants = |edges: &[Edge]| edges.iter().filter(|edge| edge.is_constant()).count();
        let (a, b) = if constants(a) > constants(b) { (b, a) } else { (a, b) };
        let width = a.len();
        let mut result = vec![Edge::FALSE; width];
        for (position, &bit) in b.iter().enumerate() {
            if bit == Edge::FALSE {
                continue;
            }
            let row: Vec<Edge> =
                a[..width - position].iter().map(|&edge| self.and(edge, bit)).collect();
            let high = self.add(&result[position..], &row);
            result.truncate(position);
            result.extend(high);
        }
        result
    }

    /// A product with a constant as few sums and differences.
    fn multiply_by_digits(&mut self, a: &[Edge], digits: &[i8]) -> Vec<Edge> {
        let width = a.len();
        let mut result = vec![Edge::FALSE; width];
        for (position, &digit) in digits.iter().enumerate() {
            if digit == 0 {
                continue;
            }
            let (low, row) = (&result[position..], &a[..width - position]);
            let high = if digit > 0 { self.add(low, row) } else { self.subtract(low, row) };
            result.truncate(position);
            result.extend(high);
        }
        result
    }

    /// Quotient and remainder; by zero, all ones and the dividend, as SMT-LIB has it.
    pub(crate) fn unsigned_divide(&mut self, a: &[Edge], b: &[Edge]) -> (Vec<Edge>, Vec<Edge>) {
        let width = a.len();
        let mut quotient = vec![Edge::FALSE; width];
        // After `n` steps the remainder is at most the first `n` bits of the dividend, so it never
        // needs more than `n` bits.
        let mut remainder: Vec<Edge> = Vec::with_capacity(width);
        for position in (0..width).rev() {
            remainder.insert(0, a[position]);
            let (low, high) = b.split_at(remainder.len());
            let beyond = self.any(high);
            let enough = self.unsigned_less_equal(low, &remainder);
            let fits = self.and(enough, !beyond);
            quotient[position] = fits;
            let difference = self.subtract(&remainder, low);
            remainder = self.choose(fits, &difference, &remainder);
        }
        (quotient, remainder)
    }

    /// Quotient towards zero and a remainder with the sign of the dividend.
    pub(crate) fn signed_divide(&mut self, a: &[Edge], b: &[Edge]) -> (Vec<Edge>, Vec<Edge>) {
        let sign_of = |edges: &[Edge]| edges.last().copied().unwrap_or(Edge::FALSE);
        let (sign_a, sign_b) = (sign_of(a), sign_of(b));
        let (size_a, size_b) = (self.negate_if(sign_a, a), self.negate_if(sign_b, b));
        let (quotient, remainder) = self.unsigned_divide(&size_a, &size_b);
        let differ = self.xor(sign_a, sign_b);
        (self.negate_if(differ, &quotient), self.negate_if(sign_a, &remainder))
    }
}

/// The digits -1, 0 and 1 of a constant, no two neighbours both nonzero; `None` if not constant.
///
/// The non-adjacent form has the fewest nonzero digits: 255 is 256 - 1.
fn signed_digits(edges: &[Edge]) -> Option<Vec<i8>> {
    if !edges.iter().all(|edge| edge.is_constant()) {
        return None;
    }
    let bit = |position: usize| i8::from(edges.get(position) == Some(&Edge::TRUE));
    let mut carry = 0;
    let mut digits = Vec::with_capacity(edges.len());
    for position in 0..edges.len() {
        let sum = bit(position) + carry;
        if sum == 1 && bit(position + 1) == 1 {
            digits.push(-1);
            carry = 1;
        } else {
            digits.push(sum % 2);
            carry = sum / 2;
        }
    }
    Some(digits)
}
