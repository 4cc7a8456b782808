//! The flags of `umbra diff`.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use umbra_jobs::{
    DiffJob, NativeLimits, Near, SeedChoice, Start, Subject, Tests, default_follow_limits,
};
use umbra_text::{Show, from_hex};

use crate::commands::calls::CallArgs;
use crate::commands::flags::{Exploring, Printing};
use crate::commands::resume::Resume;
use crate::commands::run::inputs::SymbolicInputs;
use crate::commands::run::options::LimitArgs;
use crate::duration;

/// Arguments of the command.
#[derive(clap::Args)]
pub struct Args {
    /// The old and the new program (executables made by `umbra cc`, bitcode or C files), `--`, and
    /// their arguments; or one program with its changes annotated, and its arguments. Arguments may include
    /// KLEE's --sym-arg N and so on
    #[arg(
        required_unless_present_any = ["run", "range"],
        trailing_var_arg = true,
        value_name = "OLD NEW [-- ARGS]"
    )]
    pub command: Vec<OsString>,

    /// The old program, once the words are read.
    #[arg(skip)]
    pub old: Option<PathBuf>,

    /// Compare two revisions of this project, OLD..NEW; one revision and its parent; `.` is the working tree
    ///
    /// Umbra builds both. Every program that differs is compared near its recorded tests (--case),
    /// or the one that --program names near the test `-- ARGS`, or on all inputs (--complete).
    #[arg(long, value_name = "RANGE")]
    pub range: Option<String>,

    /// Compare only this program of the two revisions: its name, or its path in the built tree
    #[arg(long, value_name = "NAME", requires = "range")]
    pub program: Option<PathBuf>,

    /// Show which parts of the two programs belong together, with both texts side by side
    ///
    /// With a test (`-- ARGS`, --case, --stdin) or --complete, it also shows what the run reached and where the
    /// versions parted.
    #[arg(long)]
    pub explain: bool,

    /// Write the explanation to FILE, as one page for a browser
    #[arg(long, value_name = "FILE", requires = "explain")]
    pub html: Option<PathBuf>,

    /// Follow all paths of both versions, without a test to start from
    ///
    /// Otherwise PROGRAM ARGS is a test: Umbra follows both versions on it, and looks for inputs near it
    /// on which they part.
    #[arg(long)]
    pub complete: bool,

    /// A test case to start from, or a folder or store of them (such as .umbra/recordings), from which
    /// those for this program are taken; may be given several times
    #[arg(
        long = "case",
        value_name = "DIR",
        conflicts_with_all = ["complete", "stdin", "object"],
        help_heading = "The test"
    )]
    pub cases: Vec<PathBuf>,

    /// Which tests to follow: `all`; `cover`, those that reach a change, first as few as reach every change that any of them
    /// reaches; or a number, at most that many, chosen in the same way
    #[arg(
        long,
        value_name = "CHOICE",
        value_parser = seed_choice,
        default_value = "cover",
        conflicts_with = "complete",
        help_heading = "The test"
    )]
    pub seeds: SeedChoice,

    /// How many tests to make of these by giving them another shape: an argument or option more or less, longer or shorter
    /// data [default: one for every 4 seconds of --max-time, at most 24; otherwise none]
    #[arg(long, value_name = "N", conflicts_with = "complete", help_heading = "The test")]
    pub max_shapes: Option<usize>,

    /// The standard input of the test
    #[arg(long, value_name = "FILE", conflicts_with = "complete", help_heading = "The test")]
    pub stdin: Option<PathBuf>,

    /// The bytes, in hexadecimal, that the test has for what the program makes symbolic under this name
    #[arg(
        long,
        value_name = "NAME=HEX",
        value_parser = object,
        conflicts_with = "complete",
        help_heading = "The test"
    )]
    pub object: Vec<(String, Vec<u8>)>,

    #[command(flatten)]
    pub inputs: SymbolicInputs,

    /// Compare one function, with symbolic arguments
    #[arg(long, value_name = "NAME", help_heading = "Symbolic inputs")]
    pub function: Option<String>,

    #[command(flatten)]
    pub calls: CallArgs,

    #[command(flatten)]
    pub exploring: Exploring,

    #[command(flatten)]
    pub resume: Resume,

    /// Do not follow paths to their end where nothing differs and no change can be reached any more
    #[arg(long, requires = "complete", help_heading = "Exploring")]
    pub prune: bool,

    /// List where the versions take different ways that lead to the same place
    #[arg(long, help_heading = "Exploring")]
    pub forgotten: bool,

    /// Test cases of each test for each place where the versions part; more, where they show something else
    #[arg(long, value_name = "N", default_value_t = 8, help_heading = "Exploring")]
    pub tests_per_place: u64,

    #[command(flatten)]
    pub limits: LimitArgs,

    /// Time for one test [default: an equal share of --max-time, which is 5m]
    #[arg(
        long,
        value_name = "TIME",
        value_parser = duration::parse,
        conflicts_with_all = ["complete", "deterministic"],
        help_heading = "Limits"
    )]
    pub max_seed_time: Option<Duration>,

    /// How many other sides of branches to take up on the path of one input: where the versions have
    /// different values, or one of them runs alone
    #[arg(
        long,
        value_name = "N",
        default_value_t = default_follow_limits().0,
        conflicts_with = "complete",
        help_heading = "Limits"
    )]
    pub max_sides: usize,

    /// How many more inputs to follow beside a test, because a version that runs alone takes another path
    #[arg(
        long,
        value_name = "N",
        default_value_t = default_follow_limits().1,
        conflicts_with = "complete",
        help_heading = "Limits"
    )]
    pub max_followed: usize,

    /// Time to explore the new version from one point where the versions part; points take turns
    #[arg(
        long,
        value_name = "TIME",
        value_parser = duration::parse,
        default_value = "20s",
        conflicts_with = "complete",
        help_heading = "Limits"
    )]
    pub max_point_time: Duration,

    /// Instructions from one point where the versions part
    #[arg(long, value_name = "N", conflicts_with = "complete", help_heading = "Limits")]
    pub max_point_instructions: Option<u64>,

    /// Instructions around one test: on other sides of branches that both versions take together, those nearest to a change first
    /// [default: what --max-time leaves; without it, or with --deterministic, 2000000]
    #[arg(long, value_name = "N", conflicts_with = "complete", help_heading = "Limits")]
    pub max_around_instructions: Option<u64>,

    /// Instructions after which a version that runs alone is assumed not to terminate
    #[arg(long, value_name = "N", default_value_t = 1_000_000, help_heading = "Limits")]
    pub max_alone: u64,

    /// Run nothing natively: all that is found is a prediction
    #[arg(long, help_heading = "Native runs")]
    pub no_replay: bool,

    /// Time of all native runs together
    #[arg(
        long,
        value_name = "TIME",
        value_parser = duration::parse,
        default_value = "60s",
        help_heading = "Native runs"
    )]
    pub max_replay_time: Duration,

    /// CPU time of one native run (or four times as much real time); a version that takes longer hangs
    #[arg(
        long,
        value_name = "TIME",
        value_parser = duration::parse,
        default_value = "2s",
        help_heading = "Native runs"
    )]
    pub max_run_time: Duration,

    #[command(flatten)]
    pub printing: Printing,

    /// Also the traces of what was found: stacks, paths, the test that it was made from
    #[arg(short, long, help_heading = "Output")]
    pub verbose: bool,
}

