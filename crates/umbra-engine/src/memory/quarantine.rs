//! Slots of ended objects, which wait before they are used again.

use std::collections::VecDeque;
use triomphe::Arc;

use super::layout::{Class, SMALL};

/// As many small objects end before a slot is used again.
const SMALL_WAIT: usize = 1 << 10;
/// As many of the same class do, if it is larger.
const LARGE_WAIT: usize = 32;

/// Slots by class, the one that waits longest first. A slot may be here twice, or not be free any more
/// in a version that runs alone: whoever takes one looks at its object.
#[derive(Clone, Default)]
pub struct Quarantine {
    queues: Arc<[VecDeque<u32>; Class::HEAP]>,
}

impl Quarantine {
    fn queue(&mut self, bits: u8) -> &mut VecDeque<u32> {
        &mut Arc::make_mut(&mut self.queues)[Class::number(bits)]
    }

    pub fn push(&mut self, bits: u8, index: u32) {
        self.queue(bits).push_back(index);
    }

    /// A slot that has waited long enough.
    pub fn pop(&mut self, bits: u8) -> Option<u32> {
        let wait = if bits <= SMALL { SMALL_WAIT } else { LARGE_WAIT };
        match self.queues[Class::number(bits)].len() > wait {
            true => self.queue(bits).pop_front(),
            false => None,
        }
    }

    /// Adds what waits in another quarantine and not in this one; in both, slots that are not `free` are
    /// left out.
    pub fn join(&mut self, other: &Self, free: impl Fn(u8, u32) -> bool) {
        if Arc::ptr_eq(&self.queues, &other.queues) {
            return;
        }
        let others = Arc::clone(&other.queues);
        for (class, others) in Class::heap().zip(others.iter()) {
            let Class::Heap(bits) = class else { continue };
            let queue = self.queue(bits);
            if queue == others {
                continue;
            }
            queue.retain(|&index| free(bits, index));
            let mut known: Vec<u32> = queue.iter().copied().collect();
            known.sort_unstable();
            let more = others.iter().copied();
            queue.extend(
                more.filter(|index| known.binary_search(index).is_err() && free(bits, *index)),
            );
        }
    }
}
