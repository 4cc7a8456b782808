//! What tests of several crates share. For development only.
//!
//! Each module is a kind of test whose cases are data: [`differential`] runs real programs in the
//! engine and natively, [`filetest`] small C programs with marked errors, [`symex`] programs
//! with symbolic inputs, [`recordings`] what test suites feed to programs, [`csmith`] random programs,
//! [`generate`] random programs of which every input is known, [`damage`] broken bitcode.

pub mod csmith;
pub mod damage;
pub mod differential;
pub mod filetest;
pub mod generate;
pub mod limits;
pub mod recordings;
pub mod symex;
