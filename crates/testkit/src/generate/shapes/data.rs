//! Data structures as programs build them: trees, chains and queues on the heap, objects of a size that
//! is computed, records with bits, tags and arrays in them.

use super::super::tree::Statement;
use super::super::writer::Writer;

/// Every shape.
pub const SHAPES: &[super::Shape] = &[
    tree, chained, ring, flexible, variable, taken, reversed, ragged, packed, tagged, bits,
    assigned, names, exchanged,
];

/// A search tree.
fn tree(w: &mut Writer) -> Statement {
    let (s, f, r) = (w.fresh("node"), w.fresh("f"), w.fresh("root"));
    let keys = [w.below(8), w.below(8), w.lots.below(8).to_string()];
    let keep = w.keep(&format!("{f}sum({r}, 1)"));
    w.spend(6);
    Statement::plain(&format!(
        "{{\n  struct {s} *{r} = NULL;\n  {f}add(&{r}, {});\n  {f}add(&{r}, {});\n  {f}add(&{r}, {});\n  {keep}\n  {f}free({r});\n}}",
        keys[2], keys[0], keys[1]
    ))
    .with_global(&format!(
        "struct {s} {{ struct {s} *less, *more; unsigned key; }};\n\
         static void {f}add(struct {s} **at, unsigned key) {{\n  \
           while (*at && (*at)->key != key) at = key < (*at)->key ? &(*at)->less : &(*at)->more;\n  \
           if (*at) return;\n  *at = calloc(1, sizeof **at);\n  (*at)->key = key;\n}}\n\
         static unsigned {f}sum(const struct {s} *at, unsigned depth) {{\n  \
           return at ? {f}sum(at->less, depth + 1) + at->key * depth + {f}sum(at->more, depth * 2) * 3u : 0;\n}}\n\
         static void {f}free(struct {s} *at) {{\n  if (!at) return;\n  {f}free(at->less);\n  {f}free(at->more);\n  free(at);\n}}"
    ))
}

/// A hash table with chains.
fn chained(w: &mut Writer) -> Statement {
    let (s, f, t, p) = (w.fresh("link"), w.fresh("f"), w.fresh("t"), w.fresh("p"));
    let buckets = 2 + w.lots.below(2);
    let (x, y, z) = (w.number(), w.below(16), w.below(16));
    let keep = w.keep(&format!("{f}value({t}, {z})"));
    w.spend(buckets * 6);
    Statement::plain(&format!(
        "{{\n  struct {s} *{t}[{buckets}] = {{NULL}};\n  {f}put({t}, 5, 50);\n  {f}put({t}, {y}, {x} & 255u);\n  {keep}\n  \
           for (unsigned i = 0; i < {buckets}; i++)\n    while ({t}[i]) {{\n      struct {s} *{p} = {t}[i];\n      \
             {t}[i] = {p}->next;\n      free({p});\n    }}\n}}"
    ))
    .with_global(&format!(
        "struct {s} {{ unsigned key, value; struct {s} *next; }};\n\
         static void {f}put(struct {s} **t, unsigned key, unsigned value) {{\n  \
           struct {s} *fresh = malloc(sizeof *fresh), **at = &t[key % {buckets}u];\n  \
           fresh->key = key, fresh->value = value, fresh->next = *at;\n  *at = fresh;\n}}\n\
         static unsigned {f}value(struct {s} *const *t, unsigned key) {{\n  \
           for (const struct {s} *at = t[key % {buckets}u]; at; at = at->next)\n    if (at->key == key) return at->value + 1u;\n  \
           return 0;\n}}"
    ))
}

/// A queue in an array, whose ends go round.
fn ring(w: &mut Writer) -> Statement {
    let (q, h, n) = (w.fresh("q"), w.fresh("head"), w.fresh("n"));
    let (size, start, more) = (3 + w.lots.below(3), w.below(3), w.below(4));
    let (x, out) = (w.number(), w.below(3));
    let keep = w.keep(&format!("{q}[({h} + {out}) % {size}u] * 5u + {h}"));
    w.spend(6);
    Statement::plain(&format!(
        "{{\n  unsigned {q}[{size}] = {{{}}}, {h} = {start}, {n} = 0;\n  \
           for (unsigned i = 0; i <= {more}; i++) {q}[({h} + {n}++) % {size}u] = {x} + i;\n  \
           {h} = ({h} + 1u) % {size}u;\n  {keep}\n}}",
        w.bytes(size)
    ))
}

