//! From the points where two versions part: they take turns, and the search goes towards changes
//! that nothing has reached.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use umbra_engine::{
    Image, Inputs, Limits as StateLimits, Memory, NoSystem, Path, Process, Shared, State,
    UninitialisedReads,
};
use umbra_expr::Assignment;
use umbra_strategy::{
    Config, FollowLimits, Limits, Observer, PathEnd, PointBudget, Pruner, Search, Searches,
    Stopped, Terrain, Worker,
};
use umbra_words::Phase;

use crate::setting::{AROUND, ASSUMED, Ends, LEADING, POINTS, ROUNDS, STEERED, parse, run};

/// What came of it.
struct Explored {
    stopped: Option<Stopped>,
    /// How many paths ended in each way.
    ends: BTreeMap<String, usize>,
    /// How the paths that stand for points ended, in order.
    points: Vec<String>,
    /// The phases that something was explored in, in order.
    phases: Vec<&'static str>,
    dropped: BTreeMap<&'static str, u64>,
    /// Sides around that were not explored.
    around: u64,
    instructions: u64,
    /// Whether each change was reached, in order.
    reached: Vec<bool>,
}

/// Keeps how paths of the new version ended, and apart from all those that stand for points. The old
/// version, which is followed on each of them after that, is left out.
#[derive(Default)]
struct Told {
    ends: Ends,
    points: Vec<String>,
    phases: Vec<&'static str>,
}

impl Observer for Told {
    fn phase(&mut self, phase: Phase) {
        self.phases.push(phase.name());
        self.phases.dedup();
    }

    fn path_ended(&mut self, end: PathEnd<'_>) {
        if end.state.new_end().is_none() {
            self.ends.path_ended(end);
        }
    }

    fn point_ended(&mut self, phase: Phase, end: PathEnd<'_>) {
        if end.state.new_end().is_some() {
            return;
        }
        let asked = end.state.path.inputs().newest_first().count();
        self.path_ended(end);
        let how = self.ends.0.last().cloned().unwrap_or_default();
        self.points.push(format!("{}: {how}, {asked} inputs", phase.name()));
    }
}

/// With this limit, time runs out after the input was followed; then there is as much again.
const HOUR: Duration = Duration::from_secs(3600);

fn most(instructions: u64) -> Limits {
    Limits { instructions: Some(instructions), ..Limits::default() }
}

/// Follows the input zero through both versions and explores from the points within limits; whether
/// the search goes towards changes that are not on the way of the input.
fn explore(text: &str, within: Limits, budget: PointBudget, steered: bool) -> Explored {
    explore_beside(text, FollowLimits::default(), within, budget, steered)
}

/// The same, with limits on what is taken up beside the input.
fn explore_beside(
    text: &str,
    beside: FollowLimits,
    within: Limits,
    budget: PointBudget,
    steered: bool,
) -> Explored {
    let limits = StateLimits::default();
    let mut memory = Memory::new(limits.memory, UninitialisedReads::Zero);
    let image = Image::new(Arc::new(parse(text)), &mut memory, Inputs::Symbolic);
    let mut state = State::new(memory, Box::new(NoSystem), limits);
    let mut shared = Shared::new(&image);
    state.run_both_versions(&image, &mut shared);
    let config = Config { limits: within.clone(), drain: None, ..Config::default() };
    let mut worker = Worker::new(&image, shared, state, config);
    let mut told = Told::default();
    let path = Path::new(Assignment::new());
    let followed = worker.follow(&Process::default(), path, beside, &mut told);
    let changes: Vec<u32> = image.changes().into_iter().map(|(_, target)| target).collect();
    let known = worker.shared().coverage.clone();
    let unreached: Vec<u32> =
        changes.iter().filter(|change| !known.is_covered(**change)).copied().collect();
    let terrain = steered.then(|| Arc::new(Terrain::to_blocks(&image, &unreached)));
    let points = if steered { Search::steered() } else { Search::breadth_first() };
    let pruner = Pruner::new(&image.program).ok().map(Arc::new);
    let searches = Searches { points, around: Search::around(), terrain, pruner };
    let mut open = worker.open(followed, &searches);
    if within.time == Some(HOUR) {
        worker.allow(Duration::ZERO);
        let stopped = worker.explore_open(&mut open, &budget, &mut told);
        assert_eq!((stopped, open.is_done()), (Some(Stopped::Time), false));
        worker.allow(HOUR);
    }
    let stopped = worker.explore_open(&mut open, &budget, &mut told);
    assert_eq!(open.is_done(), stopped.is_none());
    worker.close(open, &mut told);
    let mut counts = BTreeMap::new();
    for end in told.ends.0 {
        *counts.entry(end).or_default() += 1;
    }
    let coverage = &worker.shared().coverage;
    Explored {
        stopped,
        ends: counts,
        points: told.points,
        phases: told.phases,
        dropped: worker.statistics().dropped.clone(),
        around: worker.statistics().around,
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
        // Half of it goes to the first path, which has no end. 10,200 instructions are enough, 10,000 would
        // be if the old version were not followed as well.
        let explored = explore(STEERED, most(11_000), turns(500), steered);
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
        assert_eq!(explored.points.len(), 2, "turns of {turn}: {:?}", explored.points);
    }
}

