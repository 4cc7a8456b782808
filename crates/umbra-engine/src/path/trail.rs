//! Which way a path went: the branches on inputs that were decided on it.
//!
//! States fork at such branches, so the trail is a chain of decisions whose older part all forks
//! share: a copy is one reference count, a decision one small allocation. A decision that repeats
//! the one before it is counted in it, so a loop takes no more room than its body.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use umbra_ir::FunctionId;

use crate::code::{Image, Place, Target};
use crate::shadow::Mode;

/// A branch that was decided, perhaps several times in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// The operation; for branches inside a library, the call of it in the program's own code.
    pub(crate) place: u32,
    pub(crate) way: Way,
    /// Whose decision it was.
    pub version: Mode,
}

/// Which way a branch went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Way {
    /// To a block.
    To(Target),
    /// To another place than the other version.
    Elsewhere,
    /// To some block inside this function of a library, or inside what that called.
    Within(FunctionId),
}

/// Where a decision was made and where it led.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    /// The branch, or the call of a library.
    pub place: Place,
    /// Where it led, if that is known.
    pub to: Option<Place>,
    /// The function of the library inside of which it was.
    pub within: Option<String>,
}

/// The decisions on a path.
#[derive(Clone, Default)]
pub struct Trail(Option<Arc<Node>>);

struct Node {
    before: Option<Arc<Self>>,
    decision: Decision,
    /// How often in a row.
    times: u32,
}

impl Trail {
    /// The decisions, the newest first, each with how often it was made in a row.
    pub fn newest_first(&self) -> impl Iterator<Item = (&Decision, u32)> {
        let nodes = std::iter::successors(self.0.as_deref(), |node| node.before.as_deref());
        nodes.map(|node| (&node.decision, node.times))
    }

    /// Adds a decision.
    pub(crate) fn push(&mut self, decision: Decision) {
        let (before, times) = match self.0.take() {
            Some(last) if last.decision == decision => {
                (last.before.clone(), last.times.saturating_add(1))
            }
            last => (last, 1),
        };
        self.0 = Some(Arc::new(Node { before, decision, times }));
    }
}

/// The oldest decision first. It means something only with the same program.
impl Serialize for Trail {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let newest: Vec<(&Decision, u32)> = self.newest_first().collect();
        to.collect_seq(newest.into_iter().rev())
    }
}

impl<'de> Deserialize<'de> for Trail {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let decisions = Vec::<(Decision, u32)>::deserialize(from)?.into_iter();
        let before = |before, (decision, times)| Some(Arc::new(Node { before, decision, times }));
        Ok(Self(decisions.fold(None, before)))
    }
}

impl PartialEq for Trail {
    fn eq(&self, other: &Self) -> bool {
        self.newest_first().eq(other.newest_first())
    }
}

impl Eq for Trail {}

impl fmt::Debug for Trail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.newest_first()).finish()
    }
}

impl Drop for Trail {
    /// Node by node: the drop of a long chain would need the stack otherwise.
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(mut node) = next.and_then(Arc::into_inner) {
            next = node.before.take();
        }
    }
}

impl Image {
    /// A decision in terms of the source text.
    pub fn describe(&self, decision: &Decision) -> Described {
        let first = |pc: u32| self.places(pc).into_iter().next();
        let unknown = || Place { function: String::new(), file: String::new(), line: 0, column: 0 };
        let place = first(decision.place).unwrap_or_else(unknown);
        match decision.way {
            Way::Elsewhere => Described { place, to: None, within: None },
            Way::Within(function) => {
                Described { place, to: None, within: Some(self.function_name(function)) }
            }
            Way::To(target) => {
                // An edge has no text of its own.
                let block = self.target_block(target);
                let target = block.and_then(|(function, block)| self.block_target(function, block));
                let to = target.and_then(|target| first(self.headers[target as usize].pc));
                Described { place, to, within: None }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to(place: u32) -> Decision {
        Decision { place, way: Way::To(place + 1), version: Mode::Both }
    }

    fn places(trail: &Trail) -> Vec<(u32, u32)> {
        trail.newest_first().map(|(decision, times)| (decision.place, times)).collect()
    }

    #[test]
    fn copies_share_what_they_have_and_grow_apart() {
        let mut one = Trail::default();
        [1, 2, 2, 2].into_iter().for_each(|place| one.push(to(place)));
        let mut other = one.clone();
        one.push(to(2));
        other.push(to(3));
        assert_eq!(places(&one), [(2, 4), (1, 1)]);
        assert_eq!(places(&other), [(3, 1), (2, 3), (1, 1)]);
        assert_ne!(one, other);
        let older = |trail: &Trail| trail.0.as_ref().and_then(|node| node.before.clone());
        let (Some(mine), Some(theirs)) = (older(&one), older(&other)) else {
            panic!("both have something older")
        };
        let theirs = theirs.before.clone().expect("the first decision");
        assert!(Arc::ptr_eq(&mine, &theirs));
    }

    #[test]
    fn whose_decision_it_was_tells_decisions_apart() {
        let mut trail = Trail::default();
        trail.push(Decision { version: Mode::Old, ..to(1) });
        trail.push(Decision { version: Mode::New, ..to(1) });
        assert_eq!(places(&trail), [(1, 1), (1, 1)]);
    }

    #[test]
    fn long_trails_end_without_the_stack() {
        let mut long = Trail::default();
        (0..1_000_000).for_each(|place| long.push(to(place)));
        let copy = long.clone();
        drop(long);
        assert_eq!(copy.newest_first().count(), 1_000_000);
        drop(copy);
    }
}
