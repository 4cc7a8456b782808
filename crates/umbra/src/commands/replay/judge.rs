//! Cases on two versions: what differs, and what of it is worth looking at?

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use umbra_case::Case;
use umbra_replay::{
    Class, Cluster, Error, Judged, Judgement, Outcome, Program, Run, Version as Which, cluster,
    judge, minimise,
};

use super::Session;
use super::show::{Report, show};
use super::versions::{Pair, Version};
use crate::cases::Named;

/// Cases that run at once before their outcomes are judged: outcomes take memory.
const BATCH: usize = 256;

/// Runs all cases on both versions of each pair.
pub fn run(session: &Session<'_>, pairs: &[Pair]) -> anyhow::Result<ExitCode> {
    let mut reports = Vec::new();
    for pair in pairs {
        reports.push(report(session, pair)?);
    }
    show(session, &reports)
}

fn report(session: &Session<'_>, pair: &Pair) -> anyhow::Result<Report> {
    let mut report = Report { name: pair.name.clone(), ..Report::default() };
    let mut judged = Vec::new();
    for batch in session.cases.chunks(BATCH) {
        let (possible, missing): (Vec<&Named>, Vec<&Named>) =
            batch.iter().partition(|named| Judge::of(session, pair, named).is_some());
        report.without_program += missing.len();
        for named in possible.iter().zip(first_runs(session, pair, &possible)) {
            judged.extend(one(session, pair, named, &mut report)?);
        }
    }
    report.clusters = cluster(&judged);
    for case in &judged {
        *report.classes.entry(case.judgement.class).or_default() += 1;
    }
    for cluster in &report.clusters {
        report.examples.push(example(session, pair, cluster, &judged)?);
    }
    Ok(report)
}

/// The first run of each version on each case, in parallel.
fn first_runs(
    session: &Session<'_>,
    pair: &Pair,
    cases: &[&Named],
) -> Vec<[Result<Outcome, Error>; 2]> {
    let runs = cases.iter().flat_map(|named| {
        let judge = Judge::of(session, pair, named).into_iter();
        judge.flat_map(|judge| judge.runs())
    });
    let runs: Vec<Run<'_>> = runs.collect();
    let mut outcomes = session.pool.run(&runs, &session.limits, &session.stop).into_iter();
    let mut next = || outcomes.next().unwrap_or(Err(Error::Cancelled));
    let of_case = |named: &&Named| {
        let mut version = |executables: &Executables<'_>| {
            let plain = next();
            let sanitized = executables.sanitized.map(|program| (next(), program));
            let outcome = plain?;
            // Of the build with sanitizers only the report counts.
            let report = match sanitized {
                Some((run, program)) => session.report(run?, program, &executables.trees)?,
                None => None,
            };
            Ok(Outcome { report, ..outcome })
        };
        match Judge::of(session, pair, named) {
            Some(judge) => [version(&judge.old), version(&judge.new)],
            None => [Err(Error::Cancelled), Err(Error::Cancelled)],
        }
    };
    cases.iter().map(of_case).collect()
}

fn one(
    session: &Session<'_>,
    pair: &Pair,
    (named, outcomes): (&&Named, [Result<Outcome, Error>; 2]),
    report: &mut Report,
) -> anyhow::Result<Option<Judged>> {
    let [old, new] = outcomes;
    let (old, new) = match (old, new) {
        (Ok(old), Ok(new)) => (old, new),
        (Err(Error::Cancelled), _) | (_, Err(Error::Cancelled)) => {
            report.not_run += 1;
            return Ok(None);
        }
        (Err(error), _) | (_, Err(error)) => {
            return Err(error).with_context(|| format!("running {}", named.name));
        }
    };
    let Some(judge_of) = Judge::of(session, pair, named) else { return Ok(None) };
    let judgement = judge(old, new, |version| judge_of.again(&named.case, version))?;
    Ok(Some(Judged {
        id: named.case.id(),
        program: program_of(&named.case),
        size: named.case.input_bytes(),
        place: None,
        judgement,
    }))
}

