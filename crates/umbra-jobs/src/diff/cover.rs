//! Which tests are followed, and in which order.
//!
//! Every test runs natively on both versions, and block counters of either say which changes it reaches
//! ([`touched`]) and which blocks it runs. The first tests are as few as run all changes that any of them runs: the
//! test that reaches most of what is not reached yet is next, of several the cheapest. This greedy
//! choice is not the smallest set, but larger by a logarithm at most (Chvatal, 1979).
//!
//! All others that reach a change follow, since they may come to it with other options and data: the cheapest first, but
//! those that run the same blocks as one before them last. If no test reaches a change, all are followed.
//!
//! Tests in other shapes run natively as well ([`neighbours`]). Those on which the versions do different things are followed before all
//! tests. The others come after them, if they reach a change; each must run other blocks than all before it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use umbra_engine::Image;
use umbra_ir::Program;

use super::confirm::{NotReplayed, Versions};
use super::neighbours::{self, Runner, Shown};
use super::seeds::NamedSeed;
use crate::{DiffJob, SeedChoice};

/// Those on which the versions differ that are followed at most: each says the same, as long as nothing else is known.
const DIFFERING: usize = 4;

/// What was chosen.
#[derive(Clone, Serialize, Deserialize)]
pub struct Choice {
    /// Positions of the tests to follow, the first one first.
    pub order: Vec<usize>,
    /// For each test the changes that it reaches natively, as coverage names their blocks.
    pub reached: Vec<BTreeSet<u32>>,
    /// Tests in other shapes that ran natively.
    pub tried: u64,
    /// How it was done, in words.
    pub text: String,
}

/// What may be done with tests in other shapes.
pub struct Shapes<'a> {
    /// The program with both versions.
    pub program: &'a Program,
    /// How many of them may be followed.
    pub most: usize,
    /// How long they may run natively.
    pub time: Duration,
    /// Is told at once of those on which the versions differ.
    pub tell: &'a mut dyn FnMut(&NamedSeed, &Shown),
}

/// Chooses tests. Those in other shapes that are chosen join `seeds`.
pub fn choose(
    job: &DiffJob,
    choice: SeedChoice,
    versions: &Result<Versions, NotReplayed>,
    image: &Image,
    seeds: &mut Vec<NamedSeed>,
    shapes: Option<Shapes<'_>>,
) -> Choice {
    let all = |text: String| Choice {
        order: (0..seeds.len()).collect(),
        reached: vec![BTreeSet::new(); seeds.len()],
        tried: 0,
        text,
    };
    let most = match choice {
        SeedChoice::All => return all("all".to_owned()),
        _ if seeds.len() == 1 && shapes.is_none() => return all(String::new()),
        SeedChoice::Cover => None,
        SeedChoice::Most(most) => Some(most),
    };
    let runner = match versions {
        Ok(versions) => Runner::new(versions, image),
        Err(reason) => Err(reason.to_string()),
    };
    let runner = match runner {
        Ok(runner) => runner,
        Err(_) if seeds.len() == 1 => return all(String::new()),
        Err(reason) => return all(format!("all, because none could run natively: {reason}")),
    };
    let (mut shown, not_run) = runner.run_tests(seeds, job.native.all);
    let mut order = cover(&shown, most);
    let mut tried = 0;
    let is_reached = shown.iter().any(|shown| !shown.reached.is_empty());
    if let Some(Shapes { program, most, time, tell }) = shapes {
        // If no test comes to a change, another shape is the best hope.
        let time = if is_reached { time } else { 2 * time };
        let (found, count) = neighbours::look(&runner, program, seeds, &shown, time, tell);
        tried = count;
        let (shapes, others): (Vec<NamedSeed>, Vec<Shown>) = found.into_iter().unzip();
        let (first, last) = choose_shapes(&shown, &others, most);
        let given = seeds.len();
        let mut places: BTreeMap<usize, usize> = BTreeMap::new();
        for (index, (shape, other)) in shapes.into_iter().zip(others).enumerate() {
            if first.contains(&index) || last.contains(&index) {
                places.insert(index, given + places.len());
                seeds.push(shape);
                shown.push(other);
            }
        }
        let place = |index: &usize| places[index];
        let (first, last) = (first.iter().map(place), last.iter().map(place));
        order = first.chain(order).chain(last).collect();
    }
    let reached: Vec<BTreeSet<u32>> = shown.into_iter().map(|shown| shown.reached).collect();
    let mut text = match !is_reached {
        true => "the cheapest first, because no test reaches a change".to_owned(),
        false => "those that reach a change".to_owned(),
    };
    if not_run > 0 {
        text += &format!("; {not_run} did not run natively");
    }
    Choice { order, reached, tried, text }
}

