//! The table that finds a node by its operands: open addressing over node numbers.

use super::Packed;

const EMPTY: u32 = 0;

/// Node numbers by content; zero, which is never interned, marks a free place.
#[derive(Debug, Default)]
pub(super) struct Unique {
    slots: Vec<u32>,
    used: usize,
}

fn hash(Packed([a, b, c]): Packed) -> u64 {
    let low = u64::from(a) | u64::from(b) << 32;
    let mixed = (low ^ u64::from(c).rotate_left(17)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ mixed >> 32
}

impl Unique {
    /// The number of the node, which is added when it is new.
    pub(super) fn intern(&mut self, nodes: &mut Vec<Packed>, node: Packed) -> usize {
        if self.used * 2 >= self.slots.len() {
            self.grow(nodes);
        }
        let mask = self.slots.len() - 1;
        let mut slot = hash(node) as usize & mask;
        loop {
            match self.slots[slot] {
                EMPTY => break,
                found if nodes[found as usize] == node => return found as usize,
                _ => slot = (slot + 1) & mask,
            }
        }
        self.slots[slot] = nodes.len() as u32;
        self.used += 1;
        nodes.push(node);
        nodes.len() - 1
    }

    fn grow(&mut self, nodes: &[Packed]) {
        let size = (self.slots.len() * 2).max(1 << 10);
        let old = std::mem::replace(&mut self.slots, vec![EMPTY; size]);
        for number in old.into_iter().filter(|&number| number != EMPTY) {
            let mut slot = hash(nodes[number as usize]) as usize & (size - 1);
            while self.slots[slot] != EMPTY {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = number;
        }
    }
}
