//! Cases on two versions: what differs, and what of it is worth looking at?

use std::collections::BTreeMap;
use std::process::ExitCode;

use anyhow::Context;
use umbra_case::Case;
use umbra_compare::{Cluster, Explanation, Judged, Judgement, Signature, cluster, minimise};
use umbra_jobs::{Named, Places, Trial, program_of};
use umbra_replay::Error;
use umbra_text::Show;
use umbra_words::Class;

use super::show::{Report, show};
use super::versions::Pair;
use super::{Impossible, Session};

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
    let (mut judged, mut found) = (Vec::new(), BTreeMap::new());
    let mut places = Places::new(pair);
    for (batch, unreadable) in session.batches() {
        report.impossible.extend(unreadable);
        found.extend(batch.iter().map(|(place, named)| (named.case.id(), *place)));
        let possible: Vec<(&Named, Trial<'_>)> =
            batch.iter().filter_map(|(_, named)| Some((named, trial(pair, named)?))).collect();
        report.without_program += batch.len() - possible.len();
        let (named, trials): (Vec<&Named>, Vec<Trial<'_>>) = possible.into_iter().unzip();
        for (named, judgement) in named.into_iter().zip(session.native.judge_all(&trials)) {
            match judgement {
                Ok(judgement) => {
                    let case = &named.case;
                    places.add(case.id(), &program_of(case), &judgement);
                    *report.classes.entry(judgement.class).or_default() += 1;
                    // Most cases of a suite are, and what they did takes gigabytes.
                    if judgement.class != Class::Same {
                        judged.push(of_case(case, judgement));
                    }
                }
                Err(Error::Cancelled) => report.not_run += 1,
                Err(error) if error.is_of_the_case() => {
                    report.impossible.push(Impossible::new(&named.name, &error.into()));
                }
                Err(error) => {
                    return Err(error).with_context(|| format!("running {}", named.name.shown()));
                }
            }
        }
    }
    let causes = places.explain();
    for case in &mut judged {
        case.cause = causes.get(&case.id).cloned().unwrap_or_default();
    }
    report.clusters = cluster(&judged);
    for cluster in &report.clusters {
        let place = found.get(&cluster.representative()).context("a cluster without its case")?;
        report.examples.push(example(session, pair, cluster, place.read()?, (&judged, &places))?);
    }
    report.without_places = places.problems();
    Ok(report)
}

/// A case with the executables of both versions; `None` if one of them has no such program.
fn trial<'a>(pair: &'a Pair, named: &'a Named) -> Option<Trial<'a>> {
    let name = program_of(&named.case);
    let (old, new) = (pair.old.executables(&name)?, pair.new.executables(&name)?);
    Some(Trial { case: &named.case, old, new })
}

fn of_case(case: &Case, judgement: Judgement) -> Judged {
    let (id, program, size) = (case.id(), program_of(case), case.input_bytes());
    Judged { id, program, size, cause: Explanation::Unknown, judgement }
}

/// The example of a cluster: its smallest case, made smaller if that was asked for.
fn example(
    session: &Session<'_>,
    pair: &Pair,
    cluster: &Cluster,
    named: Named,
    (judged, places): (&[Judged], &Places<'_>),
) -> anyhow::Result<(Named, Judgement)> {
    let id = cluster.representative();
    let known = judged.iter().find(|judged| judged.id == id);
    let known = &known.context("a case without its judgement")?.judgement;
    let minimised = match (session.args.minimise, trial(pair, &named)) {
        (Some(budget), Some(trial)) if known.class != Class::Flaky => {
            let judge = |case: &Case| session.native.judge(&trial, case);
            let shows = |case: &Case| {
                let judgement = match judge(case) {
                    // A smaller one that cannot be run shows nothing.
                    Err(error) if error.is_of_the_case() => return Ok(false),
                    judgement => judgement?,
                };
                let mut judged = of_case(case, judgement);
                let cause = &cluster.signature.cause;
                judged.cause = places.same_cause(&judged.program, &judged.judgement, cause);
                Ok::<_, Error>(signature(judged).as_ref() == Some(&cluster.signature))
            };
            let smaller = minimise(&named.case, None, budget, shows)?;
            let judgement = judge(&smaller.case)?;
            (Named { name: named.name.clone(), case: smaller.case }, judgement)
        }
        _ => (named, known.clone()),
    };
    Ok(minimised)
}

/// What one case shows.
fn signature(judged: Judged) -> Option<Signature> {
    cluster(&[judged]).pop().map(|cluster| cluster.signature)
}
