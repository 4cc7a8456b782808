//! A run that goes on from a snapshot of itself ends as one that nobody disturbed: each path once.

use std::sync::{Mutex, PoisonError};

use umbra_strategy::{Again, Config, Journal, NotRemade, Observer, PathEnd, Search, Snapshot};

use crate::setting::{ASSUMED, DIGITS, SIZES, TREE, describe, go_on};

/// All that was written, each as text and with the paths that had ended before.
#[derive(Default)]
struct Notes {
    ends: Mutex<Vec<String>>,
    written: Mutex<Vec<(String, Vec<String>)>>,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Journal for Notes {
    fn write(&self, snapshot: Snapshot) {
        let text = serde_json::to_string(&snapshot).expect("it can be written");
        lock(&self.written).push((text, lock(&self.ends).clone()));
    }

    fn pace(&self, _: usize, _: u64) -> u64 {
        1
    }
}

/// Tells all workers' ends to one list.
struct Teller<'a>(&'a Notes);

impl Observer for Teller<'_> {
    fn path_ended(&mut self, end: PathEnd<'_>) {
        let end = describe(end);
        lock(&self.0.ends).push(end);
    }
}

fn sorted(mut ends: Vec<String>) -> Vec<String> {
    ends.sort();
    ends
}

/// Explores, and goes on from some of the snapshots; checks how paths end, and what is counted.
fn check(text: &str, search: &str, workers: usize, again: Option<Again>) -> usize {
    let search: Search = search.parse().expect("the name is right");
    let config = || Config { search: search.clone(), again, ..Config::default() };
    let notes = Notes::default();
    let all = go_on(text, workers, config, || Teller(&notes), (Some(&notes), None));
    let (ends, written) =
        (sorted(lock(&notes.ends).clone()), std::mem::take(&mut *lock(&notes.written)));
    let step = written.len().div_ceil(12).max(1);
    for (index, (text_of, before)) in written.iter().enumerate().step_by(step) {
        let snapshot: Snapshot = serde_json::from_str(text_of).expect("it can be read");
        assert!(snapshot.is_readable());
        let more = Notes::default();
        let rest = go_on(text, workers, config, || Teller(&more), (None, Some(snapshot)));
        let message = format!("{search}, {workers} workers, snapshot {index} of {}", written.len());
        assert_eq!(rest.not_resumed, None, "{message}");
        let together = [before.clone(), lock(&more.ends).clone()].concat();
        assert_eq!(sorted(together), ends, "{message}");
        assert_eq!(rest.statistics.ends, all.statistics.ends, "{message}");
        assert_eq!(rest.statistics.path_set, all.statistics.path_set, "{message}");
        assert_eq!(rest.statistics.instructions, all.statistics.instructions, "{message}");
        let (again, all_of_it) = (rest.statistics.remade, all.statistics.instructions);
        assert!(again <= all_of_it, "{again} of {all_of_it}: {message}");
        assert_eq!(rest.coverage.covered(), all.coverage.covered(), "{message}");
    }
    written.len()
}

#[test]
fn a_run_goes_on_from_any_snapshot() {
    let mut written = 0;
    for text in [TREE, DIGITS, SIZES, ASSUMED] {
        for search in ["dfs", "bfs", "random-path", "nurs:covnew,dfs,batch:7"] {
            for workers in [1, 2, 3] {
                written += check(text, search, workers, None);
            }
        }
        written += check(text, "bfs", 1, Some(Again::default()));
    }
    assert!(written > 200, "{written} snapshots");
}

#[test]
fn a_search_that_is_thrifty_has_little_to_do_again() {
    let most = |again: Option<Again>| {
        let config = || Config { search: Search::breadth_first(), again, ..Config::default() };
        let notes = Notes::default();
        go_on(TREE, 1, config, || Teller(&notes), (Some(&notes), None));
        let written = std::mem::take(&mut *lock(&notes.written));
        let states = |(text, _): &(String, Vec<String>)| {
            serde_json::from_str::<Snapshot>(text).expect("it can be read").states.len()
        };
        written.iter().map(states).max().unwrap_or_default()
    };
    // Each of the six branches of a path has one state that waits.
    assert!(most(Some(Again::default())) <= 7, "{}", most(Some(Again::default())));
    assert!(most(None) > 20, "{}", most(None));
}

#[test]
fn a_changed_snapshot_is_refused() {
    let notes = Notes::default();
    let config = || Config { search: Search::breadth_first(), ..Config::default() };
    go_on(TREE, 1, config, || Teller(&notes), (Some(&notes), None));
    let written = lock(&notes.written);
    let (text, _) = &written[written.len() / 2];
    // The states come last, each in hexadecimal digits; this is the last one.
    let start = text.trim_end_matches("\"]}").rfind('"').expect("there is a state") + 1;
    let (mut unreadable, mut elsewhere) = (0, 0);
    for at in start..text.len() - 3 {
        let digit = if &text[at..=at] == "0" { "1" } else { "0" };
        let changed = format!("{}{digit}{}", &text[..at], &text[at + 1..]);
        let snapshot: Snapshot = serde_json::from_str(&changed).expect("it is still JSON");
        let more = Notes::default();
        let rest = go_on(TREE, 1, config, || Teller(&more), (None, Some(snapshot)));
        // Some things are only for the searcher.
        let Some(refused) = rest.not_resumed else { continue };
        match refused {
            NotRemade::Unreadable => unreadable += 1,
            NotRemade::NoStart(_) | NotRemade::Elsewhere | NotRemade::Ended(_) => elsewhere += 1,
        }
        assert!(lock(&more.ends).is_empty(), "nothing is explored");
    }
    assert!(unreadable > 5 && elsewhere > 5, "{unreadable} unreadable, {elsewhere} elsewhere");
}
