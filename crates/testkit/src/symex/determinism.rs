//! The same run gives the same tests.

use std::path::Path;
use std::time::Duration;

use anyhow::ensure;

use super::command::explore;

/// How long a run may take; it is bounded by instructions.
const LIMIT: Duration = Duration::from_secs(300);

/// What a run gave: the identities of the tests, in order, and how each is predicted to end.
fn tests(
    umbra: &Path,
    program: &Path,
    words: &[String],
    instructions: u64,
) -> anyhow::Result<Vec<String>> {
    let flags = ["--deterministic".to_owned(), "--max-instructions".to_owned()];
    let mut flags = flags.to_vec();
    flags.push(instructions.to_string());
    let explored = explore(umbra, &flags, program, words, LIMIT)?;
    let describe = |case: &umbra_case::Case| format!("{:?} {:?}", case.id(), case.expected);
    Ok(explored.cases.iter().map(|written| describe(&written.case)).collect())
}

/// Runs a program several times with the same budget and compares all tests; returns how many there
/// are.
pub fn check(
    umbra: &Path,
    program: &Path,
    words: &[String],
    instructions: u64,
    runs: usize,
) -> anyhow::Result<usize> {
    let first = tests(umbra, program, words, instructions)?;
    ensure!(first.len() > 1, "{} tests are too few to compare", first.len());
    for number in 2..=runs {
        let other = tests(umbra, program, words, instructions)?;
        let count = (first.len(), other.len());
        ensure!(count.0 == count.1, "run {number} has {} tests, the first {}", count.1, count.0);
        if let Some(at) = (0..first.len()).find(|&at| first[at] != other[at]) {
            let (one, two) = (&first[at], &other[at]);
            anyhow::bail!("test {at} of run {number} is {two}, that of the first run {one}");
        }
    }
    Ok(first.len())
}
