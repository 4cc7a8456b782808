//! Cases on one version: does it behave as predicted?

use umbra_case::Case;
use umbra_compare::Outcome;
use umbra_replay::{Program, Run};
use umbra_words::End;

use super::{Predicted, Prediction, Session};
use crate::Error;

/// Runs all cases on one executable. Those that cannot be run come last.
pub fn run(session: &Session<'_>, program: &Program) -> Result<Vec<Prediction>, Error> {
    let (mut all, mut impossible) = (Vec::new(), Vec::new());
    for (batch, unreadable) in session.batches() {
        impossible.extend(unreadable);
        let runs: Vec<Run<'_>> =
            batch.iter().map(|(_, named)| Run { case: &named.case, program }).collect();
        for ((_, named), outcome) in batch.iter().zip(session.native.run_all(&runs)) {
            let outcome = match outcome {
                Err(error) if error.is_of_the_case() => {
                    impossible.push((named.name.clone(), error.to_string()));
                    continue;
                }
                outcome => outcome?,
            };
            let unlike = unlike(&named.case, &outcome);
            let run = Predicted::Ended { end: outcome.end, unlike };
            all.push(Prediction { case: named.name.clone(), run });
            if all.last().is_some_and(|last| (session.ended)(last).is_break()) {
                return Ok(all);
            }
        }
    }
    for (case, reason) in impossible {
        all.push(Prediction { case, run: Predicted::Impossible(reason) });
        if all.last().is_some_and(|last| (session.ended)(last).is_break()) {
            return Ok(all);
        }
    }
    Ok(all)
}

/// What is not as the case predicts, if anything.
fn unlike(case: &Case, outcome: &Outcome) -> Option<String> {
    let expected = &case.expected;
    // An error may or may not show itself natively.
    if matches!(expected.end, Some(End::Error(_) | End::Cut { .. })) {
        return None;
    }
    if let Some(end) = &expected.end
        && *end != outcome.end
    {
        return Some(format!("not {end} as predicted"));
    }
    let streams = [
        ("output", &expected.stdout, &outcome.stdout),
        ("error output", &expected.stderr, &outcome.stderr),
    ];
    let unlike = streams.into_iter().find_map(|(name, expected, captured)| {
        let differs = expected.as_ref().is_some_and(|bytes| *bytes != captured.bytes);
        differs.then(|| format!("{name} is not as predicted"))
    });
    unlike.or_else(|| {
        let differs = expected.tree.as_ref().is_some_and(|tree| *tree != outcome.tree.listing());
        differs.then(|| "the tree left behind is not as predicted".to_owned())
    })
}
