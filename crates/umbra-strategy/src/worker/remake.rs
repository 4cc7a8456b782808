//! States that another worker, perhaps of another process, has written down.
//!
//! States that were written together have the beginnings of their paths in common. What is common is executed once:
//! a group of states runs as one up to the first question that they answer differently, and is
//! divided there.

use umbra_engine::{
    Decisions, Forks, Machine, OldFollowed, OtherSide, Parked, Path, Process, Script, Shared,
    Standing, Termination,
};
use umbra_expr::ExprId;

use super::{Fork, Worker};
use crate::queue::{StateView, Waiting};
use crate::saved::{Answers, Contents, SavedState};

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
    /// There is no start of this number.
    #[error("the program has no start of the number {0}")]
    NoStart(u32),
}

/// A state that was made again, and what its input may not meet yet.
type Remade = (Parked, Option<(usize, ExprId)>);

/// States that are the same so far.
struct Group {
    /// Where they stand.
    at: Parked,
    /// Which they are.
    members: Vec<usize>,
}

impl Worker<'_> {
    /// All states that wait, as data, the oldest first. Most have waited for long, and are written down already.
    pub fn save(&self) -> Vec<SavedState> {
        let mut waiting: Vec<&Waiting> = self.pool.all().collect();
        waiting.sort_unstable_by_key(|waiting| waiting.view.id);
        let save = |waiting: &Waiting| {
            waiting.saved.get_or_init(|| SavedState::of(waiting, &self.shared.expressions)).clone()
        };
        waiting.into_iter().map(save).collect()
    }

    /// The states that wait, and what they share, to be run by somebody else; in the order of [`Worker::save`].
    pub fn into_waiting(mut self) -> (Shared, Vec<Parked>) {
        let mut waiting = self.pool.take_all();
        waiting.sort_unstable_by_key(|waiting| waiting.view.id);
        (self.shared, waiting.into_iter().map(|waiting| waiting.parked).collect())
    }

    /// Makes states again and lets them wait with the others, in this order. `starts` are the beginnings of all
    /// paths. What it takes is counted in [`crate::Statistics::remade`].
    pub fn remake(
        &mut self,
        saved: &[SavedState],
        starts: &[(Process, Path)],
    ) -> Result<(), NotRemade> {
        let saved: Option<Vec<Contents>> = saved.iter().map(SavedState::contents).collect();
        let saved = saved.ok_or(NotRemade::Unreadable)?;
        let unstarted = self.state.fork(self.image);
        self.unstarted.get_or_insert_with(|| unstarted.copy());
        let remade = self.remake_groups(&saved, starts, &unstarted);
        self.state.resume(self.image, unstarted);
        for (saved, (mut parked, goal)) in saved.iter().zip(remade?) {
            parked.set_numbers(saved.numbers);
            let view = StateView {
                reason: saved.reason,
                target: saved.target,
                stale: saved.stale,
                is_new: saved.is_new,
                ..StateView::new(self.pool.new_id())
            };
            let goal = goal.filter(|_| saved.unsolved);
            self.pool.add(self.image, &self.shared.coverage, view, parked, goal);
        }
        Ok(())
    }

    fn remake_groups(
        &mut self,
        saved: &[Contents],
        starts: &[(Process, Path)],
        unstarted: &Parked,
    ) -> Result<Vec<Remade>, NotRemade> {
        let answers: Vec<Answers> = saved.iter().map(Contents::answers).collect();
        let mut remade: Vec<Option<Remade>> = Vec::new();
        remade.resize_with(saved.len(), || None);
        let mut groups = Vec::new();
        for (origin, start) in (0..).zip(starts) {
            let is_member = |&index: &usize| saved[index].origin == origin;
            let members: Vec<usize> = (0..saved.len()).filter(is_member).collect();
            if !members.is_empty() {
                groups.push(Group { at: self.begin(unstarted, start)?, members });
            }
        }
        while let Some(Group { at, members }) = groups.pop() {
            if let &[only] = members.as_slice() {
                remade[only] = Some(self.go_to(at, &saved[only])?);
                continue;
            }
            match self.divide(&at, &members, saved, &answers) {
                Ok(parts) => groups.extend(parts),
                // One has passed another, which no two do that were written together: each goes its own way.
                Err(_) => {
                    let alone = |member| Group { at: at.copy(), members: vec![member] };
                    groups.extend(members.into_iter().map(alone));
                }
            }
        }
        let missing = saved.iter().zip(&remade).find(|(_, remade)| remade.is_none());
        match missing {
            Some((state, _)) => Err(NotRemade::NoStart(state.origin)),
            None => Ok(remade.into_iter().flatten().collect()),
        }
    }

    /// The state at the start of a path.
    fn begin(&mut self, unstarted: &Parked, start: &(Process, Path)) -> Result<Parked, NotRemade> {
        self.state.resume(self.image, unstarted.copy());
        self.state.path = start.1.clone();
        let mut forks = Scripted(Script::new(&Decisions::default(), Standing::Block));
        let mut machine = Machine::new(self.image, &mut self.state, &mut self.shared, &mut forks);
        machine.start(&start.0).map_err(NotRemade::Ended)?;
        Ok(self.state.fork(self.image))
    }

    /// Runs several states as one for as long as they are, and divides them by what they answer next.
    fn divide(
        &mut self,
        at: &Parked,
        members: &[usize],
        saved: &[Contents],
        answers: &[Answers],
    ) -> Result<Vec<Group>, NotRemade> {
        let leader = members[0];
        let (sides, numbers) = common(members.iter().map(|&member| &answers[member]));
        let done = at.path.decisions();
        // Otherwise one of them would have passed another, or two would be the same.
        let ahead = (sides.checked_sub(done.len()), numbers.checked_sub(done.count_numbers()));
        let (Some(sides_ahead), Some(numbers_ahead)) = ahead else {
            return Err(NotRemade::Elsewhere);
        };
        let script = self.script(at, &saved[leader]).pausing_after(sides_ahead, numbers_ahead);
        let script = self.follow_script(at.copy(), &saved[leader], script)?;
        let decisions = self.state.path.decisions();
        let (sides, numbers) = (decisions.len(), decisions.count_numbers());
        if !script.has_paused() {
            return Err(NotRemade::Elsewhere);
        }
        let at = self.state.fork(self.image);
        let side = |member: usize| answers[member].sides.get(sides).copied();
        let number = |member: usize| answers[member].numbers.get(numbers).copied();
        // They answer a question differently, or questions that were made from different numbers.
        let by_side = members.iter().any(|&member| side(member) != side(leader));
        let mut parts: Vec<(Option<u64>, Vec<usize>)> = Vec::new();
        for &member in members {
            let next = if by_side { side(member).map(u64::from) } else { number(member) };
            match parts.iter_mut().find(|(key, _)| *key == next) {
                Some((_, part)) => part.push(member),
                None => parts.push((next, vec![member])),
            }
        }
        if parts.len() < 2 {
            return Err(NotRemade::Elsewhere);
        }
        Ok(parts.into_iter().map(|(_, members)| Group { at: at.copy(), members }).collect())
    }

    /// What a state has yet to decide that stands here.
    fn script(&self, at: &Parked, saved: &Contents) -> Script {
        let done = at.path.decisions();
        Script::new(&saved.decisions, saved.standing()).after(done.len(), done.count_numbers())
    }

    /// Runs a state to where it stood.
    fn go_to(&mut self, at: Parked, saved: &Contents) -> Result<Remade, NotRemade> {
        let script = self.script(&at, saved);
        let script = self.follow_script(at, saved, script)?;
        let is_there = self.state.instructions() == saved.instructions
            && self.state.place().0 == saved.place
            && script.is_done();
        match is_there {
            true => Ok((self.state.fork(self.image), script.goal())),
            false => Err(NotRemade::Elsewhere),
        }
    }

    /// Runs a state along a script, on the input of a saved one: to where that stands, or up to a pause.
    fn follow_script(
        &mut self,
        at: Parked,
        saved: &Contents,
        script: Script,
    ) -> Result<Script, NotRemade> {
        let mut at = at;
        let input = saved.assignment(&mut self.shared.expressions);
        at.set_assignment(input.ok_or(NotRemade::Elsewhere)?);
        self.state.resume(self.image, at);
        let mut forks = Scripted(script);
        loop {
            let is_behind = self.state.is_behind();
            let before = self.state.instructions();
            let left = match is_behind == saved.behind {
                true => saved.instructions.saturating_sub(before),
                false => u64::MAX,
            };
            let is_there = is_behind == saved.behind
                && left == 0
                && forks.0.is_done()
                && self.state.place().0 == saved.place;
            if is_there || forks.0.has_arrived() || forks.0.has_paused() {
                return Ok(forks.0);
            }
            // It has passed the place, and may never end.
            if is_behind == saved.behind && before > saved.instructions {
                return Err(NotRemade::Elsewhere);
            }
            let mut machine =
                Machine::new(self.image, &mut self.state, &mut self.shared, &mut forks);
            // Edges take no instructions, so there may be several blocks at which it could stand.
            let ended = machine.run(left);
            self.statistics.remade += self.state.instructions().saturating_sub(before);
            let Some(termination) = ended else { continue };
            let mut machine =
                Machine::new(self.image, &mut self.state, &mut self.shared, &mut forks);
            if is_behind == saved.behind || !machine.end_diff_path(&termination) {
                return Err(NotRemade::Ended(termination));
            }
            match machine.follow_old(termination) {
                Some(OldFollowed::GoesOn) => {}
                Some(OldFollowed::Ended(end)) => return Err(NotRemade::Ended(end)),
                None => return Err(NotRemade::Elsewhere),
            }
        }
    }
}

/// How many sides and how many numbers several states have in common.
fn common<'a>(mut all: impl Iterator<Item = &'a Answers>) -> (usize, usize) {
    let Some(first) = all.next() else { return (0, 0) };
    let (mut sides, mut numbers) = (first.sides.len(), first.numbers.len());
    for other in all {
        sides = equal(&first.sides[..sides], &other.sides);
        numbers = equal(&first.numbers[..numbers], &other.numbers);
    }
    (sides, numbers)
}

fn equal<T: PartialEq>(one: &[T], other: &[T]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
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
