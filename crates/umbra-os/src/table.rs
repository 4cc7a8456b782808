//! A growing table with cheap clones.
//!
//! A symbolic state is forked often and changes little afterwards, so the inodes live in chunks
//! that are shared until one of them is written. A full persistent map would also do; this is all
//! of it that is needed, since ids are dense and nothing is ever removed.

use std::sync::Arc;

/// Rows in a chunk: copying 64 pointers is cheap, and so is a spine of n/64 of them.
const CHUNK: usize = 64;

/// A copy-on-write table indexed by dense ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Table<T> {
    chunks: Arc<Vec<Arc<Vec<Arc<T>>>>>,
    len: usize,
}

impl<T: Clone> Table<T> {
    pub(crate) fn len(&self) -> u32 {
        self.len as u32
    }

    pub(crate) fn new() -> Table<T> {
        Table { chunks: Arc::new(Vec::new()), len: 0 }
    }

    pub(crate) fn push(&mut self, row: T) -> u32 {
        let index = self.len;
        let chunks = Arc::make_mut(&mut self.chunks);
        if index.is_multiple_of(CHUNK) {
            chunks.push(Arc::new(Vec::with_capacity(CHUNK)));
        }
        if let Some(last) = chunks.last_mut() {
            Arc::make_mut(last).push(Arc::new(row));
        }
        self.len += 1;
        index as u32
    }

    pub(crate) fn get(&self, index: u32) -> &T {
        &self.chunks[index as usize / CHUNK][index as usize % CHUNK]
    }

    pub(crate) fn has(&self, index: u32) -> bool {
        (index as usize) < self.len
    }

    /// All rows with their indices.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        (0..).zip(self.chunks.iter().flat_map(|chunk| chunk.iter().map(|row| &**row)))
    }

    pub(crate) fn get_mut(&mut self, index: u32) -> &mut T {
        let chunks = Arc::make_mut(&mut self.chunks);
        let chunk = Arc::make_mut(&mut chunks[index as usize / CHUNK]);
        Arc::make_mut(&mut chunk[index as usize % CHUNK])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_do_not_see_each_other() {
        let mut one = Table::new();
        for n in 0..200u32 {
            assert_eq!(one.push(n), n);
        }
        let mut two = one.clone();
        *two.get_mut(130) = 7;
        *one.get_mut(3) = 8;
        assert_eq!((*one.get(130), *two.get(130)), (130, 7));
        assert_eq!((*one.get(3), *two.get(3)), (8, 3));
    }
}
