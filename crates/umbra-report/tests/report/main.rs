//! The forms of results, on whole examples.

mod documented;
mod example;
mod folder;
mod golden;
