//! All integration tests, in one program.

mod fuzz;
mod large;
mod random;
mod rules;
mod smt;
mod z3;
