//! One version at a time.

use std::sync::Arc;

use umbra_ir::{Id, Presence};

use crate::code::Op;
use crate::shadow::{Alone, Call, Cause, EndedVersion, Mode, OldSide, Until};
use crate::state::{Frame, FrameKind, Parked};
use crate::step::{Machine, Step, Stop};
use crate::termination::Termination;

/// Instructions that a version may take to leave a call in which they took different ways.
const MOST_TO_LEAVE: u64 = 1_000;

impl Machine<'_> {
    /// The versions cannot do the operation at `pc` together: the old one starts alone, unless what they read
    /// turns out to be the same.
    pub(in crate::step) fn part(&mut self) {
        if self.settle_operands() {
            return;
        }
        let until = self.until();
        let changes = self.changes_here();
        self.shared.lockstep.partings += 1;
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
            None => {
                let serial = self.state.frames.last().map_or(0, |frame| frame.serial);
                let call = Call { depth: top, serial };
                match self.is_decision() {
                    true if self.is_weak_place() => Until::StrongBlock(call),
                    true if self.may_leave(&self.state.frames, call) => Until::Leave(call),
                    _ => Until::Operation,
                }
            }
        }
    }

    /// Whether different ways from the operation at `pc`, which decides where to go, need not be a divergence.
    pub(super) fn is_tentative(&self) -> bool {
        matches!(self.until(), Until::StrongBlock(_) | Until::Leave(_))
    }

    /// Whether the operation at `pc` decides where to go.
    fn is_decision(&self) -> bool {
        let op = &self.image.ops[self.state.pc as usize];
        op.is_branch() || matches!(op, Op::Switch { .. } | Op::CallIndirect { .. })
    }

    fn is_weak_place(&self) -> bool {
        self.image.presence_at(self.state.pc) == Some(Presence::Weak)
    }

    /// Whether versions that took different ways in a call may still leave it in the same state. Not asked of
    /// annotated programs: who wrote the annotations knows which places are the same. Nor of `main`, behind which
    /// there is nothing of the program.
    fn may_leave(&self, frames: &[Frame], call: Call) -> bool {
        let is_own = |frame: &Frame| !self.image.functions[frame.function.index()].library;
        self.image.program.merged.is_some()
            && frames.get(call.depth).is_some_and(|frame| frame.kind == FrameKind::Call)
            && frames[..call.depth].iter().any(is_own)
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
            Until::Leave(_) => self.state.limits.alone.min(MOST_TO_LEAVE),
            _ => self.state.limits.alone,
        }
    }

    fn has_arrived(&self, until: Until) -> bool {
        let left = |call: Call| {
            self.state.frames.get(call.depth).is_none_or(|frame| frame.serial != call.serial)
        };
        match until {
            Until::Operation => true,
            Until::Return(call) | Until::Leave(call) => left(call),
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
                Until::Leave(_) => self.meet_or_part(old, &alone),
                _ => self.meet(old, &alone),
            },
            Some(OldSide::Arrived(old)) => match alone.until {
                Until::MatchedBlock(call) if self.is_at_weak_place(old, call) => {
                    self.run_on(&alone, Until::StrongBlock(call));
                }
                Until::MatchedBlock(call) | Until::StrongBlock(call)
                    if self.may_leave(&alone.checkpoint.frames, call) =>
                {
                    self.run_on(&alone, Until::Leave(call));
                }
                _ => self.diverge_from(&alone, self.cause_of(&alone)),
            },
            Some(OldSide::Ended(end)) => self.diverge_from(&alone, self.cause_of_end(&alone, end)),
            Some(OldSide::Lost) => self.diverge_from(&alone, Cause::OldLost),
        }
        Ok(())
    }

    /// The versions are at the same place.
    fn meet(&mut self, old: &Parked, alone: &Alone) {
        if let Until::StrongBlock(_) = alone.until {
            let place = alone.checkpoint.pc;
            *self.shared.lockstep.forgotten.entry(place).or_default() += 1;
        }
        self.join_versions(old, alone);
    }

    /// The versions took different ways in a call, and have left it. If nothing differs there, that is
    /// forgotten.
    fn meet_or_part(&mut self, old: &Parked, alone: &Alone) {
        let before = self.state.fork(self.image);
        if self.join_versions(old, alone) {
            *self.shared.lockstep.forgotten.entry(alone.checkpoint.pc).or_default() += 1;
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
            Until::Leave(_) => self.cause_of(alone),
            _ => Cause::OldEnded(end.termination.clone()),
        }
    }

    /// What made versions part that did not meet again.
    fn cause_of(&self, alone: &Alone) -> Cause {
        match (alone.until, &self.image.ops[alone.checkpoint.pc as usize]) {
            (Until::StrongBlock(_) | Until::Leave(_), Op::CallIndirect { .. }) => Cause::Call,
            (Until::StrongBlock(_) | Until::Leave(_), Op::Version { .. }) => Cause::Places,
            (Until::StrongBlock(_) | Until::Leave(_), _) => Cause::Branch,
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
    fn run_on(&mut self, alone: &Alone, until: Until) {
        self.count_instructions();
        let (path, instructions) = (self.state.path.clone(), self.state.instructions);
        self.state.resume(self.image, alone.checkpoint.copy());
        self.state.path = path;
        self.state.instructions = instructions;
        let (asked, began) = (Vec::new(), instructions);
        self.state.shadow.alone = Some(Alone { until, old: None, began, asked, ..alone.clone() });
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
            return Err(Stop::end(termination));
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
                if self.ends_like(end, &termination) && !matches!(alone.until, Until::Leave(_)) =>
            {
                self.state.shadow.alone = None;
                self.state.shadow.note_apart(&alone.changes);
                self.state.shadow.old_end = Some(Arc::new(end.clone()));
            }
            Some(OldSide::Ended(end)) => self.diverge_from(&alone, self.cause_of_end(&alone, end)),
            Some(OldSide::Arrived(_) | OldSide::Lost) => {
                let cause = match alone.until {
                    Until::Leave(_) => self.cause_of(&alone),
                    _ => Cause::NewEnded,
                };
                self.diverge_from(&alone, cause);
            }
        }
        Err(Stop::end(termination))
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
        if let Until::StrongBlock(_) | Until::Leave(_) = alone.until {
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
        self.count_instructions();
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
        let alone = Alone { old, began, asked: Vec::new(), ..alone.clone() };
        self.state.shadow.alone = Some(alone);
        self.enter_mode(Mode::New);
    }
}

/// Whether the version itself has ended, and not the analysis of it.
fn is_end_of_version(termination: &Termination) -> bool {
    matches!(termination, Termination::Exited(_) | Termination::Killed(_) | Termination::Error(_))
}
