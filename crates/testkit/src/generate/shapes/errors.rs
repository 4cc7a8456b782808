//! Errors that some inputs lead to. Each is one that sanitizers report whatever happens, and ends the
//! run: accesses outside of an object stay within what they keep free around it.

use super::super::tree::Statement;
use super::super::writer::Writer;

/// Every shape.
pub const SHAPES: &[super::Shape] = &[
    outside,
    outside_heap,
    after_free,
    twice_freed,
    inside_freed,
    null,
    by_zero,
    too_small,
    after_return,
    after_scope,
    aborted,
    asserted,
    unreachable,
    constant,
    copied_outside,
    unterminated,
];

fn outside(w: &mut Writer) -> Statement {
    let (a, size) = (w.fresh("a"), 2 + w.lots.below(9));
    let place = w.lots.one(&["", "static "]);
    let beyond = 1 + w.lots.below(4);
    let at = w.below(size + beyond);
    let access = match w.lots.percent(50) {
        true => w.keep(&format!("{a}[{at}]")),
        false => format!("{a}[{at}] = (unsigned char)({});", w.number()),
    };
    let keep = w.keep(&format!("{a}[{}]", size - 1));
    w.spend(2);
    Statement::plain(&format!(
        "{{\n  {place}unsigned char {a}[{size}] = {{{}}};\n  {access}\n  {keep}\n}}",
        w.bytes(size)
    ))
}

fn outside_heap(w: &mut Writer) -> Statement {
    let (p, size) = (w.fresh("p"), 1 + w.lots.below(6));
    let (at, when) = (w.below(size + 2), w.seldom());
    let keep = w.keep(&format!("{p}[{at}]"));
    w.spend(3);
    Statement::plain(&format!(
        "{{\n  unsigned short *{p} = calloc({size}, sizeof *{p});\n  {p}[{}] = 77;\n  if ({when}) {{\n    {keep}\n  }}\n  free({p});\n}}",
        w.lots.below(size)
    ))
}

fn after_free(w: &mut Writer) -> Statement {
    let (p, when) = (w.fresh("p"), w.seldom());
    let keep = w.keep(&format!("*{p}"));
    w.spend(2);
    Statement::plain(&format!(
        "{{\n  unsigned *{p} = malloc(sizeof *{p});\n  *{p} = {};\n  if ({when}) free({p});\n  {keep}\n}}",
        w.number()
    ))
}

fn twice_freed(w: &mut Writer) -> Statement {
    let (p, when) = (w.fresh("p"), w.seldom());
    w.spend(2);
    Statement::plain(&format!(
        "{{\n  char *{p} = malloc(3);\n  if ({when}) free({p});\n  free({p});\n}}"
    ))
}

fn inside_freed(w: &mut Writer) -> Statement {
    let (p, when) = (w.fresh("p"), w.seldom());
    w.spend(2);
    Statement::plain(&format!(
        "{{\n  char *{p} = malloc(16);\n  if ({when}) {p} += {};\n  free({p});\n}}",
        1 + w.lots.below(15)
    ))
}

fn null(w: &mut Writer) -> Statement {
    let (p, when) = (w.fresh("p"), w.seldom());
    let write = w.lots.percent(50);
    let access = if write { format!("*{p} = 5;") } else { w.keep(&format!("*{p}")) };
    w.spend(2);
    Statement::plain(&format!("{{\n  unsigned *{p} = {when} ? NULL : &v2;\n  {access}\n}}"))
}

fn by_zero(w: &mut Writer) -> Statement {
    let (a, b) = (w.number(), w.below(8));
    let (op, ty) =
        (w.lots.one(&["/", "%"]), w.lots.one(&["unsigned", "int", "unsigned long", "short"]));
    let keep = w.keep(&format!("({ty})({a} & 4095u) {op} ({ty})({b})"));
    w.spend(2);
    Statement::plain(&keep)
}

/// The smallest number divided by minus one.
fn too_small(w: &mut Writer) -> Statement {
    let (x, y) = (w.fresh("x"), w.fresh("y"));
    let (a, b) = (w.seldom(), w.condition());
    let keep = w.keep(&format!("{x} / {y}"));
    w.spend(3);
    Statement::plain(&format!(
        "{{\n  int {x} = {a} ? INT_MIN : 100;\n  int {y} = {b} ? -1 : 3;\n  {keep}\n}}"
    ))
}

fn after_return(w: &mut Writer) -> Statement {
    let (f, p, when) = (w.fresh("f"), w.fresh("p"), w.seldom());
    let keep = w.keep(&format!("*{p}"));
    w.spend(2);
    Statement::plain(&format!("{{\n  unsigned *{p} = &v3;\n  {f}(&{p}, {when});\n  {keep}\n}}"))
        .with_global(&format!(
            "static void {f}(unsigned **p, int escapes) {{\n  unsigned local = {};\n  \
           if (escapes) *p = &local;\n  local++;\n}}",
            w.lots.below(100)
        ))
}

fn after_scope(w: &mut Writer) -> Statement {
    let (p, x, when) = (w.fresh("p"), w.fresh("x"), w.seldom());
    let keep = w.keep(&format!("*{p}"));
    w.spend(2);
    Statement::plain(&format!(
        "{{\n  unsigned *{p} = &v0;\n  {{\n    unsigned {x} = 4;\n    if ({when}) {p} = &{x};\n    *{p} += 1u;\n  }}\n  {keep}\n}}"
    ))
}

fn aborted(w: &mut Writer) -> Statement {
    let when = w.seldom();
    w.spend(2);
    Statement::plain(&format!("if ({when}) abort();"))
}

fn asserted(w: &mut Writer) -> Statement {
    let when = w.seldom();
    w.spend(2);
    Statement::plain(&format!("assert(!({when}));"))
}

fn unreachable(w: &mut Writer) -> Statement {
    let when = w.seldom();
    w.spend(2);
    Statement::plain(&format!("if ({when}) __builtin_unreachable();"))
}

fn constant(w: &mut Writer) -> Statement {
    let (p, b, when) = (w.fresh("p"), w.fresh("b"), w.seldom());
    w.spend(2);
    Statement::plain(&format!(
        "{{\n  char {b}[] = \"own\";\n  char *{p} = {when} ? (char *)\"constant\" : {b};\n  {p}[1] = 'x';\n}}"
    ))
}

fn copied_outside(w: &mut Writer) -> Statement {
    let (d, size) = (w.fresh("d"), 3 + w.lots.below(3));
    let word = w.lots.one(&["a", "bcd", "efghij"]);
    let (when, at) = (w.seldom(), w.below(3));
    let copy = match w.lots.below(3) {
        0 => format!("strcpy({d}, {when} ? \"{word}\" : \"\");"),
        1 => format!("memset({d} + {at}, 1, {size});"),
        _ => format!("memcpy({d}, \"0123456789\", {at} * 2u + 1u);"),
    };
    let keep = w.keep(&format!("{d}[0]"));
    w.spend(3);
    Statement::plain(&format!("{{\n  char {d}[{size}] = \"\";\n  {copy}\n  {keep}\n}}"))
}

fn unterminated(w: &mut Writer) -> Statement {
    let (s, size) = (w.fresh("s"), 2 + w.lots.below(4));
    let end = w.below(size + 2);
    let keep = w.keep(&format!("strlen({s})"));
    w.spend(size + 1);
    Statement::plain(&format!(
        "{{\n  char *{s} = malloc({size});\n  memset({s}, 'k', {size});\n  unsigned {s}e = {end};\n  \
           if ({s}e < {size}u) {s}[{s}e] = 0;\n  {keep}\n  free({s});\n}}"
    ))
}
