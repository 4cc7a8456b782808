//! The pool: all states that wait, and the searcher that orders them.

use umbra_engine::{Coverage, ForkReason, Image, Parked};
use umbra_expr::{ExprId, IdMap};

use crate::contexts::Contexts;
use crate::queue::{StateId, StateView, View, Waiting};
use crate::searcher::{Batch, Searcher};

/// When states have to be dropped, so many percent are, so that it does not happen all the time.
const DROPPED_PERCENT: usize = 10;

/// All states that wait.
pub(super) struct Pool {
    waiting: IdMap<StateId, Waiting>,
    searcher: Box<dyn Searcher>,
    contexts: Contexts,
    /// Bytes that only states that wait use.
    bytes: usize,
    next_id: u64,
}

impl Pool {
    pub fn new(searcher: Box<dyn Searcher>) -> Self {
        Self {
            waiting: IdMap::default(),
            searcher,
            contexts: Contexts::default(),
            bytes: 0,
            next_id: 0,
        }
    }

    pub fn new_id(&mut self) -> StateId {
        self.next_id += 1;
        StateId(self.next_id)
    }

    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub fn batch(&self) -> Batch {
        self.searcher.batch()
    }

    pub fn is_urgent(&self) -> bool {
        self.searcher.is_urgent()
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
        let mut view = StateView {
            place: parked.place(),
            depth: parked.path.depth(),
            instructions: parked.instructions(),
            ..view
        };
        if self.searcher.wants_contexts() {
            view.context = self.contexts.intern(parked.return_places());
        }
        let bytes = parked.bytes();
        self.bytes += bytes;
        let contexts = &self.contexts;
        self.searcher.add(&view, &View { coverage, image, contexts });
        self.waiting.insert(view.id, Waiting { view, parked, goal, bytes });
    }

    /// Takes out the state that the searcher wants next.
    pub fn select(&mut self, image: &Image, coverage: &Coverage) -> Option<Waiting> {
        loop {
            let contexts = &self.contexts;
            let id = self.searcher.select(&View { coverage, image, contexts })?;
            if let Some(waiting) = self.take(id) {
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

    /// Drops all states; returns how many. The searcher is not told, since nothing comes after.
    pub fn clear(&mut self) -> usize {
        let count = self.waiting.len();
        self.waiting.clear();
        self.bytes = 0;
        count
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

    /// Drops the least wanted states until there are at most `limit`, and some less; returns how
    /// many.
    pub fn shrink_to_count(&mut self, coverage: &Coverage, limit: usize) -> usize {
        if self.len() <= limit {
            return 0;
        }
        let kept = limit - limit * DROPPED_PERCENT / 100;
        self.drop_while(coverage, |pool| pool.len() > kept)
    }

    /// Drops the least wanted states until they use at most `limit` bytes, and some less; returns
    /// how many.
    pub fn shrink_to_bytes(&mut self, coverage: &Coverage, limit: usize) -> usize {
        if self.bytes <= limit {
            return 0;
        }
        let kept = limit - limit / 100 * DROPPED_PERCENT;
        self.drop_while(coverage, |pool| pool.bytes > kept)
    }

    fn drop_while(&mut self, coverage: &Coverage, goes_on: impl Fn(&Self) -> bool) -> usize {
        let before = self.len();
        for id in self.by_worth(coverage).into_iter().rev() {
            if !goes_on(self) {
                break;
            }
            self.remove(id);
        }
        before - self.len()
    }
}
