//! What tests of several crates share. For development only.
//!
//! [`differential`] runs real programs in the engine and natively and compares what they did.

pub mod differential;
