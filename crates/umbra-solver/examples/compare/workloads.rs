//! Queries like those of a symbolic execution, generated.

use std::path::{Path, PathBuf};

use anyhow::Context;
use fastrand::Rng;
use umbra_expr::{ArrayId, Assignment, Evaluator, ExprId, Expressions, Kind};

use umbra_solver::RecordedQuery;

use super::{Recorded, Workload};

struct Random(Rng);

impl Random {
    fn new(seed: u64) -> Self {
        Self(Rng::with_seed(seed))
    }

    fn next(&mut self) -> u64 {
        self.0.u64(..)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.0.u64(..limit)
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u64) as usize]
    }
}

/// All generated workloads.
pub fn generated() -> Vec<Workload> {
    vec![
        unrelated(),
        path(),
        tables(),
        states(),
        semiprimes(),
        divisions(),
        remainders(),
        identities(),
    ]
}

fn workload(name: &str) -> Workload {
    Workload { name: name.to_owned(), exprs: Expressions::new(), queries: Vec::new() }
}

/// Bytes `first`, ... of the input as a number, lowest first.
fn number(exprs: &mut Expressions, input: ArrayId, first: u32, bytes: u32) -> ExprId {
    let mut e = exprs.byte(input, first);
    for offset in first + 1..first + bytes {
        let byte = exprs.byte(input, offset);
        e = exprs.concat(byte, e);
    }
    e
}

/// A condition as programs have it, over bytes of the input.
fn condition(exprs: &mut Expressions, random: &mut Random, input: ArrayId, bytes: u32) -> ExprId {
    let at = |random: &mut Random| random.below(u64::from(bytes)) as u32;
    match random.below(6) {
        // A character is this one, or in a range.
        0 => {
            let byte = exprs.byte(input, at(random));
            let value = exprs.constant(8, 32 + random.below(95));
            exprs.eq(byte, value)
        }
        1 => {
            let byte = exprs.byte(input, at(random));
            let low = exprs.constant(8, 32 + random.below(60));
            let distance = exprs.sub(byte, low);
            let width = exprs.constant(8, 1 + random.below(40));
            exprs.ult(distance, width)
        }
        // Two bytes, compared or added as ints.
        2 => {
            let (a, b) = (exprs.byte(input, at(random)), exprs.byte(input, at(random)));
            let (a, b) = (exprs.sext(a, 32), exprs.sext(b, 32));
            let sum = exprs.add(a, b);
            let limit = exprs.constant(32, random.below(400));
            exprs.slt(sum, limit)
        }
        // A digit takes part in a number.
        3 => {
            let zero = exprs.constant(32, 48);
            let ten = exprs.constant(32, 10);
            let mut value = exprs.constant(32, 0);
            let first = at(random);
            for offset in first..(first + 3).min(bytes) {
                let byte = exprs.byte(input, offset);
                let byte = exprs.zext(byte, 32);
                let digit = exprs.sub(byte, zero);
                let scaled = exprs.mul(value, ten);
                value = exprs.add(scaled, digit);
            }
            let limit = exprs.constant(32, random.below(1000));
            if random.below(3) == 0 { exprs.eq(value, limit) } else { exprs.ult(value, limit) }
        }
        // Words of a header: masked, shifted, combined.
        4 => {
            let width = random.pick(&[2, 4]).min(bytes);
            let first = random.below(u64::from(bytes - width + 1)) as u32;
            let word = number(exprs, input, first, width);
            let mask = exprs.constant(8 * width, random.next());
            let masked = exprs.and(word, mask);
            let amount = exprs.constant(8 * width, random.below(8));
            let shifted = exprs.lshr(word, amount);
            let kind = random.pick(&[Kind::Add, Kind::Xor, Kind::Sub, Kind::Or]);
            let mixed = exprs.build(kind, 8 * width, 0, &[masked, shifted]);
            let limit = exprs.constant(8 * width, random.next());
            exprs.ult(mixed, limit)
        }
        // A checksum.
        _ => {
            let mut hash = exprs.constant(32, 5381);
            let shift = exprs.constant(32, 5);
            for _ in 0..3 {
                let byte = exprs.byte(input, at(random));
                let byte = exprs.zext(byte, 32);
                let shifted = exprs.shl(hash, shift);
                let sum = exprs.add(hash, shifted);
                hash = exprs.xor(sum, byte);
            }
            let mask = exprs.constant(32, 63);
            let bucket = exprs.and(hash, mask);
            let wanted = exprs.constant(32, random.below(64));
            exprs.eq(bucket, wanted)
        }
    }
}

