//! Control flow that C has beside blocks and plain calls: goto, ranges, computed labels, recursion of
//! several functions, jumps out of handlers, arguments of any kind and number, calls through objects.

use super::super::tree::Statement;
use super::super::writer::Writer;

/// Shapes without blocks.
pub const SHAPES: &[super::Shape] =
    &[gotos, ranges, computed, mutual, mixed, from_handler, ordered, objects, lazily, turned];

fn gotos(w: &mut Writer) -> Statement {
    let (i, s, again, done) = (w.fresh("i"), w.fresh("s"), w.fresh("again"), w.fresh("done"));
    let (count, x, when) = (w.below(4), w.number(), w.condition());
    let keep = w.keep(&s);
    let mask = 1 + w.lots.below(255);
    w.spend(8);
    Statement::plain(&format!(
        "{{\n  unsigned {i} = {count}, {s} = {x};\n{again}:\n  {s} = {s} * 3u + {i};\n  \
           if ({i}-- && ({s} & {mask}u)) goto {again};\n  if ({when}) goto {done};\n  {s} ^= 5u;\n{done}:;\n  {keep}\n}}"
    ))
}

/// A switch on ranges, with another one inside.
fn ranges(w: &mut Writer) -> Statement {
    let (a, b) = (w.number(), w.below(4));
    let [one, two, three, four] = ["1", "20", "300", "4000"].map(|number| w.keep(number));
    let inner = w.lots.below(3);
    w.spend(6);
    Statement::plain(&format!(
        "switch ({a} & 255u) {{\n  case 0 ... 9: {one} break;\n  case 'a' ... 'z':\n    \
           switch ({b}) {{\n    case {inner}: {two} break;\n    default: {three}\n    }}\n    /* fall through */\n  \
           case 200 ... 255: {four} break;\n  case 10: break;\n}}"
    ))
}

/// Labels as values.
fn computed(w: &mut Writer) -> Statement {
    let f = w.fresh("f");
    let (at, x) = (w.below(3), w.number());
    let keep = w.keep(&format!("{f}({at}, {x})"));
    w.spend(5);
    Statement::plain(&keep).with_global(&format!(
        "static unsigned {f}(unsigned at, unsigned x) {{\n  \
           static const void *const labels[] = {{&&one, &&two, &&three}};\n  unsigned rounds = 0;\n\
         again:\n  if (rounds++ > 3) return x;\n  goto *labels[at];\n\
         one:\n  x += 3u;\n  at = 2;\n  goto again;\n\
         two:\n  x ^= at + {}u;\n  at = x & 1u;\n  goto again;\n\
         three:\n  return x * 2u;\n}}",
        w.lots.below(16)
    ))
}

/// Two functions that call each other, and hand a struct on.
fn mutual(w: &mut Writer) -> Statement {
    let (s, f, g) = (w.fresh("sums"), w.fresh("f"), w.fresh("g"));
    let (n, x) = (w.below(5), w.number());
    let keep = w.keep(&format!("{f}({n}, (struct {s}){{{x}, 0, {{1, 2, 3}}}}).total"));
    w.spend(5);
    Statement::plain(&keep).with_global(&format!(
        "struct {s} {{ unsigned total; short depth; unsigned char last[3]; }};\n\
         static struct {s} {g}(unsigned n, struct {s} sums);\n\
         static struct {s} {f}(unsigned n, struct {s} sums) {{\n  if (!n) return sums;\n  \
           sums.total += n;\n  sums.last[n % 3] = (unsigned char)++sums.depth;\n  return {g}(n - 1, sums);\n}}\n\
         static struct {s} {g}(unsigned n, struct {s} sums) {{\n  if (!n) {{\n    sums.total ^= sums.last[0];\n    \
           return sums;\n  }}\n  sums.total = sums.total * 3u + sums.last[n % 3];\n  return {f}(n - 1, sums);\n}}"
    ))
}

/// Arguments of several types, in registers and behind them, taken twice.
fn mixed(w: &mut Writer) -> Statement {
    let (f, s) = (w.fresh("f"), w.fresh("pair"));
    let (x, y, z, small) = (w.number(), w.number(), w.number(), w.below(8));
    let (first, second) =
        (w.lots.one(&["uldsp", "dudps", "uuuuuuul"]), w.lots.one(&["u", "ld", "sdp"]));
    let when = w.condition();
    // The letters say what comes, so each list has arguments of its own.
    let argument = |letter: char| match letter {
        'u' => x.clone(),
        'l' => format!("(unsigned long long){y} << 20"),
        'd' => format!("(double)(int)({small}) + 0.5"),
        's' => format!("\"abcdefgh\" + {small}"),
        _ => format!("(struct {s}){{{z}, 2.0}}"),
    };
    let call = |letters: &str| {
        let arguments: Vec<String> = letters.chars().map(argument).collect();
        format!("{f}(\"{letters}\", {})", arguments.join(", "))
    };
    let keep = format!("({when} ? {} : {})", call(first), call(second));
    let keep = w.keep(&keep);
    w.spend(4);
    Statement::plain(&keep).with_global(&format!(
        "struct {s} {{ unsigned x; double y; }};\n\
         static unsigned {f}l(const char *kinds, va_list list) {{\n  unsigned sum = 0;\n  \
           for (; *kinds; kinds++) switch (*kinds) {{\n    case 'u': sum = sum * 3u + va_arg(list, unsigned); break;\n    \
             case 'l': sum ^= (unsigned)(va_arg(list, unsigned long long) >> 16); break;\n    \
             case 'd': sum += (unsigned)(int)(va_arg(list, double) * 2); break;\n    \
             case 's': sum += (unsigned)strlen(va_arg(list, const char *)); break;\n    \
             default: sum += va_arg(list, struct {s}).x;\n  }}\n  return sum;\n}}\n\
         static unsigned {f}(const char *kinds, ...) {{\n  va_list list, again;\n  va_start(list, kinds);\n  \
           va_copy(again, list);\n  unsigned sum = {f}l(kinds, list);\n  sum = sum * 5u + {f}l(kinds, again);\n  \
           va_end(again);\n  va_end(list);\n  return sum;\n}}"
    ))
}

