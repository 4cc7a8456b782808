//! Errors of the program under test, one for each place and kind.
//!
//! Many paths lead to one mistake. Findings with the same kind at the same line are one finding,
//! represented by one of its test cases, with a count.

use std::collections::BTreeMap;
use std::path::Path;

use umbra_text::Show;
use umbra_words::{Finding, Place};

use crate::numbers::{counted, times};

/// Which of several findings of one kind at one place stands for all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// The first.
    #[default]
    First,
    /// The one with the smallest input; the first of those.
    Smallest,
}

/// What became of a finding that was added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// The first of its kind at its place.
    New,
    /// It now stands for one that was known.
    Better,
    /// One like it is known; it was counted.
    Known,
}

/// Findings by place and kind; iterated in the order of file, line, kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    keep: Keep,
    by_place: BTreeMap<(Place, String), (Finding, u64)>,
}

impl Findings {
    /// No findings yet.
    pub fn new(keep: Keep) -> Self {
        Self { keep, by_place: BTreeMap::new() }
    }

    /// What adding this finding would do; to decide whether its test case is worth writing.
    pub fn would_be(&self, finding: &Finding) -> Seen {
        match self.by_place.get(&(finding.place.clone(), finding.kind.clone())) {
            None => Seen::New,
            Some((known, _)) if self.is_better(finding, known) => Seen::Better,
            Some(_) => Seen::Known,
        }
    }

    fn is_better(&self, finding: &Finding, known: &Finding) -> bool {
        self.keep == Keep::Smallest && finding.input_bytes < known.input_bytes
    }

    /// Adds a finding, or counts it if one of its kind at its place is known.
    pub fn add(&mut self, finding: Finding) -> Seen {
        let seen = self.would_be(&finding);
        let key = (finding.place.clone(), finding.kind.clone());
        match self.by_place.get_mut(&key) {
            None => {
                self.by_place.insert(key, (finding, 1));
            }
            Some((known, count)) => {
                *count += 1;
                if seen == Seen::Better {
                    *known = finding;
                }
            }
        }
        seen
    }

    /// Adds one that was added so often in another process.
    pub fn restore(&mut self, finding: Finding, count: u64) {
        let key = (finding.place.clone(), finding.kind.clone());
        self.by_place.insert(key, (finding, count));
    }

    /// How many there are: kinds at places, not paths.
    pub fn len(&self) -> usize {
        self.by_place.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.by_place.is_empty()
    }

    /// Each with the number of times that it was added.
    pub fn iter(&self) -> impl Iterator<Item = (&Finding, u64)> {
        self.by_place.values().map(|(finding, count)| (finding, *count))
    }
}

/// A finding for people: what, where, how it is reached, how to see it.
///
/// `run` is the folder of the run, which `case` is relative to.
pub fn finding_text(finding: &Finding, count: u64, run: &Path) -> String {
    let mut text =
        format!("{} at {}, seen {}\n", finding.kind.shown(), finding.place, times(count));
    for (depth, line) in finding.stack.iter().enumerate() {
        text += &format!("    #{depth} {}\n", line.shown());
    }
    if !finding.detail.is_empty() {
        text += &format!("\n{}\n", finding.detail.trim_end());
    }
    text += "\n";
    match &finding.case {
        Some(case) => {
            text += &format!(
                "Test case: {} ({} of input)\nTo reproduce: {} PROGRAM\n",
                run.join(case).shown(),
                counted(finding.input_bytes, "byte"),
                run.join(case).join("run.sh").shown(),
            );
        }
        None => text += "No test case was written.\n",
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(kind: &str, file: &str, line: u32, input_bytes: u64) -> Finding {
        let place = Place { file: file.to_owned(), line };
        let case = Some(format!("cases/{input_bytes:06}"));
        Finding { kind: kind.to_owned(), place, case, input_bytes, ..Finding::default() }
    }

    /// Kind, line, bytes of input and count of each.
    fn shown(findings: &Findings) -> Vec<(&str, u32, u64, u64)> {
        let all = findings.iter();
        all.map(|(finding, count)| (&*finding.kind, finding.place.line, finding.input_bytes, count))
            .collect()
    }

    #[test]
    fn equal_places_and_kinds_are_one_finding() {
        let mut findings = Findings::new(Keep::First);
        for (kind, line, bytes, seen) in [
            ("trap", 7, 5, Seen::New),
            ("abort", 7, 5, Seen::New),
            ("trap", 3, 5, Seen::New),
            ("trap", 7, 1, Seen::Known),
        ] {
            let finding = finding(kind, "a.c", line, bytes);
            assert_eq!(findings.would_be(&finding), seen);
            assert_eq!(findings.add(finding), seen);
        }
        let expected = [("trap", 3, 5, 1), ("abort", 7, 5, 1), ("trap", 7, 5, 2)];
        assert_eq!(shown(&findings), expected);
        assert_eq!(findings.len(), 3);
    }

    #[test]
    fn the_smallest_input_stands_for_all() {
        let mut findings = Findings::new(Keep::Smallest);
        for (bytes, seen) in [(5, Seen::New), (9, Seen::Known), (2, Seen::Better), (2, Seen::Known)]
        {
            assert_eq!(findings.add(finding("trap", "a.c", 1, bytes)), seen);
        }
        assert_eq!(shown(&findings), [("trap", 1, 2, 4)]);
    }

    #[test]
    fn the_order_is_that_of_the_source_however_they_came() {
        let mut one = Findings::new(Keep::Smallest);
        let mut other = Findings::new(Keep::Smallest);
        let all = [("b.c", 1), ("a.c", 10), ("a.c", 9), ("", 0)]
            .map(|(file, line)| finding("trap", file, line, 1));
        all.iter().cloned().for_each(|finding| {
            one.add(finding);
        });
        all.iter().rev().cloned().for_each(|finding| {
            other.add(finding);
        });
        assert_eq!(one, other);
        let places: Vec<String> =
            one.iter().map(|(finding, _)| finding.place.to_string()).collect();
        assert_eq!(places, ["an unknown place", "a.c:9", "a.c:10", "b.c:1"]);
    }

    #[test]
    fn a_finding_reads_as_it_should() {
        let mut finding = finding("out-of-bounds-write", "src/cut.c", 412, 12);
        finding.stack =
            vec!["fill at src/cut.c:412".to_owned(), "main at src/cut.c:600".to_owned()];
        finding.detail = "0 bytes after the end of heap object of 10 bytes\n".to_owned();
        assert_eq!(
            finding_text(&finding, 3, Path::new("runs/0001")),
            "out-of-bounds-write at src/cut.c:412, seen 3 times\n    \
                #0 fill at src/cut.c:412\n    \
                #1 main at src/cut.c:600\n\
             \n\
             0 bytes after the end of heap object of 10 bytes\n\
             \n\
             Test case: runs/0001/cases/000012 (12 bytes of input)\n\
             To reproduce: runs/0001/cases/000012/run.sh PROGRAM\n"
        );
        let bare = Finding { kind: "trap".to_owned(), ..Finding::default() };
        assert_eq!(
            finding_text(&bare, 1, Path::new("r")),
            "trap at an unknown place, seen once\n\nNo test case was written.\n"
        );
    }
}
