//! Lines that ran: counts, and lcov's tracefile.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use umbra_text::Show;

/// For every file, its lines with code, and whether they ran.
pub type LineCoverage = BTreeMap<PathBuf, BTreeMap<u32, bool>>;

/// Lines with code, and how many of them ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineCounts {
    /// Lines with code.
    pub lines: u64,
    /// Those that ran.
    pub covered: u64,
}

impl LineCounts {
    /// The counts of all files.
    pub fn of(coverage: &LineCoverage) -> Self {
        Self::of_files(coverage, |_| true)
    }

    /// The counts of the files that are wanted, as those of the program without its libc.
    pub fn of_files(coverage: &LineCoverage, wanted: impl Fn(&Path) -> bool) -> Self {
        let mut counts = Self::default();
        for (_, lines) in coverage.iter().filter(|(path, _)| wanted(path)) {
            counts.lines += lines.len() as u64;
            counts.covered += lines.values().filter(|ran| **ran).count() as u64;
        }
        counts
    }
}

/// The covered lines in lcov's format.
pub fn tracefile(coverage: &LineCoverage) -> String {
    let mut text = String::from("TN:\n");
    for (path, lines) in coverage {
        text += &format!("SF:{}\n", path.shown());
        for (line, ran) in lines {
            text += &format!("DA:{line},{}\n", u8::from(*ran));
        }
        let hit = lines.values().filter(|ran| **ran).count();
        text += &format!("LH:{hit}\nLF:{}\nend_of_record\n", lines.len());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coverage() -> LineCoverage {
        [
            ("/src/a.c", [(1, true), (2, false), (10, true)].into()),
            ("/libc/b.c", [(7, false)].into()),
        ]
        .map(|(path, lines)| (PathBuf::from(path), lines))
        .into()
    }

    #[test]
    fn lines_are_counted_by_file() {
        assert_eq!(LineCounts::of(&coverage()), LineCounts { lines: 4, covered: 2 });
        let own = LineCounts::of_files(&coverage(), |path| path.starts_with("/src"));
        assert_eq!(own, LineCounts { lines: 3, covered: 2 });
    }

    #[test]
    fn the_tracefile_is_as_lcov_wants_it() {
        assert_eq!(
            tracefile(&coverage()),
            "TN:\n\
             SF:/libc/b.c\nDA:7,0\nLH:0\nLF:1\nend_of_record\n\
             SF:/src/a.c\nDA:1,1\nDA:2,0\nDA:10,1\nLH:2\nLF:3\nend_of_record\n"
        );
    }
}
