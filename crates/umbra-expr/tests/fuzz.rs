//! Random expressions built with and without rules have the same values.

use umbra_expr::smt::{self, Script};
use umbra_expr::{ArrayId, Assignment, Bits, Evaluator, ExprId, Expressions, FloatKind, Kind};
use umbra_words::Version;

use crate::random::Random;

const BINARY: &[Kind] = &[
    Kind::And,
    Kind::Or,
    Kind::Xor,
    Kind::Add,
    Kind::Add,
    Kind::Sub,
    Kind::Mul,
    Kind::UDiv,
    Kind::SDiv,
    Kind::URem,
    Kind::SRem,
    Kind::Shl,
    Kind::LShr,
    Kind::AShr,
    Kind::Eq,
    Kind::Ult,
    Kind::Ule,
    Kind::Slt,
    Kind::Sle,
];

const FLOAT_BINARY: &[Kind] = &[
    Kind::FAdd,
    Kind::FSub,
    Kind::FMul,
    Kind::FDiv,
    Kind::FMin,
    Kind::FMax,
    Kind::FEq,
    Kind::FLt,
    Kind::FLe,
];

const FLOAT_UNARY: &[Kind] =
    &[Kind::FSqrt, Kind::FRoundEven, Kind::FFloor, Kind::FCeil, Kind::FTrunc, Kind::FRoundAway];

const FLOATS: &[FloatKind] =
    &[FloatKind::Half, FloatKind::Single, FloatKind::Double, FloatKind::X87];

const WIDTHS: &[u32] = &[1, 1, 2, 3, 4, 7, 8, 8, 16, 32, 32, 33, 64, 65, 80, 128, 150];

/// The same expressions in a table with rules and in one without.
struct Twins {
    simple: Expressions,
    plain: Expressions,
    /// Pairs of equal meaning.
    pool: Vec<(ExprId, ExprId)>,
    arrays: Vec<(ExprId, ExprId)>,
    input: ArrayId,
    random: Random,
    /// Whether to make shadow pairs too.
    pairs: bool,
}

impl Twins {
    fn new(seed: u64) -> Self {
        let (mut simple, mut plain) = (Expressions::new(), Expressions::without_rules());
        let input = simple.input("in", 4);
        assert_eq!(plain.input("in", 4), input);
        let table: Vec<u8> = (0..16).map(|value| value * 17 % 64).collect();
        let tables = (simple.table(&table), plain.table(&table));
        let mut pool = Vec::new();
        for offset in 0..4 {
            pool.push((simple.byte(input, offset), plain.byte(input, offset)));
        }
        let arrays = vec![
            (simple.array_start(input), plain.array_start(input)),
            (simple.array_start(tables.0), plain.array_start(tables.1)),
        ];
        Self { simple, plain, pool, arrays, input, random: Random::new(seed), pairs: false }
    }

    fn both(
        &mut self,
        make: impl Fn(&mut Expressions, &[ExprId]) -> ExprId,
        of: &[(ExprId, ExprId)],
    ) -> (ExprId, ExprId) {
        let (a, b): (Vec<_>, Vec<_>) = of.iter().copied().unzip();
        (make(&mut self.simple, &a), make(&mut self.plain, &b))
    }

    fn constant(&mut self, width: u32) -> (ExprId, ExprId) {
        let random = self.random.next();
        let value = match self.random.below(8) {
            0 => 0,
            1 => 1,
            2 => u64::MAX,
            3 => 1 << (random % u64::from(width.min(64))),
            4 => random % 16,
            5 => 0xff << (random % 16),
            6 => u64::MAX << (random % 64),
            _ => random,
        };
        let high = if self.random.below(2) == 0 { 0 } else { u64::MAX };
        let words = [value, high, high];
        self.both(|x, _| x.wide_constant(width, &words), &[])
    }

