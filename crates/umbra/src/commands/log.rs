//! `umbra log`: checks the commits of a range, one after the other.

use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Instant;

use anyhow::bail;
use umbra_project::Revision;
use umbra_report::{Checked, LogLine, LogReport, RevisionLine};
use umbra_text::Show;

use crate::commands::check::{Checker, Flags};
use crate::commands::report;
use crate::out;
use crate::terminal::{self, ColourChoice};

/// Arguments of the command.
#[derive(clap::Args)]
pub struct Args {
    /// The commits: those of NEW that OLD has not, along first parents
    #[arg(value_name = "OLD..NEW")]
    pub range: String,

    #[command(flatten)]
    pub flags: Flags,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let start = Instant::now();
    // What is wrong with the flags is said before anything takes time.
    args.flags.job(None)?;
    let checker = Checker::new(args.flags.quiet)?;
    let repository = checker.project.builder.repository();
    let range = repository.range(Some(&args.range))?;
    let commits = repository.commits(&range)?;
    if commits.is_empty() {
        bail!("there are no commits in {}", args.range.shown());
    }
    let colour = terminal::colour(ColourChoice::Auto);
    let columns = terminal::is_watched().then(terminal::width);
    let show = |text: &str| match args.flags.quiet {
        true => Ok(()),
        false => out::page(format_args!("{text}\n"), colour),
    };
    show(&LogReport::head(colour, columns))?;
    let mut log = LogReport::default();
    for commit in &commits {
        if checker.stop.load(Ordering::Relaxed) {
            break;
        }
        let line = checked(args, &checker, commit);
        if let Checked::Done(report) = &line.check {
            report::write_page(report)?;
        }
        show(&line.row(colour, columns))?;
        log.commits.push(line);
    }
    log.left = (commits.len() - log.commits.len()) as u64;
    log.wall_s = start.elapsed().as_secs_f64();
    log.exit = log.commits.iter().map(|line| exit(args, line)).fold(0, worse);
    show(&format!("\n{}", log.sum()))?;
    if args.flags.json {
        out::json_line(&log.to_json())?;
    }
    Ok(ExitCode::from(log.exit))
}

/// The check of a commit against its first parent.
fn checked(args: &Args, checker: &Checker, commit: &str) -> LogLine {
    let repository = checker.project.builder.repository();
    let known = repository.commit(&Revision::Named(commit.to_owned()));
    let (hash, subject) = known.unzip();
    let commit_line = RevisionLine { name: commit.to_owned(), commit: hash, subject };
    // The commit alone stands for itself and its parent.
    let job = args.flags.job(Some(commit.to_owned()));
    let check = match job.and_then(|job| checker.check(&job)) {
        Ok(mut report) => {
            report.exit = args.flags.exit(&report);
            Checked::Done(Box::new(report))
        }
        Err(error) => Checked::Failed(format!("{error:#}")),
    };
    LogLine { commit: commit_line, check }
}

fn exit(args: &Args, line: &LogLine) -> u8 {
    match &line.check {
        Checked::Done(report) => args.flags.exit(report),
        Checked::Failed(_) => 2,
    }
}

/// A finding says more than a failure, and a failure more than what was left out.
fn worse(one: u8, other: u8) -> u8 {
    let rank = |code: u8| [0, 3, 2, 1].iter().position(|known| *known == code).unwrap_or(2);
    if rank(other) > rank(one) { other } else { one }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_count_most() {
        assert_eq!([0, 3, 2, 0].into_iter().fold(0, worse), 2);
        assert_eq!([2, 1, 3].into_iter().fold(0, worse), 1);
        assert_eq!([0, 3].into_iter().fold(0, worse), 3);
    }
}
