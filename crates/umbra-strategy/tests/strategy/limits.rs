//! Limits stop a run, and what they cost is counted.

use std::time::{Duration, Instant};

use umbra_strategy::{Config, DrainLimits, DrainTime, Limits, Search, Stopped};

use crate::setting::{Count, ENDLESS, HARD, TREE, counts, observe, run};

fn config(limits: Limits) -> impl Fn() -> Config {
    move || Config { limits: limits.clone(), search: Search::depth_first(), ..Config::default() }
}

#[test]
fn instructions_end_a_run_to_the_point() {
    // Slices of two workers that run at the same time are not told of each other.
    for (workers, most) in [(1, 10_100), (2, 20_000)] {
        let limits = Limits { instructions: Some(10_000), ..Limits::default() };
        let outcome = run(ENDLESS, workers, config(limits));
        assert_eq!(outcome.stopped, Some(Stopped::Instructions));
        let instructions = outcome.statistics.instructions;
        assert!((10_000..most).contains(&instructions), "{instructions}");
        // What waited at the end got an input, or was counted.
        let ended = counts(&outcome)["limit"] as u64;
        let dropped = outcome.statistics.dropped.get("end-of-run").copied().unwrap_or(0);
        let found = ended + dropped + outcome.statistics.infeasible;
        let forks: u64 = outcome.statistics.forks.values().sum();
        assert!(ended > 0);
        assert_eq!(found + outcome.statistics.unknown.values().sum::<u64>(), forks + 1);
    }
}

#[test]
fn time_ends_a_run_and_the_end_is_short() {
    let start = Instant::now();
    let limits = Limits { time: Some(Duration::from_millis(200)), ..Limits::default() };
    let outcome = run(ENDLESS, 2, config(limits));
    assert_eq!(outcome.stopped, Some(Stopped::Time));
    assert!(start.elapsed() < Duration::from_secs(10));
    assert!(outcome.statistics.paths() > 0);
}

#[test]
fn a_run_stops_when_it_is_told_to() {
    for reason in [Stopped::Interrupted, Stopped::Time, Stopped::Memory] {
        let limits = Limits::default();
        limits.control.stop(reason);
        let outcome = run(ENDLESS, 2, config(limits));
        assert_eq!(outcome.stopped, Some(reason));
        assert_eq!(outcome.statistics.instructions, 0);
    }
}

#[test]
fn sides_beyond_the_depth_are_dropped() {
    let outcome = run(TREE, 1, config(Limits { depth: Some(3), ..Limits::default() }));
    assert_eq!(outcome.stopped, None);
    assert_eq!(outcome.statistics.paths(), 8);
    assert_eq!(outcome.statistics.dropped["depth"], 24);
}

#[test]
fn beyond_the_forks_states_run_on_alone() {
    let outcome = run(TREE, 1, config(Limits { forks: Some(10), ..Limits::default() }));
    assert_eq!(outcome.stopped, None);
    assert_eq!(outcome.statistics.paths(), 11);
    assert!(outcome.statistics.dropped["forks"] > 0);
}

#[test]
fn paths_that_run_too_long_are_cut() {
    let limits = Limits { path_instructions: Some(100), depth: Some(2), ..Limits::default() };
    let outcome = run(ENDLESS, 1, config(limits));
    assert_eq!(outcome.stopped, None);
    assert_eq!(counts(&outcome)["limit"], 4);
}

#[test]
fn the_least_wanted_states_are_dropped() {
    let breadth: Search = "bfs".parse().expect("the name is right");
    let config = |limits: Limits| {
        let search = breadth.clone();
        move || Config { limits: limits.clone(), search: search.clone(), ..Config::default() }
    };
    let outcome = run(TREE, 1, config(Limits { states: Some(20), ..Limits::default() }));
    assert_eq!(outcome.stopped, None);
    let dropped = outcome.statistics.dropped["states"];
    assert!(dropped > 0 && outcome.statistics.paths() >= 18);
    assert!(outcome.statistics.peak_states <= 22, "{}", outcome.statistics.peak_states);
    assert!(outcome.statistics.paths() + dropped <= 64);

    let limits = Limits { memory: Some(500_000), instructions: Some(10_000), ..Limits::default() };
    let outcome = run(ENDLESS, 1, config(limits));
    assert_eq!(outcome.stopped, Some(Stopped::Instructions));
    assert!(outcome.statistics.dropped["memory"] > 100);

    let outcome = run(TREE, 1, config(Limits { memory: Some(100), ..Limits::default() }));
    assert_eq!(outcome.stopped, Some(Stopped::Memory));
}

#[test]
fn what_is_left_at_the_end_is_counted() {
    let none = DrainTime::Exactly(Duration::ZERO);
    // The state that ran when the run was stopped has an input; the others have to be asked.
    for (drain, expected) in [
        (Some(DrainLimits { queries: 3, ..DrainLimits::default() }), 4),
        (Some(DrainLimits { constraints: 3, ..DrainLimits::default() }), 3),
        (Some(DrainLimits { queries: 0, ..DrainLimits::default() }), 1),
        (Some(DrainLimits { time: Some(none), ..DrainLimits::default() }), 1),
        (None, 0),
    ] {
        let config = || Config {
            limits: Limits { instructions: Some(5_000), ..Limits::default() },
            drain,
            search: Search::depth_first(),
            ..Config::default()
        };
        let outcome = run(ENDLESS, 1, config);
        assert!(outcome.statistics.dropped["end-of-run"] > 100);
        let forks: u64 = outcome.statistics.forks.values().sum();
        assert_eq!(outcome.statistics.paths(), expected, "{drain:?}");
        assert_eq!(outcome.statistics.dropped["end-of-run"], forks + 1 - expected);
    }
}

#[test]
fn whoever_has_an_input_gets_a_test_at_the_end() {
    // Breadth first, every state that was woken waits again after its next fork.
    let search: Search = "bfs".parse().expect("the name is right");
    let config = || Config {
        limits: Limits { instructions: Some(2_000), ..Limits::default() },
        drain: Some(DrainLimits { queries: 0, ..DrainLimits::default() }),
        search: search.clone(),
        ..Config::default()
    };
    for workers in [1, 2] {
        let outcome = observe(ENDLESS, workers, config, Count::default);
        let statistics = &outcome.statistics;
        // Each state has an input but those that wait for their first turn: of every fork one side.
        let asked = statistics.queries + 1;
        let ended: u64 = outcome.observers.iter().map(|count| count.0).sum();
        assert!(ended > 20, "{statistics:?}");
        assert_eq!(ended, asked);
        let forks: u64 = statistics.forks.values().sum();
        assert_eq!(ended + statistics.dropped["end-of-run"], forks + 1);
    }
}

#[test]
fn a_hard_question_does_not_outlast_the_run() {
    let limits = Limits { time: Some(Duration::from_millis(300)), ..Limits::default() };
    let start = Instant::now();
    let outcome = run(HARD, 1, config(limits));
    // A question may take ten seconds otherwise, in each of two backends.
    assert!(start.elapsed() < Duration::from_secs(6), "{:?}", start.elapsed());
    assert_eq!(outcome.statistics.paths(), 1);
    assert_eq!(outcome.statistics.unknown.values().sum::<u64>(), 1);
}
