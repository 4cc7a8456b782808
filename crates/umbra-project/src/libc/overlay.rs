//! Our own files that are laid over musl's source, as part of this program.

use crate::hash::Hash;

/// A file: its path and its text.
pub(super) type File = (&'static str, &'static str);

macro_rules! files {
    ($dir:literal: $($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../../libc/", $dir, "/", $path)))),*]
    };
}

/// Settings for musl's Makefile.
pub(super) const CONFIG: &str = include_str!("../../libc/config.mak");

/// Laid over a copy of musl's source tree.
pub(super) const TREE: &[File] = files!("tree":
    "arch/umbra/atomic_arch.h",
    "arch/umbra/crt_arch.h",
    "arch/umbra/pthread_arch.h",
    "arch/umbra/reloc.h",
    "arch/umbra/syscall_arch.h",
    "include/klee/klee.h",
    "include/umbra.h",
    "src/env/umbra/__libc_start_main.c",
    "src/env/umbra/start_c.c",
    "src/math/umbra/fabs.c",
    "src/math/umbra/fabsf.c",
    "src/math/umbra/fabsl.c",
    "src/math/umbra/sqrt.c",
    "src/math/umbra/sqrtf.c",
    "src/math/umbra/sqrtl.c",
    "src/signal/umbra/restore.c",
    "src/string/umbra/explicit_bzero.c",
    "src/string/umbra/memcpy.c",
    "src/string/umbra/memmove.c",
    "src/string/umbra/memset.c",
    "src/string/umbra/rawmemchr.c",
    "src/thread/umbra/__set_thread_area.c",
    "src/thread/umbra/__unmapself.c",
    "src/thread/umbra/clone.c",
    "src/thread/umbra/syscall_cp.c",
    "src/umbra/assume.c",
    "src/umbra/complex.c",
    "src/umbra/error.c",
    "src/umbra/failure.c",
    "src/umbra/gnu.c",
    "src/umbra/hints.c",
    "src/umbra/input.c",
    "src/umbra/processor.c",
    "src/umbra/runtime.h",
    "src/umbra/sanitize.c",
    "src/umbra/say.c",
    "src/umbra/value.c",
    "src/umbra/verifier.c",
);

/// What programs written for glibc expect: headers, and what is appended to musl's own ones. Apart from [`TREE`], whose headers
/// native builds of tests are given, too.
pub(super) const ADDED: &[File] = files!("added":
    "include/error.h",
    "include/execinfo.h",
    "include/features.h",
    "include/malloc.h",
    "include/stdarg.h",
    "include/stdlib.h",
    "include/string.h",
    "include/sys/cdefs.h",
    "include/sys/queue.h",
    "include/sys/stat.h",
    "include/unistd.h",
    "include/utmpx.h",
);

/// Our own assembly, put into `libc.a` (`start.S` becomes `crt1.o`).
pub(super) const NATIVE: &[File] =
    files!("native": "get_tp.S", "memory.S", "start.S", "syscall.S", "syscall_cp.S");

/// Assembly of musl's x86-64 port that goes into `libc.a` unchanged: external
/// functions for the bitcode.
pub(super) const MUSL_NATIVE: &[&str] = &[
    "src/setjmp/x86_64/setjmp.s",
    "src/setjmp/x86_64/longjmp.s",
    "src/signal/x86_64/sigsetjmp.s",
    "src/signal/x86_64/restore.s",
    "src/thread/x86_64/clone.s",
    "src/thread/x86_64/__unmapself.s",
];

/// Counts changes of the build's steps themselves (build.rs).
const RECIPE: &str = "3";

/// A hash of everything of ours that decides how the libc comes out.
pub(super) fn fingerprint() -> String {
    let files = TREE.iter().chain(ADDED).chain(NATIVE);
    let hash = files.fold(Hash::new("libc").text(RECIPE).text(CONFIG), |hash, (path, text)| {
        hash.text(path).text(text)
    });
    hash.texts(MUSL_NATIVE.iter().copied()).short()
}

/// The same, together with the version of musl.
pub(super) fn fingerprint_with(musl_version: &str) -> String {
    Hash::new("libc and musl").text(&fingerprint()).text(musl_version).short()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};

    /// A file added to the folder but not to the table would silently be left out.
    #[test]
    fn every_overlay_file_is_embedded() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("libc");
        for (dir, table) in [("tree", TREE), ("added", ADDED), ("native", NATIVE)] {
            let mut found = BTreeSet::new();
            walk(&root.join(dir), &mut found);
            let listed: BTreeSet<PathBuf> =
                table.iter().map(|(path, _)| root.join(dir).join(path)).collect();
            assert_eq!(found, listed);
        }
    }

    fn walk(dir: &Path, found: &mut BTreeSet<PathBuf>) {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else {
                found.insert(path);
            }
        }
    }

    #[test]
    fn fingerprint_depends_on_musl_version() {
        assert_ne!(fingerprint_with("1.2.3"), fingerprint_with("1.2.5"));
    }
}
