//! The value of an expression under an assignment.
//!
//! The evaluator keeps its buffers between runs; a run remembers every value it computed, so
//! evaluating the constraints of a path one after the other costs each shared part once. Values of
//! at most 64 bits are words, wider ones are kept aside. Nothing recurses.

use umbra_words::Version;

use crate::assignment::Assignment;
use crate::bits::Bits;
use crate::fold;
use crate::id::ExprId;
use crate::kind::Kind;
use crate::table::{Array, Expressions};

/// Reusable buffers for evaluation.
#[derive(Clone, Debug, Default)]
pub struct Evaluator {
    /// In which run the value was computed, by expression.
    stamps: Vec<u32>,
    /// The value, or where the wide one is, by expression.
    values: Vec<u64>,
    wide: Vec<Bits>,
    stack: Vec<ExprId>,
    run: u32,
    computed: usize,
    side: Option<Version>,
}

/// Evaluation under one assignment; remembers what it computed.
pub struct Run<'a> {
    evaluator: &'a mut Evaluator,
    exprs: &'a Expressions,
    assignment: &'a Assignment,
    side: Version,
}

impl Evaluator {
    /// Empty buffers.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many values the last run computed.
    pub fn computed(&self) -> usize {
        self.computed
    }

    /// Starts evaluation under an assignment; of shadow pairs the new side counts.
    pub fn run<'a>(&'a mut self, exprs: &'a Expressions, assignment: &'a Assignment) -> Run<'a> {
        self.run_side(exprs, assignment, Version::New)
    }

    /// Starts evaluation under an assignment for one version.
    pub fn run_side<'a>(
        &'a mut self,
        exprs: &'a Expressions,
        assignment: &'a Assignment,
        side: Version,
    ) -> Run<'a> {
        self.run = self.run.wrapping_add(1);
        if self.run == 0 {
            self.stamps.fill(0);
            self.run = 1;
        }
        self.wide.clear();
        self.computed = 0;
        self.side = Some(side);
        self.resume(exprs, assignment)
    }

    /// Goes on with the last run, with the values it has computed.
    ///
    /// The table must be the same, perhaps with more expressions, and the assignment must give the
    /// same values: a state that builds and evaluates by turns under its model.
    pub fn resume<'a>(&'a mut self, exprs: &'a Expressions, assignment: &'a Assignment) -> Run<'a> {
        let Some(side) = self.side else { return self.run(exprs, assignment) };
        if self.stamps.len() <= exprs.len() {
            self.stamps.resize(exprs.len() + 1, 0);
            self.values.resize(exprs.len() + 1, 0);
        }
        Run { evaluator: self, exprs, assignment, side }
    }
}

