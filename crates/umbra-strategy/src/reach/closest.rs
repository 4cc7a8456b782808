//! The input of a path that is closest to the seed.
//!
//! A model may differ from the seed in bytes that do not matter to the path. Each byte is set back to the seed's where all
//! that holds on the path holds all the same; many at a time first, so that a file costs little more than a word.

use umbra_engine::{Path, Shared};
use umbra_expr::{ArrayId, Assignment};

/// Evaluations of all that holds on a path, at most.
const MOST: usize = 400;

/// The path's input with as many bytes of the seed as this finds.
pub(super) fn closest(path: &Path, seed: &Assignment, shared: &mut Shared) -> Assignment {
    let constraints = path.constraints().to_vec();
    let mut best = path.assignment().clone();
    let mut differing: Vec<(ArrayId, u32)> = best.differences(seed);
    differing.sort_unstable();
    let mut size = differing.len();
    let mut tries = 0;
    while size > 0 && tries < MOST {
        let mut left = Vec::new();
        for chunk in differing.chunks(size) {
            let mut other = best.clone();
            for &(array, at) in chunk {
                other.set(array, at, seed.get(array, at));
            }
            tries += 1;
            let mut values = shared.evaluation(&other);
            if tries <= MOST && constraints.iter().all(|&constraint| values.is_true(constraint)) {
                best = other;
            } else {
                left.extend_from_slice(chunk);
            }
        }
        differing = left;
        size = if size == 1 { 0 } else { size.min(differing.len()).div_ceil(2) };
    }
    best
}
