//! What tests of several crates share. For development only.

pub mod csmith;
pub mod damage;
pub mod filetest;
