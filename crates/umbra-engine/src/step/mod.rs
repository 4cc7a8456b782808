//! The step loop and what it does.
//!
//! [`Machine::run`] is the loop over operations; it knows words only. Whatever is not done in a
//! line or two is a function in a file of its family.

mod builtins;
mod bulk;
mod calls;
mod errors;
mod float;
mod intrinsics;
mod processes;
mod rare;
mod run;
mod shadow;
mod signals;
mod start;
mod symbolic;
mod threads;
mod user_memory;
mod wide;

pub use shadow::OldFollowed;
pub use start::Process;

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::code::{Image, Target};
use crate::fork::{Decider, Forks};
use crate::state::{Shared, State};
use crate::termination::Termination;

/// Why the machine stopped stepping.
///
/// What is large is boxed, since the step loop passes it around in registers.
enum Stop {
    /// The path has ended.
    End(Box<Termination>),
    /// The operation cannot be done for both versions at once; it has changed nothing.
    Apart,
    /// The operation has changed nothing but what was decided, and is to be done again.
    Again,
}

impl Stop {
    /// The path has ended.
    fn end(termination: Termination) -> Self {
        Self::End(Box::new(termination))
    }

    /// How the path ended, where there is only one version.
    fn into_termination(self) -> Termination {
        match self {
            Self::End(termination) => *termination,
            Self::Apart => Termination::EngineBug("a version cannot part from itself".to_owned()),
            Self::Again => Termination::EngineBug("nothing is done again here".to_owned()),
        }
    }
}

type Step<T = ()> = Result<T, Stop>;

/// What steps a state of a program.
pub struct Machine<'a> {
    image: &'a Image,
    state: &'a mut State,
    shared: &'a mut Shared,
    forks: &'a mut dyn Forks,
    /// The block that the last operation entered, in the symbolic loop.
    entered: Option<Target>,
    /// The state is not to go on now.
    paused: bool,
    /// Whose decisions are made now.
    decider: Decider,
    /// Instructions of the state up to which they are counted by version.
    counted: u64,
}

impl<'a> Machine<'a> {
    /// A machine for a state; `forks` is told where the path has another side.
    pub fn new(
        image: &'a Image,
        state: &'a mut State,
        shared: &'a mut Shared,
        forks: &'a mut dyn Forks,
    ) -> Self {
        let counted = state.instructions;
        let (entered, paused, decider) = (None, false, Decider::State);
        Self { image, state, shared, forks, entered, paused, decider, counted }
    }

    /// Steps until the path ends, or about `budget` instructions are done: to the first block or edge that is entered
    /// with so many or more. With a budget of 0 that is the next one.
    ///
    /// A failed assertion of the machine ends this path and no other.
    pub fn run(&mut self, budget: u64) -> Option<Termination> {
        let limit = self.state.instructions.saturating_add(budget);
        self.counted = self.state.instructions;
        // The state is given up after a panic, so nobody sees what was half done.
        let ran = catch_unwind(AssertUnwindSafe(|| self.run_to(limit)));
        self.count_instructions();
        match ran {
            Ok(Ok(())) => None,
            Ok(Err(stop)) => Some(stop.into_termination()),
            Err(panic) => {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
                Some(Termination::EngineBug(text.unwrap_or("a panic").to_owned()))
            }
        }
    }

    fn run_to(&mut self, limit: u64) -> Step {
        // Values computed for another state, or under another assignment, mean nothing here.
        self.shared.evaluator.run(&self.shared.expressions, self.state.path.assignment());
        self.shared.side = self.state.shadow.side();
        loop {
            let ran = match self.state.shadow.alone {
                Some(_) => self.run_alone(limit),
                None => self.run_as_one(limit),
            };
            match ran {
                Err(Stop::Apart) => self.part(),
                // Only a state that is made again stops in the middle of a block: before a question.
                Err(Stop::Again) if self.paused && self.forks.script().is_some() => return Ok(()),
                Err(Stop::Again) => {}
                Err(stop) => return Err(stop),
                Ok(()) if self.paused || self.state.instructions >= limit => return Ok(()),
                Ok(()) => {}
            }
        }
    }

    /// Steps one version, or both in the same operations.
    fn run_as_one(&mut self, limit: u64) -> Step {
        // A fork is parked in the middle of a block.
        match self.run_symbolic(limit)? {
            true => Ok(()),
            false => self.run_words(if self.paused { 0 } else { limit }),
        }
    }
}
