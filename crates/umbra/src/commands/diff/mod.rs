//! `umbra diff`: where two versions of a program part.

mod options;
mod range;
mod watched;
mod words;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail};
use clap::Parser;
use umbra_jobs::{
    DiffJob, Differences, Ended, Job, JobResult, Kept, Logbook, Pair, Sandboxes, Subject, add_run,
    compare, entries, explain, usage,
};
use umbra_report::{Colour, DiffSummary, ExplainReport, Info, Look, RunFolder};
use umbra_text::Show;

use super::resume;

use crate::out::{self, WriteError, tell};
use crate::terminal::{self, ColourChoice};
use crate::{environment, interrupt};
pub use options::Args;
use watched::Watched;
use words::Reading;
pub use words::flags_first;

/// Runs the command.
pub fn run(mut args: Args) -> anyhow::Result<ExitCode> {
    let start = Instant::now();
    if let Some(kept) = args.resume.open()? {
        return go_on(args, kept, start);
    }
    if args.range.is_some() {
        return range::run(args);
    }
    let has_separator = args.command.iter().any(|word| word == words::SEPARATOR);
    let (reading, mut command) = words::read(&args.command);
    if reading != Reading::One {
        args.old = Some(command.remove(0).into());
    }
    args.command = command;
    let args = &args;
    // What is wrong with the flags is said before anything takes time.
    args.inputs.of(&args.command).check()?;
    let mut job = args.job()?;
    let watched = Watched::start(args, &job, start)?;
    let plain = Subject { from: None, ..job.subject.clone() };
    if let Some(source) = job.subject.from.as_mut().filter(|source| source.is_open()) {
        source.functions = entries(&plain, &environment::tools)?;
        let functions = source.functions.join(", ");
        if functions.is_empty() {
            bail!("--from auto: no function that takes a pointer leads to a change; name one");
        }
        tell!("--from {functions}");
    }
    let job = job;
    let explained = match args.explain {
        true => explain(&job.subject, None, &environment::tools)?,
        false => None,
    };
    if let Some(report) = &explained
        && !args.wants_run(has_separator)
    {
        watched.guard.disarm();
        show_explanation(args, report)?;
        return Ok(ExitCode::SUCCESS);
    }
    let pair = match Pair::load(&job.subject, None, &environment::tools) {
        Err(error) if reading == Reading::Perhaps && error.is_of_annotated_old() => {
            let old = args.old.as_deref().unwrap_or(args.new_program());
            bail!("{}", words::ambiguous(old, args.new_program()));
        }
        pair => pair?,
    };
    if pair.is_same_program() {
        watched.guard.disarm();
        let but = pair.ignored().map_or_else(String::new, |what| format!(", but for {what}"));
        out::page(format_args!("the same program{but}\n"), Colour::Plain)?;
        return Ok(ExitCode::SUCCESS);
    }
    let folder = match &args.exploring.output {
        Some(path) => RunFolder::create_at(path)?,
        None => RunFolder::create_next(Path::new(""))?,
    };
    let logbook = begin(&job, &pair, folder, start)?;
    finish(args, &job, pair, logbook, &watched, explained)
}

