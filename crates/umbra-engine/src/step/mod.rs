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

use std::panic::{AssertUnwindSafe, catch_unwind};

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
    ///
    /// A failed assertion of the machine ends this path and no other.
    pub fn run(&mut self, budget: u64) -> Option<Termination> {
        let limit = self.state.instructions.saturating_add(budget);
        // The state is given up after a panic, so nobody sees what was half done.
        match catch_unwind(AssertUnwindSafe(|| self.run_words(limit))) {
            Ok(Ok(())) => None,
            Ok(Err(termination)) => Some(*termination),
            Err(panic) => {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
                Some(Termination::EngineBug(text.unwrap_or("a panic").to_owned()))
            }
        }
    }
}
