//! Whether two programs are versions of one program at all.
//!
//! Every program has a `main`, and any two of them share something: arguments are loaded, calls made, a
//! zero is returned. So a pair of functions speaks for two versions only if much of it is equal, and pairs in the file of `main` count first:
//! two tools of one package share their libraries and are two programs nevertheless.

use umbra_ir::{Function, FunctionId, Program};

use crate::correspondence::{Alignment, Correspondence, FunctionPair, Relation, Strength};
use crate::files::{Files, is_libc};

/// Of the instructions of two functions that are alike, so many in a thousand are equal.
const EQUAL: u64 = 400;
/// In small functions one edit is much: so many in a thousand belong together.
const TOGETHER: u64 = 600;
/// Instructions of both versions of a function that is small.
const SMALL: u64 = 40;

/// Whether two programs have something in common beside their libraries.
pub fn are_related(
    old: &Program,
    new: &Program,
    files: &Files,
    correspondence: &Correspondence,
) -> bool {
    let file = |function: &Function| function.identity.as_ref().map(|identity| identity.file);
    let of_main = |program: &Program| {
        program.function("main").and_then(|main| file(&program.functions[main]))
    };
    let (Some(old_main), Some(new_main)) = (of_main(old), of_main(new)) else { return false };
    let in_main = |pair: &&FunctionPair| {
        let (f, g) = (file(&old.functions[pair.old]), file(&new.functions[pair.new]));
        f.is_some_and(|file| files.of_old(file) == files.of_old(old_main))
            && g.is_some_and(|file| files.of_new(file) == files.of_new(new_main))
    };
    let alike = |pair: &&FunctionPair| is_alike(old, pair);
    if correspondence.functions.iter().filter(in_main).any(|pair| alike(&pair)) {
        return true;
    }
    // Both were made from one file, folder and name: whatever became of it, it is the same program.
    if old.files[old_main].path() == new.files[new_main].path() {
        return true;
    }
    // The file of `main` was written anew: is it in the same place, and the rest still there?
    files.of_old(old_main) == files.of_new(new_main)
        && correspondence.functions.iter().any(|pair| {
            is_of_program(old, pair.old) && is_of_program(new, pair.new) && alike(&pair)
        })
}

/// Whether a function is the program's own, and not one that a header or the libc brings.
fn is_of_program(program: &Program, id: FunctionId) -> bool {
    let function = &program.functions[id];
    let identity = function.identity.as_ref();
    identity.is_some_and(|identity| identity.file == identity.unit) && !is_libc(program, function)
}

/// Whether two functions are more alike than any two are.
fn is_alike(old: &Program, pair: &FunctionPair) -> bool {
    old.functions[pair.old].body.is_some()
        && match &pair.relation {
            Relation::Equal => true,
            Relation::Changed(alignment) => much_is_equal(alignment),
        }
}

fn much_is_equal(alignment: &Alignment) -> bool {
    let all = u64::from(alignment.old_count) + u64::from(alignment.new_count);
    let pairs = alignment.pairs.len() as u64;
    let equal = alignment.pairs.iter().filter(|pair| pair.strength == Strength::Strong).count();
    let share = |pairs: u64| (2000 * pairs).checked_div(all).unwrap_or(1000);
    share(equal as u64) >= EQUAL || all < SMALL && share(pairs) >= TOGETHER
}