    fn any(&mut self) -> (ExprId, ExprId) {
        // Recent ones more often, so that expressions get deep.
        let len = self.pool.len();
        let place = if self.random.below(2) == 0 {
            self.random.below(len)
        } else {
            len - 1 - self.random.below(len.min(8))
        };
        self.pool[place]
    }

    /// An expression of this width, brought to it if need be.
    fn of_width(&mut self, width: u32) -> (ExprId, ExprId) {
        if self.random.below(4) == 0 {
            return self.constant(width);
        }
        let mut e = self.any();
        for _ in 0..4 {
            if self.plain.width(e.1) == width {
                return e;
            }
            e = self.any();
        }
        let from = self.plain.width(e.1);
        if from > width {
            let low = self.random.below((from - width) as usize + 1) as u32;
            return self.both(|x, e| x.extract(e[0], low, width), &[e]);
        }
        if from == width {
            return e;
        }
        match self.random.below(3) {
            0 => self.both(|x, e| x.zext(e[0], width), &[e]),
            1 => self.both(|x, e| x.sext(e[0], width), &[e]),
            _ => {
                let rest = self.constant(width - from);
                self.both(|x, e| x.concat(e[0], e[1]), &[e, rest])
            }
        }
    }

    fn step(&mut self) {
        let width = self.random.pick(WIDTHS);
        if self.pairs && self.random.below(6) == 0 {
            let (old, new) = (self.of_width(width), self.of_width(width));
            let made = self.both(|x, e| x.pair(e[0], e[1]), &[old, new]);
            self.pool.push(made);
            return;
        }
        let made = match self.random.below(16) {
            0 => {
                let a = self.of_width(width);
                let kind = self.random.pick(&[Kind::Not, Kind::Neg]);
                self.both(|x, e| x.build(kind, width, 0, e), &[a])
            }
            1 | 2 => {
                let condition = self.of_width(1);
                let (a, b) = (self.of_width(width), self.of_width(width));
                self.both(|x, e| x.ite(e[0], e[1], e[2]), &[condition, a, b])
            }
            3 => {
                let (a, b) = (self.any(), self.any());
                if self.plain.width(a.1) + self.plain.width(b.1) > 200 {
                    return;
                }
                self.both(|x, e| x.concat(e[0], e[1]), &[a, b])
            }
            4 => {
                let array = self.random.below(self.arrays.len());
                let (array, index) = (self.arrays[array], self.of_width(64));
                self.both(|x, e| x.read(e[0], e[1]), &[array, index])
            }
            5 => {
                let array = self.random.below(self.arrays.len());
                let (array, index, value) =
                    (self.arrays[array], self.of_width(64), self.of_width(8));
                let updated = self.both(|x, e| x.update(e[0], e[1], e[2]), &[array, index, value]);
                self.arrays.push(updated);
                return;
            }
            6 => self.float(),
            7 => self.of_width(width),
            _ => {
                let kind = self.random.pick(BINARY);
                let (a, b) = (self.of_width(width), self.of_width(width));
                let width = if kind.is_predicate() { 1 } else { width };
                self.both(|x, e| x.build(kind, width, 0, e), &[a, b])
            }
        };
        self.pool.push(made);
    }

    fn float(&mut self) -> (ExprId, ExprId) {
        let kind = self.random.pick(FLOATS);
        let width = kind.bits();
        match self.random.below(6) {
            0 => {
                let a = self.of_width(width);
                let op = self.random.pick(FLOAT_UNARY);
                self.both(|x, e| x.build(op, width, 0, e), &[a])
            }
            1 => {
                let integer = self.random.pick(&[1, 8, 16, 32, 64, 128]);
                let a = self.of_width(integer);
                let signed = self.random.below(2) == 0;
                self.both(
                    |x, e| {
                        if signed {
                            x.signed_to_float(e[0], kind)
                        } else {
                            x.unsigned_to_float(e[0], kind)
                        }
                    },
                    &[a],
                )
            }
            2 => {
                let integer = self.random.pick(&[1, 8, 16, 32, 64, 128]);
                let a = self.of_width(width);
                let op = self.random.pick(&[Kind::FToS, Kind::FToU]);
                self.both(|x, e| x.build(op, integer, 0, e), &[a])
            }
            3 => {
                let a = self.of_width(width);
                let classes = self.random.below(1024) as u32;
                self.both(|x, e| x.fis_class(e[0], classes), &[a])
            }
            4 => {
                let (a, to) = (self.of_width(width), self.random.pick(FLOATS));
                self.both(|x, e| x.float_to_float(e[0], to), &[a])
            }
            _ => {
                let op = self.random.pick(FLOAT_BINARY);
                let (a, b) = (self.of_width(width), self.of_width(width));
                let width = if op.is_predicate() { 1 } else { width };
                self.both(|x, e| x.build(op, width, 0, e), &[a, b])
            }
        }
    }

