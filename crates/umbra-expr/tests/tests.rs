//! All integration tests, in one program.

mod fuzz;
mod random;
