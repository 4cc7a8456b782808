//! Cases on two versions: what differs, and what of it is worth looking at?

use std::collections::BTreeMap;
use std::path::Path;

use umbra_case::Case;
use umbra_compare::{Cluster, Explanation, Judged, Judgement, Signature, cluster, minimise};
use umbra_words::Class;

use super::cost::{Cost, Costs};
use super::versions::Pair;
use super::{CaseCluster, Comparison, Session};
use crate::Error;
use crate::cases::{Named, program_of};
use crate::finding;
use crate::native::{Trial, difference_line};
use crate::places::Places;

/// Runs all cases on both versions of a pair. The example of each cluster is added to `examples`; `seen` is told now and then
/// how many cases came to what. Also: what the runs cost.
pub fn run(
    session: &Session<'_>,
    pair: &Pair,
    examples: &mut Vec<Case>,
    seen: &mut dyn FnMut(&Comparison),
) -> Result<(Comparison, Vec<Cost>), Error> {
    let mut comparison = Comparison { version: pair.name.clone(), ..Comparison::default() };
    let (mut judged, mut found) = (Vec::new(), BTreeMap::new());
    let mut places = Places::new(pair);
    let mut costs = Costs::default();
    for (batch, unreadable) in session.batches() {
        comparison.impossible.extend(unreadable);
        found.extend(batch.iter().map(|(place, named)| (named.case.id(), *place)));
        let possible: Vec<(&Named, Trial<'_>)> =
            batch.iter().filter_map(|(_, named)| Some((named, trial(pair, named)?))).collect();
        comparison.without_program += batch.len() - possible.len();
        let (named, trials): (Vec<&Named>, Vec<Trial<'_>>) = possible.into_iter().unzip();
        for (named, judgement) in named.into_iter().zip(session.native.judge_all(&trials)) {
            match judgement {
                Ok(judgement) => {
                    let case = &named.case;
                    places.add(case.id(), &program_of(case), &judgement);
                    costs.add(&named.name, &judgement);
                    *comparison.classes.entry(judgement.class).or_default() += 1;
                    // Most cases of a suite are, and what they did takes gigabytes.
                    if judgement.class != Class::Same {
                        judged.push(of_case(case, judgement));
                    }
                }
                Err(umbra_replay::Error::Cancelled) => comparison.not_run += 1,
                Err(error) if error.is_of_the_case() => {
                    comparison.impossible.push((named.name.clone(), error.to_string()));
                }
                Err(source) => {
                    return Err(Error::Run { case: named.name.clone(), source: Box::new(source) });
                }
            }
        }
        seen(&comparison);
    }
    let causes = places.explain();
    for case in &mut judged {
        case.cause = causes.get(&case.id).cloned().unwrap_or_default();
    }
    for cluster in cluster(&judged) {
        let id = cluster.representative();
        let known = judged.iter().find(|judged| judged.id == id);
        let (Some(known), Some(place)) = (known, found.get(&id)) else { continue };
        let example = Example { cluster: &cluster, named: place.read()?, known: &known.judgement };
        let (named, judgement) = example.make_smaller(session, pair, &places)?;
        comparison.clusters.push(shown(pair, &cluster, &named, &judgement));
        examples.push(named.case);
    }
    comparison.changed_lines = places.changed_lines();
    comparison.lines = places.runs();
    comparison.programs = places.counts();
    comparison.without_places = places.problems();
    Ok((comparison, costs.close()))
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

/// The example of a cluster: its smallest case.
struct Example<'a> {
    cluster: &'a Cluster,
    named: Named,
    /// What it came to.
    known: &'a Judgement,
}

impl Example<'_> {
    /// The same, made smaller if that was asked for.
    fn make_smaller(
        self,
        session: &Session<'_>,
        pair: &Pair,
        places: &Places<'_>,
    ) -> Result<(Named, Judgement), Error> {
        let Self { cluster, named, known } = self;
        let (Some(budget), Some(trial)) = (session.minimise, trial(pair, &named)) else {
            return Ok((named, known.clone()));
        };
        if known.class == Class::Flaky {
            return Ok((named, known.clone()));
        }
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
            Ok::<_, umbra_replay::Error>(signature(judged).as_ref() == Some(&cluster.signature))
        };
        let smaller = minimise(&named.case, None, budget, shows)?;
        let judgement = judge(&smaller.case)?;
        Ok((Named { name: named.name.clone(), case: smaller.case }, judgement))
    }
}

/// What one case shows.
fn signature(judged: Judged) -> Option<Signature> {
    cluster(&[judged]).pop().map(|cluster| cluster.signature)
}

/// A cluster as a result has it.
fn shown(pair: &Pair, cluster: &Cluster, example: &Named, judgement: &Judgement) -> CaseCluster {
    let signature = &cluster.signature;
    let Signature { program, class, .. } = signature;
    let mut finding = finding::finding(program, *class, &example.case, judgement, None);
    finding.confirmed = true;
    finding.case.clone_from(&example.name);
    finding.cases = cluster.cases.len() as u64;
    if let Explanation::Line(line) = &signature.cause {
        let (place, version) = (&line.target.place, line.target.version);
        let text =
            pair.patch.as_ref().and_then(|patch| patch.file(version, Path::new(&place.file)).ok());
        let text = text.flatten().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        finding.excerpt = text.and_then(|text| finding::excerpt(&text, place, version));
        (finding.place, finding.version) = (Some(place.clone()), version);
    }
    let (line, changed_line_ran) = match &signature.cause {
        Explanation::Line(line) => (Some(line.clone()), Some(true)),
        Explanation::NoChangedLine => (None, Some(false)),
        Explanation::Unknown => (None, None),
    };
    CaseCluster {
        class: signature.class,
        program: signature.program.clone(),
        error: signature.place.clone(),
        line,
        changed_line_ran,
        stack: signature.stack.clone(),
        cases: cluster.cases.iter().map(ToString::to_string).collect(),
        example: example.name.clone(),
        differences: judgement.differences.iter().map(difference_line).collect(),
        finding,
    }
}
