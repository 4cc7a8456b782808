//! Recording, tested on a program that shows what it sees (`probe.c`).
//!
//! - `transparent`: the shell scripts in the folder of that name do the same with and without shim.
//! - `captured`: what is recorded is what was there, and nothing else.
//! - `killed`: a run that is killed leaves nothing that the next one does not put right.

mod captured;
mod killed;
mod transparent;
mod workplace;
