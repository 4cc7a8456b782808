//! Loaded programs behave as native ones: the same C text, run both ways.
//!
//! The programs are those of `tests/native` and random ones of csmith, if it is installed.

mod reference;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use reference::{Machine, Stopped};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
}

fn clang(arguments: &[&str], source: &Path, output: &Path) {
    let status = Command::new("clang-19")
        .args([
            "-w",
            "-I/usr/include/csmith",
            "-fno-vectorize",
            "-fno-slp-vectorize",
            "-ffp-contract=off",
        ])
        .args(arguments)
        .arg(source)
        .arg("-o")
        .arg(output)
        .status()
        .unwrap();
    assert!(status.success(), "{} does not compile", source.display());
}

/// The output of a native run, unless it takes long.
fn native(program: &Path) -> Option<String> {
    let mut child = Command::new(program).stdout(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > Duration::from_secs(2) {
            child.kill().unwrap();
            child.wait().unwrap();
            return None;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let Output { status, stdout, .. } = child.wait_with_output().unwrap();
    let code = status.code()?;
    Some(format!("{}exit {code}\n", String::from_utf8(stdout).unwrap()))
}

/// The output of our run, unless it takes long.
fn interpreted(bitcode: &Path) -> Option<String> {
    let program = umbra_ir::load_bitcode(bitcode).unwrap();
    let text = program.to_string();
    assert!(
        umbra_ir::parse(&text).unwrap() == program,
        "{} changes in text form",
        bitcode.display()
    );
    let mut machine = Machine::new(&program);
    let main = program.function("main").unwrap();
    match machine.call(main, &[1, 0]) {
        Ok(results) => Some(format!("{}exit {}\n", machine.output, results[0] as u8)),
        Err(Stopped) => None,
    }
}

/// Runs a program both ways, ours at three levels of optimisation; whether it ended.
fn compare(source: &Path) -> bool {
    let name = source.file_stem().unwrap().to_str().unwrap();
    let executable = folder().join(format!("native-{name}"));
    clang(&["-O0"], source, &executable);
    let Some(expected) = native(&executable) else {
        return false;
    };
    for level in ["-O0", "-O1", "-O2"] {
        let bitcode = folder().join(format!("native-{name}{level}.bc"));
        clang(&[level, "-g", "-c", "-emit-llvm"], source, &bitcode);
        if let Some(output) = interpreted(&bitcode) {
            assert_eq!(output, expected, "{name} at {level}");
        }
    }
    true
}

#[test]
fn written_programs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/native");
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "c") {
            assert!(compare(&path), "{} does not end", path.display());
            count += 1;
        }
    }
    assert!(count > 0);
}

#[test]
fn random_programs() {
    let seeds = std::env::var("SEEDS").ok().and_then(|text| text.parse().ok());
    let seeds: u32 = seeds.unwrap_or(5);
    for seed in 1..=seeds {
        let generated = Command::new("csmith")
            .args(["--seed", &seed.to_string(), "--no-volatiles"])
            .args(["--max-funcs", "5"])
            .output();
        let Ok(generated) = generated else {
            println!("csmith is not installed: nothing compared");
            return;
        };
        let source = folder().join(format!("csmith{seed}.c"));
        fs::write(&source, generated.stdout).unwrap();
        compare(&source);
    }
}
