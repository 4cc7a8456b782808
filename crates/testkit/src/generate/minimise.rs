//! Makes a program that fails as small as it can be: statements are taken out while it still fails.

use super::batch::{Bench, Verdict, check, kind_of_failure};
use super::tree::Program;

/// Rounds at most; each takes out one statement or more.
const ROUNDS: usize = 24;

/// The smallest program found that fails in the same way.
pub fn minimise(bench: &Bench<'_>, program: Program, wrong: &str) -> (Program, String) {
    let kind = kind_of_failure(wrong);
    let (mut best, mut said) = (program, wrong.to_owned());
    for _ in 0..ROUNDS {
        // All at once, since compiling takes longest; the smallest that still fails is taken.
        let mut smaller = best.smaller();
        smaller.sort_by_key(|program| program.text().len());
        let verdicts = check(bench, &smaller);
        let failing =
            smaller.into_iter().zip(verdicts).find_map(|(program, verdict)| match verdict {
                Verdict::Wrong(text) if kind_of_failure(&text) == kind => Some((program, text)),
                _ => None,
            });
        let Some(found) = failing else { break };
        (best, said) = found;
    }
    (best, said)
}
