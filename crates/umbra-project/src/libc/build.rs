//! Building the libc from musl's source.
//!
//! Everything happens in a folder of its own inside the cache, which is renamed
//! when it is complete: whoever looks sees a whole libc or none, and two builders
//! at once do the work twice but harm nothing.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Libc, link_path, overlay};
use crate::{Error, Toolchain};

/// How [`build_libc`] came to its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LibcBuild {
    /// It was there already.
    Present(Libc),
    /// It was built now.
    Built(Libc),
}

/// Folders of kernel headers that programs include: their name in the sysroot and
/// where the distribution keeps them.
const KERNEL_HEADERS: &[(&str, &str)] = &[
    ("linux", "/usr/include/linux"),
    ("asm", "/usr/include/x86_64-linux-gnu/asm"),
    ("asm-generic", "/usr/include/asm-generic"),
    ("mtd", "/usr/include/mtd"),
    ("misc", "/usr/include/misc"),
];

/// The two ways in which musl is compiled.
#[derive(Clone, Copy)]
enum Flavour {
    Bitcode,
    Native,
}

impl Flavour {
    fn name(self) -> &'static str {
        match self {
            Flavour::Bitcode => "bitcode",
            Flavour::Native => "native",
        }
    }
}

/// Builds the libc from the source of musl in `source` unless it is in the cache.
pub fn build_libc(toolchain: &Toolchain, source: &Path, jobs: usize) -> Result<LibcBuild, Error> {
    let version = musl_version(source)?;
    let cache = toolchain.cache.root();
    let name = format!("libc-{}", overlay::fingerprint_with(&version));
    let target = cache.join(&name);
    let link = link_path(&toolchain.cache);
    let present = target.join("lib/libc.a").exists();
    if present && fs::read_link(&link).is_ok_and(|to| to == Path::new(&name)) {
        return Libc::find(&toolchain.cache).map(LibcBuild::Present);
    }
    if !present {
        let work = cache.join(format!("tmp-{name}-{}", std::process::id()));
        create_dir(&work)?;
        let built = build_in(toolchain, source, &work, &version, jobs);
        let moved = built.and_then(|sysroot| match fs::rename(&sysroot, &target) {
            // Another builder was faster, and its libc is the same.
            Err(_) if target.join("lib/libc.a").exists() => Ok(()),
            result => result.map_err(Error::io("create", &target)),
        });
        // What is left is of no use to anybody; the result decides.
        let _ = fs::remove_dir_all(&work);
        moved?;
    }
    replace_link(Path::new(&name), &link)?;
    Libc::find(&toolchain.cache).map(LibcBuild::Built)
}

fn musl_version(source: &Path) -> Result<String, Error> {
    for missing in ["VERSION", "Makefile", "arch/x86_64/bits/alltypes.h.in"] {
        if !source.join(missing).exists() {
            return Err(Error::NotMusl { path: source.into(), missing });
        }
    }
    let path = source.join("VERSION");
    let text = fs::read_to_string(&path).map_err(Error::io("read", &path))?;
    Ok(text.trim().to_owned())
}

/// Builds into `work` and returns the finished sysroot inside it.
fn build_in(
    toolchain: &Toolchain,
    source: &Path,
    work: &Path,
    version: &str,
    jobs: usize,
) -> Result<PathBuf, Error> {
    let work = fs::canonicalize(work).map_err(Error::io("find", work))?;
    let tree = work.join("musl");
    copy_tree(source, &tree)?;
    lay_over(&tree)?;
    let sysroot = work.join("sysroot");
    let native = sysroot.join("native");
    create_dir(&native)?;
    make_flavour(toolchain, &tree, &work, Flavour::Bitcode, &sysroot, jobs)?;
    make_flavour(toolchain, &tree, &work, Flavour::Native, &native, jobs)?;
    let include = native.join("include");
    symlink("../include", &include).map_err(Error::io("create", &include))?;
    for (name, from) in KERNEL_HEADERS {
        let to = sysroot.join("include").join(name);
        if Path::new(from).exists() && !to.exists() {
            symlink(from, &to).map_err(Error::io("create", &to))?;
        }
    }
    write(&sysroot.join("musl-version"), format!("{version}\n").as_bytes())?;
    Ok(sysroot)
}

/// Turns a copy of musl's source into the source of our port.
fn lay_over(tree: &Path) -> Result<(), Error> {
    copy_tree(&tree.join("arch/x86_64"), &tree.join("arch/umbra"))?;
    for (path, text) in overlay::TREE {
        write(&tree.join(path), text.as_bytes())?;
    }
    for (path, text) in overlay::NATIVE {
        write(&tree.join("umbra").join(path), text.as_bytes())?;
    }
    for (path, added) in overlay::ADDED {
        let header = tree.join(path);
        let mut text = match header.exists() {
            true => fs::read(&header).map_err(Error::io("read", &header))?,
            false => Vec::new(),
        };
        text.extend_from_slice(added.as_bytes());
        write(&header, &text)?;
    }
    // With this pragma clang emits constrained floating-point intrinsics. They would be
    // right only where the rounding mode changes, and here it never does.
    let math = tree.join("src/math");
    for entry in fs::read_dir(&math).map_err(Error::io("read", &math))? {
        let path = entry.map_err(Error::io("read", &math))?.path();
        if path.extension() != Some(OsStr::new("c")) {
            continue;
        }
        let text = fs::read(&path).map_err(Error::io("read", &path))?;
        let text = String::from_utf8_lossy(&text);
        if text.contains("#pragma STDC FENV_ACCESS ON") {
            write(&path, text.replace("#pragma STDC FENV_ACCESS ON", "").as_bytes())?;
        }
    }
    Ok(())
}

