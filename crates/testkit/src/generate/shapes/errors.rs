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
    deep,
    stale,
    printed_outside,
    joined_outside,
    long_quotient,
    uncalled,
    in_comparison,
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

/// Outside of an object that another function was given.
fn deep(w: &mut Writer) -> Statement {
    let (f, a, size) = (w.fresh("f"), w.fresh("a"), 2 + w.lots.below(4));
    let count = w.below(size + 2);
    let keep = w.keep(&format!("{f}({a}, {count})"));
    w.spend(size + 2);
    Statement::plain(&format!(
        "{{\n  unsigned char {a}[{size}] = {{{}}};\n  {keep}\n}}",
        w.bytes(size)
    ))
    .with_global(&format!(
        "static unsigned {f}(const unsigned char *at, unsigned count) {{\n  unsigned sum = 0;\n  \
           while (count--) sum = sum * 3u + *at++;\n  return sum;\n}}"
    ))
}

/// A pointer from before an object was moved.
fn stale(w: &mut Writer) -> Statement {
    let (p, q, when) = (w.fresh("p"), w.fresh("q"), w.seldom());
    let keep = w.keep(&format!("*{q}"));
    w.spend(2);
    Statement::plain(&format!(
        "{{\n  unsigned *{p} = malloc(4), *{q} = {p};\n  *{p} = 3;\n  {p} = realloc({p}, 400);\n  if (!({when})) {q} = {p};\n  {keep}\n  free({p});\n}}"
    ))
}

fn printed_outside(w: &mut Writer) -> Statement {
    let (d, size) = (w.fresh("d"), 3 + w.lots.below(2));
    let when = w.seldom();
    let (format, many, few) = w.lots.one(&[
        ("%u", "12345u", "7u"),
        ("%s", "\"abcde\"", "\"a\""),
        ("%05x", "1u", "2u"),
        ("a%dc", "-10", "1"),
    ]);
    let keep = w.keep(&format!("{d}[0]"));
    w.spend(2);
    Statement::plain(&format!(
        "{{\n  char {d}[{size}];\n  sprintf({d}, \"{format}\", {when} ? {many} : {few});\n  {keep}\n}}"
    ))
}

fn joined_outside(w: &mut Writer) -> Statement {
    let (d, when) = (w.fresh("d"), w.seldom());
    let call = w.lots.one(&[
        "strcat({d}, {when} ? \"cdef\" : \"c\");",
        "strncat({d}, \"cdefg\", {when} ? 4 : 1);",
        "strncpy({d}, \"x\", {when} ? 6 : 3);",
        "strcpy({d} + 1, {when} ? \"xyzvw\" : \"x\");",
    ]);
    let call = call.replace("{d}", &d).replace("{when}", &when);
    let keep = w.keep(&format!("{d}[1]"));
    w.spend(2);
    let place = w.lots.one(&["", "static "]);
    Statement::plain(&format!(
        "{{\n  {place}char {d}[4];\n  strcpy({d}, \"ab\");\n  {call}\n  {keep}\n}}"
    ))
}

/// The smallest long number divided by minus one.
fn long_quotient(w: &mut Writer) -> Statement {
    let (x, y, when) = (w.fresh("x"), w.fresh("y"), w.seldom());
    let op = w.lots.one(&["/", "%"]);
    let keep = w.keep(&format!("{x} {op} {y}"));
    w.spend(2);
    Statement::plain(&format!(
        "{{\n  long long {x} = {when} ? LLONG_MIN : -9;\n  long {y} = -1;\n  {keep}\n}}"
    ))
}

/// A function of an object that has none.
fn uncalled(w: &mut Writer) -> Statement {
    let (s, o, when) = (w.fresh("object"), w.fresh("o"), w.seldom());
    let keep = w.keep(&format!("{o}.run({o}.x)"));
    w.spend(2);
    Statement::plain(&format!(
        "{{\n  struct {s} {{ int x; int (*run)(int); }} {o} = {{'a', toupper}};\n  if ({when}) memset(&{o}, 0, sizeof {o});\n  {keep}\n}}"
    ))
}

/// In a function that the libc calls. Which pairs it compares is its own affair: there is only one.
fn in_comparison(w: &mut Writer) -> Statement {
    let (c, a) = (w.fresh("compare"), w.fresh("a"));
    let x = w.below(16);
    let keep = w.keep(&format!("{a}[0]"));
    w.spend(4);
    Statement::plain(&format!(
        "{{\n  unsigned {a}[] = {{9, {x}}};\n  qsort({a}, 2, sizeof *{a}, {c});\n  {keep}\n}}"
    ))
    .with_global(&format!(
        "static int {c}(const void *a, const void *b) {{\n  unsigned p = *(const unsigned *)a, q = *(const unsigned *)b;\n  \
           return 60u / (p ^ q ^ {}u) > 5 ? (p > q) - (p < q) : (p < q) - (p > q);\n}}",
        w.lots.below(16)
    ))
}