/// a: small queries that have nothing to do with each other.
fn unrelated() -> Workload {
    let mut workload = workload("a unrelated");
    let mut random = Random::new(11);
    let input = workload.exprs.input("in", 16);
    for _ in 0..2000 {
        let bytes = 8 + random.below(9) as u32;
        let count = 4 + random.below(8);
        let mut terms: Vec<ExprId> = Vec::new();
        for _ in 0..count {
            let term = condition(&mut workload.exprs, &mut random, input, bytes);
            let flip = random.below(3) == 0;
            terms.push(if flip { workload.exprs.not(term) } else { term });
        }
        let goal = terms.pop().unwrap_or_else(|| workload.exprs.true_());
        workload.queries.push(Recorded { constraints: terms, goal, hint: None, status: None });
    }
    workload
}

/// A state on its path: what it may ask at its next branch.
struct State {
    input: ArrayId,
    bytes: u32,
    assignment: Assignment,
    constraints: Vec<ExprId>,
}

impl State {
    fn new(exprs: &mut Expressions, random: &mut Random, name: &str, bytes: u32) -> Self {
        let input = exprs.input(name, bytes);
        let mut assignment = Assignment::new();
        for offset in 0..bytes {
            assignment.set(input, offset, 32 + random.below(95) as u8);
        }
        Self { input, bytes, assignment, constraints: Vec::new() }
    }

    /// Asks for both sides of a branch and goes where the assignment goes.
    fn step(&mut self, workload: &mut Workload, random: &mut Random) {
        let exprs = &mut workload.exprs;
        let branch = condition(exprs, random, self.input, self.bytes);
        let other = exprs.not(branch);
        for goal in [branch, other] {
            workload.queries.push(Recorded {
                constraints: self.constraints.clone(),
                goal,
                hint: Some(self.assignment.clone()),
                status: None,
            });
        }
        let taken = Evaluator::new().run(exprs, &self.assignment).is_true(branch);
        self.constraints.push(if taken { branch } else { other });
    }
}

/// b: a path of 300 branches over 64 bytes, both sides of each asked.
fn path() -> Workload {
    let mut workload = workload("b path");
    let mut random = Random::new(22);
    let mut state = State::new(&mut workload.exprs, &mut random, "in", 64);
    for _ in 0..300 {
        state.step(&mut workload, &mut random);
    }
    workload
}

/// c: a table of 256 bytes read at an unknown index, and again at what was read.
fn tables() -> Workload {
    let mut workload = workload("c tables");
    let mut random = Random::new(33);
    let input = workload.exprs.input("in", 8);
    let bytes: Vec<u8> = (0..256).map(|_| random.next() as u8).collect();
    let exprs = &mut workload.exprs;
    let table = exprs.table(&bytes);
    let start = exprs.array_start(table);
    for _ in 0..40 {
        let (x, y) = (random.below(8) as u32, random.below(8) as u32);
        let (x, y) = (exprs.byte(input, x), exprs.byte(input, y));
        let index = exprs.zext(x, 64);
        let once = exprs.read(start, index);
        let mixed = exprs.xor(once, y);
        let index = exprs.zext(mixed, 64);
        let twice = exprs.read(start, index);
        let value = exprs.constant(8, random.next());
        let goal = exprs.eq(twice, value);
        let limit = exprs.constant(8, 128);
        let constraints = vec![exprs.ult(x, limit), exprs.ult(once, y)];
        workload.queries.push(Recorded { constraints, goal, hint: None, status: None });
    }
    workload
}

/// e: twelve states of the same program, taking turns.
fn states() -> Workload {
    let mut workload = workload("e states");
    let mut random = Random::new(55);
    let new = |exprs: &mut Expressions, random: &mut Random| State::new(exprs, random, "in", 32);
    let mut states: Vec<State> = (0..12).map(|_| new(&mut workload.exprs, &mut random)).collect();
    // The states share the branches of the program; they differ in the side they take.
    for step in 0..60u64 {
        for state in &mut states {
            let mut same = Random::new(1000 + step);
            state.step(&mut workload, &mut same);
        }
    }
    workload
}

fn fixed(exprs: &mut Expressions, e: ExprId, value: u64) -> ExprId {
    let value = exprs.constant(exprs.width(e), value);
    exprs.eq(e, value)
}