/// Which tests in other shapes are followed before all tests, and which after them.
fn choose_shapes(tests: &[Shown], shapes: &[Shown], most: usize) -> (Vec<usize>, Vec<usize>) {
    let mut ways: BTreeSet<[u64; 2]> = tests.iter().map(|test| test.ways).collect();
    // One that did not run.
    ways.insert([0; 2]);
    let mut order: Vec<usize> = (0..shapes.len()).collect();
    order.sort_by_key(|index| shapes[*index].cost);
    let mut take = |wanted: &dyn Fn(&Shown) -> bool, most: usize| -> Vec<usize> {
        let mut taken = Vec::new();
        for index in &order {
            let shape = &shapes[*index];
            if taken.len() < most && wanted(shape) && ways.insert(shape.ways) {
                taken.push(*index);
            }
        }
        taken
    };
    let first = take(&|shape| shape.differs(), most.min(DIFFERING));
    let left = most - first.len();
    let mut last = take(&|shape| !shape.reached.is_empty(), left);
    let nothing_reached = tests.iter().chain(shapes).all(|shown| shown.reached.is_empty());
    if nothing_reached {
        last.extend(take(&|_| true, left - last.len()));
    }
    (first, last)
}

/// Positions of tests: those that reach everything that any test reaches, then the others that reach something. If none
/// does, all. With `most`, at most so many.
fn cover(shown: &[Shown], most: Option<usize>) -> Vec<usize> {
    let mut left: BTreeSet<u32> =
        shown.iter().flat_map(|shown| shown.reached.iter().copied()).collect();
    let is_reached = !left.is_empty();
    let mut others: Vec<usize> =
        (0..shown.len()).filter(|index| !is_reached || !shown[*index].reached.is_empty()).collect();
    others.sort_by_key(|index| shown[*index].cost);
    let mut order: Vec<usize> = Vec::new();
    while !left.is_empty() {
        let worth = |index: usize| shown[index].reached.intersection(&left).count();
        // The first of the best ones, which is the cheapest.
        let places = (0..others.len()).rev();
        let Some(best) = places.max_by_key(|place| worth(others[*place])) else { break };
        let best = others.remove(best);
        left.retain(|change| !shown[best].reached.contains(change));
        order.push(best);
    }
    let mut ways: BTreeSet<[u64; 2]> = order.iter().map(|index| shown[*index].ways).collect();
    let (others, same): (Vec<usize>, Vec<usize>) =
        others.into_iter().partition(|index| ways.insert(shown[*index].ways));
    order.extend(others.into_iter().chain(same));
    order.truncate(most.unwrap_or(usize::MAX));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(reached: &[u32], blocks: usize) -> Shown {
        let ways = [blocks as u64; 2];
        let reached = reached.iter().copied().collect();
        Shown { reached, cost: (blocks, 0), ways, ..Shown::default() }
    }

    #[test]
    fn shapes_that_go_a_way_of_their_own_are_followed() {
        let tests = [shown(&[1], 5), shown(&[], 3)];
        let differs = Shown { kinds: vec!["end".to_owned()], ..shown(&[], 9) };
        let shapes = [shown(&[1], 5), shown(&[1], 8), differs, shown(&[1], 7), shown(&[], 4)];
        assert_eq!(choose_shapes(&tests, &shapes, 9), (vec![2], vec![3, 1]));
        assert_eq!(choose_shapes(&tests, &shapes, 2), (vec![2], vec![3]));
        assert_eq!(choose_shapes(&tests, &shapes, 0), (vec![], vec![]));
        // Nothing is reached: whatever is new may lead there.
        assert_eq!(choose_shapes(&tests[1..], &shapes[4..], 9), (vec![], vec![0]));
    }

    #[test]
    fn few_and_cheap_tests_that_reach_everything_come_first() {
        let tests = [
            shown(&[1], 5),
            shown(&[1, 2], 90),
            shown(&[1, 2], 20),
            shown(&[3], 7),
            shown(&[], 1),
            shown(&[3], 6),
        ];
        assert_eq!(cover(&tests, None), [2, 5, 0, 3, 1]);
        assert_eq!(cover(&tests, Some(1)), [2]);
        assert_eq!(cover(&tests, Some(4)), [2, 5, 0, 3]);
        assert_eq!(cover(&tests, Some(9)), [2, 5, 0, 3, 1]);
    }

    #[test]
    fn a_test_that_goes_the_way_of_another_comes_last() {
        let tests = [shown(&[1], 5), shown(&[1], 5), shown(&[1], 6), shown(&[1], 6), shown(&[], 6)];
        assert_eq!(cover(&tests, None), [0, 2, 1, 3]);
    }

    #[test]
    fn without_anything_to_reach_the_cheapest_comes_first() {
        let tests = [shown(&[], 4), shown(&[], 3), shown(&[], 7)];
        assert_eq!(cover(&tests, None), [1, 0, 2]);
        assert_eq!(cover(&tests, Some(1)), [1]);
    }
}
