//! All integration tests, in one program.

mod fuzz;
mod random;
mod rules;
mod smt;
mod z3;
