//! What can go wrong with a job.
//!
//! Errors carry what they are about; who has flags turns those that are about one into a message that
//! names it. What the program under test does is no error of ours.

use std::io;
use std::path::{Path, PathBuf};

use umbra_text::Show;
use umbra_words::Version;

/// What somebody else's part of the work has failed with.
pub type Boxed = Box<dyn std::error::Error + Send + Sync>;

/// Why a job cannot be done.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or a folder cannot be read or made.
    #[error("{doing} {}", path.shown())]
    File {
        /// What was being done, before the path.
        doing: &'static str,
        /// To what.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },

    /// A folder for questions to the solver has files of another run.
    #[error("the folder {} for queries is not empty", .0.shown())]
    LogNotEmpty(PathBuf),

    /// We cannot start ourselves again, to load bitcode.
    #[error("finding our own program")]
    OwnProgram(#[source] io::Error),

    /// The thread that writes test cases cannot be started.
    #[error("starting the thread that writes test cases (see ulimit -u and -v)")]
    Writer(#[source] io::Error),

    /// Who knows the tools or the project cannot say.
    #[error(transparent)]
    Given(Boxed),

    /// An executable without bitcode.
    #[error("{} has no bitcode beside it ({}): build it with `umbra cc`", program.shown(), bitcode.shown())]
    NoBitcode {
        /// The executable.
        program: PathBuf,
        /// Where its bitcode would be.
        bitcode: PathBuf,
    },

    /// A file that is no program.
    #[error("{} is neither an executable, nor bitcode, nor a C file", .0.shown())]
    NotAProgram(PathBuf),

    /// A program that cannot be compiled or prepared.
    #[error("{doing} {}", path.shown())]
    Build {
        /// What was being done, before the path.
        doing: &'static str,
        /// To what.
        path: PathBuf,
        /// Why it failed.
        source: Box<umbra_project::Error>,
    },

    /// Bitcode that cannot be loaded.
    #[error(transparent)]
    Load(#[from] umbra_ir::LoadError),

    /// An executable whose bitcode cannot be loaded.
    #[error("reading {}", program.shown())]
    Read {
        /// The executable.
        program: PathBuf,
        /// Why it failed.
        source: Box<umbra_ir::LoadError>,
    },

    /// An executable that does not count its blocks.
    #[error("{} has no block counters", .0.shown())]
    NoCounters(PathBuf),

    /// No name that a function can have.
    #[error("`{0}` is not the name of a function")]
    FunctionName(String),

    /// A function that cannot run in place of its program.
    #[error("the function {name}")]
    Function {
        /// Its name.
        name: String,
        /// Why not.
        source: umbra_strategy::BadFunction,
    },

    /// Inputs that a program cannot have.
    #[error(transparent)]
    Inputs(#[from] umbra_strategy::BadInput),

    /// A process cannot start so.
    #[error("starting the process")]
    Start(#[source] umbra_os::Error),

    /// What the program wrote cannot be passed on.
    #[error("passing on what the program wrote")]
    Output(#[source] io::Error),

    /// The tree that the program left cannot be copied.
    #[error("copying the tree to {}", folder.shown())]
    Tree {
        /// Where to.
        folder: PathBuf,
        /// Why it failed.
        source: umbra_os::Error,
    },

    /// Two programs of which no one program can be made.
    #[error("making one program of {} and {}", old.shown(), new.shown())]
    Unify {
        /// The old version.
        old: PathBuf,
        /// The new version.
        new: PathBuf,
        /// Why not.
        source: Box<umbra_unify::Error>,
    },

    /// What is for two programs was asked of one.
    #[error("{} is one program, and this is for two", .0.shown())]
    NotTwoPrograms(PathBuf),

    /// A program that is to have two versions has one.
    #[error(
        "{} has no annotated change: mark the differences with change(old, new), execute(OLD) or execute(NEW) from umbra.h",
        .0.shown()
    )]
    NoChange(PathBuf),

    /// A program of which nobody can say where its versions can only do the same.
    #[error("paths of this program cannot be pruned")]
    Prune(#[source] umbra_strategy::Unprunable),

    /// A file of which a program has no code.
    #[error("{} has no code of {file}", program.shown())]
    NoFile {
        /// The program.
        program: PathBuf,
        /// The file.
        file: String,
    },

    /// A line without code.
    #[error("{file}:{line} has no code{nearest}")]
    NoCode {
        /// The file.
        file: String,
        /// The line.
        line: u32,
        /// The nearest lines that have, in words.
        nearest: String,
    },

    /// A function that a program does not have.
    #[error("{} has no function {name}{similar}", program.shown())]
    NoFunction {
        /// The program.
        program: PathBuf,
        /// Its name.
        name: String,
        /// The one that may be meant, in words.
        similar: String,
    },

    /// A project without recordings.
    #[error("{} has no recordings to start from: run `umbra record` first, or name cases", .0.shown())]
    NotRecorded(PathBuf),

    /// The calls of a function cannot be had natively.
    #[error("--from: the calls of a test are found by running it, which does not work here")]
    Calls(#[source] umbra_replay::Error),

    /// The same, as there is nothing to run.
    #[error(
        "--from: the calls of a test are found by running it, and there is no executable: the program has machine code of its own, or native runs are turned off (--call N names a call)"
    )]
    CallsWithoutNative,

    /// No test calls the functions with anything that could be another.
    #[error("no test calls {functions} with bytes that could be others")]
    NoCall {
        /// The functions, by name.
        functions: String,
    },

    /// There is no test to start from.
    #[error("there is no test to start from")]
    NoTest,

    /// All tests are for other programs.
    #[error("none of the {tests} cases is for {}", program.shown())]
    OtherPrograms {
        /// The program.
        program: PathBuf,
        /// How many tests there are.
        tests: u64,
    },

    /// The project has no such program.
    #[error("there is no program {}: there are {}", name.shown(), known.join(", ").shown())]
    NoProgram {
        /// Its name.
        name: String,
        /// Those that there are.
        known: Vec<String>,
    },

    /// There are no cases to run.
    #[error("there are no cases to run")]
    NoCases,

    /// A path that does not lead to a case.
    #[error("{} is not a test case: it has no case.json", .0.shown())]
    NotACase(PathBuf),

    /// No case of a store has this identity.
    #[error("in {}: no such case: {}", store.shown(), id.shown())]
    NoSuchCase {
        /// The store.
        store: PathBuf,
        /// The identity, or its start.
        id: String,
    },

    /// Several cases of a store have an identity that starts so.
    #[error("in {}: several cases start with {}: give more of the identity", store.shown(), id.shown())]
    Ambiguous {
        /// The store.
        store: PathBuf,
        /// The start of the identity.
        id: String,
    },

    /// A case or a store that cannot be read or written.
    #[error(transparent)]
    Case(#[from] umbra_case::Error),

    /// Results that cannot be written.
    #[error(transparent)]
    Report(#[from] umbra_report::Error),

    /// A journal that cannot be written, or not gone on from.
    #[error(transparent)]
    Journal(#[from] crate::JournalError),

    /// A project, its repository or a build.
    #[error(transparent)]
    Project(#[from] umbra_project::Error),

    /// Sandboxes, or a program that cannot run in one.
    #[error(transparent)]
    Native(#[from] umbra_replay::Error),

    /// A case that could not be run, for no fault of its own.
    #[error("running {}", case.shown())]
    Run {
        /// What the user may call it.
        case: String,
        /// Why it failed.
        source: Box<umbra_replay::Error>,
    },
}

impl Error {
    /// For `map_err`: something that was being done to a file has failed.
    pub(crate) fn file(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { doing, path, source }
    }

    /// Whether the old one of two programs has annotated changes.
    pub fn is_of_annotated_old(&self) -> bool {
        let annotated = umbra_unify::Error::Annotated(Version::Old);
        matches!(self, Self::Unify { source, .. } if **source == annotated)
    }
}
