//! Cases on one version: does it behave as predicted?

use std::process::ExitCode;

use umbra_case::Case;
use umbra_compare::Outcome;
use umbra_replay::{Program, Run};
use umbra_report::{PredictionLine, PredictionReport};
use umbra_text::Show;
use umbra_words::End;

use super::show::memory_text;
use super::{Impossible, Session, exit_status};
use crate::out::{self, say};

/// Runs all cases on one executable.
pub fn run(session: &Session<'_>, program: &Program) -> anyhow::Result<ExitCode> {
    let (mut otherwise, mut lines) = (0_u64, Vec::new());
    let mut impossible = Vec::new();
    for (batch, unreadable) in session.batches() {
        impossible.extend(unreadable);
        let runs: Vec<Run<'_>> =
            batch.iter().map(|(_, named)| Run { case: &named.case, program }).collect();
        for ((_, named), outcome) in batch.iter().zip(session.native.run_all(&runs)) {
            let outcome = match outcome {
                Err(error) if error.is_of_the_case() => {
                    impossible.push(Impossible::new(&named.name, &error.into()));
                    continue;
                }
                outcome => outcome?,
            };
            let problem = unlike(&named.case, &outcome);
            otherwise += u64::from(problem.is_some());
            if !session.args.json {
                let note = problem.as_ref().map_or(String::new(), |text| format!(", {text}"));
                say!("{}: {}{note}", named.name.shown(), outcome.end)?;
            }
            lines.push(PredictionLine {
                case: named.name.clone(),
                end: Some(outcome.end.to_string()),
                as_predicted: Some(problem.is_none()),
                impossible: None,
            });
        }
    }
    for Impossible { case, reason } in &impossible {
        if !session.args.json {
            say!("{}: cannot be run: {}", case.shown(), reason.shown())?;
        }
        let (case, impossible) = (case.clone(), Some(reason.clone()));
        lines.push(PredictionLine { case, impossible, ..PredictionLine::default() });
    }
    let exit = exit_status(otherwise > 0, impossible.len());
    if session.args.json {
        let report = PredictionReport {
            exit,
            wall_s: session.start.elapsed().as_secs_f64(),
            cases: session.cases.len(),
            unlike_prediction: otherwise,
            impossible: impossible.len(),
            memory_limit: session.memory_limit(),
            runs: lines,
        };
        out::json_line(&report.to_json())?;
    } else {
        say!("{}", memory_text(session))?;
    }
    Ok(ExitCode::from(exit))
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
