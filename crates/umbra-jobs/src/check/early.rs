//! What a search has found is told at once: nobody waits for a budget to be used up to hear of a crash.
//!
//! The test cases that appear in the folder of a search run natively, a few at a time. This is news; what counts is made in
//! the end, of all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use umbra_case::Case;
use umbra_compare::Outcome;
use umbra_report::CheckFinding;
use umbra_words::{Class, End};

use super::{CheckWatch, Told};
use crate::cases::program_of;
use crate::finding::{behaviour, verdict};
use crate::native::{Native, Trial};
use crate::replay::Pair;

/// Time between two looks.
const PAUSE: Duration = Duration::from_secs(1);

/// Test cases that run at one look, and in all.
const AT_ONCE: usize = 4;
const MOST: usize = 100;

/// Looks at the folder of a search.
pub struct Early<'a> {
    native: &'a Native,
    pair: &'a Pair,
    watch: &'a CheckWatch<'a>,
    /// When the check began.
    start: Instant,
    next: Instant,
    /// Seconds from then until a test case was there, by the name of its folder.
    since: BTreeMap<String, f64>,
    /// Those that did not run yet.
    waiting: Vec<String>,
    runs: usize,
    told: BTreeSet<(Class, String)>,
}

impl<'a> Early<'a> {
    /// For a search that is just starting.
    pub fn new(
        native: &'a Native,
        pair: &'a Pair,
        watch: &'a CheckWatch<'a>,
        start: Instant,
    ) -> Self {
        Self {
            native,
            pair,
            watch,
            start,
            next: Instant::now(),
            since: BTreeMap::new(),
            waiting: Vec::new(),
            runs: 0,
            told: BTreeSet::new(),
        }
    }

    /// Looks for new test cases in a folder, if it is time to.
    pub fn look(&mut self, folder: &Path) {
        if Instant::now() < self.next {
            return;
        }
        self.notice(folder);
        let count = self.waiting.len().min(AT_ONCE).min(MOST - self.runs);
        for name in self.waiting.drain(..count).collect::<Vec<_>>() {
            self.runs += 1;
            // One that is not whole yet is looked at in the end.
            if let Ok(case) = Case::read(&folder.join(name)) {
                self.run(&case);
            }
        }
        self.next = Instant::now() + PAUSE;
    }

    /// Seconds from the start of the check until the test case of this name was there.
    pub fn seconds(&self, name: &str) -> Option<f64> {
        self.since.get(name.rsplit('/').next()?).copied()
    }

    fn notice(&mut self, folder: &Path) {
        let seconds = self.start.elapsed().as_secs_f64();
        let mut new = Vec::new();
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if !self.since.contains_key(&name) {
                self.since.insert(name.clone(), seconds);
                new.push(name);
            }
        }
        new.sort();
        self.waiting.extend(new);
    }

    fn run(&mut self, case: &Case) {
        let name = program_of(case);
        let on = |version: &'a crate::replay::versions::Version| version.executables(&name);
        let (Some(old), Some(new)) = (on(&self.pair.old), on(&self.pair.new)) else { return };
        let judged = self.native.judge_all(&[Trial { case, old, new }]);
        // What cannot be run now is looked at in the end.
        let Some(Ok(judgement)) = judged.into_iter().next() else { return };
        // It may be slow, and has little time here.
        let hangs = |outcome: &Outcome| matches!(outcome.end, End::Hung | End::OverLimit(_));
        if hangs(&judgement.old) || hangs(&judgement.new) {
            return;
        }
        let verdict = verdict(&name, judgement.class, &judgement, None);
        if !judgement.class.is_finding() || !self.told.insert((judgement.class, verdict.clone())) {
            return;
        }
        let finding = CheckFinding {
            class: judgement.class,
            verdict,
            shell: case.shell_line(&format!("./{name}")),
            program: name,
            confirmed: true,
            old: behaviour(&judgement.old),
            new: behaviour(&judgement.new),
            ..CheckFinding::default()
        };
        (self.watch.tell)(Told::Found(&finding));
    }
}
