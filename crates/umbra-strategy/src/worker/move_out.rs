//! States that come from other workers and go to them.

use crate::parcel::{Moved, Parcel};
use crate::queue::StateView;
use crate::worker::Worker;

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
        let Some(parcel) = exchange.receive() else { return false };
        self.unpack(parcel);
        true
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
