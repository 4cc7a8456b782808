//! `umbra check`: the whole job for a patch.

mod found;
mod options;
mod show;

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use umbra_jobs::{CheckWatch, Sandboxes, check};
use umbra_report::{CheckReport, Colour};

use crate::commands::{record, report};
use crate::out;
use crate::project;
use crate::terminal::{self, ColourChoice};
use crate::{environment, interrupt};
pub use options::Args;
use show::Stages;

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    // What is wrong with the flags is said before anything takes time.
    let job = args.job()?;
    let stop = Arc::new(AtomicBool::new(false));
    interrupt::catch(&stop)?;
    let project = found::project()?;
    let stages = Stages::new(args.quiet);
    let watch = CheckWatch {
        sandboxes: &Sandboxes { launcher: environment::launcher(), stop },
        tools: &environment::tools,
        building: &project::show_build,
        record: &|project, revision| Ok(record::for_check(project, revision)?),
        tell: &|told| stages.tell(&told),
    };
    let report = check(&job, &project, &watch)?;
    stages.clear();
    finish(args, &report)
}

/// Prints the report, writes it as a page, and says how the command ends.
fn finish(args: &Args, report: &CheckReport) -> anyhow::Result<ExitCode> {
    let page = report::page(report);
    let exit = args.exit(report);
    let report =
        &CheckReport { exit, page: Some(page.to_string_lossy().into_owned()), ..report.clone() };
    report::write_page(report)?;
    if !args.quiet {
        let colour = terminal::colour(ColourChoice::Auto);
        let columns = terminal::is_watched().then(terminal::width);
        let text = near(report).to_text(colour, columns, args.verbose);
        out::page(format_args!("{text}"), colour)?;
        if colour == Colour::Plain && args.json {
            out::page(format_args!("\n"), colour)?;
        }
    }
    if args.json {
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
