//! Pairing by keys, stage after stage.

use std::collections::HashMap;
use std::hash::Hash;

use umbra_ir::Id;

use crate::correspondence::Basis;

/// Pairs as they are found.
pub struct Pairing<I> {
    old: Vec<Option<I>>,
    new: Vec<Option<I>>,
}

impl<I: Id> Pairing<I> {
    /// Nothing is paired yet.
    pub fn new(old: usize, new: usize) -> Self {
        Self { old: vec![None; old], new: vec![None; new] }
    }

    /// Pairs what has the same key and fits and is not paired yet: first what is the same, then the
    /// rest in order.
    pub fn stage<K: Hash + Eq>(
        &mut self,
        old_key: impl Fn(I) -> Option<K>,
        new_key: impl Fn(I) -> Option<K>,
        fits: &dyn Fn(I, I) -> bool,
        same: &mut dyn FnMut(I, I) -> bool,
    ) {
        let mut candidates: HashMap<K, Vec<I>> = HashMap::new();
        for id in Self::free(&self.new) {
            if let Some(key) = new_key(id) {
                candidates.entry(key).or_default().push(id);
            }
        }
        let mut waiting: Vec<(I, K)> = Vec::new();
        for id in Self::free(&self.old) {
            let Some(key) = old_key(id) else { continue };
            let Some(others) = candidates.get(&key) else { continue };
            let alone = others.len() == 1;
            let equal = others.iter().find(|other| {
                self.new[other.index()].is_none()
                    && fits(id, **other)
                    && !alone
                    && same(id, **other)
            });
            match equal {
                Some(&other) => self.add(id, other),
                None => waiting.push((id, key)),
            }
        }
        for (id, key) in waiting {
            let others = &candidates[&key];
            let other =
                others.iter().find(|other| self.new[other.index()].is_none() && fits(id, **other));
            if let Some(&other) = other {
                self.add(id, other);
            }
        }
    }

    fn free(slots: &[Option<I>]) -> Vec<I> {
        let slots = slots.iter().enumerate();
        slots.filter(|(_, slot)| slot.is_none()).map(|(at, _)| I::from_index(at)).collect()
    }

    fn add(&mut self, old: I, new: I) {
        self.old[old.index()] = Some(new);
        self.new[new.index()] = Some(old);
    }

    /// All pairs, by old id.
    pub fn finish(self, basis: Basis) -> Vec<Option<(I, Basis)>> {
        self.old.into_iter().map(|new| new.map(|new| (new, basis))).collect()
    }
}
