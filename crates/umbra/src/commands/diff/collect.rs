//! What is learnt from the ends of paths.

use std::collections::{BTreeMap, BTreeSet};

use umbra_case::Case;
use umbra_engine::{Cause, Divergence, Image, Place as CodePlace, Termination, Trail};
use umbra_report::{DivergenceLine, PathLines, Place, RunFolder};
use umbra_strategy::{Built, Judgement, Observer, PathEnd, SeedPhase, judge};

use super::path;
use crate::commands::run::own;

/// Said of a test case that may lack inputs.
const SHORT_CASE: &str = "the path was cut: what the program asks for later is missing";

/// Under which they are counted.
const SHORT_PATH: &str = "paths cut that may ask for more inputs";

/// Counts paths and keeps a test case or two for each place where the versions part.
pub struct Collector<'a> {
    pub image: &'a Image,
    pub built: &'a Built,
    pub function: Option<&'a str>,
    pub folder: RunFolder,
    pub tests_per_place: u64,
    /// The phase of the search.
    pub phase: &'static str,
    /// The test that is followed, if one is.
    pub seed: Option<umbra_expr::Assignment>,
    /// What it is called.
    pub seed_name: Option<&'a str>,
    pub found: Found,
    /// How many changes have made values that differ, when this was last looked at.
    pub pair_makers: usize,
}

/// What was found.
#[derive(Default)]
pub struct Found {
    pub same: u64,
    pub diff: u64,
    pub cut: u64,
    /// Why something was left out, and how often.
    pub left_out: BTreeMap<String, u64>,
    /// By what they have in common.
    pub divergences: BTreeMap<Key, Group>,
    /// Where changes are that made values which differ.
    pub paired: BTreeSet<Place>,
    /// The first thing that could not be written.
    pub failure: Option<umbra_report::Error>,
}

/// Paths on which the versions part in the same place for the same reason.
pub struct Group {
    pub line: DivergenceLine,
    /// Their test cases, the first that was found first.
    pub cases: Vec<Written>,
}

/// A test case in the folder of the run. Its tree may be large, so it is read again when it runs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Written {
    /// Bytes of its inputs.
    pub size: u64,
    /// Where it is in the folder of the run.
    pub name: String,
    /// The path to the divergence on its input.
    pub path: PathLines,
}

/// What they have in common.
pub type Key = (Place, String, String, String, Vec<Place>);

/// The phases, in the order in which they follow each other.
const PHASES: [&str; 4] = ["seed", "concolic", "bounded", "complete"];

fn rank(phase: &str) -> usize {
    PHASES.iter().position(|name| *name == phase).unwrap_or(PHASES.len())
}

fn place_of(place: &CodePlace) -> Place {
    Place { file: place.file.clone(), line: place.line }
}

/// The innermost place in the program's own code.
fn own_place(stack: &[CodePlace]) -> Place {
    let own = stack.iter().find(|place| own::is_own(place.file.as_ref()));
    own.or(stack.first()).map_or(Place::default(), place_of)
}

impl Collector<'_> {
    fn case(&self, end: &mut PathEnd<'_>, input: Option<umbra_expr::Assignment>) -> Case {
        let environment = end.state.environment.fork();
        let environment: Box<dyn std::any::Any> = environment;
        let kernel: Box<umbra_os::Kernel> =
            environment.downcast().expect("programs run in this kernel");
        let start = end.state.path.origin() as usize;
        let refused = end.state.memory.refused();
        let mut case = match input {
            None => self.built.case(
                start,
                &end.state.path,
                &kernel,
                refused,
                end.shared,
                &end.termination,
            ),
            Some(input) => {
                let mut other = end.state.fork(self.image);
                other.set_assignment(input);
                self.built.case(start, &other.path, &kernel, refused, end.shared, &end.termination)
            }
        };
        if let Some(name) = self.seed_name {
            case.origin.insert("seed".to_owned(), name.to_owned());
        }
        if self.is_short(&end.termination) {
            case.origin.insert("incomplete".to_owned(), SHORT_CASE.to_owned());
        }
        if let Some(function) = self.function {
            case.origin.insert("function".to_owned(), function.to_owned());
        }
        case
    }

    /// Whether a test case of a path that ends so may lack inputs: the program would have asked for them
    /// later.
    fn is_short(&self, termination: &Termination) -> bool {
        cut(termination).is_some() && self.image.asks_for_inputs()
    }

    /// What ends while a test is followed is the test's own path, or one beside it.
    fn phase_of(&self, input: &umbra_expr::Assignment) -> String {
        let beside = self.seed.as_ref().is_some_and(|seed| seed != input);
        let phase = if self.phase == "seed" && beside { "concolic" } else { self.phase };
        phase.to_owned()
    }

    fn add(&mut self, line: DivergenceLine, trail: &Trail, case: impl FnOnce(&Self) -> Case) {
        let key = (
            line.place.clone(),
            line.kind.clone(),
            line.class.clone(),
            line.detail.clone(),
            line.changes.clone(),
        );
        let known = self.found.divergences.get(&key).map_or(0, |group| group.line.count);
        let mut written = None;
        if known < self.tests_per_place && self.found.failure.is_none() {
            let case = case(self);
            match self.folder.write_case(&case) {
                Ok(folder) => {
                    let path = path::describe(self.image, trail);
                    written = Some(Written { size: case.input_bytes(), name: folder.name, path });
                }
                Err(error) => self.found.failure = Some(error),
            }
        }
        let phase = line.phase.clone();
        let empty = || Group { line, cases: Vec::new() };
        let group = self.found.divergences.entry(key).or_insert_with(empty);
        group.line.count += 1;
        // The first phase that finds it says how it was found; its path may end after later ones.
        if rank(&phase) < rank(&group.line.phase) {
            group.line.phase = phase;
        }
        // Paths that part again later may have the same input.
        let is_known = |written: &Written| group.cases.iter().any(|case| case.name == written.name);
        if let Some(written) = written.filter(|written| !is_known(written)) {
            group.cases.push(written);
        }
    }

    /// Keeps the changes that have made values which differ. There are few, and seldom new ones.
    fn note_pairs(&mut self, shared: &umbra_engine::Shared) {
        if shared.pair_maker_count() > self.pair_makers {
            self.pair_makers = shared.pair_maker_count();
            self.found.paired.extend(shared.pair_makers(self.image).iter().map(place_of));
        }
    }

    fn parted(&mut self, mut end: PathEnd<'_>) {
        let Some(divergence) = end.state.divergence().cloned() else { return };
        if self.is_short(&end.termination) {
            *self.found.left_out.entry(SHORT_PATH.to_owned()).or_default() += 1;
        }
        let line = DivergenceLine {
            kind: "control".to_owned(),
            place: own_place(&divergence.stack),
            class: class_of(&divergence, &end.termination).to_owned(),
            detail: detail_of(&divergence, &end.termination),
            phase: self.phase_of(end.state.path.assignment()),
            changes: divergence.changes.iter().map(place_of).collect(),
            stack: divergence.stack.iter().map(ToString::to_string).collect(),
            ..DivergenceLine::default()
        };
        self.add(line, &divergence.trail, |this| this.case(&mut end, None));
    }

    fn differs(&mut self, mut end: PathEnd<'_>, difference: umbra_strategy::Difference) {
        let behind = difference.value.map(|value| end.shared.changes_behind(self.image, value));
        let mut changes = behind.unwrap_or_default();
        if changes.is_empty() {
            changes = end.state.changes_apart(self.image);
        }
        let changes: Vec<Place> = changes.iter().map(place_of).collect();
        let phase = self.phase_of(&difference.input);
        let line = DivergenceLine {
            kind: "data".to_owned(),
            place: changes.first().cloned().unwrap_or_default(),
            class: "to-judge".to_owned(),
            detail: format!("the first difference is in {}", stream_of(&difference.first)),
            phase,
            changes,
            stack: Vec::new(),
            ..DivergenceLine::default()
        };
        let trail = end.state.path.trail().clone();
        self.add(line, &trail, |this| this.case(&mut end, Some(difference.input)));
    }
}

