//! The step loop and what it does.
//!
//! [`Machine::run`] is the loop over operations; it knows words only. Whatever is not done in a
//! line or two is a function in a file of its family.

mod builtins;
mod calls;
mod errors;
mod float;
mod intrinsics;
mod rare;
mod run;
mod signals;
mod start;
mod symbolic;
mod user_memory;
mod wide;

pub use start::Process;

use crate::code::Image;
use crate::environment::Environment;
use crate::state::State;
use crate::termination::Termination;

/// Why the machine stopped stepping: the path has ended.
///
/// Boxed, since the step loop passes it around in registers.
type Stop = Box<Termination>;
type Step<T = ()> = Result<T, Stop>;

/// What steps a state of a program in an environment.
pub struct Machine<'a> {
    /// The program.
    pub image: &'a Image,
    /// The path.
    pub state: &'a mut State,
    /// The world it runs in.
    pub environment: &'a mut dyn Environment,
}

impl Machine<'_> {
    /// Steps until the path ends, or about `budget` instructions are done.
    pub fn run(&mut self, budget: u64) -> Option<Termination> {
        let limit = self.state.instructions.saturating_add(budget);
        match self.run_words(limit) {
            Ok(()) => None,
            Err(termination) => Some(*termination),
        }
    }
}
