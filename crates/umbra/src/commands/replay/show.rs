//! What came out of cases on two versions, for people and for machines.

use std::collections::BTreeMap;
use std::process::ExitCode;

use anyhow::Context;
use serde_json::{Value, json};
use umbra_compare::{ChangedLine, Cluster, Explanation, Judgement, Signature};
use umbra_text::Show;
use umbra_words::Class;

use super::{Impossible, Session, exit_status};
use crate::cases::Named;
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
        out::object(&object(session, reports, exit))?;
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

fn impossible_object(impossible: &Impossible) -> Value {
    json!({ "case": impossible.case, "reason": impossible.reason })
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

/// The object of `--json`; docs/json.md has its keys.
fn object(session: &Session<'_>, reports: &[Report], exit: u8) -> Value {
    let comparisons = reports.iter().map(|report| {
        let classes: BTreeMap<&str, usize> =
            report.classes.iter().map(|(class, count)| (class.name(), *count)).collect();
        let clusters = report.clusters.iter().zip(&report.examples).map(cluster_object);
        json!({
            "version": report.name,
            "classes": classes,
            "without_program": report.without_program,
            "impossible": report.impossible.iter().map(impossible_object).collect::<Vec<Value>>(),
            "not_run": report.not_run,
            "without_places": report.without_places,
            "clusters": clusters.collect::<Vec<Value>>(),
        })
    });
    json!({
        "schema": "umbra/1",
        "command": "replay",
        "exit": exit,
        "wall_s": session.start.elapsed().as_secs_f64(),
        "cases": session.cases.len(),
        "memory_limit": session.memory_limit(),
        "comparisons": comparisons.collect::<Vec<Value>>(),
    })
}

fn cluster_object((cluster, (named, judgement)): (&Cluster, &(Named, Judgement))) -> Value {
    let signature = &cluster.signature;
    let differences = judgement.differences.iter().map(|difference| {
        json!({
            "channel": difference.channel.name(),
            "where": difference.channel.to_string(),
            "old": difference.old,
            "new": difference.new,
        })
    });
    let line = match &signature.cause {
        Explanation::Line(line) => Some(line),
        Explanation::NoChangedLine | Explanation::Unknown => None,
    };
    let place =
        || line.map(|line| format!("{}:{}", line.target.place.file, line.target.place.line));
    json!({
        "class": signature.class.name(),
        "program": signature.program,
        "place": signature.place.clone().or_else(place),
        "changed_line_ran": match signature.cause {
            Explanation::Unknown => None,
            Explanation::NoChangedLine => Some(false),
            Explanation::Line(_) => Some(true),
        },
        "function": line.map(|line| &line.target.function),
        "place_version": line.map(|line| line.target.version.name()),
        "place_differing": line.map(|line| line.differing),
        "place_same": line.map(|line| line.same),
        "stack": signature.stack,
        "cases": cluster.cases.iter().map(ToString::to_string).collect::<Vec<String>>(),
        "example": named.name,
        "differences": differences.collect::<Vec<Value>>(),
    })
}
