//! Routines with many mutants (`tests/shadow/mutants`): on each, complete exploration finds
//! the divergent inputs that native enumeration finds, and nothing else.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, ensure};
use umbra_engine::Termination;
use umbra_expr::Run;
use umbra_strategy::{Argument, Judgement};

use super::command::compile;
use super::directives::Directives;
use super::domain::{Domain, ensure_small};
use super::enumerate::Enumerator;
use super::explore::{Exploration, Limited, Versions, explore_limited, world};
use super::input::Input;
use super::predictions::Predictions;
use super::versions::{Native, is_diff, prediction};

const TIME: Duration = Duration::from_secs(120);

/// The bound of a path, by which non-terminating mutants end.
const PATH: u64 = 10_000;

/// What was checked of one routine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Mutants.
    pub mutants: usize,
    /// Those that no input tells from the routine.
    pub equivalent: usize,
    /// Those that do not terminate on some input.
    pub hanging: usize,
    /// Diff paths of all.
    pub diff: usize,
    /// Inputs on which the versions differ, of all.
    pub divergent: usize,
}

/// Checks all mutants of a routine.
pub fn check(umbra: &Path, source: &Path) -> anyhow::Result<Checked> {
    let directives = Directives::parse(&fs::read_to_string(source)?)?;
    let domain = directives.domain.as_ref().context("there is no domain")?;
    ensure_small(domain)?;
    let name = source.file_stem().context("a source has a name")?.to_string_lossy();
    let folder = tempfile::tempdir()?;
    compile(umbra, source, folder.path())?;
    let bitcode = folder.path().join(format!("{name}.bc"));
    let build = |flags: &[&str]| Enumerator::with_flags(umbra, source, &name, flags);
    let natives = (build(&["-DUMBRA_OLD", "-DTRACE"])?, build(&["-DUMBRA_NEW", "-DTRACE"])?);
    let mut checked = Checked::default();
    for mutant in (1..=directives.mutants).chain(directives.combined.iter().copied()) {
        let mut world = world(&directives, &name)?;
        let number = mutant.to_string();
        world.arguments.insert(0, Argument::Given(number.clone().into_bytes()));
        let limited =
            Limited { versions: Versions::Both, alone: PATH, path: Some(PATH), prune: false };
        let both = explore_limited(umbra, &bitcode, &world, TIME, limited)?;
        ensure!(both.stopped.is_none(), "mutant {mutant} stopped: {:?}", both.stopped);
        checked.mutants += 1;
        checked.diff += both.paths.iter().filter(|path| is_diff(path)).count();
        let hangs = directives.hangs.contains(&mutant);
        ensure!(hangs == is_cut(&both), "mutant {mutant}: cut, or not, and it should not be so");
        if hangs {
            checked.hanging += 1;
            continue;
        }
        let divergent = check_mutant(&both, domain, &natives, &number)
            .with_context(|| format!("mutant {mutant}"))?;
        checked.divergent += divergent;
        checked.equivalent += usize::from(divergent == 0);
    }
    Ok(checked)
}

/// Whether a path came to its bound.
fn is_cut(exploration: &Exploration) -> bool {
    exploration.paths.iter().any(|path| matches!(path.termination, Termination::Limit(_)))
}

/// Returns how many inputs are divergent.
fn check_mutant(
    both: &Exploration,
    domain: &Domain,
    natives: &(Enumerator, Enumerator),
    number: &str,
) -> anyhow::Result<usize> {
    let inputs: Vec<Input> = (0..domain.len()).map(|index| domain.get(index)).collect();
    let native = Native::of(&natives.0, &natives.1, &[number.to_owned()], &inputs)?;
    let first = inputs.first().context("there is an input")?;
    let mut predictions = Predictions::of(both, first);
    let mut divergent = 0;
    let mut shown = BTreeSet::new();
    for (at, input) in inputs.iter().enumerate() {
        let look = |number, path: &_, run: &mut Run<'_>| Ok((number, prediction(path, run)));
        let (number, predicted) = predictions.on(input, look)?;
        let actual = native.verdict(at);
        ensure!(predicted == actual, "{predicted} is predicted on {input:?}, it is {actual}");
        if actual != "same" {
            divergent += 1;
            shown.insert(number);
        }
    }
    let diff: BTreeSet<usize> =
        (0..).zip(&both.paths).filter(|(_, path)| is_diff(path)).map(|(at, _)| at).collect();
    ensure!(shown == diff, "diff paths that no input shows: {:?}", diff.difference(&shown));
    let unknown = both.paths.iter().any(|path| matches!(path.judgement, Judgement::Unknown(_)));
    ensure!(!unknown, "outputs were not compared");
    Ok(divergent)
}
