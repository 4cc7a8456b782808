//! However many workers there are and whatever they search by, they find the same paths.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use umbra_engine::Shared;
use umbra_strategy::{Config, Control, Limits, Observer, PathEnd, Search, Statistics, Stopped};

use crate::setting::{DIGITS, ENDLESS, SIZES, TREE, counts, observe, run};

fn check(text: &str, expected: &[(&str, usize)]) {
    let expected: BTreeMap<String, usize> =
        expected.iter().map(|&(end, count)| (end.to_owned(), count)).collect();
    for search in
        ["dfs", "bfs", "random-path", "nurs:covnew", "nurs:md2u", "dfs,bfs,batch:20", "batch:7"]
    {
        let search: Search = search.parse().expect("the name is right");
        for workers in [1, 2, 4] {
            let config = || Config { search: search.clone(), ..Config::default() };
            let outcome = run(text, workers, config);
            assert_eq!(counts(&outcome), expected, "{search} with {workers} workers");
            assert_eq!(outcome.stopped, None);
            assert_eq!(outcome.observers.len(), workers);
            let paths: usize = expected.values().sum();
            assert_eq!(outcome.statistics.paths(), paths as u64);
            assert_eq!(outcome.statistics.dropped, BTreeMap::new());
            assert_eq!(outcome.statistics.unknown, BTreeMap::new());
        }
    }
}

#[test]
fn every_side_of_independent_branches_is_found() {
    check(
        TREE,
        &[
            ("exited 0", 1),
            ("exited 1", 6),
            ("exited 2", 15),
            ("exited 3", 20),
            ("exited 4", 15),
            ("exited 5", 6),
            ("exited 6", 1),
        ],
    );
}

#[test]
fn branches_checks_and_switches_on_one_text() {
    // One path for each of the six lengths of numbers below 120 and within the table; the error for
    // lengths of three and more, and for these also each side of the switch that numbers of
    // the length have: 777 and 7777 go to one block, and only five digits make 12345.
    check(
        DIGITS,
        &[
            ("error out-of-bounds-read", 3),
            ("exited 1", 6),
            ("exited 7", 3),
            ("exited 8", 1),
            ("exited 9", 3),
        ],
    );
}

#[test]
fn inputs_of_one_name_and_several_sizes() {
    // For each of the two sizes of the input, objects of 0 to 19 bytes: the first four are too
    // small for the store, the next seven take one branch, the last nine the other.
    check(SIZES, &[("error out-of-bounds-write", 8), ("exited 1", 18), ("exited 2", 14)]);
}

/// Stops the run as soon as every worker has run something.
struct Roll<'a> {
    present: &'a [AtomicBool],
    worker: usize,
    stop: &'a AtomicBool,
}

impl Observer for Roll<'_> {
    fn path_ended(&mut self, _: PathEnd<'_>) {}

    fn progress(&mut self, statistics: &Statistics, _: &Shared, _: usize) {
        if statistics.instructions > 0 {
            self.present[self.worker].store(true, Ordering::Relaxed);
        }
        if self.present.iter().all(|present| present.load(Ordering::Relaxed)) {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

#[test]
fn every_worker_gets_something_to_do() {
    for workers in [2, 4] {
        let present: Vec<AtomicBool> = (0..workers).map(|_| AtomicBool::new(false)).collect();
        let control = Control::default();
        let (next, config) = (AtomicUsize::new(0), || Config {
            limits: Limits { control: control.clone(), ..Limits::default() },
            drain: None,
            ..Config::default()
        });
        let outcome = observe(ENDLESS, workers, config, || Roll {
            present: &present,
            worker: next.fetch_add(1, Ordering::Relaxed),
            stop: control.flag(),
        });
        assert_eq!(outcome.stopped, Some(Stopped::Interrupted));
        assert_eq!(outcome.worker_instructions.len(), workers);
        let instructions = &outcome.worker_instructions;
        assert!(instructions.iter().all(|count| *count > 0), "{instructions:?}");
        assert_eq!(instructions.iter().sum::<u64>(), outcome.statistics.instructions);
    }
}
