//! Programs of which every input is known: the paths must divide them, and what is predicted for a
//! path must be what the program does natively on each of its inputs.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, ensure};
use umbra_engine::Termination;
use umbra_expr::{ArrayId, Assignment, Evaluator, ExprId, Run};

use super::command::compile;
use super::directives::Directives;
use super::domain::ensure_small;
use super::enumerate::Enumerator;
use super::explore::{Exploration, Explored, explore, world};
use super::input::Input;
use crate::filetest::process::Outcome;

/// How long one program may be explored; most take less than a second.
const TIME: Duration = Duration::from_secs(120);

/// The runtime's exit status for an input that an assumption leaves out.
const ASSUMED_AWAY: i32 = 99;

/// Which inputs are run natively; the paths divide all of them in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// About this many, spread over all.
    About(u64),
    /// Every one.
    All,
}

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
    let directives = Directives::parse(&fs::read_to_string(source)?)?;
    let domain = directives.domain.as_ref().context("there is no domain")?;
    ensure_small(domain)?;
    let name = source.file_stem().context("a source has a name")?.to_string_lossy();
    let folder = tempfile::tempdir()?;
    compile(umbra, source, folder.path())?;
    let bitcode = folder.path().join(format!("{name}.bc"));
    let world = world(&directives, &name)?;
    let exploration = explore(umbra, &bitcode, &world, TIME)?;
    ensure_complete(&exploration)?;
    let names = Names::of(&exploration, &domain.get(0));
    let tree = Tree::of(&exploration.paths);

    let step = match share {
        Share::All => 1,
        // An odd step meets all values of every byte.
        Share::About(count) => (domain.len() / count.max(1)).max(1) | 1,
    };
    let chosen = |index: u64| index.is_multiple_of(step) || index + 1 == domain.len();
    let mut inputs: Vec<Input> =
        (0..domain.len()).filter(|index| chosen(*index)).map(|index| domain.get(index)).collect();
    let sampled = inputs.len();
    inputs.extend(exploration.paths.iter().map(|path| Input::of_case(&path.case)));
    let outcomes = Enumerator::new(umbra, source, &name)?.run(&directives.args, &inputs)?;
    let (outcomes, replays) = outcomes.split_at(sampled);

    let mut evaluator = Evaluator::new();
    let mut outcomes = outcomes.iter();
    for index in 0..domain.len() {
        let input = domain.get(index);
        let assignment = names.assignment(&input);
        let mut run = evaluator.run(&exploration.expressions, &assignment);
        let found = tree.find(&mut run);
        let [number] = found.as_slice() else {
            let paths: Vec<_> = found.iter().map(|&at| describe(&exploration, at)).collect();
            anyhow::bail!("{input:?} is on {} paths: {paths:#?}", found.len());
        };
        if chosen(index) {
            let outcome = outcomes.next().context("an outcome is missing")?;
            compare(&exploration.paths[*number], &mut run, outcome)
                .with_context(|| format!("{input:?} on path {number}"))?;
        }
    }
    for (number, (path, outcome)) in exploration.paths.iter().zip(replays).enumerate() {
        let input = Input::of_case(&path.case);
        let assignment = names.assignment(&input);
        let mut run = evaluator.run(&exploration.expressions, &assignment);
        let found = tree.find(&mut run);
        ensure!(found == [number], "the test {input:?} of path {number} is on {found:?}");
        compare(path, &mut run, outcome).with_context(|| format!("the test {input:?}"))?;
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

fn describe(exploration: &Exploration, number: usize) -> String {
    let path = &exploration.paths[number];
    format!("path {number}, as {:?}: {:?}", Input::of_case(&path.case), path.termination)
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

/// The arrays of all inputs.
pub(super) struct Names {
    /// Of what comes from outside, by name.
    outside: BTreeMap<String, ArrayId>,
    /// Of the objects that programs ask for: by name and how many of this name came before.
    objects: BTreeMap<(String, usize), ArrayId>,
}

impl Names {
    pub(super) fn of(exploration: &Exploration, first: &Input) -> Self {
        let mut objects = BTreeMap::new();
        for path in &exploration.paths {
            let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
            for input in &path.inputs {
                let count = seen.entry(&input.name).or_default();
                objects.insert((input.name.to_string(), *count), input.array);
                *count += 1;
            }
        }
        // The first input has one of each; what nobody looked at has no array.
        let sources = sources(first);
        let outside = sources.into_iter().filter_map(|(name, _)| {
            let array = exploration.expressions.find_input(&name)?;
            Some((name, array))
        });
        Self { outside: outside.collect(), objects }
    }

    pub(super) fn assignment(&self, input: &Input) -> Assignment {
        let mut assignment = Assignment::new();
        for (name, bytes) in sources(input) {
            if let Some(&array) = self.outside.get(&name) {
                assignment.set_bytes(array, bytes);
            }
        }
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for (name, bytes) in &input.objects {
            let count = seen.entry(name).or_default();
            if let Some(&array) = self.objects.get(&(name.clone(), *count)) {
                assignment.set_bytes(array, bytes);
            }
            *count += 1;
        }
        assignment
    }
}

/// What comes from outside, with the names that the engine gives it.
fn sources(input: &Input) -> Vec<(String, &[u8])> {
    let args = (1..).zip(&input.args).map(|(at, bytes)| (format!("arg{at}"), bytes.as_slice()));
    let files = input.files.iter().map(|(name, bytes)| (name.clone(), bytes.as_slice()));
    let stdin = ("stdin".to_owned(), input.stdin.as_slice());
    args.chain(files).chain([stdin]).collect()
}

/// All path conditions, their common beginnings once.
#[derive(Default)]
pub(super) struct Tree {
    children: BTreeMap<ExprId, Tree>,
    ends: Vec<usize>,
}

impl Tree {
    pub(super) fn of(paths: &[Explored]) -> Self {
        let mut root = Self::default();
        for (number, path) in paths.iter().enumerate() {
            let mut node = &mut root;
            for constraint in &path.constraints {
                node = node.children.entry(*constraint).or_default();
            }
            node.ends.push(number);
        }
        root
    }

    /// The paths whose conditions all hold.
    pub(super) fn find(&self, run: &mut Run<'_>) -> Vec<usize> {
        let mut found = Vec::new();
        let mut nodes = vec![self];
        while let Some(node) = nodes.pop() {
            found.extend(&node.ends);
            for (&condition, child) in &node.children {
                if run.is_true(condition) {
                    nodes.push(child);
                }
            }
        }
        found.sort_unstable();
        found
    }
}
