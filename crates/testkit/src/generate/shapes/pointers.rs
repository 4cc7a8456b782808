//! Pointers that may lead to several objects.

use super::super::tree::Statement;
use super::super::writer::Writer;

/// Every shape.
pub const SHAPES: &[super::Shape] = &[
    table, table, table, chosen, twice, linked, functions, interior, records, numbers, rows, moved,
    sized, compared, allocated,
];

/// How far behind an object an error may be: less than what sanitizers keep free behind it.
const BEYOND: usize = 4;

/// One of several objects, with its size: a global, a local or one from the heap.
fn object(w: &mut Writer, ty: &str, text: &mut String, frees: &mut String) -> (String, usize) {
    let (name, size) = (w.fresh("o"), 1 + w.lots.below(7));
    let bytes = w.bytes(size);
    match w.lots.below(3) {
        0 => text.push_str(&format!("  static {ty} {name}[{size}] = {{{bytes}}};\n")),
        1 => text.push_str(&format!("  {ty} {name}[{size}] = {{{bytes}}};\n")),
        _ => {
            text.push_str(&format!(
                "  {ty} *{name} = malloc({size} * sizeof *{name});\n  \
                   for (unsigned i = 0; i < {size}u; i++) {name}[i] = ({ty})(i * {}u);\n",
                3 + w.lots.below(50)
            ));
            frees.push_str(&format!("  free({name});\n"));
        }
    }
    (name, size)
}

/// A table of pointers to objects of different sizes.
fn table(w: &mut Writer) -> Statement {
    let ty = w.lots.one(&["unsigned char", "unsigned char", "unsigned short", "unsigned"]);
    let (mut text, mut frees) = ("{\n".to_owned(), String::new());
    let count = 2 + w.lots.below(3);
    let objects: Vec<_> = (0..count).map(|_| object(w, ty, &mut text, &mut frees)).collect();
    let (t, n) = (w.fresh("t"), w.fresh("n"));
    let names: Vec<&str> = objects.iter().map(|(name, _)| name.as_str()).collect();
    let sizes: Vec<String> = objects.iter().map(|(_, size)| format!("{size}u")).collect();
    text.push_str(&format!("  {ty} *{t}[] = {{{}}};\n", names.join(", ")));
    text.push_str(&format!("  const unsigned {n}[] = {{{}}};\n", sizes.join(", ")));
    for _ in 0..1 + w.lots.below(2) {
        let (which, at, i) = (w.below(count), w.number(), w.fresh("i"));
        text.push_str(&format!("  unsigned {i} = {which};\n"));
        // Elements of four bytes: two of them are further away than is safe.
        let beyond = if ty == "unsigned" { 1 } else { BEYOND };
        let wrong = w.errors && w.lots.percent(30);
        let at = match wrong {
            true => format!("{at} % ({n}[{i}] + {}u)", 1 + w.lots.below(beyond)),
            false => format!("{at} % {n}[{i}]"),
        };
        if w.lots.percent(50) {
            text.push_str(&format!("  {t}[{i}][{at}] = ({ty})({});\n", w.number()));
        } else {
            let keep = w.keep(&format!("{t}[{i}][{at}]"));
            text.push_str(&format!("  {keep}\n"));
        }
        w.spend(count + usize::from(wrong) * count);
    }
    for (name, size) in &objects {
        let at = w.lots.below(*size);
        let keep = w.keep(&format!("{name}[{at}]"));
        text.push_str(&format!("  {keep}\n"));
    }
    Statement::plain(&format!("{text}{frees}}}"))
}

/// A pointer that a condition chooses.
fn chosen(w: &mut Writer) -> Statement {
    let (mut text, mut frees) = ("{\n".to_owned(), String::new());
    let (a, n) = object(w, "unsigned char", &mut text, &mut frees);
    let (b, m) = object(w, "unsigned char", &mut text, &mut frees);
    let (p, least) = (w.fresh("p"), n.min(m));
    text.push_str(&format!("  unsigned char *{p} = {} ? {a} : {b};\n", w.condition()));
    text.push_str(&format!("  {p} += {};\n", w.below(least)));
    text.push_str(&format!("  *{p} ^= (unsigned char){};\n", w.number()));
    let keep = w.keep(&format!("*{p} + {a}[0] * 3u + {b}[{}] * 7u", m - 1));
    w.spend(2);
    Statement::plain(&format!("{text}  {keep}\n{frees}}}"))
}

