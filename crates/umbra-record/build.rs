//! Builds the shim and the tracer, which the library carries inside.
//!
//! Neither is an ordinary binary of the workspace, and cargo has no way to say so for one of them, so
//! that each is built by a cargo of its own. The tracer is static: the tests of a project preload
//! libraries, which must not get into it. The shim is pages without any library that can be at any
//! address.

use std::path::{Path, PathBuf};
use std::process::Command;

const TARGET: &str = "x86_64-unknown-linux-gnu";
const STATIC: &[&str] = &["-Ctarget-feature=+crt-static", "-Crelocation-model=static"];
const FREESTANDING: &[&str] = &[
    "-Ctarget-feature=+crt-static",
    "-Crelocation-model=pie",
    "-Clink-arg=-nostartfiles",
    "-Clink-arg=-nostdlib",
    "-Clink-arg=-static-pie",
    "-Clink-arg=-Wl,--entry=umbra_start",
];

fn main() {
    let workspace = variable("CARGO_MANIFEST_DIR").join("../..");
    for watched in ["crates/umbra-shim", "crates/umbra-tracer", "Cargo.lock", "Cargo.toml"] {
        println!("cargo::rerun-if-changed={}", workspace.join(watched).display());
    }
    let tracer = build(&workspace, "umbra-tracer", STATIC, &[]);
    println!("cargo::rustc-env=UMBRA_TRACER={}", tracer.display());
    let shim = build(&workspace, "umbra-shim", FREESTANDING, &["--features", "freestanding"]);
    println!("cargo::rustc-env=UMBRA_SHIM={}", shim.display());
}

fn variable(name: &str) -> PathBuf {
    std::env::var_os(name).map(PathBuf::from).unwrap_or_default()
}

/// Builds the binary of a package that has its name.
fn build(workspace: &Path, package: &str, flags: &[&str], more: &[&str]) -> PathBuf {
    let folder = variable("OUT_DIR").join(package);
    let status = Command::new(variable("CARGO"))
        .current_dir(workspace)
        .args(["build", "--quiet", "--locked", "--package", package, "--bin", package])
        .args(["--profile", "shim", "--target", TARGET, "--target-dir"])
        .arg(&folder)
        .args(more)
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"))
        .env_remove("RUSTC_WORKSPACE_WRAPPER")
        .env_remove("CARGO_TARGET_DIR")
        .status();
    match status {
        Ok(status) if status.success() => {}
        Ok(status) => panic!("{package} was not built: {status}"),
        Err(error) => panic!("cannot run cargo to build {package}: {error}"),
    }
    folder.join(TARGET).join("shim").join(package)
}
