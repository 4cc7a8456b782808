//! Paths of thousands of branches: work and room grow with them, but not with their square.

use rustix::time::{ClockId, clock_gettime};
use umbra_strategy::{Config, DrainLimits, Limits, Search};

use crate::setting::{Count, ENDLESS, INDEPENDENT, observe, run};

/// Processor time of this thread, on which the only worker runs.
fn seconds() -> f64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}

/// The time that a path of so many instructions takes, with an input for each of its other sides.
fn time(search: &Search, instructions: u64) -> f64 {
    let config = || Config {
        limits: Limits { instructions: Some(instructions), ..Limits::default() },
        drain: Some(DrainLimits { time: None, queries: u64::MAX, constraints: u64::MAX }),
        search: search.clone(),
        ..Config::default()
    };
    let start = seconds();
    let outcome = observe(INDEPENDENT, 1, config, Count::default);
    let time = seconds() - start;
    let forks = outcome.statistics.forks["branch"];
    assert!(forks >= instructions / 3);
    assert_eq!(outcome.observers[0].0, forks + 1);
    time
}

#[test]
fn four_times_as_many_branches_take_about_four_times_as_long() {
    for search in [Search::depth_first(), Search::default()] {
        let (short, long) = (time(&search, 5_000), time(&search, 20_000));
        assert!(long < 10.0 * short, "{short:.3} s, but {long:.3} s for four times as much");
    }
}

#[test]
fn states_on_a_long_path_take_little_room_each() {
    let config = || Config {
        limits: Limits { instructions: Some(50_000), memory: Some(64 << 20), ..Limits::default() },
        drain: None,
        search: Search::depth_first(),
        ..Config::default()
    };
    let outcome = run(ENDLESS, 1, config);
    assert!(outcome.statistics.peak_states > 10_000);
    assert_eq!(outcome.statistics.dropped.get("memory"), None);
}