/// Pointers to pointers.
fn twice(w: &mut Writer) -> Statement {
    let (p, q, pp) = (w.fresh("p"), w.fresh("q"), w.fresh("pp"));
    let (a, b, c) = (w.fresh("a"), w.fresh("b"), w.fresh("c"));
    let (first, second, third) = (w.condition(), w.condition(), w.condition());
    let (x, y) = (w.number(), w.number());
    let keep = w.keep(&format!("{a} + {b} * 3u + {c} * 5u + *{q}"));
    w.spend(6);
    Statement::plain(&format!(
        "{{\n  unsigned {a} = 1, {b} = 2, {c} = 3;\n  unsigned *{p} = {first} ? &{a} : &{b};\n  \
           unsigned *{q} = {second} ? &{c} : {p};\n  unsigned **{pp} = {third} ? &{p} : &{q};\n  \
           **{pp} = {x};\n  *{pp} = &{c};\n  *{p} += {y} & 15u;\n  {keep}\n}}"
    ))
}

/// A list whose links depend on the input.
fn linked(w: &mut Writer) -> Statement {
    let (s, n, p) = (w.fresh("node"), w.fresh("n"), w.fresh("p"));
    let count = 3 + w.lots.below(2);
    let mut text = format!("{{\n  struct {s} {n}[{count}];\n");
    for at in 0..count {
        let next = match w.lots.below(3) {
            0 => "NULL".to_owned(),
            1 => format!("&{n}[{}]", w.below(count)),
            _ => format!("&{n}[{}]", (at + 1) % count),
        };
        let value = w.lots.below(100);
        text.push_str(&format!("  {n}[{at}].value = {value};\n  {n}[{at}].next = {next};\n"));
    }
    let steps = 2 + w.lots.below(3);
    let guard = if w.errors && w.lots.percent(30) { String::new() } else { format!(" && {p}") };
    text.push_str(&format!("  struct {s} *{p} = &{n}[{}];\n", w.below(count)));
    let keep = w.keep(&format!("{p}->value"));
    text.push_str(&format!(
        "  for (int k = 0; k < {steps}{guard}; k++) {{\n    {keep}\n    {p} = {p}->next;\n  }}\n}}"
    ));
    w.spend(count * 3);
    Statement::plain(&text)
        .with_global(&format!("struct {s} {{ unsigned value; struct {s} *next; }};"))
}

/// A table of functions, which may have a hole.
fn functions(w: &mut Writer) -> Statement {
    let (f, g, h, t) = (w.fresh("f"), w.fresh("f"), w.fresh("f"), w.fresh("t"));
    let k = 1 + w.lots.below(9);
    let hole = w.errors && w.lots.percent(25);
    let fourth = if hole { "NULL" } else { &f };
    let call = format!("{t}[{}]({}, {})", w.below(4), w.number(), w.number());
    let keep = w.keep(&call);
    w.spend(4);
    Statement::plain(&format!(
        "{{\n  unsigned (*const {t}[])(unsigned, unsigned) = {{{f}, {g}, {h}, {fourth}}};\n  {keep}\n}}"
    ))
    .with_global(&format!(
        "static unsigned {f}(unsigned p, unsigned q) {{ return p + q * {k}u; }}\n\
         static unsigned {g}(unsigned p, unsigned q) {{ return p > q ? p - q : q - p; }}\n\
         static unsigned {h}(unsigned p, unsigned q) {{ return (p & 7u) == {}u ? q : p ^ q; }}",
        k & 7
    ))
}

