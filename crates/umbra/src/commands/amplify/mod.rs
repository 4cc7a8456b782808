//! `umbra amplify`: what tests only visit is checked.

mod options;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use umbra_jobs::{AmplifyJob, AmplifyProgram, Budget, Control, Sandboxes, Stopped, amplify, usage};
use umbra_report::{AmplifyReport, Colour, Info, RunFolder};
use umbra_text::Show;

use crate::guard::{Guard, LastWords};
use crate::out::{self, tell};
use crate::{environment, interrupt};
pub use options::Args;

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let start = Instant::now();
    let Some(program) = &args.program else {
        anyhow::bail!("name a program; the recorded tests of a project come next");
    };
    let job = args.job(program.clone(), args.tests(program)?);
    let mut report = on_program(args, &job, start)?;
    report.wall_s = start.elapsed().as_secs_f64();
    (report.cpu_s, report.peak_mib) = usage();
    report.exit = exit(args, &report);
    show(args, &report)?;
    Ok(ExitCode::from(report.exit))
}

/// Amplifies the tests of one program.
fn on_program(args: &Args, job: &AmplifyJob, start: Instant) -> anyhow::Result<AmplifyReport> {
    let stop = Arc::new(AtomicBool::new(false));
    interrupt::catch(&stop)?;
    let program =
        AmplifyProgram::load(&job.subject, args.sanitized.as_deref(), &environment::tools)?;
    let mut folder = match &args.output {
        Some(path) => RunFolder::create_at(path)?,
        None => RunFolder::create_next(Path::new(""))?,
    };
    folder.write_info(&Info {
        command: std::env::args_os().collect(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs(),
    })?;
    let budget = Budget::of(&job.limits, &job.strategy, None, start);
    let control = Control::default();
    // Limits stop what explores, and not the native runs that come after.
    interrupt::also(control.flag())?;
    let guard = Guard::start(budget, &control, last_words(args, start, folder.path()))?;
    let watched = umbra_jobs::Watched { control: &control, budget, guard: &guard };
    let sandboxes = Sandboxes { launcher: environment::launcher(), stop };
    let mut report = amplify(job, &program, &mut folder, &watched, &sandboxes)?;
    for finding in &mut report.findings {
        let case = finding.case.as_ref();
        finding.case = case.map(|case| folder.path().join(case).to_string_lossy().into_owned());
        let name = job.subject.program.to_string_lossy();
        finding.command = finding.command.as_ref().map(|line| line.replacen("PROGRAM", &name, 1));
    }
    Ok(report)
}

/// 1 if something was found.
fn exit(args: &Args, report: &AmplifyReport) -> u8 {
    let failed = report.left_out.keys().any(|what| what.starts_with("solver failures"));
    match report.findings.is_empty() {
        false => 1,
        true if failed => 2,
        true if args.require_complete && !report.complete => 3,
        true => 0,
    }
}

fn show(args: &Args, report: &AmplifyReport) -> anyhow::Result<()> {
    if !args.printing.quiet {
        out::page(format_args!("{}", report.to_text()), Colour::Plain)?;
    }
    if args.printing.json {
        out::json_line(&report.to_json())?;
    }
    Ok(())
}

/// What is said if the command is in the middle of something that does not end.
fn last_words(args: &Args, start: Instant, folder: &Path) -> LastWords {
    let (json, require_complete) = (args.printing.json, args.require_complete);
    let folder = folder.to_owned();
    Box::new(move |why| {
        let limit = match why {
            Stopped::Interrupted => "interrupted".to_owned(),
            _ => format!("stopped at the limit on {}", why.name()),
        };
        tell!(
            "{limit}, in the middle of one step, so nothing can be summed up; the run is in {}",
            folder.shown()
        );
        let exit = if require_complete { 3 } else { 0 };
        if json {
            let (cpu_s, peak_mib) = usage();
            let report = AmplifyReport {
                exit,
                left_out: [(why.name().to_owned(), 1)].into(),
                wall_s: start.elapsed().as_secs_f64(),
                cpu_s,
                peak_mib,
                ..Default::default()
            };
            out::last_words(&(report.to_json() + "\n"));
        }
        exit
    })
}
