//! What is known of the program without running it, for one target: distances, and what must hold on the way.

use umbra_analysis::{
    CallGraph, Conditions, Definitions, Distances, Executed, Flow, Measure, NodeId, PointsTo,
    Preconditions, Unreachable,
};
use umbra_engine::Image;
use umbra_ir::{BlockId, BlockPlace, FunctionId, Program};
use umbra_words::ReachReason;

use crate::contexts::{ContextId, Contexts};

/// A block that is to be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Goal {
    /// Its function.
    pub function: FunctionId,
    /// The block.
    pub block: BlockId,
}

impl Goal {
    pub(super) fn place(self) -> BlockPlace {
        BlockPlace { function: self.function, block: self.block }
    }
}

/// The calls and the control flow of a program.
pub struct Grounds<'a> {
    program: &'a Program,
    pointers: PointsTo<'a>,
    calls: CallGraph,
    flow: Flow,
}

impl<'a> Grounds<'a> {
    /// Those of a program.
    pub fn new(program: &'a Program) -> Self {
        let pointers = PointsTo::new(program);
        let calls = CallGraph::of_pointers(program, &pointers);
        let flow = Flow::in_measure(program, &calls, Measure::Branches);
        Self { program, pointers, calls, flow }
    }
}

/// The ways through a program; made once for all searches.
pub struct Ways<'a> {
    grounds: &'a Grounds<'a>,
    conditions: Conditions<'a>,
    /// Where runs begin.
    start: Option<FunctionId>,
}

/// What is known of one target.
pub struct Approach {
    distances: Distances,
    preconditions: Option<Preconditions>,
}

/// What a test ran.
pub struct Ran(Executed);

impl<'a> Ways<'a> {
    /// Those of a program.
    pub fn new(grounds: &'a Grounds<'a>) -> Self {
        let Grounds { program, pointers, calls, flow } = grounds;
        let conditions = Conditions::new(program, calls, flow, pointers);
        let start = program.function("_start_c").or_else(|| program.function("main"));
        Self { grounds, conditions, start }
    }

    /// What is known of a target.
    pub fn to(&self, goal: Goal) -> Approach {
        let preconditions = self.start.map(|start| self.conditions.before(goal.place(), start));
        Approach { distances: self.distances(goal), preconditions }
    }

    pub(super) fn distances(&self, goal: Goal) -> Distances {
        Distances::new(&self.grounds.flow, self.node(goal))
    }

    /// The distance of a block from a target, on ways that do not return from its function.
    pub fn distance(&self, to: &Approach, from: Goal) -> Option<u32> {
        to.distances.of(self.node(from)?)
    }

    /// Why no run comes to a target, if that is proved.
    pub fn unreachable(&self, goal: Goal, to: &Approach) -> Option<ReachReason> {
        let found = to.preconditions.as_ref()?;
        let why = self.conditions.why_unreachable(goal.place(), self.start?, found)?;
        match why {
            Unreachable::NoCaller | Unreachable::DeadCallers => Some(ReachReason::NoCaller),
            Unreachable::NoCode | Unreachable::NoWayInFunction | Unreachable::NoWay => {
                Some(ReachReason::NoWay)
            }
            // Threads are not looked at: with them, nothing is said of values.
            Unreachable::Condition if self.grounds.program.function("pthread_create").is_some() => {
                None
            }
            Unreachable::Condition => Some(ReachReason::ConstantCondition),
        }
    }

    /// Finds the code that defines what branches test.
    pub(super) fn definitions(&'a self) -> Definitions<'a, 'a> {
        Definitions::new(&self.conditions)
    }

    /// What was run by a test that has run these blocks.
    pub fn ran(&self, blocks: impl IntoIterator<Item = Goal>) -> Option<Ran> {
        let blocks = blocks.into_iter().map(Goal::place);
        let Grounds { program, calls, .. } = self.grounds;
        Some(Ran(Executed::of_blocks(program, calls, self.start?, blocks)))
    }

    /// The distance of a test from a target, without the steps behind which nobody comes to it.
    pub fn nearest(&self, to: &Approach, ran: &Ran) -> Option<u32> {
        let is_useless = |step: &umbra_analysis::Step| {
            to.preconditions.as_ref().is_some_and(|known| known.is_useless(step))
        };
        let nearest = ran.0.nearest(&self.grounds.flow, &to.distances, &is_useless)?;
        Some(nearest.distance)
    }

    /// The start of a block.
    pub(super) fn node(&self, goal: Goal) -> Option<NodeId> {
        self.grounds.flow.node(goal.function, goal.block, 0)
    }

    /// The start of a block, as coverage names it.
    pub(super) fn block(&self, image: &Image, target: u32) -> Option<NodeId> {
        let (function, block) = image.target_block(target)?;
        self.node(Goal { function, block })
    }

    /// Where an operation is.
    pub(super) fn place(&self, image: &Image, place: u32) -> Option<NodeId> {
        let position = image.position(place)?;
        self.grounds.flow.node(position.function, position.block, position.calls)
    }

    fn to_end(&self, node: NodeId) -> Option<u32> {
        self.grounds.flow.to_end(node)
    }
}

/// The distances to one target, with those of stacks of calls.
pub(super) struct Aim {
    distances: Distances,
    /// For each stack the distance from where its innermost call returns to.
    beyond: Vec<Option<u32>>,
}

impl Aim {
    pub fn new(ways: &Ways<'_>, goal: Goal) -> Self {
        Self { distances: ways.distances(goal), beyond: vec![None] }
    }

    /// The distance on ways that do not leave the function.
    pub fn within(&self, node: NodeId) -> Option<u32> {
        self.distances.of(node)
    }

    /// The distance on ways that return to callers.
    pub fn outside(
        &mut self,
        ways: &Ways<'_>,
        image: &Image,
        contexts: &Contexts,
        node: NodeId,
        context: ContextId,
    ) -> Option<u32> {
        for (around, place) in contexts.iter().skip(self.beyond.len() - 1) {
            let beyond = ways.place(image, place).and_then(|node| {
                let direct = self.distances.of(node);
                let outer = self.beyond.get(around.index()).copied().flatten();
                let outer = ways.to_end(node).zip(outer).map(|(out, far)| out.saturating_add(far));
                [direct, outer].into_iter().flatten().min()
            });
            self.beyond.push(beyond);
        }
        let beyond = self.beyond.get(context.index()).copied().flatten()?;
        Some(ways.to_end(node)?.saturating_add(beyond))
    }
}