impl Run<'_> {
    /// The value of an expression of any width.
    pub fn value(&mut self, e: ExprId) -> Bits {
        self.compute(e);
        self.bits(e)
    }

    /// The value of an expression of at most 64 bits.
    pub fn value_u64(&mut self, e: ExprId) -> u64 {
        debug_assert!(self.exprs.width(e) <= 64);
        self.compute(e);
        self.evaluator.values[e.index()]
    }

    /// Whether an expression of one bit is one.
    pub fn is_true(&mut self, e: ExprId) -> bool {
        self.value_u64(e) == 1
    }

    #[inline]
    fn known(&self, e: ExprId) -> bool {
        self.evaluator.stamps[e.index()] == self.evaluator.run
    }

    #[inline]
    fn word(&self, e: ExprId) -> u64 {
        self.evaluator.values[e.index()]
    }

    fn bits(&self, e: ExprId) -> Bits {
        let width = self.exprs.width(e);
        if width > 64 {
            return self.evaluator.wide[self.word(e) as usize].clone();
        }
        Bits::new(width, &[self.word(e)])
    }

    #[inline]
    fn set(&mut self, e: ExprId, value: u64) {
        self.evaluator.computed += 1;
        self.evaluator.stamps[e.index()] = self.evaluator.run;
        self.evaluator.values[e.index()] = value;
    }

    fn set_bits(&mut self, e: ExprId, value: Bits) {
        if value.width() <= 64 {
            return self.set(e, value.low_u64());
        }
        self.set(e, self.evaluator.wide.len() as u64);
        self.evaluator.wide.push(value);
    }

    fn compute(&mut self, root: ExprId) {
        if self.known(root) {
            return;
        }
        let mut stack = std::mem::take(&mut self.evaluator.stack);
        stack.push(root);
        while let Some(&e) = stack.last() {
            if self.known(e) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            self.push_needed(e, &mut stack);
            if stack.len() > before {
                continue;
            }
            stack.pop();
            self.step(e);
        }
        self.evaluator.stack = stack;
    }

    /// Computes a constant or an input byte, of which most expressions are made in the end: its
    /// operands need not be looked at one by one. Says whether it was one.
    #[inline]
    fn compute_leaf(&mut self, e: ExprId) -> bool {
        let value = match self.exprs.kind(e) {
            Kind::Constant => self.exprs.constant_u64(e),
            Kind::Read => self
                .exprs
                .as_symbol(e)
                .map(|(array, offset)| u64::from(self.assignment.get(array, offset))),
            _ => None,
        };
        let Some(value) = value else { return false };
        self.set(e, value);
        true
    }

    /// Pushes the operands without which the expression cannot be computed yet.
    #[inline]
    fn push_needed(&mut self, e: ExprId, stack: &mut Vec<ExprId>) {
        let operands = self.exprs.operands(e);
        match self.exprs.kind(e) {
            Kind::Ite => {
                let condition = operands[0];
                if !self.known(condition) {
                    return stack.push(condition);
                }
                let branch = operands[if self.word(condition) == 1 { 1 } else { 2 }];
                if !self.known(branch) {
                    stack.push(branch);
                }
            }
            Kind::Pair => {
                let chosen = operands[self.side as usize];
                if !self.known(chosen) {
                    stack.push(chosen);
                }
            }
            _ => {
                for &operand in operands.iter() {
                    if !self.known(operand) && !self.compute_leaf(operand) {
                        stack.push(operand);
                    }
                }
            }
        }
    }

    /// Computes an expression whose operands are known.
    #[inline]
    fn step(&mut self, e: ExprId) {
        let shape = self.exprs.shape(e);
        let operands = self.exprs.operands(e);
        match shape.kind {
            Kind::Constant => match self.exprs.constant_u64(e) {
                Some(value) => self.set(e, value),
                None => {
                    let value = self.exprs.constant_bits(e).expect("a constant has a value");
                    self.set_bits(e, value);
                }
            },
            Kind::Array | Kind::Update => self.set(e, 0),
            Kind::Read => {
                let value = self.read(operands[0], self.word(operands[1]));
                self.set(e, u64::from(value));
            }
            Kind::Ite => {
                let branch = operands[if self.word(operands[0]) == 1 { 1 } else { 2 }];
                self.set(e, self.word(branch));
            }
            Kind::Pair => self.set(e, self.word(operands[self.side as usize])),
            _ => {
                let narrow = shape.width <= 64
                    && operands.iter().all(|&operand| self.exprs.width(operand) <= 64);
                if narrow {
                    let word = |index: usize| operands.get(index).map_or(0, |&o| self.word(o));
                    let value = fold::narrow(shape, word(0), word(1), word(2));
                    self.set(e, value);
                } else {
                    let values: smallvec::SmallVec<[Bits; 3]> =
                        operands.iter().map(|&operand| self.bits(operand)).collect();
                    self.set_bits(e, fold::wide(shape, &values));
                }
            }
        }
    }

    /// The byte of an array whose updates are known, newest first.
    fn read(&self, mut array: ExprId, index: u64) -> u8 {
        while self.exprs.kind(array) == Kind::Update {
            let operands = self.exprs.operands(array);
            if self.word(operands[1]) == index {
                return self.word(operands[2]) as u8;
            }
            array = operands[0];
        }
        let array = self.exprs.array_of(array);
        match self.exprs.array(array) {
            Array::Input { size, .. } if index < u64::from(*size) => {
                self.assignment.get(array, index as u32)
            }
            Array::Table(bytes) if index < bytes.len() as u64 => bytes[index as usize],
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_expressions_do_not_need_the_stack() {
        let mut exprs = Expressions::new();
        let input = exprs.input("in", 2);
        let (x, y) = (exprs.byte(input, 0), exprs.byte(input, 1));
        let mut e = x;
        for _ in 0..500_000 {
            let product = exprs.mul(e, y);
            e = exprs.or(product, x);
        }
        let mut assignment = Assignment::new();
        assignment.set_bytes(input, &[3, 1]);
        assert_eq!(Evaluator::new().run(&exprs, &assignment).value_u64(e), 3);
    }

    #[test]
    fn reads_see_the_newest_update() {
        let mut exprs = Expressions::without_rules();
        let input = exprs.input("in", 4);
        let byte = exprs.byte(input, 0);
        let index = exprs.zext(byte, 64);
        let (one, two) = (exprs.constant(8, 1), exprs.constant(8, 2));
        let start = exprs.array_start(input);
        let third = exprs.constant(64, 3);
        let array = exprs.update(start, third, one);
        let array = exprs.update(array, index, two);
        let read = exprs.read(array, third);
        let mut assignment = Assignment::new();
        let mut evaluator = Evaluator::new();
        assert_eq!(evaluator.run(&exprs, &assignment).value_u64(read), 1);
        assignment.set(input, 0, 3);
        assert_eq!(evaluator.run(&exprs, &assignment).value_u64(read), 2);
    }

    #[test]
    fn a_run_goes_on_after_building_more() {
        let mut exprs = Expressions::new();
        let input = exprs.input("in", 2);
        let (x, y) = (exprs.byte(input, 0), exprs.byte(input, 1));
        let mut assignment = Assignment::new();
        assignment.set_bytes(input, &[6, 7]);
        let mut evaluator = Evaluator::new();
        let product = exprs.mul(x, y);
        assert_eq!(evaluator.resume(&exprs, &assignment).value_u64(product), 42);
        let quotient = exprs.udiv(product, x);
        let before = evaluator.computed();
        assert_eq!(evaluator.resume(&exprs, &assignment).value_u64(quotient), 7);
        assert_eq!(evaluator.computed(), before + 1);
    }

    #[test]
    fn each_side_of_a_pair_has_its_value() {
        let mut exprs = Expressions::new();
        let input = exprs.input("in", 2);
        let (x, y) = (exprs.byte(input, 0), exprs.byte(input, 1));
        let pair = exprs.pair(x, y);
        let sum = exprs.add(pair, x);
        let mut assignment = Assignment::new();
        assignment.set_bytes(input, &[5, 7]);
        let mut evaluator = Evaluator::new();
        let old = evaluator.run_side(&exprs, &assignment, Version::Old).value_u64(sum);
        let new = evaluator.run_side(&exprs, &assignment, Version::New).value_u64(sum);
        assert_eq!((old, new), (10, 12));
    }
}
