//! Decisions: which side of a condition the path is on, which value an expression has.

use umbra_expr::ExprId;

use crate::code::{Slot, Target};
use crate::fork::{Decider, Fork, ForkReason, OtherSide};
use crate::path::Script;
use crate::shadow::Mode;
use crate::step::{Machine, Step, Stop};
use crate::termination::Termination;

/// The other side of a fork.
pub(super) struct Side<'a> {
    /// What holds there.
    pub condition: ExprId,
    /// Where it leads, if that is known.
    pub target: Option<Target>,
    /// The decision that it has made, and what its question was made from; none at an assumption.
    pub decision: Option<(bool, &'a [u64])>,
}

impl Machine<'_> {
    /// Offers the state on another side to whoever drives the machine.
    pub(super) fn fork(&mut self, reason: ForkReason, side: &Side<'_>) {
        let decider = match self.state.shadow.alone {
            Some(_) => Decider::Alone,
            None if self.is_bound() => Decider::Alone,
            None => self.decider,
        };
        let &Side { condition, target, decision } = side;
        let fork = Fork { reason, condition, place: self.state.pc, target, decider };
        let steers = matches!(reason, ForkReason::Branch | ForkReason::Switch | ForkReason::Value);
        if steers && !self.state.path.forking {
            return self.forks.left_out(self.shared, &self.state.path, &fork);
        }
        let other = self.forks.other_side(self.shared, &self.state.path, &fork);
        if let OtherSide::Keep(assignment) = other {
            let mut parked = self.state.fork(self.image);
            if let Some(alone) = parked.shadow.as_mut().and_then(|shadow| shadow.alone.as_mut()) {
                // This state has them.
                alone.ran = (0, 0);
            }
            if let Some(bound) = parked.shadow.as_mut().and_then(|shadow| shadow.bound.as_mut()) {
                bound.ran = (0, 0);
            }
            match decision {
                Some((side, numbers)) => {
                    parked.path.decide(&self.shared.expressions, condition, side, numbers);
                }
                None => parked.path.assume(&self.shared.expressions, condition),
            }
            parked.path.values += u32::from(reason == ForkReason::Value);
            if let Some(decision) = target.and_then(|target| self.decision(target)) {
                parked.path.trail.push(decision);
            }
            if let Some(assignment) = assignment {
                parked.set_assignment(assignment);
            }
            self.forks.keep(parked, &fork);
        }
    }

    /// Whether a condition holds: for the state's own assignment, and from here on for the path. The
    /// other side becomes a state of its own, which enters `targets.1` where it holds and `targets.0`
    /// where it does not.
    pub(in crate::step) fn decide_between(
        &mut self,
        condition: ExprId,
        reason: ForkReason,
        targets: Option<(Target, Target)>,
    ) -> Step<bool> {
        self.decide_on(condition, reason, targets, &[])
    }

    /// The same for a condition that was made from these numbers. If it does not hold on a path that is made
    /// again, other numbers are for the same operation, done again.
    fn decide_on(
        &mut self,
        condition: ExprId,
        reason: ForkReason,
        targets: Option<(Target, Target)>,
        numbers: &[u64],
    ) -> Step<bool> {
        if let Some(value) = self.shared.expressions.constant_u64(condition) {
            return Ok(value == 1);
        }
        self.check_common(condition)?;
        let own = self.evaluate(condition) == 1;
        let negation = self.shared.expressions.not(condition);
        let sides = [negation, condition];
        let target =
            |side: bool| targets.map(|(then, otherwise)| if side { then } else { otherwise });
        if self.state.path.implies(&self.shared.expressions, sides[usize::from(own)]) {
            let (condition, target) = (sides[usize::from(!own)], target(!own));
            let (place, decider) = (self.state.pc, self.decider);
            let fork = Fork { reason, condition, place, target, decider };
            let held = sides[usize::from(own)];
            self.forks.settled(self.shared, &self.state.path, &fork, held);
            return Ok(own);
        }
        self.pause_before_question(0)?;
        let side = match self.forks.script() {
            Some(script) => script.side(own).ok_or_else(not_the_decisions)?,
            None => {
                let decision = Some((!own, numbers));
                let condition = sides[usize::from(!own)];
                self.fork(reason, &Side { condition, target: target(!own), decision });
                own
            }
        };
        let held = sides[usize::from(side)];
        self.set_goal(held);
        self.state.path.decide(&self.shared.expressions, held, side, numbers);
        self.state.path.values += u32::from(reason == ForkReason::Value);
        if let Some(target) = target(side) {
            self.note_way(target);
        }
        self.arrive(!side && !numbers.is_empty())?;
        Ok(side)
    }

    /// This is going to hold: notes it if a state that is made again stands here.
    pub(super) fn set_goal(&mut self, condition: ExprId) {
        let before = self.state.path.constraints().len();
        if let Some(script) = self.forks.script() {
            script.set_goal(before, condition);
        }
    }

    /// A state that is made again may have come to where it stands, at the operation that it has yet to do.
    /// Otherwise the operation is done again if `again`.
    pub(super) fn arrive(&mut self, again: bool) -> Step {
        let Some(script) = self.forks.script() else { return Ok(()) };
        self.paused |= script.has_arrived();
        match script.has_arrived() || again {
            true => Err(Stop::Again),
            false => Ok(()),
        }
    }

    /// What a question is made from whose condition for the state's own input is this one: on a path that is
    /// made again, it may have been something else.
    pub(super) fn scripted_number(&mut self, own: ExprId) -> Step<Option<u64>> {
        if self.forks.script().is_none() {
            return Ok(None);
        }
        let is_decided = self.shared.expressions.is_constant(own)
            || self.state.path.implies(&self.shared.expressions, own);
        if is_decided {
            return Ok(None);
        }
        self.pause_before_question(1)?;
        Ok(self.forks.script().map(Script::number))
    }

    /// Several states that are made again go this way up to here: each has its own answer to what is asked next,
    /// which takes so many numbers.
    fn pause_before_question(&mut self, numbers: usize) -> Step {
        let Some(script) = self.forks.script() else { return Ok(()) };
        if !script.pauses(numbers) {
            return Ok(());
        }
        self.paused = true;
        Err(Stop::Again)
    }

    /// Whether the state runs both versions.
    pub(in crate::step) fn both_run(&self) -> bool {
        self.state.shadow.mode == Mode::Both
    }

    /// Whether an expression differs between the versions, both of which run.
    pub(in crate::step) fn differs(&self, value: ExprId) -> bool {
        self.both_run() && self.shared.expressions.contains_pair(value)
    }

    /// What an expression that differs between the versions, both of which run, is in the old and in the new one, if both are numbers.
    pub(in crate::step) fn numbers_of_both(&mut self, value: ExprId) -> Option<[u64; 2]> {
        if !self.differs(value) {
            return None;
        }
        let expressions = &mut self.shared.expressions;
        let sides = [expressions.project_old(value), expressions.project_new(value)];
        let [old, new] = sides.map(|side| expressions.constant_u64(side));
        Some([old?, new?])
    }

    /// What differs between the versions cannot be decided for both at once.
    pub(in crate::step) fn check_common(&self, value: ExprId) -> Step {
        if self.differs(value) { Err(Stop::Apart) } else { Ok(()) }
    }

    /// Whether a condition holds, see [`Machine::decide_between`].
    pub(in crate::step) fn decide(&mut self, condition: ExprId, reason: ForkReason) -> Step<bool> {
        self.decide_between(condition, reason, None)
    }

    /// Whether a condition holds that was made from a number which the state's own input leads to, so that it
    /// holds for that.
    pub(super) fn decide_number(
        &mut self,
        condition: ExprId,
        reason: ForkReason,
        number: u64,
    ) -> Step {
        self.decide_on(condition, reason, None, &[number]).map(|_| ())
    }

    /// The value of an expression of at most 64 bits; from here on it has no other on this path.
    pub(in crate::step) fn fix_expression(&mut self, value: ExprId) -> Step<u64> {
        if let Some(number) = self.shared.expressions.constant_u64(value) {
            return Ok(number);
        }
        self.check_common(value)?;
        let (mut number, mut equal) = self.shared.sample(self.state.path.assignment(), value);
        if let Some(scripted) = self.scripted_number(equal)? {
            number = scripted;
            let expressions = &mut self.shared.expressions;
            let constant = expressions.constant(expressions.width(value), number);
            equal = expressions.eq(value, constant);
        }
        self.decide_number(equal, ForkReason::Value, number)?;
        Ok(number)
    }

    /// Makes what is in a slot a number.
    pub(super) fn fix(&mut self, slot: Slot) -> Step<u64> {
        let Some(value) = self.symbol(slot) else {
            return Ok(self.word(slot));
        };
        let number = self.fix_expression(value)?;
        self.put_word(slot, number);
        Ok(number)
    }
}

/// The path that is made again has come to a decision that was not made on it.
pub(super) fn not_the_decisions() -> Stop {
    Stop::end(Termination::EngineBug("the decisions of a state are not its path's".to_owned()))
}
