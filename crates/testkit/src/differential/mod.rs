//! The differential suite: real programs, engine against native.
//!
//! A case is a command line with the tree it starts in, read from
//! `tests/differential/<package>/<program>.cases` ([`case`]). It runs twice in identical fresh
//! trees at the same path ([`run`]): natively, and with `umbra run`. Standard output, standard
//! error, exit status and the file tree left behind must be equal, the run's own times aside
//! ([`outcome`], [`tree`]); and the host's tree must be untouched by the engine, times included.
//! [`suite`] chooses the cases and builds the packages; [`table`] sums up.

pub mod case;
pub mod coverage;
pub mod outcome;
pub mod process;
pub mod run;
pub mod suite;
pub mod table;
pub mod tree;
pub mod words;
