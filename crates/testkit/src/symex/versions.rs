//! Programs with two versions of which every input is known (`tests/shadow`).
//!
//! The program is compiled natively as each of its versions, where `at(n)` in the source writes a
//! trace of the matched places to standard error (which is for nothing else). On every input the
//! engine must say what these two say: the versions part (the traces differ), leave different things
//! behind (the outputs do), or do the same. Where they part, the input must be on one pair of paths, the old version must do on
//! it what it does natively, and outputs must differ exactly where they do natively. Explored as one version alone, it must do
//! what that version does natively.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use umbra_engine::Termination;
use umbra_expr::Run;
use umbra_strategy::{PathJudgement, Unprunable};

use super::directives::Directives;
use super::enumerate::Enumerator;
use super::enumerated::{Enumerated, Share};
use super::exhaustive::compare;
use super::explore::{Exploration, Explored, Limited, Manner, Versions, explore, load};
use super::input::Input;
use super::native::is_left_out;
use super::predictions::Predictions;
use crate::filetest::process::Outcome;

const TIME: Duration = Duration::from_secs(120);

/// Where a version that runs alone is given up: the programs are small.
const ALONE: u64 = 20_000;

/// What was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Paths on which the versions do the same.
    pub same: usize,
    /// Paths on which they part, or leave different things behind.
    pub diff: usize,
    /// Inputs that were compared with the native versions.
    pub inputs: usize,
    /// Inputs on which the versions part or leave different things behind.
    pub divergent: usize,
}

/// What the versions do natively.
pub(super) struct Native {
    old: Vec<Outcome>,
    new: Vec<Outcome>,
    /// On which inputs the versions pass different places, or one of them fails.
    parts: Vec<bool>,
    /// Whether an assumption leaves out an input: one of the old version, one of the new version.
    left_out: Vec<(bool, bool)>,
}

impl Native {
    /// Runs the builds of the old and of the new version.
    pub(super) fn of(
        old: &Enumerator,
        new: &Enumerator,
        args: &[String],
        inputs: &[Input],
    ) -> anyhow::Result<Self> {
        let (mut old, mut new) = (old.run(args, inputs)?, new.run(args, inputs)?);
        let parts = old
            .iter()
            .zip(&new)
            .map(|(old, new)| old.stderr != new.stderr || old.signal() != new.signal());
        let parts = parts.collect();
        let left_out =
            old.iter().zip(&new).map(|(old, new)| (is_left_out(old), is_left_out(new))).collect();
        for outcome in old.iter_mut().chain(&mut new) {
            outcome.stderr.clear();
        }
        Ok(Self { old, new, parts, left_out })
    }

    /// Whether what can be seen of the versions is different on an input.
    fn differs(&self, at: usize) -> bool {
        let (old, new) = (&self.old[at], &self.new[at]);
        (old.status, &old.stdout) != (new.status, &new.stdout)
    }

    /// What the versions do on an input: part, differ in what they leave behind, or the same.
    pub(super) fn verdict(&self, at: usize) -> &'static str {
        match self.differs(at) {
            _ if self.parts[at] => "control",
            true => "data",
            false => "same",
        }
    }
}

/// Checks one program.
pub fn check(umbra: &Path, source: &Path, share: Share) -> anyhow::Result<Checked> {
    let program = Enumerated::compile(umbra, source, &[])?;
    let Enumerated { directives, domain, bitcode, .. } = &program;
    let (world, loaded) = (program.world()?, load(umbra, bitcode)?);
    let explore_in = |manner: Manner, versions, prune| {
        let limited = Limited { versions, alone: ALONE, path: None, prune };
        explore(Arc::clone(&loaded), &world, TIME, &manner, limited)
    };
    let explore = |versions, prune| explore_in(Manner::default(), versions, prune);
    let both = explore(Versions::Both, false)?;
    ensure_complete(&both, directives.unlike_native)?;
    check_marks(&both, directives)?;
    let (same, diff) = counts(&both);
    check_pruned(explore(Versions::Both, true), (same, diff), directives).context("pruned")?;
    let in_turns = explore_in(Manner::number(1), Versions::Both, false)?;
    ensure_complete(&in_turns, directives.unlike_native).context("two workers")?;
    ensure!(counts(&in_turns) == (same, diff), "two workers: {:?}", counts(&in_turns));
    if let Some(expected) = directives.paths {
        ensure!(diff as u64 == expected, "{diff} diff paths, not {expected}");
    }
    if let Some(expected) = directives.undone {
        let undone = both.undone_calls;
        ensure!(undone == expected, "{undone} system calls were undone, not {expected}");
    }
    if let Some(expected) = directives.partings {
        let partings = both.statistics.lockstep.partings;
        ensure!(partings == expected, "the versions ran alone {partings} times, not {expected}");
    }
    if let Some(expected) = directives.settled {
        let settled = both.statistics.lockstep.settled;
        ensure!(settled == expected, "{settled} pairs were dropped, not {expected}");
    }
    if directives.unlike_native {
        return Ok(Checked { same, diff, inputs: 0, divergent: 0 });
    }
    let (old, new) = (explore(Versions::Old, false)?, explore(Versions::New, false)?);
    let inputs = share.inputs(domain);
    let build = |version| Enumerator::with_flags(umbra, source, &program.name, version);
    let old_build = build(&["-DUMBRA_OLD", "-DTRACE"])?;
    let new_build = build(&["-DUMBRA_NEW", "-DTRACE"])?;
    let native = Native::of(&old_build, &new_build, &directives.args, &inputs)?;
    check_alone(&old, &inputs, &native.old).context("the old version alone")?;
    check_alone(&new, &inputs, &native.new).context("the new version alone")?;
    let divergent = check_both(&both, &inputs, &native)?;
    check_both(&in_turns, &inputs, &native).context("two workers")?;
    Ok(Checked { same, diff, inputs: inputs.len(), divergent })
}

