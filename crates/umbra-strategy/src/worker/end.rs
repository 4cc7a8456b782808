//! The end of a path, and the old version that is followed behind it.

use umbra_engine::{NoForks, OldFollowed, Termination};
use umbra_words::Phase;

use super::lead::Lead;
use super::{Observer, PathEnd, Worker};
use crate::queue::StateView;

/// What is left out where an error ends the path of a child process: natively its parent goes on.
const PARENT: &str = "parent of a process with an error";

/// How the solver has failed if the input of a path does not take it.
const WRONG_INPUT: &str = "wrong-input";

impl Worker<'_> {
    /// Evaluates all that holds on a path that has ended under its input. Models are checked on what
    /// they change only, so that long paths cost no more for each branch; here the path is whole.
    pub(super) fn check_input(&mut self, termination: &Termination) {
        let path = &self.state.path;
        let mut values = self.shared.evaluation(path.assignment());
        let holds = path.constraints().newest_first().all(|&constraint| values.is_true(constraint));
        // The input of a path that is excluded does not meet the assumption that ends it.
        if !holds && *termination != Termination::Excluded {
            self.statistics.fail(WRONG_INPUT);
        }
    }

    /// The path of the running state has ended. If the versions parted on it, the old one is followed on it
    /// next, as a state of its own.
    pub(super) fn end(
        &mut self,
        view: &StateView,
        termination: Termination,
        observer: &mut dyn Observer,
    ) {
        let leads = self.pool.is_leading();
        let point = self.pool.end(view.id, &termination);
        self.check_input(&termination);
        if self.tell_end(termination, view.is_new, point, observer) {
            let view = StateView { stale: view.stale, ..StateView::new(self.pool.new_id()) };
            if let Some(phase) = point {
                self.pool.lead_on(Lead::behind(phase, view.id, leads));
            }
            self.park(view);
        }
    }

    /// Tells how the path of the running state has ended. If it is the new version's and parted from the old one,
    /// the state becomes the old one's, to be followed on that path: says whether it goes on.
    pub(super) fn tell_end(
        &mut self,
        termination: Termination,
        is_new: bool,
        point: Option<Phase>,
        observer: &mut dyn Observer,
    ) -> bool {
        if matches!(termination, Termination::Error(_)) && self.state.is_child() {
            self.statistics.drop(PARENT);
        }
        let is_diff = self.machine(&mut NoForks).end_diff_path(&termination);
        self.statistics.add_to_set(&self.state, &termination);
        match self.state.new_end() {
            Some(_) => self.statistics.pairs += 1,
            None => self.statistics.end(termination.name()),
        }
        let end = PathEnd {
            termination: termination.clone(),
            state: &mut self.state,
            shared: &mut self.shared,
            solver: &mut *self.solver,
            is_new,
        };
        match point {
            Some(phase) => observer.point_ended(phase, end),
            None => observer.path_ended(end),
        }
        if !is_diff {
            return false;
        }
        match self.machine(&mut NoForks).follow_old(termination) {
            Some(OldFollowed::GoesOn) => true,
            Some(OldFollowed::Ended(old)) => self.tell_end(old, is_new, point, observer),
            None => false,
        }
    }

    /// Tells that the versions of the running state have parted.
    pub(super) fn tell_diverged(&mut self, observer: &mut dyn Observer) {
        observer.diverged(PathEnd {
            termination: Termination::Limit("run"),
            state: &mut self.state,
            shared: &mut self.shared,
            solver: &mut *self.solver,
            is_new: false,
        });
    }
}