/// A struct that ends with an array of any length.
fn flexible(w: &mut Writer) -> Statement {
    let (s, p, i) = (w.fresh("tail"), w.fresh("p"), w.fresh("i"));
    let (n, at, x) = (w.below(4), w.number(), w.number());
    let wrong = usize::from(w.errors && w.lots.percent(30));
    let keep = w.keep(&format!("{p}->data[{at} % ({p}->count + {wrong}u)] + {p}->data[0]"));
    w.spend(4 + 4 * wrong);
    Statement::plain(&format!(
        "{{\n  unsigned {i} = 1u + {n};\n  struct {s} *{p} = malloc(sizeof *{p} + {i} * sizeof {p}->data[0]);\n  \
           {p}->count = {i};\n  while ({i}--) {p}->data[{i}] = (unsigned short)({x} >> {i});\n  {keep}\n  free({p});\n}}"
    ))
    .with_global(&format!("struct {s} {{ unsigned count; unsigned short data[]; }};"))
}

/// An array on the stack whose length is computed.
fn variable(w: &mut Writer) -> Statement {
    let (a, n, i) = (w.fresh("a"), w.fresh("n"), w.fresh("i"));
    let (more, at, x) = (w.below(4), w.number(), w.number());
    let wrong = usize::from(w.errors && w.lots.percent(30));
    let keep = w.keep(&format!("{a}[{at} % ({n} + {wrong}u)] * 3u + sizeof {a}"));
    w.spend(4 + 4 * wrong);
    Statement::plain(&format!(
        "{{\n  unsigned {n} = 1u + {more};\n  unsigned char {a}[{n}];\n  \
           for (unsigned {i} = 0; {i} < {n}; {i}++) {a}[{i}] = (unsigned char)({x} + {i});\n  {keep}\n}}"
    ))
}

/// Memory of the stack, taken piece by piece.
fn taken(w: &mut Writer) -> Statement {
    let (p, l, i) = (w.fresh("p"), w.fresh("last"), w.fresh("i"));
    let (n, x) = (w.below(3), w.number());
    let keep = w.keep(&format!("*{p} + **(unsigned **)({p} + 2)"));
    w.spend(3);
    Statement::plain(&format!(
        "{{\n  unsigned v{l} = {x}, *{l} = &v{l}, *{p} = NULL;\n  for (unsigned {i} = 0; {i} <= {n}; {i}++) {{\n    \
           {p} = __builtin_alloca(16);\n    *{p} = {i} + *{l};\n    memcpy({p} + 2, &{l}, sizeof {l});\n    {l} = {p};\n  }}\n  {keep}\n}}"
    ))
}

/// A list on the heap that loses an element and is turned round.
fn reversed(w: &mut Writer) -> Statement {
    let (s, h, p, b) = (w.fresh("cell"), w.fresh("head"), w.fresh("p"), w.fresh("back"));
    let (x, lost) = (w.number(), w.below(4));
    let forgets = w.errors && w.lots.percent(20);
    // What is freed is looked at once more.
    let look = if forgets { format!("      {b} = {p}->next;\n") } else { String::new() };
    let keep = w.keep(&format!("{h}->value + 3u"));
    w.spend(5);
    Statement::plain(&format!(
        "{{\n  struct {s} *{h} = NULL, *{b} = NULL;\n  for (unsigned i = 0; i < 4u; i++) {{\n    \
           struct {s} *{p} = malloc(sizeof *{p});\n    {p}->value = {x} + i * 9u;\n    {p}->next = {h};\n    {h} = {p};\n  }}\n  \
           unsigned i{p} = 0;\n  for (struct {s} **at = &{h}; *at; i{p}++) {{\n    struct {s} *{p} = *at;\n    \
             if (i{p} == {lost}) {{\n      *at = {p}->next;\n      free({p});\n{look}    }} else at = &{p}->next;\n  }}\n  \
           {b} = NULL;\n  while ({h}) {{\n    struct {s} *{p} = {h}->next;\n    {h}->next = {b};\n    {b} = {h};\n    {h} = {p};\n  }}\n  \
           while ({b}) {{\n    {h} = {b};\n    {keep}\n    {b} = {b}->next;\n    free({h});\n  }}\n}}"
    ))
    .with_global(&format!("struct {s} {{ unsigned value; struct {s} *next; }};"))
}

