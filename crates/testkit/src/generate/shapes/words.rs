//! Texts with the less common functions of the libc: copies on the heap, fields, wide characters, formats,
//! streams in memory, patterns, options.

use super::super::tree::Statement;
use super::super::writer::Writer;

/// Every shape.
pub const SHAPES: &[super::Shape] = &[
    duplicated, fields, pieces, wide, widths, appended, in_memory, lines, patterns, options,
    reckoned, escaped,
];

/// A text of four characters, of which one depends on the input.
fn text(w: &mut Writer, name: &str, set: &str) -> String {
    let at = w.lots.below(4);
    let letters: Vec<char> = set.chars().collect();
    let characters: Vec<String> = (0..4)
        .map(|place| match place == at {
            true => format!("\"{set}\"[{}]", w.below(letters.len())),
            false => format!("'{}'", w.lots.one(&letters)),
        })
        .collect();
    format!("char {name}[] = {{{}, 0}};", characters.join(", "))
}

/// Copies that have to be freed.
fn duplicated(w: &mut Writer) -> Statement {
    let (s, d) = (w.fresh("s"), w.fresh("d"));
    let text = text(w, &s, "abcx");
    let (n, at) = (w.below(6), w.below(4));
    let call = w.lots.one(&["strndup({s}, {n})", "strdup({s} + {at})", "strdup({s})"]);
    let call = call.replace("{s}", &s).replace("{n}", &n).replace("{at}", &at);
    let forgets = w.errors && w.lots.percent(20);
    let keep = w.keep(&format!("strlen({d}) * 256u + (unsigned char)*{d}"));
    let late = if forgets { format!("  free({d});\n") } else { String::new() };
    w.spend(6);
    Statement::plain(&format!(
        "{{\n  {text}\n  char *{d} = {call};\n{late}  {keep}\n  {}\n}}",
        if forgets { String::new() } else { format!("free({d});") }
    ))
}

/// Fields between separators, with a state of its own.
fn fields(w: &mut Writer) -> Statement {
    let (s, p, r) = (w.fresh("s"), w.fresh("p"), w.fresh("rest"));
    let text = text(w, &s, "a,;b");
    let keep = w.keep(&format!("({p} - {s}) * 8u + strlen({p})"));
    w.spend(5);
    let walk = match w.lots.percent(50) {
        true => format!(
            "char *{r} = {s};\n  for (char *{p}; ({p} = strsep(&{r}, \",;\"));) {{ {keep} }}"
        ),
        false => format!(
            "char *{r};\n  for (char *{p} = strtok_r({s}, \",;\", &{r}); {p}; {p} = strtok_r(NULL, \",;\", &{r})) {{ {keep} }}"
        ),
    };
    Statement::plain(&format!("{{\n  {text}\n  {walk}\n}}"))
}

/// Places and copies that only a few functions give.
fn pieces(w: &mut Writer) -> Statement {
    let (s, d, p) = (w.fresh("s"), w.fresh("d"), w.fresh("p"));
    let text = text(w, &s, "abBc");
    let call = w.lots.one(&[
        "stpcpy({d}, {s}) - {d}",
        "stpncpy({d}, {s}, 6) - {d}",
        "(char *)mempcpy({d}, {s}, 3) - {d}",
        "strchrnul({s}, 'b') - {s}",
        "(char *)memrchr({s}, 'b', 5) - {s}",
        "(char *)memmem({s}, 4, \"bc\", 2) - {s}",
        "(char *)memccpy({d}, {s}, 'b', 4) - {d}",
        "strcasestr({s}, \"BC\") - {s}",
        "(long)strncasecmp({s}, \"ABC\", 2)",
        "(long)strverscmp({s}, \"abc\")",
    ]);
    let call = call.replace("{s}", &s).replace("{d}", &d);
    // Where there is none, the difference is that of a null pointer, which means nothing.
    let (found, value) =
        match call.contains("chr(") || call.contains("mem") || call.contains("casestr") {
            true if !call.contains("nul") && !call.contains("mempcpy") => {
                let (pointer, base) = call.rsplit_once(" - ").unwrap_or((&call, &s));
                (format!("char *{p}p = {pointer};"), format!("({p}p ? {p}p - {base} : -3)"))
            }
            _ => (String::new(), call.clone()),
        };
    let keep = w.keep(&format!(
        "({p} > 0 ? 1000 : {p} < 0 ? 2000 : 3000) + strlen({d}) * 3u + (unsigned char){d}[1]"
    ));
    w.spend(5);
    Statement::plain(&format!(
        "{{\n  {text}\n  char {d}[12] = \"q\";\n  {found}\n  long {p} = {value};\n  {keep}\n}}"
    ))
}

