//! A list that only grows, and whose copies share what they have in common.
//!
//! States fork, and each side adds to what holds on its path. So the list is a chain of full pieces,
//! the newest first, which all copies share, and a piece that is being filled, which each copy has
//! for itself: a copy costs the same however long the list is.

use std::hash::{BuildHasher, BuildHasherDefault, Hash};
use std::sync::Arc;

use umbra_expr::IdHasher;

/// Items of a full piece.
const PIECE: usize = 64;

/// A list that only grows; copying it takes constant time.
#[derive(Clone, Debug)]
pub struct List<T> {
    full: Option<Arc<Piece<T>>>,
    /// The newest items, fewer than a piece.
    rest: Vec<T>,
}

/// So many items, and all before them.
#[derive(Clone, Debug)]
struct Piece<T> {
    before: Option<Arc<Self>>,
    /// With those before.
    length: usize,
    items: Vec<T>,
    marks: Marks,
}

/// A set of bits that tells quickly that an item is not in a piece: the items' own bits are set.
#[derive(Clone, Copy, Debug, Default)]
struct Marks([u64; 8]);

impl Marks {
    /// The word and the bit of an item.
    fn place(item: &impl Hash) -> (usize, u64) {
        let hash = BuildHasherDefault::<IdHasher>::default().hash_one(item);
        ((hash >> 6) as usize % 8, 1 << (hash % 64))
    }
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self { full: None, rest: Vec::new() }
    }
}

impl<T> List<T> {
    /// How many items there are.
    pub fn len(&self) -> usize {
        self.full.as_ref().map_or(0, |piece| piece.length) + self.rest.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The items, the newest first.
    pub fn newest_first(&self) -> impl Iterator<Item = &T> {
        let older = self.pieces().flat_map(|piece| piece.items.iter().rev());
        self.rest.iter().rev().chain(older)
    }

    /// Full pieces, the newest first.
    fn pieces(&self) -> impl Iterator<Item = &Piece<T>> {
        std::iter::successors(self.full.as_deref(), |piece| piece.before.as_deref())
    }

    /// Bytes that only this copy uses.
    pub(crate) fn own_bytes(&self) -> usize {
        size_of_val(self.rest.as_slice())
    }
}

impl<T: Clone> List<T> {
    /// All items, the oldest first.
    pub fn to_vec(&self) -> Vec<T> {
        self.first(self.len())
    }

    /// The oldest items, at most so many, the oldest first.
    pub fn first(&self, count: usize) -> Vec<T> {
        let pieces: Vec<&Piece<T>> =
            self.pieces().filter(|piece| piece.length < count + PIECE).collect();
        let mut items = Vec::with_capacity(count.min(self.len()));
        for piece in pieces.into_iter().rev() {
            items.extend_from_slice(&piece.items);
        }
        items.extend_from_slice(&self.rest);
        items.truncate(count);
        items
    }
}

impl<T: Clone + Hash> List<T> {
    /// Adds an item.
    pub(crate) fn push(&mut self, item: T) {
        self.rest.push(item);
        if self.rest.len() < PIECE {
            return;
        }
        let length = self.len();
        let items = std::mem::take(&mut self.rest);
        let mut marks = Marks::default();
        for item in &items {
            let (word, bit) = Marks::place(item);
            marks.0[word] |= bit;
        }
        self.full = Some(Arc::new(Piece { before: self.full.take(), length, items, marks }));
    }

    /// Replaces every item; the list shares nothing with others after that.
    pub(crate) fn replace(&mut self, mut replacement: impl FnMut(T) -> T) {
        let items = self.to_vec();
        *self = Self::default();
        for item in items {
            self.push(replacement(item));
        }
    }
}

impl<T: Hash + PartialEq> List<T> {
    /// Whether an item is in the list. Looks at a word of each piece only, unless the item is there.
    pub fn contains(&self, item: &T) -> bool {
        if self.rest.contains(item) {
            return true;
        }
        let (word, bit) = Marks::place(item);
        self.pieces().any(|piece| piece.marks.0[word] & bit != 0 && piece.items.contains(item))
    }
}

impl<T> Drop for List<T> {
    /// Piece by piece: the drop of a long chain would need the stack otherwise.
    fn drop(&mut self) {
        let mut next = self.full.take();
        while let Some(mut piece) = next.and_then(Arc::into_inner) {
            next = piece.before.take();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(items: impl IntoIterator<Item = u32>) -> List<u32> {
        let mut list = List::default();
        items.into_iter().for_each(|item| list.push(item));
        list
    }

    #[test]
    fn what_was_pushed_is_there_in_order() {
        for length in [0, 1, 63, 64, 65, 128, 1000] {
            let list = list(0..length);
            assert_eq!(list.len(), length as usize);
            assert_eq!(list.is_empty(), length == 0);
            assert_eq!(list.to_vec(), (0..length).collect::<Vec<u32>>());
            let newest: Vec<u32> = list.newest_first().copied().collect();
            assert_eq!(newest, (0..length).rev().collect::<Vec<u32>>());
            for item in 0..length + 10 {
                assert_eq!(list.contains(&item), item < length, "{item} of {length}");
            }
        }
    }

    #[test]
    fn the_first_items_are_a_list_that_was_shorter() {
        let list = list(0..300);
        for count in [0, 1, 63, 64, 65, 127, 128, 129, 299, 300, 400] {
            let expected: Vec<u32> = (0..300.min(count)).collect();
            assert_eq!(list.first(count as usize), expected, "{count}");
        }
    }

    #[test]
    fn copies_grow_apart_and_share_what_they_have() {
        let base = list(0..200);
        let (mut a, mut b) = (base.clone(), base.clone());
        a.push(1000);
        (0..100).for_each(|item| b.push(2000 + item));
        assert_eq!((base.len(), a.len(), b.len()), (200, 201, 300));
        assert!(a.contains(&1000) && !b.contains(&1000) && !base.contains(&2000));
        assert!(b.contains(&2099) && a.contains(&150));
        let (Some(mine), Some(theirs)) = (&base.full, &a.full) else { panic!("pieces are full") };
        assert!(Arc::ptr_eq(mine, theirs));
        assert!(a.own_bytes() < PIECE * size_of::<u32>());
    }

    #[test]
    fn all_items_can_be_replaced() {
        let mut list = list(0..150);
        let before = list.clone();
        list.replace(|item| item * 2);
        assert_eq!(list.to_vec(), (0..150).map(|item| item * 2).collect::<Vec<u32>>());
        assert_eq!(before.to_vec(), (0..150).collect::<Vec<u32>>());
        assert!(list.contains(&298) && !list.contains(&149));
    }

    #[test]
    fn long_lists_end_without_the_stack() {
        let long = list(0..2_000_000);
        let copy = long.clone();
        drop(long);
        assert!(copy.contains(&5));
        drop(copy);
    }
}
