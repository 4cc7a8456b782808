//! The versions stand at the same place again: what differs becomes pairs.

use umbra_expr::ExprId;
use umbra_ir::Id;
use umbra_words::Version;

use crate::memory::Written;
use crate::shadow::{Alone, Mode};
use crate::state::Parked;
use crate::step::Machine;

/// What a slot holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Held {
    Word(u64),
    Value(ExprId),
}

impl Machine<'_> {
    /// Makes one state of the running one, which is the new version, and the old version. Says whether nothing differs
    /// that was the same before.
    pub(super) fn join_versions(&mut self, old: &Parked, alone: &Alone) -> bool {
        self.note_outside(old, alone);
        self.note_place_alone();
        let checkpoint = &*alone.checkpoint;
        self.shared.fresh.clear();
        self.join_slots(old, checkpoint, &alone.changes);
        let changes = &*alone.changes;
        let written = self.state.memory.join(&old.memory, self.shared, changes);
        self.join_objects(old);
        if let (Some(old), Some(new)) = (old.exit_status, self.state.exit_status)
            && old != new
            && self.shared.expressions.width(old) == self.shared.expressions.width(new)
        {
            // What a function on its own has left behind, as far as it is known.
            let pair = self.shared.expressions.pair(old, new);
            self.shared.note_fresh(pair, changes);
            self.state.exit_status = Some(pair);
        }
        self.state.stack_used = self.state.stack_used.max(old.stack_used);
        self.state.next_serial = self.state.next_serial.max(old.next_serial);
        let in_process = self.shared.fresh.len();
        let same = self.join_environments(old, changes);
        let alike = self.settle(&written, in_process) && same && !written.twins;
        let shadow = &mut self.state.shadow;
        shadow.alone = None;
        shadow.old_environment = (!same).then(|| old.environment.fork());
        if !same || written.twins {
            shadow.note_apart(changes);
        }
        shadow.mode = Mode::Both;
        self.state.memory.set_together(true);
        self.shared.side = None;
        alike
    }

    /// Drops the pairs that the join has made and that are equal on this path; says whether none is left. So many of
    /// them, the first ones, are in the process, the others in its world.
    fn settle(&mut self, written: &Written, in_process: usize) -> bool {
        let made = std::mem::take(&mut self.shared.fresh);
        let equal = self.equal_pairs(&made);
        if equal.is_empty() {
            return made.is_empty();
        }
        self.replace_in_frame(&equal);
        self.state.memory.replace(&written.objects, &equal, &self.shared.expressions);
        let same = |value: ExprId| equal.get(&value).copied().unwrap_or(value);
        self.state.exit_status = self.state.exit_status.map(same);
        if made[in_process..].iter().any(|pair| equal.contains_key(pair)) {
            let expressions = &mut self.shared.expressions;
            self.state.environment.translate(&mut |value| match equal.get(&value) {
                None => value,
                // What is an expression there stays one.
                Some(&new) if expressions.is_constant(new) => expressions.project_old(value),
                Some(&new) => new,
            });
        }
        made.iter().all(|pair| equal.contains_key(pair))
    }

    /// Whether both versions are in one world again.
    fn join_environments(&mut self, old: &Parked, changes: &[u32]) -> bool {
        if old.environment.is_same(&*self.state.environment) {
            return true;
        }
        let shared = &mut *self.shared;
        let mut pair = |old, new| shared.pair_bytes(old, new, changes);
        match self.state.environment.joined(&*old.environment, &mut pair) {
            Some(environment) => {
                self.state.environment = environment;
                true
            }
            None => false,
        }
    }

    /// Local objects that only one version has end when the call does.
    fn join_objects(&mut self, old: &Parked) {
        let pairs = self.state.objects.iter().zip(&old.objects);
        let common = pairs.take_while(|(new, old)| new == old).count();
        let own = &self.state.objects[common..];
        let more = old.objects[common..].iter().filter(|address| !own.contains(address));
        let more: Vec<u64> = more.copied().collect();
        self.state.objects.extend(more);
    }

    /// Calls below the current one have not run since the checkpoint; the slots of the current one that both versions
    /// still read are compared. Those that nobody reads hold what was there before: they are emptied.
    fn join_slots(&mut self, old: &Parked, checkpoint: &Parked, changes: &[u32]) {
        let Some(top) = self.state.frames.len().checked_sub(1) else { return };
        let base = self.state.frames[top].base as usize;
        for index in 0..base {
            self.state.values[index] = None;
        }
        for &(index, value) in checkpoint.values.iter().filter(|held| (held.0 as usize) < base) {
            self.state.values[index as usize] = Some(value);
        }
        for (frame, before) in self.state.frames[..top].iter_mut().zip(&checkpoint.frames) {
            frame.symbolic = before.symbolic;
        }
        let function = self.state.frames[top].function;
        let words = self.image.functions[function.index()].frame as usize;
        let same_call = checkpoint
            .frames
            .get(top)
            .is_some_and(|frame| frame.serial == self.state.frames[top].serial);
        let (old_values, before) =
            (values_from(old, base, words), values_from(checkpoint, base, words));
        let reads = |version| self.image.alive_at(self.state.pc, version);
        let [old_reads, new_reads] = Version::BOTH.map(reads);
        let mut symbolic = 0;
        for slot in 0..words {
            let index = base + slot;
            let old_held = held(old_values[slot], old.registers[index]);
            let new_held = held(self.state.values[index], self.state.registers[index]);
            let joined = match (old_reads.contains(slot), new_reads.contains(slot)) {
                (false, false) => Held::Word(0),
                // What one version reads alone is no difference.
                (true, false) => old_held,
                (false, true) => new_held,
                (true, true) => {
                    let before = if same_call { before[slot] } else { None };
                    self.join_slot(old_held, new_held, before, changes)
                }
            };
            self.state.values[index] = match joined {
                Held::Word(word) => {
                    self.state.registers[index] = word;
                    None
                }
                Held::Value(value) => {
                    symbolic |= 1 << (slot % 64);
                    Some(value)
                }
            };
        }
        self.state.frames[top].symbolic = symbolic;
    }

    fn join_slot(&mut self, old: Held, new: Held, before: Option<ExprId>, changes: &[u32]) -> Held {
        if let Some(before) = before {
            // Untouched: what the versions share of it stays shared.
            let expressions = &mut self.shared.expressions;
            let sides = (expressions.project_old(before), expressions.project_new(before));
            let is = |held: Held, side: ExprId| match held {
                Held::Word(word) => expressions.constant_u64(side) == Some(word),
                Held::Value(value) => value == side,
            };
            if is(old, sides.0) && is(new, sides.1) {
                return Held::Value(before);
            }
        }
        if old == new {
            return new;
        }
        let width = self.width_of(old).max(self.width_of(new));
        let (old, new) = (self.expression_of(old, width), self.expression_of(new, width));
        let pair = self.shared.expressions.pair(old, new);
        self.shared.note_fresh(pair, changes);
        match self.shared.expressions.constant_u64(pair) {
            Some(word) => Held::Word(word),
            None => Held::Value(pair),
        }
    }

    fn width_of(&self, held: Held) -> u32 {
        match held {
            Held::Value(value) => self.shared.expressions.width(value),
            Held::Word(word) => crate::step::symbolic::width_of(word),
        }
    }

    fn expression_of(&mut self, held: Held, width: u32) -> ExprId {
        match held {
            Held::Word(word) => self.shared.expressions.constant(width, word),
            Held::Value(value) => self.fit(value, width),
        }
    }
}

fn held(value: Option<ExprId>, word: u64) -> Held {
    value.map_or(Held::Word(word), Held::Value)
}

/// The expressions in the slots of the frame at `base`.
fn values_from(parked: &Parked, base: usize, words: usize) -> Vec<Option<ExprId>> {
    let mut values = vec![None; words];
    for &(index, value) in &parked.values {
        if let Some(slot) = (index as usize).checked_sub(base).filter(|&slot| slot < words) {
            values[slot] = Some(value);
        }
    }
    values
}
