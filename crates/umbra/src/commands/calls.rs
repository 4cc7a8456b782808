//! The flags of commands whose inputs may be those of a call inside the program.

use umbra_jobs::{CallChoice, CallSource};

/// Calls inside the program as inputs.
#[derive(clap::Args)]
#[command(next_help_heading = "Calls as inputs")]
pub struct CallArgs {
    /// Start at calls of this function inside the program: the bytes that its pointers lead to are the input; may be given
    /// several times
    ///
    /// `auto` are the public functions of a library that lead to what changed (`umbra diff`). This is the way to libraries, whose tests have no input from outside. The program runs as it does without
    /// Umbra up to the call. Texts become any text of that length or a little more, buffers with a length behind them any
    /// bytes. What the function returns is compared, too.
    #[arg(long, value_name = "FUNCTION", conflicts_with = "function")]
    pub from: Vec<String>,

    /// Only the call of this number, counted from 1
    #[arg(long, value_name = "N", requires = "from", value_parser = clap::value_parser!(u32).range(1..))]
    pub call: Option<u32>,

    /// How many calls with different arguments to start at, each for itself
    #[arg(
        long,
        value_name = "N",
        requires = "from",
        conflicts_with = "call",
        default_value_t = 16
    )]
    pub max_calls: usize,
}

impl CallArgs {
    /// The calls that are asked for.
    pub fn source(&self) -> Option<CallSource> {
        let choice = match self.call {
            Some(number) => CallChoice::Number(number),
            None => CallChoice::Most(self.max_calls),
        };
        let functions = self.from.clone();
        (!functions.is_empty()).then_some(CallSource { functions, choice })
    }
}
