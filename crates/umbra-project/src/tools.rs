//! The programs that builds need.

use std::path::{Path, PathBuf};

use crate::Cache;

/// Names or paths of the LLVM 19 programs. A plain name is searched in `PATH`
/// when it is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tools {
    /// The C compiler, which also finds lld.
    pub clang: PathBuf,
    /// The linker. Only looked for, never started directly.
    pub lld: PathBuf,
    /// The bitcode optimiser.
    pub opt: PathBuf,
    /// The archiver that understands bitcode.
    pub ar: PathBuf,
    /// The indexer of archives that understands bitcode.
    pub ranlib: PathBuf,
    /// The symbol lister that understands bitcode.
    pub nm: PathBuf,
    /// The linker of bitcode files into one.
    pub link: PathBuf,
    /// What finds the source of an address, for reports of sanitizers.
    pub symbolizer: PathBuf,
}

impl Tools {
    /// The versioned names that Debian gives LLVM 19's programs.
    pub fn by_name() -> Tools {
        Tools {
            clang: "clang-19".into(),
            lld: "ld.lld-19".into(),
            opt: "opt-19".into(),
            ar: "llvm-ar-19".into(),
            ranlib: "llvm-ranlib-19".into(),
            nm: "llvm-nm-19".into(),
            link: "llvm-link-19".into(),
            symbolizer: "llvm-symbolizer-19".into(),
        }
    }

    /// The programs of an LLVM 19 installed elsewhere: `dir` is its `bin` folder.
    pub fn in_dir(dir: &Path) -> Tools {
        Tools {
            clang: dir.join("clang"),
            lld: dir.join("ld.lld"),
            opt: dir.join("opt"),
            ar: dir.join("llvm-ar"),
            ranlib: dir.join("llvm-ranlib"),
            nm: dir.join("llvm-nm"),
            link: dir.join("llvm-link"),
            symbolizer: dir.join("llvm-symbolizer"),
        }
    }
}

/// Everything a build depends on.
#[derive(Clone, Debug)]
pub struct Toolchain {
    /// LLVM's programs.
    pub tools: Tools,
    /// Where the libc is.
    pub cache: Cache,
    /// The `umbra` command, for steps in processes of their own:
    /// `UMBRA __limited --as BYTES --cpu SECONDS -- COMMAND...` runs a tool under limits,
    /// `UMBRA __count INPUT OUTPUT` adds block counters to bitcode. Without it tools run on foreign
    /// bitcode with a wall-clock limit only, and native executables count nothing.
    pub umbra: Option<PathBuf>,
}
