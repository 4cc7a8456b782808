//! Builds the shim as a static executable, which the library carries inside.
//!
//! It must be static: the tests of a project preload libraries into its programs, and these must
//! not get into the shim, in which they would seem to work. Cargo has no way to say so for one
//! binary, so that it is built by a cargo of its own.

use std::path::PathBuf;
use std::process::Command;

/// A static executable at fixed addresses that is entered where the shim wants to.
const FLAGS: &[&str] = &[
    "-Ctarget-feature=+crt-static",
    "-Crelocation-model=static",
    "-Clink-arg=-Wl,--entry=umbra_start",
    "--cfg=umbra_entry",
];

fn main() {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).unwrap_or_default();
    let manifest = variable("CARGO_MANIFEST_DIR");
    let workspace = manifest.join("../..");
    for watched in ["crates/umbra-shim", "Cargo.lock", "Cargo.toml"] {
        println!("cargo::rerun-if-changed={}", workspace.join(watched).display());
    }
    let target = "x86_64-unknown-linux-gnu";
    let folder = variable("OUT_DIR").join("shim");
    let status = Command::new(variable("CARGO"))
        .current_dir(&workspace)
        .args(["build", "--quiet", "--locked", "--package", "umbra-shim", "--bin", "umbra-shim"])
        .args(["--profile", "shim", "--target", target, "--target-dir"])
        .arg(&folder)
        .env("CARGO_ENCODED_RUSTFLAGS", FLAGS.join("\u{1f}"))
        .env_remove("RUSTC_WORKSPACE_WRAPPER")
        .env_remove("CARGO_TARGET_DIR")
        .status();
    match status {
        Ok(status) if status.success() => {}
        Ok(status) => panic!("the shim was not built: {status}"),
        Err(error) => panic!("cannot run cargo to build the shim: {error}"),
    }
    let shim = folder.join(target).join("shim/umbra-shim");
    println!("cargo::rustc-env=UMBRA_SHIM={}", shim.display());
}
