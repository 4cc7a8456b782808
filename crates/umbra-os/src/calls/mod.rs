//! The system calls, by facility. Each takes its arguments as they come from the registers and
//! gives a [`Reply`](crate::system::Reply).

mod advise;
mod attributes;
mod clock;
mod control;
mod copy;
mod descriptor;
mod directory;
mod event;
mod identity;
mod info;
mod inotify;
mod io;
mod link;
mod memory;
mod open;
mod poll;
mod process;
mod rename;
mod seek;
mod socket;
mod stat;
mod xattr;

pub(crate) use advise::mincore;
pub(crate) use copy::End;
pub(crate) use inotify::Watch;
pub(crate) use io::Position;
pub use process::Execution;
