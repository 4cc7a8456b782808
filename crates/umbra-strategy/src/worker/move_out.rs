//! States that come from other workers and go to them.

use std::sync::atomic::Ordering;

use crate::exchange::Arrival;
use crate::parcel::{Moved, Parcel};
use crate::queue::StateView;
use crate::saved::SavedState;
use crate::snapshot::{Record, processor_time};
use crate::worker::{Running, Worker};

/// States that go to a worker at once, at most.
const PARCEL: usize = 64;

impl Worker<'_> {
    /// Tells the other workers what ran, and gives states to those that have none.
    ///
    /// A worker that runs a state can do without all others; one that does not keeps one.
    pub(super) fn share(&mut self, runs: bool) {
        let Some(exchange) = self.exchange.clone() else { return };
        exchange.share_coverage(&mut self.shared.coverage, &mut self.published);
        for _ in 0..exchange.wanted() {
            let spare = self.pool.len().saturating_sub(usize::from(!runs));
            let count = (spare.div_ceil(2)).min(PARCEL);
            if count == 0 {
                return;
            }
            let mut states = Vec::new();
            for id in self.pool.shallowest(count) {
                let Some(waiting) = self.pool.remove(id) else { continue };
                states.push(Moved {
                    view: waiting.view,
                    parked: waiting.parked,
                    goal: waiting.goal,
                });
            }
            exchange.give(Parcel::pack(&self.shared, states));
        }
    }

    /// Waits for states from other workers; false if there will be none.
    pub(super) fn receive(&mut self) -> bool {
        let Some(exchange) = self.exchange.clone() else { return false };
        // It stands still while it waits, and has nothing then.
        if let Some(book) = self.book {
            book.record(self.number, self.record(None));
        }
        match exchange.receive() {
            Arrival::States(parcel) => self.unpack(*parcel),
            Arrival::Nothing => {}
            Arrival::Over => return false,
        }
        true
    }

    /// Stands still with all others if a snapshot of the run is due.
    pub(super) fn stand_still(&mut self, running: Option<&Running>) {
        let (Some(exchange), Some(book)) = (self.exchange.clone(), self.book) else { return };
        let done = self.used.instructions.load(Ordering::Relaxed);
        if book.is_due(done) {
            exchange.call();
        }
        if !exchange.is_called() {
            return;
        }
        let begun = processor_time();
        let record = self.record(running);
        book.record(self.number, record);
        exchange.share_coverage(&mut self.shared.coverage, &mut self.published);
        exchange.stand_still(|parcels| {
            let done = self.used.instructions.load(Ordering::Relaxed);
            let forks = self.used.forks.load(Ordering::Relaxed);
            let states = parcels.iter().flat_map(Parcel::save).collect();
            book.write(begun, done, forks, exchange.covered(), states);
        });
    }

    /// What the worker adds to a snapshot.
    fn record(&mut self, running: Option<&Running>) -> Record {
        let mut states = self.save();
        if let Some(running) = running {
            let view = StateView { reason: None, target: None, ..running.view };
            let parked = self.state.fork(self.image);
            states.push(SavedState::new(&view, &parked, false, &self.shared.expressions));
        }
        let unrelated = self.shared.unrelated.clone();
        Record { statistics: self.statistics(), unrelated, states }
    }

    /// Takes over states that were on their way when the run was stopped. Whoever gave them comes
    /// here too, after that, so none is left when all have been.
    pub(super) fn take_rest(&mut self) {
        let Some(exchange) = self.exchange.clone() else { return };
        for parcel in exchange.rest() {
            self.unpack(parcel);
        }
    }

    /// Takes over states that were another worker's.
    pub(crate) fn unpack(&mut self, parcel: Parcel) {
        for moved in parcel.unpack(&mut self.shared) {
            let view = StateView {
                // The one it was forked from is not here.
                parent: None,
                id: self.pool.new_id(),
                ..moved.view
            };
            self.pool.add(self.image, &self.shared.coverage, view, moved.parked, moved.goal);
        }
    }
}
