//! Random small C programs, of which every input is known.
//!
//! A program has at most 65,536 inputs, and does on each of them natively what there is to be found. It is
//! explored, and every input must be on exactly one path, which predicts what the program does. An error is
//! an outcome like others: the sanitizers' report says of which kind and in which line. The program, the number
//! of workers and the kind of search follow from the seed.
//!
//! Programs are well-defined, apart from errors that are placed on purpose. What is left out, and why
//! (the list is to be shrunk):
//!
//! - `long double`, symbolic `printf("%f")` and `scanf` of floating-point numbers, `sin` and its kin: questions
//!   to the solver take minutes.
//! - Accesses far outside of an object, or inside of a struct but outside of the member: sanitizers do not see
//!   them, or say something else than the engine, which knows objects. So do they of lengths below zero.
//! - Reads of uninitialised memory, signed overflow, misaligned accesses: on demand, or not errors, here and there.
//! - Errors in a child process: the parent goes on natively.
//! - Threads, `execve`, sockets, timers, the clock, process numbers: not modelled, or different in every run.
//! - Addresses as ordered or printed numbers: different in every build; kept in integers and tagged they are in.
//! - Stack overflow and endless loops: a path takes long, and sanitizers longer.
//! - Inputs of symbolic length (`stdin=0..2`), a symbolic environment, missing files: not in the list of all inputs.
//! - `goto` into blocks, complex numbers, nested functions, inline assembly.

pub mod batch;
pub mod edits;
pub mod lots;
pub mod minimise;
mod shapes;
pub mod suite;
pub mod tree;
mod writer;

use lots::Lots;
use shapes::{
    Shape, control, data, errors, flow, machine, places, pointers, system, texts, values, words,
};
use tree::{Program, Statement};
use writer::{VARIABLES, Writer};

/// Statements of a program at most, those in blocks included.
const STATEMENTS: usize = 9;

/// About so many paths a program has at most.
const PATHS: usize = 300;

/// Headers that all programs have, so that a statement brings none.
const HEADERS: [&str; 30] = [
    "assert",
    "ctype",
    "dirent",
    "errno",
    "fcntl",
    "fnmatch",
    "inttypes",
    "klee/klee",
    "limits",
    "locale",
    "math",
    "poll",
    "setjmp",
    "signal",
    "stdarg",
    "stddef",
    "stdint",
    "stdio",
    "stdlib",
    "string",
    "strings",
    "sys/ioctl",
    "sys/mman",
    "sys/stat",
    "sys/types",
    "sys/wait",
    "umbra",
    "unistd",
    "wchar",
    "wctype",
];

/// Where the input comes from: the directive, and how the program gets its bytes.
struct Source {
    directive: &'static str,
    begin: &'static [&'static str],
    inputs: &'static [&'static str],
}

const ONE_BYTE: &[Source] = &[
    Source {
        directive: "//@ domain: x=1",
        begin: &[
            "int main(void) {",
            "  unsigned char x;",
            "  klee_make_symbolic(&x, 1, \"x\");",
            "  unsigned a = x;",
        ],
        inputs: &["a"],
    },
    Source {
        directive: "//@ sym: stdin=1",
        begin: &[
            "int main(void) {",
            "  unsigned char x;",
            "  if (read(0, &x, 1) != 1) return 80;",
            "  unsigned a = x;",
        ],
        inputs: &["a"],
    },
    Source {
        directive: "//@ sym: args=1x1",
        begin: &[
            "int main(int argc, char **argv) {",
            "  if (argc != 2) return 81;",
            "  unsigned a = (unsigned char)argv[1][0];",
        ],
        inputs: &["a"],
    },
    Source {
        directive: "//@ sym: file=A:1",
        begin: &[
            "int main(void) {",
            "  FILE *file = fopen(\"A\", \"r\");",
            "  if (!file) return 82;",
            "  unsigned a = (unsigned)fgetc(file);",
            "  fclose(file);",
        ],
        inputs: &["a"],
    },
];

const FEW: &[Source] = &[
    Source {
        directive: "//@ domain: x=1 y=u8:0..4",
        begin: &[
            "int main(void) {",
            "  unsigned char x, y;",
            "  klee_make_symbolic(&x, 1, \"x\");",
            "  klee_make_symbolic(&y, 1, \"y\");",
            "  klee_assume(y < 4);",
            "  unsigned a = x, b = y;",
        ],
        inputs: &["a", "a", "b"],
    },
    Source {
        directive: "//@ domain: x=u8:40..72 y=u8:0..32",
        begin: &[
            "int main(void) {",
            "  unsigned char x, y;",
            "  umbra_symbolic(&x, 1, \"x\");",
            "  umbra_symbolic(&y, 1, \"y\");",
            "  umbra_assume((x >= 40) & (x < 72));",
            "  umbra_assume(y < 32);",
            "  unsigned a = x, b = y;",
        ],
        inputs: &["a", "b"],
    },
];

const TWO_BYTES: &[Source] = &[
    Source {
        directive: "//@ domain: x=2",
        begin: &[
            "int main(void) {",
            "  unsigned char x[2];",
            "  klee_make_symbolic(x, 2, \"x\");",
            "  unsigned a = x[0], b = x[1];",
        ],
        inputs: &["a", "b"],
    },
    Source {
        directive: "//@ sym: stdin=2",
        begin: &[
            "int main(void) {",
            "  unsigned a = (unsigned)getchar(), b = (unsigned)getchar();",
        ],
        inputs: &["a", "b"],
    },
];

