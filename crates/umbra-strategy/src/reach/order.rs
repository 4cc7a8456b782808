//! Which side is next.

use umbra_engine::{Coverage, ForkReason, Parked};
use umbra_solver::Verdict;
use umbra_words::Mechanism;

use super::hunt::Hunt;
use super::side::{Run, SideId};
use super::ways::{Aim, Goal};

/// A side counts as so much farther for each time that its branch was taken this way.
const STEP: u32 = 1;

/// Sides that lead to no target as far as is known are taken last, and those that are errors, mostly, after them.
pub(super) const FAR: u32 = 1 << 30;
const ERRORS: u32 = FAR + (1 << 29);

/// A side is so much more expensive if the way from it leads out of its function: what it returns may be of no use.
const RETURN: u32 = 3;

impl Hunt<'_> {
    /// Orders all sides by their distance to another target.
    pub(super) fn aim_at(&mut self, goal: Goal) {
        self.aim = Some(Aim::new(self.ways, goal));
        self.queue.taken.clear();
        for side in &mut self.sides {
            side.promoted = None;
        }
        let all = || (0..self.sides.len() as u32).map(SideId);
        let (waiting, blocked): (Vec<SideId>, Vec<SideId>) =
            (all().collect(), all().filter(|id| self.is_blocked(*id)).collect());
        waiting.into_iter().for_each(|id| self.line_up(id));
        for id in blocked {
            if let Some((cost, _)) = self.cost(id) {
                self.promote_blockers(id, cost);
            }
        }
    }

    fn is_blocked(&self, id: SideId) -> bool {
        self.may(Mechanism::Regeneration) && !self.sides[id.0 as usize].blockers.is_empty()
    }

    pub(super) fn may(&self, mechanism: Mechanism) -> bool {
        self.mechanisms.contains(&mechanism)
    }

    /// What it costs to take a side, and what wants it taken; `None` if nothing does.
    pub(super) fn cost(&mut self, id: SideId) -> Option<(u32, Mechanism)> {
        let (greedy, all) = (self.may(Mechanism::Greedy), self.may(Mechanism::Exploration));
        let side = &self.sides[id.0 as usize];
        let aim = self.aim.as_mut()?;
        let taken = self.queue.taken.get(&side.branch).copied().unwrap_or(0);
        let (node, context) = (side.node, side.context);
        let repeated = |distance: u32| match side.reason {
            None | Some(ForkReason::Branch | ForkReason::Switch) => Some(distance),
            // Another value of something that was narrowed: there may be any number of them.
            Some(ForkReason::Value | ForkReason::Assumption) => Some(distance.saturating_mul(2)),
            Some(ForkReason::Check | ForkReason::Pointer) => None,
        };
        let near = |distance: u32| {
            Some(repeated(distance)?.saturating_add(taken.saturating_mul(STEP)).min(FAR - 1))
        };
        let within = node.filter(|_| greedy).and_then(|node| aim.within(node)).and_then(near);
        let outside = node
            .filter(|_| all)
            .and_then(|node| aim.outside(self.ways, self.image, &self.contexts, node, context))
            .and_then(|distance| near(distance.saturating_add(RETURN)));
        let far = match side.reason {
            Some(ForkReason::Check | ForkReason::Pointer) => ERRORS,
            _ => FAR,
        };
        let far = all.then_some(far.saturating_add(taken));
        let wants = [
            (within, Mechanism::Greedy),
            (side.promoted, Mechanism::Regeneration),
            (outside.or(far), Mechanism::Exploration),
        ];
        let wants = wants.into_iter().filter_map(|(cost, mechanism)| Some((cost?, mechanism)));
        wants.min_by_key(|(cost, _)| *cost)
    }

    /// Puts a side where it belongs now.
    pub(super) fn line_up(&mut self, id: SideId) {
        let cost = match self.sides[id.0 as usize].parked {
            Some(_) => self.cost(id).map(|(cost, _)| cost),
            None => None,
        };
        self.queue.put(id, &mut self.sides[id.0 as usize], cost);
    }

    /// Wakes the nearest side for which there is an input; `None` if there is none, or the time is over.
    pub(super) fn next(&mut self) -> Option<(usize, u32)> {
        self.next_below(u32::MAX)
    }

    /// The same among those that cost less than so much.
    pub(super) fn next_below(&mut self, most: u32) -> Option<(usize, u32)> {
        while let Some((known, id)) = self.queue.first().filter(|(cost, _)| *cost < most) {
            // Its branch may have been taken since, elsewhere.
            let (cost, mechanism) = self.cost(id)?;
            if cost > known {
                self.queue.put(id, &mut self.sides[id.0 as usize], Some(cost));
                continue;
            }
            if self.stopped().is_some() {
                return None;
            }
            if let Some(parked) = self.take(id, Some(cost)) {
                return Some((self.begin(id, parked, mechanism), cost));
            }
        }
        None
    }

    /// Takes a side out; it has an input then. Where there is none, what keeps it from having one is as near as `cost` says.
    pub(super) fn take(&mut self, id: SideId, cost: Option<u32>) -> Option<Parked> {
        let side = &mut self.sides[id.0 as usize];
        self.queue.take(id, side);
        let mut parked = side.parked.take()?;
        self.bytes = self.bytes.saturating_sub(parked.bytes());
        let Some((base, condition)) = side.goal else { return Some(parked) };
        let prefix = parked.path.constraints().first(base);
        match self.ask(&prefix, condition, parked.path.assignment())? {
            Verdict::Sat(model) => {
                parked.set_assignment(model);
                Some(parked)
            }
            Verdict::Unsat(core) => {
                if let Some(cost) = cost.filter(|_| self.may(Mechanism::Regeneration)) {
                    self.regenerate(id, cost, &prefix, core);
                }
                None
            }
            Verdict::Unknown(_) => None,
        }
    }

    /// Begins a run as this side.
    pub(super) fn begin(&mut self, id: SideId, parked: Parked, mechanism: Mechanism) -> usize {
        let side = &self.sides[id.0 as usize];
        // A run that goes on was not chosen for anything new.
        let means = match side.reason {
            Some(_) => side.means.with(mechanism),
            None => side.means,
        };
        *self.queue.taken.entry(side.branch).or_default() += 1;
        self.state.resume(self.image, parked);
        self.settled.clear();
        self.shared.coverage = Coverage::new(self.image);
        self.runs.push(Run { from: Some(id), sides: Vec::new(), after: Vec::new(), means });
        self.runs.len() - 1
    }
}
