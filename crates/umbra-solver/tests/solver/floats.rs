//! Z3's float theory, as it is used here, against the evaluator: same operands, same bits.

use umbra_expr::{Assignment, Evaluator, ExprId, Expressions, FloatKind, Kind};
use umbra_solver::{Limits, Query, Solver, Verdict, Z3};

use crate::random::Random;

const FORMATS: [FloatKind; 4] =
    [FloatKind::Half, FloatKind::Single, FloatKind::Double, FloatKind::X87];

/// A number whose bits are often special.
fn operand(random: &mut Random, format: FloatKind) -> u128 {
    let width = format.bits();
    let fraction = format.precision() - 1;
    let exponent_low = width - 1 - format.exponent_bits();
    let highest = (1u128 << format.exponent_bits()) - 1;
    let bias = highest >> 1;
    let exponent = match random.below(8) {
        0 => 0,
        1 => highest,
        2 => 1,
        3 => highest - 1,
        _ => bias + random.below(12) as u128 - 6,
    };
    let bits = u128::from(random.next()) & ((1 << fraction) - 1);
    let bits = match random.below(4) {
        0 => 0,
        1 => 1 << (fraction - 1),
        _ => bits,
    };
    let sign = random.below(2) as u128;
    // Mostly what the x87 itself would write, sometimes what it would not.
    let integer = if format == FloatKind::X87 {
        u128::from((exponent != 0) != (random.below(10) == 0)) << 63
    } else {
        0
    };
    sign << (width - 1) | exponent << exponent_low | integer | bits
}

/// An input as wide as the format, and the assignment that gives it this value.
fn input(
    exprs: &mut Expressions,
    name: &str,
    format: FloatKind,
    value: u128,
    to: &mut Assignment,
) -> ExprId {
    let bytes = format.bits() / 8;
    let array = exprs.input(&format!("{name}{bytes}"), bytes);
    to.set_bytes(array, &value.to_le_bytes()[..bytes as usize]);
    let mut e = exprs.byte(array, 0);
    for offset in 1..bytes {
        let byte = exprs.byte(array, offset);
        e = exprs.concat(byte, e);
    }
    e
}

fn agree(z3: &mut Z3, exprs: &mut Expressions, operands: &[ExprId], e: ExprId, at: &Assignment) {
    let mut evaluator = Evaluator::new();
    let mut run = evaluator.run(exprs, at);
    let value = run.value(e);
    let values: Vec<_> = operands.iter().map(|&operand| run.value(operand)).collect();
    let mut constraints = Vec::new();
    for (&operand, value) in operands.iter().zip(&values) {
        let value = exprs.constant_of(value);
        constraints.push(exprs.eq(operand, value));
    }
    let wanted = exprs.constant_of(&value);
    let goal = exprs.ne(e, wanted);
    let verdict = z3.check(exprs, &Query::new(&constraints, goal)).unwrap();
    let (kind, width) = (exprs.kind(e), exprs.width(operands[0]));
    assert!(
        matches!(verdict, Verdict::Unsat(_)),
        "{kind:?} {width} of {values:x?} is {value:x?} by the evaluator, by Z3 {verdict:x?}"
    );
}

const BINARY: &[Kind] = &[
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

const UNARY: &[Kind] = &[
    Kind::FSqrt,
    Kind::FRoundEven,
    Kind::FFloor,
    Kind::FCeil,
    Kind::FTrunc,
    Kind::FRoundAway,
    Kind::FIsClass,
    Kind::FToS,
    Kind::FToU,
    Kind::FToF,
    Kind::SToF,
    Kind::UToF,
];

#[test]
fn z3_computes_what_the_evaluator_computes() {
    let mut random = Random::new(0x600d_f00d_0000_0001);
    for format in FORMATS {
        // The division and root circuits of the wide formats are dear even on constants.
        let rounds = if format == FloatKind::X87 { 5 } else { 20 };
        let mut exprs = Expressions::new();
        let mut z3 = Z3::new(Limits::default());
        for _ in 0..rounds {
            for &kind in BINARY {
                let mut at = Assignment::new();
                let (a, b) = (operand(&mut random, format), operand(&mut random, format));
                let x = input(&mut exprs, "x", format, a, &mut at);
                let y = input(&mut exprs, "y", format, b, &mut at);
                let width = if kind.is_predicate() { 1 } else { format.bits() };
                let e = exprs.build(kind, width, 0, &[x, y]);
                agree(&mut z3, &mut exprs, &[x, y], e, &at);
            }
            if format != FloatKind::X87 {
                // Finite numbers: which of several NaNs comes out is not the same everywhere.
                let mut at = Assignment::new();
                let finite =
                    |random: &mut Random| operand(random, format) & !(1 << (format.bits() - 2));
                let names = ["x", "y", "z"];
                let operands = names.map(|name| {
                    let value = finite(&mut random);
                    input(&mut exprs, name, format, value, &mut at)
                });
                let e = exprs.ffma(operands[0], operands[1], operands[2]);
                agree(&mut z3, &mut exprs, &operands, e, &at);
            }
            for &kind in UNARY {
                let mut at = Assignment::new();
                let mut a = operand(&mut random, format);
                if kind == Kind::FSqrt && format == FloatKind::X87 {
                    // The evaluator leaves signalling and invalid NaNs as they are.
                    a |= 3 << 62;
                }
                let x = input(&mut exprs, "x", format, a, &mut at);
                let e = match kind {
                    Kind::FIsClass => exprs.fis_class(x, random.below(1024) as u32),
                    Kind::FToS => exprs.float_to_signed(x, random.pick(&[8, 32, 64])),
                    Kind::FToU => exprs.float_to_unsigned(x, random.pick(&[8, 32, 64])),
                    Kind::FToF => {
                        let to = random.pick(&FORMATS);
                        if to == format {
                            continue;
                        }
                        exprs.float_to_float(x, to)
                    }
                    Kind::SToF => exprs.signed_to_float(x, random.pick(&FORMATS)),
                    Kind::UToF => exprs.unsigned_to_float(x, random.pick(&FORMATS)),
                    _ => exprs.build(kind, format.bits(), 0, &[x]),
                };
                agree(&mut z3, &mut exprs, &[x], e, &at);
            }
        }
    }
}