/// Compiles one flavour and puts its libraries (and, for bitcode, the headers)
/// into `sysroot`.
fn make_flavour(
    toolchain: &Toolchain,
    tree: &Path,
    work: &Path,
    flavour: Flavour,
    sysroot: &Path,
    jobs: usize,
) -> Result<(), Error> {
    let tools = &toolchain.tools;
    let build = work.join(flavour.name());
    write(&build.join("config.mak"), overlay::CONFIG.as_bytes())?;
    let mut make = Command::new("make");
    make.current_dir(&build)
        .arg("-s")
        .arg(format!("-j{}", jobs.max(1)))
        .arg("-f")
        .arg(tree.join("Makefile"))
        .arg(setting("srcdir", tree))
        .arg(format!("FLAVOUR={}", flavour.name()))
        .arg(setting("CLANG", &tools.clang))
        .arg(setting("LLVM_AR", &tools.ar))
        .arg(setting("LLVM_RANLIB", &tools.ranlib))
        .arg(setting("includedir", &sysroot.join("include")))
        .args(["lib/libc.a", "lib/crti.o", "lib/crtn.o"])
        // The libraries that are part of libc.a in musl, empty but linkable.
        .args(["m", "rt", "pthread", "crypt", "util", "xnet", "resolv", "dl"].map(empty_library));
    if let Flavour::Bitcode = flavour {
        make.arg("install-headers");
    }
    // A make that started us must not hand its jobs and flags to this one.
    for variable in ["MAKEFLAGS", "MFLAGS", "MAKELEVEL", "GNUMAKEFLAGS"] {
        make.env_remove(variable);
    }
    run(make)?;

    let lib = build.join("lib");
    let mut members = Vec::new();
    for (path, _) in overlay::NATIVE {
        let object = match *path {
            "start.S" => lib.join("crt1.o"),
            path => build.join(native_name(path)),
        };
        assemble(toolchain, &tree.join("umbra").join(path), &object)?;
        if *path != "start.S" {
            members.push(object);
        }
    }
    for path in overlay::MUSL_NATIVE {
        let object = build.join(native_name(path));
        assemble(toolchain, &tree.join(path), &object)?;
        members.push(object);
    }
    let mut ar = Command::new(&tools.ar);
    ar.arg("rcs").arg(lib.join("libc.a")).args(&members);
    run(ar)?;
    let target = sysroot.join("lib");
    fs::rename(&lib, &target).map_err(Error::io("create", &target))
}

fn empty_library(name: &str) -> String {
    format!("lib/lib{name}.a")
}

/// A member name of its own: a native `clone.o` would replace the bitcode member
/// of that name.
fn native_name(path: &str) -> String {
    let stem = Path::new(path).file_stem().unwrap_or_default().to_string_lossy();
    format!("umbra_native_{stem}.o")
}

fn assemble(toolchain: &Toolchain, source: &Path, object: &Path) -> Result<(), Error> {
    let mut clang = Command::new(&toolchain.tools.clang);
    clang.arg("--target=x86_64-linux-musl").arg("-c").arg(source).arg("-o").arg(object);
    run(clang)
}

fn setting(name: &str, value: &Path) -> std::ffi::OsString {
    let mut text = std::ffi::OsString::from(name);
    text.push("=");
    text.push(value);
    text
}

/// Runs a program and keeps what it says for the error.
fn run(mut command: Command) -> Result<(), Error> {
    let program = PathBuf::from(command.get_program());
    let output = command.output().map_err(Error::start(&program))?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(Error::Failed { program, status: output.status, output: text })
}

fn create_dir(path: &Path) -> Result<(), Error> {
    fs::create_dir_all(path).map_err(Error::io("create", path))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    if let Some(parent) = path.parent() {
        create_dir(parent)?;
    }
    fs::write(path, bytes).map_err(Error::io("write", path))
}

fn copy_tree(from: &Path, to: &Path) -> Result<(), Error> {
    create_dir(to)?;
    for entry in fs::read_dir(from).map_err(Error::io("read", from))? {
        let entry = entry.map_err(Error::io("read", from))?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type().map_err(Error::io("read", &path))?;
        if kind.is_dir() {
            copy_tree(&path, &target)?;
        } else if kind.is_file() {
            fs::copy(&path, &target).map_err(Error::io("copy", &path))?;
        }
    }
    Ok(())
}

/// Points `link` to `target` in one step, whatever it was before.
fn replace_link(target: &Path, link: &Path) -> Result<(), Error> {
    let fresh = link.with_extension(format!("tmp{}", std::process::id()));
    // Left behind by a process of the same number that was killed here.
    let _ = fs::remove_file(&fresh);
    symlink(target, &fresh).map_err(Error::io("create", &fresh))?;
    fs::rename(&fresh, link).map_err(Error::io("create", link))
}
