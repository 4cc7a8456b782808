//! What a machine needs for Umbra, and whether it has it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::{Libc, Toolchain};

/// The state of one requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckState {
    /// It is there.
    Found(PathBuf),
    /// It is not; the text says how to get it.
    Missing(String),
}

/// One requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// A short name.
    pub name: &'static str,
    /// What it is used for.
    pub purpose: &'static str,
    /// Whether Umbra works without it.
    pub optional: bool,
    /// Whether it is there.
    pub state: CheckState,
}

/// Looks for everything that Umbra needs. `path` is the value of `PATH`.
pub fn check(toolchain: &Toolchain, path: &OsStr) -> Vec<Check> {
    let tools = &toolchain.tools;
    let program = |name, purpose, program: &Path, package: &str| Check {
        name,
        purpose,
        optional: false,
        state: found_or(find_program(program, path), apt(package)),
    };
    let file = |name, purpose, candidates: &[&str], package: &str| Check {
        name,
        purpose,
        optional: false,
        state: found_or(
            candidates.iter().map(PathBuf::from).find(|path| path.exists()),
            apt(package),
        ),
    };
    let source = toolchain.cache.musl_source();
    let mut checks = vec![
        program("clang", "compiles programs", &tools.clang, "clang-19"),
        program("lld", "links programs", &tools.lld, "lld-19"),
        program("opt", "prepares bitcode", &tools.opt, "llvm-19"),
        program("llvm-ar", "AR for build systems", &tools.ar, "llvm-19"),
        program("llvm-ranlib", "RANLIB for build systems", &tools.ranlib, "llvm-19"),
        program("llvm-nm", "NM for build systems", &tools.nm, "llvm-19"),
        program("make", "builds the libc", Path::new("make"), "make"),
        program("git", "reads revisions of projects", Path::new("git"), "git"),
        file(
            "compiler-rt",
            "run-time support of compiled programs",
            &[
                "/usr/lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.builtins-x86_64.a",
                "/usr/lib/clang/19/lib/linux/libclang_rt.builtins-x86_64.a",
            ],
            "libclang-rt-19-dev",
        ),
        file(
            "kernel-headers",
            "headers that programs include",
            &["/usr/include/linux/version.h"],
            "linux-libc-dev",
        ),
        file(
            "z3",
            "solver library",
            &["/usr/lib/x86_64-linux-gnu/libz3.so", "/usr/lib/libz3.so", "/usr/lib64/libz3.so"],
            "libz3-dev",
        ),
        Check {
            name: "musl-source",
            purpose: "source of the libc",
            // Once the libc is there, its source is not needed any more.
            optional: Libc::find(&toolchain.cache).is_ok(),
            state: found_or(
                source.join("VERSION").exists().then(|| source.clone()),
                "umbra libc build".into(),
            ),
        },
        Check {
            name: "libc",
            purpose: "the bitcode libc that programs are linked with",
            optional: false,
            state: found_or(
                Libc::find(&toolchain.cache).ok().map(|libc| libc.sysroot().to_owned()),
                "umbra libc build".into(),
            ),
        },
    ];
    for (name, purpose, package) in [
        ("dpkg-source", "fetches source packages", "dpkg-dev"),
        ("csmith", "random programs for the full test suite", "csmith"),
        ("cmake", "builds projects that use it", "cmake"),
        ("meson", "builds projects that use it", "meson"),
        ("autoreconf", "makes missing configure scripts", "autoconf automake libtool"),
        ("strace", "records what tests do", "strace"),
    ] {
        checks.push(Check { optional: true, ..program(name, purpose, Path::new(name), package) });
    }
    checks
}

fn found_or(found: Option<PathBuf>, fix: String) -> CheckState {
    found.map_or(CheckState::Missing(fix), CheckState::Found)
}

fn apt(package: &str) -> String {
    format!("apt-get install {package}")
}

/// A program by path, or by name in the folders of `path`.
fn find_program(program: &Path, path: &OsStr) -> Option<PathBuf> {
    if program.components().count() > 1 {
        return program.exists().then(|| program.to_owned());
    }
    std::env::split_paths(path).map(|dir| dir.join(program)).find(|file| file.is_file())
}
