//! One file a command.

pub mod accept;
pub mod amplify;
pub mod build;
pub mod case;
pub mod cc;
pub mod check;
pub mod count;
pub mod deps;
pub mod diff;
pub mod doctor;
pub mod flags;
pub mod gc;
pub mod init;
pub mod libc;
pub mod limited;
pub mod load;
pub mod log;
pub mod pages;
pub mod reach;
pub mod record;
pub mod replay;
pub mod report;
pub mod resume;
pub mod run;
pub mod search;
