//! Programs built from C files and from bitcode, without a build system.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use umbra_project::{Error, compile, prepare};

use crate::toolchain;

const SOURCE: &str = "#include <stdio.h>\nint main(void) { puts(TEXT); return 5; }\n";

fn run(program: &str, args: &[&str]) -> std::process::Output {
    let output = Command::new(program).args(args).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program}: {text}");
    output
}

/// Bitcode of [`SOURCE`] as any clang makes it.
fn plain_bitcode(dir: &Path) -> PathBuf {
    let (file, bitcode) = (dir.join("five.c"), dir.join("five.bc"));
    fs::write(&file, SOURCE).unwrap();
    let (from, to) = (file.to_str().unwrap(), bitcode.to_str().unwrap());
    run("clang-19", &["-DTEXT=\"ok\"", "-emit-llvm", "-c", from, "-o", to]);
    bitcode
}

fn defined(module: &Path) -> Vec<String> {
    let options = ["--defined-only", "--extern-only", "--format=just-symbols"];
    let args = [&options[..], &[module.to_str().unwrap()]].concat();
    let text = String::from_utf8(run("llvm-nm-19", &args).stdout).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// What marks a prepared module: see the module documentation of `prepare`.
fn assert_prepared(module: &Path) {
    let symbols = defined(module);
    assert!(symbols.iter().any(|name| name == "main"), "{symbols:?}");
    assert!(symbols.iter().any(|name| name == "_start_c"), "{symbols:?}");
}

#[test]
fn compile_a_file() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("five.c");
    fs::write(&file, SOURCE).unwrap();
    let flags = [OsString::from("-DTEXT=\"ok\"")];
    let program = compile(&toolchain(), &[file], &flags, &dir.path().join("out")).unwrap();
    assert_eq!(program.exe, dir.path().join("out/five"));
    let output = Command::new(&program.exe).output().unwrap();
    assert_eq!((output.status.code(), output.stdout), (Some(5), b"ok\n".to_vec()));
    assert_prepared(&program.bitcode);
}

#[test]
fn compile_reports_failure() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("bad.c");
    fs::write(&file, "int main(void) { return }\n").unwrap();
    let result = compile(&toolchain(), &[file], &["-w".into()], dir.path());
    assert!(matches!(result, Err(Error::Failed { .. })), "{result:?}");
    let nothing = compile(&toolchain(), &[], &[], dir.path());
    assert!(matches!(nothing, Err(Error::NothingToCompile)), "{nothing:?}");
}

#[test]
fn prepare_links_what_is_not_whole() {
    let dir = tempfile::tempdir().unwrap();
    let input = plain_bitcode(dir.path());
    let output = dir.path().join("whole.bc");
    prepare(&toolchain(), &input, &output).unwrap();
    assert_prepared(&output);
    // A second time there is nothing left to link, and nothing else is left behind.
    let again = dir.path().join("again.bc");
    prepare(&toolchain(), &output, &again).unwrap();
    assert_eq!(defined(&again), defined(&output));
    let entries = fs::read_dir(dir.path()).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["again.bc", "five.bc", "five.c", "whole.bc"]);
}

#[test]
fn prepare_refuses_damaged_files() {
    let dir = tempfile::tempdir().unwrap();
    let bytes = fs::read(plain_bitcode(dir.path())).unwrap();
    let (damaged, output) = (dir.path().join("damaged.bc"), dir.path().join("out.bc"));
    for length in [0, 3, 4, 100, bytes.len() / 2] {
        fs::write(&damaged, &bytes[..length]).unwrap();
        let result = prepare(&toolchain(), &damaged, &output);
        assert!(matches!(result, Err(Error::Failed { .. })), "{length}: {result:?}");
        assert!(!output.exists());
    }
    let missing = prepare(&toolchain(), &dir.path().join("none.bc"), &output);
    assert!(matches!(missing, Err(Error::Failed { .. })), "{missing:?}");
}
