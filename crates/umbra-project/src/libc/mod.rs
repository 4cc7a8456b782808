//! The bitcode libc: musl with our own files laid over it.
//!
//! A built libc is a folder with `include/` and `lib/` (a sysroot whose `libc.a`
//! is bitcode, except for the allocator and a little assembly) and `native/`,
//! a second sysroot with the same headers whose `libc.a` is plain machine code, for the
//! programs that `configure` and CMake compile only to see whether they can.

mod build;
mod overlay;

use std::path::{Path, PathBuf};

pub use build::{LibcBuild, build_libc};

use crate::{Cache, Error};

/// A libc that has been built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Libc {
    root: PathBuf,
}

impl Libc {
    /// The libc in this cache that belongs to this version of Umbra.
    pub fn find(cache: &Cache) -> Result<Libc, Error> {
        let root = link_path(cache);
        if root.join("lib/libc.a").exists() {
            Ok(Libc { root })
        } else {
            Err(Error::NoLibc { cache: cache.root().into() })
        }
    }

    /// The sysroot for programs under analysis.
    pub fn sysroot(&self) -> &Path {
        &self.root
    }

    /// The sysroot for native probes.
    pub fn native_sysroot(&self) -> PathBuf {
        self.root.join("native")
    }
}

/// The name under which the libc of this version of Umbra is found: a symbolic link, as
/// the folder it points to is named after musl's version too, which only the
/// build knows.
fn link_path(cache: &Cache) -> PathBuf {
    cache.root().join(format!("libc-for-{}", overlay::fingerprint()))
}