/// Wide characters, and the bytes they are made of.
fn wide(w: &mut Writer) -> Statement {
    let (t, s, n) = (w.fresh("t"), w.fresh("s"), w.fresh("n"));
    let (first, second) = (w.below(5), w.below(4));
    let locale = w.lots.one(&["C", "C.UTF-8"]);
    let keep =
        w.keep(&format!("{n} * 1000 + {s}[0] + (wcschr({s}, L'b') ? 7 : 0) + wcslen({s}) * 100"));
    w.spend(8);
    Statement::plain(&format!(
        "{{\n  setlocale(LC_CTYPE, \"{locale}\");\n  char {t}[] = {{\"ab\\303\\377z\"[{first}], \"b\\251a\"[{second}], 'b', 0}};\n  wchar_t {s}[4] = {{1}};\n  \
           int {n} = (int)mbstowcs({s}, {t}, 3);\n  {s}[3] = 0;\n  {s}[0] = (wchar_t)towupper((wint_t){s}[0] & 127);\n  {keep}\n}}"
    ))
}

/// Formats with widths, precisions and lengths that are arguments.
fn widths(w: &mut Writer) -> Statement {
    let (s, n, at) = (w.fresh("s"), w.fresh("n"), w.below(8));
    let (a, b) = (w.below(4), w.below(4));
    let (format, arguments) = match w.lots.below(8) {
        0 => ("%*d|", format!("(int)({a}), 5")),
        1 => ("%-*s|", format!("(int)({a}), \"xy\"")),
        2 => ("%.*s|", format!("(int)({a}), \"wxyz\"")),
        3 => ("%ld,%lu", format!("(long)({a}) - 2, 7ul + {b}")),
        4 => ("%#llx %zu", format!("(unsigned long long)({a}) << 33, (size_t)({b})")),
        5 => ("%hhu%%%hd", format!("(int)({a} + 254u), (int)({b} + 65534u)")),
        6 => ("%s%c%s", format!("\"ab\" + ({a} & 1u), (int)('c' + {b}), {a} > 1u ? \"\" : \"d\"")),
        _ => ("%+.3d % i", format!("(int)({a}), (int)({b})")),
    };
    let keep = w.keep(&format!("{n} * 256 + (unsigned char){s}[{at}]"));
    w.spend(8);
    Statement::plain(&format!(
        "{{\n  char {s}[24] = {{0}};\n  int {n} = sprintf({s}, \"{format}\", {arguments});\n  {keep}\n}}"
    ))
}

/// A text that grows by what is printed behind it; the place is counted.
fn appended(w: &mut Writer) -> Statement {
    let (s, n, i) = (w.fresh("s"), w.fresh("n"), w.fresh("i"));
    let (count, x) = (w.below(4), w.below(12));
    let keep = w.keep(&format!("{n} + (unsigned char){s}[{n} ? {n} - 1 : 0] * 3"));
    w.spend(8);
    Statement::plain(&format!(
        "{{\n  char {s}[10] = \"\";\n  int {n} = 0, {n}m = 0;\n  for (unsigned {i} = 0; {i} <= {count}; {i}++) {{\n    \
           int more = snprintf({s} + {n}, sizeof {s} - (size_t){n}, \"%u%n-\", {x} + {i}, &{n}m);\n    \
           if (more >= (int)sizeof {s} - {n}) break;\n    {n} += more;\n  }}\n  {n} += {n}m;\n  if ({n} > 9) {n} = 9;\n  {keep}\n}}"
    ))
}

/// Streams that are a piece of memory.
fn in_memory(w: &mut Writer) -> Statement {
    let (f, s, n) = (w.fresh("f"), w.fresh("s"), w.fresh("n"));
    let (byte, count) = (w.below(16), w.below(3));
    w.spend(6);
    if w.lots.percent(50) {
        let keep = w.keep(&format!("{n} * 100u + (unsigned char){s}[{n} - 1] + strlen({s})"));
        return Statement::plain(&format!(
            "{{\n  char *{s} = NULL;\n  size_t {n} = 0;\n  FILE *{f} = open_memstream(&{s}, &{n});\n  if (!{f}) return 60;\n  \
               for (unsigned i = 0; i <= {count}; i++) fprintf({f}, \"%x\", {byte} + i);\n  fclose({f});\n  {keep}\n  free({s});\n}}"
        ));
    }
    let keep = w.keep(&format!("{n} + (unsigned char){s}[1] * 5 + (unsigned char){s}[2]"));
    Statement::plain(&format!(
        "{{\n  char {s}[5] = \"12 4\";\n  FILE *{f} = fmemopen({s}, sizeof {s}, \"r+\");\n  if (!{f}) return 61;\n  int {n} = 0;\n  \
           fscanf({f}, \"%d\", &{n});\n  fseek({f}, (long)({count}), SEEK_SET);\n  fputc((int)('0' + {byte}), {f});\n  fclose({f});\n  {keep}\n}}"
    ))
}

