//! `umbra reach`: inputs that run some code.

mod options;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use umbra_jobs::{
    Budget, Building, Control, ReachJob, ReachWatch, Sandboxes, Stopped, Tests, reach,
    reach_in_project, usage,
};
use umbra_report::{Colour, Info, ReachReport, RunFolder, TargetLine};

use crate::cases::from_here;
use crate::commands::check::found;
use crate::guard::{Guard, LastWords};
use crate::out::{self, tell};
use crate::{environment, interrupt, project, terminal};
pub use options::Args;

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let start = Instant::now();
    // What is wrong with the flags is said before anything takes time.
    let mut job = args.job()?;
    let mut folder = match &args.output {
        Some(path) => RunFolder::create_at(path)?,
        None => RunFolder::create_next(Path::new(""))?,
    };
    folder.write_info(&Info {
        command: std::env::args_os().collect(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs(),
    })?;
    let report = match args.program {
        Some(_) => {
            let watching = Watching::start(args, &job, start)?;
            let program = watching.watch(args, |watch| reach(&job, &mut folder, watch))?;
            ReachReport {
                folder: folder.path().to_string_lossy().into_owned(),
                instructions: program.instructions,
                programs: vec![program],
                ..ReachReport::default()
            }
        }
        None => {
            // Builds have no limits of ours.
            let project = found::project()?;
            if args.cases.is_empty() {
                let store = from_here(umbra_jobs::recordings(&project.folder)?)?;
                job.tests = Tests::Cases(store.is_dir().then_some(store).into_iter().collect());
            }
            let code = args.code();
            let watching = Watching::start(args, &job, Instant::now())?;
            watching.watch(args, |watch| {
                let project = (&project, &project::show_build as Building<'_>);
                let programs = args.programs();
                let programs = (&code, &*programs);
                reach_in_project(&job, project, programs, &mut folder, watch)
            })?
        }
    };
    finish(args, report, start)
}

/// Sums up and prints.
fn finish(args: &Args, mut report: ReachReport, start: Instant) -> anyhow::Result<ExitCode> {
    report.wall_s = start.elapsed().as_secs_f64();
    (report.cpu_s, report.peak_mib) = usage();
    report.exit = exit(&report);
    if !args.quiet {
        out::page(format_args!("{}", report.to_text()), Colour::Plain)?;
    }
    if args.json {
        out::json_line(&report.to_json())?;
    }
    Ok(ExitCode::from(report.exit))
}

/// The exit status: 0 if all targets are run or cannot be, 3 if one was missed, 1 if an error was met in a target or near one.
fn exit(report: &ReachReport) -> u8 {
    let errors = report.programs.iter().flat_map(|program| &program.errors);
    let is_found = errors.into_iter().any(|error| error.nearness != "elsewhere");
    match is_found {
        true => 1,
        false if report.is_complete() => 0,
        false => 3,
    }
}

/// What keeps a search within its limits.
struct Watching {
    guard: Guard,
    control: Control,
    budget: Budget,
    stop: Arc<AtomicBool>,
}

impl Watching {
    fn start(args: &Args, job: &ReachJob, start: Instant) -> anyhow::Result<Self> {
        let budget = Budget::of(&job.limits, &job.strategy, None, start);
        let control = Control::default();
        let stop = Arc::new(AtomicBool::new(false));
        interrupt::catch(&stop)?;
        interrupt::also(control.flag())?;
        let guard = Guard::start(budget, &control, last_words(args, start))?;
        Ok(Self { guard, control, budget, stop })
    }

    fn watch<T>(&self, args: &Args, work: impl FnOnce(&ReachWatch<'_>) -> T) -> T {
        let watched = terminal::is_watched() && !args.quiet;
        let sandboxes =
            Sandboxes { launcher: environment::launcher(), stop: Arc::clone(&self.stop) };
        let watch = ReachWatch {
            watched: umbra_jobs::Watched {
                control: &self.control,
                budget: self.budget,
                guard: &self.guard,
            },
            sandboxes: &sandboxes,
            tools: &environment::tools,
            doing: &|text| {
                if watched {
                    out::watched_line(text);
                }
            },
            ended: &|target: &TargetLine| {
                if watched {
                    out::watched_line("");
                    tell!("{}", target.to_text());
                }
            },
        };
        let done = work(&watch);
        if watched {
            out::watched_line("");
        }
        done
    }
}

/// What is said if the command is in the middle of something that does not end.
fn last_words(args: &Args, start: Instant) -> LastWords {
    let json = args.json;
    Box::new(move |why| {
        let limit = match why {
            Stopped::Interrupted => "interrupted".to_owned(),
            _ => format!("stopped at the limit on {}", why.name()),
        };
        tell!("{limit}, in the middle of one step, so nothing can be summed up");
        if json {
            let (cpu_s, peak_mib) = usage();
            let wall_s = start.elapsed().as_secs_f64();
            let notes = vec![limit];
            let report =
                ReachReport { exit: 3, wall_s, cpu_s, peak_mib, notes, ..ReachReport::default() };
            out::last_words(&(report.to_json() + "\n"));
        }
        3
    })
}
