//! What came out of cases on two versions, for people and for machines.

use std::collections::BTreeMap;
use std::process::ExitCode;

use anyhow::Context;
use umbra_compare::{ChangedLine, Cluster, Difference, Explanation, Judgement, Signature};
use umbra_jobs::Named;
use umbra_report::{
    ClusterLine, ComparisonLine, ComparisonReport, DifferenceLine, ImpossibleLine, PlaceLine,
};
use umbra_text::Show;
use umbra_words::Class;

use super::{Impossible, Session, exit_status};
use crate::out::{self, WriteError, say};

/// Differences of an example that are shown.
const SHOWN: usize = 3;

/// All that came out for one pair of versions.
#[derive(Default)]
pub struct Report {
    /// What the new version is called.
    pub name: String,
    /// Cases by class.
    pub classes: BTreeMap<Class, usize>,
    /// What they show, those that matter most first.
    pub clusters: Vec<Cluster>,
    /// An example of each cluster.
    pub examples: Vec<(Named, Judgement)>,
    /// Cases of programs that one of the versions does not have.
    pub without_program: usize,
    /// Programs whose changed lines are not known, and why.
    pub without_places: BTreeMap<String, String>,
    /// Cases that cannot be run.
    pub impossible: Vec<Impossible>,
    /// Cases that were not run before the user had enough.
    pub not_run: usize,
}

/// Shows all reports; the exit status says whether something was found.
pub fn show(session: &Session<'_>, reports: &[Report]) -> anyhow::Result<ExitCode> {
    if let Some(folder) = &session.args.output {
        write_examples(reports, folder)?;
    }
    let is_finding = |report: &Report| report.classes.keys().any(|class| class.is_finding());
    let impossible = reports.iter().map(|report| report.impossible.len()).sum();
    let exit = exit_status(reports.iter().any(is_finding), impossible);
    if session.args.json {
        out::json_line(&of_reports(session, reports, exit).to_json())?;
    } else {
        reports.iter().try_for_each(|report| print(session, report))?;
        say!("{}", memory_text(session))?;
    }
    Ok(ExitCode::from(exit))
}

fn print(session: &Session<'_>, report: &Report) -> Result<(), WriteError> {
    let counts: Vec<String> = Class::ALL
        .iter()
        .filter_map(|class| Some(format!("{} {}", report.classes.get(class)?, class.name())))
        .collect();
    say!("{}: {} cases: {}", report.name.shown(), session.cases.len(), counts.join(", "))?;
    if report.without_program > 0 {
        say!("  {} of programs that one version does not have", report.without_program)?;
    }
    for (index, Impossible { case, reason }) in report.impossible.iter().enumerate() {
        if index == 0 {
            say!("  {} cannot be run", report.impossible.len())?;
        }
        if index < SHOWN {
            say!("    {}: {}", case.shown(), reason.shown())?;
        }
    }
    if report.not_run > 0 {
        say!("  {} not run", report.not_run)?;
    }
    for (program, reason) in &report.without_places {
        let (program, reason) = (program.shown(), reason.shown());
        say!("  the changed lines of {program} are not known: {reason}")?;
    }
    for (cluster, (named, judgement)) in report.clusters.iter().zip(&report.examples) {
        let signature = &cluster.signature;
        let place = place_text(signature);
        let place = place.shown();
        let cases = cases_text(cluster.cases.len() as u64);
        say!("")?;
        say!("{} in {}{place}, {cases}", signature.class.name(), signature.program.shown())?;
        if let Explanation::Line(line @ ChangedLine { same: 1.., .. }) = &signature.cause {
            let (differing, same) = (line.differing, line.same);
            say!("  cases that run the line: {differing} differ, {same} behave the same")?;
        }
        say!("  example: {}", named.name.shown())?;
        for difference in judgement.differences.iter().take(SHOWN) {
            say!("  {}", difference.channel.to_string().shown())?;
            say!("    old: {}", difference.old.shown())?;
            say!("    new: {}", difference.new.shown())?;
        }
        let more = judgement.differences.len().saturating_sub(SHOWN);
        if more > 0 {
            say!("  and {more} more differences")?;
        }
    }
    Ok(())
}

