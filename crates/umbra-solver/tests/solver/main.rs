//! Backends and the chain against each other and against exhaustive enumeration.

mod dimacs;
mod floats;
mod fuzz;
mod layers;
mod queries;
mod random;
