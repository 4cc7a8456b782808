//! Measures how fast expressions are built and evaluated, and how large they are.
//!
//!     cargo run --release -p umbra-expr --example rates

use std::time::{Duration, Instant};

use umbra_expr::{Assignment, Evaluator, ExprId, Expressions};

/// Processor time, where the system tells it: other programs run as well.
struct Clock(Instant);

impl Clock {
    fn processor_time() -> Option<Duration> {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
    }

    fn elapsed_since(&self, start: Option<Duration>) -> Duration {
        match (start, Self::processor_time()) {
            (Some(start), Some(end)) => end - start,
            _ => self.0.elapsed(),
        }
    }
}

/// How long something takes.
fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let (clock, start) = (Clock(Instant::now()), Clock::processor_time());
    let result = work();
    let time = clock.elapsed_since(start);
    (result, time)
}

/// What a program does with its input: numbers from bytes, sums, masks, comparisons.
fn path(x: &mut Expressions, size: u32) -> Vec<ExprId> {
    let input = x.input("in", size);
    let mut conditions = Vec::new();
    let mut hash = x.constant(32, 5381);
    let table: Vec<u8> = (0..=255).map(|byte: u8| byte.wrapping_mul(167) ^ 0x5a).collect();
    let table = x.table(&table);
    let table = x.array_start(table);
    for offset in 0..size {
        let byte = x.byte(input, offset);
        let wide = x.zext(byte, 32);
        // A digit?
        let (zero, ten) = (x.constant(32, 48), x.constant(32, 10));
        let digit = x.sub(wide, zero);
        conditions.push(x.ult(digit, ten));
        // A letter in either case?
        let (case, a, letters) = (x.constant(32, 32), x.constant(32, 97), x.constant(32, 26));
        let lower = x.or(wide, case);
        let letter = x.sub(lower, a);
        conditions.push(x.ult(letter, letters));
        // A hash, and a table read.
        let factor = x.constant(32, 33);
        let product = x.mul(hash, factor);
        hash = x.xor(product, wide);
        let index = x.zext(byte, 64);
        let class = x.read(table, index);
        let limit = x.constant(8, 100);
        conditions.push(x.ult(class, limit));
        if offset % 4 == 3 {
            let mut number = x.byte(input, offset - 3);
            for part in offset - 2..=offset {
                let byte = x.byte(input, part);
                number = x.concat(byte, number);
            }
            let sum = x.add(number, hash);
            let limit = x.constant(32, u64::from(offset) * 1000 + 7);
            conditions.push(x.ult(sum, limit));
            conditions.push(x.eq(number, limit));
        }
    }
    conditions
}

/// Times added up over rounds.
#[derive(Default)]
struct Totals {
    expressions: usize,
    bytes: usize,
    values: usize,
    built: Duration,
    again: Duration,
    evaluated: Duration,
    supports: Duration,
}

fn main() {
    for (size, rounds) in [(1_000, 100), (100_000, 1)] {
        let mut totals = Totals::default();
        for _ in 0..rounds {
            measure(size, &mut totals);
        }
        let each = |time: Duration, count: usize| time.as_nanos() as f64 / count as f64;
        let count = totals.expressions;
        println!("input of {size} bytes: {} expressions", count / rounds);
        println!("  {:.1} bytes per expression", totals.bytes as f64 / count as f64);
        println!("  built: {:.0} ns per new expression", each(totals.built, count));
        println!("  built again: {:.0} ns", each(totals.again, count));
        println!("  supports: {:.0} ns", each(totals.supports, count));
        println!("  evaluated: {:.1} ns per value", each(totals.evaluated, totals.values));
    }
}

fn measure(size: u32, totals: &mut Totals) {
    let mut exprs = Expressions::new();
    let (conditions, built) = timed(|| path(&mut exprs, size));
    totals.built += built;
    totals.expressions += exprs.len();
    totals.bytes += exprs.bytes();
    totals.again += timed(|| path(&mut exprs, size)).1;

    let mut assignment = Assignment::new();
    let input = exprs.find_input("in").expect("the input");
    for offset in 0..size {
        assignment.set(input, offset, (offset * 31 % 251) as u8);
    }
    let mut evaluator = Evaluator::new();
    for _ in 0..5 {
        let (_, time) = timed(|| {
            let mut run = evaluator.run(&exprs, &assignment);
            conditions.iter().filter(|&&condition| run.is_true(condition)).count()
        });
        totals.evaluated += time;
        totals.values += evaluator.computed();
    }
    let (_, time) = timed(|| {
        for &condition in &conditions {
            exprs.support(condition);
        }
    });
    totals.supports += time;
}
