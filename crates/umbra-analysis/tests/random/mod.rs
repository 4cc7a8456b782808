//! Small random programs, and runs of them.

mod generate;
mod interpret;

pub use generate::program;
pub use interpret::{Event, run};
