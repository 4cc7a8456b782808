//! Routines with many mutants (`tests/shadow/mutants`): on each, complete exploration finds
//! the divergent inputs that native enumeration finds, and nothing else.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, ensure};
use umbra_engine::Termination;
use umbra_strategy::{Argument, PathJudgement};

use super::domain::Domain;
use super::enumerate::Enumerator;
use super::enumerated::{Enumerated, Share};
use super::explore::{Exploration, Limited, Manner, Versions, explore, load};
use super::versions::{Native, check_inputs, is_diff};

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
    let program = Enumerated::compile(umbra, source, &[])?;
    let Enumerated { directives, domain, name, bitcode, .. } = &program;
    let build = |flags: &[&str]| Enumerator::with_flags(umbra, source, name, flags);
    let natives = (build(&["-DUMBRA_OLD", "-DTRACE"])?, build(&["-DUMBRA_NEW", "-DTRACE"])?);
    let loaded = load(umbra, bitcode)?;
    let mut checked = Checked::default();
    for mutant in (1..=directives.mutants).chain(directives.combined.iter().copied()) {
        let mut world = program.world()?;
        let number = mutant.to_string();
        world.arguments.insert(0, Argument::Given(number.clone().into_bytes()));
        let limited =
            Limited { versions: Versions::Both, alone: PATH, path: Some(PATH), prune: false };
        let both = explore(Arc::clone(&loaded), &world, TIME, &Manner::default(), limited)?;
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
    let inputs = Share::All.inputs(domain);
    let native = Native::of(&natives.0, &natives.1, &[number.to_owned()], &inputs)?;
    let mut divergent = 0;
    let mut shown = BTreeSet::new();
    check_inputs(both, &inputs, &native, |input, said| {
        if said.actual != "same" {
            divergent += 1;
            shown.insert(said.path);
        }
        said.ensure_true(input)
    })?;
    let diff: BTreeSet<usize> =
        (0..).zip(&both.paths).filter(|(_, path)| is_diff(path)).map(|(at, _)| at).collect();
    ensure!(shown == diff, "diff paths that no input shows: {:?}", diff.difference(&shown));
    let unknown = both.paths.iter().any(|path| matches!(path.judgement, PathJudgement::Unknown(_)));
    ensure!(!unknown, "outputs were not compared");
    Ok(divergent)
}
