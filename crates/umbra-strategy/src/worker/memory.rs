//! States that are dropped, and paths that are cut, for want of room.

use umbra_engine::Termination;

use super::pool::Dropped;
use super::{Observer, Running, Worker};

/// The name under which a path is cut, and states are dropped, for want of memory.
const MEMORY: &str = "memory";

impl Worker<'_> {
    /// Takes less memory if somebody asks for it: ends the running path if it is the one that takes
    /// much, and drops states otherwise.
    pub(super) fn give_memory(
        &mut self,
        running: Option<Running>,
        observer: &mut dyn Observer,
    ) -> Option<Running> {
        let asked = self.limits.control.asked();
        if asked == std::mem::replace(&mut self.asked, asked) {
            return running;
        }
        let much = self.limits.memory.map_or(u64::MAX, |limit| limit as u64 / 4);
        let mut running = running;
        let is_heavy = running.is_some() && self.state.weight() >= much;
        // What is heavy may be shared with states that wait: if its end alone did not help, they go too.
        let mut given = 0;
        if !is_heavy || self.limits.control.is_pressing() {
            let half = self.pool.bytes() / 2;
            let dropped = self.pool.shrink_to_bytes(&self.shared.coverage, half);
            given = dropped.count;
            self.leave_out(MEMORY, dropped);
        }
        if (is_heavy || given == 0)
            && let Some(running) = running.take()
        {
            self.end(&running.view, Termination::Limit(MEMORY), observer);
            self.empty_state();
        }
        self.limits.control.answer();
        running
    }

    /// Gives back what the state holds that has ended; otherwise it is kept until the next one runs.
    fn empty_state(&mut self) {
        if let Some(unstarted) = &self.unstarted {
            self.state.resume(self.image, unstarted.copy());
        }
    }

    /// Drops states where there are more than the limits allow.
    pub(super) fn shrink(&mut self) {
        let coverage = &self.shared.coverage;
        if let Some(limit) = self.limits.states {
            let dropped = self.pool.shrink_to_count(coverage, limit);
            self.leave_out("states", dropped);
        }
        if let Some(limit) = self.limits.memory {
            let left = limit.saturating_sub(self.shared.expressions.bytes());
            let dropped = self.pool.shrink_to_bytes(&self.shared.coverage, left);
            self.leave_out(MEMORY, dropped);
        }
    }

    /// Counts states that are not explored because of a limit.
    pub(super) fn leave_out(&mut self, limit: &'static str, dropped: Dropped) {
        self.statistics.drop_many(limit, dropped.count);
        self.statistics.leave_open(dropped.diff_paths);
    }
}