/// Pointers inside an array, and to its end.
fn interior(w: &mut Writer) -> Statement {
    let (a, p, e) = (w.fresh("a"), w.fresh("p"), w.fresh("e"));
    let size = 3 + w.lots.below(5);
    let ty = w.lots.one(&["unsigned char", "short", "int"]);
    let bytes = w.bytes(size);
    let start = w.below(size + 1);
    let add = w.keep(&format!("*{p}++"));
    let order = w.keep(&format!("{e} - {p} + ({p} < {a} + {} ? 100 : 0)", size / 2));
    let wrong = w.errors && w.lots.percent(30);
    let beyond = w.lots.below(2);
    let last = if wrong { w.keep(&format!("{p}[{beyond}]")) } else { String::new() };
    w.spend(size + 1 + usize::from(wrong));
    let run = if w.lots.percent(60) {
        format!("  while ({p} != {e}) {{ {add} }}\n")
    } else {
        String::new()
    };
    let reset =
        if wrong { format!("  {p} = {a} + {};\n", w.below(size + 1)) } else { String::new() };
    Statement::plain(&format!(
        "{{\n  static const {ty} {a}[] = {{{bytes}}};\n  const {ty} *{p} = {a} + {start}, *{e} = {a} + {size};\n  \
           {order}\n{run}{reset}  {last}\n}}"
    ))
}

/// An array of records with pointers.
fn records(w: &mut Writer) -> Statement {
    let (s, r, p, i) = (w.fresh("record"), w.fresh("r"), w.fresh("p"), w.fresh("i"));
    let wrong = w.errors && w.lots.percent(30);
    let more = usize::from(wrong);
    let at = w.number();
    let keep = w.keep(&format!("{p}->data[{i}] + {p}->count * 16u"));
    let letter = w.number();
    let name = w.keep(&format!("(unsigned char){p}->name[{letter} % ({p}->count + 1u)]"));
    w.spend(6 + 3 * more);
    Statement::plain(&format!(
        "{{\n  const struct {s} *{p} = &{r}[{}];\n  unsigned {i} = {at} % ({p}->count + {more}u);\n  {keep}\n  {name}\n}}",
        w.below(3)
    ))
    .with_global(&format!(
        "struct {s} {{ const char *name; unsigned count; const unsigned char *data; }};\n\
         static const unsigned char {r}a[] = {{{}}}, {r}b[] = {{{}}}, {r}c[] = {{{}}};\n\
         static const struct {s} {r}[] = {{{{\"q\", 1, {r}a}}, {{\"rs\", 2, {r}b}}, {{\"tuvw\", 4, {r}c}}}};",
        w.bytes(1),
        w.bytes(2),
        w.bytes(4)
    ))
}

/// Addresses as numbers: kept in one, tagged, and taken out again.
fn numbers(w: &mut Writer) -> Statement {
    let (a, b, u, p) = (w.fresh("a"), w.fresh("b"), w.fresh("u"), w.fresh("p"));
    let (c, tag) = (w.condition(), w.condition());
    let keep = w.keep(&format!("*{p} + ({u} & 1u) * 100u"));
    let write = w.number();
    w.spend(4);
    Statement::plain(&format!(
        "{{\n  unsigned {a} = 11, {b} = 12;\n  uintptr_t {u} = (uintptr_t)({c} ? &{a} : &{b});\n  \
           if ({tag}) {u} |= 1u;\n  unsigned *{p} = (unsigned *)({u} & ~(uintptr_t)1);\n  \
           *{p} += {write} & 3u;\n  {keep}\n}}"
    ))
}

/// Rows of a matrix, through pointers to arrays.
fn rows(w: &mut Writer) -> Statement {
    let (m, r) = (w.fresh("m"), w.fresh("r"));
    let (i, j, k, l) = (w.below(3), w.below(4), w.below(3), w.below(4));
    let write = w.number();
    let keep = w.keep(&format!("(*{r})[{l}] + {m}[{k}][{j}]"));
    w.spend(1);
    Statement::plain(&format!(
        "{{\n  unsigned char {m}[3][4] = {{{{{}}}, {{{}}}, {{{}}}}};\n  unsigned char (*{r})[4] = &{m}[{i}];\n  \
           (*{r})[{j}] = (unsigned char)({write});\n  {keep}\n}}",
        w.bytes(4),
        w.bytes(4),
        w.bytes(4)
    ))
}

