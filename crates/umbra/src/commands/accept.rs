//! `umbra accept`: says that a difference is expected.

use std::process::ExitCode;

use anyhow::bail;
use umbra_jobs::{accept, accepted, forget};
use umbra_report::{CheckFinding, CheckReport};
use umbra_text::Show;

use crate::commands::report::{self, Which};
use crate::out::say;
use crate::project;

/// Arguments of the command.
#[derive(clap::Args)]
pub struct Args {
    /// What is expected: the number of a finding in the report, its identity, or the folder of its case
    #[arg(value_name = "FINDING", required_unless_present_any = ["all", "gone"])]
    pub findings: Vec<String>,

    /// Everything in the report that is open
    #[arg(long, conflicts_with = "findings")]
    pub all: bool,

    /// Remove what the check did not find any more
    #[arg(long, conflicts_with_all = ["findings", "all"])]
    pub gone: bool,

    /// Why it is expected; kept beside it
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,

    #[command(flatten)]
    pub which: Which,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let project = project::folder()?;
    let report = args.which.report(&project)?;
    if args.gone {
        for identity in &report.gone {
            forget(&project, identity)?;
            say!("{} is no longer expected", identity.shown())?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let wanted: Vec<&CheckFinding> = match args.all {
        true => report.open().collect(),
        false => {
            let found: anyhow::Result<_> =
                args.findings.iter().map(|name| named(&report, name)).collect();
            found?
        }
    };
    for finding in wanted {
        let file = accept(&project, finding, args.reason.as_deref())?;
        say!("{}: {}", file.shown(), finding.verdict.shown())?;
    }
    // The report says so, too.
    let mut report = report;
    umbra_jobs::mark(&mut report, &accepted(&project)?);
    report::write_page(&report)?;
    Ok(ExitCode::SUCCESS)
}

/// The finding of this name.
fn named<'a>(report: &'a CheckReport, name: &str) -> anyhow::Result<&'a CheckFinding> {
    let findings = &report.findings;
    let by_number =
        name.parse().ok().and_then(|number: usize| findings.get(number.wrapping_sub(1)));
    let is_case = |finding: &CheckFinding| {
        let end = name.trim_end_matches('/');
        !finding.case.is_empty()
            && (end == finding.case || end.ends_with(&format!("/{}", finding.case)))
    };
    let by_name = || {
        // A few digits are as good as all of them, if they are enough.
        let mut of_name = findings.iter().filter(|it| name.len() >= 4 && it.id.starts_with(name));
        let first = of_name.next().filter(|_| of_name.next().is_none());
        first.or_else(|| findings.iter().find(|finding| is_case(finding)))
    };
    match by_number.or_else(by_name) {
        Some(finding) => Ok(finding),
        None => {
            let known: Vec<&str> = findings.iter().map(|finding| &*finding.id).collect();
            bail!(
                "the report has no finding {}: it has {}",
                name.shown(),
                if known.is_empty() { "none".to_owned() } else { known.join(", ") }
            )
        }
    }
}
