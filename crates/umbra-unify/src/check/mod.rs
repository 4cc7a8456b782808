//! The proof that a merged body is both of its originals.
//!
//! The body, resolved to one version, and the original function of that version are walked side by
//! side from their entries. At every operation with an effect, and every branch, return and switch, both sides must do the same
//! with equal values; what block parameters are equal is found as a greatest fixed point over the walk (all are assumed to
//! be until a way into a place shows otherwise). Operations without effects are terms, so it does not matter where they stand or how the
//! merger wrote them. If the walk ends without a mismatch it is a simulation: for all inputs the versions do
//! what their originals do. A mismatch is our error.
//!
//! Beside the bodies: the contents of globals, and equal functions under the pairing of symbols, which is how they were
//! found to be equal in the first place.

mod values;
mod walk;

use umbra_ir::{FunctionId, Global, Initializer, OldGlobal, Program, Symbol};

use crate::Version;
use crate::correspondence::Correspondence;
use crate::merge::Evidence;
use crate::normal::normal_form;
use values::Side;
use walk::Walk;

/// A merged program is not what it was merged from.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the merged {what} is not that of the {version} version: {reason}")]
pub struct Mismatch {
    /// The function or global.
    pub what: String,
    /// The version that it should be.
    pub version: Version,
    /// What is different.
    pub reason: String,
}

/// Checks all that was merged.
pub fn check(
    old: &Program,
    new: &Program,
    correspondence: &Correspondence,
    merged: &Program,
    evidence: &Evidence,
) -> Result<(), Mismatch> {
    let symbols = evidence.names.symbols();
    for (pair, _) in correspondence.changed() {
        for version in Version::BOTH {
            let (original, id) = match version {
                Version::Old => (old, pair.old),
                Version::New => (new, pair.new),
            };
            check_body(original, id, (merged, pair.new), version, evidence)?;
        }
    }
    for pair in &correspondence.functions {
        let is_equal = matches!(pair.relation, crate::correspondence::Relation::Equal);
        let (f, g) = (&old.functions[pair.old], &new.functions[pair.new]);
        let left = || normal_form(old, f, &|symbol| symbols.old_token(symbol));
        let right = || normal_form(new, g, &|symbol| symbols.new_token(symbol));
        if is_equal && left() != right() {
            let reason = "it is shared, and not equal".to_owned();
            let what = format!("function `{}`", g.name);
            return Err(Mismatch { what, version: Version::Old, reason });
        }
    }
    check_globals(old, new, correspondence, merged, evidence)
}

/// Checks one merged body against an original.
fn check_body(
    original: &Program,
    id: FunctionId,
    (program, merged): (&Program, FunctionId),
    version: Version,
    evidence: &Evidence,
) -> Result<(), Mismatch> {
    let names = &evidence.names;
    let merged_token = |symbol: Symbol| names.token(symbol);
    let original_token = |symbol: Symbol| match version {
        Version::Old => names.token(names.symbol(symbol)),
        Version::New => names.token(symbol),
    };
    let mismatch = |reason: String| Mismatch {
        what: format!("function `{}`", program.functions[merged].name),
        version,
        reason,
    };
    let bodies = (&program.functions[merged].body, &original.functions[id].body);
    let (Some(left), Some(right)) = bodies else {
        return Err(mismatch("it has no body".to_owned()));
    };
    let allocas = evidence.allocas.get(&merged).map_or(&[][..], Vec::as_slice);
    let side = if version == Version::Old { 0 } else { 1 };
    let origins: Vec<_> = allocas.iter().map(|origin| origin[side]).collect();
    let positions: Vec<u32> = match (evidence.signatures.get(merged), version) {
        (Some(signature), Version::Old) => signature.old.clone(),
        _ => (0..original.functions[id].parameters.len() as u32).collect(),
    };
    let walk = Walk::new(
        Side { program, body: left, token: &merged_token, version },
        Side { program: original, body: right, token: &original_token, version },
        &evidence.signatures,
        origins,
    );
    walk.run(&positions).map_err(mismatch)
}

fn check_globals(
    old: &Program,
    new: &Program,
    correspondence: &Correspondence,
    merged: &Program,
    evidence: &Evidence,
) -> Result<(), Mismatch> {
    let names = &evidence.names;
    for pair in &correspondence.globals {
        if pair.basis == crate::correspondence::Basis::Content {
            continue;
        }
        let (before, after) = (&old.globals[pair.old], &merged.globals[pair.new]);
        let mismatch = |version, reason: &str| {
            let what = format!("global `{}`", after.name);
            Err(Mismatch { what, version, reason: reason.to_owned() })
        };
        let projected = project(after);
        let wanted = Contents {
            size: before.size,
            align: before.align,
            constant: before.constant,
            words: words(&before.initializer, &|symbol| names.token(names.symbol(symbol))),
        };
        let is = Contents {
            words: words(&projected.initializer, &|symbol| names.token(symbol)),
            size: projected.size,
            align: projected.align,
            constant: projected.constant,
        };
        if wanted != is {
            return mismatch(Version::Old, "its first contents differ");
        }
        let unchanged = &new.globals[pair.new];
        if unchanged.initializer != after.initializer || unchanged.size != after.size {
            return mismatch(Version::New, "its first contents differ");
        }
    }
    Ok(())
}

#[derive(PartialEq, Eq)]
struct Contents {
    size: u64,
    align: u32,
    constant: bool,
    words: Vec<u64>,
}

/// What a global is in the old version.
fn project(global: &Global) -> OldGlobal {
    match &global.old {
        Some(old) => (**old).clone(),
        None => OldGlobal {
            name: global.name.clone(),
            identity: global.identity.clone(),
            size: global.size,
            align: global.align,
            constant: global.constant,
            initializer: global.initializer.clone(),
        },
    }
}

fn words(initializer: &Initializer, token: &dyn Fn(Symbol) -> u64) -> Vec<u64> {
    match initializer {
        Initializer::Data { bytes, relocations } => {
            let mut words = vec![2, crate::normal::hash(bytes)];
            for relocation in relocations {
                let addend = relocation.addend as u64;
                words.extend([relocation.offset, token(relocation.symbol), addend]);
            }
            words
        }
        Initializer::Zero => vec![1],
        Initializer::External => vec![0],
        Initializer::Unsupported(reason) => vec![3, crate::normal::hash(reason)],
    }
}
