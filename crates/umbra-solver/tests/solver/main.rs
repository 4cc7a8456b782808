//! Backends and the chain against each other and against exhaustive enumeration.

mod fuzz;
mod random;
