//! What C offers of the machine: builtins of the compiler, atomic operations, vectors, truth values,
//! wide integers and floating-point numbers in their odd corners.

use super::super::tree::Statement;
use super::super::writer::Writer;

/// Every shape.
pub const SHAPES: &[super::Shape] = &[
    counted, atomic, vectors, lanes, truths, shifted, products, classes, converted, punned, generic,
];

/// Bits that are counted, found and turned round.
fn counted(w: &mut Writer) -> Statement {
    let x = w.fresh("x");
    let (value, mask) = (w.number(), 1u32 << w.lots.below(12));
    let count = w.lots.one(&[
        "__builtin_popcount({x})",
        "__builtin_clz({x})",
        "__builtin_ctz({x})",
        "__builtin_ffs((int){x} & 240)",
        "__builtin_parity({x})",
        "__builtin_bswap32({x})",
        "__builtin_bswap16((unsigned short){x})",
        "__builtin_clzll((unsigned long long){x} << 9)",
        "__builtin_rotateleft32({x}, 7)",
        "__builtin_bitreverse8((unsigned char){x})",
    ]);
    let keep = w.keep(&count.replace("{x}", &x));
    w.spend(1);
    // None of them is asked for the bits of zero.
    Statement::plain(&format!("{{\n  unsigned {x} = ({value} & 4095u) | {mask}u;\n  {keep}\n}}"))
}

fn atomic(w: &mut Writer) -> Statement {
    let (a, e) = (w.fresh("a"), w.fresh("e"));
    let (x, y, z) = (w.number(), w.number(), w.below(4));
    let op = w.lots.one(&["add", "sub", "and", "or", "xor", "nand"]);
    let keep = w.keep(&format!("{a} + {e} * 3u"));
    let kept = w.keep(&format!(
        "__atomic_compare_exchange_n((unsigned *)&{a}, &{e}, {y}, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)"
    ));
    w.spend(2);
    Statement::plain(&format!(
        "{{\n  static _Atomic unsigned {a};\n  {a} = {z};\n  unsigned {e} = 2;\n  {kept}\n  \
           {e} += __atomic_fetch_{op}((unsigned *)&{a}, {x}, __ATOMIC_ACQ_REL);\n  \
           {e} ^= __atomic_exchange_n((unsigned *)&{a}, {e} & 255u, __ATOMIC_SEQ_CST);\n  {a}++;\n  {keep}\n}}"
    ))
}

/// Vectors, and a lane that is chosen.
fn vectors(w: &mut Writer) -> Statement {
    let (v, x, y) = (w.fresh("vec"), w.fresh("x"), w.fresh("y"));
    let ty = w.lots.one(&["unsigned", "unsigned char", "short", "unsigned long"]);
    let (a, b, at) = (w.number(), w.number(), w.below(2));
    let op = w.lots.one(&["+", "*", "^", "-", ">", "=="]);
    let keep = w.keep(&format!("{x}[{at}] + {y}[0] * 3"));
    w.spend(2);
    Statement::plain(&format!(
        "{{\n  typedef {ty} {v} __attribute__((vector_size(16)));\n  {v} {x} = {{({ty})({a}), 3}}, {y} = {{7, ({ty})({b})}};\n  \
           {x} = ({v})({x} {op} {y});\n  {y}[{at}] += 2;\n  {keep}\n}}"
    ))
}

/// Lanes that change places, in memory and out of it.
fn lanes(w: &mut Writer) -> Statement {
    let (v, x, m) = (w.fresh("vec"), w.fresh("x"), w.fresh("m"));
    let (a, at) = (w.number(), w.below(16));
    let order = w.lots.one(&["3, 2, 1, 0", "0, 4, 1, 5", "7, 7, 2, 6"]);
    let keep = w.keep(&format!("{m}[{at}] + {x}[1]"));
    w.spend(1);
    Statement::plain(&format!(
        "{{\n  typedef unsigned {v} __attribute__((vector_size(16)));\n  {v} {x} = {{{a}, 1, 2, 70000}};\n  \
           unsigned char {m}[16];\n  {x} = __builtin_shufflevector({x}, {x} * 3u, {order});\n  memcpy({m}, &{x}, 16);\n  {keep}\n}}"
    ))
}

/// Truth values, stored and added.
fn truths(w: &mut Writer) -> Statement {
    let (b, c) = (w.fresh("b"), w.fresh("c"));
    let (x, y, when) = (w.number(), w.number(), w.condition());
    let keep = w.keep(&format!("{b} + 2 * {c}[0] + 4 * {c}[1] + ({b} ? 8 : 16)"));
    w.spend(2);
    Statement::plain(&format!(
        "{{\n  _Bool {b} = {x} & 6u, {c}[2] = {{{when}, (_Bool)(0.5 * (int)({y} & 1u))}};\n  {b} ^= {c}[0];\n  {c}[1]++;\n  {keep}\n}}"
    ))
}

