//! Notes which way a path with two versions goes.
//!
//! A branch that the state decides as a whole, or a version that runs alone, is noted when it is
//! decided, on both sides of the fork. One that each version decides in turn is noted when both have:
//! a state that was parked in between does the operation again.

use crate::code::Target;
use crate::fork::Decider;
use crate::path::{Decision, Way};
use crate::shadow::Mode;
use crate::state::FrameKind;
use crate::step::Machine;

impl Machine<'_> {
    /// The branch at `pc` goes there.
    pub(in crate::step) fn note_way(&mut self, target: Target) {
        if let Some(decision) = self.decision(target) {
            self.state.path.trail.push(decision);
        }
    }

    /// The versions go there, the old one and the new one; it may be that of the old one only that
    /// it goes somewhere else is known.
    pub(super) fn note_ways(&mut self, old: Option<Target>, new: Target) {
        let place = self.state.pc;
        let old_way = old.map_or(Way::Elsewhere, Way::To);
        let versions = match old == Some(new) {
            true => &[(Mode::Both, old_way)][..],
            false => &[(Mode::Old, old_way), (Mode::New, Way::To(new))],
        };
        for &(version, way) in versions {
            self.state.path.trail.push(Decision { place, way, version });
        }
    }

    /// What is to be noted when the branch at `pc` goes to `target`: nothing where one version runs
    /// that never had another, or where the other version is still to be asked.
    pub(in crate::step) fn decision(&self, target: Target) -> Option<Decision> {
        if !self.state.shadow.active || self.decider == Decider::Version {
            return None;
        }
        let (pc, version) = (self.state.pc, self.state.shadow.mode);
        let library = self.library_call().and_then(|call| self.state.frames.get(call.depth));
        // Which branches a library takes inside says little; that the call has taken some does.
        Some(match library.filter(|frame| frame.kind == FrameKind::Call) {
            Some(frame) => {
                let way = Way::Within(frame.function);
                Decision { place: frame.return_pc - 1, way, version }
            }
            None => Decision { place: pc, way: Way::To(target), version },
        })
    }
}