#[test]
fn a_comparison_runs_no_more_than_both_versions_alone_need() {
    // Both versions go together up to the points; from there the paths are those of the new one, and the
    // old one is followed on each.
    let alone = run(ROUNDS, 1, Config::default);
    let near = explore(ROUNDS, most(1_000_000), turns(u64::MAX), false);
    assert_eq!((alone.stopped, near.stopped), (None, None));
    // Behind the first point the old one has 7 instructions on each of 4 paths, behind the second one 1 on
    // each of 64: it starts at the point for each, so what its paths have in common runs again.
    assert_eq!(near.instructions, alone.statistics.instructions + 4 * 7 + 64);
    assert_eq!(near.ends.values().sum::<usize>() as u64, alone.statistics.paths());
}

#[test]
fn the_path_of_a_points_own_input_stands_for_it() {
    let explored = explore(ROUNDS, most(1_000_000), turns(u64::MAX), false);
    // Zero for all that is asked for after the point: six rounds after the first, one question
    // after the second.
    let expected = ["concolic: exited 1, 8 inputs", "concolic: exited 10, 2 inputs"];
    assert_eq!(explored.points, expected);
}

#[test]
fn a_point_without_a_budget_ends_where_the_versions_part() {
    for budget in [
        PointBudget { instructions: Some(0), ..turns(200) },
        PointBudget { time: Some(Duration::ZERO), ..turns(200) },
    ] {
        let explored = explore(ROUNDS, most(1_000_000), budget, false);
        assert_eq!(explored.points, ["concolic: limit, 2 inputs", "concolic: limit, 1 inputs"]);
        assert_eq!(explored.stopped, None);
        assert_eq!(explored.dropped, BTreeMap::new(), "a point is its only state");
    }
}

#[test]
fn a_run_that_is_over_still_tells_of_its_points() {
    let explored = explore(ROUNDS, most(30), turns(10), false);
    assert_eq!(explored.stopped, Some(Stopped::Instructions));
    assert_eq!(explored.points.len(), 2, "{:?}", explored.points);
    assert!(explored.points.iter().any(|point| point.contains("limit")), "{:?}", explored.points);
}

#[test]
fn a_first_path_without_end_leaves_half_of_the_budget_to_the_others() {
    let budget = PointBudget { instructions: Some(2_000), ..turns(u64::MAX) };
    let explored = explore(LEADING, most(1_000_000), budget, false);
    assert_eq!(explored.points, ["concolic: limit, 2 inputs"]);
    assert_eq!(explored.ends["exited 2"], 1, "{:?}", explored.ends);
    // Without a budget the others come after some turns.
    let explored = explore(LEADING, most(5_000), turns(100), false);
    assert_eq!(explored.points, ["concolic: limit, 2 inputs"]);
    assert_eq!(explored.ends["exited 2"], 1, "{:?}", explored.ends);
}

#[test]
fn an_input_that_is_not_to_be_run_does_not_stand_for_a_point() {
    let explored = explore(ASSUMED, most(1_000_000), turns(200), false);
    assert_eq!(explored.ends["excluded"], 1, "{:?}", explored.ends);
    assert_eq!(explored.points.len(), 1, "{:?}", explored.points);
    assert!(explored.points[0].starts_with("concolic: exited"), "{:?}", explored.points);
    assert_eq!(explored.ends["exited 2"] + explored.ends["exited 3"], 2, "{:?}", explored.ends);
}

#[test]
fn what_is_around_a_test_is_explored_beside_its_points() {
    let around = FollowLimits { around: 100, ..FollowLimits::default() };
    let explored = explore_beside(AROUND, around, most(10_000), turns(200), false);
    assert_eq!(explored.stopped, None);
    assert_eq!(explored.reached, [true]);
    assert!(explored.phases.contains(&"around"), "{:?}", explored.phases);
    // The test itself, the other side of its branch, and the new version's way from where they part.
    let ends = |status: u32| explored.ends.get(&format!("exited {status}")).copied();
    assert_eq!([ends(0), ends(1), ends(2)], [Some(2), None, Some(1)], "{:?}", explored.ends);
    assert_eq!((explored.around, explored.dropped), (0, BTreeMap::new()));
}

#[test]
fn what_is_left_when_time_runs_out_is_gone_on_with() {
    let around = FollowLimits { around: 100, ..FollowLimits::default() };
    for text in [ROUNDS, AROUND] {
        let whole = explore_beside(text, around, most(1_000_000), turns(50), false);
        let within = Limits { time: Some(HOUR), ..most(1_000_000) };
        let parts = explore_beside(text, around, within, turns(50), false);
        assert_eq!((parts.stopped, &parts.ends), (None, &whole.ends));
        assert_eq!(parts.instructions, whole.instructions);
        assert_eq!(parts.points, whole.points);
    }
}

#[test]
fn what_is_around_a_test_is_counted_where_there_is_no_budget_for_it() {
    let explored = explore(AROUND, most(10_000), turns(200), false);
    assert_eq!((explored.reached, explored.around), (vec![false], 0), "nobody asked for it");
    let around = FollowLimits { around: 100, ..FollowLimits::default() };
    let budget = PointBudget { around: Some(0), ..turns(200) };
    let explored = explore_beside(AROUND, around, most(10_000), budget, false);
    assert_eq!((explored.reached, explored.around), (vec![false], 1));
    // What there is no end to is not said to be left out.
    assert_eq!((explored.stopped, explored.dropped), (None, BTreeMap::new()));
    let none = FollowLimits { around: 1, ..FollowLimits::default() };
    let explored = explore_beside(ROUNDS, none, most(1_000_000), turns(u64::MAX), false);
    assert_eq!(explored.around, 0, "the versions take no branch together");
}
