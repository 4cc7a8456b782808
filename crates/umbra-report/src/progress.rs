//! The line of progress.

use crate::Sample;
use crate::numbers::{count, counted, duration, percent, rough_percent, share, short};

/// Where a run stands, in at most `width` columns. On a narrow terminal what matters least is left
/// out; what remains keeps its order.
pub fn progress_line(sample: &Sample, width: usize) -> String {
    let speed =
        if sample.seconds > 0.0 { sample.instructions as f64 / sample.seconds } else { 0.0 };
    let solver = share(sample.solver_seconds, sample.seconds);
    let covered = share(sample.covered_lines as f64, sample.lines as f64);
    // Each with its rank: the highest goes first.
    let mut fields = vec![
        (0, duration(sample.seconds)),
        (1, counted(sample.paths, "path")),
        (3, counted(sample.states, "state")),
        (2, format!("{} of lines", percent(covered))),
        (5, format!("{} instructions/s", short(speed))),
        (6, format!("{} solver", rough_percent(solver))),
        (7, format!("{} MiB", count(sample.memory_mib.round() as u64))),
        (4, counted(sample.tests, "test")),
    ];
    loop {
        let texts: Vec<&str> = fields.iter().map(|(_, text)| &**text).collect();
        let line = texts.join("  ");
        // All of it is ASCII, so bytes are columns.
        if line.len() <= width {
            return line;
        }
        let Some(last) = fields.iter().map(|(rank, _)| *rank).max() else { return line };
        fields.retain(|(rank, _)| *rank != last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Sample {
        Sample {
            seconds: 12.34,
            instructions: 123_400_000,
            paths: 1_204,
            states: 46,
            covered_lines: 713,
            lines: 1000,
            queries: 5_012,
            solver_seconds: 8.1,
            memory_mib: 1210.4,
            tests: 57,
        }
    }

    #[test]
    fn the_line_shrinks_with_the_terminal() {
        for (width, line) in [
            (
                200,
                "12.3 s  1,204 paths  46 states  71.3 % of lines  10.0 M instructions/s  66 % solver  \
                 1,210 MiB  57 tests",
            ),
            (
                80,
                "12.3 s  1,204 paths  46 states  71.3 % of lines  10.0 M instructions/s  57 tests",
            ),
            (79, "12.3 s  1,204 paths  46 states  71.3 % of lines  57 tests"),
            (40, "12.3 s  1,204 paths  71.3 % of lines"),
            (20, "12.3 s  1,204 paths"),
            (10, "12.3 s"),
            (3, ""),
            (0, ""),
        ] {
            assert_eq!(progress_line(&sample(), width), line);
        }
    }

    #[test]
    fn the_first_line_is_there_before_anything_happened() {
        let line = "0.0 s  0 paths  0 states  0.0 % of lines  0 instructions/s  0 % solver  \
                    0 MiB  0 tests";
        assert_eq!(progress_line(&Sample::default(), 100), line);
    }

    #[test]
    fn the_line_fits_any_width() {
        for width in 0..120 {
            assert!(progress_line(&sample(), width).len() <= width);
        }
    }
}
