//! The ends of paths: inputs that run targets, and errors.

use std::collections::BTreeSet;

use umbra_case::Case;
use umbra_engine::{ForkReason, Termination};
use umbra_os::Kernel;
use umbra_words::Mechanism;

use super::closest::closest;
use super::hunt::{Failure, Hit, Hunt};
use super::side::SideId;

/// Sides that may be errors, in the function of a target that was run, that are looked at.
const PROBED: usize = 16;

impl Hunt<'_> {
    /// A path has ended.
    pub(super) fn end(&mut self, run: usize, termination: &Termination, goals: &[u32]) {
        self.statistics.end(termination.name());
        self.note_ran(run);
        if let Termination::Unsupported { what, .. } = termination {
            self.unmodelled.insert(what.clone());
        }
        let unsupported = Kernel::of(&*self.state.environment).unsupported_calls();
        self.unmodelled.extend(unsupported.into_iter().map(|call| call.name.to_string()));
        if !goals.is_empty() {
            let (case, means) = (self.case(termination), self.runs[run].means);
            self.hits.push(Hit { goals: goals.to_vec(), case, means });
            self.probed = Some((run, goals.to_vec()));
        }
        if let Termination::Error(report) = termination {
            let (report, case) = (report.clone(), self.case(termination));
            let before = self.runs[run].after.iter().copied();
            let goals = before.chain(goals.iter().copied()).collect();
            self.failures.push(Failure { report, case, goals });
        }
    }

    /// Adds what the run has run; if that is the definition that was wanted, this has led to the run and all from it.
    pub(super) fn note_ran(&mut self, run: usize) {
        let covered = self.shared.coverage.covered();
        self.ran.resize(covered.len(), false);
        for (all, new) in self.ran.iter_mut().zip(covered) {
            *all |= new;
        }
        if self.wanted.is_some_and(|wanted| self.shared.coverage.is_covered(wanted)) {
            self.runs[run].means = self.runs[run].means.with(Mechanism::Switching);
            let means = self.runs[run].means;
            for side in &self.runs[run].sides {
                let side = &mut self.sides[side.0 as usize];
                side.means = side.means.and(means);
            }
        }
    }

    /// Looks whether something can go wrong in the functions of targets that were just run.
    pub(super) fn probe(&mut self) {
        let Some((run, goals)) = self.probed.take() else { return };
        let functions: BTreeSet<_> =
            goals.iter().filter_map(|goal| Some(self.image.target_block(*goal)?.0)).collect();
        let is_probed = |side: &&SideId| {
            let side = &self.sides[side.0 as usize];
            let is_check = matches!(side.reason, Some(ForkReason::Check | ForkReason::Pointer));
            let function = self.image.position(side.branch.0).map(|position| position.function);
            is_check && function.is_some_and(|function| functions.contains(&function))
        };
        let sides: Vec<SideId> =
            self.runs[run].sides.iter().rev().filter(is_probed).take(PROBED).copied().collect();
        for id in sides {
            if self.stopped().is_some() {
                return;
            }
            if let Some(parked) = self.take(id, None) {
                let run = self.begin(id, parked, Mechanism::Exploration);
                self.runs[run].after.clone_from(&goals);
                self.go(run, 0);
            }
        }
    }

    /// The test case of the path that has ended, as close to the seed as can be.
    fn case(&mut self, termination: &Termination) -> Case {
        let kernel = Kernel::of(&*self.state.environment).clone();
        let refused = self.state.memory.refused();
        let status = self.state.exit_status();
        let input = closest(&self.state.path, &self.seed, &mut self.shared);
        let mut parked = self.state.fork(self.image);
        parked.set_assignment(input);
        // The status that the path ended with is that of the input it ran with.
        let termination = match (termination, status) {
            (Termination::Exited(_), Some(status)) => {
                let mut values = self.shared.evaluation(parked.path.assignment());
                Termination::Exited(values.value_u64(status) as i32)
            }
            _ => termination.clone(),
        };
        self.built.case(0, &parked.path, &kernel, refused, &mut self.shared, &termination)
    }
}
