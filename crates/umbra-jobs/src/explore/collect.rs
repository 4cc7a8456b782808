//! What all workers tell, in one place: counts of paths, and which of them become test cases.
//!
//! Paths end tens of thousands of times a second, and a test case is a folder. So a case is made
//! only for a path that is to have one, and is written by a thread of its own ([`super::write`]).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use umbra_case::Case;
use umbra_engine::{ErrorReport, Termination};
use umbra_report::{PathEnd, Search};
use umbra_strategy::place_of;
use umbra_words::{Finding, Place};

use super::write::{Message, Queue};
use crate::journal::pairs;
use crate::{WhichTests, own};

/// The limit that ends paths which are still open when the run is over.
const END_OF_RUN: &str = "run";

/// Test cases that there is always room for: writing them takes a second or so.
const ALWAYS: u64 = 1_000;

/// The most test cases, unless another number was given.
pub const MOST: u64 = 10_000;

/// Test cases that wait to be written when writing cannot keep up.
const BEHIND: u64 = 256;

/// How many test cases there are to be, beside those for new code and new errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Most {
    /// So many.
    Exactly(u64),
    /// Not so many that the run takes longer for them.
    AsFastAsWritten,
}

/// What all workers tell.
pub struct Collector {
    tests: WhichTests,
    most: Most,
    queue: Queue,
    told: Arc<Mutex<Told>>,
}

/// What was told so far.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Told {
    /// Paths by how they ended.
    #[serde(with = "terminations")]
    pub search: Search,
    /// Limits that ended paths.
    pub limits: BTreeSet<String>,
    /// What is not modelled, by name.
    pub unsupported: BTreeSet<String>,
    /// Failures of the engine itself.
    pub bugs: BTreeSet<String>,
    /// Paths that were not followed to their end before the run was over, but have an input.
    pub open: u64,
    /// Paths that got no test case because there were too many.
    pub left_out: u64,
    /// Test cases asked for.
    cases: u64,
    /// The smallest input of each error, by place and kind.
    #[serde(with = "pairs")]
    errors: BTreeMap<(Place, String), u64>,
}

impl Collector {
    /// So much was told before.
    pub fn new(tests: WhichTests, most: Most, queue: Queue, told: Told) -> Self {
        Self { tests, most, queue, told: Arc::new(Mutex::new(told)) }
    }

    /// What was told in all.
    pub fn into_told(self) -> Told {
        std::mem::take(&mut *self.told())
    }

    /// What is told, for who has to know before all is.
    pub fn told_so_far(&self) -> Arc<Mutex<Told>> {
        Arc::clone(&self.told)
    }

    fn told(&self) -> std::sync::MutexGuard<'_, Told> {
        // Nothing here is left half done by a panic.
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what a path asked for that is not modelled.
    pub fn unsupported(&self, names: impl Iterator<Item = String>) {
        self.told().unsupported.extend(names);
    }

    /// Notes that a path was refused memory that another machine may have.
    pub fn allocation_refused(&self) {
        self.told().limits.insert("allocation".to_owned());
    }

    /// Takes the end of a path, on which something may have run for the first time. `case` makes its
    /// test case, and is called only if there is to be one.
    pub fn path_ended(&self, termination: &Termination, is_new: bool, case: impl FnOnce() -> Case) {
        match termination {
            Termination::Error(report) => self.error(report, case),
            // The program asked for no test.
            Termination::Silent => self.told().count(termination),
            // Not a path: its input was not to be run.
            Termination::Excluded => {}
            _ => {
                let mut told = self.told();
                told.count(termination);
                let wanted = self.wants(&mut told, is_new);
                drop(told);
                if wanted {
                    self.queue.send(Message::Case { case: Box::new(case()), finding: None });
                }
            }
        }
    }

    /// Whether a path that ended without an error gets a test case.
    fn wants(&self, told: &mut Told, is_new: bool) -> bool {
        let wanted = match self.tests {
            WhichTests::All => true,
            WhichTests::New => is_new,
            WhichTests::Errors | WhichTests::None => false,
        };
        if wanted && !is_new && !self.has_room(told) {
            told.left_out += 1;
            return false;
        }
        told.cases += u64::from(wanted);
        wanted
    }

    fn has_room(&self, told: &Told) -> bool {
        match self.most {
            Most::Exactly(most) => told.cases < most,
            Most::AsFastAsWritten => {
                told.cases < ALWAYS || told.cases < MOST && self.queue.waiting() < BEHIND
            }
        }
    }

    fn error(&self, report: &ErrorReport, case: impl FnOnce() -> Case) {
        let mut finding = finding(report);
        let case = (self.tests != WhichTests::None).then(case);
        finding.input_bytes = case.as_ref().map_or(0, Case::input_bytes);
        let mut told = self.told();
        told.search.add_path(PathEnd::Error, &finding.kind);
        let key = (finding.place.clone(), finding.kind.clone());
        let smallest = told.errors.get(&key).copied();
        let is_better = smallest.is_none_or(|smallest| finding.input_bytes < smallest);
        if is_better {
            told.errors.insert(key, finding.input_bytes);
        }
        let room = self.tests == WhichTests::All && self.has_room(&told);
        let case = case.filter(|_| is_better || room);
        told.cases += u64::from(case.is_some());
        told.left_out += u64::from(self.tests == WhichTests::All && case.is_none());
        // Under the lock, so that findings arrive in the order in which they were judged.
        self.queue.send(match case {
            Some(case) => Message::Case { case: Box::new(case), finding: Some(finding) },
            None => Message::Finding(finding),
        });
    }
}

impl Told {
    fn count(&mut self, termination: &Termination) {
        let (end, name) = match termination {
            Termination::Limit(END_OF_RUN) => {
                self.open += 1;
                return;
            }
            Termination::Limit(what) => {
                let name = limit_name(what);
                self.limits.insert(name.to_owned());
                (PathEnd::Cut, name)
            }
            Termination::Unsupported { what, .. } => {
                self.unsupported.insert(what.clone());
                (PathEnd::Cut, termination.name())
            }
            Termination::EngineBug(message) => {
                self.bugs.insert(message.clone());
                (PathEnd::Cut, termination.name())
            }
            _ => (PathEnd::Completed, termination.name()),
        };
        self.search.add_path(end, name);
    }
}

/// Of a search only how paths ended is known before all have.
mod terminations {
    use serde::{Deserializer, Serializer};
    use umbra_report::Search;

    use super::pairs;

    pub fn serialize<S: Serializer>(search: &Search, to: S) -> Result<S::Ok, S::Error> {
        pairs::serialize(&search.terminations, to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Search, D::Error> {
        let terminations = pairs::deserialize(from)?;
        Ok(Search { terminations, ..Search::default() })
    }
}

/// A limit of one path, by the name of its flag.
fn limit_name(what: &'static str) -> &'static str {
    match what {
        "instructions" => "path-instructions",
        other => other,
    }
}

/// An error as it is reported.
pub fn finding(report: &ErrorReport) -> Finding {
    // The innermost place in the program's own code: an error in a function of libc is that of
    // its caller, and two callers are two errors.
    let own = report.stack.iter().find(|place| own::is_own(place.file.as_ref()));
    let place = own.or(report.stack.first());
    let without_stack = ErrorReport { stack: Vec::new(), ..report.clone() };
    Finding {
        kind: report.kind.name().to_owned(),
        place: place.map(place_of).unwrap_or_default(),
        stack: report.stack.iter().map(ToString::to_string).collect(),
        detail: without_stack.to_string(),
        case: None,
        input_bytes: 0,
    }
}
