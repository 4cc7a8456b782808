//! Definition switching: where no input decides a branch on the way, code that gives what it tests another value is run first.
//!
//! The branches that were run and are nearest to the target on a side that nothing was seen to take are looked at. Where no side
//! waits there, the value tested does not depend on input on any path so far. The code that defines it becomes a target of its
//! own, those definitions first with which the branch goes the wanted way; a path that has run it goes on as any other.

use std::collections::BTreeSet;

use umbra_engine::Image;
use umbra_ir::Id;
use umbra_words::Mechanism;

use super::hunt::{Hunt, Pursuit};
use super::order::FAR;
use super::ways::Goal;

/// Branches that are looked at, the nearest ones, and definitions that are run for each of them.
const BRANCHES: usize = 6;
const DEFINITIONS: usize = 8;

/// Runs on the way to a definition.
const RUNS: usize = 48;

/// Definitions that are run to run others.
const DEPTH: u32 = 3;

impl Hunt<'_> {
    /// Runs code that may make a branch go towards the target. Says whether any was run that had not been tried.
    pub(super) fn switch(&mut self, goal: Goal, most: u32) -> bool {
        self.switch_within(goal, most, DEPTH)
    }

    fn switch_within(&mut self, goal: Goal, most: u32, depth: u32) -> bool {
        if depth == 0 || !self.may(Mechanism::Switching) {
            return false;
        }
        for (branch, to) in self.stuck(most) {
            let new = self.definitions_of(branch, to);
            for place in new {
                if !self.switched.insert((goal, place)) {
                    continue;
                }
                let is_run = self.run_first(place, depth);
                self.aim_at(goal);
                if is_run || self.stopped().is_some() {
                    return is_run;
                }
            }
        }
        false
    }

    /// Code that was not run and may make a branch go to a block: what defines the value itself first, then what defines that.
    fn definitions_of(&mut self, branch: Goal, to: Goal) -> Vec<Goal> {
        let ways = self.ways;
        let definitions = self.definitions.get_or_insert_with(|| ways.definitions());
        let mut open = definitions.of_branch(branch.place(), to.block).definitions;
        let (mut found, mut seen): (Vec<Goal>, BTreeSet<Goal>) = (Vec::new(), BTreeSet::new());
        for _ in 0..DEPTH {
            let mut next = Vec::new();
            for it in std::mem::take(&mut open) {
                let place = Goal { function: it.place.function, block: it.place.block };
                let has_run = is_run(self.image, &self.ran, place);
                if !has_run && seen.insert(place) {
                    found.push(place);
                }
                // What has run and gave another value may give this one, if its own value is another.
                let value = it.value.filter(|_| has_run && it.constant.is_none());
                if let (Some(value), Some(definitions)) = (value, &self.definitions) {
                    let function = it.place.function;
                    let reaching = definitions.of(function, value, it.wanted.as_ref());
                    next.extend(reaching.definitions);
                }
            }
            open = next;
        }
        found.truncate(DEFINITIONS);
        found
    }

    /// Runs code before anything else, if there is a way that needs few runs.
    fn run_first(&mut self, place: Goal, depth: u32) -> bool {
        let Some(target) = self.image.block_target(place.function, place.block) else {
            return false;
        };
        let before = self.wanted.replace(target);
        self.aim_at(place);
        let mut is_run = false;
        for _ in 0..RUNS {
            let Some((run, cost)) = self.next_below(FAR) else { break };
            self.go(run, cost);
            is_run = self.shared.coverage.is_covered(target);
            if is_run || self.stopped().is_some() {
                break;
            }
        }
        if !is_run && self.stopped().is_none() && self.switch_within(place, u32::MAX, depth - 1) {
            self.aim_at(place);
            is_run = self.has_run(place);
        }
        self.wanted = before;
        is_run
    }

    fn has_run(&self, place: Goal) -> bool {
        is_run(self.image, &self.ran, place)
    }

    /// The nearest branches whose other side is nearer than `most`, was never run, and has no side that waits or has no input.
    fn stuck(&mut self, most: u32) -> Vec<(Goal, Goal)> {
        let sides: BTreeSet<Goal> = self
            .sides
            .iter()
            .filter_map(|side| side.branch.1)
            .filter_map(|target| self.image.target_block(target))
            .map(|(function, block)| Goal { function, block })
            .collect();
        let Some(aim) = &self.aim else { return Vec::new() };
        let mut found = Vec::new();
        for (function, definition) in self.image.program.functions.iter() {
            let Some(body) = &definition.body else { continue };
            for (block, code) in body.blocks.iter() {
                let edges = code.terminator.edges();
                let from = Goal { function, block };
                if edges.len() < 2 || !self.has_run(from) {
                    continue;
                }
                for edge in edges {
                    let to = Goal { function, block: edge.block };
                    let distance = self.ways.node(to).and_then(|node| aim.within(node));
                    let Some(distance) = distance.filter(|distance| *distance < most) else {
                        continue;
                    };
                    if !self.has_run(to) && !sides.contains(&to) {
                        found.push((distance, from, to));
                    }
                }
            }
        }
        found.sort_unstable_by_key(|(distance, from, to)| {
            (*distance, from.function.index(), from.block.index(), to.block.index())
        });
        found.into_iter().take(BRANCHES).map(|(_, from, to)| (from, to)).collect()
    }

    /// Goes on until nothing is left, taking turns with switching.
    pub(super) fn pursue(&mut self, goal: Goal, target: u32) -> Pursuit {
        loop {
            if !self.open.contains(&target) {
                return Pursuit::Reached;
            }
            if let Some(stopped) = self.stopped() {
                return Pursuit::Stopped(stopped);
            }
            self.give_memory();
            let nearest = self.queue.first().map_or(u32::MAX, |(cost, _)| cost);
            if self.runs.len() != self.looked && self.may(Mechanism::Switching) {
                self.looked = self.runs.len();
                if self.switch(goal, nearest) {
                    continue;
                }
            }
            match self.next() {
                Some((run, cost)) => {
                    self.go(run, cost);
                    self.probe();
                }
                None if self.queue.first().is_some() => {}
                None => return Pursuit::NothingLeft,
            }
        }
    }
}

/// Whether a block has run, of all that has.
fn is_run(image: &Image, ran: &[bool], place: Goal) -> bool {
    let target = image.block_target(place.function, place.block);
    target.is_some_and(|target| ran.get(target as usize).copied().unwrap_or(false))
}
