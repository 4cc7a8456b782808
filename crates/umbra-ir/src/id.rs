//! Typed 32-bit ids and the tables they index.
//!
//! Things of the IR are named by small copyable ids instead of references: an id is half the size,
//! survives cloning and serialising, and cannot dangle across a program that owns everything. Each
//! kind of id has exactly one [`Table`] that hands it out.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use serde::{Deserialize, Serialize};

/// A copyable index into the [`Table`] that handed it out.
pub trait Id: Copy + Eq + fmt::Debug {
    /// The id of the `index`-th thing.
    fn from_index(index: usize) -> Self;
    /// The position in the owning table.
    fn index(self) -> usize;
}

/// Defines id types; each prints as its prefix and its number, as in all text formats.
macro_rules! define_ids {
    ($($(#[$doc:meta])* $name:ident $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(u32);

        impl Id for $name {
            fn from_index(index: usize) -> Self {
                Self(u32::try_from(index).expect("a table holds fewer than 2^32 things"))
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    )*};
}

define_ids! {
    /// A function of a program.
    FunctionId "fn";
    /// A global variable of a program.
    GlobalId "g";
    /// A basic block of a function.
    BlockId "bb";
    /// A register of a function.
    RegisterId "r";
    /// A constant of a program.
    ConstantId "c";
    /// A place in the source text.
    LocationId "loc";
    /// A source file.
    FileId "file";
    /// A struct of the source text.
    StructId "struct";
}

/// The owner of all things of one kind; hands out their ids.
///
/// It does not deref to a slice: a slice could be indexed by a plain number, and the point of the
/// ids is that they cannot be mixed up.
#[derive(Clone, Serialize, Deserialize)]
pub struct Table<K, V> {
    items: Vec<V>,
    key: PhantomData<K>,
}

impl<K: Id, V> Table<K, V> {
    /// An empty table.
    pub fn new() -> Self {
        Self { items: Vec::new(), key: PhantomData }
    }

    /// Adds a thing and returns its id.
    pub fn push(&mut self, item: V) -> K {
        let id = K::from_index(self.items.len());
        self.items.push(item);
        id
    }

    /// The id that the next [`Table::push`] returns.
    pub fn next_id(&self) -> K {
        K::from_index(self.items.len())
    }

    /// How many things the table owns.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether the table owns nothing.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The thing with this id, if the table handed it out.
    pub fn get(&self, id: K) -> Option<&V> {
        self.items.get(id.index())
    }

    /// All ids in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = K> + ExactSizeIterator + use<K, V> {
        (0..self.items.len()).map(K::from_index)
    }

    /// All things with their ids, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (K, &V)> + ExactSizeIterator {
        self.items.iter().enumerate().map(|(index, item)| (K::from_index(index), item))
    }

    /// All things, mutable, with their ids, in order.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (K, &mut V)> {
        self.items.iter_mut().enumerate().map(|(index, item)| (K::from_index(index), item))
    }

    /// All things in order.
    pub fn values(&self) -> std::slice::Iter<'_, V> {
        self.items.iter()
    }
}

impl<K: Id, V> Default for Table<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Id, V> FromIterator<V> for Table<K, V> {
    fn from_iter<I: IntoIterator<Item = V>>(iter: I) -> Self {
        Self { items: iter.into_iter().collect(), key: PhantomData }
    }
}

impl<K: Id, V: PartialEq> PartialEq for Table<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.items == other.items
    }
}

impl<K: Id, V: Eq> Eq for Table<K, V> {}

impl<K: Id, V: fmt::Debug> fmt::Debug for Table<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<K: Id, V> Index<K> for Table<K, V> {
    type Output = V;
    fn index(&self, id: K) -> &V {
        &self.items[id.index()]
    }
}

impl<K: Id, V> IndexMut<K> for Table<K, V> {
    fn index_mut(&mut self, id: K) -> &mut V {
        &mut self.items[id.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_hands_out_ids_in_order() {
        let mut table: Table<BlockId, &str> = Table::new();
        let first = table.push("a");
        assert_eq!(table.next_id().to_string(), "bb1");
        let second = table.push("b");
        assert_eq!((table[first], table[second], table.len()), ("a", "b", 2));
        assert_eq!(table.get(BlockId::from_index(2)), None);
    }
}
