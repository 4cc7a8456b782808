//! How much two versions did together.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use umbra_ir::Id;

use crate::code::{Image, Place};

/// What is counted where two versions run, over all paths of a worker.
///
/// Instructions are LLVM's. Those behind a divergence are apart: there the versions are two programs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lockstep {
    /// Instructions that both versions ran at once.
    pub both: u64,
    /// Instructions of the old version alone, while the new one waited or was to follow.
    pub old: u64,
    /// Instructions of the new version alone, before it went on with the old one.
    pub new: u64,
    /// Instructions of either version behind a divergence.
    pub behind: u64,
    /// How often the versions were run one after the other.
    pub partings: u64,
    /// Pairs that were dropped because their sides are equal on every input of the path.
    pub settled: u64,
    /// How often they took different ways at a weak place and came to the same strong one, by the
    /// operation there.
    pub forgotten: BTreeMap<u32, u64>,
}

impl Lockstep {
    /// Adds what another worker has counted.
    pub fn merge(&mut self, other: &Self) {
        self.both += other.both;
        self.old += other.old;
        self.new += other.new;
        self.behind += other.behind;
        self.partings += other.partings;
        self.settled += other.settled;
        for (&place, count) in &other.forgotten {
            *self.forgotten.entry(place).or_default() += count;
        }
    }

    /// The share of instructions, before any divergence, that were run once for both versions.
    pub fn share(&self) -> f64 {
        match self.both + self.old.max(self.new) {
            0 => 1.0,
            all => self.both as f64 / all as f64,
        }
    }

    /// How often divergences at weak places were forgotten.
    pub fn forgotten_count(&self) -> u64 {
        self.forgotten.values().sum()
    }

    /// Where they were, and how often, in the order of the code.
    pub fn forgotten_places(&self, image: &Image) -> Vec<(Place, u64)> {
        let mut places: Vec<(Place, u64)> = Vec::new();
        for (&pc, &count) in &self.forgotten {
            let Some(place) = image.places(pc).into_iter().next() else { continue };
            match places.iter_mut().find(|(known, _)| *known == place) {
                Some((_, known)) => *known += count,
                None => places.push((place, count)),
            }
        }
        places
    }
}

/// Changes that are no operations but globals have numbers from this one on.
pub(crate) const GLOBAL_CHANGE: u32 = 1 << 31;

/// The number of a global as a change.
pub(crate) fn global_change(global: umbra_ir::GlobalId) -> u32 {
    GLOBAL_CHANGE + global.index() as u32
}
