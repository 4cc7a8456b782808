//! The ways from node to node. Where the versions go on to different nodes, a block leads each its own
//! way; where they go on to the same one with different values, those become changes.

use umbra_ir::{BlockId, Id, Instruction, LocationId, Operand, Presence, RegisterId};

use super::super::draft::{Assignments, DraftBlock, DraftEdge, DraftEnd, DraftStep};
use super::Builder;
use crate::Version;
use crate::code::Step;

impl Builder<'_, '_> {
    /// The edge that leads each version where it goes.
    pub(super) fn edge(&mut self, old: Option<Step>, new: Option<Step>) -> DraftEdge {
        let known = self.draft.blocks.len();
        let via =
            [&old, &new].map(|step| step.as_ref().map_or(Vec::new(), |step| step.via.clone()));
        let old = old.map(|step| self.side(Version::Old, &step));
        let new = new.map(|step| self.side(Version::New, &step));
        let edge = self.joined(old, new, &via);
        if self.draft.blocks.len() > known {
            self.passages.push((known, via));
        }
        edge
    }

    /// The edge, of those of either version, which lead through these blocks of it.
    fn joined(
        &mut self,
        old: Option<DraftEdge>,
        new: Option<DraftEdge>,
        via: &[Vec<BlockId>; 2],
    ) -> DraftEdge {
        match (old, new) {
            (Some(old), Some(new)) if old.block == new.block => self.common_edge(old, new, via),
            (Some(old), Some(new)) => {
                let block = self.draft.blocks.len();
                let (location, old_location) = self.parting(&old, &new);
                self.draft.blocks.push(DraftBlock {
                    presence: Presence::Weak,
                    steps: Vec::new(),
                    end: DraftEnd::Version { old, new },
                    location,
                    old_location,
                    weight: 0,
                    nodes: Vec::new(),
                });
                DraftEdge { block, assignments: Vec::new() }
            }
            (old, new) => old.or(new).unwrap_or(DraftEdge { block: 0, assignments: Vec::new() }),
        }
    }

    /// Where a way apart is in the texts: at the code that only one version goes to, else at what the new
    /// one goes to.
    fn parting(
        &mut self,
        old: &DraftEdge,
        new: &DraftEdge,
    ) -> (Option<LocationId>, Option<LocationId>) {
        let [old, new] = [old, new].map(|edge| self.nodes[edge.block - self.first]);
        let added = self.locations(if new.old.is_none() || old.new.is_some() { new } else { old });
        match added {
            (None, None) => self.locations(old),
            found => found,
        }
    }

    /// Where blocks without items are in the texts: at the last of the new version's, and of the old one's.
    fn on_the_way(&mut self, via: &[Vec<BlockId>; 2]) -> (Option<LocationId>, Option<LocationId>) {
        let [old, new] = via;
        let old = old.last().and_then(|&block| self.old.body.blocks[block].location);
        let new = new.last().and_then(|&block| self.new.body.blocks[block].location);
        let old = old.map(|location| self.target.old_location(location));
        match (old, new) {
            (old, None) => (old, None),
            (old, new) => (new, old.filter(|old| Some(*old) != new)),
        }
    }

    /// The edge of one version.
    fn side(&mut self, version: Version, step: &Step) -> DraftEdge {
        let (nodes, variables) = match version {
            Version::Old => (&self.old_nodes, &self.old_variables),
            Version::New => (&self.new_nodes, &self.new_variables),
        };
        let block = self.first + nodes[step.to as usize];
        let targets: Vec<_> = step
            .assignments
            .iter()
            .map(|(register, value)| (variables[register], *value))
            .collect();
        let assignments = targets
            .into_iter()
            .map(|(variable, value)| (variable, self.operand(version, value)))
            .collect();
        DraftEdge { block, assignments }
    }

    /// One edge for both versions. A variable that both have, and that they assign different values,
    /// or only one of them assigns, becomes a change.
    fn common_edge(
        &mut self,
        old: DraftEdge,
        new: DraftEdge,
        via: &[Vec<BlockId>; 2],
    ) -> DraftEdge {
        let find = |assignments: &Assignments, variable: RegisterId| {
            assignments.iter().find(|(v, _)| *v == variable).map(|(_, value)| *value)
        };
        let mut variables: Vec<RegisterId> =
            old.assignments.iter().chain(&new.assignments).map(|(v, _)| *v).collect();
        variables.sort_unstable();
        variables.dedup();
        let variables: Vec<(RegisterId, bool)> = variables
            .into_iter()
            .map(|variable| (variable, self.shared[variable.index()]))
            .collect();
        let (assignments, out) = self.with_changes(|changes| {
            let mut assignments = Vec::new();
            for (variable, shared) in variables {
                let itself = Operand::Register(variable);
                let before = find(&old.assignments, variable);
                let after = find(&new.assignments, variable);
                let value = match (before, after) {
                    (Some(value), None) | (None, Some(value)) if !shared => value,
                    _ => changes.pick(before.unwrap_or(itself), after.unwrap_or(itself)),
                };
                if value != itself {
                    assignments.push((variable, value));
                }
            }
            assignments
        });
        if out.is_empty() {
            return DraftEdge { block: old.block, assignments };
        }
        let block = self.draft.blocks.len();
        let (location, old_location) = self.on_the_way(via);
        let instruction =
            |operation| DraftStep::Instruction(Instruction { operation, location, old_location });
        let steps = out.into_iter().map(instruction).collect();
        self.draft.blocks.push(DraftBlock {
            presence: Presence::Weak,
            steps,
            end: DraftEnd::Jump(DraftEdge { block: old.block, assignments }),
            location,
            old_location,
            weight: 0,
            nodes: Vec::new(),
        });
        DraftEdge { block, assignments: Vec::new() }
    }
}
