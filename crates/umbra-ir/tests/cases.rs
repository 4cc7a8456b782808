//! Every file of `tests/cases` is compiled, loaded, and compared with the text beside it.
//!
//! A `.c` file is compiled by clang with `-O0 -g`, or with the flags of its first line; a `.ll`
//! file is assembled. Each program must also survive the text form and the binary form unchanged.
//! `BLESS=1` rewrites the expectations.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use umbra_ir::{ConstantValue, Initializer, Program, Symbol};

fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases")
}

/// Compiles a case and loads it.
fn load(source: &Path) -> Program {
    let name = source.file_name().unwrap().to_str().unwrap();
    // Two tests may load one case at the same time.
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let bitcode = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.{number}.bc"));
    let text = fs::read_to_string(source).unwrap();
    let mut command = if name.ends_with(".ll") {
        Command::new("llvm-as-19")
    } else {
        let mut clang = Command::new("clang-19");
        let flags = text.lines().next().unwrap().strip_prefix("//@ flags: ");
        clang
            .args(flags.unwrap_or("-O0 -g").split(' '))
            // The same text wherever the sources are, and names for the stack objects.
            .args(["-fdebug-compilation-dir=/src", "-fno-discard-value-names"])
            .args(["--target=x86_64-linux-gnu", "-c", "-emit-llvm"]);
        clang
    };
    let status = command.current_dir(cases()).arg(name).arg("-o").arg(&bitcode).status().unwrap();
    assert!(status.success(), "{name} does not compile");
    umbra_ir::load_bitcode(&bitcode).unwrap()
}

fn check(source: &Path) -> Result<(), String> {
    let program = load(source);
    program.verify().unwrap();
    let text = program.to_string();
    let parsed = umbra_ir::parse(&text).map_err(|error| format!("does not parse: {error}"))?;
    assert!(parsed == program, "{} changes in text form", source.display());
    let decoded = umbra_ir::decode(&umbra_ir::encode(&program)).unwrap();
    assert!(decoded == program, "{} changes in binary form", source.display());

    let expected_path = source.with_extension("expected");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&expected_path, &text).unwrap();
        return Ok(());
    }
    let expected = fs::read_to_string(&expected_path).unwrap_or_default();
    if expected == text {
        return Ok(());
    }
    let mut message = String::new();
    for difference in differences(&expected, &text) {
        message += &difference;
    }
    Err(message)
}

/// The lines that are only in one of the texts, from the first difference on.
fn differences(expected: &str, actual: &str) -> Vec<String> {
    let (expected, actual): (Vec<_>, Vec<_>) =
        (expected.lines().collect(), actual.lines().collect());
    let start = expected.iter().zip(&actual).take_while(|(a, b)| a == b).count();
    let (expected, actual) = (&expected[start..], &actual[start..]);
    let end = expected.iter().rev().zip(actual.iter().rev()).take_while(|(a, b)| a == b).count();
    let minus = expected[..expected.len() - end].iter().map(|line| format!("- {line}\n"));
    let plus = actual[..actual.len() - end].iter().map(|line| format!("+ {line}\n"));
    minus.chain(plus).collect()
}

#[test]
fn files() {
    let mut failures = Vec::new();
    let mut sources: Vec<PathBuf> = fs::read_dir(cases())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "c" || end == "ll"))
        .collect();
    sources.sort();
    for source in sources {
        if let Err(message) = check(&source) {
            failures.push(format!("{}:\n{message}", source.display()));
        }
    }
    assert!(
        failures.is_empty(),
        "{}\nto accept: BLESS=1 cargo test -p umbra-ir --test cases",
        failures.join("\n")
    );
}

/// The compiler's own sizes and offsets against ours.
#[test]
fn layout_is_that_of_the_compiler() {
    let program = load(&cases().join("layout.c"));
    let word = |name: &str| {
        let global = program.globals.values().find(|global| global.name == name);
        match &global.unwrap().initializer {
            Initializer::Data { bytes, .. } => u64::from_le_bytes(bytes[..].try_into().unwrap()),
            Initializer::Zero => 0,
            other => panic!("{name} is {other:?}"),
        }
    };
    let mut checked = 0;
    for global in program.globals.values() {
        if let Some(name) = global.name.strip_prefix("size_") {
            let object = program.globals.values().find(|other| other.name == name);
            assert_eq!(object.unwrap().size, word(&global.name), "size of {name}");
            checked += 1;
        }
        if let Some(name) = global.name.strip_prefix("at_") {
            let Initializer::Data { relocations, .. } = &global.initializer else {
                panic!("{name} has no address");
            };
            let offset = word(&format!("offset_{name}"));
            assert_eq!(relocations[0].addend as u64, offset, "offset in {name}");
            checked += 1;
        }
    }
    assert_eq!(checked, 16);
}

/// Chains of inlining end in the function that the code is in.
#[test]
fn inlined_locations_have_their_callers() {
    let program = load(&cases().join("inlining.c"));
    let chain = program.locations.values().find_map(|location| {
        let middle = &program.locations[location.inlined_at?];
        let outer = &program.locations[middle.inlined_at?];
        Some([location, middle, outer].map(|at| (at.function.as_str(), at.line)))
    });
    assert_eq!(chain, Some([("inner", 5), ("middle", 7), ("outer", 9)]));
}

#[test]
fn constants_are_unique_and_addresses_have_names() {
    let program = load(&cases().join("initializers.c"));
    let names: Vec<_> = program
        .constants
        .values()
        .filter_map(|constant| match constant.value {
            ConstantValue::Address { symbol: Symbol::Global(id), .. } => {
                Some(program.globals[id].name.as_str())
            }
            _ => None,
        })
        .collect();
    // Initialisers are bytes and relocations; their constants are not the program's.
    assert_eq!(names, Vec::<&str>::new());
}

#[test]
fn other_targets_and_other_files_are_refused() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let refused = |name: &str, text: &str| {
        let (source, bitcode) =
            (folder.join(format!("{name}.ll")), folder.join(format!("{name}.bc")));
        fs::write(&source, text).unwrap();
        let status = Command::new("llvm-as-19").arg(&source).arg("-o").arg(&bitcode).status();
        assert!(status.unwrap().success());
        let error = umbra_ir::load_bitcode(&bitcode).unwrap_err().to_string();
        error.replace(folder.to_str().unwrap(), "")
    };
    assert_eq!(
        refused("arm", "target triple = \"aarch64-linux-gnu\""),
        "/arm.bc is not for x86-64: its target is `aarch64-linux-gnu`"
    );
    assert_eq!(
        refused("none", "@x = global i32 0"),
        "/none.bc is not for x86-64: its target is ``"
    );
    let error = umbra_ir::load_bitcode(&cases().join("names.ll")).unwrap_err();
    assert!(error.to_string().ends_with("names.ll is not LLVM bitcode"));
    let error = umbra_ir::load_bitcode(Path::new("/nonexistent/x.bc")).unwrap_err();
    assert!(error.to_string().starts_with("cannot read /nonexistent/x.bc: "));
}