/// Paths on which the versions do the same, and on which they do not.
fn counts(exploration: &Exploration) -> (usize, usize) {
    let same = |path: &&Explored| path.judgement == PathJudgement::Same;
    let diff = |path: &&Explored| is_diff(path);
    let paths = &exploration.paths;
    (paths.iter().filter(same).count(), paths.iter().filter(diff).count())
}

/// A pruned search finds the same divergences, on as many paths, and follows no more of the others.
fn check_pruned(
    explored: anyhow::Result<Exploration>,
    (same, diff): (usize, usize),
    directives: &Directives,
) -> anyhow::Result<()> {
    let pruned = match explored {
        // It may be that nothing can be pruned, and then that is said.
        Err(error) if error.is::<Unprunable>() && directives.pruned.is_none() => return Ok(()),
        explored => explored?,
    };
    ensure_complete(&pruned, directives.unlike_native)?;
    check_marks(&pruned, directives)?;
    let (same_left, diff_left) = counts(&pruned);
    ensure!(diff_left == diff, "{diff_left} diff paths, not {diff}");
    ensure!(same_left <= same, "{same_left} paths where {same} were to be pruned");
    let settled = pruned.statistics.pruned;
    ensure!(same_left == same || settled > 0, "{same_left} of {same} paths, but none was pruned");
    if let Some(expected) = directives.pruned {
        ensure!(same_left as u64 == expected, "{same_left} of {same} paths left, not {expected}");
    }
    Ok(())
}

pub(super) fn is_diff(path: &Explored) -> bool {
    matches!(path.judgement, PathJudgement::Parted | PathJudgement::Differs(_))
}

fn ensure_complete(exploration: &Exploration, cut: bool) -> anyhow::Result<()> {
    ensure!(exploration.stopped.is_none(), "stopped: {:?}", exploration.stopped);
    let statistics = &exploration.statistics;
    ensure!(statistics.unknown.is_empty(), "unknown: {:?}", statistics.unknown);
    ensure!(statistics.open_pairs.is_empty(), "open: {:?}", statistics.open_pairs);
    for path in exploration.paths.iter().flat_map(|path| [path].into_iter().chain(&path.pairs)) {
        let termination = &path.termination;
        let ended = match termination {
            Termination::Exited(_)
            | Termination::Killed(_)
            | Termination::Excluded
            | Termination::Error(_) => true,
            Termination::Limit("alone") => cut,
            _ => false,
        };
        ensure!(ended, "a path ended by {termination:?} on {:?}", Input::of_case(&path.case));
        let known = !matches!(path.judgement, PathJudgement::Unknown(_));
        ensure!(known, "{:?} on {:?}", path.judgement, Input::of_case(&path.case));
    }
    Ok(())
}

/// Each mark is a divergence, and each divergence has a mark: `control` at the branch, `data` at the
/// change that it comes from.
fn check_marks(exploration: &Exploration, directives: &Directives) -> anyhow::Result<()> {
    let mut found = BTreeSet::new();
    for path in &exploration.paths {
        let place = |places: &[umbra_engine::Place]| {
            let own = places.iter().find(|place| !place.file.starts_with("musl"));
            own.or(places.first()).map_or(0, |place| place.line)
        };
        match &path.judgement {
            PathJudgement::Parted => {
                let line = path.divergence.as_ref().map_or(0, |found| place(&found.stack));
                found.insert((line, "control".to_owned()));
            }
            PathJudgement::Differs(_) => {
                found.insert((place(&path.changes), "data".to_owned()));
            }
            _ => {}
        }
    }
    let marks: BTreeSet<(u32, String)> =
        directives.marks.iter().map(|mark| (mark.line, mark.kind.clone())).collect();
    let missing: Vec<_> = marks.difference(&found).collect();
    let spurious: Vec<_> = found.difference(&marks).collect();
    ensure!(missing.is_empty(), "not found: {missing:?} (but {spurious:?})");
    ensure!(spurious.is_empty(), "found without a mark: {spurious:?}");
    Ok(())
}

/// On each input, the only path that it is on predicts what the version does.
fn check_alone(
    exploration: &Exploration,
    inputs: &[Input],
    outcomes: &[Outcome],
) -> anyhow::Result<()> {
    ensure_complete(exploration, false)?;
    let first = inputs.first().context("there is an input")?;
    let mut predictions = Predictions::of(exploration, first);
    for (input, outcome) in inputs.iter().zip(outcomes) {
        predictions.on(input, |_, path, run| {
            compare(path, run, outcome).with_context(|| format!("{input:?}"))
        })?;
    }
    Ok(())
}

