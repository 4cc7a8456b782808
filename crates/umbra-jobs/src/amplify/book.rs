//! What is known of all tests together: what was found, and which work was done, so that no two tests do the same.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use umbra_case::Case;
use umbra_strategy::Work;
use umbra_words::{Finding, Place};

/// What all workers tell.
#[derive(Default)]
pub struct Book {
    /// Work that was done, by digest: how deep, and what came of it.
    works: HashMap<u64, (u32, BTreeSet<usize>)>,
    /// What was found, in order.
    pub found: Vec<Found>,
    by_key: HashMap<(String, Place), usize>,
    /// What was cut, and how often.
    pub left_out: BTreeMap<String, u64>,
}

/// An error of the program near tests.
pub struct Found {
    pub finding: Finding,
    /// Tests that have it nearby, by position, with the least distance from each.
    pub tests: BTreeMap<usize, u32>,
    /// The least distance at which it was found, and the fewest branches there.
    pub nearest: (u32, u32),
    pub example: Example,
    /// How often an example was looked for.
    tried: u32,
}

/// An input that shows an error.
pub struct Example {
    /// The position of the test that it is nearest to.
    pub test: usize,
    pub case: Case,
    /// Bytes in which it differs from the test.
    pub changed: u64,
    /// Whether fewer do not do.
    pub is_least: bool,
}

/// Where on the way a path has ended.
#[derive(Clone, Copy)]
pub struct At {
    pub test: usize,
    pub work: Work,
    pub distance: u32,
    pub depth: u32,
}

/// Examples that are made of one error: to find the one with the fewest changes takes time.
const TRIES: u32 = 24;

impl Book {
    /// Whether this was done, as deep. What came of it then is near this test, too.
    pub fn is_done(&mut self, test: usize, work: Work, distance: u32) -> bool {
        let (digest, bound) = match work {
            Work::Seed => return false,
            Work::Check(digest) => (digest, 0),
            Work::Point { digest, bound } => (digest, bound),
        };
        let Some((done, found)) = self.works.get(&digest) else { return false };
        if *done < bound {
            return false;
        }
        for &index in found {
            self.found[index].add_test(test, distance);
        }
        true
    }

    /// This work is done from here on.
    pub fn begins(&mut self, work: Work) {
        match work {
            Work::Seed => {}
            Work::Check(digest) => {
                self.works.entry(digest).or_default();
            }
            Work::Point { digest, bound } => {
                self.works.entry(digest).or_default().0 = bound;
            }
        }
    }

    /// Whether another example of this error may be better than what there is.
    pub fn wants(&mut self, finding: &Finding) -> bool {
        let key = (finding.kind.clone(), finding.place.clone());
        let Some(&index) = self.by_key.get(&key) else { return true };
        let found = &mut self.found[index];
        found.tried += 1;
        found.example.changed > 1 && found.tried < TRIES
    }

    /// An error was found; with an example, if one was made.
    pub fn add(&mut self, at: At, finding: Finding, example: Option<Example>) {
        let key = (finding.kind.clone(), finding.place.clone());
        let index = match (self.by_key.get(&key), example) {
            (Some(&index), Some(example)) => {
                let found = &mut self.found[index];
                if example.changed < found.example.changed {
                    found.example = example;
                    found.finding = finding;
                }
                index
            }
            (Some(&index), None) => index,
            (None, Some(example)) => {
                let (tests, nearest) = (BTreeMap::new(), (at.distance, at.depth));
                self.found.push(Found { finding, tests, nearest, example, tried: 1 });
                self.by_key.insert(key, self.found.len() - 1);
                self.found.len() - 1
            }
            // Whoever asked whether an example is wanted has made one.
            (None, None) => return,
        };
        let found = &mut self.found[index];
        found.nearest = found.nearest.min((at.distance, at.depth));
        found.add_test(at.test, at.distance);
        let digest = match at.work {
            Work::Seed => return,
            Work::Check(digest) | Work::Point { digest, .. } => digest,
        };
        self.works.entry(digest).or_default().1.insert(index);
    }

    /// Something was cut.
    pub fn leave_out(&mut self, what: String) {
        *self.left_out.entry(what).or_default() += 1;
    }
}

impl Found {
    fn add_test(&mut self, test: usize, distance: u32) {
        let known = self.tests.entry(test).or_insert(distance);
        *known = distance.min(*known);
    }
}
