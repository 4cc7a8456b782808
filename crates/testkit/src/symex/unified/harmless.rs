//! Damage to unified programs that the proof accepts (`tests/prove.rs` of umbra-unify has the list): it must do none. The
//! damaged programs are explored, and do on every input what the native builds do.

use std::path::Path;
use std::sync::Arc;

use umbra_ir::{FunctionId, Operation, Program, Terminator};

use super::{Checked, Source, one};

/// Checks the functions of a file whose damage is accepted somewhere. Returns how many damaged programs were accepted and explored.
pub fn check(
    umbra: &Path,
    source: &Path,
    functions: &[&str],
) -> anyhow::Result<(usize, Vec<String>)> {
    let source = Source::read(source)?;
    let folder = tempfile::tempdir()?;
    let pair = source.compile(umbra, folder.path())?;
    let (mut accepted, mut checked) = (0, Checked::default());
    let numbered = source.functions.iter().enumerate();
    for (number, name) in numbered.filter(|(_, name)| functions.contains(&name.as_str())) {
        let Some(id) = pair.unified.program.function(name) else { continue };
        for damage in [exchange_change, exchange_branch] {
            for at in 0.. {
                let mut damaged = pair.unified.clone();
                if !damage(&mut damaged.program, id, at) {
                    break;
                }
                if damaged.prove(&pair.plain.0, &pair.plain.1).is_err() {
                    continue;
                }
                accepted += 1;
                let program = Arc::new(damaged.program);
                let subject = (number, name.as_str());
                if let Err(error) = one(&program, &source.directives, &pair, subject, &mut checked)
                {
                    checked.wrong.push(format!("{name}, accepted damage {at}: {error:#}"));
                }
            }
        }
    }
    Ok((accepted, checked.wrong))
}

/// Exchanges the sides of a change.
fn exchange_change(program: &mut Program, id: FunctionId, at: usize) -> bool {
    let blocks = program.functions[id].body.iter_mut().flat_map(|body| body.blocks.iter_mut());
    let operations =
        blocks.flat_map(|(_, block)| &mut block.instructions).map(|i| &mut i.operation);
    let mut changes = operations.filter_map(|operation| match operation {
        Operation::Change { old, new, .. } => Some((old, new)),
        _ => None,
    });
    changes.nth(at).map(|(old, new)| std::mem::swap(old, new)).is_some()
}

/// Exchanges the ways of a branch on the version.
fn exchange_branch(program: &mut Program, id: FunctionId, at: usize) -> bool {
    let blocks = program.functions[id].body.iter_mut().flat_map(|body| body.blocks.iter_mut());
    let mut branches = blocks.filter_map(|(_, block)| match &mut block.terminator {
        Terminator::Version { old, new } => Some((old, new)),
        _ => None,
    });
    branches.nth(at).map(|(old, new)| std::mem::swap(old, new)).is_some()
}
