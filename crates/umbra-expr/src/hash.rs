//! Maps and sets whose keys are small numbers of ours: ids, or pairs of them.
//!
//! The standard hasher withstands keys that an attacker chooses, which takes most of the time of a
//! lookup by id. Ids are handed out in order, so a multiplication spreads them well enough.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A map from ids.
pub type IdMap<K, V> = HashMap<K, V, BuildHasherDefault<IdHasher>>;

/// A set of ids.
pub type IdSet<K> = HashSet<K, BuildHasherDefault<IdHasher>>;

/// Multiplies; not for keys from outside.
#[derive(Clone, Copy, Debug, Default)]
pub struct IdHasher(u64);

impl IdHasher {
    #[inline]
    fn add(&mut self, word: u64) {
        // An odd number without a pattern in its bits.
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for IdHasher {
    #[inline]
    fn finish(&self) -> u64 {
        // Tables look at the lowest bits and at the highest seven; a multiplication mixes upwards.
        self.0 ^ self.0 >> 32
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.add(u64::from(byte));
        }
    }

    #[inline]
    fn write_u32(&mut self, value: u32) {
        self.add(u64::from(value));
    }

    #[inline]
    fn write_u64(&mut self, value: u64) {
        self.add(value);
    }

    #[inline]
    fn write_usize(&mut self, value: usize) {
        self.add(value as u64);
    }
}

#[cfg(test)]
mod tests {
    use std::hash::Hash;

    use super::*;

    fn hash(key: impl Hash) -> u64 {
        let mut hasher = IdHasher::default();
        key.hash(&mut hasher);
        hasher.finish()
    }

    #[test]
    fn numbers_in_a_row_spread_over_a_table() {
        // Random keys would leave 1024 / e = 377 of as many buckets empty.
        for step in [1, 2, 3, 8, 64, 1024] {
            let buckets: IdSet<u64> = (0..1024u32).map(|key| hash(key * step) % 1024).collect();
            assert!(buckets.len() > 500, "{} buckets for steps of {step}", buckets.len());
            let tags: IdSet<u64> = (0..1024u32).map(|key| hash(key * step) >> 57).collect();
            assert_eq!(tags.len(), 128, "steps of {step}");
        }
        let pairs = (0..32u32).flat_map(|a| (0..32u32).map(move |b| (a, b)));
        let buckets: IdSet<u64> = pairs.map(|pair| hash(pair) % 1024).collect();
        assert!(buckets.len() > 500, "{} buckets for pairs", buckets.len());
    }
}
