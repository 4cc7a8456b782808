//! Files, pipes, child processes and signals.
//!
//! Files are made anew: inputs run one after the other in the same folder.

use super::super::tree::Statement;
use super::super::writer::Writer;

/// Every shape.
pub const SHAPES: &[super::Shape] =
    &[written, seeked, streams, piped, child, child_with_pipe, raised];

fn written(w: &mut Writer) -> Statement {
    let (f, s, n) = (w.fresh("f"), w.fresh("s"), w.fresh("n"));
    let number = w.below(16);
    let keep = w.keep(&format!("{n} + (unsigned char){s}[0] * 7u"));
    w.spend(4);
    Statement::plain(&format!(
        "{{\n  FILE *{f} = fopen(\"{f}\", \"w\");\n  if (!{f}) return 71;\n  fprintf({f}, \"%x,%s\", {number}, {} ? \"yes\" : \"no\");\n  \
           fclose({f});\n  char {s}[8] = {{0}};\n  {f} = fopen(\"{f}\", \"r\");\n  if (!{f}) return 72;\n  \
           unsigned {n} = (unsigned)fread({s}, 1, sizeof {s} - 1, {f});\n  fclose({f});\n  remove(\"{f}\");\n  {keep}\n}}",
        w.condition()
    ))
}

fn seeked(w: &mut Writer) -> Statement {
    let (f, s, n) = (w.fresh("f"), w.fresh("s"), w.fresh("n"));
    let (byte, at, from) = (w.number(), w.below(6), w.below(8));
    let keep = w.keep(&format!("{n} * 3u + {s}[0] + {s}[1] * 5u"));
    w.spend(6);
    Statement::plain(&format!(
        "{{\n  int {f} = open(\"{f}\", O_RDWR | O_CREAT | O_TRUNC, 0600);\n  if ({f} < 0) return 73;\n  \
           unsigned char {s}[3] = {{(unsigned char)({byte}), 2, 3}};\n  pwrite({f}, {s}, 3, {at});\n  \
           lseek({f}, {from}, SEEK_SET);\n  memset({s}, 0, 3);\n  unsigned {n} = (unsigned)read({f}, {s}, 2);\n  \
           close({f});\n  unlink(\"{f}\");\n  {keep}\n}}"
    ))
}

/// Lines and characters of a stream.
fn streams(w: &mut Writer) -> Statement {
    let (f, s, c) = (w.fresh("f"), w.fresh("s"), w.fresh("c"));
    let byte = w.input();
    let keep = w.keep(&format!("{c} + (int)strlen({s}) * 300"));
    w.spend(4);
    Statement::plain(&format!(
        "{{\n  FILE *{f} = fopen(\"{f}\", \"w+\");\n  if (!{f}) return 74;\n  fputc((int)({byte}), {f});\n  fputs(\"b\\nc\", {f});\n  \
           rewind({f});\n  char {s}[8] = \"\";\n  if (!fgets({s}, sizeof {s}, {f})) return 75;\n  int {c} = fgetc({f});\n  \
           ungetc('z', {f});\n  {c} += fgetc({f});\n  fclose({f});\n  remove(\"{f}\");\n  {keep}\n}}"
    ))
}

fn piped(w: &mut Writer) -> Statement {
    let (p, s, n) = (w.fresh("p"), w.fresh("s"), w.fresh("n"));
    let (byte, count, ask) = (w.number(), w.below(4), 1 + w.lots.below(4));
    let keep = w.keep(&format!("{n} * 100 + {s}[0] + {s}[1]"));
    w.spend(4);
    Statement::plain(&format!(
        "{{\n  int {p}[2];\n  if (pipe({p})) return 76;\n  unsigned char {s}[4] = {{(unsigned char)({byte}), 5, 6, 7}};\n  \
           if (write({p}[1], {s}, {count}) < 0) return 77;\n  close({p}[1]);\n  memset({s}, 1, 4);\n  \
           int {n} = (int)read({p}[0], {s}, {ask});\n  close({p}[0]);\n  {keep}\n}}"
    ))
}

/// A child whose status its parent waits for.
fn child(w: &mut Writer) -> Statement {
    let (p, s) = (w.fresh("p"), w.fresh("s"));
    let (status, kills) = (w.below(16), w.condition());
    let kill = if w.lots.percent(40) {
        format!("    if ({kills}) raise(SIGKILL);\n")
    } else {
        String::new()
    };
    let keep =
        w.keep(&format!("(WIFEXITED({s}) ? WEXITSTATUS({s}) : 100 + WTERMSIG({s})) + v1 % 3u"));
    w.spend(3);
    Statement::plain(&format!(
        "{{\n  pid_t {p} = fork();\n  if ({p} == 0) {{\n    v1 += 1000;\n{kill}    _exit((int)({status}));\n  }}\n  \
           int {s} = 0;\n  waitpid({p}, &{s}, 0);\n  {keep}\n}}"
    ))
}

/// A child that writes to its parent.
fn child_with_pipe(w: &mut Writer) -> Statement {
    let (p, c, s, n) = (w.fresh("p"), w.fresh("c"), w.fresh("s"), w.fresh("n"));
    let (byte, when, count) = (w.number(), w.condition(), 1 + w.lots.below(3));
    let keep = w.keep(&format!("{n} * 1000 + {s}[0] + {s}[1] * 3 + {s}[2]"));
    w.spend(3);
    Statement::plain(&format!(
        "{{\n  int {p}[2];\n  if (pipe({p})) return 78;\n  pid_t {c} = fork();\n  unsigned char {s}[3] = {{0}};\n  \
           if ({c} == 0) {{\n    close({p}[0]);\n    {s}[0] = (unsigned char)({byte});\n    \
             if ({when}) {{\n      {s}[1] = 9;\n      if (write({p}[1], {s}, {count}) < 0) _exit(1);\n    }}\n    _exit(0);\n  }}\n  \
           close({p}[1]);\n  waitpid({c}, NULL, 0);\n  int {n} = (int)read({p}[0], {s}, 3);\n  close({p}[0]);\n  {keep}\n}}"
    ))
}

/// A signal that a handler takes.
fn raised(w: &mut Writer) -> Statement {
    let (h, g) = (w.fresh("handler"), w.fresh("g"));
    let when = w.condition();
    let keep = w.keep(&format!("(unsigned){g}"));
    w.spend(2);
    Statement::plain(&format!(
        "{{\n  signal(SIGUSR1, {h});\n  {g} = 1;\n  if ({when}) raise(SIGUSR1);\n  {keep}\n}}"
    ))
    .with_global(&format!(
        "static volatile sig_atomic_t {g};\nstatic void {h}(int number) {{ {g} = {g} * 2 + number; }}"
    ))
}
