//! File tests of the SAT solver: every `tests/dimacs/*.cnf` has the status in its second line.

use std::path::Path;

use umbra_solver::{Answer, Budget, Dimacs, Literal, Sat};

#[test]
fn every_file_has_its_status() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dimacs");
    let mut sat = Sat::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let dimacs = Dimacs::parse(&text).unwrap();
        let expected = match text.lines().nth(1) {
            Some("c status sat") => Answer::Satisfied,
            Some("c status unsat") => Answer::Unsatisfied,
            other => panic!("{}: no status but {other:?}", path.display()),
        };
        sat.reset();
        dimacs.load(&mut sat);
        assert!(sat.assume(&[]));
        assert_eq!(sat.search_all(&Budget::default()), expected, "{}", path.display());
        if expected == Answer::Satisfied {
            let holds = |literal: &Literal| sat.value(*literal) == Some(true);
            assert!(dimacs.clauses.iter().all(|clause| clause.iter().any(holds)));
        }
    }
}
