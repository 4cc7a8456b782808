//! Programs of which every input is known: the paths must divide them, and what is predicted for a
//! path must be what the program does natively on each of its inputs.
//!
//! Errors are outcomes like others. Where an error is predicted, the build with sanitizers must
//! report one of that kind in that line, and where it reports one, an error must be predicted.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use umbra_engine::Termination;
use umbra_expr::Run;
use umbra_ir::Program;
use umbra_strategy::World;
use umbra_words::End;

use super::domain::Domain;
use super::enumerated::{Enumerated, Share};
use super::explore::{Exploration, Explored, Limited, Manner, explore, load};
use super::input::Input;
use super::native::{Sanitizer, check_error, is_left_out};
use super::observed::{Fresh, Native, Natives, Observed};
use super::predictions::Predictions;
use super::replay::finding;
use super::sanitized::is_error;
use crate::filetest::directives::Finding;
use crate::filetest::process::Outcome;

/// How long one program may be explored; most take less than a second, but the machine may be busy.
const TIME: Duration = Duration::from_secs(600);

/// How much of a program is checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Inputs that run natively.
    pub plain: Share,
    /// Inputs that run with sanitizers.
    pub checked: Share,
    /// Of the inputs on which an error is predicted, so many run with sanitizers as well, and of each
    /// path one.
    pub errors: usize,
    /// The manners in which it is explored.
    pub manners: Vec<Manner>,
}

/// What was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Paths that ended.
    pub paths: usize,
    /// Those of them that ended in an error.
    pub errors: usize,
    /// Inputs that were found on exactly one of them.
    pub inputs: u64,
}

/// A program and all that it is started with.
pub struct Subject {
    /// The program.
    pub program: Arc<Program>,
    /// What it starts from.
    pub world: World,
    /// All its inputs.
    pub domain: Domain,
    /// The file name of its source.
    pub file: String,
    /// How long it may be explored.
    pub time: Duration,
}

/// Checks one program of the corpus.
pub fn check(
    umbra: &Path,
    sanitizer: &Sanitizer,
    source: &Path,
    effort: &Effort,
) -> anyhow::Result<Checked> {
    let program = Enumerated::compile(umbra, source, &[])?;
    let Enumerated { directives, domain, name, bitcode, .. } = &program;
    let mut natives = Natives::of(umbra, sanitizer, source, name)?;
    if directives.fresh_process {
        natives.fresh = Some(Fresh::of(umbra, source)?);
    }
    let mut observed = Observed::new(&natives, name, &directives.args, domain);
    let subject = Subject {
        program: load(umbra, bitcode)?,
        world: program.world()?,
        domain: domain.clone(),
        file: format!("{name}.c"),
        time: TIME,
    };
    let marks: BTreeSet<Finding> = directives.marks.iter().cloned().collect();
    let mut checked = Checked::default();
    for manner in &effort.manners {
        let exploration = subject.explore(manner).with_context(|| manner.to_string())?;
        ensure_complete(&exploration).with_context(|| manner.to_string())?;
        checked = subject
            .compare(&exploration, &mut observed, effort)
            .with_context(|| manner.to_string())?;
        let found = subject.findings(&exploration);
        ensure!(found == marks, "{manner}: marked {marks:?}, found {found:?}");
    }
    Ok(checked)
}

impl Subject {
    /// Explores it.
    pub fn explore(&self, manner: &Manner) -> anyhow::Result<Exploration> {
        explore(Arc::clone(&self.program), &self.world, self.time, manner, Limited::one_version())
    }

    /// The errors that were found.
    fn findings(&self, exploration: &Exploration) -> BTreeSet<Finding> {
        exploration.paths.iter().filter_map(|path| self.finding(path)).collect()
    }

    /// The error that a path ends in.
    fn finding(&self, path: &Explored) -> Option<Finding> {
        match &path.case.expected.end {
            Some(End::Error(error)) => Some(finding(error, &self.file)),
            _ => None,
        }
    }

    /// Compares what was explored with what is native. What a path predicts holds for all its inputs, so
    /// every input is asked for its path, and as many as wanted for what they do.
    pub fn compare(
        &self,
        exploration: &Exploration,
        observed: &mut Observed<'_>,
        effort: &Effort,
    ) -> anyhow::Result<Checked> {
        let inputs = self.domain.len();
        let errors: Vec<bool> =
            exploration.paths.iter().map(|path| self.finding(path).is_some()).collect();
        let mut predictions = Predictions::of(exploration, &self.domain.get(0));
        let (mut predicted_errors, mut nowhere) = (Vec::new(), Vec::new());
        for index in 0..inputs {
            match predictions.path_of(&self.domain.get(index))? {
                Some(number) => predicted_errors.extend(errors[number].then_some(index)),
                None => nowhere.push(index),
            }
        }
        // What an assumption leaves out may be on no path.
        observed.run_plain(nowhere.iter().copied())?;
        for &index in &nowhere {
            let status = observed.on(index).plain.and_then(|outcome| outcome.status);
            ensure!(
                observed.on(index).plain.is_some_and(is_left_out),
                "{:?} is on 0 paths, natively: {status:?}",
                self.domain.get(index)
            );
        }
        let chosen = |share: Share| {
            let step = share.step(&self.domain);
            (0..inputs).filter(move |index| index.is_multiple_of(step) || index + 1 == inputs)
        };
        observed.run_plain(chosen(effort.plain))?;
        let step = predicted_errors.len().div_ceil(effort.errors.max(1)).max(1);
        observed.run_checked(predicted_errors.iter().step_by(step).copied())?;
        observed.run_checked(chosen(effort.checked))?;
        for index in 0..inputs {
            let native = observed.on(index);
            let is_seen = native.plain.is_some() || native.checked.is_some();
            if is_seen && nowhere.binary_search(&index).is_err() {
                let input = self.domain.get(index);
                predictions.on(&input, |number, path, run| {
                    self.compare_path(path, run, native)
                        .with_context(|| format!("{input:?} on path {number}"))
                })?;
            }
        }
        self.compare_tests(exploration, &mut predictions, observed)?;
        let errors = errors.iter().filter(|error| **error).count();
        Ok(Checked { paths: exploration.paths.len(), errors, inputs })
    }

