//! The programs, their budgets, and what KLEE does with them.
//!
//! KLEE's figures are those of version 3.3-pre (STP 2.3.4, LLVM 16, release build, without a forked
//! solver where that is faster) on one core of a machine with two: `clang -O1 -g` for the C files,
//! coreutils 9.1 on klee-uclibc. Its coverage is of instructions in the whole linked module, libc
//! included; that of a program's own source is not known.

use std::time::Duration;

/// Where a program comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A C file of ours, which makes its own inputs.
    Source,
    /// A program of coreutils, with symbolic arguments and a symbolic file.
    Coreutils,
}

/// What KLEE did.
#[derive(Clone, Copy, Debug)]
pub struct Klee {
    /// Seconds until it was done or stopped.
    pub seconds: f64,
    /// Paths that it completed.
    pub paths: f64,
    /// Instructions covered, in percent.
    pub coverage: Option<f64>,
}

/// What is to be reached, on one worker.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Aim {
    /// So many times KLEE's paths a second.
    PathRate(f64),
    /// All paths, in less than so many seconds.
    Seconds(f64),
    /// More than KLEE's coverage, within the budget.
    Coverage,
}

/// A program to explore.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// Its name, and that of its source file.
    pub name: &'static str,
    pub origin: Origin,
    /// When to stop; programs with aims in seconds have far more than those.
    pub budget: Duration,
    pub klee: Option<Klee>,
    pub aim: Option<Aim>,
}

const fn source(name: &'static str, budget: u64, klee: (f64, f64), aim: Aim) -> Program {
    let klee = Some(Klee { seconds: klee.0, paths: klee.1, coverage: None });
    let budget = Duration::from_secs(budget);
    Program { name, origin: Origin::Source, budget, klee, aim: Some(aim) }
}

const fn coreutil(name: &'static str, budget: u64, klee: (f64, f64, f64), aim: Aim) -> Program {
    let klee = Some(Klee { seconds: klee.0, paths: klee.1, coverage: Some(klee.2) });
    let budget = Duration::from_secs(budget);
    Program { name, origin: Origin::Coreutils, budget, klee, aim: Some(aim) }
}

/// A program of coreutils for which there are no figures of KLEE's.
const fn alone(name: &'static str, budget: u64) -> Program {
    let budget = Duration::from_secs(budget);
    Program { name, origin: Origin::Coreutils, budget, klee: None, aim: None }
}

/// KLEE's symbolic inputs for the programs of coreutils.
pub const INPUTS: [&str; 7] = ["--sym-args", "0", "2", "4", "--sym-files", "1", "8"];

/// All programs, with KLEE's seconds, paths and coverage.
pub const PROGRAMS: [Program; 9] = [
    // Many cheap paths: a parser of ten bytes.
    source("numlist", 20, (60.0, 76_100.0), Aim::PathRate(5.0)),
    // Symbolic indices into a table.
    source("hashtab", 60, (5.8, 62.0), Aim::Seconds(0.5)),
    // A multiplicative hash of symbolic bytes.
    source("hashtab32", 20, (60.0, 70.0), Aim::PathRate(10.0)),
    coreutil("echo", 60, (58.0, 10_894.0, 16.9), Aim::Seconds(12.0)),
    coreutil("cut", 12, (60.0, 619.0, 37.3), Aim::Coverage),
    coreutil("tail", 12, (60.0, 14.0, 31.7), Aim::Coverage),
    coreutil("seq", 12, (60.0, 197.0, 39.8), Aim::Coverage),
    alone("wc", 12),
    alone("tr", 12),
];
