//! Programs with two versions: which code is whose.
//!
//! A block that only one version can reach from the function's entry, where each takes its own edge of
//! a [`Terminator::Version`], is that version's own; all others are shared. Whether a shared block is a
//! strong or a weak place is for those to say who made the program.

use umbra_words::Version;

use crate::id::{BlockId, Id, LocationId};
use crate::instruction::{Edge, Instruction, Operation, Terminator};
use crate::program::{Block, Body, Presence, Program};

impl Presence {
    /// Whether a version has the block.
    pub fn has(self, side: Version) -> bool {
        match self {
            Self::Strong | Self::Weak => true,
            Self::Old => side == Version::Old,
            Self::New => side == Version::New,
        }
    }
}

impl Terminator {
    /// The edges that a version can take, in order.
    pub fn edges_of(&self, side: Version) -> Vec<&Edge> {
        match (self, side) {
            (Self::Version { old, .. }, Version::Old) => vec![old],
            (Self::Version { new, .. }, Version::New) => vec![new],
            _ => self.edges(),
        }
    }
}

impl Instruction {
    /// Where it is in the text of a version that has it.
    pub fn location_in(&self, side: Version) -> Option<LocationId> {
        match side {
            Version::Old => self.old_location.or(self.location),
            Version::New => self.location,
        }
    }
}

impl Block {
    /// Where its terminator is in the text of a version that has it.
    pub fn location_in(&self, side: Version) -> Option<LocationId> {
        match side {
            Version::Old => self.old_location.or(self.location),
            Version::New => self.location,
        }
    }
}

impl Body {
    /// Whether each block can be reached by a version; none can if the entry is not its.
    pub fn reached_by(&self, side: Version) -> Vec<bool> {
        let mut reached = vec![false; self.blocks.len()];
        let entry = self.blocks.iter().next().filter(|(_, block)| block.presence.has(side));
        let mut waiting: Vec<BlockId> = entry.map(|(id, _)| id).into_iter().collect();
        while let Some(id) = waiting.pop() {
            if std::mem::replace(&mut reached[id.index()], true) {
                continue;
            }
            let edges = self.blocks[id].terminator.edges_of(side);
            waiting.extend(edges.into_iter().map(|edge| edge.block));
        }
        reached
    }

    /// Gives the blocks that only one version reaches to it. All others stay what they are.
    pub fn mark_own_blocks(&mut self) {
        let (old, new) = (self.reached_by(Version::Old), self.reached_by(Version::New));
        for (id, block) in self.blocks.iter_mut() {
            match (old[id.index()], new[id.index()]) {
                (true, false) => block.presence = Presence::Old,
                (false, true) => block.presence = Presence::New,
                _ => {}
            }
        }
    }

    /// Whether something in it is not the same in both versions.
    pub fn has_two_versions(&self) -> bool {
        self.blocks.values().any(|block| {
            let mut instructions = block.instructions.iter();
            matches!(block.terminator, Terminator::Version { .. })
                || instructions.any(|one| matches!(one.operation, Operation::Change { .. }))
        })
    }
}

impl Program {
    /// Whether it has two versions: a change, code of one version, or a global that is not the same
    /// in both.
    pub fn has_two_versions(&self) -> bool {
        self.globals.values().any(|global| global.old.is_some())
            || self
                .functions
                .values()
                .any(|function| function.body.as_ref().is_some_and(Body::has_two_versions))
    }
}