/// Runs one case on both versions.
struct Judge<'a> {
    session: &'a Session<'a>,
    case: &'a Case,
    old: Executables<'a>,
    new: Executables<'a>,
}

/// The executables of one version.
struct Executables<'a> {
    plain: &'a Program,
    sanitized: Option<&'a Program>,
    trees: Vec<PathBuf>,
}

impl<'a> Executables<'a> {
    fn of(version: &'a Version, name: &str) -> Option<Self> {
        let sanitized = version.sanitized(name);
        let trees = version.trees();
        Some(Self { plain: version.program(name).or(sanitized)?, sanitized, trees })
    }
}

impl<'a> Judge<'a> {
    /// `None` if one of the versions has no such program.
    fn of(session: &'a Session<'a>, pair: &'a Pair, named: &'a Named) -> Option<Self> {
        let name = program_of(&named.case);
        Some(Self {
            session,
            case: &named.case,
            old: Executables::of(&pair.old, &name)?,
            new: Executables::of(&pair.new, &name)?,
        })
    }

    fn runs(&self) -> Vec<Run<'a>> {
        let runs = [&self.old, &self.new].into_iter().flat_map(|executables| {
            std::iter::once(executables.plain).chain(executables.sanitized)
        });
        runs.map(|program| Run { case: self.case, program }).collect()
    }

    fn again(&self, case: &Case, version: Which) -> Result<Outcome, Error> {
        let executables = match version {
            Which::Old => &self.old,
            Which::New => &self.new,
        };
        let run = |program| {
            let mut outcomes = self.session.pool.run(
                &[Run { case, program }],
                &self.session.limits,
                &self.session.stop,
            );
            outcomes.pop().unwrap_or(Err(Error::Cancelled))
        };
        let outcome = run(executables.plain)?;
        match executables.sanitized {
            Some(program) => {
                let report = self.session.report(run(program)?, program, &executables.trees)?;
                Ok(Outcome { report, ..outcome })
            }
            None => Ok(outcome),
        }
    }

    fn judge(&self, case: &Case) -> Result<Judgement, Error> {
        let (old, new) = (self.again(case, Which::Old)?, self.again(case, Which::New)?);
        judge(old, new, |version| self.again(case, version))
    }
}

/// The example of a cluster: its smallest case, made smaller if that was asked for.
fn example(
    session: &Session<'_>,
    pair: &Pair,
    cluster: &Cluster,
    judged: &[Judged],
) -> anyhow::Result<(Named, Judgement)> {
    let id = cluster.representative();
    let named = session.cases.iter().find(|named| named.case.id() == id);
    let named = named.context("a cluster without its case")?;
    let known = judged.iter().find(|judged| judged.id == id);
    let known = &known.context("a case without its judgement")?.judgement;
    let minimised = match (session.args.minimise, Judge::of(session, pair, named)) {
        (Some(budget), Some(judge)) if known.class != Class::Flaky => {
            let shows = |case: &Case| {
                Ok::<_, Error>(
                    signature(&judge.judge(case)?, case) == Some(&cluster.signature).cloned(),
                )
            };
            let smaller = minimise(&named.case, None, budget, shows)?;
            let judgement = judge.judge(&smaller.case)?;
            (Named { name: named.name.clone(), case: smaller.case }, judgement)
        }
        _ => (named.clone(), known.clone()),
    };
    Ok(minimised)
}

/// What one case shows.
fn signature(judgement: &Judgement, case: &Case) -> Option<umbra_replay::Signature> {
    let judged = Judged {
        id: case.id(),
        program: program_of(case),
        size: 0,
        place: None,
        judgement: judgement.clone(),
    };
    cluster(&[judged]).pop().map(|cluster| cluster.signature)
}

/// The program that a case is for: the last part of its name.
pub fn program_of(case: &Case) -> String {
    let name = case.program.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    String::from_utf8_lossy(name).into_owned()
}
