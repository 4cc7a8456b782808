//! From a contradiction to earlier branches: informed path regeneration.
//!
//! A side has no input because what must hold on it contradicts what earlier branches of its path made hold. The solver says which
//! of these: a path that takes one of them the other way may come to the branch again, and then there may be an input. The
//! latest of them is tried first, since it keeps most of the path.

use umbra_expr::ExprId;
use umbra_solver::{Query, minimal_core};

use super::hunt::Hunt;
use super::side::SideId;

/// A contradiction of more parts is taken as it is: each part is a question to the solver.
const MINIMISED: usize = 24;

impl Hunt<'_> {
    /// The side has no input, because these contradict each other: the sides of the branches that made them hold are as near
    /// as it is from now on.
    pub(super) fn regenerate(
        &mut self,
        id: SideId,
        cost: u32,
        prefix: &[ExprId],
        core: Vec<ExprId>,
    ) {
        let Some((_, condition)) = self.sides[id.0 as usize].goal else { return };
        let core = match core.len() {
            0..=MINIMISED => {
                let parts: Vec<ExprId> =
                    core.iter().copied().filter(|part| *part != condition).collect();
                let query = Query::new(&parts, condition);
                let expressions = &mut self.shared.expressions;
                match minimal_core(&mut *self.solver, expressions, &query) {
                    Ok(Some(core)) => core,
                    _ => core,
                }
            }
            _ => core,
        };
        let positions = (0..prefix.len()).rev().filter(|at| core.contains(&prefix[*at]));
        let blockers = positions.filter_map(|position| self.decided(id, position)).collect();
        self.sides[id.0 as usize].blockers = blockers;
        self.promote_blockers(id, cost);
    }

    /// What keeps a side from having an input is nearly as near as the side.
    pub(super) fn promote_blockers(&mut self, id: SideId, cost: u32) {
        let blockers = self.sides[id.0 as usize].blockers.clone();
        for (rank, blocker) in (1..).zip(blockers) {
            let side = &mut self.sides[blocker.0 as usize];
            let near = cost.saturating_add(rank);
            if side.parked.is_some() && side.promoted.is_none_or(|known| near < known) {
                side.promoted = Some(near);
                self.line_up(blocker);
            }
        }
    }

    /// The side of the branch that made the constraint at this position of a side's path hold, if it was kept.
    pub(super) fn decided(&self, id: SideId, position: usize) -> Option<SideId> {
        let side = &self.sides[id.0 as usize];
        let (mut run, mut before) = (side.run, side.at);
        loop {
            let sides = &self.runs[run].sides[..before];
            let base = |id: &SideId| self.sides[id.0 as usize].goal.map_or(0, |(base, _)| base);
            let after = sides.partition_point(|id| base(id) <= position);
            if let Some(found) = after.checked_sub(1).map(|at| sides[at]) {
                return Some(found);
            }
            let from = &self.sides[self.runs[run].from?.0 as usize];
            // It is what the run began with: the other way was gone already.
            if from.goal.is_some_and(|(base, _)| base <= position) {
                return None;
            }
            (run, before) = (from.run, from.at);
        }
    }
}
