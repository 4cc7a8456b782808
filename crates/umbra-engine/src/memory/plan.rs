//! Slots for the allocations of a version that runs alone after the other one.
//!
//! Two versions that allocate the same in another order, or one of which allocates more, would have
//! other addresses from there on, and pointers would differ that mean the same. So the new version gets, for
//! an allocation, the slot that the old one got for its own: for that of the same call stack if there is one, else
//! for one of the same size by the same operation, or by one that only the old version has. What the new version
//! allocates beyond that keeps out of these slots.
//!
//! A wrong guess costs pairs, and changes nothing that the program could notice.

use triomphe::Arc;

use super::buffer::{Buffer, CONCRETE};
use super::layout::{Class, Slot};
use super::object::{Life, Object, ObjectKind, Trace};
use super::{Memory, RestingMemory};

/// Where there are more than these, the versions have little in common.
const MOST: usize = 1024;

/// What the old version has allocated since the versions parted, and the new one has not.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan(Vec<Wanted>);

#[derive(Clone, Copy, Debug)]
struct Wanted {
    slot: Slot,
    generation: u8,
    size: u64,
    made: Trace,
    /// By an operation that only the old version has.
    own: bool,
}

impl Plan {
    /// Takes the slot for an allocation, if one is planned.
    fn take(&mut self, class: Class, size: u64, made: Trace) -> Option<(Slot, u8)> {
        let fits = |wanted: &Wanted| wanted.slot.class == class;
        let same_calls = self.0.iter().position(|one| fits(one) && one.made == made);
        let same_size = |one: &Wanted| fits(one) && one.size == size;
        let same_operation =
            || self.0.iter().position(|one| same_size(one) && one.made.0[0] == made.0[0]);
        let any_own = || self.0.iter().position(|one| same_size(one) && one.own);
        let wanted = same_calls.or_else(same_operation).or_else(any_own)?;
        let wanted = self.0.remove(wanted);
        Some((wanted.slot, wanted.generation))
    }

    fn has(&self, slot: Slot) -> bool {
        self.0.iter().any(|wanted| wanted.slot == slot)
    }
}

impl Memory {
    /// From here on, allocations get the slots that the old version has got for its own since.
    /// `is_own` tells the operations that only the old version has.
    pub(crate) fn plan_slots(&mut self, old: &RestingMemory, is_own: &dyn Fn(u32) -> bool) {
        let mut wanted = Vec::new();
        for class in Class::heap() {
            self.objects.table(class).differences(old.table(class), |index, before, after| {
                let free = before.is_none_or(Object::is_gone);
                if let Some(object) = after
                    && free
                    && object.is_alive()
                    && object.kind == ObjectKind::Heap
                {
                    let Object { generation, size, made, .. } = *object;
                    let slot = Slot { class, index };
                    let own = is_own(made.0[0]);
                    wanted.push(Wanted { slot, generation, size, made, own });
                }
            });
        }
        let some = (1..=MOST).contains(&wanted.len());
        self.objects.plan = some.then(|| Arc::new(Plan(wanted)));
    }

    /// The versions go on together, or for good alone.
    pub(crate) fn forget_plan(&mut self) {
        self.objects.plan = None;
    }

    /// The planned slot of an allocation, and the generation that its object has.
    pub(super) fn planned_slot(
        &mut self,
        class: Class,
        size: u64,
        made: Trace,
    ) -> Option<(Slot, u8)> {
        let plan = Arc::make_mut(self.objects.plan.as_mut()?);
        let (slot, generation) = plan.take(class, size, made)?;
        let free = self.objects.get(slot).is_none_or(Object::is_gone);
        free.then_some((slot, generation))
    }

    /// Whether a slot is kept for what the other version has there.
    pub(super) fn is_planned(&self, slot: Slot) -> bool {
        self.objects.plan.as_ref().is_some_and(|plan| plan.has(slot))
    }

    /// Fills the table up to a slot with objects that are gone: a table has no holes.
    pub(super) fn fill_up_to(&mut self, slot: Slot) {
        while self.objects.table(slot.class).len() < slot.index {
            let next = Slot { class: slot.class, index: self.objects.table(slot.class).len() };
            let buffer = Arc::new(Buffer::new(0, CONCRETE));
            let hole = Object::new(next.place(0, 0, 16), 0, ObjectKind::Heap, buffer);
            // The next object in it is the first one.
            let hole = Object { life: Life::Freed, generation: u8::MAX, ..hole };
            self.objects.table_mut(slot.class).push(hole);
        }
    }
}
