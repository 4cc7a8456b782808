//! The flags of `umbra diff`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use umbra_strategy::Search;

use crate::commands::run::inputs::SymbolicInputs;
use crate::commands::run::options::{LimitArgs, search};

/// Arguments of the command.
#[derive(clap::Args)]
pub struct Args {
    /// The program with its changes annotated (an executable made by `umbra cc`, a bitcode file, or
    /// a C file) and its arguments, which may have KLEE's --sym-arg N and so on among them
    #[arg(required = true, trailing_var_arg = true, value_name = "PROGRAM [ARGS]")]
    pub command: Vec<OsString>,

    /// Follow all paths of both versions, without a test to start from
    #[arg(long)]
    pub complete: bool,

    #[command(flatten)]
    pub inputs: SymbolicInputs,

    /// Compare one function, with symbolic arguments
    #[arg(long, value_name = "NAME", help_heading = "Symbolic inputs")]
    pub function: Option<String>,

    /// The folder for the results, new or empty [default: the next in .umbra/runs]
    #[arg(long, value_name = "DIR", help_heading = "Exploring")]
    pub output: Option<PathBuf>,

    /// Which path is next: searchers that take turns, separated by commas [default: depth-first]
    #[arg(long, value_name = "LIST", value_parser = search, help_heading = "Exploring")]
    pub search: Option<Search>,

    /// Test cases for each place where the versions part
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Exploring")]
    pub tests_per_place: u64,

    /// Exit with 3 if anything was left unexplored (and no divergence was found)
    #[arg(long, help_heading = "Exploring")]
    pub require_complete: bool,

    /// The same results each time: no clock in any decision
    #[arg(
        long,
        conflicts_with_all = ["max_time", "max_query_time"],
        help_heading = "Exploring"
    )]
    pub deterministic: bool,

    #[command(flatten)]
    pub limits: LimitArgs,

    /// Instructions after which a version that runs alone is taken not to terminate
    #[arg(long, value_name = "N", default_value_t = 1_000_000, help_heading = "Limits")]
    pub max_alone: u64,

    /// End standard output with one JSON object about the comparison
    #[arg(long, help_heading = "Output")]
    pub json: bool,

    /// No summary
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
}

impl Args {
    /// What the user calls the program.
    pub fn program(&self) -> &Path {
        self.command[0].as_ref()
    }
}