/// What a path says of an input that is on it.
fn prediction(path: &Explored, run: &mut Run<'_>) -> &'static str {
    match &path.judgement {
        PathJudgement::Parted => "control",
        PathJudgement::Differs(found) => match found.shown_by(|condition| run.is_true(condition)) {
            Some(_) => "data",
            None => "same",
        },
        _ => "same",
    }
}

/// What the paths say of an input, and what the versions do on it natively.
pub(super) struct Said {
    /// The path.
    pub path: usize,
    pub predicted: &'static str,
    pub actual: &'static str,
}

impl Said {
    /// It is the same.
    pub(super) fn ensure_true(&self, input: &Input) -> anyhow::Result<()> {
        let Self { predicted, actual, .. } = self;
        ensure!(predicted == actual, "{predicted} is predicted on {input:?}, it is {actual}");
        Ok(())
    }
}

/// Checks on all inputs what is said of each version, and lets what is said of both be judged. Of an input that
/// an assumption leaves out nothing is said.
pub(super) fn check_inputs(
    exploration: &Exploration,
    inputs: &[Input],
    native: &Native,
    mut judge: impl FnMut(&Input, Said) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let first = inputs.first().context("there is an input")?;
    let mut predictions = Predictions::of(exploration, first);
    for (at, input) in inputs.iter().enumerate() {
        let (old, new) = native.left_out[at];
        if old || new {
            let path = predictions.path_of(input)?.map(|number| &exploration.paths[number]);
            let is_excluded = path.is_none_or(|path| path.termination == Termination::Excluded);
            ensure!(is_excluded || !new, "natively the new version leaves out {input:?}");
            continue;
        }
        let (path, predicted) = check_versions(&mut predictions, input, (native, at))?;
        judge(input, Said { path, predicted, actual: native.verdict(at) })?;
    }
    Ok(())
}

/// Returns how many inputs are divergent.
fn check_both(
    exploration: &Exploration,
    inputs: &[Input],
    native: &Native,
) -> anyhow::Result<usize> {
    let mut divergent = 0;
    check_inputs(exploration, inputs, native, |input, said| {
        divergent += usize::from(said.actual != "same");
        said.ensure_true(input)
    })?;
    Ok(divergent)
}

/// On an input, what its path says of each version that it followed to the end is what that version
/// does natively. Returns its number and what it says of both.
fn check_versions(
    predictions: &mut Predictions<'_>,
    input: &Input,
    (native, at): (&Native, usize),
) -> anyhow::Result<(usize, &'static str)> {
    let (number, predicted, path) = predictions.on(input, |number, path, run| {
        compare(path, run, &native.new[at])
            .with_context(|| format!("the new version on {input:?}"))?;
        Ok((number, prediction(path, run), path))
    })?;
    if predicted == "control" {
        // The path is the new version's, and one of its pairs that of the old one.
        check_pair(predictions, path, input, (native, at))
            .with_context(|| format!("behind the split on {input:?}"))?;
    } else if let Some(old) = &path.old {
        predictions
            .in_old(input, |run| compare(old, run, &native.old[at]))
            .with_context(|| format!("the old version on {input:?}"))?;
    }
    Ok((number, predicted))
}

/// On an input of a path on which the versions parted: it is on one of the path's pairs, the old version does
/// there what it does natively, and what is said of outputs is what they are.
fn check_pair(
    predictions: &mut Predictions<'_>,
    path: &Explored,
    input: &Input,
    (native, at): (&Native, usize),
) -> anyhow::Result<()> {
    let (pair, differs) = predictions.values(input, |run| {
        let mut holds = |pair: &&Explored| pair.constraints.iter().all(|&term| run.is_true(term));
        let found: Vec<&Explored> = path.pairs.iter().filter(|pair| holds(pair)).collect();
        let [pair] = found.as_slice() else {
            bail!("the input is on {} of {} pairs", found.len(), path.pairs.len());
        };
        let differs = match &pair.judgement {
            PathJudgement::Same => false,
            PathJudgement::Differs(found) => {
                found.shown_by(|condition| run.is_true(condition)).is_some()
            }
            other => bail!("the pair is judged {other:?}"),
        };
        Ok((*pair, differs))
    })?;
    predictions.in_old(input, |run| compare(pair, run, &native.old[at])).context("the old one")?;
    let actual = native.differs(at);
    ensure!(differs == actual, "outputs differ: {differs} is predicted, it is {actual}");
    if let (true, PathJudgement::Differs(found)) = (differs, &pair.judgement) {
        let (old, new) = (native.old[at].signal().is_some(), native.new[at].signal().is_some());
        let actual = match (old, new) {
            (false, true) => "regression",
            (true, false) => "fix",
            _ => "output-difference",
        };
        let predicted = found.class.name();
        ensure!(predicted == actual, "{predicted} is predicted, it is {actual}");
    }
    Ok(())
}
