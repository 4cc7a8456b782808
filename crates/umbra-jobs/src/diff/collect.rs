//! What is learnt from the ends of paths.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use umbra_case::Case;
use umbra_engine::{Image, LEFT, Place as CodePlace, Shared, Termination, Trail};
use umbra_expr::Assignment;
use umbra_os::Kernel;
use umbra_report::{DivergenceLine, PairCounts};
use umbra_strategy::{
    Built, Observer, Output, PathDifference, PathEnd, PathJudgement, judge_path, place_of,
};
use umbra_words::{Kind, Phase, Place};

use super::ledger::Page;
use super::pairs::Parted;
use super::path;
use super::words::{cut, stream_of};
use crate::own;

/// Said of a test case that may lack inputs.
const SHORT_CASE: &str = "the path was cut: what the program asks for later is missing";

/// Under which they are counted.
pub(super) const SHORT_PATH: &str = "paths cut that may ask for more inputs";

/// Counts paths and keeps a test case or two for each place where the versions part.
pub struct Collector<'a> {
    pub image: &'a Image,
    pub built: Arc<Built>,
    pub function: Option<&'a str>,
    /// Where divergences and their test cases go, while there is a turn.
    pub page: Option<Page<'a>>,
    pub tests_per_place: u64,
    /// The phase of the search.
    pub phase: Phase,
    /// The test that is followed, if one is.
    pub seed: Option<Assignment>,
    /// What it is called.
    pub seed_name: Option<&'a str>,
    /// Test cases that there was a place for.
    pub kept: u64,
    pub found: Found,
    /// Paths on which the versions parted, until all is known of them.
    pub parted: Parted,
}

/// Tells the collector what one worker comes to. What takes long is done before it is asked for.
pub struct Teller<'c, 'a> {
    collector: &'c Mutex<Collector<'a>>,
    /// How many changes had made values that differ when this was last looked at.
    pair_makers: usize,
}

impl<'c, 'a> Teller<'c, 'a> {
    pub fn new(collector: &'c Mutex<Collector<'a>>) -> Self {
        Self { collector, pair_makers: 0 }
    }

    pub fn collector(&self) -> MutexGuard<'c, Collector<'a>> {
        // Nothing here is left half done by a panic.
        self.collector.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells which changes have made values that differ. There are few, and seldom new ones.
    fn tell_pairs(&mut self, shared: &Shared) {
        if shared.pair_maker_count() > self.pair_makers {
            self.pair_makers = shared.pair_maker_count();
            let mut collector = self.collector();
            let places = shared.pair_makers(collector.image);
            collector.found.paired.extend(places.iter().map(place_of));
        }
    }

    fn tell_end(&mut self, phase: Option<Phase>, end: PathEnd<'_>) {
        self.tell_pairs(end.shared);
        let judgement = judge_path(&end.termination, end.state, end.shared, end.solver);
        let mut collector = self.collector();
        let own = phase.unwrap_or(collector.phase);
        let later = std::mem::replace(&mut collector.phase, own);
        collector.path_ended(end, judgement);
        collector.phase = later;
    }
}

/// What was found, but for the divergences.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Found {
    pub same: u64,
    pub diff: u64,
    pub cut: u64,
    /// Pairs of paths behind a split.
    pub pairs: PairCounts,
    /// Why something was left out, and how often.
    pub left_out: BTreeMap<String, u64>,
    /// Where changes are that made values which differ.
    pub paired: BTreeSet<Place>,
    /// Whether the versions part on the own path of a test.
    pub test_parts: bool,
}

impl Found {
    /// Adds what another test has come to.
    pub fn merge(&mut self, other: Self) {
        let Self { same, diff, cut, pairs, left_out, paired, test_parts } = other;
        self.same += same;
        self.diff += diff;
        self.cut += cut;
        self.pairs.same += pairs.same;
        self.pairs.diff += pairs.diff;
        self.pairs.cut += pairs.cut;
        for (what, count) in left_out {
            *self.left_out.entry(what).or_default() += count;
        }
        self.paired.extend(paired);
        self.test_parts |= test_parts;
    }
}

/// The innermost place in the program's own code.
pub(super) fn own_place(stack: &[CodePlace]) -> Place {
    let own = stack.iter().find(|place| own::is_own(place.file.as_ref()));
    own.or(stack.first()).map_or(Place::default(), place_of)
}

