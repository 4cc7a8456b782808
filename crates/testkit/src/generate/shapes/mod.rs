//! The shapes of statements, by family. Each is a function that writes one with what chance says.

pub mod control;
pub mod data;
pub mod errors;
pub mod flow;
pub mod machine;
pub mod places;
pub mod pointers;
pub mod system;
pub mod texts;
pub mod values;
pub mod words;

use super::tree::Statement;
use super::writer::Writer;

/// Writes a statement.
pub type Shape = fn(&mut Writer) -> Statement;
