//! Functions that were renamed or moved, by what they do.
//!
//! The features of a function are its calls, constants and accesses to memory, as a multiset; two
//! functions are alike by twice what they share over what they have. Pairs are taken greedily, the
//! most alike first, and only where it is more than half.

use std::collections::{BTreeMap, HashMap};

use umbra_ir::{ConstantValue, FunctionId, Id, Operand, Operation};

use crate::correspondence::Basis;
use crate::files::is_libc;
use crate::keys::Keys;
use crate::normal::{constant_hash, hash, shape};

/// Parts in a hundred that two functions must share.
const ALIKE: u64 = 60;
/// Functions with fewer features say too little.
const FEATURES: u64 = 6;

/// Pairs functions that have no partner yet.
pub fn pair_rest(
    old: &Keys<'_>,
    new: &Keys<'_>,
    pairs: &mut [Option<(FunctionId, Basis)>],
    fits: &dyn Fn(FunctionId, FunctionId) -> bool,
) {
    let taken: Vec<FunctionId> = pairs.iter().flatten().map(|(new, _)| *new).collect();
    let removed = (0..pairs.len()).filter(|&at| pairs[at].is_none()).map(FunctionId::from_index);
    let added = new.program.functions.ids().filter(|id| !taken.contains(id));
    let features = |keys: &Keys<'_>, id| features(keys, id).map(|features| (id, features));
    let removed: Vec<_> = removed.filter_map(|id| features(old, id)).collect();
    let added: Vec<_> = added.filter_map(|id| features(new, id)).collect();
    let of_libc =
        |keys: &Keys<'_>, id: FunctionId| is_libc(keys.program, &keys.program.functions[id]);
    let mut scored = Vec::new();
    for (a, left) in &removed {
        for (b, right) in &added {
            let percent = alike(left, right);
            // A function of the program does not become one of the libc, however small both are.
            if percent >= ALIKE && fits(*a, *b) && of_libc(old, *a) == of_libc(new, *b) {
                scored.push((std::cmp::Reverse(percent), *a, *b));
            }
        }
    }
    scored.sort_unstable();
    let mut used = std::collections::HashSet::new();
    for (std::cmp::Reverse(percent), a, b) in scored {
        if pairs[a.index()].is_none() && used.insert(b) {
            pairs[a.index()] = Some((b, Basis::Similarity(percent as u8)));
        }
    }
}

type Features = BTreeMap<u64, u64>;

fn features(keys: &Keys<'_>, id: FunctionId) -> Option<Features> {
    let program = keys.program;
    let body = program.functions[id].body.as_ref()?;
    let token = |symbol| keys.token(symbol);
    let mut found: HashMap<u64, u64> = HashMap::new();
    for instruction in body.blocks.values().flat_map(|block| &block.instructions) {
        let operation = &instruction.operation;
        let counts = matches!(
            operation,
            Operation::Call { .. }
                | Operation::Load { .. }
                | Operation::Store { .. }
                | Operation::Compare { .. }
                | Operation::Intrinsic { .. }
        );
        if counts {
            *found.entry(shape(program, operation, &token)).or_default() += 1;
        }
        operation.visit_operands(&mut |operand| {
            if let Operand::Constant(id) = operand {
                let constant = &program.constants[id];
                // Zero and one are everywhere.
                if !matches!(constant.value, ConstantValue::Word(0 | 1) | ConstantValue::Undefined)
                {
                    let word = hash(&("constant", constant_hash(constant, &token)));
                    *found.entry(word).or_default() += 1;
                }
            }
        });
    }
    let all: u64 = found.values().sum();
    (all >= FEATURES).then(|| found.into_iter().collect())
}

fn alike(left: &Features, right: &Features) -> u64 {
    let common: u64 = left
        .iter()
        .filter_map(|(feature, count)| right.get(feature).map(|other| *count.min(other)))
        .sum();
    let all: u64 = left.values().sum::<u64>() + right.values().sum::<u64>();
    (200 * common).checked_div(all).unwrap_or(0)
}
