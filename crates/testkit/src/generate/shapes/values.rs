//! Values in all forms: structs, unions, bit-fields, wide integers, floating-point numbers.

use super::super::tree::Statement;
use super::super::writer::Writer;

/// Every shape.
pub const SHAPES: &[super::Shape] = &[
    assigned,
    assigned,
    by_value,
    unions,
    fields,
    wide,
    wide_division,
    floats,
    float_to_text,
    signed,
    stored,
    overflow,
];

/// A number is kept.
fn assigned(w: &mut Writer) -> Statement {
    let number = w.number();
    Statement::plain(&w.keep(&number))
}

/// Structs that are passed and returned.
fn by_value(w: &mut Writer) -> Statement {
    let (s, f, r) = (w.fresh("point"), w.fresh("f"), w.fresh("r"));
    let (x, y, z) = (w.number(), w.number(), w.number());
    let keep = w.keep(&format!("{r}.x + {r}.y * 3u + {r}.z[1]"));
    w.spend(2);
    Statement::plain(&format!(
        "{{\n  struct {s} {r} = {{(unsigned char)({x}), (unsigned short)({y}), {{1, 2, (unsigned char)({z})}}}};\n  \
           {r} = {f}({r}, {r}.z[2]);\n  {keep}\n}}"
    ))
    .with_global(&format!(
        "struct {s} {{ unsigned char x; unsigned short y; unsigned char z[3]; }};\n\
         static struct {s} {f}(struct {s} p, unsigned char by) {{\n  \
           if (by > {}) p.y += by;\n  p.z[by % 3] ^= p.x;\n  return p;\n}}",
        w.lots.below(256)
    ))
}

/// Bytes of a number, seen through a union.
fn unions(w: &mut Writer) -> Statement {
    let u = w.fresh("u");
    let (x, at, value) = (w.number(), w.below(4), w.number());
    let half = w.below(2);
    let keep = w.keep(&format!("{u}.word ^ {u}.half[{half}]"));
    Statement::plain(&format!(
        "{{\n  union {{ unsigned word; unsigned short half[2]; unsigned char byte[4]; }} {u} = {{{x}}};\n  \
           {u}.byte[{at}] = (unsigned char)({value});\n  {keep}\n}}"
    ))
}

/// Bit-fields, signed and unsigned.
fn fields(w: &mut Writer) -> Statement {
    let b = w.fresh("b");
    let (x, y, z) = (w.number(), w.number(), w.number());
    let keep = w.keep(&format!(
        "{b}.low + {b}.high * 8u + (unsigned)({b}.sign < 0 ? -{b}.sign : {b}.sign)"
    ));
    w.spend(2);
    Statement::plain(&format!(
        "{{\n  struct {{ unsigned low : 3; int sign : 5; unsigned high : 9; }} {b} = {{0, 0, 0}};\n  \
           {b}.low = {x} & 7u;\n  {b}.sign = (int)({y} & 15u) - 8;\n  {b}.high = {z} & 511u;\n  {b}.low ^= {b}.high & 7u;\n  {keep}\n}}"
    ))
}

/// Integers of 128 bits.
fn wide(w: &mut Writer) -> Statement {
    let x = w.fresh("w");
    let (a, b, c) = (w.number(), w.number(), w.number());
    let (shift, k) = (1 + w.lots.below(100), 1 + w.lots.below(1000));
    let limit = 64 + w.lots.below(40);
    let keep =
        w.keep(&format!("({x} >> {shift}) + ({x} > ((unsigned __int128)1 << {limit}) ? 3u : 0u)"));
    w.spend(2);
    Statement::plain(&format!(
        "{{\n  unsigned __int128 {x} = ((unsigned __int128)({a}) << 64) | {b};\n  {x} = {x} * {k}u + {c};\n  {keep}\n}}"
    ))
}