    fn check(&mut self, evaluators: &mut (Evaluator, Evaluator), seed: u64) {
        for round in 0..6 {
            let mut assignment = Assignment::new();
            for offset in 0..4 {
                let random = self.random.next() as u8;
                let value = match round {
                    0 => 0,
                    1 => 255,
                    2 => self.random.pick(&[0, 1, 3, 127, 128, 255]),
                    _ => random,
                };
                assignment.set(self.input, offset, value);
            }
            let mut simple = evaluators.0.run(&self.simple, &assignment);
            let mut plain = evaluators.1.run(&self.plain, &assignment);
            for &(a, b) in &self.pool {
                let (a_value, b_value) = (simple.value(a), plain.value(b));
                assert_eq!(
                    a_value,
                    b_value,
                    "seed {seed}: {} is not {} under {assignment:?}",
                    tree(&self.simple, a, 8),
                    tree(&self.plain, b, 8)
                );
            }
        }
    }
}

impl Twins {
    /// What is printed is read back to the same expressions.
    fn check_text(&mut self, seed: u64) {
        let values: Vec<ExprId> = self.pool.iter().map(|pair| pair.0).collect();
        let script = Script { assertions: Vec::new(), values };
        let text = smt::print(&self.simple, &script);
        let read = smt::parse(&mut self.simple, &text);
        let read = read.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        for (&before, &after) in script.values.iter().zip(&read.values) {
            let (before, after) = (tree(&self.simple, before, 8), tree(&self.simple, after, 8));
            assert_eq!(before, after, "seed {seed}");
        }
        assert_eq!(script, read, "seed {seed}");
    }
}

/// The expression as text, some operations deep.
fn tree(x: &Expressions, e: ExprId, depth: u32) -> String {
    if let Some(value) = x.constant_bits(e) {
        return value.to_string();
    }
    if let Some((array, offset)) = x.as_symbol(e) {
        return format!("{array}[{offset}]");
    }
    if depth == 0 {
        return e.to_string();
    }
    let operands: Vec<String> = x.operands(e).iter().map(|&o| tree(x, o, depth - 1)).collect();
    let low = if x.kind(e) == Kind::Extract { x.extract_low(e) } else { 0 };
    format!("({}:{}@{low} {})", x.kind(e).info().name, x.width(e), operands.join(" "))
}

/// Rounds of this many expressions each; more with `UMBRA_FUZZ_ROUNDS`.
#[test]
fn rules_keep_the_value() {
    let rounds = std::env::var("UMBRA_FUZZ_ROUNDS").ok().and_then(|text| text.parse().ok());
    let mut evaluators = (Evaluator::new(), Evaluator::new());
    for seed in 0..rounds.unwrap_or(400) {
        let mut twins = Twins::new(seed);
        for _ in 0..60 {
            twins.step();
        }
        twins.check(&mut evaluators, seed);
        twins.check_text(seed);
    }
}

