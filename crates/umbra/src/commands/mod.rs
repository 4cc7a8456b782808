//! One file a command.

pub mod cc;
pub mod count;
pub mod diff;
pub mod doctor;
pub mod libc;
pub mod limited;
pub mod load;
pub mod run;
