//! Two versions: what the end of a path says of them.
//!
//! A path on which the versions parted is a *diff* path. On one that both followed to the end, all
//! that they leave behind is compared, and if it can differ under the path's condition, that is a
//! divergence of data. What remains is the same on every input of the path.
//!
//! On a diff path the new version's end comes first; then each path of the old one under its condition
//! ends, and each of these pairs of paths is compared in the same way.

mod compare;
mod outputs;

pub use compare::{PathDifference, PathJudgement, judge_path};
pub use outputs::Output;
