//! From expressions to Z3's terms, each expression once.
//!
//! An expression of one bit becomes a Boolean term, a wider one a bit-vector. Input bytes are
//! unknown bytes; a read at an unknown index is a tree of choices, never an array: Z3 does not
//! decide long chains of stores (and on a tree it is as fast as on anything).

use std::collections::HashMap;

use umbra_expr::{Array, ArrayId, Bits, ExprId, Expressions, Kind};

use super::context::{Context, Term};
use crate::blast::ARRAY_LIMIT;
use crate::query::Reason;

/// A context and what its terms mean.
#[derive(Debug)]
pub(super) struct Translator {
    pub(super) context: Context,
    /// By expression.
    terms: Vec<Option<Term>>,
    /// Float results before they were encoded, by expression.
    pub(super) floats: HashMap<ExprId, Term>,
    bytes: HashMap<(ArrayId, u32), Term>,
}

impl Translator {
    pub(super) fn new(context: Context) -> Self {
        Self { context, terms: Vec::new(), floats: HashMap::new(), bytes: HashMap::new() }
    }

    /// The term of an input byte, if there is one.
    pub(super) fn input(&self, array: ArrayId, offset: u32) -> Option<Term> {
        self.bytes.get(&(array, offset)).copied()
    }

    fn get(&self, e: ExprId) -> Option<Term> {
        self.terms.get(e.index()).copied().flatten()
    }

