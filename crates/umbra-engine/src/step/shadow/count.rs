//! What the versions did together, and what alone.
//!
//! Instructions of a version that runs alone are counted as such at once, and noted with the state: where the versions
//! turn out to have parted for good they were behind the divergence, and are counted there. So are those behind a divergence
//! in data: the first time that somebody outside can tell the versions apart.

use umbra_expr::Assignment;
use umbra_ir::Id;
use umbra_words::Version;

use crate::environment::Byte;
use crate::shadow::{Alone, Mode};
use crate::state::{Frame, FrameKind, Parked, Shared};
use crate::step::Machine;

impl Shared {
    /// Whether bytes are not the same in both versions, both of which run, on an input.
    pub(in crate::step) fn differ(&mut self, bytes: &[Byte], input: &Assignment) -> bool {
        if self.side.is_some() {
            return false;
        }
        let pairs = bytes.iter().filter_map(|byte| match byte {
            Byte::Symbolic(value) => {
                Some(*value).filter(|&value| self.expressions.contains_pair(value))
            }
            Byte::Concrete(_) => None,
        });
        pairs.collect::<Vec<_>>().into_iter().any(|value| {
            let sides = Version::BOTH.map(|side| self.expressions.project(value, side));
            let mut run = self.evaluator.resume(&self.expressions, input);
            run.value_u64(sides[0]) != run.value_u64(sides[1])
        })
    }
}

impl Machine<'_> {
    /// Counts the instructions since the last time for the versions that ran them.
    pub(in crate::step) fn count_instructions(&mut self) {
        let now = self.state.instructions;
        let ran = now.saturating_sub(std::mem::replace(&mut self.counted, now));
        let (shadow, lockstep) = (&mut self.state.shadow, &mut self.shared.lockstep);
        if !shadow.active {
            return;
        }
        let (old, new) = match shadow.mode {
            _ if shadow.divergence.is_some() || shadow.seen_apart => {
                lockstep.behind += ran;
                return;
            }
            Mode::Both => {
                lockstep.both += ran;
                return;
            }
            Mode::Old => (ran, 0),
            Mode::New => (0, ran),
        };
        lockstep.old += old;
        lockstep.new += new;
        if let Some(alone) = &mut shadow.alone {
            alone.ran.0 += old;
            alone.ran.1 += new;
        }
    }

    /// Instructions of the old and of the new version since they run alone.
    pub(super) fn ran_alone(&mut self) -> (u64, u64) {
        self.count_instructions();
        self.state.shadow.alone.as_ref().map_or((0, 0), |alone| alone.ran)
    }

    /// Takes these back from what they did alone; says how many there were.
    pub(super) fn take_back_alone(&mut self) -> u64 {
        let (old, new) = self.ran_alone();
        let lockstep = &mut self.shared.lockstep;
        lockstep.old = lockstep.old.saturating_sub(old);
        lockstep.new = lockstep.new.saturating_sub(new);
        if let Some(alone) = &mut self.state.shadow.alone {
            alone.ran = (0, 0);
        }
        old + new
    }

    /// The versions that ran alone are together again.
    pub(super) fn note_place_alone(&mut self) {
        let (old, new) = self.ran_alone();
        let Some(alone) = &self.state.shadow.alone else { return };
        if self.state.shadow.seen_apart {
            return;
        }
        let place = self.own_place(&alone.checkpoint);
        if let Some(bound) = &mut self.state.shadow.bound {
            bound.ran = (bound.ran.0 + old, bound.ran.1 + new);
        }
        let apart = self.shared.lockstep.apart.entry(place).or_default();
        apart.times += 1;
        apart.instructions += old.max(new);
    }

    /// The versions, which ran alone, are about to be one state again. If others can tell them apart since, on the input of the
    /// state, that was behind a divergence.
    pub(super) fn note_outside(&mut self, old: &Parked, alone: &Alone) {
        if self.state.shadow.seen_apart || old.environment.is_same(&*self.state.environment) {
            return;
        }
        let (shared, assignment) = (&mut *self.shared, self.state.path.assignment());
        let mut same = |old: Byte, new: Byte| {
            let mut value = |byte: Byte, side: Version| match byte {
                Byte::Concrete(value) => u64::from(value),
                Byte::Symbolic(value) => {
                    let value = shared.expressions.project(value, side);
                    shared.evaluator.resume(&shared.expressions, assignment).value_u64(value)
                }
            };
            value(old, Version::Old) == value(new, Version::New)
        };
        if self.state.environment.differs_outside(&*old.environment, &mut same) {
            self.shared.lockstep.behind += self.take_back_alone();
            self.state.shadow.seen_apart = true;
            if self.has_bound_call(&alone.checkpoint.frames) {
                self.take_back_call();
            }
        }
    }

    /// A system call that both versions make shows others that they differ.
    pub(in crate::step) fn note_seen_apart(&mut self) {
        if self.state.shadow.seen_apart {
            return;
        }
        self.count_instructions();
        self.state.shadow.seen_apart = true;
        if self.has_bound_call(&self.state.frames) {
            self.take_back_call();
        }
    }

    /// What each version did alone in the call of a library that shows a difference was behind the divergence, too.
    fn take_back_call(&mut self) {
        if let Some(bound) = &mut self.state.shadow.bound {
            let (old, new) = std::mem::take(&mut bound.ran);
            let lockstep = &mut self.shared.lockstep;
            lockstep.old = lockstep.old.saturating_sub(old);
            lockstep.new = lockstep.new.saturating_sub(new);
            lockstep.behind += old + new;
        }
    }

    /// The operation of the program itself at which a state stands.
    fn own_place(&self, state: &Parked) -> u32 {
        let is_library = |frame: &Frame| self.image.functions[frame.function.index()].library;
        match state.frames.iter().rposition(|frame| !is_library(frame)) {
            Some(own) => match state.frames.get(own + 1) {
                Some(called) if called.kind == FrameKind::Call => called.return_pc - 1,
                _ => state.pc,
            },
            None => state.pc,
        }
    }
}
