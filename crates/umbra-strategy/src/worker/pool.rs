//! The pool: all states that wait, and the searcher that orders them.

use std::cell::OnceCell;

use umbra_engine::{Coverage, ForkReason, Image, Parked, Termination};
use umbra_expr::{ExprId, IdMap};

use super::follow::Point;
use super::lead::Lead;
use crate::contexts::Contexts;
use crate::queue::{StateId, StateView, View, Waiting};
use crate::searcher::{Batch, Searcher};
use umbra_words::Phase;

/// When states have to be dropped, so many percent are, so that it does not happen all the time.
const DROPPED_PERCENT: usize = 10;

/// States that were taken out for good, before their time.
#[derive(Debug, Default)]
pub(super) struct Dropped {
    pub count: usize,
    /// The new version's paths that some of them followed the old one on.
    pub diff_paths: Vec<u64>,
}

impl Dropped {
    fn add(&mut self, waiting: &Waiting) {
        self.count += 1;
        self.diff_paths.extend(waiting.parked.diff_path());
    }
}

/// All states that wait.
pub(super) struct Pool {
    waiting: IdMap<StateId, Waiting>,
    searcher: Box<dyn Searcher>,
    contexts: Contexts,
    /// Bytes that only states that wait use.
    bytes: usize,
    next_id: u64,
    /// Of the states of a point, the one that stands for it.
    lead: Option<Lead>,
}

impl Pool {
    pub fn new(searcher: Box<dyn Searcher>) -> Self {
        Self {
            waiting: IdMap::default(),
            searcher,
            contexts: Contexts::default(),
            bytes: 0,
            next_id: 0,
            lead: None,
        }
    }

    /// A pool with the state of a point.
    pub fn of_point(
        searcher: Box<dyn Searcher>,
        image: &Image,
        coverage: &Coverage,
        point: Point,
    ) -> Self {
        let mut pool = Self::new(searcher);
        let view = StateView::new(pool.new_id());
        pool.lead = Some(Lead::new(point.phase, view.id));
        pool.add(image, coverage, view, point.parked, None);
        pool
    }

    pub fn new_id(&mut self) -> StateId {
        self.next_id += 1;
        StateId(self.next_id)
    }

