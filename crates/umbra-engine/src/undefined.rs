//! What C leaves undefined and no machine stops at.
//!
//! Ordering or subtracting pointers to different objects has a result that depends on where the
//! objects lie. The layout of our addresses gives such code what it gets from a real heap, but
//! another allocator or another build may give it something else. So the program goes on, and the
//! place is noted once for a worker. Library functions are not looked at: they may know where objects lie.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::code::{Image, Place};
use crate::memory::{Span, room};

/// What is done with two pointers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// One is asked to be less than the other.
    Order,
    /// One is subtracted from the other.
    Difference,
}

impl Relation {
    /// The stable name that command line, reports and tests share.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Order => "pointer-order",
            Self::Difference => "pointer-difference",
        }
    }
}

/// The operations that related pointers to different objects, on any path so far.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Unrelated {
    operations: BTreeMap<u32, Relation>,
    /// The room of the object that pointers were last related in: loops stay in one.
    #[serde(skip)]
    last: Span,
}

impl Unrelated {
    /// The operation at `pc` relates two addresses.
    #[inline(always)]
    pub(crate) fn relate(&mut self, pc: u32, relation: Relation, addresses: [u64; 2]) {
        if addresses.iter().any(|&address| !self.last.contains(address)) {
            self.note(pc, relation, addresses);
        }
    }

    /// What is in no object's room (null, a number made into a pointer) lies where it lies on every
    /// machine.
    #[cold]
    #[inline(never)]
    fn note(&mut self, pc: u32, relation: Relation, addresses: [u64; 2]) {
        if let [Some(room), Some(other)] = addresses.map(room) {
            match room == other {
                true => self.last = room,
                false => {
                    self.operations.insert(pc, relation);
                }
            }
        }
    }

    /// Adds what was met elsewhere, in another worker of the same program.
    pub fn merge(&mut self, other: &Self) {
        self.operations.extend(&other.operations);
    }

    /// Where they are, in the order of the code.
    pub fn places(&self, image: &Image) -> Vec<(Relation, Place)> {
        let places = self.operations.iter().filter_map(|(&pc, &relation)| {
            image.places(pc).into_iter().next().map(|place| (relation, place))
        });
        places.collect()
    }
}
