//! Links the parts of LLVM that read and write bitcode, statically.
//!
//! `llvm-sys` would link every component of LLVM, or the shared library; this asks `llvm-config`
//! for the three components that are used, so that programs stay small and start fast.

use std::env;
use std::path::PathBuf;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=LLVM_SYS_191_PREFIX");
    let config = match env::var_os("LLVM_SYS_191_PREFIX") {
        Some(prefix) => PathBuf::from(prefix).join("bin/llvm-config"),
        None => PathBuf::from("llvm-config-19"),
    };
    let ask = |arguments: &[&str]| -> String {
        let output = Command::new(&config)
            .args(arguments)
            .output()
            .unwrap_or_else(|error| panic!("cannot run {}: {error}", config.display()));
        assert!(
            output.status.success(),
            "{} {arguments:?} failed: {}",
            config.display(),
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };

    let version = ask(&["--version"]);
    assert!(
        version.starts_with("19."),
        "LLVM 19 is needed, {} is version {version}",
        config.display()
    );
    println!("cargo:rustc-link-search=native={}", ask(&["--libdir"]));
    for library in
        ask(&["--link-static", "--libs", "core", "bitreader", "bitwriter"]).split_whitespace()
    {
        let name = library.strip_prefix("-l").unwrap_or(library);
        println!("cargo:rustc-link-lib=static={name}");
    }
    // `--system-libs` also names z3 and libxml2, which nothing of these components refers to.
    for library in ["z", "zstd", "stdc++"] {
        println!("cargo:rustc-link-lib=dylib={library}");
    }
}