/// Lines of any length from a file.
fn lines(w: &mut Writer) -> Statement {
    let (f, l, n, r) = (w.fresh("f"), w.fresh("line"), w.fresh("n"), w.fresh("r"));
    let byte = w.below(3);
    let keep = w.keep(&format!("{r} * 16 + (unsigned char){l}[0] + strlen({l})"));
    let end = w.lots.one(&["'\\n'", "'b'", "0"]);
    w.spend(4);
    Statement::plain(&format!(
        "{{\n  FILE *{f} = fopen(\"{f}\", \"w+\");\n  if (!{f}) return 62;\n  fprintf({f}, \"a%cb\\ncd%c\", \"\\nxb\"[{byte}], \"\\0b\"[{byte} & 1u]);\n  \
           rewind({f});\n  char *{l} = NULL;\n  size_t {n} = 0;\n  \
           for (long {r}; ({r} = getdelim(&{l}, &{n}, {end}, {f})) > 0;) {{ {keep} }}\n  free({l});\n  fclose({f});\n  remove(\"{f}\");\n}}"
    ))
}

/// Names that a pattern matches.
fn patterns(w: &mut Writer) -> Statement {
    let (s, r) = (w.fresh("s"), w.fresh("r"));
    let text = text(w, &s, "ab.]");
    let pattern = w.lots.one(&["a*", "*b?", "[!a]*", "?[a-]*", "*.*", "\\\\a*b", "[]b]*"]);
    let keep = w.keep(&format!("{r} == 0"));
    w.spend(5);
    Statement::plain(&format!(
        "{{\n  {text}\n  int {r} = fnmatch(\"{pattern}\", {s}, {});\n  {keep}\n}}",
        w.lots.one(&["0", "FNM_PERIOD", "FNM_NOESCAPE"])
    ))
}

/// Options of a command line.
fn options(w: &mut Writer) -> Statement {
    let (a, f, c) = (w.fresh("a"), w.fresh("flag"), w.fresh("c"));
    let (one, two) = (w.below(5), w.below(3));
    let keep = w.keep(&format!("{c} * 3 + (optarg ? (unsigned char)*optarg : 1)"));
    let last = w.keep("optind");
    w.spend(8);
    Statement::plain(&format!(
        "{{\n  char {f}[] = {{'-', \"abc-x\"[{one}], \"a1\"[{two} & 1u], 0}};\n  \
           char *{a}[] = {{\"p\", {f}, \"word\", \"-b\", \"2\", NULL}};\n  optind = 0;\n  opterr = 0;\n  optarg = NULL;\n  \
           for (int {c}; ({c} = getopt(5, {a}, \"ab:c::\")) != -1;) {{ {keep} }}\n  {last}\n}}"
    ))
}

/// Numbers of several widths from texts and back.
fn reckoned(w: &mut Writer) -> Statement {
    let (s, q) = (w.fresh("s"), w.fresh("q"));
    let text = text(w, &s, "19-x");
    let (x, k) = (w.below(16), 1 + w.lots.below(5));
    let keep = w.keep(&format!(
        "{q}.quot * 16 + {q}.rem + labs(atol({s})) + (int)strtoimax({s} + 1, NULL, 8) + abs((int)({x}) - 9)"
    ));
    w.spend(12);
    Statement::plain(&format!(
        "{{\n  {text}\n  div_t {q} = div((int)({x}) - 7, {k});\n  {keep}\n}}"
    ))
}

/// A scanner with states: quotes, escapes, digits.
fn escaped(w: &mut Writer) -> Statement {
    let (s, f) = (w.fresh("s"), w.fresh("f"));
    let text = text(w, &s, "\\'n7");
    let text =
        text.replace("\"\\'n7\"", "\"\\\\'n7\"").replace("'\\'", "'\\\\'").replace("'''", "'\\''");
    let keep = w.keep(&format!("{f}({s})"));
    w.spend(8);
    Statement::plain(&format!("{{\n  {text}\n  {keep}\n}}")).with_global(&format!(
        "static unsigned {f}(const char *at) {{\n  unsigned sum = 0;\n  enum {{ OUTSIDE, QUOTED, ESCAPED }} state = OUTSIDE;\n  \
           for (; *at; at++) switch (state) {{\n    case OUTSIDE:\n      if (*at == '\\'') state = QUOTED;\n      \
             else if (isdigit((unsigned char)*at)) sum = sum * 10u + (unsigned)(*at - '0');\n      break;\n    \
           case QUOTED:\n      state = *at == '\\\\' ? ESCAPED : *at == '\\'' ? OUTSIDE : QUOTED;\n      sum++;\n      break;\n    \
           case ESCAPED:\n      sum += *at == 'n' ? 100u : 200u;\n      state = QUOTED;\n  }}\n  return sum * 4u + state;\n}}"
    ))
}
