//! Programs of which every input is known: the paths must divide them, and what is predicted for a
//! path must be what the program does natively on each of its inputs.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, ensure};
use umbra_engine::Termination;
use umbra_expr::Run;

use super::enumerate::Enumerator;
use super::enumerated::{Enumerated, Share};
use super::explore::{Exploration, Explored, explore};
use super::input::Input;
use super::predictions::Predictions;
use crate::filetest::process::Outcome;

/// How long one program may be explored; most take less than a second.
const TIME: Duration = Duration::from_secs(120);

/// The runtime's exit status for an input that an assumption leaves out.
const ASSUMED_AWAY: i32 = 99;

/// What was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Paths that ended.
    pub paths: usize,
    /// Inputs that were found on exactly one of them.
    pub inputs: u64,
    /// Inputs of them that ran natively.
    pub native: usize,
}

/// Checks one program.
pub fn check(umbra: &Path, source: &Path, share: Share) -> anyhow::Result<Checked> {
    let program = Enumerated::compile(umbra, source, &[])?;
    let Enumerated { directives, domain, name, bitcode, .. } = &program;
    let exploration = explore(umbra, bitcode, &program.world()?, TIME)?;
    ensure_complete(&exploration)?;
    let mut predictions = Predictions::of(&exploration, &domain.get(0));
    let step = share.step(domain);
    let chosen = |index: u64| index.is_multiple_of(step) || index + 1 == domain.len();
    let mut inputs: Vec<Input> =
        (0..domain.len()).filter(|index| chosen(*index)).map(|index| domain.get(index)).collect();
    let sampled = inputs.len();
    inputs.extend(exploration.paths.iter().map(|path| Input::of_case(&path.case)));
    let outcomes = Enumerator::new(umbra, source, name)?.run(&directives.args, &inputs)?;
    let (outcomes, replays) = outcomes.split_at(sampled);

    let mut outcomes = outcomes.iter();
    for index in 0..domain.len() {
        let input = domain.get(index);
        let outcome = match chosen(index) {
            true => Some(outcomes.next().context("an outcome is missing")?),
            false => None,
        };
        predictions.on(&input, |number, path, run| match outcome {
            Some(outcome) => {
                compare(path, run, outcome).with_context(|| format!("{input:?} on path {number}"))
            }
            None => Ok(()),
        })?;
    }
    for (number, (path, outcome)) in exploration.paths.iter().zip(replays).enumerate() {
        let input = Input::of_case(&path.case);
        predictions.on(&input, |found, path, run| {
            ensure!(found == number, "the test {input:?} of path {number} is on {found}");
            compare(path, run, outcome).with_context(|| format!("the test {input:?}"))
        })?;
        let expected = &path.case.expected;
        let streams = (expected.stdout.as_deref(), expected.stderr.as_deref());
        ensure!(
            path.termination == Termination::Excluded
                || streams == (Some(&outcome.stdout), Some(&outcome.stderr)),
            "the test {input:?} predicts {expected:?}, natively it is {outcome:?}"
        );
    }
    Ok(Checked { paths: exploration.paths.len(), inputs: domain.len(), native: inputs.len() })
}

/// Nothing was left out, cut or given up.
fn ensure_complete(exploration: &Exploration) -> anyhow::Result<()> {
    ensure!(exploration.stopped.is_none(), "stopped: {:?}", exploration.stopped);
    let statistics = &exploration.statistics;
    ensure!(statistics.unknown.is_empty(), "unknown: {:?}", statistics.unknown);
    ensure!(statistics.dropped.is_empty(), "dropped: {:?}", statistics.dropped);
    for path in &exploration.paths {
        let termination = &path.termination;
        let ended = matches!(
            termination,
            Termination::Exited(_) | Termination::Killed(_) | Termination::Excluded
        );
        ensure!(ended, "a path ended by {termination:?} on {:?}", Input::of_case(&path.case));
    }
    Ok(())
}

/// What the program does on an input against what its path predicts for it.
pub(super) fn compare(path: &Explored, run: &mut Run<'_>, outcome: &Outcome) -> anyhow::Result<()> {
    let status = outcome.status.context("it did not end")?;
    match path.termination {
        Termination::Exited(number) => {
            let predicted = path.status.map_or(number, |value| run.value_u64(value) as i32);
            ensure!(
                status.code() == Some(predicted),
                "status {predicted} is predicted, natively it is {status}"
            );
        }
        Termination::Killed(predicted) => ensure!(
            outcome.signal() == Some(predicted),
            "signal {predicted} is predicted, natively it is {status}"
        ),
        // What an error comes to natively depends on its kind; that it is no normal end does not.
        Termination::Error(_) => {
            ensure!(outcome.signal().is_some(), "an error is predicted, natively it is {status}");
        }
        _ => {
            let code = status.code();
            ensure!(code == Some(ASSUMED_AWAY), "natively it is not left out: {status}");
            return Ok(());
        }
    }
    for (stream, native) in [(1, &outcome.stdout), (2, &outcome.stderr)] {
        let written = path.output.iter().filter(|(sink, _)| (*sink == 1) == (stream == 1));
        let predicted: Vec<u8> = written
            .flat_map(|(_, bytes)| bytes.values(|value| run.value_u64(value) as u8))
            .collect();
        ensure!(
            predicted == *native,
            "stream {stream}: {:?} is predicted, natively it is {:?}",
            String::from_utf8_lossy(&predicted),
            String::from_utf8_lossy(native)
        );
    }
    Ok(())
}
