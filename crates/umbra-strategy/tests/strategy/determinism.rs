//! Equal runs are equal.

use umbra_strategy::{Config, Limits, Search, Stopped};

use crate::setting::{DIGITS, ENDLESS, SIZES, run};

fn sequence(text: &str, search: &Search, seed: u64, instructions: u64) -> Vec<String> {
    let config = || {
        let config = Config {
            search: search.clone(),
            seed,
            limits: Limits {
                instructions: Some(instructions),
                states: Some(100),
                ..Limits::default()
            },
            ..Config::default()
        };
        config.deterministic()
    };
    let outcome = run(text, 1, config);
    assert_ne!(outcome.stopped, Some(Stopped::Time));
    let mut sequence: Vec<String> = outcome.observers.into_iter().flat_map(|ends| ends.0).collect();
    let statistics = outcome.statistics;
    sequence.push(format!(
        "{} instructions, {} queries, {} infeasible, {:?} dropped",
        statistics.instructions, statistics.queries, statistics.infeasible, statistics.dropped
    ));
    sequence
}

#[test]
fn ten_runs_end_the_same_paths_in_the_same_order() {
    let default = Search::default();
    let short: Search =
        "nurs:md2u,random-path,nurs:covnew,batch:10".parse().expect("the names are right");
    for (text, search, instructions) in [
        (DIGITS, &default, 1_000),
        (DIGITS, &short, 300),
        (SIZES, &short, 250),
        (ENDLESS, &short, 3_000),
    ] {
        let first = sequence(text, search, 1, instructions);
        assert!(first.len() > 10, "{first:?}");
        for _ in 1..10 {
            assert_eq!(sequence(text, search, 1, instructions), first);
        }
    }
}

#[test]
fn another_seed_goes_another_way() {
    let search: Search = "random-path,batch:0".parse().expect("the name is right");
    let orders: std::collections::BTreeSet<Vec<String>> =
        (0..5).map(|seed| sequence(DIGITS, &search, seed, 100_000)).collect();
    assert!(orders.len() > 1);
}
