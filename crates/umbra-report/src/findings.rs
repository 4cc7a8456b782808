//! Errors of the program under test, one for each place and kind.
//!
//! Many paths lead to one mistake. Findings with the same kind at the same line are one finding,
//! represented by one of its test cases, with a count.

use std::collections::BTreeMap;

/// A line of the program under test.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The source file; empty if it is not known.
    pub file: String,
    /// The line in it; 0 if it is not known.
    pub line: u32,
}

/// An error of the program under test, seen on a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finding {
    /// The stable name of the kind, as "out-of-bounds-write".
    pub kind: String,
    /// Where it happened.
    pub place: Place,
    /// The call stack, the innermost call first, one line each.
    pub stack: Vec<String>,
    /// More, for people: the access, the object, where that came from.
    pub detail: String,
    /// The folder of the test case that shows it, relative to the run's; `None` if there is none.
    pub case: Option<String>,
    /// How large the input is that shows it, in bytes.
    pub input_bytes: u64,
}

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
