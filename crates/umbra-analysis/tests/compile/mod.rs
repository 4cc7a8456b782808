//! Compiles C as `umbra cc` does, but without a libc.

use std::fs;
use std::path::Path;
use std::process::Command;

use umbra_ir::Program;

/// The program of one source file.
pub fn compile(source: &Path) -> Program {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let name = source.file_stem().unwrap().to_str().unwrap();
    let file = folder.join(format!("analysis-{name}"));
    fs::create_dir_all(&file).unwrap();
    let (raw, bitcode) = (file.join("raw.bc"), file.join("ready.bc"));
    let status = Command::new("clang-19")
        .args(["-g", "-w", "-O1", "-Xclang", "-disable-llvm-passes", "-c", "-emit-llvm"])
        .arg(source)
        .arg("-o")
        .arg(&raw)
        .status()
        .unwrap();
    assert!(status.success(), "{name} does not compile");
    let opt =
        Command::new("opt-19").args(["-passes=mem2reg", "-o"]).arg(&bitcode).arg(&raw).status();
    assert!(opt.unwrap().success(), "{name} cannot be prepared");
    umbra_ir::load_bitcode(&bitcode).unwrap()
}
