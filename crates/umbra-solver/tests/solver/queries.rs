//! File tests: every `tests/queries/*.smt2`, by each backend alone and by the whole chain.
//!
//! A new test is a new file; its `:status` is the expectation.

use std::path::{Path, PathBuf};

use umbra_expr::{Evaluator, Expressions};
use umbra_solver::{
    BitBlaster, Config, Limits, Reason, RecordedQuery, Solver, Verdict, Z3, chain, query_text,
};

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/queries");
    let entries = std::fs::read_dir(folder).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn check(
    path: &Path,
    name: &str,
    solver: &mut dyn Solver,
    exprs: &mut Expressions,
    read: &RecordedQuery,
) {
    let query = read.query();
    let verdict = solver.check(exprs, &query).unwrap();
    let floats = query.terms().any(|term| exprs.contains_float(term));
    if name == "bit-blaster" && floats {
        assert_eq!(verdict, Verdict::Unknown(Reason::Unsupported), "{}", path.display());
        return;
    }
    let status = read.status.as_deref().expect("a query file has a status");
    assert_eq!(verdict.name(), status, "{} by {name}", path.display());
    if let Verdict::Sat(model) = verdict {
        let mut evaluator = Evaluator::new();
        let mut run = evaluator.run(exprs, &model);
        assert!(query.terms().all(|term| run.is_true(term)), "{} by {name}", path.display());
    }
}

#[test]
fn every_solver_gives_the_status_of_every_file() {
    let files = files();
    assert!(!files.is_empty());
    for path in &files {
        // Solvers belong to one table of expressions.
        let mut exprs = Expressions::new();
        let mut solvers: Vec<(&str, Box<dyn Solver>)> = vec![
            ("bit-blaster", Box::new(BitBlaster::new(Limits::default()))),
            ("z3", Box::new(Z3::new(Limits::default()))),
            ("chain", chain(Config::default())),
        ];
        let text = std::fs::read_to_string(path).unwrap();
        let read = RecordedQuery::parse(&mut exprs, &text)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for (name, solver) in &mut solvers {
            check(path, name, &mut **solver, &mut exprs, &read);
        }
        // What is written is read back to the same query.
        let status = read.status.as_deref().unwrap();
        let written = query_text(&mut exprs, &read.query(), status);
        assert_eq!(RecordedQuery::parse(&mut exprs, &written).unwrap(), read, "{}", path.display());
    }
}