/// Where the difference is, without the position: a cluster is about the stream or the file.
fn stream_of(output: &umbra_strategy::Output) -> String {
    let text = output.to_string();
    text.split(", byte").next().unwrap_or_default().to_owned()
}

fn class_of(divergence: &Divergence, termination: &Termination) -> &'static str {
    let new_errs = matches!(termination, Termination::Error(_));
    match &divergence.cause {
        Cause::OldEnded(Termination::Error(_)) if !new_errs => "fix",
        Cause::OldEnded(Termination::Error(_)) => "to-judge",
        Cause::NewLost => "regression",
        Cause::OldLost if !new_errs => "fix",
        _ if new_errs => "regression",
        _ => "to-judge",
    }
}

fn detail_of(divergence: &Divergence, termination: &Termination) -> String {
    let cause = match &divergence.cause {
        Cause::Branch => "the versions branch to different sides".to_owned(),
        Cause::Call => "the versions call different functions".to_owned(),
        Cause::Places => "the versions come to different places".to_owned(),
        Cause::OldEnded(Termination::Error(report)) => {
            format!("the old version fails: {}", report.kind)
        }
        Cause::OldEnded(_) => "the old version ends".to_owned(),
        Cause::NewEnded => "the new version ends".to_owned(),
        Cause::OldLost => "the old version possibly does not terminate".to_owned(),
        Cause::NewLost => "the new version possibly does not terminate".to_owned(),
    };
    match termination {
        Termination::Error(report) => {
            let place = own_place(&report.stack);
            format!("{cause}; the new one fails: {} at {}:{}", report.kind, place.file, place.line)
        }
        _ => cause,
    }
}

/// Why a path was not followed to its end, if it was not.
fn cut(termination: &Termination) -> Option<String> {
    match termination {
        Termination::Limit(what) => Some(format!("limit on {what}")),
        Termination::Unsupported { what, .. } => Some(format!("unsupported: {what}")),
        Termination::EngineBug(what) => Some(format!("a bug of the engine: {what}")),
        _ => None,
    }
}

impl Observer for Collector<'_> {
    fn point_ended(&mut self, phase: SeedPhase, end: PathEnd<'_>) {
        let later = std::mem::replace(&mut self.phase, phase.name());
        self.path_ended(end);
        self.phase = later;
    }

    fn path_ended(&mut self, end: PathEnd<'_>) {
        self.note_pairs(end.shared);
        let cut = cut(&end.termination);
        let is_cut = cut.is_some();
        if let Some(what) = cut {
            *self.found.left_out.entry(what).or_default() += 1;
        }
        match judge(&end.termination, end.state, end.shared, end.solver) {
            Judgement::Same => self.found.same += 1,
            Judgement::Parted => {
                *(if is_cut { &mut self.found.cut } else { &mut self.found.diff }) += 1;
                self.parted(end);
            }
            Judgement::Differs(difference) => {
                self.found.diff += 1;
                self.differs(end, *difference);
            }
            Judgement::Unknown(reason) => {
                self.found.cut += 1;
                let what = format!("outputs not compared: {reason}");
                *self.found.left_out.entry(what).or_default() += 1;
            }
            Judgement::Cut => self.found.cut += 1,
            Judgement::Nothing => {}
        }
    }
}
