//! Two versions of a program in one state.
//!
//! What differs between the versions is a pair, which is an expression; so slots and memory hold
//! it as they hold any other. This module says which versions a state runs and where they stand
//! while they run one after the other; `step/shadow` does it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use umbra_expr::{ArrayId, ExprId};
use umbra_words::Version;

use crate::code::Place;
use crate::environment::Environment;
use crate::path::{Input, List, Trail};
use crate::state::Parked;
use crate::termination::Termination;

/// Which versions a state runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mode {
    /// Both: they have followed the same path so far.
    Both,
    /// The new one.
    New,
    /// The old one.
    Old,
}

impl Mode {
    /// The side of pairs that the state sees; `None` if both.
    pub(crate) fn side(self) -> Option<Version> {
        match self {
            Self::Both => None,
            Self::New => Some(Version::New),
            Self::Old => Some(Version::Old),
        }
    }
}

/// Where and why the versions parted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// Why.
    pub cause: Cause,
    /// The call stack at the place, the innermost call first.
    pub stack: Vec<Place>,
    /// The changes that flow into it, as far as they are known.
    pub changes: Vec<Place>,
    /// The branches on inputs that led to it.
    pub trail: Trail,
    /// Its number: no other divergence of the worker has it.
    pub number: u64,
}

/// What made the versions part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A branch, or a switch, went different ways.
    Branch,
    /// Different functions were called through one pointer.
    Call,
    /// Alone, they came to different places.
    Places,
    /// The old version ended while the new one goes on, or they ended in different ways.
    OldEnded(Termination),
    /// The new version ended while the old one goes on.
    NewEnded,
    /// The old version did not come back within its budget of instructions.
    OldLost,
    /// The new version did not come back within its budget of instructions.
    NewLost,
}

impl Cause {
    /// The stable name for reports and tests.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Branch => "branch",
            Self::Call => "call",
            Self::Places => "places",
            Self::OldEnded(_) => "old-ended",
            Self::NewEnded => "new-ended",
            Self::OldLost => "old-not-terminating",
            Self::NewLost => "new-not-terminating",
        }
    }
}

/// Until where a version runs alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Until {
    /// Through one operation.
    Operation,
    /// To the next matched block of a call, or out of that call.
    MatchedBlock(Call),
    /// To the next strong block of a call, or out of that call: they took different ways at a weak
    /// place, which is a divergence only if they do not meet there.
    StrongBlock(Call),
    /// To where all ways come together again (a target) in a call in which they took different ones for good, or out of that
    /// call: a divergence, unless they come there in the same state.
    Rejoin(Call, Option<u32>),
    /// Out of a call.
    Return(Call),
    /// To a block (a target) of a library's call to which all ways from there lead, or out of that call.
    Block(Call, u32),
    /// To the end: one has exited, and the other may be about to.
    End,
}

impl Until {
    /// Whether they have taken different ways, which are forgotten if they come to nothing.
    pub fn is_to_forget(self) -> bool {
        matches!(self, Self::Rejoin(..) | Self::End)
    }
}

/// A call on the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    /// Its position, the outermost being 0.
    pub depth: usize,
    /// Its number, which no other call has.
    pub serial: u64,
}

/// A call of a library, the outermost, in which the versions met something that differs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bound {
    pub call: Call,
    /// How often they ran one after the other in it.
    pub partings: u32,
    /// Instructions of the old and of the new version then, as far as they are counted as the state's.
    pub ran: (u64, u64),
}

/// Where the old version has come to.
pub(crate) enum OldSide {
    /// To the place where it waits for the new one.
    Arrived(Box<Parked>),
    /// To its end.
    Ended(EndedVersion),
    /// Nowhere within its budget.
    Lost,
}

/// How a version ended.
pub struct EndedVersion {
    /// How.
    pub termination: Termination,
    /// Its exit status, where that depends on the input.
    pub exit_status: Option<ExprId>,
    /// The world that it left.
    pub environment: Box<dyn Environment>,
    /// The operation at which it ended.
    pub(crate) place: u32,
}

impl Clone for EndedVersion {
    fn clone(&self) -> Self {
        Self {
            termination: self.termination.clone(),
            exit_status: self.exit_status,
            environment: self.environment.fork(),
            place: self.place,
        }
    }
}

/// One version runs: the old one first, then the new one from the same state.
#[derive(Clone)]
pub(crate) struct Alone {
    /// Both versions before they were run one after the other.
    pub checkpoint: Arc<Parked>,
    pub until: Until,
    /// Where the old version has come to; `None` while it runs.
    pub old: Option<Arc<OldSide>>,
    /// Instructions of the state when the running version started.
    pub began: u64,
    /// The inputs that the running version has asked for since: the other one may ask for them too.
    pub asked: Vec<ArrayId>,
    /// Instructions of the old and of the new version since then, as far as they are counted as the state's.
    pub ran: (u64, u64),
    /// Operations that are the reason, for the provenance of what will differ.
    pub changes: Arc<[u32]>,
}

/// The old version is followed behind the split, on a path of the new one that has ended.
///
/// The state is the old version's. What held at the end of the new one's path holds on this path from
/// its start, so that each of its ends makes a pair of paths, one of either version.
#[derive(Clone)]
pub(crate) struct Behind {
    /// How the new version ended.
    pub new_end: Arc<EndedVersion>,
    /// The inputs that were asked for before the versions parted.
    pub before: List<Input>,
    /// The inputs that the old version has asked for since.
    pub asked: Vec<ArrayId>,
    /// Instructions at which the old version is given up.
    pub until: u64,
}

