//! Test cases through their folders: round trips, what a person sees, what `run.sh` does, and what
//! damaged or hostile folders and files lead to.

mod documented;
mod generator;
mod golden;
mod hostile;
mod kept;
mod ktest;
mod round_trip;
mod run_script;
