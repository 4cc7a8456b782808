//! From the points where two versions part: they take turns, and the search goes towards changes
//! that nothing has reached.

use std::collections::BTreeMap;
use std::sync::Arc;

use umbra_engine::{
    Image, Inputs, Limits as StateLimits, Memory, NoSystem, Path, Process, Shared, State,
    UninitialisedReads,
};
use umbra_expr::Assignment;
use umbra_strategy::{Config, Limits, PointBudget, Search, Stopped, Terrain, Worker};

use crate::setting::{Ends, POINTS, ROUNDS, STEERED, parse};

/// What came of it.
struct Explored {
    stopped: Option<Stopped>,
    /// How many paths ended in each way.
    ends: BTreeMap<String, usize>,
    dropped: BTreeMap<&'static str, u64>,
    instructions: u64,
    /// Whether each change was reached, in order.
    reached: Vec<bool>,
}

fn most(instructions: u64) -> Limits {
    Limits { instructions: Some(instructions), ..Limits::default() }
}

/// Follows the input zero through both versions and explores from the points within limits; whether
/// the search goes towards changes that are not on the way of the input.
fn explore(text: &str, within: Limits, budget: PointBudget, steered: bool) -> Explored {
    let limits = StateLimits::default();
    let mut memory = Memory::new(limits.memory, UninitialisedReads::Zero);
    let image = Image::new(Arc::new(parse(text)), &mut memory, Inputs::Symbolic);
    let mut state = State::new(memory, Box::new(NoSystem), limits);
    state.run_both_versions();
    let config = Config { limits: within, drain: None, ..Config::default() };
    let mut worker = Worker::new(&image, Shared::new(&image), state, config);
    let mut ends = Ends::default();
    let points = worker.follow(&Process::default(), Path::new(Assignment::new()), &mut ends);
    let changes: Vec<u32> = image.changes().into_iter().map(|(_, target)| target).collect();
    let known = worker.shared().coverage.clone();
    let unreached: Vec<u32> =
        changes.iter().filter(|change| !known.is_covered(**change)).copied().collect();
    let terrain = steered.then(|| Arc::new(Terrain::to_blocks(&image, &unreached)));
    let search = if steered { Search::steered() } else { Search::breadth_first() };
    let stopped = worker.explore_points(points, &budget, &search, terrain.as_ref(), &mut ends);
    let mut counts = BTreeMap::new();
    for end in ends.0 {
        *counts.entry(end).or_default() += 1;
    }
    let coverage = &worker.shared().coverage;
    Explored {
        stopped,
        ends: counts,
        dropped: worker.statistics().dropped.clone(),
        instructions: worker.statistics().instructions,
        reached: changes.iter().map(|change| coverage.is_covered(*change)).collect(),
    }
}

fn turns(instructions: u64) -> PointBudget {
    PointBudget { turn_instructions: instructions, ..PointBudget::default() }
}

/// The paths of the point that has an end.
fn short_paths(explored: &Explored) -> usize {
    (10..14).filter(|status| explored.ends.contains_key(&format!("exited {status}"))).count()
}

#[test]
fn a_point_without_end_leaves_turns_to_the_others() {
    let explored = explore(POINTS, most(20_000), turns(200), false);
    assert_eq!(explored.stopped, Some(Stopped::Instructions));
    assert_eq!(short_paths(&explored), 4, "{:?}", explored.ends);
    assert!(explored.dropped["end-of-run"] > 100, "{:?}", explored.dropped);
    // Without turns the first point takes all: the test would show nothing if the other came first.
    let explored = explore(POINTS, most(20_000), turns(u64::MAX), false);
    assert_eq!(explored.stopped, Some(Stopped::Instructions));
    assert_eq!(short_paths(&explored), 0, "{:?}", explored.ends);
}

#[test]
fn a_point_that_has_used_up_its_budget_is_dropped_and_counted() {
    let budget = PointBudget { instructions: Some(2_000), ..turns(200) };
    let explored = explore(POINTS, most(1_000_000), budget, false);
    assert_eq!(explored.stopped, None);
    assert_eq!(short_paths(&explored), 4, "{:?}", explored.ends);
    assert!(explored.dropped["point-budget"] > 10, "{:?}", explored.dropped);
}

#[test]
fn the_search_goes_towards_changes_that_nothing_has_reached() {
    for (steered, expected) in [(true, [true, true]), (false, [true, false])] {
        let explored = explore(STEERED, most(5_000), turns(500), steered);
        assert_eq!(explored.reached, expected, "steered: {steered}, {:?}", explored.ends);
    }
}

#[test]
fn nothing_is_executed_twice_however_short_the_turns_are() {
    let whole = explore(ROUNDS, most(1_000_000), turns(u64::MAX), false);
    assert_eq!((whole.stopped, short_paths(&whole)), (None, 4), "{:?}", whole.ends);
    for turn in [50, 333] {
        let explored = explore(ROUNDS, most(1_000_000), turns(turn), false);
        assert_eq!(explored.ends, whole.ends, "turns of {turn}");
        assert_eq!(explored.instructions, whole.instructions, "turns of {turn}");
    }
}
