//! A number for all that a state consists of, to compare states of two processes.

use std::hash::{DefaultHasher, Hash, Hasher};

use umbra_expr::ExprId;

use crate::memory::RestingMemory;
use crate::state::Parked;

impl Parked {
    /// A number that is the same for equal states: where they stand, what their calls and objects hold, what
    /// holds on their paths. Words of registers do not count, since most of them nobody reads any
    /// more. `value` gives a number for an expression, which is another one in each process.
    pub fn digest(&self, value: &mut dyn FnMut(ExprId) -> u64) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.pc, self.instructions(), self.stack_used, self.next_serial).hash(&mut hasher);
        (&self.objects, self.diff_path().is_some(), self.is_behind()).hash(&mut hasher);
        for (index, held) in &self.values {
            (index, value(*held)).hash(&mut hasher);
        }
        for frame in &self.frames {
            (frame.base, frame.return_pc, frame.serial).hash(&mut hasher);
        }
        (self.path.origin(), self.path.depth(), self.path.values()).hash(&mut hasher);
        // The parts of a conjunction are in the order of its operands, which have none of their own.
        let constraints = self.path.constraints().newest_first();
        let all = constraints.fold(0u64, |all, &constraint| all.wrapping_add(value(constraint)));
        (all, self.path.constraints().len()).hash(&mut hasher);
        for input in self.path.inputs().to_vec() {
            (&input.name, input.size, input.ordinal).hash(&mut hasher);
        }
        self.memory.digest(value).hash(&mut hasher);
        for parent in self.parents() {
            parent.digest(value).hash(&mut hasher);
        }
        hasher.finish()
    }
}

impl RestingMemory {
    fn digest(&self, value: &mut dyn FnMut(ExprId) -> u64) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.for_each(&mut |object| {
            if !object.is_alive() {
                return;
            }
            let kind = std::mem::discriminant(&object.kind);
            (object.base, object.size, kind, object.writable).hash(&mut hasher);
            object.digest(&mut hasher, value);
        });
        hasher.finish()
    }
}
