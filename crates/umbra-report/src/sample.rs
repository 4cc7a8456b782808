//! Statistics at a moment of the run, and the table they are written to over time.

/// Where a run stands. All counts are since its start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// Seconds since the start.
    pub seconds: f64,
    /// LLVM instructions executed.
    pub instructions: u64,
    /// Paths that have ended.
    pub paths: u64,
    /// States to be continued.
    pub states: u64,
    /// Lines that ran.
    pub covered_lines: u64,
    /// Lines that there are; the same in each sample of a run.
    pub lines: u64,
    /// Questions to the solver.
    pub queries: u64,
    /// Seconds that they took.
    pub solver_seconds: f64,
    /// Resident memory now.
    pub memory_mib: f64,
    /// Test cases written.
    pub tests: u64,
}