/// The program of a seed.
pub fn generate(seed: u64) -> Program {
    let mut lots = Lots::new(seed);
    let sources = match lots.below(100) {
        0..70 => ONE_BYTE,
        70..97 => FEW,
        _ => TWO_BYTES,
    };
    let source = &sources[lots.below(sources.len())];
    let errors = lots.percent(60);
    let mut writer = Writer::new(lots, source.inputs.to_vec(), errors, PATHS);
    let mut left = 3 + writer.lots.below(STATEMENTS - 2);
    let mut body = statements(&mut writer, &mut left, 0);
    if errors {
        let at = writer.lots.below(body.len() + 1);
        body.insert(at, choose(&mut writer, errors::SHAPES));
    }
    let mut head = vec![
        format!("// Generated from seed {seed}."),
        source.directive.to_owned(),
        "#define _GNU_SOURCE 1".to_owned(),
    ];
    head.extend(HEADERS.map(|name| format!("#include <{name}.h>")));
    // Without a branch: what is shown must not divide paths.
    head.extend(SHOW.lines().map(str::to_owned));
    let mut begin: Vec<String> = source.begin.iter().map(|&line| line.to_owned()).collect();
    let variables: Vec<String> = (0..VARIABLES).map(|at| format!("v{at} = {}", at + 1)).collect();
    begin.push(format!("  unsigned {};", variables.join(", ")));
    let mut end: Vec<String> = (0..VARIABLES).map(|at| format!("  show(v{at});")).collect();
    end.push("  return (int)(v0 & 63u);".to_owned());
    end.push("}".to_owned());
    Program { seed, head, begin, body, end }
}

const SHOW: &str = r#"
static void show(unsigned value) {
  char text[9];
  for (int at = 0; at < 8; at++) text[at] = "0123456789abcdef"[value >> 4 * at & 15];
  text[8] = '\n';
  fwrite(text, 1, 9, stdout);
}"#;

/// Families with how often one is taken.
const FAMILIES: &[(&[Shape], usize)] = &[
    (pointers::SHAPES, 24),
    (data::SHAPES, 14),
    (values::SHAPES, 10),
    (machine::SHAPES, 10),
    (texts::SHAPES, 10),
    (words::SHAPES, 10),
    (control::SHAPES, 6),
    (flow::SHAPES, 10),
    (system::SHAPES, 6),
    (places::SHAPES, 10),
];

/// Statements until there are enough.
fn statements(w: &mut Writer, left: &mut usize, depth: usize) -> Vec<Statement> {
    let mut all = Vec::new();
    while *left > 0 && !w.is_spent() {
        *left -= 1;
        all.push(statement(w, left, depth));
        // A block ends somewhere.
        if depth > 0 && w.lots.percent(40) {
            break;
        }
    }
    all
}

fn statement(w: &mut Writer, left: &mut usize, depth: usize) -> Statement {
    match w.lots.below(100) {
        0..14 if depth < 2 => {
            w.spend(2);
            let head = format!("if ({})", w.condition());
            let branch = Statement::block(&head, statements(w, left, depth + 1));
            match w.lots.percent(50) {
                true => branch.otherwise(statements(w, left, depth + 1)),
                false => branch,
            }
        }
        14..20 if depth < 2 => {
            let (i, most) = (w.fresh("i"), 2 + w.lots.below(2));
            w.spend(2 * most);
            let bound = if w.lots.percent(50) { w.below(most) } else { format!("{most}u") };
            // The bound may change in the block.
            let head = format!("for (unsigned {i} = 0, {i}n = {bound}; {i} < {i}n; {i}++)");
            Statement::block(&head, statements(w, left, depth + 1))
        }
        20..38 if w.errors => choose(w, errors::SHAPES),
        _ => {
            let total: usize = FAMILIES.iter().map(|(_, weight)| weight).sum();
            let mut lot = w.lots.below(total);
            for (shapes, weight) in FAMILIES {
                if lot < *weight {
                    return choose(w, shapes);
                }
                lot -= weight;
            }
            choose(w, values::SHAPES)
        }
    }
}

fn choose(w: &mut Writer, shapes: &[Shape]) -> Statement {
    let shape = w.lots.one(shapes);
    shape(w)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_seeds_make_equal_programs() {
        assert_eq!(generate(7), generate(7));
        assert_ne!(generate(7).text(), generate(8).text());
    }

    #[test]
    fn every_shape_is_in_some_program() {
        let texts: Vec<String> = (0..600).map(|seed| generate(seed).text()).collect();
        for word in [
            "malloc",
            "realloc",
            "->next",
            "NULL}",
            "uintptr_t",
            "strtol",
            "snprintf",
            "strchr",
            "memcmp",
            "qsort",
            "bsearch",
            "float",
            "double",
            "__int128",
            "union",
            "low : 3",
            "setjmp",
            "fopen",
            "pipe(",
            "fork()",
            "free(",
            "abort()",
            "assert(",
            "INT_MIN",
            "va_arg",
            "SIGUSR1",
            "strtod",
            "__builtin_unreachable",
            "goto *labels",
            " ... ",
            "va_copy",
            "siglongjmp",
            "data[];",
            "__builtin_alloca",
            "packed",
            "_Bool flag : 1",
            "_Atomic",
            "vector_size",
            "INFINITY",
            "_Generic",
            "strsep",
            "mbstowcs",
            "open_memstream",
            "fnmatch",
            "getopt",
            "dup2",
            "readdir",
            "symlink",
            "mmap",
            "poll(",
            "sigprocmask",
            "setenv",
            "atexit",
            "realloc(",
            "LLONG_MIN",
        ] {
            assert!(texts.iter().any(|text| text.contains(word)), "no program has {word}");
        }
    }
}
