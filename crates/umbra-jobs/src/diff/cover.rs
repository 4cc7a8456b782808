//! Which tests are followed: as few as run all changes that any of them runs.
//!
//! Every test runs natively on both versions, and block counters of either say which changes it reaches
//! ([`touched`]). The
//! test that reaches most of what is not reached yet is next, of several the cheapest. This greedy
//! choice is not the smallest set, but larger by a logarithm at most (Chvatal, 1979).

use std::collections::BTreeSet;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use umbra_compare::Outcome;
use umbra_engine::Image;
use umbra_replay::Run;

use super::confirm::{NotReplayed, Versions};
use super::seeds::NamedSeed;
use super::touched::touched;
use crate::{DiffJob, SeedChoice};

/// Tests that run natively before the time is looked at.
const BATCH: usize = 64;

/// What was chosen.
#[derive(Clone, Serialize, Deserialize)]
pub struct Choice {
    /// Positions of the tests to follow, the first one first.
    pub order: Vec<usize>,
    /// For each test the changes that it reaches natively, as coverage names their blocks.
    pub reached: Vec<BTreeSet<u32>>,
    /// How it was done, in words.
    pub text: String,
}

/// What a native run of a test shows.
#[derive(Clone, Default)]
struct Shown {
    reached: BTreeSet<u32>,
    /// How much there is to follow: blocks that ran, bytes that may be others.
    cost: (usize, u64),
}

/// Chooses tests.
pub fn choose(
    job: &DiffJob,
    choice: SeedChoice,
    versions: &Result<Versions, NotReplayed>,
    image: &Image,
    seeds: &[NamedSeed],
) -> Choice {
    let all = |text: String| Choice {
        order: (0..seeds.len()).collect(),
        reached: vec![BTreeSet::new(); seeds.len()],
        text,
    };
    let most = match choice {
        SeedChoice::All => return all("all".to_owned()),
        _ if seeds.len() == 1 => return all(String::new()),
        SeedChoice::Cover => None,
        SeedChoice::Most(most) => Some(most),
    };
    let shown = match versions {
        Ok(versions) => run(job, versions, image, seeds),
        Err(reason) => Err(reason.to_string()),
    };
    let (shown, not_run) = match shown {
        Ok(shown) => shown,
        Err(reason) => return all(format!("all, because none could run natively: {reason}")),
    };
    let order = cover(&shown, most);
    let reached: Vec<BTreeSet<u32>> = shown.into_iter().map(|shown| shown.reached).collect();
    let mut text = match reached.iter().all(BTreeSet::is_empty) {
        true => "the cheapest, because no test reaches a change".to_owned(),
        false => "chosen to reach all changes that any of them reaches".to_owned(),
    };
    if not_run > 0 {
        text += &format!("; {not_run} did not run natively");
    }
    Choice { order, reached, text }
}

/// Runs all tests on both versions. Also says how many did not run.
fn run(
    job: &DiffJob,
    versions: &Versions,
    image: &Image,
    seeds: &[NamedSeed],
) -> Result<(Vec<Shown>, usize), String> {
    let (changes, blocks) = touched(image);
    // The old version first, as `touched` has it.
    let programs = [&versions.old, &versions.new];
    for (program, blocks) in programs.into_iter().zip(blocks) {
        if program.blocks() != Some(blocks as u64) {
            return Err("the executable has no block counters for this module".to_owned());
        }
    }
    let start = Instant::now();
    let mut shown = vec![Shown::default(); seeds.len()];
    let mut not_run = 0;
    for (first, batch) in (0..).step_by(BATCH).zip(seeds.chunks(BATCH)) {
        if start.elapsed() >= job.native.all {
            not_run += batch.len();
            continue;
        }
        let runs: Vec<Run<'_>> = batch
            .iter()
            .flat_map(|named| programs.map(|program| Run { case: named.seed.case(), program }))
            .collect();
        let outcomes = versions.native.run_all(&runs);
        for (index, outcomes) in outcomes.chunks(programs.len()).enumerate() {
            let shown = &mut shown[first + index];
            not_run += usize::from(outcomes.iter().any(Result::is_err));
            for (version, outcome) in outcomes.iter().enumerate() {
                let Ok(Outcome { blocks: Some(ran), .. }) = outcome else { continue };
                shown.cost.0 = shown.cost.0.max(ran.ran().count());
                let is_run = |block: &usize| ran.0.get(*block).is_some_and(|byte| *byte != 0);
                let reached = changes.iter().filter(|it| it.blocks[version].iter().any(is_run));
                shown.reached.extend(reached.map(|it| it.target));
            }
            shown.cost.1 = batch[index].seed.case().input_bytes();
        }
    }
    Ok((shown, not_run))
}

/// Positions of tests that reach everything that any test reaches; with `most`, that many, if there
/// are so many that reach anything: those for another cover follow.
fn cover(shown: &[Shown], most: Option<usize>) -> Vec<usize> {
    let reachable: BTreeSet<u32> =
        shown.iter().flat_map(|shown| shown.reached.iter().copied()).collect();
    let mut order: Vec<usize> = Vec::new();
    let mut left = reachable.clone();
    loop {
        let worth = |index: &usize| shown[*index].reached.intersection(&left).count();
        let unused = (0..shown.len()).filter(|index| !order.contains(index));
        let best = unused.filter(|index| worth(index) > 0).max_by_key(|index| {
            let cost = std::cmp::Reverse((shown[*index].cost, *index));
            (worth(index), cost)
        });
        match (best, most) {
            (Some(best), most) if most.is_none_or(|most| order.len() < most) => {
                left.retain(|change| !shown[best].reached.contains(change));
                order.push(best);
            }
            // Nothing is left to be reached: once more, with the tests that are left.
            (None, Some(most)) if order.len() < most && left.len() < reachable.len() => {
                left.clone_from(&reachable);
            }
            _ => break,
        }
    }
    if order.is_empty() {
        order.extend((0..shown.len()).min_by_key(|index| shown[*index].cost));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(reached: &[u32], blocks: usize) -> Shown {
        Shown { reached: reached.iter().copied().collect(), cost: (blocks, 0) }
    }

    #[test]
    fn few_and_cheap_tests_reach_everything() {
        let tests = [
            shown(&[1], 5),
            shown(&[1, 2], 90),
            shown(&[1, 2], 20),
            shown(&[3], 7),
            shown(&[], 1),
            shown(&[3], 6),
        ];
        assert_eq!(cover(&tests, None), [2, 5]);
        assert_eq!(cover(&tests, Some(1)), [2]);
        assert_eq!(cover(&tests, Some(4)), [2, 5, 1, 3]);
        assert_eq!(cover(&tests, Some(9)), [2, 5, 1, 3, 0]);
    }

    #[test]
    fn without_anything_to_reach_the_cheapest_is_left() {
        assert_eq!(cover(&[shown(&[], 4), shown(&[], 3)], None), [1]);
        assert_eq!(cover(&[shown(&[], 4), shown(&[], 3)], Some(2)), [1]);
    }
}