/// Structs with pointers that are copied and exchanged.
fn moved(w: &mut Writer) -> Statement {
    let (s, a, b, t) = (w.fresh("pair"), w.fresh("a"), w.fresh("b"), w.fresh("t"));
    let swap = w.condition();
    let (x, y) = (w.below(2), w.below(3));
    let keep = w.keep(&format!("{a}.data[{x}] + {b}.data[{y} % {b}.count] * 9u"));
    w.spend(4);
    Statement::plain(&format!(
        "{{\n  static unsigned char {a}d[] = {{{}}}, {b}d[] = {{{}}};\n  \
           struct {s} {a} = {{2, {a}d}}, {b} = {{3, {b}d}}, {t};\n  \
           if ({swap}) {{\n    memcpy(&{t}, &{a}, sizeof {t});\n    {a} = {b};\n    {b} = {t};\n  }}\n  {keep}\n}}",
        w.bytes(2),
        w.bytes(3)
    ))
    .with_global(&format!("struct {s} {{ unsigned count; unsigned char *data; }};"))
}

/// An object whose size depends on the input.
fn sized(w: &mut Writer) -> Statement {
    let (n, p) = (w.fresh("n"), w.fresh("p"));
    let size = w.below(4);
    let at = w.number();
    let wrong = w.errors && w.lots.percent(30);
    let more = if wrong { 1 + w.lots.below(2) } else { 0 };
    let value = w.number();
    let keep = w.keep(&format!("{p}[0] + {p}[{n} - 1u] * 2u"));
    w.spend(4 + 4 * usize::from(wrong));
    Statement::plain(&format!(
        "{{\n  unsigned {n} = 1u + {size};\n  unsigned char *{p} = calloc({n}, 1);\n  \
           {p}[{at} % ({n} + {more}u)] = (unsigned char)({value});\n  {keep}\n  free({p});\n}}"
    ))
}

/// Pointers to different objects, compared for equality.
fn compared(w: &mut Writer) -> Statement {
    let (a, t, p, q) = (w.fresh("a"), w.fresh("t"), w.fresh("p"), w.fresh("q"));
    let (i, j) = (w.below(3), w.below(4));
    let keep = w.keep(&format!("({p} == {q} ? 50u : 20u) + ({q} ? *{p} : 1u)"));
    w.spend(6);
    Statement::plain(&format!(
        "{{\n  static unsigned {a}[3] = {{4, 5, 6}};\n  unsigned *{t}[] = {{&{a}[2], {a}, &v0, NULL}};\n  \
           unsigned *{p} = {t}[{i}], *{q} = {t}[{j}];\n  {keep}\n}}"
    ))
}

/// Objects that are grown and moved.
fn allocated(w: &mut Writer) -> Statement {
    let (p, q, n) = (w.fresh("p"), w.fresh("q"), w.fresh("n"));
    let (size, more) = (1 + w.lots.below(4), 1 + w.lots.below(6));
    let (when, at, value) = (w.condition(), w.number(), w.number());
    let keep = w.keep(&format!("{p}[{at} % {n}] + {p}[{}] * 3u", size - 1));
    w.spend(4);
    Statement::plain(&format!(
        "{{\n  unsigned {n} = {size};\n  unsigned char *{p} = malloc({n});\n  memset({p}, {}, {n});\n  \
           if ({when}) {{\n    unsigned char *{q} = realloc({p}, {n} + {more});\n    if (!{q}) return 70;\n    \
             {p} = {q};\n    memset({p} + {n}, 9, {more});\n    {n} += {more};\n  }}\n  \
           {p}[0] = (unsigned char)({value});\n  {keep}\n  free({p});\n}}",
        w.lots.below(256)
    ))
}
