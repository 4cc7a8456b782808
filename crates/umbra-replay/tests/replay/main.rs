//! Runs on the real kernel, in every kind of sandbox that is available.

mod counters;
mod hostile;
mod inherited;
mod memory;
mod parallel;
mod sanitizer;
mod seen;
#[path = "../helper/snapshot.rs"]
mod snapshot;
mod support;
mod terminal;
mod versions;
mod without;