impl Collector<'_> {
    /// A test case of the path, with its own input or another one. What it predicts is what the new version does.
    pub(super) fn case(&self, end: &mut PathEnd<'_>, input: Option<&Assignment>) -> Case {
        let mut other = end.state.fork(self.image);
        if let Some(input) = input {
            other.set_assignment(input.clone());
        }
        let (environment, termination, status) = match end.state.new_end() {
            Some(new) => (new.environment.fork(), new.termination.clone(), new.exit_status),
            None => {
                let environment = end.state.environment.fork();
                (environment, end.termination.clone(), end.state.exit_status())
            }
        };
        let termination = match (termination, status) {
            (Termination::Exited(_), Some(status)) if self.function.is_none() => {
                let status = end.shared.expressions.project_new(status);
                let number = end.shared.evaluation(other.path.assignment()).value_u64(status);
                Termination::Exited(number as i32)
            }
            (termination, _) => termination,
        };
        let kernel = Kernel::of(&*environment);
        let start = end.state.path.origin() as usize;
        let refused = end.state.memory.refused();
        let mut case =
            self.built.case(start, &other.path, kernel, refused, end.shared, &termination);
        if let Some(name) = self.seed_name {
            case.origin.insert("seed".to_owned(), name.to_owned());
        }
        if self.is_short(&termination) {
            case.origin.insert("incomplete".to_owned(), SHORT_CASE.to_owned());
        }
        if let Some(function) = self.function {
            case.origin.insert("function".to_owned(), function.to_owned());
        }
        case
    }

    /// Whether a test case of a path that ends so may lack inputs: the program would have asked for them
    /// later.
    pub(super) fn is_short(&self, termination: &Termination) -> bool {
        cut(termination).is_some() && self.image.asks_for_inputs()
    }

    /// What ends while a test is followed is the test's own path, or one beside it.
    pub(super) fn phase_of(&self, input: &Assignment) -> Phase {
        let beside = self.seed.as_ref().is_some_and(|seed| seed != input);
        if self.phase == Phase::Seed && beside { Phase::Concolic } else { self.phase }
    }

    /// Adds a path on which the versions part or leave different things behind, with a test case if there is one.
    pub(super) fn add(
        &mut self,
        line: DivergenceLine,
        trail: &Trail,
        case: impl FnOnce(&Self) -> Option<Case>,
    ) {
        let wanted = self.page.as_ref().is_some_and(|page| page.wants(&line));
        let case = if wanted { case(self) } else { None };
        let example = case.map(|case| (case, path::describe(self.image, trail)));
        if let Some(page) = &mut self.page {
            self.kept += u64::from(page.add(line, example));
        }
    }

    fn differs(&mut self, mut end: PathEnd<'_>, difference: &PathDifference) {
        let behind = difference.value;
        let behind = behind.map(|value| end.state.changes_behind(self.image, end.shared, value));
        let mut changes = behind.unwrap_or_default();
        if changes.is_empty() {
            changes = end.state.changes_apart(self.image);
        }
        let changes: Vec<Place> = changes.iter().map(place_of).collect();
        let phase = self.phase_of(&difference.input);
        let line = DivergenceLine {
            kind: Kind::Data,
            place: changes.first().cloned().unwrap_or_default(),
            class: difference.class,
            detail: format!("the first difference is in {}", self.output_name(&difference.first)),
            phase,
            changes,
            stack: Vec::new(),
            ..DivergenceLine::default()
        };
        let trail = end.state.path.trail().clone();
        self.add(line, &trail, |this| Some(this.case(&mut end, Some(&difference.input))));
    }

    /// What is different there, in words.
    pub(super) fn output_name(&self, output: &Output) -> String {
        match (output, self.function) {
            (Output::Status, Some(_)) if self.image.program.function(LEFT).is_some() => {
                "what the function returns or leaves behind its pointers".to_owned()
            }
            (Output::Status, Some(_)) => "what the function returns".to_owned(),
            (output, _) => stream_of(output),
        }
    }

    /// The end of a path, and what it says of the versions.
    fn path_ended(&mut self, end: PathEnd<'_>, judgement: PathJudgement) {
        if end.state.new_end().is_some() {
            return self.pair_ended(end, judgement);
        }
        if let Some(what) = cut(&end.termination) {
            *self.found.left_out.entry(what).or_default() += 1;
        }
        match judgement {
            PathJudgement::Same => self.found.same += 1,
            PathJudgement::Parted => {
                let is_cut = end.state.diff_path().is_none();
                *(if is_cut { &mut self.found.cut } else { &mut self.found.diff }) += 1;
                self.new_ended(end);
            }
            PathJudgement::Differs(difference) => {
                self.found.diff += 1;
                self.differs(end, &difference);
            }
            PathJudgement::Unknown(reason) => {
                self.found.cut += 1;
                let what = format!("outputs not compared: {reason}");
                *self.found.left_out.entry(what).or_default() += 1;
            }
            PathJudgement::Cut => self.found.cut += 1,
            PathJudgement::Nothing => self.excluded(end.state),
        }
    }

    /// The end of a pair of paths: what the versions leave behind on it.
    fn pair_ended(&mut self, end: PathEnd<'_>, judgement: PathJudgement) {
        let pairs = &mut self.found.pairs;
        let reason = match &judgement {
            PathJudgement::Nothing | PathJudgement::Parted => return,
            PathJudgement::Same => {
                pairs.same += 1;
                None
            }
            PathJudgement::Differs(_) => {
                pairs.diff += 1;
                None
            }
            PathJudgement::Unknown(reason) => Some(format!("outputs not compared: {reason}")),
            PathJudgement::Cut => cut(&end.termination).map(|what| format!("old version: {what}")),
        };
        if let Some(reason) = reason {
            self.found.pairs.cut += 1;
            *self.found.left_out.entry(reason).or_default() += 1;
        }
        self.compare_pair(end, judgement);
    }
}

impl Observer for Teller<'_, '_> {
    fn path_ended(&mut self, end: PathEnd<'_>) {
        self.tell_end(None, end);
    }

    fn point_ended(&mut self, phase: Phase, end: PathEnd<'_>) {
        self.tell_end(Some(phase), end);
    }

    fn phase(&mut self, phase: Phase) {
        self.collector().phase = phase;
    }

    fn diverged(&mut self, state: PathEnd<'_>) {
        self.tell_pairs(state.shared);
        self.collector().keep_divergence(state);
    }
}
