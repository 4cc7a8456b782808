//! Control flow: branches, loops, switches, calls, recursion, jumps out of calls; sorting.

use super::super::tree::Statement;
use super::super::writer::Writer;

/// Shapes without blocks.
pub const SHAPES: &[super::Shape] = &[jump, switch, recursive, sorted, found, variadic];

/// A jump out of nested calls.
fn jump(w: &mut Writer) -> Statement {
    let (j, f, r, n) = (w.fresh("jump"), w.fresh("f"), w.fresh("r"), w.fresh("n"));
    let (depth, k) = (w.below(4), w.lots.below(6));
    let keep = w.keep(&format!("(unsigned){r} + {n}"));
    w.spend(5);
    Statement::plain(&format!(
        "{{\n  volatile unsigned {n} = 0;\n  int {r} = setjmp({j});\n  if ({r} < 3) {{\n    {n} = {n} + 10;\n    \
             {f}({depth} + (unsigned){r}, 0);\n  }}\n  {keep}\n}}"
    ))
    .with_global(&format!(
        "static jmp_buf {j};\nstatic void {f}(unsigned n, unsigned depth) {{\n  \
           if (n * 2u + depth == {k}u) longjmp({j}, (int)n + 1);\n  if (n) {f}(n - 1, depth + 1);\n}}"
    ))
}

fn switch(w: &mut Writer) -> Statement {
    let on = w.below(8);
    let cases: String = (0..4)
        .map(|at| {
            let number = w.number();
            let (keep, ends) = (w.keep(&number), w.lots.percent(70));
            let end = if ends { " break;" } else { " /* fall through */" };
            format!("  case {}: {keep}{end}\n", at * 2 + w.lots.below(2))
        })
        .collect();
    let other = w.keep("9");
    w.spend(5);
    Statement::plain(&format!("switch ({on}) {{\n{cases}  default: {other}\n}}"))
}

fn recursive(w: &mut Writer) -> Statement {
    let f = w.fresh("f");
    let (depth, value) = (w.below(5), w.number());
    let keep = w.keep(&format!("{f}({depth}, {value})"));
    w.spend(5);
    Statement::plain(&keep).with_global(&format!(
        "static unsigned {f}(unsigned n, unsigned x) {{\n  \
           if (!n) return x;\n  return (x & 1u ? 3u : 1u) + {f}(n - 1, x >> 1);\n}}"
    ))
}

/// Values that are sorted by a function of the program.
fn sorted(w: &mut Writer) -> Statement {
    let (c, a) = (w.fresh("compare"), w.fresh("a"));
    let size = 2 + w.lots.below(2);
    let values: Vec<String> = (0..size).map(|_| w.number()).collect();
    let keep = w.keep(&format!("{a}[0] * 3u + {a}[{}]", size - 1));
    let sign = w.lots.one(&["<", ">"]);
    w.spend(size * 2);
    Statement::plain(&format!(
        "{{\n  unsigned {a}[] = {{{}}};\n  qsort({a}, {size}, sizeof *{a}, {c});\n  {keep}\n}}",
        values.join(", ")
    ))
    .with_global(&format!(
        "static int {c}(const void *a, const void *b) {{\n  \
           unsigned p = *(const unsigned *)a, q = *(const unsigned *)b;\n  \
           return p {sign} q ? -1 : p != q;\n}}"
    ))
}

/// A value that is looked for in a sorted table.
fn found(w: &mut Writer) -> Statement {
    let (c, t, k, p) = (w.fresh("compare"), w.fresh("t"), w.fresh("k"), w.fresh("p"));
    let key = w.number();
    let keep = w.keep(&format!("{p} ? {p} - {t} + 1 : 0"));
    w.spend(6);
    Statement::plain(&format!(
        "{{\n  static const unsigned char {t}[] = {{3, 9, 40, 41, 100, 200}};\n  \
           unsigned char {k} = (unsigned char)({key});\n  \
           const unsigned char *{p} = bsearch(&{k}, {t}, sizeof {t}, 1, {c});\n  {keep}\n}}"
    ))
    .with_global(&format!(
        "static int {c}(const void *a, const void *b) {{\n  \
           return *(const unsigned char *)a - *(const unsigned char *)b;\n}}"
    ))
}

fn variadic(w: &mut Writer) -> Statement {
    let f = w.fresh("f");
    let (count, x, y, z) = (w.below(4), w.number(), w.number(), w.number());
    let keep = w.keep(&format!("{f}({count}, {x}, {y}, {z})"));
    w.spend(4);
    Statement::plain(&keep).with_global(&format!(
        "static unsigned {f}(unsigned n, ...) {{\n  va_list list;\n  va_start(list, n);\n  unsigned sum = 0;\n  \
           while (n--) sum = sum * 3u + va_arg(list, unsigned);\n  va_end(list);\n  return sum;\n}}"
    ))
}
