//! Flags that several commands have.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::anyhow;
use umbra_jobs::{Error, SearchName, Strategy, UnknownSearch};
use umbra_text::Show;

/// Flags of commands that explore paths.
#[derive(clap::Args)]
#[command(next_help_heading = "Exploring")]
pub struct Exploring {
    /// The folder for the results, new or empty [default: the next in .umbra/runs]
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,

    /// Exit with 3 if anything was left unexplored (and nothing was found)
    #[arg(long)]
    pub require_complete: bool,

    /// Which path is next: searchers that take turns, separated by commas
    #[arg(long, value_name = "LIST", value_parser = search)]
    pub search: Option<SearchName>,

    /// How many paths to follow at a time; near tests, `umbra diff` follows this many tests [default: one for each
    /// processor]
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..=1024),
        conflicts_with = "deterministic"
    )]
    pub workers: Option<u32>,

    /// The same results each time: one worker, and no clock in any decision
    #[arg(long, conflicts_with_all = ["max_time", "max_query_time"])]
    pub deterministic: bool,
}

impl Exploring {
    /// How a search goes.
    pub fn strategy(&self) -> Strategy {
        Strategy {
            search: self.search.clone(),
            workers: self.workers(),
            deterministic: self.deterministic,
            seed: 0,
        }
    }

    /// How many workers there are to be.
    fn workers(&self) -> NonZeroUsize {
        let one = NonZeroUsize::MIN;
        match self.workers {
            _ if self.deterministic => one,
            Some(workers) => NonZeroUsize::new(workers as usize).unwrap_or(one),
            None => std::thread::available_parallelism().unwrap_or(one),
        }
    }
}

/// Flags of commands that sum up what they did.
#[derive(clap::Args)]
#[command(next_help_heading = "Output")]
pub struct Printing {
    /// End standard output with one JSON object about the run
    #[arg(long)]
    pub json: bool,

    /// No summary and no line of progress
    #[arg(short, long)]
    pub quiet: bool,
}

/// An error of a job that is about a flag, in words that name it.
pub fn named(error: anyhow::Error) -> anyhow::Error {
    // What has more to say around it is left as it is.
    let is_bare = matches!(error.chain().next(), Some(first) if first.is::<Error>());
    let error = match error.downcast::<Error>() {
        Ok(error) if is_bare => error,
        Ok(error) => return error.into(),
        Err(error) => return error,
    };
    match error {
        Error::Function { name, source } => {
            anyhow::Error::new(source).context(format!("--function {name}"))
        }
        Error::Prune(source) => anyhow::Error::new(source)
            .context("--prune does not work for this program; run it without"),
        Error::LogNotEmpty(folder) => {
            anyhow!("--log-queries {}: the folder is not empty", folder.shown())
        }
        Error::NotTwoPrograms(_) => {
            anyhow!("--explain is for two programs: umbra diff --explain OLD NEW")
        }
        Error::NoTest => anyhow!("no test to start from: give arguments or --case"),
        error @ Error::OtherPrograms { .. } => {
            anyhow!("--case: {error} (a case that you name directly is used for any program)")
        }
        // It has lines of its own.
        Error::Project(error) => error.into(),
        error => error.into(),
    }
}

/// The names of searchers; for one that does not exist, the nearest.
fn search(text: &str) -> Result<SearchName, String> {
    text.parse().map_err(|error: UnknownSearch| {
        let similar = |name: &str| strsim::jaro_winkler(name, &error.name);
        let nearest =
            SearchName::all().max_by(|one, other| similar(one).total_cmp(&similar(other)));
        match nearest.filter(|name| similar(name) > 0.7) {
            Some(name) => format!("{error}\n\n  tip: a similar searcher exists: '{name}'"),
            None => error.to_string(),
        }
    })
}
