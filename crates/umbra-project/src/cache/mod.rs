//! Where built things are kept, and how the place is kept small.

mod collect;

use std::path::{Path, PathBuf};

pub use collect::{Collected, Collection, Removed, collect};

/// How large the cache may grow unless somebody says otherwise: 20 GiB.
pub const DEFAULT_CACHE_LIMIT: u64 = 20 << 30;

/// The cache folder and the names inside it.
///
/// ```text
/// sources/musl/              source of musl, fetched by the set-up
/// libc-<hash>/               one built libc: a sysroot, and native/, another
/// libc-for-<overlay hash> -> libc-<hash>
/// packages/<name>-<version>/ built packages
/// work/<project>/<flavour>/  work trees in which revisions are built
/// builds/<key>/              the programs of one build, and its log
/// failed/<key>/              the log of a build that failed
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

    /// The work trees of all projects.
    pub(crate) fn work_folder(&self) -> PathBuf {
        self.root.join("work")
    }

    /// A build.
    pub(crate) fn build_folder(&self, key: &str) -> PathBuf {
        self.root.join("builds").join(key)
    }

    /// What is left of a failed build.
    pub(crate) fn failed_folder(&self, key: &str) -> PathBuf {
        self.root.join("failed").join(key)
    }
}