impl Args {
    /// What the user calls the program.
    pub fn new_program(&self) -> &Path {
        self.command[0].as_ref()
    }

    /// Whether something is to be run; an explanation needs no run.
    pub fn wants_run(&self, has_separator: bool) -> bool {
        let has_test = has_separator || !self.cases.is_empty() || self.stdin.is_some();
        !self.explain || self.complete || has_test || !self.object.is_empty()
    }

    /// The work that is asked for.
    pub fn job(&self) -> anyhow::Result<DiffJob> {
        let start = match self.complete {
            true => Start::Complete { inputs: self.inputs.of(&self.command), prune: self.prune },
            false => Start::Near(Near {
                tests: self.tests()?,
                choice: self.seeds,
                shapes: self.max_shapes,
                seed_time: self.max_seed_time,
                sides: self.max_sides,
                followed: self.max_followed,
                point_time: self.max_point_time,
                point_instructions: self.max_point_instructions,
                around_instructions: self.max_around_instructions,
            }),
        };
        Ok(DiffJob {
            subject: Subject {
                program: self.new_program().to_owned(),
                old: self.old.clone(),
                function: self.function.clone(),
                from: self.calls.source(),
            },
            start,
            strategy: self.exploring.strategy(),
            limits: self.limits.limits(),
            max_alone: self.max_alone,
            tests_per_place: self.tests_per_place,
            native: NativeLimits {
                wanted: !self.no_replay,
                all: self.max_replay_time,
                one: self.max_run_time,
            },
        })
    }

    fn tests(&self) -> anyhow::Result<Tests> {
        if !self.cases.is_empty() {
            if self.command.len() > 1 {
                bail!(
                    "--case: the arguments are those of the test case, so give none after the program"
                );
            }
            return Ok(Tests::Cases(self.cases.clone()));
        }
        let read = |file: &PathBuf| {
            std::fs::read(file).with_context(|| format!("reading {}", file.shown()))
        };
        Ok(Tests::Command {
            words: self.command.iter().map(|word| word.as_bytes().to_vec()).collect(),
            stdin: self.stdin.as_ref().map(read).transpose()?,
            objects: self.object.clone(),
        })
    }
}

/// `all`, `cover` or a number.
fn seed_choice(text: &str) -> Result<SeedChoice, String> {
    match (text, text.parse()) {
        ("all", _) => Ok(SeedChoice::All),
        ("cover", _) => Ok(SeedChoice::Cover),
        (_, Ok(most @ 1..)) => Ok(SeedChoice::Most(most)),
        _ => Err("expected `all`, `cover` or a number of tests".to_owned()),
    }
}

/// `NAME=HEX`.
fn object(text: &str) -> Result<(String, Vec<u8>), String> {
    let expected = "expected NAME=HEX, as x=0f000000";
    let (name, digits) = text.split_once('=').ok_or(expected)?;
    let bytes = from_hex(digits).filter(|bytes| !bytes.is_empty());
    Ok((name.to_owned(), bytes.ok_or(expected)?))
}
