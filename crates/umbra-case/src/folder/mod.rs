//! The folder of a case.

mod read;
mod write;
