//! From an expression asked for to the one that is stored.

use crate::bits::Bits;
use crate::fold::{self, Shape};
use crate::id::ExprId;
use crate::kind::Kind;
use crate::node::{Flags, Node};
use crate::rules::{self, Rule};
use crate::table::Expressions;

/// An expression about to be built. Operands that are not there repeat the first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Term {
    pub kind: Kind,
    pub width: u32,
    pub extra: u32,
    pub operands: [ExprId; 3],
}

impl Term {
    pub fn operands(&self) -> &[ExprId] {
        &self.operands[..self.kind.arity()]
    }

    pub fn a(&self) -> ExprId {
        self.operands[0]
    }

    pub fn b(&self) -> ExprId {
        self.operands[1]
    }

    pub fn c(&self) -> ExprId {
        self.operands[2]
    }
}

/// Rules stop inside rules at this depth. What is built then is right but not simplified; it bounds
/// the stack on expressions that are deep in just the wrong way.
const NESTING_LIMIT: u32 = 100;

impl Expressions {
    /// Finds or adds an expression after simplifying it.
    pub(crate) fn make(
        &mut self,
        kind: Kind,
        width: u32,
        extra: u32,
        operands: [ExprId; 3],
    ) -> ExprId {
        let mut term = Term { kind, width, extra, operands };
        if !self.rewriting {
            return self.intern_term(&term);
        }
        if let Some(value) = self.fold(&term) {
            self.hits.count(Rule::FoldConstants);
            return value;
        }
        if kind.info().commutative {
            self.order(&mut term);
        }
        // What is in the table was found to be simple when it was put there.
        let record = Self::record(&term);
        if let Ok(found) = self.nodes.find(&record) {
            return found;
        }
        if let Some(result) = self.rewrites.get(&record) {
            return result;
        }
        if self.nesting < NESTING_LIMIT {
            self.nesting += 1;
            let result = rules::apply(self, &term);
            self.nesting -= 1;
            if let Some(result) = result {
                debug_assert_eq!(self.width(result), width, "result of a rule for {kind:?}");
                self.rewrites.set(record, result);
                return result;
            }
        }
        self.intern_term(&term)
    }

    /// Of operands that may be exchanged, a constant goes right, else the older one left.
    fn order(&self, term: &mut Term) {
        let (a, b) = (term.a(), term.b());
        let key = |e: ExprId| (self.is_constant(e), e);
        if key(b) < key(a) {
            term.operands[0] = b;
            term.operands[1] = a;
        }
    }

    fn args(term: &Term) -> [u32; 3] {
        let mut args = [0; 3];
        for (arg, operand) in args.iter_mut().zip(term.operands()) {
            *arg = operand.raw();
        }
        if term.kind.arity() == 1 {
            args[1] = term.extra;
        }
        args
    }

    fn record(term: &Term) -> Node {
        Node {
            kind: term.kind,
            flags: Flags::NONE,
            depth: 0,
            width: term.width,
            args: Self::args(term),
        }
    }

    fn intern_term(&mut self, term: &Term) -> ExprId {
        self.intern(term.kind, term.width, Self::args(term))
    }

    /// The value, when all operands are constants.
    fn fold(&mut self, term: &Term) -> Option<ExprId> {
        if !term.operands().iter().all(|&operand| self.is_constant(operand)) {
            return None;
        }
        let from = self.width(term.a());
        let shape = Shape { kind: term.kind, width: term.width, from, extra: term.extra };
        let value = |index: usize| self.constant_u64(term.operands[index]);
        if term.width <= 64
            && let (Some(a), Some(b), Some(c)) = (value(0), value(1), value(2))
        {
            return Some(self.constant(term.width, fold::narrow(shape, a, b, c)));
        }
        let operands: Vec<Bits> =
            term.operands().iter().filter_map(|&operand| self.constant_bits(operand)).collect();
        Some(self.constant_of(&fold::wide(shape, &operands)))
    }
}
