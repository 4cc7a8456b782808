//! The versions part for good.

use std::sync::Arc;

use umbra_expr::ExprId;

use super::provenance::places_of;
use crate::shadow::{Alone, Cause, Divergence, Mode, OldSide};
use crate::step::Machine;

impl Machine<'_> {
    /// The versions part at the operation at `pc`, because of these values; the new one goes on.
    pub(super) fn diverge(&mut self, cause: Cause, values: &[ExprId]) {
        let changes = self.changes_in(values);
        let stack = self.call_stack();
        // The old version will do the operation again, by itself.
        let old = OldSide::Arrived(Box::new(self.state.fork(self.image)));
        self.note_divergence(cause, stack, &changes);
        self.state.shadow.left = Some(Arc::new(old));
        self.enter_mode(Mode::New);
    }

    /// The versions, which ran alone, do not meet again; the new one goes on from where it is.
    pub(super) fn diverge_from(&mut self, alone: &Alone, cause: Cause) {
        let frames = &alone.checkpoint.frames;
        let stack = self.stack_of(alone.checkpoint.pc, frames);
        // It was behind the divergence, which is where they ran alone from.
        self.shared.lockstep.behind += self.take_back_alone();
        self.state.shadow.alone = None;
        self.state.memory.forget_plan();
        self.note_divergence(cause, stack, &alone.changes);
        self.state.shadow.left = alone.old.clone();
    }

    fn note_divergence(&mut self, cause: Cause, stack: Vec<crate::code::Place>, changes: &[u32]) {
        self.count_instructions();
        let changes = places_of(self.image, changes);
        let trail = self.state.path.trail.clone();
        self.shared.divergences += 1;
        let number = self.shared.divergences;
        let divergence = Divergence { cause, stack, changes, trail, number };
        self.state.shadow.divergence = Some(Arc::new(divergence));
        self.state.shadow.old_environment = None;
        self.forks.diverged();
    }
}
