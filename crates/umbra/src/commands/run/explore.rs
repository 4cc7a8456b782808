//! All paths of a program.

use std::path::Path;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::bail;
use umbra_jobs::{Job, Loaded, Logbook, RunJob, RunWatch, Standing, prepare_log};
use umbra_report::{Info, RunFolder, Sample, progress_line};

use super::options::Args;
use super::{Watched, last_words, output};
use crate::{interrupt, out, terminal};

/// Explores and reports, in a new folder.
pub fn begin(
    args: &Args,
    job: RunJob,
    program: Loaded,
    watched: &Watched,
) -> anyhow::Result<ExitCode> {
    if args.commit.is_some() {
        bail!("--commit needs a single run: add --concrete, or remove the symbolic inputs");
    }
    if let Some(folder) = &job.log_queries {
        prepare_log(folder)?;
    }
    let folder = match &args.exploring.output {
        Some(path) => RunFolder::create_at(path)?,
        None => RunFolder::create_next(Path::new(""))?,
    };
    folder.write_info(&Info {
        command: std::env::args_os().collect(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs(),
    })?;
    let (identity, start) = (program.identity(), watched.budget.start);
    let logbook = Logbook::begin(folder, Job::Run(job.clone()), identity, start)?;
    run(args, &job, program, logbook, watched)
}

/// Explores and reports, in a folder that may have something of this run already.
pub fn run(
    args: &Args,
    job: &RunJob,
    program: Loaded,
    logbook: Logbook,
    watched: &Watched,
) -> anyhow::Result<ExitCode> {
    interrupt::catch(watched.control.flag())?;
    let start = watched.budget.start;
    let shows_line = !args.printing.quiet && terminal::is_watched();
    let watch = RunWatch {
        watched: watched.of(),
        standing: &|standing: Standing| {
            let words = last_words::of_exploration(args, start, standing);
            watched.guard.set_last_words(words);
        },
        line: if shows_line { Some(&show) } else { None },
    };
    let paths = umbra_jobs::explore(job, program, logbook, &watch)?;
    output::Outcome { args, paths, start }.report()
}

/// Shows where the run stands.
fn show(sample: Option<&Sample>) {
    let line = sample.map(|sample| progress_line(sample, terminal::width()));
    out::watched_line(&line.unwrap_or_default());
}