/// d1: factors of products of two primes.
fn semiprimes() -> Workload {
    let mut workload = workload("d semiprimes");
    let input = workload.exprs.input("in", 8);
    for (p, q) in [(40_009u64, 50_021u64), (46_337, 59_999), (52_391, 61_441), (33_343, 64_951)] {
        let exprs = &mut workload.exprs;
        let (a, b) = (number(exprs, input, 0, 2), number(exprs, input, 2, 2));
        let (wide_a, wide_b) = (exprs.zext(a, 32), exprs.zext(b, 32));
        let product = exprs.mul(wide_a, wide_b);
        let goal = fixed(exprs, product, p * q);
        let one = exprs.constant(16, 1);
        let constraints = vec![exprs.ult(one, a), exprs.ule(a, b)];
        workload.queries.push(Recorded { constraints, goal, hint: None, status: None });
    }
    workload
}

/// d3: quotient and remainder of 32 bits.
fn divisions() -> Workload {
    let mut workload = workload("d udiv/urem");
    let mut random = Random::new(44);
    let input = workload.exprs.input("in", 8);
    for _ in 0..10 {
        let exprs = &mut workload.exprs;
        let (a, b) = (number(exprs, input, 0, 4), number(exprs, input, 4, 4));
        let (quotient, remainder) = (exprs.udiv(a, b), exprs.urem(a, b));
        let first = fixed(exprs, quotient, 100 + random.below(10_000));
        let goal = fixed(exprs, remainder, random.below(10_000));
        workload.queries.push(Recorded {
            constraints: vec![first],
            goal,
            hint: None,
            status: None,
        });
    }
    workload
}

/// d4: signed remainders of 32 bits.
fn remainders() -> Workload {
    let mut workload = workload("d srem");
    let mut random = Random::new(45);
    let input = workload.exprs.input("in", 8);
    for _ in 0..10 {
        let exprs = &mut workload.exprs;
        let (a, b) = (number(exprs, input, 0, 4), number(exprs, input, 4, 4));
        let remainder = exprs.srem(a, b);
        let goal = fixed(exprs, remainder, 0u64.wrapping_sub(1 + random.below(1000)));
        let limit = exprs.constant(32, 100_000);
        let first = exprs.slt(b, limit);
        let thousand = exprs.constant(32, 1000);
        let second = exprs.slt(thousand, b);
        workload.queries.push(Recorded {
            constraints: vec![first, second],
            goal,
            hint: None,
            status: None,
        });
    }
    workload
}

/// g: identities, whose negation is unsatisfiable; rewriting decides them, search does not.
fn identities() -> Workload {
    let mut workload = workload("g identities");
    let input = workload.exprs.input("in", 8);
    for bytes in [1, 2, 4] {
        let exprs = &mut workload.exprs;
        let (x, y) = (number(exprs, input, 0, bytes), number(exprs, input, 4, bytes));
        let one = exprs.constant(8 * bytes, 1);
        let next = exprs.add(y, one);
        let left = exprs.mul(x, next);
        let product = exprs.mul(x, y);
        let right = exprs.add(product, x);
        let goal = exprs.ne(left, right);
        let seven = exprs.constant(8 * bytes, 7);
        let (quotient, remainder) = (exprs.udiv(x, seven), exprs.urem(x, seven));
        let product = exprs.mul(quotient, seven);
        let sum = exprs.add(product, remainder);
        let other = exprs.ne(sum, x);
        for goal in [goal, other] {
            workload.queries.push(Recorded {
                constraints: Vec::new(),
                goal,
                hint: None,
                status: None,
            });
        }
    }
    workload
}

/// Queries that were recorded in a folder, in the order of their names.
pub fn recorded(folder: &Path) -> anyhow::Result<Workload> {
    let name = folder.file_name().unwrap_or(folder.as_os_str());
    let mut workload = workload(&name.to_string_lossy());
    let mut paths: Vec<PathBuf> = Vec::new();
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        paths.push(entry?.path());
    }
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "smt2"));
    paths.sort();
    anyhow::ensure!(!paths.is_empty(), "there are no .smt2 files in {}", folder.display());
    for path in paths {
        let text = std::fs::read_to_string(&path)?;
        let read = RecordedQuery::parse(&mut workload.exprs, &text);
        let read = read.with_context(|| format!("cannot read {}", path.display()))?;
        let RecordedQuery { constraints, goal, hint, status } = read;
        workload.queries.push(Recorded { constraints, goal, hint, status });
    }
    Ok(workload)
}
