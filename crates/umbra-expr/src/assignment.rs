//! Values of the input bytes.

use std::collections::BTreeMap;

use crate::id::ArrayId;

/// Offsets from here on are stored one by one.
const DENSE: u32 = 1 << 20;

/// A value for every byte of every input; zero for those never set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assignment {
    /// By array; tables have empty lists.
    bytes: Vec<Vec<u8>>,
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
        let bytes = self.bytes.get(array.index()).map_or(&[][..], Vec::as_slice);
        bytes.get(offset as usize).copied().unwrap_or(0)
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
    pub fn bytes(&self, array: ArrayId) -> &[u8] {
        self.bytes.get(array.index()).map_or(&[][..], Vec::as_slice)
    }

    /// The bytes behind those that [`Assignment::bytes`] returns, by offset.
    pub fn far_bytes(&self, array: ArrayId) -> impl Iterator<Item = (u32, u8)> + '_ {
        let range = (array, 0)..=(array, u32::MAX);
        self.sparse.range(range).map(|(&(_, offset), &value)| (offset, value))
    }

    fn list(&mut self, array: ArrayId) -> &mut Vec<u8> {
        if self.bytes.len() <= array.index() {
            self.bytes.resize(array.index() + 1, Vec::new());
        }
        &mut self.bytes[array.index()]
    }
}
