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
    /// Where that was: the program's own operation, which may be the call of a library.
    pub apart: BTreeMap<u32, Apart>,
    /// Pairs that were dropped because their sides are equal on every input of the path.
    pub settled: u64,
    /// How often they took different ways at a weak place and came to the same strong one, by the
    /// operation there.
    pub forgotten: BTreeMap<u32, u64>,
}

/// What the versions did one after the other at one place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Apart {
    /// How often.
    pub times: u64,
    /// Instructions of the version that took more of them, before they met again.
    pub instructions: u64,
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
        for (&place, apart) in &other.apart {
            let known = self.apart.entry(place).or_default();
            known.times += apart.times;
            known.instructions += apart.instructions;
        }
    }

    /// What was counted since then.
    pub fn since(&self, then: &Self) -> Self {
        let forgotten = self.forgotten.iter().map(|(place, count)| {
            (*place, count - then.forgotten.get(place).copied().unwrap_or_default())
        });
        let apart = self.apart.iter().map(|(place, apart)| {
            let then = then.apart.get(place).copied().unwrap_or_default();
            let times = apart.times - then.times;
            (*place, Apart { times, instructions: apart.instructions - then.instructions })
        });
        Self {
            both: self.both - then.both,
            old: self.old - then.old,
            new: self.new - then.new,
            behind: self.behind - then.behind,
            partings: self.partings - then.partings,
            settled: self.settled - then.settled,
            forgotten: forgotten.filter(|(_, count)| *count > 0).collect(),
            apart: apart.filter(|(_, apart)| apart.times > 0).collect(),
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
        at_places(image, &self.forgotten, |known, count| *known += count)
    }

    /// Where the versions were run one after the other, in the order of the code.
    pub fn apart_places(&self, image: &Image) -> Vec<(Place, Apart)> {
        at_places(image, &self.apart, |known, apart| {
            known.times += apart.times;
            known.instructions += apart.instructions;
        })
    }
}

/// What was counted by operation, by place.
fn at_places<T: Copy>(
    image: &Image,
    counted: &BTreeMap<u32, T>,
    add: impl Fn(&mut T, T),
) -> Vec<(Place, T)> {
    let mut places: Vec<(Place, T)> = Vec::new();
    for (&pc, &count) in counted {
        let Some(place) = image.places(pc).into_iter().next() else { continue };
        match places.iter_mut().find(|(known, _)| *known == place) {
            Some((_, known)) => add(known, count),
            None => places.push((place, count)),
        }
    }
    places
}

/// Changes that are no operations but globals have numbers from this one on.
pub(crate) const GLOBAL_CHANGE: u32 = 1 << 31;

/// The number of a global as a change.
pub(crate) fn global_change(global: umbra_ir::GlobalId) -> u32 {
    GLOBAL_CHANGE + global.index() as u32
}
