//! From many judged cases to a few that are worth reading.
//!
//! [`Spectrum`] says which changed line explains a difference. [`cluster`] puts cases together that
//! show the same thing, ranks what it finds and names the smallest example of each. [`minimise`]
//! makes an example smaller still.

mod cluster;
mod minimise;
mod score;
mod skeleton;
mod spectrum;

pub use cluster::{Cluster, Judged, Signature, Urgency, cluster};
pub use minimise::{Minimised, minimise};
pub use spectrum::{Candidate, ChangedLine, Explanation, Ran, Spectrum};
