//! A body whose registers are variables: they may be assigned more than once.
//!
//! Between the merged graph and SSA form ([`super::ssa`]). Sharing a variable is free as long as no two
//! registers of one version share it: each version alone assigns and reads exactly its own.

use umbra_ir::{
    BlockId, ConstantId, Id, Instruction, LocationId, Operand, Presence, RegisterId, Table, Type,
};

/// A body with variables. The first block is the entry.
#[derive(Debug, Default)]
pub struct Draft {
    /// The types of the variables; an id of a register is that of a variable here.
    pub variables: Table<RegisterId, Type>,
    /// The variables that are the function's parameters.
    pub parameters: Vec<RegisterId>,
    pub blocks: Vec<DraftBlock>,
}

/// A block of a [`Draft`].
#[derive(Debug)]
pub struct DraftBlock {
    pub presence: Presence,
    pub steps: Vec<DraftStep>,
    pub end: DraftEnd,
    /// Where the end comes from.
    pub location: Option<LocationId>,
    pub old_location: Option<LocationId>,
    /// Instructions that it stands for.
    pub weight: u32,
    /// The nodes that it passes, in order.
    pub nodes: Vec<usize>,
}

/// What a block does.
#[derive(Debug)]
pub enum DraftStep {
    Instruction(Instruction),
    /// Variables take these values, all at once.
    Assign(Assignments),
}

/// Variables and what they become.
pub type Assignments = Vec<(RegisterId, Operand)>;

/// Where a block goes.
#[derive(Debug)]
pub enum DraftEnd {
    Jump(DraftEdge),
    Branch { condition: Operand, then: DraftEdge, otherwise: DraftEdge },
    Switch { value: Operand, cases: Vec<(ConstantId, DraftEdge)>, default: DraftEdge },
    Version { old: DraftEdge, new: DraftEdge },
    Return(Vec<Operand>),
    Unreachable,
    Unsupported(String),
}

/// An edge: a block, and what variables become on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraftEdge {
    pub block: usize,
    pub assignments: Assignments,
}

impl DraftEnd {
    /// The edges, in order.
    pub fn edges(&self) -> Vec<&DraftEdge> {
        match self {
            Self::Jump(edge) => vec![edge],
            Self::Branch { then, otherwise, .. } => vec![then, otherwise],
            Self::Switch { cases, default, .. } => {
                cases.iter().map(|(_, edge)| edge).chain([default]).collect()
            }
            Self::Version { old, new } => vec![old, new],
            Self::Return(_) | Self::Unreachable | Self::Unsupported(_) => Vec::new(),
        }
    }

    /// The edges, in order.
    pub fn edges_mut(&mut self) -> Vec<&mut DraftEdge> {
        match self {
            Self::Jump(edge) => vec![edge],
            Self::Branch { then, otherwise, .. } => vec![then, otherwise],
            Self::Switch { cases, default, .. } => {
                cases.iter_mut().map(|(_, edge)| edge).chain([default]).collect()
            }
            Self::Version { old, new } => vec![old, new],
            Self::Return(_) | Self::Unreachable | Self::Unsupported(_) => Vec::new(),
        }
    }

    /// What it reads itself, without its edges.
    pub fn operands(&self) -> Vec<Operand> {
        match self {
            Self::Branch { condition, .. } => vec![*condition],
            Self::Switch { value, .. } => vec![*value],
            Self::Return(results) => results.clone(),
            _ => Vec::new(),
        }
    }
}

impl Draft {
    /// Drops blocks that nothing leads to and joins blocks that follow each other and are in the same
    /// versions. Says where each block has gone.
    pub fn tidy(&mut self) -> Vec<Option<BlockId>> {
        let mut into: Vec<usize> = (0..self.blocks.len()).collect();
        let reached = self.reached();
        let mut predecessors = vec![0usize; self.blocks.len()];
        for (_, block) in self.blocks.iter().enumerate().filter(|(at, _)| reached[*at]) {
            for edge in block.end.edges() {
                predecessors[edge.block] += 1;
            }
        }
        for at in 0..self.blocks.len() {
            if !reached[at] || into[at] != at {
                continue;
            }
            while let Some(next) = self.follower(at, &predecessors) {
                self.append(at, next);
                into[next] = at;
            }
        }
        // What was appended may have been appended to something that was appended itself.
        let find = |mut at: usize| {
            while into[at] != at {
                at = into[at];
            }
            at
        };
        let roots: Vec<usize> = (0..self.blocks.len()).map(find).collect();
        let mut place = vec![None; self.blocks.len()];
        let kept = (0..self.blocks.len()).filter(|&at| reached[at] && roots[at] == at);
        for (next, at) in kept.enumerate() {
            place[at] = Some(next);
        }
        let kept = std::mem::take(&mut self.blocks).into_iter().enumerate();
        self.blocks = kept.filter(|(at, _)| place[*at].is_some()).map(|(_, block)| block).collect();
        for block in &mut self.blocks {
            for edge in block.end.edges_mut() {
                edge.block = place[roots[edge.block]].unwrap_or(0);
            }
        }
        roots.iter().map(|&root| place[root].map(BlockId::from_index)).collect()
    }

    fn reached(&self) -> Vec<bool> {
        let mut reached = vec![false; self.blocks.len()];
        let mut waiting = vec![0];
        while let Some(at) = waiting.pop() {
            if !std::mem::replace(&mut reached[at], true) {
                waiting.extend(self.blocks[at].end.edges().iter().map(|edge| edge.block));
            }
        }
        reached
    }

    /// The block that can become part of this one.
    fn follower(&self, at: usize, predecessors: &[usize]) -> Option<usize> {
        match &self.blocks[at].end {
            DraftEnd::Jump(edge)
                if edge.block != at
                    && edge.block != 0
                    && predecessors[edge.block] == 1
                    && self.blocks[edge.block].presence == self.blocks[at].presence =>
            {
                Some(edge.block)
            }
            _ => None,
        }
    }

    fn append(&mut self, at: usize, next: usize) {
        let empty = DraftBlock {
            presence: Presence::Strong,
            steps: Vec::new(),
            end: DraftEnd::Unreachable,
            location: None,
            old_location: None,
            weight: 0,
            nodes: Vec::new(),
        };
        let appended = std::mem::replace(&mut self.blocks[next], empty);
        let block = &mut self.blocks[at];
        if let DraftEnd::Jump(edge) = std::mem::replace(&mut block.end, appended.end)
            && !edge.assignments.is_empty()
        {
            block.steps.push(DraftStep::Assign(edge.assignments));
        }
        block.steps.extend(appended.steps);
        block.location = appended.location;
        block.old_location = appended.old_location;
        block.weight += appended.weight;
        block.nodes.extend(appended.nodes);
    }
}
