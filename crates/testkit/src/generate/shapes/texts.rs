//! Strings and numbers in text, with functions of the libc.

use super::super::tree::Statement;
use super::super::writer::Writer;

/// Every shape.
pub const SHAPES: &[super::Shape] = &[
    searched, searched, compared, copied, parsed, parsed, printed, scanned, tokens, classified,
    memory, spans,
];

/// A text of a few bytes, some of which depend on the input; it may end early.
fn text(w: &mut Writer, name: &str) -> String {
    let length = 2 + w.lots.below(3);
    let symbolic = w.lots.below(length);
    let characters: Vec<String> = (0..length)
        .map(|at| {
            if at != symbolic {
                return format!("'{}'", w.lots.one(&["a", "b", "c", "x"]));
            }
            match w.lots.below(3) {
                0 => format!("(char)({})", w.input()),
                1 => format!("(char)('a' + {})", w.below(3)),
                _ => format!("\"ab\\0cx\"[{}]", w.below(5)),
            }
        })
        .collect();
    format!("char {name}[] = {{{}, 0}};", characters.join(", "))
}

/// The place of a result in a text, as a number.
fn place(pointer: &str, text: &str) -> String {
    format!("({pointer} ? (unsigned)({pointer} - {text}) + 1u : 0u)")
}

fn searched(w: &mut Writer) -> Statement {
    let (s, p) = (w.fresh("s"), w.fresh("p"));
    let text = text(w, &s);
    let call = match w.lots.below(5) {
        0 => format!("strchr({s}, 'b')"),
        1 => format!("strrchr({s}, (int)({}))", w.below(128)),
        2 => format!("strstr({s}, \"{}\")", w.lots.one(&["ab", "b", "ca", ""])),
        3 => format!("strpbrk({s}, \"{}\")", w.lots.one(&["xb", "c", "ba"])),
        _ => format!("memchr({s}, {}, sizeof {s})", w.lots.one(&["'a'", "0", "'x'", "200"])),
    };
    let keep = w.keep(&place(&p, &s));
    w.spend(4);
    Statement::plain(&format!("{{\n  {text}\n  char *{p} = {call};\n  {keep}\n}}"))
}

fn compared(w: &mut Writer) -> Statement {
    let (s, r) = (w.fresh("s"), w.fresh("r"));
    let text = text(w, &s);
    let other = w.lots.one(&["ab", "abc", "b", "", "xa"]);
    let call = match w.lots.below(4) {
        0 => format!("strcmp({s}, \"{other}\")"),
        1 => format!("strncmp(\"{other}\", {s}, {})", w.lots.below(4)),
        2 => format!("strcasecmp({s}, \"{}\")", other.to_uppercase()),
        _ => format!("memcmp({s}, \"abcd\", {})", w.lots.below(4)),
    };
    let keep = w.keep(&format!("({r} > 0) + 2 * ({r} < 0)"));
    w.spend(4);
    Statement::plain(&format!("{{\n  {text}\n  int {r} = {call};\n  {keep}\n}}"))
}

fn copied(w: &mut Writer) -> Statement {
    let (s, d, i) = (w.fresh("s"), w.fresh("d"), w.fresh("i"));
    let text = text(w, &s);
    let size = 12;
    let copy = match w.lots.below(6) {
        0 => format!("strcpy({d} + {}, {s});", w.below(4)),
        1 => format!("strcat({d}, {s});"),
        2 => format!("strncpy({d}, {s}, {});", 1 + w.lots.below(6)),
        3 => format!("memmove({d} + 1, {d}, {});", w.lots.below(6)),
        4 => format!("strncat({d}, {s}, {});", w.below(4)),
        _ => format!("memcpy({d} + {}, {s}, sizeof {s});", w.below(4)),
    };
    let keep = w.keep(&format!("strlen({d})"));
    let mix = w.keep(&format!("(unsigned char){d}[{i}] * ({i} + 1u)"));
    w.spend(6);
    Statement::plain(&format!(
        "{{\n  {text}\n  char {d}[{size}] = \"q\";\n  {copy}\n  {keep}\n  \
           for (unsigned {i} = 0; {i} < {size}u; {i}++) {{ {mix} }}\n}}"
    ))
}

/// Texts that look like numbers.
fn number_text(w: &mut Writer, name: &str) -> String {
    let one = |w: &mut Writer| match w.lots.below(4) {
        0 => format!("\" -+0x7fz\"[{}]", w.below(8)),
        1 => format!("(char)('0' + {})", w.below(10)),
        2 => format!("(char)({})", w.input()),
        _ => format!("'{}'", w.lots.one(&["0", "1", "9", "7", "-", " ", "x", "f"])),
    };
    let (a, b, c) = (
        one(w),
        w.lots.one(&["'1'", "'0'", "'8'", "'x'"]),
        w.lots.one(&["'3'", "'c'", "'.'", "0"]),
    );
    format!("char {name}[] = {{{a}, {b}, {c}, 0}};")
}

