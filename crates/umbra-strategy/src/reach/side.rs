//! Sides: branches not taken, the runs they were met on, and the order they wait in.

use std::collections::{BTreeSet, HashMap};

use umbra_analysis::NodeId;
use umbra_engine::{ForkReason, Parked};
use umbra_expr::ExprId;
use umbra_words::Mechanism;

use crate::contexts::ContextId;

/// A side, by the order in which sides were met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct SideId(pub u32);

/// A run: a path from the side where it began to where it ended.
pub(super) struct Run {
    /// The side that it began as; `None` for the seed's own.
    pub from: Option<SideId>,
    /// Its sides, those met first first.
    pub sides: Vec<SideId>,
    /// Targets that it has run before it began, of a run that only looks for errors.
    pub after: Vec<u32>,
    /// What has led to it.
    pub means: Means,
}

/// A branch that a run did not take, or a run that was interrupted.
pub(super) struct Side {
    /// The run that met it, and how many sides that had met before.
    pub run: usize,
    pub at: usize,
    /// The state; `None` when it was taken or cannot be.
    pub parked: Option<Parked>,
    /// The constraints before it, and what must hold on it. `None` for a run that goes on.
    pub goal: Option<(usize, ExprId)>,
    /// The branch, and where this side goes.
    pub branch: (u32, Option<u32>),
    /// Why there are two sides; `None` for a run that goes on.
    pub reason: Option<ForkReason>,
    /// Where it leads, and in which stack of calls.
    pub node: Option<NodeId>,
    pub context: ContextId,
    /// What has led to it.
    pub means: Means,
    /// Sides of its path one of which has to be taken first: without that it has no input.
    pub blockers: Vec<SideId>,
    /// How near it counts because a nearer side needs it, if one does.
    pub promoted: Option<u32>,
    /// The cost that it waits with.
    pub cost: Option<u32>,
}

/// A set of mechanisms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Means(u8);

impl Means {
    /// The same, and this one.
    pub fn with(self, mechanism: Mechanism) -> Self {
        Self(self.0 | 1 << mechanism as u8)
    }

    /// Both together.
    pub fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether it has this one.
    pub fn has(self, mechanism: Mechanism) -> bool {
        self.0 & (1 << mechanism as u8) != 0
    }

    /// All of them, in their order.
    pub fn list(self) -> Vec<Mechanism> {
        Mechanism::ALL.iter().copied().filter(|mechanism| self.has(*mechanism)).collect()
    }
}

impl FromIterator<Mechanism> for Means {
    fn from_iter<T: IntoIterator<Item = Mechanism>>(mechanisms: T) -> Self {
        mechanisms.into_iter().fold(Self::default(), Self::with)
    }
}

/// What waits, the cheapest first; of equal cost what the latest run met, and of that what it met first.
#[derive(Default)]
pub(super) struct Queue {
    waiting: BTreeSet<(u32, std::cmp::Reverse<usize>, usize, SideId)>,
    /// How often each branch was taken this way.
    pub taken: HashMap<(u32, Option<u32>), u32>,
}

impl Queue {
    fn key(id: SideId, side: &Side) -> Option<(u32, std::cmp::Reverse<usize>, usize, SideId)> {
        Some((side.cost?, std::cmp::Reverse(side.run), side.at, id))
    }

    /// Puts a side where its cost belongs; one without a cost does not wait.
    pub fn put(&mut self, id: SideId, side: &mut Side, cost: Option<u32>) {
        if let Some(key) = Self::key(id, side) {
            self.waiting.remove(&key);
        }
        side.cost = cost;
        self.waiting.extend(Self::key(id, side));
    }

    /// Takes a side out.
    pub fn take(&mut self, id: SideId, side: &mut Side) {
        self.put(id, side, None);
    }

    /// The cheapest.
    pub fn first(&self) -> Option<(u32, SideId)> {
        self.waiting.first().map(|key| (key.0, key.3))
    }

    /// The most expensive.
    pub fn last(&self) -> Option<SideId> {
        self.waiting.last().map(|key| key.3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(run: usize, at: usize) -> Side {
        Side {
            run,
            at,
            parked: None,
            goal: None,
            branch: (0, None),
            reason: None,
            node: None,
            context: ContextId::OUTERMOST,
            means: Means::default(),
            blockers: Vec::new(),
            promoted: None,
            cost: None,
        }
    }

    #[test]
    fn the_nearest_side_of_the_latest_run_is_first() {
        let mut queue = Queue::default();
        let mut sides = [side(0, 0), side(0, 1), side(1, 0), side(1, 1)];
        for (number, (side, cost)) in sides.iter_mut().zip([3, 1, 3, 2]).enumerate() {
            queue.put(SideId(number as u32), side, Some(cost));
        }
        queue.put(SideId(1), &mut sides[1], Some(9));
        let mut order = Vec::new();
        while let Some((_, id)) = queue.first() {
            order.push(id.0);
            queue.take(id, &mut sides[id.0 as usize]);
        }
        assert_eq!(order, [3, 2, 0, 1]);
    }

    #[test]
    fn means_are_a_set() {
        let means = Means::default().with(Mechanism::Switching).with(Mechanism::Greedy);
        assert_eq!(means.list(), [Mechanism::Greedy, Mechanism::Switching]);
        assert!(!means.and(Means::default()).has(Mechanism::Exploration));
    }
}