    /// The test of each path takes it, and does natively what it predicts.
    fn compare_tests(
        &self,
        exploration: &Exploration,
        predictions: &mut Predictions<'_>,
        observed: &Observed<'_>,
    ) -> anyhow::Result<()> {
        let paths = exploration.paths.iter().enumerate();
        let (errors, others): (Vec<_>, Vec<_>) =
            paths.partition(|(_, path)| self.finding(path).is_some());
        let inputs = |paths: &[(usize, &Explored)]| -> Vec<Input> {
            paths.iter().map(|(_, path)| Input::of_case(&path.case)).collect()
        };
        let checked = observed.checked_on(&inputs(&errors))?;
        let plain = observed.plain_on(&inputs(&others))?;
        let checked = errors
            .iter()
            .zip(&checked)
            .map(|(path, outcome)| (path, Native { plain: None, checked: Some(outcome) }));
        let plain = others
            .iter()
            .zip(&plain)
            .map(|(path, outcome)| (path, Native { plain: Some(outcome), checked: None }));
        for (&(number, path), native) in checked.chain(plain) {
            let input = Input::of_case(&path.case);
            predictions.on(&input, |found, path, run| {
                ensure!(found == number, "the test {input:?} of path {number} is on {found}");
                self.compare_path(path, run, native).with_context(|| format!("the test {input:?}"))
            })?;
            let (Some(outcome), expected) = (native.plain, &path.case.expected) else { continue };
            let streams = (expected.stdout.as_deref(), expected.stderr.as_deref());
            ensure!(
                path.termination == Termination::Excluded
                    || streams == (Some(&outcome.stdout), Some(&outcome.stderr)),
                "the test {input:?} predicts {expected:?}, natively it is {outcome:?}"
            );
        }
        Ok(())
    }

    fn compare_path(
        &self,
        path: &Explored,
        run: &mut Run<'_>,
        native: Native<'_>,
    ) -> anyhow::Result<()> {
        let Some(finding) = self.finding(path) else {
            if let Some(outcome) = native.checked.filter(|outcome| is_error(outcome)) {
                let report = String::from_utf8_lossy(&outcome.stderr);
                let report: Vec<_> = report.lines().take(8).collect();
                bail!("{:?} is predicted, natively:\n{}", path.termination, report.join("\n"));
            }
            return native.plain.map_or(Ok(()), |outcome| compare(path, run, outcome));
        };
        // Without a sanitizer nobody knows what an error comes to.
        let Some(outcome) = native.checked else { return Ok(()) };
        if let Err(wrong) = check_error(outcome, &self.file, &finding) {
            bail!("{finding:?} is predicted, natively: {wrong}");
        }
        // What was not flushed is lost; how much that is depends on the libc.
        let predicted = written(path, run, 1);
        ensure!(
            predicted.starts_with(&outcome.stdout),
            "before the error {:?} is predicted, natively it is {:?}",
            String::from_utf8_lossy(&predicted),
            String::from_utf8_lossy(&outcome.stdout)
        );
        Ok(())
    }
}

/// Nothing was left out, cut or given up.
pub fn ensure_complete(exploration: &Exploration) -> anyhow::Result<()> {
    ensure!(exploration.stopped.is_none(), "stopped: {:?}", exploration.stopped);
    let statistics = &exploration.statistics;
    ensure!(statistics.unknown.is_empty(), "unknown: {:?}", statistics.unknown);
    ensure!(statistics.dropped.is_empty(), "dropped: {:?}", statistics.dropped);
    ensure!(statistics.failures.is_empty(), "failures: {:?}", statistics.failures);
    for path in &exploration.paths {
        let termination = &path.termination;
        let ended = matches!(
            termination,
            Termination::Exited(_)
                | Termination::Killed(_)
                | Termination::Error(_)
                | Termination::Excluded
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
            ensure!(is_left_out(outcome), "natively it is not left out: {status}");
            return Ok(());
        }
    }
    for (stream, native) in [(1, &outcome.stdout), (2, &outcome.stderr)] {
        let predicted = written(path, run, stream);
        ensure!(
            predicted == *native,
            "stream {stream}: {:?} is predicted, natively it is {:?}",
            String::from_utf8_lossy(&predicted),
            String::from_utf8_lossy(native)
        );
    }
    Ok(())
}

/// What a path writes to a stream.
fn written(path: &Explored, run: &mut Run<'_>, stream: u32) -> Vec<u8> {
    let written = path.output.iter().filter(|(sink, _)| (*sink == 1) == (stream == 1));
    written.flat_map(|(_, bytes)| bytes.values(|value| run.value_u64(value) as u8)).collect()
}
