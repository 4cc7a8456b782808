//! The lines of the new version that the patch shows, and how many cases run them: what tools for coverage get.
//!
//! Lines that only the old version has are left out, since such tools know one version. A line that only an input of a
//! finding runs counts one.

use std::collections::BTreeMap;

use crate::{CheckReport, PatchFile};

/// Lines with code, each with the cases that run it.
pub(super) type Runs = BTreeMap<u32, u64>;

impl CheckReport {
    /// The lines of each file that has some, by the name of the file.
    pub(super) fn runs(&self) -> BTreeMap<&str, Runs> {
        let mut files: BTreeMap<&str, Runs> = BTreeMap::new();
        for file in &self.patch {
            files.entry(&file.path).or_default().extend(of_file(file));
        }
        files.retain(|_, lines| !lines.is_empty());
        files
    }
}

fn of_file(file: &PatchFile) -> Runs {
    let lines = file.hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.has_code());
    lines
        .filter_map(|line| Some((line.new?, line.tests.unwrap_or(0).max(u64::from(line.reached)))))
        .collect()
}

/// How many lines ran.
pub(super) fn hit(lines: &Runs) -> usize {
    lines.values().filter(|runs| **runs > 0).count()
}

#[cfg(test)]
mod tests {
    use crate::sample_check;

    #[test]
    fn lines_of_the_new_version_have_their_cases() {
        let report = sample_check();
        let runs = report.runs();
        let average: Vec<(u32, u64)> = runs["src/average.c"].clone().into_iter().collect();
        assert_eq!(average, [(10, 61), (11, 61), (12, 61), (13, 61), (24, 12)]);
        let table: Vec<(u32, u64)> = runs["src/table größe.c"].clone().into_iter().collect();
        assert_eq!(table, [(44, 44), (45, 1), (64, 0), (65, 0)]);
    }
}