    pub fn len(&self) -> usize {
        self.waiting.len() + usize::from(self.lead.as_ref().is_some_and(Lead::is_apart))
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether what runs is the first path of a point, before all others.
    pub fn is_leading(&self) -> bool {
        self.lead.as_ref().is_some_and(Lead::goes_first)
    }

    pub fn batch(&self) -> Batch {
        if self.is_leading() { Batch::ToTheEnd } else { self.searcher.batch() }
    }

    pub fn is_urgent(&self) -> bool {
        !self.is_leading() && self.searcher.is_urgent()
    }

    /// Adds a state; where it stands is seen from the state itself.
    pub fn add(
        &mut self,
        image: &Image,
        coverage: &Coverage,
        view: StateView,
        parked: Parked,
        goal: Option<(usize, ExprId)>,
    ) {
        let view = StateView {
            place: parked.place(),
            depth: parked.path.depth(),
            instructions: parked.instructions(),
            ..view
        };
        let bytes = parked.bytes();
        self.bytes += bytes;
        let waiting = Waiting { view, parked, goal, bytes, saved: OnceCell::new() };
        match self.lead.as_mut().filter(|lead| lead.takes(&view)) {
            Some(lead) => lead.keep(waiting),
            None => self.line_up(image, coverage, waiting),
        }
    }

    /// Leaves it to the searcher when a state is next.
    fn line_up(&mut self, image: &Image, coverage: &Coverage, mut waiting: Waiting) {
        if self.searcher.wants_contexts() {
            waiting.view.context = self.contexts.intern(waiting.parked.return_places());
        }
        let contexts = &self.contexts;
        self.searcher.add(&waiting.view, &View { coverage, image, contexts });
        self.waiting.insert(waiting.view.id, waiting);
    }

    /// Takes out the state that is next: the first path of a point, or what the searcher wants.
    pub fn select(&mut self, image: &Image, coverage: &Coverage) -> Option<Waiting> {
        if let Some(waiting) = self.lead.as_mut().and_then(Lead::take) {
            self.bytes -= waiting.bytes;
            return Some(waiting);
        }
        loop {
            let contexts = &self.contexts;
            let id = self.searcher.select(&View { coverage, image, contexts })?;
            if let Some(waiting) = self.take(id) {
                if let Some(lead) = &mut self.lead {
                    lead.selected(id);
                }
                return Some(waiting);
            }
        }
    }

    fn take(&mut self, id: StateId) -> Option<Waiting> {
        let waiting = self.waiting.remove(&id)?;
        self.bytes -= waiting.bytes;
        Some(waiting)
    }

    /// A state that was taken out will not come back.
    pub fn forget(&mut self, id: StateId) {
        self.searcher.forget(id);
        if let Some(lead) = &mut self.lead {
            lead.forget(id);
        }
    }

    /// The path of a state has ended: if it is the one that stands for a point, says so, once.
    pub fn end(&mut self, id: StateId, termination: &Termination) -> Option<Phase> {
        let phase = self.lead.as_ref().and_then(|lead| lead.stands(id, termination));
        self.forget(id);
        if phase.is_some() {
            self.lead = None;
        }
        phase
    }

    /// From now on the first path of the point waits its turn like the others.
    pub fn step_back(&mut self, image: &Image, coverage: &Coverage) {
        if let Some(waiting) = self.lead.as_mut().and_then(Lead::step_back) {
            self.line_up(image, coverage, waiting);
        }
    }

    /// Makes the state that stands for the point the next one, if none has ended that does.
    pub fn step_forward(&mut self) -> bool {
        let Some(lead) = &mut self.lead else { return false };
        if let Some(waiting) = lead.step_forward().and_then(|id| self.waiting.remove(&id)) {
            // The searcher may name it once more; then it is not there.
            lead.keep(waiting);
        }
        true
    }

    /// Takes a state out for good.
    pub fn remove(&mut self, id: StateId) -> Option<Waiting> {
        let waiting = self.take(id)?;
        self.searcher.forget(id);
        Some(waiting)
    }

    /// Whether a state waits whose own input may not take its side.
    pub fn has_goal(&self, id: StateId) -> bool {
        self.waiting.get(&id).is_some_and(|waiting| waiting.goal.is_some())
    }

    /// The state that stood for the point goes on as another one.
    pub fn lead_on(&mut self, lead: Lead) {
        self.lead = Some(lead);
    }

    /// All states that nobody is going to run. They are counted, not dropped: that may take long.
    pub fn rest(&self) -> Dropped {
        let mut dropped = Dropped::default();
        self.all().for_each(|waiting| dropped.add(waiting));
        dropped
    }

    /// All states that wait.
    pub fn all(&self) -> impl Iterator<Item = &Waiting> {
        self.waiting.values().chain(self.lead.as_ref().and_then(Lead::waiting))
    }

    /// All states that wait, for somebody else to run.
    pub fn take_all(&mut self) -> Vec<Waiting> {
        let apart = self.lead.as_mut().and_then(Lead::take);
        std::mem::take(&mut self.waiting).into_values().chain(apart).collect()
    }

    /// All states that wait, the most wanted first: those with a known input, then those in front of
    /// code that has not run, then those that ran something new the shortest while ago; other values
    /// of something that was fixed come last.
    pub fn by_worth(&self, coverage: &Coverage) -> Vec<StateId> {
        let mut states: Vec<&Waiting> = self.waiting.values().collect();
        states.sort_unstable_by_key(|waiting| {
            let view = &waiting.view;
            let new = view.target.is_some_and(|target| !coverage.is_covered(target));
            let value = view.reason == Some(ForkReason::Value);
            (waiting.goal.is_some(), value, !new, view.stale, view.depth, view.id)
        });
        states.into_iter().map(|waiting| waiting.view.id).collect()
    }

    /// The states with the fewest forks on their paths, which probably have most before them.
    pub fn shallowest(&self, count: usize) -> Vec<StateId> {
        let mut states: Vec<(u32, StateId)> =
            self.waiting.values().map(|waiting| (waiting.view.depth, waiting.view.id)).collect();
        if count < states.len() {
            states.select_nth_unstable(count);
            states.truncate(count);
        }
        states.sort_unstable();
        states.into_iter().map(|(_, id)| id).collect()
    }

    /// Drops the least wanted states until there are at most `limit`, and some less.
    pub fn shrink_to_count(&mut self, coverage: &Coverage, limit: usize) -> Dropped {
        if self.len() <= limit {
            return Dropped::default();
        }
        let kept = limit - limit * DROPPED_PERCENT / 100;
        self.drop_while(coverage, |pool| pool.len() > kept)
    }

    /// Drops the least wanted states until they use at most `limit` bytes, and some less.
    pub fn shrink_to_bytes(&mut self, coverage: &Coverage, limit: usize) -> Dropped {
        if self.bytes <= limit {
            return Dropped::default();
        }
        let kept = limit - limit / 100 * DROPPED_PERCENT;
        self.drop_while(coverage, |pool| pool.bytes > kept)
    }

    fn drop_while(&mut self, coverage: &Coverage, goes_on: impl Fn(&Self) -> bool) -> Dropped {
        let mut dropped = Dropped::default();
        for id in self.by_worth(coverage).into_iter().rev() {
            if !goes_on(self) {
                break;
            }
            if let Some(waiting) = self.remove(id) {
                dropped.add(&waiting);
            }
        }
        dropped
    }
}
