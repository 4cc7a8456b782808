//! What is known at a node: which registers of both sides are equal there, and which may still be read.

use std::collections::{BTreeMap, HashMap, HashSet};

use umbra_ir::{BlockId, Body, Id, RegisterId};

use super::super::values::{Class, Classes, Term};
use crate::normal::hash;

/// The classes of both sides' registers, in order.
pub(super) type Known = BTreeMap<(usize, RegisterId), Class>;

/// Classes as names only, in the order in which they appear. A negation stays one.
pub(super) fn canonical(classes: &mut Classes, known: Known) -> Known {
    let same = known.clone();
    meet(classes, &known, &same)
}

/// What is equal both in what was known and in what is known now.
pub(super) fn meet(classes: &mut Classes, before: &Known, now: &Known) -> Known {
    let mut names: HashMap<(Class, Class, bool), Class> = HashMap::new();
    let mut next = 0u64;
    let mut met = Known::new();
    for (register, &class) in before {
        let Some(&other) = now.get(register) else { continue };
        if class == other && classes.is_stable(class) {
            met.insert(*register, class);
            continue;
        }
        let (base, negated) = classes.without_not(class);
        let (other, other_negated) = classes.without_not(other);
        let name = *names.entry((base, other, negated != other_negated)).or_insert_with(|| {
            next += 1;
            classes.of(Term::Opaque(hash(&("known", next))))
        });
        met.insert(*register, if negated { classes.not(name) } else { name });
    }
    met
}

/// The registers that are live into each block.
pub(super) fn liveness(body: &Body) -> Vec<HashSet<RegisterId>> {
    let mut live: Vec<HashSet<RegisterId>> = vec![HashSet::new(); body.blocks.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (id, block) in body.blocks.iter().rev() {
            let mut now: HashSet<RegisterId> = HashSet::new();
            for edge in block.terminator.edges() {
                let parameters = &body.blocks[edge.block].parameters;
                let through = live[edge.block.index()].iter();
                now.extend(through.filter(|r| !parameters.contains(r)));
            }
            let mut read = |operand| {
                if let umbra_ir::Operand::Register(register) = operand {
                    now.insert(register);
                }
            };
            block.terminator.visit_operands(&mut read);
            for instruction in block.instructions.iter().rev() {
                instruction.operation.visit_destinations(&mut |register| {
                    now.remove(&register);
                });
                instruction.operation.visit_operands(&mut |operand| {
                    if let umbra_ir::Operand::Register(register) = operand {
                        now.insert(register);
                    }
                });
            }
            if now != live[id.index()] {
                live[id.index()] = now;
                changed = true;
            }
        }
    }
    live
}

/// The block that assigns each register.
pub(super) fn homes(body: &Body) -> HashMap<RegisterId, BlockId> {
    let mut homes = HashMap::new();
    for (id, block) in body.blocks.iter() {
        homes.extend(block.parameters.iter().map(|register| (*register, id)));
        for instruction in &block.instructions {
            homes.extend(instruction.operation.destinations().iter().map(|r| (*r, id)));
        }
    }
    homes
}
