//! What can be wrong with a manifest.

use std::path::PathBuf;
use umbra_text::Show;

/// An error in a manifest, with its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}:{line}: {problem}", file.shown())]
pub struct ManifestError {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub problem: ManifestProblem,
}

/// What is wrong at a place of a manifest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ManifestProblem {
    /// It is not TOML.
    #[error("{0}")]
    Syntax(String),
    /// No such key or table.
    #[error("unknown {what} `{name}`{}", hint(nearest))]
    Unknown {
        /// `key` or `table`.
        what: &'static str,
        /// What was written.
        name: String,
        /// What may have been meant; otherwise all there are.
        nearest: Nearest,
    },
    /// A value of the wrong kind.
    #[error("`{key}` must be {expected}, found {found}")]
    Kind {
        /// The key.
        key: String,
        /// What was expected.
        expected: &'static str,
        /// What is there.
        found: String,
    },
    /// A path that leads out of the tree.
    #[error("`{key}` must name paths inside the tree, found `{path}`")]
    Outside {
        /// The key.
        key: String,
        /// The path.
        path: String,
    },
}

/// What may have been meant by an unknown name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Nearest {
    /// This one.
    One(String),
    /// One of these.
    Any(Vec<&'static str>),
}

fn hint(nearest: &Nearest) -> String {
    match nearest {
        Nearest::One(name) => format!("; did you mean `{name}`?"),
        Nearest::Any(names) => format!("; known: `{}`", names.join("`, `")),
    }
}
