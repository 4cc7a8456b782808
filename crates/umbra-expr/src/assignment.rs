//! Values of the input bytes.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::id::ArrayId;

/// Inputs that are copied together. A program can have thousands of them, and a model is a copy of
/// another with a few bytes changed.
const SHELF: usize = 32;

/// Offsets from here on are stored one by one.
const DENSE: u32 = 1 << 20;

/// A value for every byte of every input; zero for those never set.
#[derive(Clone, Debug, Default)]
pub struct Assignment {
    /// By array, so many on each shelf that has any; tables have empty lists. Copies share shelves
    /// until one is written to.
    shelves: Vec<Option<Arc<[Vec<u8>; SHELF]>>>,
    /// Bytes far into an input.
    sparse: BTreeMap<(ArrayId, u32), u8>,
}

impl Assignment {
    /// All bytes zero.
    pub fn new() -> Self {
        Self::default()
    }

    /// The value of a byte.
    #[inline]
    pub fn get(&self, array: ArrayId, offset: u32) -> u8 {
        if offset >= DENSE {
            return self.sparse.get(&(array, offset)).copied().unwrap_or(0);
        }
        self.bytes(array).get(offset as usize).copied().unwrap_or(0)
    }

    /// Sets a byte.
    pub fn set(&mut self, array: ArrayId, offset: u32, value: u8) {
        if offset >= DENSE {
            self.sparse.insert((array, offset), value);
            return;
        }
        let bytes = self.list(array);
        if bytes.len() <= offset as usize {
            bytes.resize(offset as usize + 1, 0);
        }
        bytes[offset as usize] = value;
    }

    /// Sets the first bytes of an input.
    pub fn set_bytes(&mut self, array: ArrayId, values: &[u8]) {
        for (offset, &value) in values.iter().enumerate() {
            self.set(array, offset as u32, value);
        }
    }

    /// The bytes of an input up to the last one ever set (of the first megabyte).
    #[inline]
    pub fn bytes(&self, array: ArrayId) -> &[u8] {
        match self.shelves.get(array.index() / SHELF) {
            Some(Some(shelf)) => &shelf[array.index() % SHELF],
            _ => &[],
        }
    }

    /// The bytes behind those that [`Assignment::bytes`] returns, by offset.
    pub fn far_bytes(&self, array: ArrayId) -> impl Iterator<Item = (u32, u8)> + '_ {
        let range = (array, 0)..=(array, u32::MAX);
        self.sparse.range(range).map(|(&(_, offset), &value)| (offset, value))
    }

    /// The bytes that have another value in the other assignment, in order.
    pub fn differences(&self, other: &Self) -> Vec<(ArrayId, u32)> {
        let mut found = Vec::new();
        for shelf in 0..self.shelves.len().max(other.shelves.len()) {
            let mine = self.shelves.get(shelf).and_then(Option::as_ref);
            let theirs = other.shelves.get(shelf).and_then(Option::as_ref);
            if mine.map(Arc::as_ptr) == theirs.map(Arc::as_ptr) {
                continue;
            }
            for place in 0..SHELF {
                let a = mine.map_or(&[][..], |shelf| &shelf[place]);
                let b = theirs.map_or(&[][..], |shelf| &shelf[place]);
                // Most places of a shelf are empty, and this is asked for every model.
                if a.is_empty() && b.is_empty() || a == b {
                    continue;
                }
                let differs =
                    |&offset: &usize| a.get(offset).unwrap_or(&0) != b.get(offset).unwrap_or(&0);
                let array = ArrayId::from_index(shelf * SHELF + place);
                let offsets = (0..a.len().max(b.len())).filter(differs);
                found.extend(offsets.map(|offset| (array, offset as u32)));
            }
        }
        let far = self.sparse.keys().chain(other.sparse.keys());
        let differs = |&&(array, offset): &&(ArrayId, u32)| {
            self.get(array, offset) != other.get(array, offset)
        };
        found.extend(far.filter(differs));
        found.sort_unstable();
        found.dedup();
        found
    }

    fn list(&mut self, array: ArrayId) -> &mut Vec<u8> {
        let shelf = array.index() / SHELF;
        if self.shelves.len() <= shelf {
            self.shelves.resize(shelf + 1, None);
        }
        let shelf = self.shelves[shelf].get_or_insert_default();
        &mut Arc::make_mut(shelf)[array.index() % SHELF]
    }
}

impl PartialEq for Assignment {
    fn eq(&self, other: &Self) -> bool {
        self.differences(other).is_empty()
    }
}

impl Eq for Assignment {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_the_bytes_that_were_set_apart() {
        let [a, b, c] = [0, 3, 70].map(ArrayId::from_index);
        let mut first = Assignment::new();
        first.set_bytes(a, b"abc");
        first.set(b, DENSE + 5, 1);
        let mut second = first.clone();
        assert_eq!(first, second);
        second.set(a, 1, b'x');
        second.set(a, 9, 0);
        second.set(c, 2, 7);
        second.set(b, DENSE + 5, 2);
        second.set(b, DENSE + 6, 0);
        let expected = [(a, 1), (b, DENSE + 5), (c, 2)];
        assert_eq!(first.differences(&second), expected);
        assert_eq!(second.differences(&first), expected);
        assert_ne!(first, second);
        // What was shared is not written to.
        assert_eq!(first.bytes(a), b"abc");
    }
}
