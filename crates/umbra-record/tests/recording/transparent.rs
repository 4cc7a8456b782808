//! Scripts do the same with and without shim.

use std::fs;
use std::path::Path;

use crate::workplace::{Probe, SOURCES, Workplace};

fn check(path: &Path, probe: Probe) {
    let script = fs::read_to_string(path).unwrap();
    let lines = script.split_inclusive('\n').filter(|line| !probe.lacks(line));
    let script: String = lines.collect();
    if script.is_empty() {
        return;
    }
    let (bare, recorded) = (Workplace::with(probe), Workplace::with(probe));
    let original = fs::read(recorded.program()).unwrap();
    bare.run(&script);
    let summary = recorded.record(&script);
    assert_eq!(recorded.result(), bare.result(), "{}", path.display());
    assert!(summary.invocations > 0, "{}", path.display());
    let accounted = summary.recorded + summary.incomplete.values().sum::<u64>();
    assert_eq!(summary.invocations, accounted, "{}", path.display());
    assert_eq!(summary.running_tracers, 0, "{}", path.display());
    assert!(fs::read(recorded.program()).unwrap() == original, "{}", path.display());
}

#[test]
fn scripts_notice_nothing() {
    let mut scripts: Vec<_> = fs::read_dir(Path::new(SOURCES).join("transparent"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    scripts.sort();
    assert!(!scripts.is_empty());
    for script in &scripts {
        check(script, Probe::Tracing);
        check(script, Probe::Filtered);
    }
}
