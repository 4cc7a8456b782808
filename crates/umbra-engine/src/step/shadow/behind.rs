//! The old version behind the split.
//!
//! The new version has come to its end on a path on which it parted from the old one. The old one
//! stands where it was left at the split. It goes on from there under all that holds at the end of the new
//! one's path: its paths divide the inputs of that path.

use std::sync::Arc;

use crate::shadow::{Behind, EndedVersion, Mode, OldSide};
use crate::step::Machine;
use crate::termination::Termination;

/// How many times the instructions of the new version behind the split the old one may take, where
/// that is more than the limit of a version that runs alone.
const LONGER: u64 = 4;

/// What became of the old version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OldFollowed {
    /// The state is its now, and goes on.
    GoesOn,
    /// It had ended already, before the new one did; the state is as it left it.
    Ended(Termination),
}

impl Machine<'_> {
    /// The new version has ended like this, on a path on which it had parted from the old one.
    /// Numbers the path; false if it is no such path, or the end says nothing of the version itself.
    pub fn end_diff_path(&mut self, termination: &Termination) -> bool {
        let shadow = &mut self.state.shadow;
        let ended = matches!(
            termination,
            Termination::Exited(_) | Termination::Killed(_) | Termination::Error(_)
        );
        if !ended || shadow.left.is_none() || shadow.behind.is_some() {
            return false;
        }
        self.shared.diff_paths += 1;
        shadow.diff_path = Some(self.shared.diff_paths);
        true
    }

    /// Follows the old version on the path of the new one, after [`Self::end_diff_path`].
    pub fn follow_old(&mut self, termination: Termination) -> Option<OldFollowed> {
        let left = self.state.shadow.left.take()?;
        let mut shadow = self.state.shadow.clone();
        let new_end = Arc::new(EndedVersion {
            termination,
            exit_status: self.state.exit_status.take(),
            environment: self.state.environment.fork(),
            place: self.state.pc,
        });
        let (mut before, mut until) = (self.state.path.inputs().clone(), u64::MAX);
        let followed = match &*left {
            OldSide::Arrived(old) => {
                let (path, instructions) = (self.state.path.clone(), self.state.instructions);
                self.state.resume(self.image, old.copy());
                before = self.state.path.inputs().clone();
                self.state.path = path;
                let began = self.state.instructions;
                let allowed = LONGER.saturating_mul(instructions.saturating_sub(began));
                until = began.saturating_add(allowed.max(self.state.limits.alone));
                if self.state.shadow.mode == Mode::Both {
                    if let Some(environment) = self.state.shadow.old_environment.take() {
                        self.state.environment = environment;
                    }
                    self.enter_mode(Mode::Old);
                }
                OldFollowed::GoesOn
            }
            OldSide::Ended(end) => {
                self.state.environment = end.environment.fork();
                self.state.exit_status = end.exit_status;
                OldFollowed::Ended(end.termination.clone())
            }
            OldSide::Lost => OldFollowed::Ended(Termination::Limit("alone")),
        };
        shadow.mode = Mode::Old;
        shadow.behind = Some(Behind { new_end, before, asked: Vec::new(), until });
        self.state.shadow = shadow;
        Some(followed)
    }
}
