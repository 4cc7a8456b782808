//! Branches, switches and returns.

use umbra_expr::{ExprId, Kind};
use umbra_ir::Predicate;

use super::decide::{Side, not_the_decisions};
use crate::code::{Op, Slot, SwitchTable, Target};
use crate::fork::ForkReason;
use crate::state::FrameKind;
use crate::step::{Machine, Step};

/// So many blocks that have not run get a side of a switch each, at most.
const MOST_SIDES: usize = 16;

/// Up to this many cases of a switch are compared one by one.
const FEW_CASES: usize = 3;

impl Machine<'_> {
    pub(super) fn symbolic_control(&mut self, op: Op) -> Step {
        match op {
            Op::Jump { to } => self.enter(to),
            Op::MoveJump { d, a, to } => {
                self.copy_slot(d, a);
                self.enter(to);
            }
            Op::Branch { a, then, otherwise } => {
                let condition = self.condition(a);
                return self.branch(condition, then, otherwise);
            }
            Op::BranchEq { a, b, then, otherwise } => {
                let condition = self.compare_slots(Predicate::Eq, 0, a, b);
                return self.branch(condition, then, otherwise);
            }
            Op::BranchUlt { a, b, then, otherwise } => {
                let condition = self.compare_slots(Predicate::Ult, 0, a, b);
                return self.branch(condition, then, otherwise);
            }
            Op::BranchUle { a, b, then, otherwise } => {
                let condition = self.compare_slots(Predicate::Ule, 0, a, b);
                return self.branch(condition, then, otherwise);
            }
            Op::BranchSlt { shift, a, b, then, otherwise } => {
                let condition = self.compare_slots(Predicate::Slt, shift, a, b);
                return self.branch(condition, then, otherwise);
            }
            Op::BranchSle { shift, a, b, then, otherwise } => {
                let condition = self.compare_slots(Predicate::Sle, shift, a, b);
                return self.branch(condition, then, otherwise);
            }
            Op::BranchEqImm { a, value, then, otherwise } => {
                let condition = self.compare_number(Predicate::Eq, 0, a, value.into());
                return self.branch(condition, then, otherwise);
            }
            Op::BranchUltImm { a, value, then, otherwise } => {
                let condition = self.compare_number(Predicate::Ult, 0, a, value.into());
                return self.branch(condition, then, otherwise);
            }
            Op::BranchUgtImm { a, value, then, otherwise } => {
                let condition = self.compare_number(Predicate::Ugt, 0, a, value.into());
                return self.branch(condition, then, otherwise);
            }
            Op::BranchSltImm { shift, a, value, then, otherwise } => {
                let value = i64::from(value) as u64;
                let condition = self.compare_number(Predicate::Slt, shift, a, value);
                return self.branch(condition, then, otherwise);
            }
            Op::BranchSgtImm { shift, a, value, then, otherwise } => {
                let value = i64::from(value) as u64;
                let condition = self.compare_number(Predicate::Sgt, shift, a, value);
                return self.branch(condition, then, otherwise);
            }
            Op::Switch { a, table } => return self.switch(a, table),
            Op::Return { a } => return self.return_slots(a, 1),
            Op::ReturnWords { a, count } => return self.return_slots(a, count),
            _ => return self.step_words(),
        }
        Ok(())
    }

    /// Enters a block or edge.
    fn enter(&mut self, target: Target) {
        if !self.shared.coverage.is_covered(target) {
            self.shared.coverage.cover(target);
        }
        let header = &self.image.headers[target as usize];
        self.state.instructions += u64::from(header.weight);
        self.state.pc = header.pc;
        self.entered = Some(target);
    }

    fn branch(&mut self, condition: ExprId, then: Target, otherwise: Target) -> Step {
        let targets = (then, otherwise);
        let side = match self.differs(condition) {
            true => self.branch_of_both(condition, targets)?,
            false => self.decide_between(condition, ForkReason::Branch, Some(targets))?,
        };
        self.enter(if side { then } else { otherwise });
        Ok(())
    }

    fn switch(&mut self, a: Slot, table: u32) -> Step {
        let image = self.image;
        let table = &image.tables[table as usize];
        let target = match self.symbol(a) {
            None => table.find(self.word(a)),
            Some(value) if self.differs(value) => self.switch_of_both(table, value)?,
            Some(value) => self.switch_target(table, value)?,
        };
        self.enter(target);
        Ok(())
    }

    /// Where a switch goes: where the state's own assignment goes. Blocks that have not run get a
    /// side each, so that searchers know where it leads; all other targets are one side.
    pub(in crate::step) fn switch_target(
        &mut self,
        table: &SwitchTable,
        value: ExprId,
    ) -> Step<Target> {
        let number = match self.shared.expressions.constant_u64(value) {
            Some(number) => number,
            None => self.evaluate(value),
        };
        let mut target = table.find(number);
        let mut condition = self.goes_to(table, target, value);
        if self.state.path.implies(&self.shared.expressions, condition) {
            return Ok(target);
        }
        match self.scripted_number(condition)? {
            None => self.fork_switch(table, target, condition, value),
            Some(scripted) => {
                target = scripted as Target;
                condition = self.goes_to(table, target, value);
                let own = self.evaluate(condition) == 1;
                let script = self.forks.script().ok_or_else(not_the_decisions)?;
                if !script.side(own).ok_or_else(not_the_decisions)? {
                    let count = script.number();
                    let others = (0..count).map(|_| script.number() as Target).collect();
                    self.take_rest_of_switch(table, target, others, value);
                    self.arrive(true)?;
                }
            }
        }
        let numbers = [u64::from(target)];
        self.set_goal(condition);
        self.state.path.decide(&self.shared.expressions, condition, true, &numbers);
        self.note_way(target);
        self.arrive(false)?;
        Ok(target)
    }

    /// A path that is made again does not lead to `target`, and to none of the others.
    fn take_rest_of_switch(
        &mut self,
        table: &SwitchTable,
        target: Target,
        others: Vec<Target>,
        value: ExprId,
    ) {
        let numbers = numbers_of_rest(target, &others);
        let taken = self.goes_to(table, target, value);
        let mut rest = self.shared.expressions.not(taken);
        for other in others {
            let taken = self.goes_to(table, other, value);
            let not_taken = self.shared.expressions.not(taken);
            rest = self.shared.expressions.and(rest, not_taken);
        }
        self.set_goal(rest);
        self.state.path.decide(&self.shared.expressions, rest, false, &numbers);
    }

    /// Offers all sides of a switch but the one to `target`, which is taken where `condition` holds.
    fn fork_switch(
        &mut self,
        table: &SwitchTable,
        target: Target,
        condition: ExprId,
        value: ExprId,
    ) {
        let mut others: Vec<Target> = table.targets().filter(|&other| other != target).collect();
        others.sort_unstable();
        others.dedup();
        let coverage = &self.shared.coverage;
        let mut single = others.clone();
        // Where one block is left, the side of all others leads there.
        single.retain(|&other| {
            others.len() == 1 || coverage.is_watching() || !coverage.is_covered(other)
        });
        single.truncate(MOST_SIDES);
        let mut rest = self.shared.expressions.not(condition);
        for &other in &single {
            let taken = self.goes_to(table, other, value);
            if self.shared.expressions.constant_u64(taken) != Some(0) {
                let decision = Some((true, &[u64::from(other)][..]));
                self.fork(
                    ForkReason::Switch,
                    &Side { condition: taken, target: Some(other), decision },
                );
            }
            let not_taken = self.shared.expressions.not(taken);
            rest = self.shared.expressions.and(rest, not_taken);
        }
        if single.len() < others.len() && self.shared.expressions.constant_u64(rest) != Some(0) {
            let numbers = numbers_of_rest(target, &single);
            let decision = Some((false, &numbers[..]));
            self.fork(ForkReason::Switch, &Side { condition: rest, target: None, decision });
        }
    }

    /// Whether a switch on `value` goes to `target`.
    pub(in crate::step) fn goes_to(
        &mut self,
        table: &SwitchTable,
        target: Target,
        value: ExprId,
    ) -> ExprId {
        let (default, cases): (Target, Vec<(u64, Target)>) = match table {
            SwitchTable::Dense { first, targets, default } => {
                (*default, (*first..).zip(targets.iter().copied()).collect())
            }
            SwitchTable::Sparse { cases, default } => (*default, cases.clone()),
        };
        let is_default = target == default;
        let listed = cases.iter().filter(|(_, to)| (*to == target) != is_default).count();
        if listed > FEW_CASES
            && let Some(condition) = self.goes_to_by_table(table, target, value)
        {
            return condition;
        }
        let expressions = &mut self.shared.expressions;
        let width = expressions.width(value);
        let mut any = expressions.false_();
        for (number, to) in cases {
            if (to == target) == is_default {
                continue;
            }
            // A number that the expression is too narrow for is none of its values.
            if width < 64 && number >> width != 0 {
                continue;
            }
            let number = expressions.constant(width, number);
            let equal = expressions.eq(value, number);
            any = expressions.or(any, equal);
        }
        if is_default { expressions.not(any) } else { any }
    }

    /// The same for a byte that was extended: one look into a table instead of many comparisons.
    fn goes_to_by_table(
        &mut self,
        table: &SwitchTable,
        target: Target,
        value: ExprId,
    ) -> Option<ExprId> {
        let expressions = &mut self.shared.expressions;
        let width = expressions.width(value);
        let (byte, signed) = match expressions.kind(value) {
            Kind::ZExt => (expressions.operand(value, 0), false),
            Kind::SExt => (expressions.operand(value, 0), true),
            _ => (value, false),
        };
        if expressions.width(byte) != 8 || width > 64 {
            return None;
        }
        let mut bits = [0u8; 256];
        for (number, bit) in bits.iter_mut().enumerate() {
            let extended = if signed { number as u8 as i8 as u64 } else { number as u64 };
            *bit = u8::from(table.find(extended & (u64::MAX >> (64 - width))) == target);
        }
        let array = expressions.table(&bits);
        let array = expressions.array_start(array);
        let index = expressions.zext(byte, 64);
        let entry = expressions.read(array, index);
        Some(expressions.extract(entry, 0, 1))
    }

    /// Ends the current call; its results are the slots from `a` on.
    fn return_slots(&mut self, a: Slot, count: u16) -> Step {
        if self.state.frames.last().is_none_or(|frame| frame.kind != FrameKind::Call) {
            for slot in a..a + count {
                self.fix(slot)?;
            }
            return self.step_words();
        }
        let results: Vec<(u64, Option<ExprId>)> =
            (a..a + count).map(|slot| (self.word(slot), self.symbol(slot))).collect();
        let words: Vec<u64> = results.iter().map(|result| result.0).collect();
        let site = self.state.frames.last().map_or(0, |frame| frame.site);
        self.return_words(&words)?;
        let call = &self.image.sites[site as usize];
        for (&slot, (_, value)) in call.results.iter().zip(&results) {
            if let Some(value) = value {
                self.put(slot, *value);
            }
        }
        // As a native call would, which uses a part of the register only.
        if let (&[slot], &[ty]) = (call.results.as_slice(), call.result_types.as_slice())
            && self.symbol(slot).is_some()
        {
            let value = self.expression(slot, ty.bits().min(64));
            self.put(slot, value);
        }
        Ok(())
    }
}

/// What tells the side of a switch that leads neither to `target` nor to any of the others.
fn numbers_of_rest(target: Target, others: &[Target]) -> Vec<u64> {
    let others = others.iter().copied().map(u64::from);
    [target.into(), others.len() as u64].into_iter().chain(others).collect()
}
