//! Exploration of small programs: everything is found, limits hold, equal runs are equal.

mod determinism;
mod failures;
mod journal;
mod limits;
mod long_paths;
mod parallel;
mod points;
mod setting;
mod versions;
