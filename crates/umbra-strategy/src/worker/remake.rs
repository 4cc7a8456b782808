//! States that another worker, perhaps of another process, has written down.

use umbra_engine::{
    Forks, Machine, OldFollowed, OtherSide, Parked, Path, Process, Script, Shared, Termination,
};
use umbra_expr::ExprId;

use super::{Fork, Worker};
use crate::queue::{StateView, Waiting};
use crate::saved::SavedState;

/// Why a state could not be made again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotRemade {
    /// Its path has ended before it got there.
    #[error("the path ended before the state was reached: {}", .0.name())]
    Ended(Termination),
    /// It is not as states are written.
    #[error("this is no state as it was written")]
    Unreadable,
    /// It came to a place where it should not be.
    #[error("the decisions of the state lead elsewhere")]
    Elsewhere,
}

impl Worker<'_> {
    /// All states that wait, as data, the oldest first.
    pub fn save(&self) -> Vec<SavedState> {
        let mut waiting: Vec<&Waiting> = self.pool.all().collect();
        waiting.sort_unstable_by_key(|waiting| waiting.view.id);
        let save = |waiting| SavedState::of(waiting, &self.shared.expressions);
        waiting.into_iter().map(save).collect()
    }

    /// The states that wait, and what they share, to be run by somebody else; in the order of [`Worker::save`].
    pub fn into_waiting(mut self) -> (Shared, Vec<Parked>) {
        let mut waiting = self.pool.take_all();
        waiting.sort_unstable_by_key(|waiting| waiting.view.id);
        (self.shared, waiting.into_iter().map(|waiting| waiting.parked).collect())
    }

    /// Makes a state again and lets it wait with the others. `process` is the start of its path, and these
    /// conditions hold there.
    pub fn remake(
        &mut self,
        saved: &SavedState,
        process: &Process,
        conditions: &[ExprId],
    ) -> Result<(), NotRemade> {
        if !saved.is_readable() {
            return Err(NotRemade::Unreadable);
        }
        let unstarted = self.state.fork(self.image);
        let input = saved.assignment(&mut self.shared.expressions);
        let expressions = &self.shared.expressions;
        self.state.path = Path::begin(saved.origin, input, expressions, conditions);
        let remade = self.follow_script(saved, process);
        let parked = self.state.fork(self.image);
        self.unstarted.get_or_insert_with(|| unstarted.copy());
        self.state.resume(self.image, unstarted);
        let goal = remade?;
        let view = StateView { reason: saved.reason(), ..StateView::new(self.pool.new_id()) };
        let goal = goal.filter(|_| saved.unsolved);
        self.pool.add(self.image, &self.shared.coverage, view, parked, goal);
        Ok(())
    }

    /// Runs the state in the room to where the saved one stands.
    fn follow_script(
        &mut self,
        saved: &SavedState,
        process: &Process,
    ) -> Result<Option<(usize, ExprId)>, NotRemade> {
        let mut forks = Scripted(Script::new(&saved.decisions(), saved.standing()));
        let mut machine = Machine::new(self.image, &mut self.state, &mut self.shared, &mut forks);
        machine.start(process).map_err(NotRemade::Ended)?;
        loop {
            let is_behind = self.state.is_behind();
            let left = match is_behind == saved.behind {
                true => saved.instructions.saturating_sub(self.state.instructions()),
                false => u64::MAX,
            };
            let is_there = is_behind == saved.behind && left == 0 && forks.0.is_done();
            if is_there || forks.0.has_arrived() {
                break;
            }
            // It has passed the place, and may never end.
            if is_behind == saved.behind && self.state.instructions() > saved.instructions {
                return Err(NotRemade::Elsewhere);
            }
            let mut machine =
                Machine::new(self.image, &mut self.state, &mut self.shared, &mut forks);
            let Some(termination) = machine.run(left.max(1)) else { continue };
            if is_behind == saved.behind || !machine.end_diff_path(&termination) {
                return Err(NotRemade::Ended(termination));
            }
            match machine.follow_old(termination) {
                Some(OldFollowed::GoesOn) => {}
                Some(OldFollowed::Ended(end)) => return Err(NotRemade::Ended(end)),
                None => return Err(NotRemade::Elsewhere),
            }
        }
        let is_there = self.state.instructions() == saved.instructions && forks.0.is_done();
        if is_there { Ok(forks.0.goal()) } else { Err(NotRemade::Elsewhere) }
    }
}

/// Lets a state make the decisions of a script, and nobody else be.
struct Scripted(Script);

impl Forks for Scripted {
    fn other_side(&mut self, _: &mut Shared, _: &Path, _: &Fork) -> OtherSide {
        OtherSide::Drop
    }

    fn keep(&mut self, _: Parked, _: &Fork) {}

    fn script(&mut self) -> Option<&mut Script> {
        Some(&mut self.0)
    }
}
