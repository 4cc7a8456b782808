//! Decisions: which side of a condition the path is on, which value an expression has.

use umbra_expr::ExprId;

use crate::code::{Slot, Target};
use crate::fork::{Decider, Fork, ForkReason, OtherSide};
use crate::shadow::Mode;
use crate::step::{Machine, Step, Stop};

impl Machine<'_> {
    /// Offers the state on which `condition` holds to whoever drives the machine.
    pub(super) fn fork(&mut self, reason: ForkReason, condition: ExprId, target: Option<Target>) {
        let decider = match self.state.shadow.alone {
            Some(_) => Decider::Alone,
            None => self.decider,
        };
        let fork = Fork { reason, condition, place: self.state.pc, target, decider };
        let other = self.forks.other_side(self.shared, &self.state.path, &fork);
        self.state.path.depth += 1;
        if let OtherSide::Keep(assignment) = other {
            let mut parked = self.state.fork(self.image);
            parked.path.assume(&self.shared.expressions, condition);
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
        if let Some(value) = self.shared.expressions.constant_u64(condition) {
            return Ok(value == 1);
        }
        self.check_common(condition)?;
        let side = self.evaluate(condition) == 1;
        let negation = self.shared.expressions.not(condition);
        let (held, other) = if side { (condition, negation) } else { (negation, condition) };
        if self.state.path.implies(&self.shared.expressions, held) {
            return Ok(side);
        }
        let target = targets.map(|(then, otherwise)| if side { otherwise } else { then });
        self.fork(reason, other, target);
        self.state.path.assume(&self.shared.expressions, held);
        if let Some((then, otherwise)) = targets {
            self.note_way(if side { then } else { otherwise });
        }
        Ok(side)
    }

    /// Whether the state runs both versions.
    pub(in crate::step) fn both_run(&self) -> bool {
        self.state.shadow.mode == Mode::Both
    }

    /// Whether an expression differs between the versions, both of which run.
    pub(in crate::step) fn differs(&self, value: ExprId) -> bool {
        self.both_run() && self.shared.expressions.contains_pair(value)
    }

    /// What differs between the versions cannot be decided for both at once.
    pub(in crate::step) fn check_common(&self, value: ExprId) -> Step {
        if self.differs(value) { Err(Stop::Apart) } else { Ok(()) }
    }

    /// Whether a condition holds, see [`Machine::decide_between`].
    pub(in crate::step) fn decide(&mut self, condition: ExprId, reason: ForkReason) -> Step<bool> {
        self.decide_between(condition, reason, None)
    }

    /// The value of an expression of at most 64 bits; from here on it has no other on this path.
    pub(in crate::step) fn fix_expression(&mut self, value: ExprId) -> Step<u64> {
        if let Some(number) = self.shared.expressions.constant_u64(value) {
            return Ok(number);
        }
        self.check_common(value)?;
        let (number, equal) = self.shared.sample(self.state.path.assignment(), value);
        self.state.path.values += 1;
        self.decide(equal, ForkReason::Value)?;
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