/// Rows of different lengths, each an object.
fn ragged(w: &mut Writer) -> Statement {
    let (m, i) = (w.fresh("m"), w.fresh("i"));
    let (row, at, x) = (w.below(3), w.number(), w.number());
    let wrong = usize::from(w.errors && w.lots.percent(30));
    let keep = w.keep(&format!("{m}[{row}][{at} % ({row} + 1u + {wrong}u)]"));
    w.spend(6 + 3 * wrong);
    Statement::plain(&format!(
        "{{\n  unsigned char **{m} = malloc(3 * sizeof *{m});\n  for (unsigned {i} = 0; {i} < 3u; {i}++) {{\n    \
           {m}[{i}] = calloc({i} + 1u, 1);\n    {m}[{i}][{i}] = (unsigned char)({x} >> {i});\n  }}\n  {keep}\n  \
           for (unsigned {i} = 0; {i} < 3u; {i}++) free({m}[{i}]);\n  free({m});\n}}"
    ))
}

/// Records without padding.
fn packed(w: &mut Writer) -> Statement {
    let (s, a, b) = (w.fresh("packed"), w.fresh("a"), w.fresh("b"));
    let (i, k, x, at) = (w.below(3), w.below(3), w.number(), w.below(21));
    let keep = w.keep(&format!("{a}[{k}].word ^ {a}[{i}].half ^ {b}[{at}]"));
    w.spend(3);
    Statement::plain(&format!(
        "{{\n  struct __attribute__((packed)) {s} {{ unsigned char byte; unsigned word; unsigned short half; }};\n  \
           struct {s} {a}[3] = {{{{1, 2, 3}}, {{4, 5, 6}}, {{7, 8, 9}}}};\n  unsigned char {b}[sizeof {a}];\n  \
           {a}[{i}].word = {x};\n  {a}[{i}].half += 500;\n  memcpy({b}, {a}, sizeof {b});\n  {keep}\n}}"
    ))
}

/// A union that a tag tells apart.
fn tagged(w: &mut Writer) -> Statement {
    let (s, f, t) = (w.fresh("variant"), w.fresh("f"), w.fresh("t"));
    let (i, x, y) = (w.below(4), w.number(), w.number());
    let keep = w.keep(&format!("{f}(&{t}[{i}]) + {f}(&{t}[0])"));
    w.spend(4);
    Statement::plain(&format!(
        "{{\n  struct {s} {t}[4] = {{{{NUMBER{s}, {{.number = {x}}}}}, {{TEXT{s}, {{.text = \"word\"}}}}, \
           {{PAIR{s}, {{.pair = {{(unsigned short)({y}), 3}}}}}}, {{REAL{s}, {{.real = 2.5}}}}}};\n  \
           {t}[1].of.text += {i};\n  {keep}\n}}"
    ))
    .with_global(&format!(
        "struct {s} {{\n  enum {{ NUMBER{s}, TEXT{s} = 5, PAIR{s}, REAL{s} = -1 }} tag;\n  \
           union {{ unsigned number; const char *text; struct {{ unsigned short low, high; }} pair; double real; }} of;\n}};\n\
         static unsigned {f}(const struct {s} *v) {{\n  switch (v->tag) {{\n  case NUMBER{s}: return v->of.number;\n  \
           case TEXT{s}: return (unsigned)strlen(v->of.text) + (unsigned char)*v->of.text;\n  \
           case PAIR{s}: return v->of.pair.low * v->of.pair.high + 1u;\n  case REAL{s}: return (unsigned)(v->of.real * 4);\n  }}\n  \
           return 77;\n}}"
    ))
}

