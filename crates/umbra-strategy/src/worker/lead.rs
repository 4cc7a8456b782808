//! The first path of a point: the one that the point's own input takes.
//!
//! It goes before all other states of the point, so that the point soon has its test case, with all that
//! the program asks for on the way; where it forks, the other sides wait as states of the point. It stands for the
//! point. If its input turns out to be one that the program is not to be run with, the state that
//! meets the assumption takes its place, or whichever is next: the path of the point is the first one that
//! counts.
//!
//! A path may have no end, so after a while it waits its turn like the others.

use umbra_engine::{ForkReason, Termination};

use crate::queue::{StateId, StateView, Waiting};
use umbra_words::Phase;

/// The path that stands for a point, until it has ended.
pub(super) struct Lead {
    phase: Phase,
    /// `None` if the last one did not count, and no other was selected yet.
    id: Option<StateId>,
    /// The state, or the one that takes its place, while it waits apart from the others.
    apart: Option<Waiting>,
    goes_first: bool,
}

impl Lead {
    pub fn new(phase: Phase, id: StateId) -> Self {
        Self { phase, id: Some(id), apart: None, goes_first: true }
    }

    /// The path of a new version has ended, and the old one is followed on it: that stands for the point from
    /// here on, and goes first if the new one did.
    pub fn behind(phase: Phase, id: StateId, goes_first: bool) -> Self {
        Self { goes_first, ..Self::new(phase, id) }
    }

    /// Whether it goes before the others.
    pub fn goes_first(&self) -> bool {
        self.goes_first
    }

    /// Whether a state waits apart from the others.
    pub fn is_apart(&self) -> bool {
        self.apart.is_some()
    }

    /// The state that waits apart from the others.
    pub fn waiting(&self) -> Option<&Waiting> {
        self.apart.as_ref()
    }

    /// Whether a state that is to wait does so apart from the others.
    pub fn takes(&self, view: &StateView) -> bool {
        let is_lead = self.id == Some(view.id);
        let is_next = view.parent.is_some()
            && view.parent == self.id
            && view.reason == Some(ForkReason::Assumption);
        is_next || (is_lead && self.goes_first)
    }

    /// The state waits apart.
    pub fn keep(&mut self, waiting: Waiting) {
        self.apart = Some(waiting);
    }

    /// The state that waits apart is selected.
    pub fn take(&mut self) -> Option<Waiting> {
        let waiting = self.apart.take()?;
        self.id = Some(waiting.view.id);
        Some(waiting)
    }

    /// Another state was selected; it leads if none does.
    pub fn selected(&mut self, id: StateId) {
        self.id.get_or_insert(id);
    }

    /// A state will not come back.
    pub fn forget(&mut self, id: StateId) {
        if self.id == Some(id) {
            self.id = None;
        }
    }

    /// It goes before the others no more. Returns it if it waits.
    pub fn step_back(&mut self) -> Option<Waiting> {
        self.goes_first = false;
        self.apart.take()
    }

    /// The state that leads, which goes first again.
    pub fn step_forward(&mut self) -> Option<StateId> {
        self.goes_first = true;
        self.id
    }

    /// The phase of the point, if a state that ends so stands for it.
    pub fn stands(&self, id: StateId, termination: &Termination) -> Option<Phase> {
        let counts = !matches!(termination, Termination::Excluded | Termination::Silent);
        (counts && self.id == Some(id)).then_some(self.phase)
    }
}
