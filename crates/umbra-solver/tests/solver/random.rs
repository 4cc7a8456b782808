//! Random numbers and random expressions.

use fastrand::Rng;
use umbra_expr::{ArrayId, ExprId, Expressions, Kind};

/// Numbers that are the same for the same seed.
pub struct Random(Rng);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(Rng::with_seed(seed))
    }

    pub fn next(&mut self) -> u64 {
        self.0.u64(..)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.0.usize(..limit)
    }

    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

/// Random expressions that depend on the low four bits of each byte of an input.
pub struct Terms {
    pub input: ArrayId,
    pub bytes: u32,
    table: ArrayId,
}

const OPERATIONS: &[Kind] = &[
    Kind::Add,
    Kind::Sub,
    Kind::Mul,
    Kind::And,
    Kind::Or,
    Kind::Xor,
    Kind::Shl,
    Kind::LShr,
    Kind::AShr,
    Kind::UDiv,
    Kind::URem,
    Kind::SDiv,
    Kind::SRem,
];

impl Terms {
    pub fn new(exprs: &mut Expressions, bytes: u32) -> Self {
        let table: Vec<u8> = (0..=40u8).map(|at| at.wrapping_mul(37) ^ 0x5a).collect();
        Self { input: exprs.input("in", bytes), bytes, table: exprs.table(&table) }
    }

    fn resized(
        &self,
        exprs: &mut Expressions,
        random: &mut Random,
        e: ExprId,
        width: u32,
    ) -> ExprId {
        match exprs.width(e).cmp(&width) {
            std::cmp::Ordering::Equal => e,
            std::cmp::Ordering::Greater => {
                let low = random.below((exprs.width(e) - width + 1) as usize) as u32;
                exprs.extract(e, low, width)
            }
            std::cmp::Ordering::Less if random.below(2) == 0 => exprs.sext(e, width),
            std::cmp::Ordering::Less => exprs.zext(e, width),
        }
    }

    fn leaf(&self, exprs: &mut Expressions, random: &mut Random, width: u32) -> ExprId {
        if random.below(4) == 0 {
            let value = if random.below(2) == 0 { random.next() } else { random.next() & 7 };
            return exprs.wide_constant(width, &[value, random.next()]);
        }
        let offset = random.below(self.bytes as usize) as u32;
        let byte = exprs.byte(self.input, offset);
        let nibble = exprs.extract(byte, 0, 4);
        self.resized(exprs, random, nibble, width)
    }

    /// A bit-vector of the width.
    pub fn word(
        &self,
        exprs: &mut Expressions,
        random: &mut Random,
        width: u32,
        depth: u32,
    ) -> ExprId {
        if depth == 0 {
            return self.leaf(exprs, random, width);
        }
        let below = depth - 1;
        match random.below(10) {
            0 => {
                let condition = self.condition(exprs, random, below);
                let a = self.word(exprs, random, width, below);
                let b = self.word(exprs, random, width, below);
                exprs.ite(condition, a, b)
            }
            1 => {
                let other = random.pick(&[1, 3, 8, 16, 33, 65]);
                let inner = self.word(exprs, random, other, below);
                self.resized(exprs, random, inner, width)
            }
            2 if width > 1 => {
                let split = 1 + random.below(width as usize - 1) as u32;
                let high = self.word(exprs, random, width - split, below);
                let low = self.word(exprs, random, split, below);
                exprs.concat(high, low)
            }
            3 => {
                let read = self.read(exprs, random, below);
                self.resized(exprs, random, read, width)
            }
            4 => {
                let inner = self.word(exprs, random, width, below);
                if random.below(2) == 0 { exprs.not(inner) } else { exprs.neg(inner) }
            }
            _ => {
                let kind = random.pick(OPERATIONS);
                let a = self.word(exprs, random, width, below);
                let b = self.word(exprs, random, width, below);
                exprs.build(kind, width, 0, &[a, b])
            }
        }
    }

    /// A read of the table or of the input at an unknown index, perhaps after updates.
    fn read(&self, exprs: &mut Expressions, random: &mut Random, depth: u32) -> ExprId {
        let array = if random.below(2) == 0 { self.table } else { self.input };
        let mut array = exprs.array_start(array);
        for _ in 0..random.below(3) {
            let at = self.word(exprs, random, 6, depth.min(1));
            let at = exprs.zext(at, 64);
            let value = self.word(exprs, random, 8, depth.min(1));
            array = exprs.update(array, at, value);
        }
        let index = self.word(exprs, random, 6, depth.min(2));
        let index = exprs.zext(index, 64);
        let read = exprs.read(array, index);
        // Of an input only the low bits are enumerated.
        let mask = exprs.constant(8, if random.below(2) == 0 { 15 } else { 3 });
        exprs.and(read, mask)
    }

    /// A condition.
    pub fn condition(&self, exprs: &mut Expressions, random: &mut Random, depth: u32) -> ExprId {
        let width = random.pick(&[1, 3, 4, 5, 8, 8, 13, 16, 32, 65]);
        let below = depth.saturating_sub(1);
        if depth > 1 && random.below(4) == 0 {
            let a = self.condition(exprs, random, below);
            let b = self.condition(exprs, random, below);
            return exprs.build(random.pick(&[Kind::And, Kind::Or, Kind::Xor]), 1, 0, &[a, b]);
        }
        let a = self.word(exprs, random, width, below);
        let b = self.word(exprs, random, width, below);
        let kind = random.pick(&[Kind::Eq, Kind::Eq, Kind::Ult, Kind::Ule, Kind::Slt, Kind::Sle]);
        let condition = exprs.build(kind, 1, 0, &[a, b]);
        if random.below(3) == 0 { exprs.not(condition) } else { condition }
    }
}
