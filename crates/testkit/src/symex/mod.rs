//! The corpus of programs with symbolic inputs, `tests/symex`: what its files say, and whether
//! it is true natively.
//!
//! A program's claim (this input leads to this error in this line, that one does not) is
//! checked with clang's sanitizers and the system's libc, so that the corpus can be the
//! oracle of the engine and not the other way round.

//!
//! The engine is then checked against the corpus ([`bugs`], [`exhaustive`], [`determinism`]) and
//! against real programs ([`real`]).

pub mod amplify;
pub mod bugs;
pub mod classes;
pub mod command;
pub mod confirmed;
pub mod determinism;
mod diff;
pub mod directives;
pub mod domain;
pub mod enumerate;
pub mod enumerated;
pub mod exhaustive;
pub mod explore;
pub mod injected;
pub mod input;
pub mod killed;
pub mod klee;
pub mod mutants;
pub mod native;
pub mod near;
pub mod nursery;
pub mod observed;
pub mod passage;
pub mod planted;
mod predictions;
pub mod reach;
pub mod real;
pub mod replay;
pub mod reports;
pub mod sanitized;
pub mod states;
pub mod suite;
pub mod unified;
pub mod upstream;
pub mod versions;
