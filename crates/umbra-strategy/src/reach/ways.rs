//! Distances to a target, by where a state stands and who called it.

use umbra_analysis::{CallGraph, Distances, Flow, Measure, NodeId};
use umbra_engine::Image;
use umbra_ir::{BlockId, FunctionId, Program};

use crate::contexts::{ContextId, Contexts};

/// A block that is to be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Goal {
    /// Its function.
    pub function: FunctionId,
    /// The block.
    pub block: BlockId,
}

/// The ways through a program; made once for all searches.
pub struct Ways {
    flow: Flow,
}

impl Ways {
    /// Those of a program.
    pub fn new(program: &Program) -> Self {
        Self { flow: Flow::in_measure(program, &CallGraph::new(program), Measure::Branches) }
    }

    /// How far every place is from a target.
    pub fn to(&self, goal: Goal) -> Distances {
        Distances::new(&self.flow, self.node(goal))
    }

    /// The distance of a block from a target that these lead to, on ways that do not return from its function.
    pub fn distance(&self, distances: &Distances, from: Goal) -> Option<u32> {
        distances.of(self.node(from)?)
    }

    /// The start of a block.
    pub(super) fn node(&self, goal: Goal) -> Option<NodeId> {
        self.flow.node(goal.function, goal.block, 0)
    }

    /// The start of a block, as coverage names it.
    pub(super) fn block(&self, image: &Image, target: u32) -> Option<NodeId> {
        let (function, block) = image.target_block(target)?;
        self.node(Goal { function, block })
    }

    /// Where an operation is.
    pub(super) fn place(&self, image: &Image, place: u32) -> Option<NodeId> {
        let position = image.position(place)?;
        self.flow.node(position.function, position.block, position.calls)
    }
}

/// The distances to one target, with those of stacks of calls.
pub(super) struct Aim {
    distances: Distances,
    /// For each stack the distance from where its innermost call returns to.
    beyond: Vec<Option<u32>>,
}

impl Aim {
    pub fn new(ways: &Ways, goal: Goal) -> Self {
        Self { distances: ways.to(goal), beyond: vec![None] }
    }

    /// The distance on ways that do not leave the function.
    pub fn within(&self, node: NodeId) -> Option<u32> {
        self.distances.of(node)
    }

    /// The distance on ways that return to callers.
    pub fn outside(
        &mut self,
        ways: &Ways,
        image: &Image,
        contexts: &Contexts,
        node: NodeId,
        context: ContextId,
    ) -> Option<u32> {
        for (around, place) in contexts.iter().skip(self.beyond.len() - 1) {
            let beyond = ways.place(image, place).and_then(|node| {
                let direct = self.distances.of(node);
                let outer = self.beyond.get(around.index()).copied().flatten();
                let outer =
                    ways.flow.to_end(node).zip(outer).map(|(out, far)| out.saturating_add(far));
                [direct, outer].into_iter().flatten().min()
            });
            self.beyond.push(beyond);
        }
        let beyond = self.beyond.get(context.index()).copied().flatten()?;
        Some(ways.flow.to_end(node)?.saturating_add(beyond))
    }
}
