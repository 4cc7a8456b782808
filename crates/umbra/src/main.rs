//! The `umbra` command.

fn main() {}
