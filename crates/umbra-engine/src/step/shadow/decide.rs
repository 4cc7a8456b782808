//! Branches, switches and indirect calls of the program on what differs between the versions.
//!
//! Each version is asked in turn, which makes the four-way fork: the state that is parked for an
//! answer does the operation again and finds the answer among what holds on its path.
//!
//! Inside a library the versions go on together as long as they go the same way. Where they do not, it is no
//! divergence: the rest of the call is run by each alone.

use umbra_expr::ExprId;
use umbra_ir::Id;

use crate::code::{SwitchTable, Target};
use crate::fork::{Decider, ForkReason};
use crate::shadow::Cause;
use crate::step::{Machine, Step, Stop};

impl Machine<'_> {
    /// Which side of a branch the versions take; if they take different ones, the versions part,
    /// and it is the new one's.
    pub(in crate::step) fn branch_of_both(
        &mut self,
        condition: ExprId,
        targets: (Target, Target),
    ) -> Step<bool> {
        let in_library = self.enter_difference()?;
        let (old, new) = self.projections(condition);
        let (old, new) = self.ask_both(|machine| {
            let new = machine.decide_between(new, ForkReason::Branch, Some(targets))?;
            Ok((machine.decide_between(old, ForkReason::Branch, Some(targets))?, new))
        })?;
        if old != new && (in_library || self.is_tentative()) {
            return Err(Stop::Apart);
        }
        if in_library {
            return Ok(new);
        }
        let target = |side: bool| if side { targets.0 } else { targets.1 };
        self.note_ways(Some(target(old)), target(new));
        if old != new {
            self.diverge(Cause::Branch, &[condition]);
        }
        Ok(new)
    }

    /// Where a switch goes; if it goes to different places, the versions part, and it is the new
    /// one's. The old version is only asked whether it goes there too: one path for each place that
    /// the new one comes to alone.
    pub(in crate::step) fn switch_of_both(
        &mut self,
        table: &SwitchTable,
        value: ExprId,
    ) -> Step<Target> {
        let in_library = self.enter_difference()?;
        let (old, new) = self.projections(value);
        let (same, new) = self.ask_both(|machine| {
            let new = machine.switch_target(table, new)?;
            let same = machine.goes_to(table, new, old);
            Ok((machine.decide(same, ForkReason::Switch)?, new))
        })?;
        if !same && (in_library || self.is_tentative()) {
            return Err(Stop::Apart);
        }
        if in_library {
            return Ok(new);
        }
        self.note_ways(same.then_some(new), new);
        if !same {
            self.diverge(Cause::Branch, &[value]);
        }
        Ok(new)
    }

    /// What is called; if the versions call different functions they part, and it is the new
    /// one's. As for a switch, it does not matter which other one the old version calls.
    pub(in crate::step) fn callee_of_both(&mut self, address: ExprId) -> Step<u64> {
        let in_library = self.enter_difference()?;
        let (old, new) = self.projections(address);
        let (same, new) = self.ask_both(|machine| {
            let new = machine.fix_expression(new)?;
            let expressions = &mut machine.shared.expressions;
            let called = expressions.constant(expressions.width(old), new);
            let same = expressions.eq(old, called);
            Ok((machine.decide(same, ForkReason::Value)?, new))
        })?;
        if !same && (in_library || self.is_tentative()) {
            return Err(Stop::Apart);
        }
        if in_library {
            return Ok(new);
        }
        let function = self.image.function_at(new);
        let entry = function.and_then(|called| self.image.functions[called.index()].entry);
        if let Some(entry) = entry {
            self.note_ways(same.then_some(entry), entry);
        }
        if !same {
            self.diverge(Cause::Call, &[address]);
        }
        Ok(new)
    }

    /// Asks the new version, then the old one.
    fn ask_both<T>(&mut self, ask: impl FnOnce(&mut Self) -> Step<T>) -> Step<T> {
        self.decider = match self.library_call() {
            Some(_) => Decider::Alone,
            None => Decider::Version,
        };
        let answers = ask(self);
        self.decider = Decider::State;
        answers
    }

    /// What each version selects.
    pub(in crate::step) fn select_of_both(
        &mut self,
        condition: ExprId,
        then: ExprId,
        otherwise: ExprId,
    ) -> ExprId {
        let (old, new) = self.projections(condition);
        let expressions = &mut self.shared.expressions;
        if !expressions.is_constant(old) || !expressions.is_constant(new) {
            return expressions.ite(condition, then, otherwise);
        }
        let (old, new) =
            (expressions.ite(old, then, otherwise), expressions.ite(new, then, otherwise));
        let pair = expressions.pair(old, new);
        self.note_change(pair);
        pair
    }

    fn projections(&mut self, value: ExprId) -> (ExprId, ExprId) {
        let expressions = &mut self.shared.expressions;
        (expressions.project_old(value), expressions.project_new(value))
    }
}