fn parsed(w: &mut Writer) -> Statement {
    let (s, e, r) = (w.fresh("s"), w.fresh("e"), w.fresh("r"));
    let text = number_text(w, &s);
    let base = w.lots.one(&[0, 8, 10, 16, 36]);
    let call = match w.lots.below(4) {
        0 => format!("strtoul({s}, &{e}, {base})"),
        1 => format!("strtoll({s}, &{e}, {base})"),
        2 => format!("(({e} = {s}), atoi({s}))"),
        _ => format!("strtol({s}, &{e}, {base})"),
    };
    let keep = w.keep(&format!("{r} + ({e} - {s}) * 1000"));
    w.spend(12);
    Statement::plain(&format!(
        "{{\n  {text}\n  char *{e};\n  long {r} = (long){call};\n  {keep}\n}}"
    ))
}

fn printed(w: &mut Writer) -> Statement {
    let (s, n, i) = (w.fresh("s"), w.fresh("n"), w.fresh("i"));
    let (size, small) = (w.lots.one(&[2, 5, 24]), w.below(16));
    let (format, value) = match w.lots.below(8) {
        0 => ("%d", format!("(int)({small}) - 8")),
        1 => ("%x", small),
        2 => ("%5u|", small),
        3 => ("%-4d|", format!("(int)({small})")),
        4 => ("%03o", small),
        5 => ("%c.", format!("(int)('a' + {small})")),
        6 => ("%.3s<", format!("\"abcdefghijklmnopqrstuvw\" + {small}")),
        _ => ("%+hhd", format!("(int)({})", w.input())),
    };
    let keep = w.keep(&n);
    let mix = w.keep(&format!("(unsigned char){s}[{i}]"));
    w.spend(6);
    Statement::plain(&format!(
        "{{\n  char {s}[24] = {{0}};\n  int {n} = snprintf({s}, {size}, \"{format}\", {value});\n  {keep}\n  \
           for (unsigned {i} = 0; {i} < 8u; {i}++) {{ {mix} }}\n}}"
    ))
}

fn scanned(w: &mut Writer) -> Statement {
    let (s, n, a, b) = (w.fresh("s"), w.fresh("n"), w.fresh("a"), w.fresh("b"));
    let text = number_text(w, &s);
    let format = w.lots.one(&["%d%n", "%2x%n", "%*c%u%n", "%o %n"]);
    let keep = w.keep(&format!("{a} + {b} * 100 + {n} * 10000"));
    w.spend(12);
    Statement::plain(&format!(
        "{{\n  {text}\n  int {a} = 0, {b} = 0;\n  int {n} = sscanf({s}, \"{format}\", (void *)&{a}, &{b});\n  {keep}\n}}"
    ))
}

fn tokens(w: &mut Writer) -> Statement {
    let (s, p) = (w.fresh("s"), w.fresh("p"));
    let text = text(w, &s);
    let keep = w.keep(&format!("{p} - {s} + 1"));
    let separators = w.lots.one(&["b", "xa", "ac"]);
    w.spend(4);
    Statement::plain(&format!(
        "{{\n  {text}\n  for (char *{p} = strtok({s}, \"{separators}\"); {p}; {p} = strtok(NULL, \"{separators}\")) {{ {keep} }}\n}}"
    ))
}

fn classified(w: &mut Writer) -> Statement {
    let is =
        w.lots.one(&["isdigit", "isalpha", "isspace", "isupper", "isxdigit", "ispunct", "isprint"]);
    let to = w.lots.one(&["toupper", "tolower"]);
    let (a, b) = (w.input(), w.input());
    let keep = w.keep(&format!("{to}((int)({a} & 127u)) + ({is}((int)({b} & 127u)) ? 500 : 0)"));
    w.spend(3);
    Statement::plain(&keep)
}

fn memory(w: &mut Writer) -> Statement {
    let (s, i) = (w.fresh("s"), w.fresh("i"));
    let (from, count, byte) = (w.below(4), w.below(5), w.number());
    let mix = w.keep(&format!("{s}[{i}] * ({i} + 2u)"));
    w.spend(5);
    Statement::plain(&format!(
        "{{\n  unsigned char {s}[8] = {{{}}};\n  memset({s} + {from}, (int)({byte} & 255u), {count});\n  \
           for (unsigned {i} = 0; {i} < 8u; {i}++) {{ {mix} }}\n}}",
        w.bytes(8)
    ))
}

fn spans(w: &mut Writer) -> Statement {
    let s = w.fresh("s");
    let text = text(w, &s);
    let (name, set) = (w.lots.one(&["strspn", "strcspn"]), w.lots.one(&["ab", "x", "cab"]));
    let call = match w.lots.below(3) {
        0 => format!("strnlen({s}, 2)"),
        1 => format!("strlen({s})"),
        _ => format!("{name}({s}, \"{set}\")"),
    };
    let keep = w.keep(&call);
    w.spend(4);
    Statement::plain(&format!("{{\n  {text}\n  {keep}\n}}"))
}