/// Bit-fields of several types in an array.
fn bits(w: &mut Writer) -> Statement {
    let (s, a) = (w.fresh("bits"), w.fresh("a"));
    let (i, k, x, y) = (w.below(3), w.below(3), w.number(), w.number());
    let keep = w.keep(&format!(
        "{a}[{k}].flag + {a}[{k}].small * 2 + (unsigned)({a}[{i}].wide >> 30) + {a}[{i}].last"
    ));
    w.spend(3);
    Statement::plain(&format!(
        "{{\n  struct {s} {{ _Bool flag : 1; int small : 4; unsigned long wide : 37; unsigned : 0; unsigned char last : 3; }};\n  \
           struct {s} {a}[3] = {{{{0, 1, 2, 3}}, {{1, -8, 1, 7}}, {{0, 7, 0, 0}}}};\n  {a}[{i}].flag = {x};\n  \
           {a}[{i}].small = (int)({y} & 7u) - 8;\n  {a}[{i}].wide = (unsigned long)({x}) << 5;\n  {a}[{i}].last += 5;\n  {keep}\n}}"
    ))
}

/// Structs with arrays that are assigned, passed and returned.
fn assigned(w: &mut Writer) -> Statement {
    let (s, f, a) = (w.fresh("block"), w.fresh("f"), w.fresh("a"));
    let (i, k, x, at) = (w.below(2), w.below(2), w.number(), w.below(5));
    let keep =
        w.keep(&format!("{a}[0].data[{at}] + {a}[1].data[{at}] * 3u + (unsigned){a}[1].sum"));
    w.spend(3);
    Statement::plain(&format!(
        "{{\n  struct {s} {a}[2] = {{{{{{1, 2, 3, 4, 5}}, 6}}, {{{{9, 8}}, -7}}}};\n  \
           {a}[{i}] = {f}({a}[{k}], {x});\n  *({a} + {k}) = {a}[{i}];\n  {keep}\n}}"
    ))
    .with_global(&format!(
        "struct {s} {{ unsigned short data[5]; long sum; }};\n\
         static struct {s} {f}(struct {s} by, unsigned x) {{\n  by.data[x % 5u]++;\n  by.sum += (int)(x & 255u);\n  return by;\n}}"
    ))
}

/// Texts of different lengths in a table.
fn names(w: &mut Writer) -> Statement {
    let (t, p) = (w.fresh("t"), w.fresh("p"));
    let (i, k, at) = (w.below(4), w.below(4), w.below(3));
    let keep = w.keep(&format!(
        "(strcmp({t}[{i}], {t}[{k}]) > 0) + strlen({p}) * 4u + (unsigned char)*{p}"
    ));
    w.spend(8);
    Statement::plain(&format!(
        "{{\n  static const char *const {t}[] = {{\"ab\", \"abc\", \"\", \"b\\200z\"}};\n  \
           const char *{p} = {t}[{i}];\n  for (unsigned i = {at}; i && *{p}; i--) {p}++;\n  {keep}\n}}"
    ))
}

/// Objects of any type that a function exchanges.
fn exchanged(w: &mut Writer) -> Statement {
    let (f, a, b, c) = (w.fresh("f"), w.fresh("a"), w.fresh("b"), w.fresh("c"));
    let (x, y, when, size) = (w.number(), w.number(), w.condition(), w.below(4));
    let keep = w.keep(&format!("{a} + {b} * 3u + {c} * 5u"));
    w.spend(5);
    Statement::plain(&format!(
        "{{\n  unsigned {a} = {x}, {b} = {y}, {c} = 7;\n  {f}(&{a}, {when} ? &{b} : &{c}, 1u + {size});\n  {keep}\n}}"
    ))
    .with_global(&format!(
        "static void {f}(void *a, void *b, size_t size) {{\n  unsigned char kept[4];\n  memcpy(kept, a, size);\n  \
           memmove(a, b, size);\n  memcpy(b, kept, size);\n}}"
    ))
}
