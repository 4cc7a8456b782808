//! One version at a time.

use std::sync::Arc;

use umbra_ir::Presence;

use crate::code::Op;
use crate::shadow::{Alone, Call, Cause, EndedVersion, Mode, OldSide, Until};
use crate::state::{Frame, FrameKind, Parked};
use crate::step::{Machine, Step, Stop};
use crate::termination::Termination;

/// Instructions that a version may take to come together with the other again after they took different ways.
const MOST_TO_REJOIN: u64 = 10_000;

impl Machine<'_> {
    /// The versions cannot do the operation at `pc` together: the old one starts alone, unless what they read
    /// turns out to be the same.
    pub(in crate::step) fn part(&mut self) {
        if self.settle_operands() {
            return;
        }
        let until = self.until();
        self.note_parting();
        let changes = self.changes_here();
        self.shared.lockstep.partings += 1;
        if self.image.is_version_branch(self.state.pc) {
            self.state.shadow.note_change(self.state.pc);
        }
        let checkpoint = Arc::new(self.state.fork(self.image));
        let began = self.state.instructions;
        let changes = changes.into();
        let (asked, ran) = (Vec::new(), (0, 0));
        let alone = Alone { checkpoint, until, old: None, began, asked, ran, changes };
        self.state.shadow.alone = Some(alone);
        if let Some(environment) = self.state.shadow.old_environment.take() {
            self.state.environment = environment;
        }
        self.enter_mode(Mode::Old);
    }

    /// The changes because of which the operation at `pc` is done by each version alone.
    pub(super) fn changes_here(&self) -> Vec<u32> {
        if self.image.is_version_branch(self.state.pc) {
            return vec![self.state.pc];
        }
        let changes = self.changes_in(&self.pairs_read());
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
            Some(call) => self.until_in_library(call),
            None => {
                let serial = self.state.frames.last().map_or(0, |frame| frame.serial);
                let call = Call { depth: top, serial };
                match self.is_decision() {
                    true if self.is_weak_place() => Until::StrongBlock(call),
                    true => {
                        let rejoin = self.rejoin(&self.state.frames, self.state.pc, call);
                        rejoin.unwrap_or(Until::Operation)
                    }
                    false => Until::Operation,
                }
            }
        }
    }

    /// Whether different ways from the operation at `pc`, which decides where to go, need not be a divergence.
    pub(super) fn is_tentative(&self) -> bool {
        matches!(self.until(), Until::StrongBlock(_) | Until::Rejoin(..))
    }

    /// Whether the operation at `pc` decides where to go.
    pub(super) fn is_decision(&self) -> bool {
        let op = &self.image.ops[self.state.pc as usize];
        op.is_branch() || matches!(op, Op::Switch { .. } | Op::CallIndirect { .. })
    }

    fn is_weak_place(&self) -> bool {
        self.image.presence_at(self.state.pc) == Some(Presence::Weak)
    }

    /// Until where versions run that took different ways from the operation at `pc` of a call, if they may still come to the same
    /// state. Not asked of annotated programs: who wrote the annotations knows which places are the same.
    fn rejoin(&self, frames: &[Frame], pc: u32, call: Call) -> Option<Until> {
        let is_call = frames.get(call.depth).is_some_and(|frame| frame.kind == FrameKind::Call);
        let is_merged = self.image.program.merged.is_some();
        (is_merged && is_call).then(|| Until::Rejoin(call, self.image.rejoin_of(pc)))
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
                if self.state.instructions - alone.began > self.alone_limit(alone.until) {
                    return self.lost();
                }
                self.paused |= self.forks.wants_pause();
                if self.paused || self.state.instructions >= limit {
                    return Ok(());
                }
            }
        }
    }

    /// Instructions that one version may run.
    fn alone_limit(&self, until: Until) -> u64 {
        match until {
            Until::Rejoin(..) | Until::End => self.state.limits.alone.min(MOST_TO_REJOIN),
            _ => self.state.limits.alone,
        }
    }

    fn has_arrived(&self, until: Until) -> bool {
        let left = |call: Call| {
            self.state.frames.get(call.depth).is_none_or(|frame| frame.serial != call.serial)
        };
        match until {
            Until::Operation => true,
            Until::End => false,
            Until::Return(call) => left(call),
            Until::Block(call, block) => {
                let top = self.state.frames.len() == call.depth + 1;
                left(call) || top && self.entered == Some(block)
            }
            Until::Rejoin(call, block) => {
                let top = self.state.frames.len() == call.depth + 1;
                left(call) || top && self.entered.is_some() && self.entered == block
            }
            Until::MatchedBlock(call) => {
                let top = self.state.frames.len() == call.depth + 1;
                left(call) || top && self.entered.is_some_and(|to| self.image.is_matched(to))
            }
            Until::StrongBlock(call) => {
                let top = self.state.frames.len() == call.depth + 1;
                left(call) || top && self.entered.is_some_and(|to| self.image.is_strong(to))
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
            Some(OldSide::Arrived(old)) if self.is_at_place_of(old) => match alone.until {
                Until::Rejoin(..) => self.meet_or_part(old, &alone),
                _ => self.meet(old, &alone),
            },
            Some(_) if self.is_part_of_call(&alone) => self.run_rest_of_call(&alone),
            Some(OldSide::Arrived(old)) => match alone.until {
                Until::MatchedBlock(call) if self.is_at_weak_place(old, call) => {
                    self.run_on(&alone, Until::StrongBlock(call));
                }
                Until::MatchedBlock(call) | Until::StrongBlock(call) => {
                    let checkpoint = &alone.checkpoint;
                    match self.rejoin(&checkpoint.frames, checkpoint.pc, call) {
                        Some(until) => self.run_on(&alone, until),
                        None => self.diverge_from(&alone, self.cause_of(&alone)),
                    }
                }
                _ => self.diverge_from(&alone, self.cause_of(&alone)),
            },
            Some(OldSide::Ended(end)) if self.may_end_alike(&alone, &end.termination) => {
                self.run_on(&alone, Until::End);
            }
            Some(OldSide::Ended(end)) => self.diverge_from(&alone, self.cause_of_end(&alone, end)),
            Some(OldSide::Lost) => self.diverge_from(&alone, Cause::OldLost),
        }
        Ok(())
    }

    /// Whether one version has ended so that the other, which has come to another place, may soon do the same: it returns from `main`
    /// where the other exits, or exits after something else.
    fn may_end_alike(&self, alone: &Alone, ended: &Termination) -> bool {
        let is_first_try = !matches!(alone.until, Until::Operation | Until::End);
        let is_merged = self.image.program.merged.is_some();
        is_merged && is_first_try && matches!(ended, Termination::Exited(_))
    }

    /// The versions are at the same place.
    fn meet(&mut self, old: &Parked, alone: &Alone) {
        if let Until::StrongBlock(_) = alone.until {
            self.forget_ways(alone);
        }
        self.join_versions(old, alone);
    }

    /// The versions took different ways, which have come together. If nothing differs there, that is forgotten.
    fn meet_or_part(&mut self, old: &Parked, alone: &Alone) {
        let before = self.state.fork(self.image);
        if self.join_versions(old, alone) {
            self.forget_ways(alone);
            return;
        }
        // What was found out about pairs is known when the path is made again.
        let path = self.state.path.clone();
        self.state.resume(self.image, before);
        self.state.path = path;
        self.state.memory.set_together(false);
        self.shared.side = self.state.shadow.side();
        self.diverge_from(alone, self.cause_of(alone));
    }

    /// What made versions part of which the old one has ended.
    fn cause_of_end(&self, alone: &Alone, end: &EndedVersion) -> Cause {
        match alone.until {
            Until::Rejoin(..) => self.cause_of(alone),
            _ => Cause::OldEnded(end.termination.clone()),
        }
    }

    /// What made versions part that did not meet again.
    fn cause_of(&self, alone: &Alone) -> Cause {
        match (alone.until, &self.image.ops[alone.checkpoint.pc as usize]) {
            (Until::StrongBlock(_) | Until::Rejoin(..), Op::CallIndirect { .. }) => Cause::Call,
            (Until::StrongBlock(_) | Until::Rejoin(..), Op::Version { .. }) => Cause::Places,
            (Until::StrongBlock(_) | Until::Rejoin(..), _) => Cause::Branch,
            _ => Cause::Places,
        }
    }

    /// Whether one of the versions is at a weak block of the call.
    fn is_at_weak_place(&self, old: &Parked, call: Call) -> bool {
        let weak = |frames: &[crate::state::Frame], pc: u32| {
            frames.get(call.depth).is_some_and(|frame| frame.serial == call.serial)
                && self.image.presence_at(pc) == Some(Presence::Weak)
        };
        weak(&old.frames, old.pc) || weak(&self.state.frames, self.state.pc)
    }

    /// Both versions start again from where they parted, to come further. What they have decided on the
    /// way holds, so they come by the same places.
    pub(super) fn run_on(&mut self, alone: &Alone, until: Until) {
        // What they have done so far they do again.
        self.take_back_alone();
        let (path, instructions) = (self.state.path.clone(), self.state.instructions);
        self.state.resume(self.image, alone.checkpoint.copy());
        self.state.path = path;
        self.state.instructions = instructions;
        let (asked, began, ran) = (Vec::new(), instructions, (0, 0));
        let alone = Alone { until, old: None, began, asked, ran, ..alone.clone() };
        self.state.shadow.alone = Some(alone);
        if let Some(environment) = self.state.shadow.old_environment.take() {
            self.state.environment = environment;
        }
        self.enter_mode(Mode::Old);
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
            return self.stopped_alone(&alone, termination);
        }
        match alone.old.as_deref() {
            None => {
                let end = EndedVersion {
                    termination,
                    exit_status: self.state.exit_status,
                    environment: self.state.environment.fork(),
                    place: self.state.pc,
                };
                self.start_new(&alone, OldSide::Ended(end));
                return Ok(());
            }
            Some(OldSide::Ended(end))
                if self.ends_like(end, &termination)
                    && (!alone.until.is_to_forget() || self.leaves_the_same(end)) =>
            {
                if alone.until.is_to_forget() {
                    self.forget_ways(&alone);
                }
                self.note_place_alone();
                self.state.shadow.alone = None;
                self.state.shadow.note_apart(&alone.changes);
                self.state.shadow.old_end = Some(Arc::new(end.clone()));
            }
            Some(_) if self.is_part_of_call(&alone) => {
                self.run_rest_of_call(&alone);
                return Ok(());
            }
            Some(OldSide::Ended(end)) => self.diverge_from(&alone, self.cause_of_end(&alone, end)),
            Some(OldSide::Arrived(_)) if self.may_end_alike(&alone, &termination) => {
                self.run_on(&alone, Until::End);
                return Ok(());
            }
            Some(OldSide::Arrived(_) | OldSide::Lost) => {
                let cause = match alone.until {
                    Until::Rejoin(..) => self.cause_of(&alone),
                    _ => Cause::NewEnded,
                };
                self.diverge_from(&alone, cause);
            }
        }
        Err(Stop::end(termination))
    }

    /// The running version cannot be followed further. If they have taken different ways for good, they have parted: that is known,
    /// whatever comes.
    fn stopped_alone(&mut self, alone: &Alone, termination: Termination) -> Step {
        let is_wanted = !matches!(termination, Termination::Excluded | Termination::Silent);
        if alone.until.is_to_forget() && is_wanted {
            match alone.old.as_deref() {
                // The old version waits there.
                None => return self.arrived(),
                Some(OldSide::Ended(end)) => {
                    self.diverge_from(alone, self.cause_of_end(alone, end));
                }
                Some(OldSide::Arrived(_) | OldSide::Lost) => {
                    self.diverge_from(alone, self.cause_of(alone));
                }
            }
        }
        Err(Stop::end(termination))
    }

    /// Whether the running version leaves behind what the old one did.
    fn leaves_the_same(&self, old: &EndedVersion) -> bool {
        let mut same = old.exit_status == self.state.exit_status;
        let mut pair = |old, new| {
            same &= old == new;
            new
        };
        let joined = self.state.environment.joined(&*old.environment, &mut pair);
        joined.is_some() && same
    }

    /// The versions took different ways for nothing.
    fn forget_ways(&mut self, alone: &Alone) {
        *self.shared.lockstep.forgotten.entry(alone.checkpoint.pc).or_default() += 1;
    }

    /// Whether the running version, which is the new one, has ended as the old one did, as far as that is a
    /// matter of control.
    fn ends_like(&self, old: &EndedVersion, new: &Termination) -> bool {
        match (&old.termination, new) {
            (Termination::Exited(_), Termination::Exited(_)) => true,
            (Termination::Error(old_error), Termination::Error(new)) => {
                // In either text the line may be another one, or code of either may stand in one line.
                let same_place =
                    old.place == self.state.pc || old_error.stack.first() == new.stack.first();
                old_error.kind == new.kind && same_place
            }
            (old, new) => old == new,
        }
    }

    /// The running version has not come back within its budget.
    fn lost(&mut self) -> Step {
        let Some(alone) = self.state.shadow.alone.clone() else { return Ok(()) };
        if let Until::StrongBlock(_) | Until::Rejoin(..) | Until::End = alone.until {
            // Nothing says that it does not terminate: it has only not come to a strong place.
            return self.arrived();
        }
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
        let ran = self.ran_alone();
        let (path, instructions) = (self.state.path.clone(), self.state.instructions);
        self.state.resume(self.image, alone.checkpoint.copy());
        self.state.path = path;
        self.state.instructions = instructions;
        if let OldSide::Arrived(old) = &old {
            let image = self.image;
            let is_own = |pc: u32| image.presence_at(pc) == Some(Presence::Old);
            self.state.memory.plan_slots(&old.memory, &is_own);
        }
        let (old, began) = (Some(Arc::new(old)), instructions);
        let alone = Alone { old, began, asked: Vec::new(), ran, ..alone.clone() };
        self.state.shadow.alone = Some(alone);
        self.enter_mode(Mode::New);
    }
}

/// Whether the version itself has ended, and not the analysis of it.
fn is_end_of_version(termination: &Termination) -> bool {
    matches!(termination, Termination::Exited(_) | Termination::Killed(_) | Termination::Error(_))
}