/// The versions of a state.
pub(crate) struct Shadow {
    pub mode: Mode,
    /// There are two versions, or were: what is read may hold pairs.
    pub active: bool,
    pub alone: Option<Alone>,
    /// The last call of a library in which the versions, together, met something that differs.
    pub bound: Option<Bound>,
    /// The changes that have run on the path, and those in the data that it started with, in order. All pairs come from them.
    pub changes: Arc<[u32]>,
    /// Whether what others have seen of the versions differs, on the input of the state: they have parted in data.
    pub seen_apart: bool,
    /// The old version's world, if it is not the same as the state's.
    pub old_environment: Option<Box<dyn Environment>>,
    /// The changes that led to something that is kept for each version: an object that is not the
    /// same, a world, an end.
    pub apart: Arc<[u32]>,
    /// How the old version ended, if it ended with the new one.
    pub old_end: Option<Arc<EndedVersion>>,
    pub divergence: Option<Arc<Divergence>>,
    /// Where the old version stands since they parted; it has yet to be followed from there.
    pub left: Option<Arc<OldSide>>,
    /// The number of the new version's path, if they parted on it and it has ended.
    pub diff_path: Option<u64>,
    /// Set while the old version is followed on that path.
    pub behind: Option<Behind>,
}

impl Shadow {
    /// One version, which is the new one.
    pub fn none() -> Self {
        Self {
            mode: Mode::New,
            active: false,
            alone: None,
            bound: None,
            changes: Arc::default(),
            seen_apart: false,
            old_environment: None,
            apart: Arc::default(),
            old_end: None,
            divergence: None,
            left: None,
            diff_path: None,
            behind: None,
        }
    }

    /// A change runs on the path.
    pub fn note_change(&mut self, change: u32) {
        if let Err(place) = self.changes.binary_search(&change) {
            let mut all = self.changes.to_vec();
            all.insert(place, change);
            self.changes = all.into();
        }
    }

    /// These changes led to something that is kept for each version.
    pub fn note_apart(&mut self, changes: &[u32]) {
        let mut all = self.apart.to_vec();
        all.extend(changes.iter().filter(|change| !self.apart.contains(change)));
        all.sort_unstable();
        self.apart = all.into();
    }

    /// Whether all that differs between the versions is in values, if anything is.
    pub fn is_in_one_world(&self) -> bool {
        self.mode == Mode::Both
            && self.alone.is_none()
            && self.apart.is_empty()
            && self.old_environment.is_none()
            && self.old_end.is_none()
    }

    /// The side of pairs that is to be read.
    pub fn side(&self) -> Option<Version> {
        if self.active { self.mode.side() } else { None }
    }

    /// Where one version runs and the other one may ask, or has asked, for the same inputs: those from
    /// before, and those that the running version has asked for since.
    pub fn asked_alone(&self) -> Option<(&List<Input>, &[ArrayId])> {
        match (&self.alone, &self.behind) {
            (Some(alone), _) => Some((alone.checkpoint.path.inputs(), &alone.asked)),
            (None, Some(behind)) => Some((&behind.before, &behind.asked)),
            (None, None) => None,
        }
    }

    /// Where that list of the running version grows.
    pub fn asking_alone(&mut self) -> Option<&mut Vec<ArrayId>> {
        match (&mut self.alone, &mut self.behind) {
            (Some(alone), _) => Some(&mut alone.asked),
            (None, Some(behind)) => Some(&mut behind.asked),
            (None, None) => None,
        }
    }

    /// Replaces all expressions: the state goes to another table.
    pub fn translate(&mut self, translation: &mut dyn FnMut(ExprId) -> ExprId) {
        if let Some(environment) = &mut self.old_environment {
            environment.translate(translation);
        }
        if let Some(end) = &mut self.old_end {
            *end = Arc::new(translate_end(end, translation));
        }
        if let Some(left) = &mut self.left {
            *left = Arc::new(left.translated(translation));
        }
        if let Some(behind) = &mut self.behind {
            behind.new_end = Arc::new(translate_end(&behind.new_end, translation));
        }
        if let Some(bound) = &mut self.bound {
            bound.ran = (0, 0);
        }
        let Some(alone) = &mut self.alone else { return };
        // Counted where the state comes from.
        alone.ran = (0, 0);
        alone.checkpoint = Arc::new(alone.checkpoint.translated(translation));
        if let Some(old) = &mut alone.old {
            *old = Arc::new(old.translated(translation));
        }
    }
}

impl OldSide {
    fn translated(&self, translation: &mut dyn FnMut(ExprId) -> ExprId) -> Self {
        match self {
            Self::Arrived(parked) => Self::Arrived(Box::new(parked.translated(translation))),
            Self::Ended(end) => Self::Ended(translate_end(end, translation)),
            Self::Lost => Self::Lost,
        }
    }
}

fn translate_end(
    end: &EndedVersion,
    translation: &mut dyn FnMut(ExprId) -> ExprId,
) -> EndedVersion {
    let mut end = end.clone();
    end.environment.translate(translation);
    end.exit_status = end.exit_status.map(translation);
    end
}

impl Clone for Shadow {
    fn clone(&self) -> Self {
        Self {
            mode: self.mode,
            active: self.active,
            alone: self.alone.clone(),
            bound: self.bound,
            changes: Arc::clone(&self.changes),
            seen_apart: self.seen_apart,
            old_environment: self.old_environment.as_ref().map(|environment| environment.fork()),
            apart: Arc::clone(&self.apart),
            old_end: self.old_end.clone(),
            divergence: self.divergence.clone(),
            left: self.left.clone(),
            diff_path: self.diff_path,
            behind: self.behind.clone(),
        }
    }
}