/// Begins a run in a folder.
fn begin(job: &DiffJob, pair: &Pair, folder: RunFolder, start: Instant) -> anyhow::Result<Logbook> {
    folder.write_info(&Info {
        command: std::env::args_os().collect(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs(),
    })?;
    Ok(Logbook::begin(folder, Job::Diff(job.clone()), pair.identity(), start)?)
}

/// Goes on with a run whose process was killed, or shows what came of it.
fn go_on(mut args: Args, kept: Kept, start: Instant) -> anyhow::Result<ExitCode> {
    let Job::Diff(job) = kept.job().clone() else { return Err(resume::other_command(&kept)) };
    let is_bare = args.command.is_empty();
    args.command = vec!["x".into()];
    if !is_bare || args.job()? != usual_job()? {
        bail!(
            "--resume goes on with the programs, tests and flags of the run (see {}): give no others",
            kept.path().join("info").shown()
        );
    }
    if let Some(ended) = &kept.ended {
        let printing = &args.printing;
        return resume::show(ended, !printing.quiet, printing.json);
    }
    // The time that the run took before counts too.
    let start = start.checked_sub(kept.elapsed).unwrap_or(start);
    let watched = Watched::start(&args, &job, start)?;
    let pair = Pair::load(&job.subject, None, &environment::tools)?;
    let logbook = kept.go_on(pair.identity(), start)?;
    finish(&args, &job, pair, logbook, &watched, None)
}

/// What the command does without any flags; its programs and tests are to be filled in.
pub fn usual_job() -> anyhow::Result<DiffJob> {
    Usual::parse_from(["diff", "x"]).args.job()
}

/// The command without any flags.
#[derive(clap::Parser)]
struct Usual {
    #[command(flatten)]
    args: Args,
}

/// Compares and reports, in a folder that may have something of this run already.
fn finish(
    args: &Args,
    job: &DiffJob,
    pair: Pair,
    logbook: Logbook,
    watched: &Watched,
    explained: Option<ExplainReport>,
) -> anyhow::Result<ExitCode> {
    let stop = Arc::new(AtomicBool::new(false));
    interrupt::catch(&stop)?;
    let summary = carry_out(args, job, pair, logbook, watched, &stop)?;
    if let Some(mut explained) = explained {
        add_run(&mut explained, &summary);
        show_explanation(args, &explained)?;
    }
    report(args, &summary)?;
    Ok(ExitCode::from(summary.exit))
}

/// Compares, and keeps what came of it.
fn carry_out(
    args: &Args,
    job: &DiffJob,
    pair: Pair,
    logbook: Logbook,
    watched: &Watched,
    stop: &Arc<AtomicBool>,
) -> anyhow::Result<DiffSummary> {
    // Limits stop what explores, and not the native runs that come after.
    interrupt::also(watched.control.flag())?;
    watched.set_last_words(args, logbook.path());
    let watch = umbra_jobs::Watched {
        control: &watched.control,
        budget: watched.budget,
        guard: &watched.guard,
    };
    let sandboxes = Sandboxes { launcher: environment::launcher(), stop: Arc::clone(stop) };
    let (differences, journal) = compare(job, pair, logbook, &watch, &sandboxes)?;
    let Differences { mut summary, not_replayed } = differences;
    summary.replay.reason = not_replayed.as_ref().map(words::not_replayed);
    summary.lockstep.listed = args.forgotten;
    summary.wall_s = watched.budget.start.elapsed().as_secs_f64();
    (summary.cpu_s, summary.peak_mib) = usage();
    summary.exit = match summary.divergences.is_empty() {
        false => 1,
        true if args.exploring.require_complete && !summary.is_complete() => 3,
        true => 0,
    };
    journal.finish(Ended {
        exit: summary.exit,
        text: summary.to_text(),
        json: summary.to_json(),
        result: JobResult::of_diff(&summary),
    })?;
    Ok(summary)
}

/// How what was found is printed.
fn look(args: &Args) -> Look {
    Look {
        colour: terminal::colour(ColourChoice::Auto),
        columns: terminal::is_watched().then(terminal::width),
        verbose: args.verbose,
    }
}

/// Prints what became of two programs, or writes it as a page.
fn show_explanation(args: &Args, report: &ExplainReport) -> anyhow::Result<()> {
    if let Some(file) = &args.html {
        std::fs::write(file, report.to_html())
            .with_context(|| format!("writing {}", file.shown()))?;
        tell!("the explanation is in {}", file.shown());
        return Ok(());
    }
    let colour = terminal::colour(ColourChoice::Auto);
    let columns = terminal::is_watched().then(terminal::width);
    Ok(out::page(format_args!("{}", report.to_text(colour, columns)), colour)?)
}

/// Prints the summary.
fn report(args: &Args, summary: &DiffSummary) -> Result<(), WriteError> {
    if !args.printing.quiet {
        let look = look(args);
        out::page(format_args!("{}", summary.to_text_in(look)), look.colour)?;
    }
    if args.printing.json {
        out::json_line(&summary.to_json())?;
    }
    Ok(())
}
