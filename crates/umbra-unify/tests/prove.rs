//! The proof that a unified program is both of its originals, on the pairs of `tests/unify`.
//!
//! Every pair must be proved; and a proof that accepts everything proves nothing, so unified programs
//! are damaged in each of a few ways, at each place where that can be done, and every one must be refused.

mod pairs;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use umbra_ir::{FunctionId, Operation, Program, SourceFile, Terminator};
use umbra_unify::{Error, Relation, Unified, Version, unify};

use pairs::version;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Compiles C as `umbra cc` does, but without a libc.
fn compile(source: &str, name: &str) -> Program {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    fs::create_dir_all(folder.join(name)).unwrap();
    let file = folder.join(name).join("pair.c");
    fs::write(&file, source).unwrap();
    let (raw, bitcode) = (file.with_extension("raw"), file.with_extension("bc"));
    let status = Command::new("clang-19")
        .args(["-g", "-w", "-O1", "-Xclang", "-disable-llvm-passes", "-c", "-emit-llvm"])
        .arg("-I")
        .arg(root().join("tests/unify"))
        .arg("-I")
        .arg(root().join("crates/umbra-project/libc/tree/include"))
        .arg(&file)
        .arg("-o")
        .arg(&raw)
        .status()
        .unwrap();
    assert!(status.success(), "{name} does not compile");
    let opt = Command::new("opt-19")
        .args(["-passes=mem2reg", "-o"])
        .arg(&bitcode)
        .arg(&raw)
        .status()
        .unwrap();
    assert!(opt.success(), "{name} cannot be prepared");
    umbra_ir::load_bitcode(&bitcode).unwrap()
}

fn read(_: Version, file: &SourceFile) -> Option<String> {
    fs::read_to_string(file.path()).ok()
}

/// A file of pairs, as old and new program.
type Pairs = (String, Program, Program);

/// All files of pairs; compiled once.
fn catalogue() -> &'static [Pairs] {
    static CATALOGUE: OnceLock<Vec<Pairs>> = OnceLock::new();
    CATALOGUE.get_or_init(compile_catalogue)
}

fn compile_catalogue() -> Vec<Pairs> {
    let mut files: Vec<PathBuf> = fs::read_dir(root().join("tests/unify"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "c"))
        .collect();
    files.sort();
    let load = |path: &PathBuf| {
        let text = fs::read_to_string(path).unwrap();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let main = "int main(void) { return 0; }\n";
        let [old, new] = ["old", "new"]
            .map(|side| compile(&(version(&text, side) + main), &format!("{name}-{side}")));
        (name, old, new)
    };
    files.iter().map(load).collect()
}

/// Damage that does none, since both versions have a copy of the same instruction, and what differs comes behind
/// it; or, of the floats, since nobody reads what is exchanged. The proof says so, and the suite `unify` runs each of
/// them on all inputs: it does what the native builds do.
const HARMLESS: &[&str] = &[
    "conditions, diff_and_or: a branch on the version exchanged (1)",
    "conditions, diff_and_or: a branch on the version exchanged (2)",
    "conditions, diff_falls_through: a branch on the version exchanged (0)",
    "floats, same_float_widened: sides of a change exchanged (0)",
    "hunks, diff_exchanged_effects: a branch on the version exchanged (0)",
    "switches, diff_goto_out_of_loops: a branch on the version exchanged (0)",
    "switches, diff_goto_out_of_loops: a branch on the version exchanged (1)",
    "switches, diff_returns_merged: a branch on the version exchanged (1)",
];

/// A way to damage a body: all places where it can be done, counted; `at` says where it is.
type Damage = fn(&mut Program, FunctionId, at: usize) -> bool;

const DAMAGES: &[(&str, Damage)] = &[
    ("sides of a change exchanged", |program, function, at| {
        nth_operation(program, function, at, |operation| match operation {
            Operation::Change { old, new, .. } => {
                std::mem::swap(old, new);
                true
            }
            _ => false,
        })
    }),
    ("a branch on the version exchanged", |program, function, at| {
        nth_terminator(program, function, at, |terminator| match terminator {
            Terminator::Version { old, new } => {
                std::mem::swap(old, new);
                true
            }
            _ => false,
        })
    }),
    ("a branch turned around", |program, function, at| {
        nth_terminator(program, function, at, |terminator| match terminator {
            Terminator::Branch { then, otherwise, .. } if then != otherwise => {
                std::mem::swap(then, otherwise);
                true
            }
            _ => false,
        })
    }),
    ("a store left out", |program, function, at| {
        let Some(body) = &mut program.functions[function].body else { return false };
        let mut count = 0;
        for (_, block) in body.blocks.iter_mut() {
            for index in 0..block.instructions.len() {
                let is_store =
                    matches!(block.instructions[index].operation, Operation::Store { .. });
                if is_store && count == at {
                    block.instructions.remove(index);
                    return true;
                }
                count += usize::from(is_store);
            }
        }
        false
    }),
    ("an operand of a subtraction doubled", |program, function, at| {
        nth_operation(program, function, at, |operation| match operation {
            Operation::Binary { op: umbra_ir::BinaryOp::Sub, left, right, .. } if left != right => {
                *right = *left;
                true
            }
            _ => false,
        })
    }),
    ("an offset moved", |program, function, at| {
        nth_operation(program, function, at, |operation| match operation {
            Operation::Offset { constant, .. } => {
                *constant += 1;
                true
            }
            _ => false,
        })
    }),
];