/// Division of wide integers by a constant.
fn wide_division(w: &mut Writer) -> Statement {
    let x = w.fresh("w");
    let (a, k) = (w.input(), 2 + w.lots.below(200));
    let keep = w.keep(&format!("{x} / {k} + {x} % {k}"));
    Statement::plain(&format!(
        "{{\n  __int128 {x} = ((__int128)({a} & 15u) << 65) + {};\n  {keep}\n}}",
        w.lots.below(10000)
    ))
}

/// Floating-point arithmetic on few bits, so that results are exact or plainly rounded.
fn floats(w: &mut Writer) -> Statement {
    let d = w.fresh("d");
    let ty = w.lots.one(&["double", "float"]);
    let (a, k) = (w.input(), w.lots.one(&["0.25", "0.5", "1.5", "3.0", "0.1"]));
    let limit = w.lots.one(&["1.0", "7.75", "12.3", "100.0"]);
    let keep = w.keep(&format!("(int)({d} * 4) + ({d} > {limit} ? 50 : 0)"));
    w.spend(8);
    Statement::plain(&format!(
        "{{\n  {ty} {d} = ({ty})(int)({a} & 63u) * ({ty}){k} - 3;\n  {d} = {d} {} {};\n  {keep}\n}}",
        w.lots.one(&["+", "-", "*", "/"]),
        w.lots.one(&["2.5", "0.3", "8"])
    ))
}

/// A floating-point number that is read from digits.
fn float_to_text(w: &mut Writer) -> Statement {
    let (d, s) = (w.fresh("d"), w.fresh("s"));
    let digit = w.below(4);
    let keep = w.keep(&format!("(int)({d} * 8)"));
    w.spend(24);
    Statement::plain(&format!(
        "{{\n  char {s}[] = \"{}.{}5\";\n  {s}[{}] = (char)('0' + {digit});\n  double {d} = strtod({s}, NULL);\n  {keep}\n}}",
        w.lots.below(10),
        w.lots.below(10),
        w.lots.one(&[0, 2])
    ))
}

/// Signed numbers of all widths.
fn signed(w: &mut Writer) -> Statement {
    let (a, b) = (w.fresh("a"), w.fresh("b"));
    let (x, y) = (w.number(), w.number());
    let k = 1 + w.lots.below(20);
    let keep = w.keep(&format!("{a} / {k} + {a} % {k} + ({b} >> 3) + ({a} < {b})"));
    w.spend(2);
    Statement::plain(&format!(
        "{{\n  int {a} = (signed char)({x});\n  long {b} = (short)({y});\n  if ({a} < 0 && {b} > 0) {b} -= {a};\n  {keep}\n}}"
    ))
}

/// Numbers in memory, read at another width.
fn stored(w: &mut Writer) -> Statement {
    let (m, x) = (w.fresh("m"), w.fresh("x"));
    let (at, value) = (w.below(5), w.number());
    let (from, size) = (w.below(5), w.lots.one(&[2, 3, 4]));
    let keep = w.keep(&x);
    Statement::plain(&format!(
        "{{\n  unsigned char {m}[8] = {{{}}};\n  unsigned {x} = {value};\n  memcpy({m} + {at}, &{x}, 4);\n  \
           {x} = 0;\n  memcpy(&{x}, {m} + {from}, {size});\n  {keep}\n}}",
        w.bytes(8)
    ))
}

/// The compiler's checks of overflow.
fn overflow(w: &mut Writer) -> Statement {
    let r = w.fresh("r");
    let op = w.lots.one(&["add", "sub", "mul"]);
    let ty = w.lots.one(&["int", "unsigned char", "short", "long"]);
    let (x, y) = (w.number(), w.number());
    let (y, keep) = (format!("{y} & 255u"), w.keep(&format!("{r} & 0xffff")));
    let add = w.keep("77");
    w.spend(2);
    Statement::plain(&format!(
        "{{\n  {ty} {r};\n  if (__builtin_{op}_overflow((int)({x}), (int)({y}), &{r})) {{\n    {add}\n  }}\n  {keep}\n}}"
    ))
}