    /// The Boolean term of an expression of one bit.
    pub(super) fn condition(&mut self, exprs: &Expressions, root: ExprId) -> Result<Term, Reason> {
        if self.terms.len() <= exprs.len() {
            self.terms.resize(exprs.len() + 1, None);
        }
        let mut stack = vec![root];
        while let Some(&e) = stack.last() {
            if self.get(e).is_some() {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let operands = exprs.operands(e);
            let open = operands.iter().filter(|&&operand| {
                self.get(operand).is_none()
                    && !matches!(exprs.kind(operand), Kind::Array | Kind::Update)
            });
            stack.extend(open);
            if matches!(exprs.kind(e), Kind::Read) {
                self.push_updates(exprs, operands[0], &mut stack);
            }
            if stack.len() > before {
                continue;
            }
            stack.pop();
            let term = self.step(exprs, e)?;
            self.terms[e.index()] = Some(term);
        }
        Ok(self.term(root))
    }

    /// Pushes indices and values of the updates that a read sees.
    fn push_updates(&self, exprs: &Expressions, mut array: ExprId, stack: &mut Vec<ExprId>) {
        while exprs.kind(array) == Kind::Update {
            let operands = exprs.operands(array);
            let open = [operands[1], operands[2]];
            stack.extend(open.iter().filter(|&&operand| self.get(operand).is_none()));
            array = operands[0];
        }
    }

    /// The term of an expression that is done.
    pub(super) fn term(&self, e: ExprId) -> Term {
        self.get(e).expect("operands are translated first")
    }

    /// The same as a bit-vector, of whatever width.
    pub(super) fn bits(&mut self, exprs: &Expressions, e: ExprId) -> Term {
        let term = self.term(e);
        if exprs.width(e) > 1 {
            return term;
        }
        let (one, zero) = (self.context.number(1, &[1]), self.context.number(1, &[0]));
        self.context.choose(term, one, zero)
    }

    pub(super) fn constant(&mut self, bits: &Bits) -> Term {
        self.context.number(bits.width(), bits.words())
    }

    /// A bit-vector as the term of an expression of this width.
    fn of_bits(&mut self, width: u32, term: Term) -> Term {
        if width > 1 {
            return term;
        }
        let one = self.context.number(1, &[1]);
        self.context.equal(term, one)
    }

    fn step(&mut self, exprs: &Expressions, e: ExprId) -> Result<Term, Reason> {
        let kind = exprs.kind(e);
        let width = exprs.width(e);
        let operands = exprs.operands(e);
        if kind.is_float() {
            return self.float(exprs, e);
        }
        let logical = width == 1 && matches!(kind, Kind::Not | Kind::And | Kind::Or | Kind::Xor);
        if logical {
            let terms: Vec<Term> = operands.iter().map(|&operand| self.term(operand)).collect();
            let context = &mut self.context;
            return Ok(match (kind, &terms[..]) {
                (Kind::And, &[a, b]) => context.and(a, b),
                (Kind::Or, &[a, b]) => context.or(a, b),
                (Kind::Xor, &[a, b]) => context.differ(a, b),
                _ => context.not(terms[0]),
            });
        }
        match kind {
            Kind::Constant => {
                let bits = exprs.constant_bits(e).expect("a constant has a value");
                let term = self.constant(&bits);
                return Ok(self.of_bits(width, term));
            }
            Kind::Read => return self.read(exprs, operands[0], operands[1]),
            Kind::Ite => {
                let [condition, a, b] = [operands[0], operands[1], operands[2]];
                let (condition, a, b) = (self.term(condition), self.term(a), self.term(b));
                return Ok(self.context.choose(condition, a, b));
            }
            Kind::Array | Kind::Update | Kind::Pair => return Err(Reason::Unsupported),
            _ => {}
        }
        let a = self.bits(exprs, operands[0]);
        let b = operands.get(1).map_or(a, |&operand| self.bits(exprs, operand));
        let from = exprs.width(operands[0]);
        let context = &mut self.context;
        let result = match kind {
            Kind::Eq => return Ok(context.equal(a, b)),
            Kind::Ult => return Ok(context.bv_ult(a, b)),
            Kind::Ule => return Ok(context.bv_ule(a, b)),
            Kind::Slt => return Ok(context.bv_slt(a, b)),
            Kind::Sle => return Ok(context.bv_sle(a, b)),
            Kind::Not => context.bv_not(a),
            Kind::Neg => context.bv_neg(a),
            Kind::And => context.bv_and(a, b),
            Kind::Or => context.bv_or(a, b),
            Kind::Xor => context.bv_xor(a, b),
            Kind::Add => context.bv_add(a, b),
            Kind::Sub => context.bv_sub(a, b),
            Kind::Mul => context.bv_mul(a, b),
            Kind::UDiv => context.bv_udiv(a, b),
            Kind::SDiv => context.bv_sdiv(a, b),
            Kind::URem => context.bv_urem(a, b),
            Kind::SRem => context.bv_srem(a, b),
            Kind::Shl => context.bv_shl(a, b),
            Kind::LShr => context.bv_lshr(a, b),
            Kind::AShr => context.bv_ashr(a, b),
            Kind::Concat => context.concat(a, b),
            Kind::Extract => context.extract(a, exprs.extract_low(e), width),
            Kind::ZExt => context.zero_extend(a, width - from),
            Kind::SExt => context.sign_extend(a, width - from),
            _ => return Err(Reason::Unsupported),
        };
        Ok(self.of_bits(width, result))
    }

    fn read(
        &mut self,
        exprs: &Expressions,
        mut array: ExprId,
        index: ExprId,
    ) -> Result<Term, Reason> {
        let mut updates = Vec::new();
        while exprs.kind(array) == Kind::Update {
            let operands = exprs.operands(array);
            updates.push((operands[1], operands[2]));
            array = operands[0];
        }
        let mut byte = self.read_start(exprs, exprs.array_of(array), index)?;
        let index = self.term(index);
        while let Some((at, value)) = updates.pop() {
            let (at, value) = (self.term(at), self.term(value));
            let here = self.context.equal(at, index);
            byte = self.context.choose(here, value, byte);
        }
        Ok(byte)
    }

    fn read_start(
        &mut self,
        exprs: &Expressions,
        array: ArrayId,
        index: ExprId,
    ) -> Result<Term, Reason> {
        let size = exprs.array(array).size() as usize;
        if let Some(at) = exprs.constant_u64(index) {
            return Ok(match usize::try_from(at) {
                Ok(at) if at < size => self.byte(exprs, array, at),
                _ => self.context.number(8, &[0]),
            });
        }
        // An index extended with zeros cannot mean more than its own width says.
        let mut narrow = index;
        while exprs.kind(narrow) == Kind::ZExt {
            narrow = exprs.operand(narrow, 0);
        }
        let used = exprs.width(narrow);
        let reach = 1usize.checked_shl(used).unwrap_or(usize::MAX).min(size);
        if reach > ARRAY_LIMIT {
            return Err(Reason::TooLarge);
        }
        if reach == 0 {
            return Ok(self.context.number(8, &[0]));
        }
        let narrow = self.bits(exprs, narrow);
        let one = self.context.number(1, &[1]);
        let mut layer: Vec<Term> = (0..reach).map(|at| self.byte(exprs, array, at)).collect();
        let mut bit = 0;
        while layer.len() > 1 {
            let selected = self.context.extract(narrow, bit, 1);
            let condition = self.context.equal(selected, one);
            let pairs = layer.chunks(2);
            layer = pairs
                .map(|pair| match *pair {
                    [low, high] if low != high => self.context.choose(condition, high, low),
                    _ => pair[0],
                })
                .collect();
            bit += 1;
        }
        if 1u64.checked_shl(used) == Some(reach as u64) {
            return Ok(layer[0]);
        }
        let limit = self.context.number(used, &[reach as u64]);
        let zero = self.context.number(8, &[0]);
        let inside = self.context.bv_ult(narrow, limit);
        Ok(self.context.choose(inside, layer[0], zero))
    }

    fn byte(&mut self, exprs: &Expressions, array: ArrayId, at: usize) -> Term {
        if let Array::Table(bytes) = exprs.array(array) {
            return self.context.number(8, &[u64::from(bytes[at])]);
        }
        let number = self.bytes.len() as u32;
        let context = &mut self.context;
        let entry = self.bytes.entry((array, at as u32));
        *entry.or_insert_with(|| context.unknown_byte(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_terms_are_made_and_freed() {
        const DEPTH: usize = 100_000;
        let mut exprs = Expressions::new();
        let input = exprs.input("in", 1000);
        let mut value = exprs.byte(input, 0);
        for offset in 0..DEPTH as u32 / 2 {
            let byte = exprs.byte(input, offset % 997);
            let product = exprs.mul(value, byte);
            value = exprs.xor(product, byte);
        }
        let zero = exprs.constant(8, 0);
        let goal = exprs.eq(value, zero);
        let mut translator = Translator::new(Context::new(None).unwrap());
        translator.condition(&exprs, goal).unwrap();
        assert!(translator.context.len() > DEPTH);
        // In linear time: layer by layer it would take hours.
        drop(translator);
    }
}
