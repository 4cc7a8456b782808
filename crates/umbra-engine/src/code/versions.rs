//! Which code belongs to which version.
//!
//! The program says of every block in which versions it is; all that both have are *matched*: the same
//! place in both. Here that is kept by target, since the machine knows no blocks.

use umbra_ir::{Id, Presence};

use super::image::{Image, Place};
use super::op::{Op, Target};

impl Image {
    /// Whether the operation at `pc` is a branch on the version.
    pub(crate) fn is_version_branch(&self, pc: u32) -> bool {
        matches!(self.ops[pc as usize], Op::Version { .. })
    }

    /// Whether a target is a block (and not an edge) that both versions have.
    pub(crate) fn is_matched(&self, target: Target) -> bool {
        self.presence[target as usize].is_some_and(Presence::is_shared)
    }

    /// In which versions the block is that an operation is in.
    pub(crate) fn presence_at(&self, pc: u32) -> Option<Presence> {
        let after = self.headers.partition_point(|header| header.pc <= pc);
        after.checked_sub(1).and_then(|target| self.presence[target])
    }

    /// Whether a target is a block of which only code that is the same in both versions is a part.
    pub(crate) fn is_strong(&self, target: Target) -> bool {
        self.presence[target as usize] == Some(Presence::Strong)
    }

    /// Where all ways from the operation at `pc`, which decides where to go, come together again before its function returns.
    pub(crate) fn rejoin_of(&self, pc: u32) -> Option<Target> {
        let function = self.function_of(pc);
        let entry = self.functions[function.index()].entry?;
        let body = self.program.functions[function].body.as_ref()?;
        let rejoins = self.rejoins[function.index()].get_or_init(|| body.rejoins());
        let target = self.headers.partition_point(|header| header.pc <= pc).checked_sub(1)?;
        let block = rejoins.get(target - entry as usize).copied()??;
        let rejoin = entry + block.index() as Target;
        // A function that is too large has one block that stands for all.
        let header = self.headers.get(rejoin as usize)?;
        (self.function_of(header.pc) == function).then_some(rejoin)
    }

    /// The changes of the program's code: where they are, and the blocks that they are in.
    pub fn changes(&self) -> Vec<(Place, Target)> {
        let is_change =
            |op: &Op| matches!(op, Op::Change { .. } | Op::ChangeImm { .. } | Op::Version { .. });
        let mut changes: Vec<(Place, Target)> = Vec::new();
        for (pc, _) in (0..).zip(&self.ops).filter(|(_, op)| is_change(op)) {
            let after = self.headers.partition_point(|header| header.pc <= pc);
            let target = after.saturating_sub(1) as Target;
            let place = self.places(pc).into_iter().next();
            let change = place.map(|place| (place, target));
            // A value of several words is changed word by word.
            changes.extend(change.filter(|change| changes.last() != Some(change)));
        }
        changes
    }

    /// Notes in which versions the blocks are, when all are lowered.
    pub(super) fn find_presence(&mut self) {
        self.presence = vec![None; self.headers.len()];
        for (function, definition) in self.program.functions.iter() {
            let entry = self.functions[function.index()].entry;
            let (Some(body), Some(entry)) = (&definition.body, entry) else { continue };
            let end = self.functions[function.index() + 1..].iter().find_map(|next| next.entry);
            let end = end.unwrap_or(self.headers.len() as Target);
            // A function that is too large has one block that stands for all.
            for (block, target) in body.blocks.values().zip(entry..end) {
                self.presence[target as usize] = Some(block.presence);
            }
        }
    }
}
