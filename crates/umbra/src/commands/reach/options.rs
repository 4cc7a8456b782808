//! The flags of `umbra reach`.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail};
use umbra_jobs::{NativeLimits, ReachIn, ReachJob, SearchLimits, Strategy, Subject, Tests, Wanted};
use umbra_text::Show;
use umbra_words::Mechanism;

use crate::duration;

/// Arguments of the command.
#[derive(clap::Args)]
pub struct Args {
    /// What is to be run, a line or a function; then (with --patch only) the programs of the project to look in: names, or paths in
    /// the built tree [default: all that have the code]
    #[arg(value_name = "FILE:LINE | FUNCTION [PROGRAM]", required_unless_present = "patch")]
    pub words: Vec<OsString>,

    /// The arguments of a program that is given with --program, to start from
    #[arg(last = true, value_name = "ARGS", requires = "program")]
    pub command: Vec<OsString>,

    /// Run all changed code of a patch: OLD..NEW, or one revision and its parent; `.` is the working tree
    #[arg(long, value_name = "RANGE", conflicts_with = "program")]
    pub patch: Option<String>,

    /// A program outside of a project: an executable made by `umbra cc`, or a C file
    #[arg(long, value_name = "PROGRAM")]
    pub program: Option<PathBuf>,

    /// The revision of the project whose code is to be run; `.` is the working tree
    #[arg(long, value_name = "REV", default_value = ".", conflicts_with_all = ["program", "patch"])]
    pub revision: String,

    /// Test cases to start from: a case, or a folder or store of them; may be given several times [default: what was
    /// recorded in this project]
    #[arg(
        long = "case",
        value_name = "DIR",
        conflicts_with = "command",
        help_heading = "The tests"
    )]
    pub cases: Vec<PathBuf>,

    /// The standard input of the command line
    #[arg(long, value_name = "FILE", requires = "program", help_heading = "The tests")]
    pub stdin: Option<PathBuf>,

    /// Do not use this way to a target: greedy, regeneration, switching, options or exploration
    #[arg(
        long,
        value_name = "MECHANISM",
        value_parser = mechanism,
        value_delimiter = ',',
        help_heading = "The search"
    )]
    pub without: Vec<Mechanism>,

    /// Different inputs for each target
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "The search")]
    pub inputs: usize,

    /// Time for all targets together
    #[arg(
        long,
        value_name = "TIME",
        value_parser = duration::parse,
        default_value = "5m",
        help_heading = "Limits"
    )]
    pub budget: Duration,

    /// Time for one target [default: twice an equal share of the budget, at most 2m]
    #[arg(long, value_name = "TIME", value_parser = duration::parse, help_heading = "Limits")]
    pub target_time: Option<Duration>,

    /// Instructions of the engine for one target; then time is no limit, and equal runs are equal
    #[arg(
        long,
        value_name = "N",
        conflicts_with_all = ["target_time", "budget"],
        help_heading = "Limits"
    )]
    pub max_instructions: Option<u64>,

    /// MiB of memory
    #[arg(long, value_name = "MIB", default_value_t = 4096, help_heading = "Limits")]
    pub max_memory: u64,

    /// CPU time of one native run (or four times as much real time)
    #[arg(
        long,
        value_name = "TIME",
        value_parser = duration::parse,
        default_value = "2s",
        help_heading = "Limits"
    )]
    pub max_run_time: Duration,

    /// The folder for the results, new or empty [default: the next in .umbra/runs]
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub output: Option<PathBuf>,

    /// End standard output with one JSON object
    #[arg(long, help_heading = "Output")]
    pub json: bool,

    /// No report and no progress
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
}

impl Args {
    /// The work on a program; its executable and its targets may be filled in later.
    pub fn job(&self) -> anyhow::Result<ReachJob> {
        if self.program.is_some() && self.words.len() > 1 {
            bail!("--program: the arguments of the program go behind `--`");
        }
        let without: BTreeSet<Mechanism> = self.without.iter().copied().collect();
        let all = Mechanism::ALL.iter().copied();
        Ok(ReachJob {
            subject: Subject {
                program: self.program.clone().unwrap_or_default(),
                ..Subject::default()
            },
            wanted: match (self.patch.is_some(), self.words.first()) {
                (false, Some(target)) => Wanted::parse(&target.to_string_lossy()),
                _ => Wanted::Blocks(Vec::new()),
            },
            tests: self.tests()?,
            mechanisms: all.filter(|mechanism| !without.contains(mechanism)).collect(),
            inputs: self.inputs.max(1),
            target_time: self.target_time,
            target_instructions: self.max_instructions,
            strategy: Strategy {
                deterministic: self.max_instructions.is_some(),
                ..Strategy::default()
            },
            limits: SearchLimits {
                time: self.max_instructions.is_none().then_some(self.budget),
                memory_mib: self.max_memory,
                ..SearchLimits::default()
            },
            native: NativeLimits { wanted: true, all: self.budget, one: self.max_run_time },
        })
    }

    /// The programs of the project to look in.
    pub fn programs(&self) -> Vec<PathBuf> {
        let targets = usize::from(self.patch.is_none());
        self.words.iter().skip(targets).map(PathBuf::from).collect()
    }

    /// Whose code is to be run, in a project.
    pub fn code(&self) -> ReachIn {
        match &self.patch {
            Some(range) => ReachIn::Patch(Some(range.clone())),
            None => ReachIn::Revision(self.revision.clone()),
        }
    }

    fn tests(&self) -> anyhow::Result<Tests> {
        if !self.cases.is_empty() {
            return Ok(Tests::Cases(self.cases.clone()));
        }
        let Some(program) = &self.program else { return Ok(Tests::Cases(Vec::new())) };
        if program.as_os_str().is_empty() {
            bail!("--program: the name is empty");
        }
        let read = |file: &PathBuf| {
            std::fs::read(file).with_context(|| format!("reading {}", file.shown()))
        };
        let words = std::iter::once(program.as_os_str()).chain(self.command.iter().map(|it| &**it));
        Ok(Tests::Command {
            words: words.map(|word| word.as_bytes().to_vec()).collect(),
            stdin: self.stdin.as_ref().map(read).transpose()?,
            objects: Vec::new(),
        })
    }
}

fn mechanism(text: &str) -> Result<Mechanism, String> {
    Mechanism::by_name(text).ok_or_else(|| {
        let names: Vec<&str> = Mechanism::ALL.iter().map(|mechanism| mechanism.name()).collect();
        format!("expected one of {}", names.join(", "))
    })
}