fn nth_operation(
    program: &mut Program,
    function: FunctionId,
    at: usize,
    damage: impl Fn(&mut Operation) -> bool,
) -> bool {
    let Some(body) = &mut program.functions[function].body else { return false };
    let mut count = 0;
    for (_, block) in body.blocks.iter_mut() {
        for instruction in &mut block.instructions {
            let mut operation = instruction.operation.clone();
            if damage(&mut operation) {
                if count == at {
                    instruction.operation = operation;
                    return true;
                }
                count += 1;
            }
        }
    }
    false
}

fn nth_terminator(
    program: &mut Program,
    function: FunctionId,
    at: usize,
    damage: impl Fn(&mut Terminator) -> bool,
) -> bool {
    let Some(body) = &mut program.functions[function].body else { return false };
    let mut count = 0;
    for (_, block) in body.blocks.iter_mut() {
        let mut terminator = block.terminator.clone();
        if damage(&mut terminator) {
            if count == at {
                block.terminator = terminator;
                return true;
            }
            count += 1;
        }
    }
    false
}

#[test]
fn what_is_damaged_is_refused() {
    let (mut refused, mut accepted) = (0, Vec::new());
    for (name, old, new) in catalogue() {
        let unified = unify(old, new, &read).unwrap_or_else(|error| panic!("{name}: {error}"));
        unified.program.verify().unwrap();
        for (pair, _) in unified.correspondence.changed() {
            for (what, damage) in DAMAGES {
                for at in 0.. {
                    let mut damaged: Unified = unified.clone();
                    if !damage(&mut damaged.program, pair.new, at) {
                        break;
                    }
                    match damaged.prove(old, new) {
                        Err(_) => refused += 1,
                        Ok(()) => {
                            let function = &new.functions[pair.new].name;
                            accepted.push(format!("{name}, {function}: {what} ({at})"));
                        }
                    }
                }
            }
        }
    }
    assert_eq!(accepted, HARMLESS, "{refused} were refused");
    assert!(refused > 300, "only {refused} ways to do damage were found");
}

#[test]
fn globals_that_are_damaged_are_refused() {
    let mut refused = 0;
    for (name, old, new) in catalogue().iter().filter(|(name, ..)| name == "data") {
        let unified = unify(old, new, &read).unwrap();
        for pair in unified.correspondence.globals.iter().filter(|pair| !pair.equal) {
            let mut damaged = unified.clone();
            damaged.program.globals[pair.new].old = None;
            assert!(damaged.prove(old, new).is_err(), "{name}: {}", pair.new);
            refused += 1;
        }
    }
    assert!(refused >= 4, "{refused}");
}

#[test]
fn a_program_is_the_same_as_itself() {
    for (name, old, new) in catalogue() {
        for program in [old, new] {
            let unified = unify(program, program, &read).unwrap();
            assert!(unified.is_same_program(), "{name}: {}", unified.correspondence);
        }
    }
}

#[test]
fn a_correspondence_can_be_written_and_read() {
    let (_, old, new) = &catalogue()[0];
    let unified = unify(old, new, &read).unwrap();
    let text = serde_json::to_string(&unified.correspondence).unwrap();
    assert_eq!(serde_json::from_str(&text).ok(), Some(unified.correspondence.clone()));
    let changed = unified.correspondence.functions.iter();
    let changed = changed.filter(|pair| matches!(pair.relation, Relation::Changed(_))).count();
    let shown = unified.correspondence.to_string();
    assert_eq!(shown.lines().filter(|line| line.starts_with("function")).count(), changed);
}

#[test]
fn programs_that_cannot_be_unified_are_refused() {
    let main = "int f(int x) { return x; }\nint main(int argc, char **argv) { return f(argc); }\n";
    let plain = compile(main, "plain");
    let other = "#include <stdio.h>\n#include <stdlib.h>\nstatic double g(char *s) { return atof(s); }\n\
                 int main(void) { char b[80]; while (fgets(b, 80, stdin)) { puts(b); if (g(b) > 3) break; } return 0; }\n";
    let other = compile(other, "other");
    assert_eq!(unify(&plain, &other, &|_, _| None).err(), Some(Error::NothingInCommon));
    let mut without = plain.clone();
    for (_, function) in without.functions.iter_mut() {
        function.identity = None;
    }
    assert_eq!(unify(&plain, &without, &read).err(), Some(Error::NoDebugInfo(Version::New)));
    let mut renamed = plain.clone();
    let id = renamed.function("main").unwrap();
    renamed.functions[id].name = "start".to_owned();
    assert_eq!(unify(&renamed, &plain, &read).err(), Some(Error::NoMain(Version::Old)));
}
