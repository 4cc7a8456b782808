//! `umbra check`: the whole job for a patch.

pub mod found;
mod options;
mod show;

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use umbra_jobs::{CheckJob, CheckWatch, Project, Sandboxes, check};
use umbra_report::{CheckReport, Colour};

use crate::commands::{record, report};
use crate::out;
use crate::project;
use crate::terminal::{self, ColourChoice};
use crate::{environment, interrupt};
pub use options::{Args, Flags};
use show::Stages;

/// What checks patches of the project in this folder.
pub struct Checker {
    /// The project.
    pub project: Project,
    /// Becomes true when the user has had enough.
    pub stop: Arc<AtomicBool>,
    stages: Stages,
    sandboxes: Sandboxes,
}

impl Checker {
    /// For a command that is just starting.
    pub fn new(quiet: bool) -> anyhow::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        interrupt::catch(&stop)?;
        Ok(Self {
            project: found::project()?,
            stages: Stages::new(quiet),
            sandboxes: Sandboxes { launcher: environment::launcher(), stop: Arc::clone(&stop) },
            stop,
        })
    }

    /// Checks a patch.
    pub fn check(&self, job: &CheckJob) -> anyhow::Result<CheckReport> {
        let watch = CheckWatch {
            sandboxes: &self.sandboxes,
            tools: &environment::tools,
            building: &project::show_build,
            record: &|project, revision| Ok(record::for_check(project, revision)?),
            tell: &|told| self.stages.tell(&told),
        };
        let report = check(job, &self.project, &watch)?;
        self.stages.clear();
        let page = report::page(&report).to_string_lossy().into_owned();
        Ok(CheckReport { page: Some(page), ..report })
    }
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    // What is wrong with the flags is said before anything takes time.
    let job = args.job()?;
    let report = Checker::new(args.flags.quiet)?.check(&job)?;
    let exit = args.flags.exit(&report);
    let report = CheckReport { exit, ..report };
    report::write_page(&report)?;
    if !args.flags.quiet {
        let colour = terminal::colour(ColourChoice::Auto);
        let columns = terminal::is_watched().then(terminal::width);
        let text = near(&report).to_text(colour, columns, args.flags.verbose);
        out::page(format_args!("{text}"), colour)?;
        if colour == Colour::Plain && args.flags.json {
            out::page(format_args!("\n"), colour)?;
        }
    }
    if args.flags.json {
        out::json_line(&report.to_json())?;
    }
    Ok(ExitCode::from(exit))
}

/// The report with paths as somebody would type them here.
fn near(report: &CheckReport) -> CheckReport {
    let mut report = report.clone();
    let Some(here) = std::env::current_dir().ok() else { return report };
    let here = format!("{}/", here.to_string_lossy());
    report.folder = report.folder.replacen(&here, "", 1);
    report.page = report.page.map(|page| page.replacen(&here, "", 1));
    for finding in &mut report.findings {
        finding.command = finding.command.replace(&here, "");
    }
    report
}
