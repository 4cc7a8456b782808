//! Where built things are kept.

use std::path::{Path, PathBuf};

/// The cache folder and the names inside it.
///
/// ```text
/// sources/musl/              source of musl, fetched by the set-up
/// libc-<hash>/               one built libc: a sysroot, and native/, another
/// libc-for-<overlay hash> -> libc-<hash>
/// packages/<name>-<version>/ built packages
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    root: PathBuf,
}

impl Cache {
    /// A cache in this folder, which need not exist yet.
    pub fn new(root: impl Into<PathBuf>) -> Cache {
        Cache { root: root.into() }
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The source of musl.
    pub fn musl_source(&self) -> PathBuf {
        self.root.join("sources/musl")
    }
}