/// A jump out of the handler of a signal, which is not blocked afterwards.
fn from_handler(w: &mut Writer) -> Statement {
    let (j, h, n, k) = (w.fresh("jump"), w.fresh("handler"), w.fresh("n"), w.fresh("k"));
    let when = w.condition();
    let twice = 1 + w.lots.below(2);
    let keep = w.keep(&n);
    w.spend(3);
    Statement::plain(&format!(
        "{{\n  volatile unsigned {n} = 1, {k} = 0;\n  signal(SIGUSR2, {h});\n  \
           if (sigsetjmp({j}, 1)) {n} = {n} * 4u + 100u;\n  \
           if ({k}++ < {twice}u) {{\n    {n} += 7u;\n    if ({when}) raise(SIGUSR2);\n    {n} += 9u;\n  }}\n  {keep}\n}}"
    ))
    .with_global(&format!(
        "static sigjmp_buf {j};\nstatic void {h}(int number) {{ siglongjmp({j}, number); }}"
    ))
}

/// Pointers to records, sorted by two keys.
fn ordered(w: &mut Writer) -> Statement {
    let (s, c, a, t) = (w.fresh("entry"), w.fresh("compare"), w.fresh("a"), w.fresh("t"));
    let (x, y) = (w.below(4), w.below(4));
    let keep = w.keep(&format!(
        "{t}[0]->key + (unsigned char){t}[0]->name[0] * 3u + (unsigned char){t}[2]->name[0] * 7u"
    ));
    w.spend(8);
    Statement::plain(&format!(
        "{{\n  const struct {s} {a}[] = {{{{\"bc\", {x}}}, {{\"a\", {y}}}, {{\"b\", {}}}}};\n  \
           const struct {s} *{t}[] = {{&{a}[2], &{a}[0], &{a}[1]}};\n  \
           qsort({t}, 3, sizeof *{t}, {c});\n  {keep}\n}}",
        w.lots.below(4)
    ))
    .with_global(&format!(
        "struct {s} {{ const char *name; unsigned key; }};\n\
         static int {c}(const void *a, const void *b) {{\n  \
           const struct {s} *p = *(const struct {s} *const *)a, *q = *(const struct {s} *const *)b;\n  \
           return p->key != q->key ? (p->key < q->key ? -1 : 1) : strcmp(p->name, q->name);\n}}"
    ))
}

/// Objects with a function each, which a call may exchange.
fn objects(w: &mut Writer) -> Statement {
    let (s, f, g, o) = (w.fresh("object"), w.fresh("f"), w.fresh("g"), w.fresh("o"));
    let (i, k, x, y) = (w.below(2), w.below(2), w.number(), w.number());
    let keep = w.keep(&format!(
        "{o}[{i}].run(&{o}[{i}], {x}) + {o}[{k}].run(&{o}[{k}], {y}) + {o}[0].state * 3u"
    ));
    w.spend(6);
    Statement::plain(&format!("{{\n  struct {s} {o}[] = {{{{{f}, 1}}, {{{g}, 2}}}};\n  {keep}\n}}"))
        .with_global(&format!(
            "struct {s} {{ unsigned (*run)(struct {s} *, unsigned); unsigned state; }};\n\
             static unsigned {g}(struct {s} *own, unsigned x);\n\
             static unsigned {f}(struct {s} *own, unsigned x) {{\n  own->state += x & 7u;\n  \
               if (x & {}u) own->run = {g};\n  return own->state;\n}}\n\
             static unsigned {g}(struct {s} *own, unsigned x) {{\n  own->state ^= x & 3u;\n  return x + own->state;\n}}",
            1 << w.lots.below(4)
        ))
}

/// Operands that run or not.
fn lazily(w: &mut Writer) -> Statement {
    let (f, n) = (w.fresh("f"), w.fresh("n"));
    let (x, y, z) = (w.below(8), w.below(8), w.below(8));
    let k = w.lots.below(8);
    let keep = w.keep(&format!("(({f}({x}) && {f}({y})) || !{f}({z}) ? 10u : 20u) + {n}"));
    w.spend(5);
    Statement::plain(&format!("{n} = 0;\n{keep}")).with_global(&format!(
        "static unsigned {n};\nstatic int {f}(unsigned x) {{\n  {n} = {n} * 2u + 1u;\n  return x > {k}u;\n}}"
    ))
}

/// Loops that test at their end, go on early and end early.
fn turned(w: &mut Writer) -> Statement {
    let (i, k, s) = (w.fresh("i"), w.fresh("k"), w.fresh("s"));
    let (n, x) = (w.below(3), w.number());
    let (skip, stop) = (w.lots.below(3), 2 + w.lots.below(3));
    let keep = w.keep(&s);
    w.spend(6);
    Statement::plain(&format!(
        "{{\n  unsigned {i} = 0, {s} = {x};\n  do {{\n    if ({i} == {skip}u) continue;\n    \
           for (unsigned {k} = 0;; {k}++) {{\n      if ({k} >= {n}) break;\n      {s} = {s} * 3u + {k};\n      \
             if (({s} & 15u) == {stop}u) break;\n    }}\n    {s} += {i};\n  }} while (++{i} < {stop}u);\n  {keep}\n}}"
    ))
}
