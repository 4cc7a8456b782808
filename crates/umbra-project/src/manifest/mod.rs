//! The description of a project: `umbra.toml`.
//!
//! Every key is optional; what is absent has the default of a project that is built
//! with `./configure`, `make` and `make check`. [`Manifest::parse`] names the line and
//! what was expected there; a key that does not exist is an error, since a
//! misspelt one would silently do nothing. [`detect`] finds out what a
//! folder holds, and its result prints as a file with comments.

mod detect;
mod error;
mod loose;
mod options;
mod print;
mod programs;
mod read;
mod repair;
mod size;

use std::fs;
use std::path::{Path, PathBuf};

pub(crate) use detect::ASIDE;
pub use detect::{BuildSystem, Detected, detect, detect_all};
pub use error::{ManifestError, ManifestProblem, Nearest};
pub use repair::{Missing, Repair, asked_for, build_tests, missing, other_target, repair};
pub use size::{format_size, parse_size};

use crate::Error;
use crate::build::Flavour;

/// The name of the file.
pub const MANIFEST_NAME: &str = "umbra.toml";

/// The folder beside it with the differences that are expected.
pub const ACCEPTED: &str = "umbra-accepted";

/// A project as its `umbra.toml` describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// What the project is called; by default as its folder.
    pub name: Option<String>,
    /// The programs of interest, as paths in the built tree. Empty: every program that
    /// the build links outside folders of tests.
    pub programs: Vec<PathBuf>,
    /// Whether programs in folders of tests count, too. `None`: where there are no others.
    pub tests: Option<bool>,
    /// Folders that hold the project's own source. Empty: all that is not a library.
    pub source: Vec<PathBuf>,
    /// Folders that count as library code.
    pub library: Vec<PathBuf>,
    /// How it is built.
    pub build: Steps,
    /// The command that runs the tests.
    pub test: String,
    /// Names of variables that recordings keep, besides those they always keep.
    pub record_environment: Vec<String>,
    /// How large the cache may grow, in bytes.
    pub cache_limit: Option<u64>,
}

/// How a project is built. Commands are the shell's; an empty one is not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steps {
    /// What makes the files that are not under version control (`autoreconf -fi`).
    pub prepare: String,
    /// What adapts the tree to the compiler.
    pub configure: String,
    /// What builds the programs.
    pub build: String,
    /// How many jobs make may run at a time; by default one a processor.
    pub jobs: Option<usize>,
    /// Whether a revision may be built from what the one before it left.
    pub incremental: bool,
    /// What differs in the build for analysis.
    pub analysis: FlavourSteps,
    /// What differs in the build for checking.
    pub checking: FlavourSteps,
}

/// What differs in the build of one flavour.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlavourSteps {
    /// More flags for the compiler.
    pub flags: Vec<String>,
    /// Instead of [`Steps::configure`].
    pub configure: Option<String>,
    /// Instead of [`Steps::build`].
    pub build: Option<String>,
}

impl Default for Manifest {
    fn default() -> Manifest {
        Manifest {
            name: None,
            programs: Vec::new(),
            tests: None,
            source: Vec::new(),
            library: Vec::new(),
            build: Steps::default(),
            test: "make check".into(),
            record_environment: Vec::new(),
            cache_limit: None,
        }
    }
}

impl Default for Steps {
    fn default() -> Steps {
        Steps {
            prepare: String::new(),
            configure: "./configure".into(),
            build: "make".into(),
            jobs: None,
            incremental: true,
            analysis: FlavourSteps::default(),
            checking: FlavourSteps::default(),
        }
    }
}

impl Steps {
    /// What is special about a flavour.
    pub fn of(&self, flavour: Flavour) -> &FlavourSteps {
        match flavour {
            Flavour::Analysis => &self.analysis,
            Flavour::Checking => &self.checking,
        }
    }

    /// The command that configures for a flavour.
    pub fn configure_for(&self, flavour: Flavour) -> &str {
        self.of(flavour).configure.as_deref().unwrap_or(&self.configure)
    }

    /// The command that builds a flavour.
    pub fn build_for(&self, flavour: Flavour) -> &str {
        self.of(flavour).build.as_deref().unwrap_or(&self.build)
    }
}

impl Manifest {
    /// Reads the text of a manifest. `file` is what errors call it.
    pub fn parse(file: &Path, text: &str) -> Result<Manifest, ManifestError> {
        read::manifest(file, text)
    }

    /// Reads the manifest in a folder.
    pub fn load(folder: &Path) -> Result<Manifest, Error> {
        let file = folder.join(MANIFEST_NAME);
        match fs::read_to_string(&file) {
            Ok(text) => Ok(Manifest::parse(&file, &text)?),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(Error::NoManifest { folder: folder.into() })
            }
            Err(error) => Err(Error::io("read", &file)(error)),
        }
    }

    /// The text of the manifest, with comments.
    pub fn to_text(&self) -> String {
        print::text(self)
    }
}
