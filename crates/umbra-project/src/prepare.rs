//! From a merged module to one that is ready for analysis.
//!
//! A prepared module is a whole program: it defines `_start_c`, the entry point of the
//! libc; that is how a reader tells it from other bitcode. What it leaves undefined is the border
//! of the analysis: system calls (`__umbra_syscall`), the thread pointer, the allocator, `setjmp`
//! and its kind. Scalars are in registers (mem2reg), unused code is gone. No pass of the pipeline uses
//! undefined behaviour, and lines stay. (sroa would put more into registers, but drops accesses
//! outside of a local variable and after the end of its scope.)
//!
//! Atomic operations stay what they are: the native executable is made from this module too, and
//! has threads. Who reads it for analysis, where there is one thread, takes them for plain ones.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::limits::output_limited;
use crate::wrapper::{Plan, Wrapper, is_bitcode, link_program};
use crate::{Error, Limits, Toolchain};

/// Symbols that stay visible, if the module has them; all others become internal.
/// Besides the entry points these are what the native members of `libc.a` (the
/// allocator, `sigsetjmp`, the cancellation point) refer to: were they internal, a link of the prepared module
/// would take second copies from the archive, with a second, uninitialised state.
const VISIBLE: &[&str] = &[
    "main",
    "_start_c",
    "___errno_location",
    "__cancel",
    "__libc",
    "__lock",
    "__madvise",
    "__mmap",
    "__mremap",
    "__sigsetjmp_tail",
    "__unlock",
    "memcpy",
    "memset",
    "mprotect",
    "munmap",
];

/// Passes of `opt`. Unused functions go first, as most of libm is only there because
/// a link-time code generator might have called it.
fn passes() -> String {
    let visible: Vec<String> = VISIBLE.iter().map(|name| format!("preserve-gv={name}")).collect();
    format!(
        "internalize<{}>,globaldce,\
         function(lower-constant-intrinsics,lower-expect,mem2reg),globaldce",
        visible.join(";")
    )
}

/// The file next to `path` whose name is longer by `suffix`.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn pass_args(input: &Path, output: &Path) -> Vec<OsString> {
    let passes = format!("-passes={}", passes());
    vec![passes.into(), input.into(), "-o".into(), output.into()]
}

/// Prepares a merged module of our own making.
pub(crate) fn prepare_whole(
    toolchain: &Toolchain,
    input: &Path,
    output: &Path,
) -> Result<(), Error> {
    let opt = &toolchain.tools.opt;
    let fresh = beside(output, &format!(".tmp{}", std::process::id()));
    let result =
        Command::new(opt).args(pass_args(input, &fresh)).output().map_err(Error::start(opt))?;
    finish(opt, &result, &fresh, output)
}

fn finish(
    program: &Path,
    result: &std::process::Output,
    fresh: &Path,
    output: &Path,
) -> Result<(), Error> {
    if result.status.success() {
        return fs::rename(fresh, output).map_err(Error::io("write", output));
    }
    // It may not have been written at all.
    let _ = fs::remove_file(fresh);
    Err(Error::Failed {
        program: program.into(),
        status: result.status,
        output: first_line(&result.stderr),
    })
}

/// A crash of LLVM prints pages; what went wrong is in the first line.
pub(crate) fn first_line(text: &[u8]) -> String {
    String::from_utf8_lossy(text).lines().next().unwrap_or_default().to_owned()
}

/// Makes a prepared module from a bitcode file that somebody hands in.
///
/// The file is not trusted: the tools that read it run under limits. If it is not a whole program
/// yet, it is linked with the libc first, as the compiler wrapper would.
pub fn prepare(toolchain: &Toolchain, input: &Path, output: &Path) -> Result<(), Error> {
    let opt = &toolchain.tools.opt;
    let fresh = beside(output, &format!(".tmp{}", std::process::id()));
    // Always first: a file that survives this is well-formed enough for the linker.
    let limits = Limits::FOREIGN_BITCODE;
    let check = ["-passes=verify".as_ref(), input.as_os_str(), "-o".as_ref(), fresh.as_os_str()];
    let checked = output_limited(toolchain, limits, opt, &check)?;
    finish(opt, &checked, &fresh, &fresh)?;
    let result = if is_whole(toolchain, &fresh)? {
        let prepared = beside(&fresh, ".opt");
        let args = pass_args(&fresh, &prepared);
        let args: Vec<&OsStr> = args.iter().map(OsString::as_os_str).collect();
        output_limited(toolchain, limits, opt, &args)
            .and_then(|result| finish(opt, &result, &prepared, output))
    } else {
        link_with_libc(toolchain, &fresh, output)
    };
    // Temporary; the result decides.
    let _ = fs::remove_file(&fresh);
    result
}

/// Whether the module brings the libc's entry point along.
fn is_whole(toolchain: &Toolchain, module: &Path) -> Result<bool, Error> {
    let nm = &toolchain.tools.nm;
    let args = ["--defined-only".as_ref(), "--format=just-symbols".as_ref(), module.as_os_str()];
    let result = output_limited(toolchain, Limits::FOREIGN_BITCODE, nm, &args)?;
    Ok(String::from_utf8_lossy(&result.stdout).lines().any(|symbol| symbol == "_start_c"))
}

fn link_with_libc(toolchain: &Toolchain, module: &Path, output: &Path) -> Result<(), Error> {
    // Clang tells bitcode by its suffix.
    let input = beside(module, ".in.bc");
    let exe = beside(module, ".exe");
    fs::rename(module, &input).map_err(Error::io("write", &input))?;
    let args = [input.clone().into(), "-o".into(), exe.clone().into()];
    let result = link_and_take(toolchain, &args, output);
    for path in [&input, &exe] {
        // Temporary; the result decides.
        let _ = fs::remove_file(path);
    }
    result
}

fn link_and_take(toolchain: &Toolchain, args: &[OsString], output: &Path) -> Result<(), Error> {
    let Plan::Link(link) = Wrapper::new(toolchain)?.plan(args)? else {
        return Err(Error::NothingToCompile);
    };
    let status = link_program(toolchain, &link)?.status;
    if !status.success() {
        let program = toolchain.tools.clang.clone();
        return Err(Error::Failed { program, status, output: String::new() });
    }
    let bitcode = link.bitcode();
    if !is_bitcode(&bitcode) {
        return Err(Error::NoBitcode { exe: link.exe });
    }
    fs::rename(&bitcode, output).map_err(Error::io("write", output))
}
