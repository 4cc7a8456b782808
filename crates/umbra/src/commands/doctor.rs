//! `umbra doctor`: what is needed on this machine, and how to get what is missing.

use std::process::ExitCode;

use umbra_project::{Check, CheckState, check};
use umbra_replay::{Fact, Presence, facts};
use umbra_report::{CheckLine, DoctorReport};
use umbra_text::Show;

use crate::environment;
use crate::out::{self, say};

/// Arguments of the command.
#[derive(clap::Args)]
pub struct Args {
    /// One JSON object on standard output instead of a table
    #[arg(long)]
    pub json: bool,
}

/// Runs the command: 0 if everything needed is there, 2 if not.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let toolchain = environment::toolchain()?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let checks = check(&toolchain, &path);
    let facts = facts(&environment::launcher());
    let complete = checks
        .iter()
        .map(|check| check.optional || matches!(check.state, CheckState::Found(_)))
        .chain(facts.iter().map(|fact| fact.optional || is_present(fact)))
        .all(|fine| fine);
    let exit: u8 = if complete { 0 } else { 2 };
    if args.json {
        let lines = checks.iter().map(check_line).chain(facts.iter().map(fact_line));
        let report = DoctorReport { exit, checks: lines.collect() };
        out::json_line(&report.to_json())?;
    } else {
        for check in &checks {
            let (state, detail) = match &check.state {
                CheckState::Found(path) => ("ok", path.shown().to_string()),
                CheckState::Missing(fix) if check.optional => ("absent", hint(check, fix)),
                CheckState::Missing(fix) => ("MISSING", hint(check, fix)),
            };
            say!("{:<8} {:<15} {detail}", state, check.name)?;
        }
        for fact in &facts {
            let (state, detail) = fact_text(fact);
            say!("{:<8} {:<15} {}", state, fact.name, detail.shown())?;
        }
        let tools = &toolchain.tools;
        say!(
            "\nbuild with: CC=\"umbra cc\" AR={} RANLIB={} NM={}",
            tools.ar.shown(),
            tools.ranlib.shown(),
            tools.nm.shown()
        )?;
    }
    Ok(ExitCode::from(exit))
}

fn hint(check: &Check, fix: &str) -> String {
    format!("{}; get it with: {fix}", check.purpose)
}

fn is_present(fact: &Fact) -> bool {
    matches!(fact.finding, Presence::Present(_))
}

/// What native runs need is not a file, so it has words instead of a path.
fn fact_text(fact: &Fact) -> (&'static str, String) {
    match &fact.finding {
        Presence::Present(detail) => ("ok", format!("{} ({detail})", fact.purpose)),
        Presence::Absent { reason, fix } => {
            let state = if fact.optional { "absent" } else { "MISSING" };
            (state, format!("{}; {reason}; fix: {fix}", fact.purpose))
        }
    }
}

fn fact_line(fact: &Fact) -> CheckLine {
    let (detail, fix) = match &fact.finding {
        Presence::Present(detail) => (detail, None),
        Presence::Absent { reason, fix } => (reason, Some(fix)),
    };
    CheckLine {
        name: fact.name.to_owned(),
        purpose: fact.purpose.to_owned(),
        optional: fact.optional,
        ok: is_present(fact),
        path: None,
        fix: fix.cloned(),
        detail: Some(detail.clone()),
    }
}

fn check_line(check: &Check) -> CheckLine {
    let (path, fix) = match &check.state {
        CheckState::Found(path) => (Some(path.to_string_lossy().into_owned()), None),
        CheckState::Missing(fix) => (None, Some(fix.to_string())),
    };
    CheckLine {
        name: check.name.to_string(),
        purpose: check.purpose.to_string(),
        optional: check.optional,
        ok: path.is_some(),
        path,
        fix,
        detail: None,
    }
}