/// What the limit on memory covers, for people.
pub fn memory_text(session: &Session<'_>) -> String {
    let count = session.native.memory_count();
    let (most, name) = (session.args.max_memory, count.name());
    format!("memory of a run: at most {most} MiB, counted by {name}: {}", count.covers())
}

fn impossible_line(impossible: &Impossible) -> ImpossibleLine {
    ImpossibleLine { case: impossible.case.clone(), reason: impossible.reason.clone() }
}

fn cases_text(count: u64) -> String {
    if count == 1 { "1 case".to_owned() } else { format!("{count} cases") }
}

/// Where the cases of a cluster differ, as part of a sentence.
fn place_text(signature: &Signature) -> String {
    match (&signature.place, &signature.cause) {
        (Some(place), _) => format!(" at {place}"),
        (None, Explanation::Line(line)) => format!(" at {line}"),
        (None, Explanation::NoChangedLine) => " without running a changed line".to_owned(),
        (None, Explanation::Unknown) => String::new(),
    }
}

fn write_examples(reports: &[Report], folder: &std::path::Path) -> anyhow::Result<()> {
    std::fs::create_dir(folder).with_context(|| format!("making {}", folder.shown()))?;
    let examples = reports.iter().flat_map(|report| report.clusters.iter().zip(&report.examples));
    for (index, (cluster, (named, _))) in examples.enumerate() {
        let name = format!("{:03}-{}", index + 1, cluster.signature.class.name());
        named.case.write(&folder.join(name))?;
    }
    Ok(())
}

/// All of it as one report.
fn of_reports(session: &Session<'_>, reports: &[Report], exit: u8) -> ComparisonReport {
    let comparisons = reports.iter().map(|report| ComparisonLine {
        version: report.name.clone(),
        classes: report.classes.clone(),
        without_program: report.without_program,
        impossible: report.impossible.iter().map(impossible_line).collect(),
        not_run: report.not_run,
        without_places: report.without_places.clone(),
        clusters: report.clusters.iter().zip(&report.examples).map(cluster_line).collect(),
    });
    ComparisonReport {
        exit,
        wall_s: session.start.elapsed().as_secs_f64(),
        cases: session.cases.len(),
        memory_limit: session.memory_limit(),
        comparisons: comparisons.collect(),
    }
}

fn cluster_line((cluster, (named, judgement)): (&Cluster, &(Named, Judgement))) -> ClusterLine {
    let signature = &cluster.signature;
    let (line, changed_line_ran) = match &signature.cause {
        Explanation::Line(line) => (Some(line), Some(true)),
        Explanation::NoChangedLine => (None, Some(false)),
        Explanation::Unknown => (None, None),
    };
    let place = || {
        let place = &line?.target.place;
        Some(format!("{}:{}", place.file, place.line))
    };
    ClusterLine {
        class: signature.class,
        program: signature.program.clone(),
        place: signature.place.clone().or_else(place),
        changed_line_ran,
        line: PlaceLine {
            function: line.map(|line| line.target.function.clone()),
            version: line.map(|line| line.target.version),
            differing: line.map(|line| line.differing),
            same: line.map(|line| line.same),
        },
        stack: signature.stack.clone(),
        cases: cluster.cases.iter().map(ToString::to_string).collect(),
        example: named.name.clone(),
        differences: judgement.differences.iter().map(difference_line).collect(),
    }
}

/// A difference between native runs, for a report.
pub fn difference_line(difference: &Difference) -> DifferenceLine {
    DifferenceLine {
        channel: difference.channel.name().to_owned(),
        place: difference.channel.to_string(),
        old: difference.old.clone(),
        new: difference.new.clone(),
    }
}
