//! Functions whose signature changed: one signature that serves both versions.
//!
//! It has the parameters of the new version, then those of the old one that have no partner. A call
//! passes undefined values for those that its version does not have.

use std::collections::HashMap;

use umbra_ir::{Argument, Callee, FunctionId, Operation, Program, Type};

use super::target::Target;
use crate::Version;
use crate::correspondence::Correspondence;

/// Functions with two signatures.
#[derive(Debug, Default)]
pub struct Signatures {
    changed: HashMap<FunctionId, Signature>,
}

/// A merged signature.
#[derive(Debug)]
pub struct Signature {
    /// Where the old version's parameters are.
    pub old: Vec<u32>,
    /// How many of the first are the new version's.
    pub new: u32,
    /// The types of all.
    pub types: Vec<Type>,
}

/// Where the parameters of an old function are in the signature that serves both: those of equal
/// types, in order, are one.
pub fn merged_positions(old: &[Type], new: &[Type]) -> Vec<u32> {
    // The longest common subsequence, from the back.
    let mut length = vec![vec![0u32; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            length[i][j] = match old[i] == new[j] {
                true => length[i + 1][j + 1] + 1,
                false => length[i + 1][j].max(length[i][j + 1]),
            };
        }
    }
    let mut extra = new.len() as u32;
    let mut positions = Vec::new();
    let mut j = 0;
    for i in 0..old.len() {
        while j < new.len() && old[i] != new[j] && length[i][j] == length[i][j + 1] {
            j += 1;
        }
        let paired = j < new.len() && old[i] == new[j] && length[i][j] == length[i + 1][j + 1] + 1;
        if paired {
            positions.push(j as u32);
            j += 1;
        } else {
            positions.push(extra);
            extra += 1;
        }
    }
    positions
}

impl Signatures {
    /// The functions whose signature changed.
    pub fn new(old: &Program, new: &Program, correspondence: &Correspondence) -> Self {
        let mut changed = HashMap::new();
        for (pair, alignment) in correspondence.changed() {
            let (f, g) = (&old.functions[pair.old], &new.functions[pair.new]);
            if f.parameters == g.parameters {
                continue;
            }
            let mut types = g.parameters.clone();
            for (ty, &position) in f.parameters.iter().zip(&alignment.old_signature) {
                if position as usize >= g.parameters.len() {
                    types.push(*ty);
                }
            }
            let new = g.parameters.len() as u32;
            let old = alignment.old_signature.clone();
            changed.insert(pair.new, Signature { old, new, types });
        }
        Self { changed }
    }

    /// The signature of a function that has two.
    pub fn get(&self, function: FunctionId) -> Option<&Signature> {
        self.changed.get(&function)
    }

    /// Whether a version does not have this parameter of a function.
    pub fn is_missing(&self, function: FunctionId, version: Version, position: usize) -> bool {
        self.changed.get(&function).is_some_and(|signature| match version {
            Version::Old => !signature.old.contains(&(position as u32)),
            Version::New => position >= signature.new as usize,
        })
    }

    /// A call of the old version, its arguments where the merged signature has them.
    pub fn old_call(&self, target: &mut Target<'_>, operation: Operation) -> Operation {
        self.arranged(target, operation, |signature, at| {
            signature.old.iter().position(|&position| position as usize == at)
        })
    }

    /// A call of the new version.
    pub fn new_call(&self, target: &mut Target<'_>, operation: Operation) -> Operation {
        self.arranged(target, operation, |signature, at| {
            (at < signature.new as usize).then_some(at)
        })
    }

    fn arranged(
        &self,
        target: &mut Target<'_>,
        operation: Operation,
        from: impl Fn(&Signature, usize) -> Option<usize>,
    ) -> Operation {
        match operation {
            Operation::Call { destinations, callee: callee @ Callee::Direct(id), arguments }
                if self.changed.contains_key(&id) =>
            {
                let signature = &self.changed[&id];
                let arguments = signature.types.iter().enumerate().map(|(at, ty)| {
                    let given = from(signature, at).and_then(|at| arguments.get(at).copied());
                    given.unwrap_or_else(|| Argument {
                        operand: target.undefined(*ty),
                        by_value: None,
                    })
                });
                let arguments = arguments.collect();
                Operation::Call { destinations, callee, arguments }
            }
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_of_equal_types_are_one() {
        let (int, long, pointer) = (Type::Integer(32), Type::Integer(64), Type::Pointer);
        assert_eq!(merged_positions(&[int, pointer], &[int, pointer]), [0, 1]);
        assert_eq!(merged_positions(&[int, pointer], &[pointer]), [1, 0]);
        assert_eq!(merged_positions(&[pointer], &[int, pointer, long]), [1]);
        assert_eq!(merged_positions(&[int], &[long]), [1]);
        assert_eq!(merged_positions(&[], &[long]), [0u32; 0]);
        assert_eq!(merged_positions(&[int, int, long], &[int]), [0, 1, 2]);
    }
}