/// A projection has the value that its side has, and no pairs.
#[test]
fn pairs_project_to_their_sides() {
    let mut evaluators = (Evaluator::new(), Evaluator::new());
    for seed in 0..300 {
        let mut twins = Twins::new(2_000_000 + seed);
        twins.pairs = true;
        for _ in 0..60 {
            twins.step();
        }
        let mut assignment = Assignment::new();
        for offset in 0..4 {
            assignment.set(twins.input, offset, twins.random.next() as u8);
        }
        for side in [Version::Old, Version::New] {
            for (e, plain) in twins.pool.clone() {
                let projected = twins.simple.project(e, side);
                assert!(!twins.simple.contains_pair(projected));
                let mut run = evaluators.0.run_side(&twins.simple, &assignment, side);
                let values = (run.value(e), run.value(projected));
                let expected = evaluators.1.run_side(&twins.plain, &assignment, side).value(plain);
                assert_eq!(values, (expected.clone(), expected), "seed {seed} {side:?}");
            }
        }
    }
}

/// The solver computes what the evaluator does, on what the printer says.
#[test]
fn z3_agrees_with_the_evaluator() {
    let mut script = String::new();
    let mut places = Vec::new();
    let mut evaluator = Evaluator::new();
    for seed in 0..60 {
        let mut twins = Twins::new(1_000_000 + seed);
        for _ in 0..40 {
            twins.step();
        }
        let mut assignment = Assignment::new();
        let mut assertions = Vec::new();
        for offset in 0..4 {
            let value = twins.random.next() as u8;
            assignment.set(twins.input, offset, value);
            let (byte, value) = {
                let x = &mut twins.plain;
                (x.byte(twins.input, offset), x.constant(8, u64::from(value)))
            };
            assertions.push(twins.plain.eq(byte, value));
        }
        let roots: Vec<ExprId> = twins.pool.iter().map(|pair| pair.1).collect();
        let roots: Vec<ExprId> = roots
            .into_iter()
            .filter(|&e| !leaves_open(&twins.plain, &mut evaluator, &assignment, e))
            .collect();
        let mut different = Vec::new();
        for e in roots {
            let value = evaluator.run(&twins.plain, &assignment).value(e);
            let value = twins.plain.constant_of(&value);
            different.push(twins.plain.ne(e, value));
        }
        let Some(&first) = different.first() else { continue };
        let any = different[1..].iter().fold(first, |any, &e| twins.plain.or(any, e));
        assertions.push(any);
        script += &smt::print(&twins.plain, &Script { assertions, values: Vec::new() });
        script += "(reset)\n";
        places.push(seed);
    }
    let Some(answers) = crate::z3::answers(&script) else { return };
    assert_eq!(answers.len(), places.len(), "{answers:?}");
    for (seed, answer) in places.iter().zip(&answers) {
        assert_eq!(answer, "unsat", "seed {seed}");
    }
}

/// Whether there is a float operation in it whose bits SMT-LIB does not say: one that yields a NaN,
/// a remainder, or one on x87 numbers, not all of which are numbers there.
fn leaves_open(
    x: &Expressions,
    evaluator: &mut Evaluator,
    assignment: &Assignment,
    root: ExprId,
) -> bool {
    let mut run = evaluator.run(x, assignment);
    let mut stack = vec![root];
    let mut seen = std::collections::HashSet::new();
    while let Some(e) = stack.pop() {
        let kind = x.kind(e);
        let operands = x.operands(e);
        if kind.is_float() {
            let x87 = x.width(e) == 80 || operands.iter().any(|&operand| x.width(operand) == 80);
            let is_float = !kind.is_predicate() && !matches!(kind, Kind::FToS | Kind::FToU);
            if kind == Kind::FRem || x87 || is_float && is_nan(&run.value(e)) {
                return true;
            }
        }
        stack.extend(operands.iter().copied().filter(|&operand| seen.insert(operand)));
    }
    false
}

fn is_nan(value: &Bits) -> bool {
    let kind = FloatKind::of_width(value.width()).expect("the width of a float");
    let fraction = kind.precision() - 1;
    let exponent = value.extract(fraction, kind.exponent_bits());
    exponent == Bits::ones(exponent.width()) && !value.extract(0, fraction).is_zero()
}
