//! Annotated programs (`tests/shadow`) as their two plain versions.
//!
//! On every input the plain pair must say what the native builds say of outputs. The annotations, which know the
//! places that both versions have (`at(n)` in a build with a trace), say of each input whether the versions part; the plain pair may
//! see other places, so it counts as spurious if it parts where the annotated one does not, and nothing is to be seen.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail, ensure};
use umbra_ir::Program;
use umbra_strategy::PathJudgement;

use super::super::enumerate::Enumerator;
use super::super::enumerated::{Enumerated, Share};
use super::super::explore::{Exploration, Explored, Limited, Manner, Versions, explore, load};
use super::super::input::Input;
use super::super::predictions::Predictions;
use super::super::versions::{Native, check_inputs, is_diff};
use super::{ALONE, TIME, check_outputs, read};
use crate::symex::directives::Directives;

/// What was checked of one program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Inputs on which outputs differ natively.
    pub divergent: usize,
    /// Inputs on which the annotated versions part, and so do the plain ones.
    pub parting: usize,
    /// Inputs on which the annotated versions part without a trace in outputs, and the plain ones do not.
    pub unseen: usize,
    /// Inputs on which the plain versions part, the annotated ones do not, and nothing is to be seen.
    pub spurious: usize,
}

/// Why a program is left out.
pub fn left_out(source: &Path) -> anyhow::Result<Option<&'static str>> {
    let directives = Directives::parse(&std::fs::read_to_string(source)?)?;
    Ok(directives.domain.is_none().then_some("its inputs cannot be enumerated"))
}

/// Checks a program that is not left out.
pub fn check(umbra: &Path, source: &Path) -> anyhow::Result<Checked> {
    let directives = Directives::parse(&std::fs::read_to_string(source)?)?;
    let compile = |flag: &str| -> anyhow::Result<(Enumerated, Arc<Program>)> {
        let plain = Enumerated::compile(umbra, source, &[flag])?;
        let program = load(umbra, &plain.bitcode)?;
        Ok((plain, program))
    };
    let (_, old) = compile("-DUMBRA_OLD")?;
    let (plain, new) = compile("-DUMBRA_NEW")?;
    let unified = umbra_unify::unify(&old, &new, &read)?;
    let limited = Limited { versions: Versions::Both, alone: ALONE, path: None, prune: false };
    let program = Arc::new(unified.program);
    let both = explore(program, &plain.world()?, TIME, &Manner::default(), limited)?;
    ensure!(both.stopped.is_none(), "stopped: {:?}", both.stopped);
    let inputs = Share::All.inputs(&plain.domain);
    if directives.unlike_native {
        return against_annotated(umbra, source, &both, &inputs);
    }
    let native = |flags: &[&str]| -> anyhow::Result<Native> {
        let build = |version: &str| {
            let flags = [&[version], flags].concat();
            Enumerator::with_flags(umbra, source, &plain.name, &flags)
        };
        Native::of(&build("-DUMBRA_OLD")?, &build("-DUMBRA_NEW")?, &directives.args, &inputs)
    };
    let divergent = check_outputs(&both, &inputs, &native(&[])?)?;
    let traced = native(&["-DTRACE"])?;
    let mut checked = Checked { divergent, ..Checked::default() };
    check_inputs(&both, &inputs, &traced, |_, said| {
        match (said.predicted, said.actual) {
            ("control", "same") => checked.spurious += 1,
            ("control", "control") => checked.parting += 1,
            ("same", "control") => checked.unseen += 1,
            _ => {}
        }
        Ok(())
    })?;
    Ok(checked)
}

/// Whether versions that part leave the same behind on all inputs of a path.
fn is_silent(path: &Explored) -> bool {
    let same = |pair: &Explored| pair.judgement == PathJudgement::Same;
    path.judgement == PathJudgement::Parted && !path.pairs.is_empty() && path.pairs.iter().all(same)
}

/// Natively the program does something else (it hangs, or an error shows itself otherwise): the annotated program says
/// on which inputs there is a divergence, and the plain versions must say the same.
fn against_annotated(
    umbra: &Path,
    source: &Path,
    both: &Exploration,
    inputs: &[Input],
) -> anyhow::Result<Checked> {
    let annotated = Enumerated::compile(umbra, source, &[])?;
    let limited = Limited { versions: Versions::Both, alone: ALONE, path: None, prune: false };
    let program = load(umbra, &annotated.bitcode)?;
    let wanted = explore(program, &annotated.world()?, TIME, &Manner::default(), limited)?;
    ensure!(wanted.stopped.is_none(), "stopped: {:?}", wanted.stopped);
    let first = inputs.first().context("there is an input")?;
    let mut sides = [Predictions::of(&wanted, first), Predictions::of(both, first)];
    let mut checked = Checked::default();
    for input in inputs {
        let [wanted_path, path] = &mut sides;
        let (wanted_path, path) = (wanted_path.path_of(input)?, path.path_of(input)?);
        let diverges = |exploration: &Exploration, path: Option<usize>| {
            path.is_some_and(|number| is_diff(&exploration.paths[number]))
        };
        match (diverges(&wanted, wanted_path), diverges(both, path)) {
            (true, true) => checked.parting += 1,
            (false, true) => checked.spurious += 1,
            (true, false) if wanted_path.is_some_and(|path| is_silent(&wanted.paths[path])) => {
                checked.unseen += 1;
            }
            (true, false) => bail!("the divergence on {input:?} is not found"),
            (false, false) => {}
        }
    }
    Ok(checked)
}
