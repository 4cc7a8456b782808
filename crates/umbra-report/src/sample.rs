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

impl Sample {
    /// The names of the columns of `stats.csv`, without a newline.
    pub const CSV_HEADER: &str = "seconds,instructions,paths,states,covered_lines,lines,queries,\
                                  solver_seconds,memory_mib,tests";

    /// The sample as a row of `stats.csv`, without a newline.
    pub fn csv_row(&self) -> String {
        let Self { seconds, instructions, paths, states, covered_lines, .. } = self;
        let Self { lines, queries, solver_seconds, memory_mib, tests, .. } = self;
        format!(
            "{seconds:.3},{instructions},{paths},{states},{covered_lines},{lines},{queries},\
             {solver_seconds:.3},{memory_mib:.1},{tests}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_the_columns_of_the_header() {
        let sample = Sample {
            seconds: 1.5,
            instructions: 2,
            paths: 3,
            states: 4,
            covered_lines: 5,
            lines: 6,
            queries: 7,
            solver_seconds: 0.8,
            memory_mib: 9.25,
            tests: 10,
        };
        assert_eq!(sample.csv_row(), "1.500,2,3,4,5,6,7,0.800,9.2,10");
        let columns = |text: &str| text.split(',').count();
        assert_eq!(columns(&sample.csv_row()), columns(Sample::CSV_HEADER));
    }
}
