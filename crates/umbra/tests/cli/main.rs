//! Tests of the `umbra` command, as one binary: linking is what takes long.
//!
//! They need the set-up (`make setup`): clang 19 and the built libc.

mod amplify;
mod cc;
mod compare;
mod deps;
mod diff;
mod diff_seeds;
mod doctor;
mod explore;
mod from;
mod install;
mod kept;
mod limits;
mod project;
mod reach;
mod record;
mod refused_pairs;
mod replay;
mod resume;
mod run;
mod streams;
mod support;
mod terminal;
mod threads;
mod two_programs;
mod undefined;
mod untrusted;