/// Wide integers shifted by what depends on the input, compared with a sign.
fn shifted(w: &mut Writer) -> Statement {
    let (x, n) = (w.fresh("x"), w.fresh("n"));
    let (a, by) = (w.number(), w.below(128));
    let right = w.lots.one(&[">>", "<<"]);
    let keep = w.keep(&format!(
        "(unsigned long)({x} >> 60) + ((__int128){x} < -1 ? 5u : 6u) + (unsigned)({x} >> 100)"
    ));
    w.spend(2);
    Statement::plain(&format!(
        "{{\n  unsigned {n} = {by};\n  unsigned __int128 {x} = ((unsigned __int128){a} << 96) | 0x123456789abcdefull;\n  \
           {x} = {x} {right} {n};\n  {keep}\n}}"
    ))
}

/// Products of which the upper half counts, and quotients of what comes out.
fn products(w: &mut Writer) -> Statement {
    let (x, y) = (w.fresh("x"), w.fresh("y"));
    let a = w.below(64);
    let b = w.lots.one(&["0xfedcba9876543210ull", "0x100000001ull", "10000000000000000003ull"]);
    let d = w.lots.one(&["7", "1000003", "3"]);
    let keep = w.keep(&format!("(unsigned long)({y} >> 64) + (unsigned long)({y} % {d}) * 3u"));
    w.spend(1);
    Statement::plain(&format!(
        "{{\n  unsigned long {x} = (unsigned long)({a}) << 57 | 99u;\n  unsigned __int128 {y} = (unsigned __int128){x} * {b};\n  {keep}\n}}"
    ))
}

/// What kind of number it is: none, without bound, of either sign.
fn classes(w: &mut Writer) -> Statement {
    let (t, d) = (w.fresh("t"), w.fresh("d"));
    let at = w.below(8);
    let test = w.lots.one(&["isnan", "isinf", "signbit", "isnormal", "isfinite"]);
    let keep = w.keep(&format!(
        "({test}({d}) ? 1 : 0) + ({d} < 1.0 ? 2 : 0) + ({d} != {d} ? 4 : 0) + (fabs({d}) >= 2 ? 8 : 0) + (copysign(1, {d}) < 0 ? 16 : 0)"
    ));
    w.spend(8);
    Statement::plain(&format!(
        "{{\n  static const double {t}[] = {{0.0, -0.0, 1.5, -3e300, 4e-320, INFINITY, -INFINITY, NAN}};\n  \
           double {d} = {t}[{at}];\n  {keep}\n}}"
    ))
}

/// Conversions between all kinds of numbers, within their range.
fn converted(w: &mut Writer) -> Statement {
    let (f, d) = (w.fresh("f"), w.fresh("d"));
    let a = w.input();
    let from = w.lots.one(&["signed char", "short", "unsigned char", "long", "unsigned long"]);
    let round = w.lots.one(&["floor", "ceil", "trunc", "rint", "round"]);
    let keep = w.keep(&format!("(int){round}({d}) + (int){f} + ({f} == {d})"));
    w.spend(6);
    Statement::plain(&format!(
        "{{\n  float {f} = ({from})({a} & 127u);\n  double {d} = {f} / {} - 4;\n  {keep}\n}}",
        w.lots.one(&["2", "4", "3"])
    ))
}

/// Floating-point numbers as their bytes.
fn punned(w: &mut Writer) -> Statement {
    let (u, s) = (w.fresh("u"), w.fresh("s"));
    let (a, at) = (w.below(4), w.below(4));
    let keep = w.keep(&format!("{u}.bytes[{at}] + ({u}.real > 1 ? 1000 : 0) + {s}"));
    w.spend(4);
    Statement::plain(&format!(
        "{{\n  union {{ float real; unsigned word; unsigned char bytes[4]; }} {u} = {{1.75f}};\n  \
           {u}.word += {a} << 22;\n  double {s}d = -{u}.real;\n  unsigned long {s};\n  memcpy(&{s}, &{s}d, 8);\n  {s} >>= 50;\n  {keep}\n}}"
    ))
}

/// An expression by its type, a statement as an expression, a literal that is an object.
fn generic(w: &mut Writer) -> Statement {
    let (p, q) = (w.fresh("p"), w.fresh("q"));
    let (x, at, when) = (w.number(), w.below(3), w.condition());
    let keep = w.keep(&format!(
        "({{ unsigned {q} = {p}[{at}]; {q} += {q}; _Generic({q}, int: 1u, unsigned: {q}, default: 9u); }})"
    ));
    w.spend(3);
    Statement::plain(&format!(
        "{{\n  const unsigned *{p} = {when} ? (unsigned[]){{1, {x}, 3}} : (unsigned[3]){{[2] = 40}};\n  {keep}\n}}"
    ))
}
