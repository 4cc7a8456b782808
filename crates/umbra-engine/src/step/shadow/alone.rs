//! One version at a time.

use std::sync::Arc;

use umbra_ir::Id;

use crate::shadow::{Alone, Call, Cause, EndedVersion, Mode, OldSide, Until};
use crate::state::Parked;
use crate::step::{Machine, Step, Stop};
use crate::termination::Termination;

impl Machine<'_> {
    /// The versions cannot do the operation at `pc` together: the old one starts alone.
    pub(in crate::step) fn part(&mut self) {
        let until = self.until();
        let changes = self.changes_here();
        self.state.shadow.changed |= self.image.is_version_branch(self.state.pc);
        let checkpoint = Arc::new(self.state.fork(self.image));
        let began = self.state.instructions;
        let changes = changes.into();
        let asked = Vec::new();
        let alone = Alone { checkpoint, until, old: None, began, asked, changes };
        self.state.shadow.alone = Some(alone);
        if let Some(environment) = self.state.shadow.old_environment.take() {
            self.state.environment = environment;
        }
        self.enter_mode(Mode::Old);
    }

    /// The changes because of which the operation at `pc` is done by each version alone.
    fn changes_here(&self) -> Vec<u32> {
        if self.image.is_version_branch(self.state.pc) {
            return vec![self.state.pc];
        }
        let changes = self.shared.changes_in(&self.pairs_read());
        match changes.is_empty() {
            // No operand differs, so it is an object or a world that does.
            true => self.state.shadow.apart.to_vec(),
            false => changes,
        }
    }

    /// Until where the versions run alone from here.
    fn until(&self) -> Until {
        let top = self.state.frames.len().saturating_sub(1);
        if self.image.is_version_branch(self.state.pc) {
            let serial = self.state.frames.last().map_or(0, |frame| frame.serial);
            return Until::MatchedBlock(Call { depth: top, serial });
        }
        match self.library_call() {
            Some(call) => Until::Return(call),
            None => Until::Operation,
        }
    }

    /// The outermost of the library's calls on top of the stack.
    pub(super) fn library_call(&self) -> Option<Call> {
        let frames = &self.state.frames;
        let is_library =
            |function: umbra_ir::FunctionId| self.image.functions[function.index()].library;
        let depth = frames.iter().rposition(|frame| !is_library(frame.function));
        let depth = depth.map_or(0, |own| own + 1);
        frames.get(depth).map(|frame| Call { depth, serial: frame.serial })
    }

    /// Steps the version that runs alone, until it has come to where it waits for the other, or to
    /// its end.
    pub(in crate::step) fn run_alone(&mut self, limit: u64) -> Step {
        let Some(alone) = self.state.shadow.alone.clone() else { return Ok(()) };
        loop {
            self.entered = None;
            match self.step_symbolic() {
                Ok(()) => {}
                Err(Stop::End(termination)) => return self.ended_alone(*termination),
                Err(Stop::Again) => return Err(Stop::Again),
                Err(Stop::Apart) => {
                    let message = "a version that runs alone met something that differs";
                    return Err(Stop::end(Termination::EngineBug(message.to_owned())));
                }
            }
            if self.has_arrived(alone.until) {
                return self.arrived();
            }
            if self.entered.is_some() {
                if self.state.instructions - alone.began > self.state.limits.alone {
                    return self.lost();
                }
                self.paused |= self.forks.wants_pause();
                if self.paused || self.state.instructions >= limit {
                    return Ok(());
                }
            }
        }
    }

    fn has_arrived(&self, until: Until) -> bool {
        let left = |call: Call| {
            self.state.frames.get(call.depth).is_none_or(|frame| frame.serial != call.serial)
        };
        match until {
            Until::Operation => true,
            Until::Return(call) => left(call),
            Until::MatchedBlock(call) => {
                let top = self.state.frames.len() == call.depth + 1;
                left(call) || top && self.entered.is_some_and(|to| self.image.is_matched(to))
            }
        }
    }

    /// The running version has come to where it waits for the other.
    fn arrived(&mut self) -> Step {
        let Some(alone) = self.state.shadow.alone.clone() else { return Ok(()) };
        match alone.old.as_deref() {
            None => {
                let parked = self.state.fork(self.image);
                self.start_new(&alone, OldSide::Arrived(Box::new(parked)));
            }
            Some(OldSide::Arrived(old)) if self.is_at_place_of(old) => {
                self.join_versions(old, &alone);
            }
            Some(OldSide::Arrived(_)) => self.diverge_from(&alone, Cause::Places),
            Some(OldSide::Ended(end)) => {
                let cause = Cause::OldEnded(end.termination.clone());
                self.diverge_from(&alone, cause);
            }
            Some(OldSide::Lost) => self.diverge_from(&alone, Cause::OldLost),
        }
        Ok(())
    }

    fn is_at_place_of(&self, old: &Parked) -> bool {
        let serial = |frames: &[crate::state::Frame]| frames.last().map(|frame| frame.serial);
        self.state.pc == old.pc
            && self.state.frames.len() == old.frames.len()
            && serial(&self.state.frames) == serial(&old.frames)
            && self.state.signals.len() == old.signals.len()
    }

    /// The running version has ended.
    fn ended_alone(&mut self, termination: Termination) -> Step {
        let Some(alone) = self.state.shadow.alone.clone() else { return Ok(()) };
        if !is_end_of_version(&termination) {
            return Err(Stop::end(termination));
        }
        match alone.old.as_deref() {
            None => {
                let end = EndedVersion {
                    termination,
                    exit_status: self.state.exit_status,
                    environment: self.state.environment.fork(),
                };
                self.start_new(&alone, OldSide::Ended(end));
                return Ok(());
            }
            Some(OldSide::Ended(end)) if ends_alike(&end.termination, &termination) => {
                self.state.shadow.alone = None;
                self.state.shadow.note_apart(&alone.changes);
                self.state.shadow.old_end = Some(Arc::new(end.clone()));
            }
            Some(OldSide::Ended(end)) => {
                let cause = Cause::OldEnded(end.termination.clone());
                self.diverge_from(&alone, cause);
            }
            Some(OldSide::Arrived(_) | OldSide::Lost) => {
                self.diverge_from(&alone, Cause::NewEnded);
            }
        }
        Err(Stop::end(termination))
    }

    /// The running version has not come back within its budget.
    fn lost(&mut self) -> Step {
        let Some(alone) = self.state.shadow.alone.clone() else { return Ok(()) };
        match alone.old.as_deref() {
            None => {
                self.start_new(&alone, OldSide::Lost);
                Ok(())
            }
            Some(OldSide::Lost) => Err(Stop::end(Termination::Limit("alone"))),
            Some(OldSide::Arrived(_) | OldSide::Ended(_)) => {
                self.diverge_from(&alone, Cause::NewLost);
                Err(Stop::end(Termination::Limit("alone")))
            }
        }
    }

    /// The old version waits, or has ended: the new one starts from the same state, under what the
    /// old one has found to hold.
    fn start_new(&mut self, alone: &Alone, old: OldSide) {
        let (path, instructions) = (self.state.path.clone(), self.state.instructions);
        self.state.resume(self.image, alone.checkpoint.copy());
        self.state.path = path;
        self.state.instructions = instructions;
        let (old, began) = (Some(Arc::new(old)), instructions);
        let alone = Alone { old, began, asked: Vec::new(), ..alone.clone() };
        self.state.shadow.alone = Some(alone);
        self.enter_mode(Mode::New);
    }
}

/// Whether the version itself has ended, and not the analysis of it.
fn is_end_of_version(termination: &Termination) -> bool {
    matches!(termination, Termination::Exited(_) | Termination::Killed(_) | Termination::Error(_))
}

/// Whether two versions have ended in the same way, as far as that is a matter of control.
fn ends_alike(old: &Termination, new: &Termination) -> bool {
    match (old, new) {
        (Termination::Exited(_), Termination::Exited(_)) => true,
        (Termination::Error(old), Termination::Error(new)) => {
            old.kind == new.kind && old.stack.first() == new.stack.first()
        }
        (old, new) => old == new,
    }
}
