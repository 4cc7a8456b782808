//! `umbra amplify`: what tests only visit is checked.

mod options;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::bail;

use umbra_jobs::{
    AmplifyJob, AmplifyProgram, AmplifyProject, AmplifyWatch, Budget, Control, Project, Sandboxes,
    Stopped, Tests, amplify, amplify_project, usage,
};
use umbra_project::Revision;
use umbra_report::{AmplifyReport, Colour, Info, RunFolder};
use umbra_text::Show;

use crate::cases::from_here;
use crate::commands::{check, record};
use crate::guard::{Guard, LastWords};
use crate::out::{self, tell};
use crate::{environment, interrupt, project};
pub use options::Args;

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let start = Instant::now();
    let stop = Arc::new(AtomicBool::new(false));
    interrupt::catch(&stop)?;
    let mut report = match &args.program {
        Some(program) => {
            let job = args.job(program.clone(), args.tests(program)?);
            on_program(args, &job, &stop, start)?
        }
        None => on_project(args, &stop, start)?,
    };
    report.wall_s = start.elapsed().as_secs_f64();
    (report.cpu_s, report.peak_mib) = usage();
    report.exit = exit(args, &report);
    show(args, &report)?;
    Ok(ExitCode::from(report.exit))
}

/// Amplifies the tests of one program.
fn on_program(
    args: &Args,
    job: &AmplifyJob,
    stop: &Arc<AtomicBool>,
    start: Instant,
) -> anyhow::Result<AmplifyReport> {
    let program =
        AmplifyProgram::load(&job.subject, args.sanitized.as_deref(), &environment::tools)?;
    let mut folder = folder(args, Path::new(""))?;
    let watching = Watching::start(args, job, (start, Duration::ZERO), &folder)?;
    let sandboxes = Sandboxes { launcher: environment::launcher(), stop: Arc::clone(stop) };
    let mut report = amplify(job, &program, &mut folder, &watching.watched(), &sandboxes)?;
    name_cases(&mut report, &folder);
    Ok(report)
}

/// Amplifies the recorded tests of the project in this folder.
fn on_project(
    args: &Args,
    stop: &Arc<AtomicBool>,
    start: Instant,
) -> anyhow::Result<AmplifyReport> {
    let mut project = check::found::project()?;
    let revision = Revision::parse(&args.revision);
    let cases = tests_of(args, &mut project, &revision)?;
    let mut folder = folder(args, &project.folder)?;
    let job = args.job(PathBuf::new(), Tests::Cases(cases.clone()));
    // Native runs come between the programs, and builds before them.
    let more = start.elapsed() + job.native.all + BUILDING;
    let watching = Watching::start(args, &job, (start, more), &folder)?;
    let sandboxes = Sandboxes { launcher: environment::launcher(), stop: Arc::clone(stop) };
    let watch = AmplifyWatch {
        watched: watching.watched(),
        sandboxes: &sandboxes,
        tools: &environment::tools,
        building: &project::show_build,
        begins: &|program, tests| {
            if !args.printing.quiet {
                tell!("{}: {tests} tests", program.shown());
            }
        },
    };
    let what = AmplifyProject {
        project: &project,
        revision: &revision,
        cases: &cases,
        programs: &args.programs,
        sanitize: !args.no_sanitize,
    };
    let mut report = amplify_project(&job, &what, &mut folder, &watch)?;
    name_cases(&mut report, &folder);
    Ok(report)
}

/// What building takes at most, for the guard: it has limits of its own.
const BUILDING: Duration = Duration::from_secs(3600);

/// The tests of a project: those that are named, or what is recorded. They are recorded now if nothing is, or a command
/// is given.
fn tests_of(
    args: &Args,
    project: &mut Project,
    revision: &Revision,
) -> anyhow::Result<Vec<PathBuf>> {
    if !args.cases.is_empty() {
        return Ok(args.cases.clone());
    }
    let store = from_here(umbra_jobs::recordings(&project.folder)?)?;
    if args.command.is_empty() && store.is_dir() {
        return Ok(vec![store]);
    }
    if !args.command.is_empty() {
        let words: Vec<String> = args.command.iter().map(|word| quoted(word)).collect();
        project.manifest.test = words.join(" ");
    }
    if project.manifest.test.is_empty() {
        bail!("umbra.toml names no tests: fill in `command` of [test], or give a command after --");
    }
    let recorded = record::for_check(project, revision)?;
    if let Some(why) = recorded.why_none {
        bail!("no case was recorded: {why}");
    }
    Ok(vec![store])
}

/// A word as the shell takes it.
fn quoted(word: &OsStr) -> String {
    format!("'{}'", word.to_string_lossy().replace('\'', r"'\''"))
}

/// The folder for the results.
fn folder(args: &Args, project: &Path) -> anyhow::Result<RunFolder> {
    let folder = match &args.output {
        Some(path) => RunFolder::create_at(path)?,
        None => RunFolder::create_next(&from_here(project.to_owned())?)?,
    };
    folder.write_info(&Info {
        command: std::env::args_os().collect(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs(),
    })?;
    Ok(folder)
}

/// Names cases by where they are. What one line cannot say is in a script.
fn name_cases(report: &mut AmplifyReport, folder: &RunFolder) {
    for finding in &mut report.findings {
        let case = finding.case.as_ref();
        finding.case = case.map(|case| folder.path().join(case).to_string_lossy().into_owned());
    }
}

/// What keeps the command within its limits.
struct Watching {
    control: Control,
    budget: Budget,
    guard: Guard,
}

impl Watching {
    /// Begins to watch a command that started then, and may take so much longer than its budget.
    fn start(
        args: &Args,
        job: &AmplifyJob,
        (start, more): (Instant, Duration),
        folder: &RunFolder,
    ) -> anyhow::Result<Self> {
        let budget = Budget::of(&job.limits, &job.strategy, None, start);
        let control = Control::default();
        // Limits stop what explores, and not the native runs that come after.
        interrupt::also(control.flag())?;
        let whole = Budget { time: budget.time.map(|time| time + more), ..budget };
        let guard = Guard::start(whole, &control, last_words(args, start, folder.path()))?;
        Ok(Self { control, budget, guard })
    }

    fn watched(&self) -> umbra_jobs::Watched<'_> {
        umbra_jobs::Watched { control: &self.control, budget: self.budget, guard: &self.guard }
    }
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
