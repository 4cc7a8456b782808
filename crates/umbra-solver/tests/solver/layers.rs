//! Each layer on its own, over solvers that say what the test wants them to.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use umbra_expr::{ArrayId, Assignment, ExprId, Expressions};
use umbra_solver::{
    BitBlaster, Cache, Config, Error, Fallback, Independence, LayerStatistics, Limits, Models,
    Query, Reason, RecordedQuery, RunLimits, Simplify, Solver, Validate, Verdict, Z3, chain,
    folder_recorder,
};

/// Passes queries to the bit-blaster and tells about them.
struct Spy {
    backend: BitBlaster,
    asked: mpsc::Sender<(Vec<ExprId>, ExprId)>,
}

impl Solver for Spy {
    fn check(&mut self, exprs: &mut Expressions, query: &Query<'_>) -> Result<Verdict, Error> {
        self.asked.send((query.constraints.to_vec(), query.goal)).unwrap();
        self.backend.check(exprs, query)
    }
}

fn spy() -> (Spy, mpsc::Receiver<(Vec<ExprId>, ExprId)>) {
    let (asked, heard) = mpsc::channel();
    (Spy { backend: BitBlaster::new(Limits::default()), asked }, heard)
}

/// Always says the same.
struct Fixed(Verdict);

impl Solver for Fixed {
    fn check(&mut self, _: &mut Expressions, _: &Query<'_>) -> Result<Verdict, Error> {
        Ok(self.0.clone())
    }
}

/// A table with an input of eight bytes and some conditions on it.
struct Bench {
    exprs: Expressions,
    input: ArrayId,
}

impl Bench {
    fn new() -> Self {
        let mut exprs = Expressions::new();
        let input = exprs.input("in", 8);
        Self { exprs, input }
    }

    fn byte(&mut self, offset: u32) -> ExprId {
        self.exprs.byte(self.input, offset)
    }

    fn is(&mut self, offset: u32, value: u64) -> ExprId {
        let (byte, value) = (self.byte(offset), self.exprs.constant(8, value));
        self.exprs.eq(byte, value)
    }

    fn below(&mut self, offset: u32, value: u64) -> ExprId {
        let (byte, value) = (self.byte(offset), self.exprs.constant(8, value));
        self.exprs.ult(byte, value)
    }

    /// The sum of two bytes is the value.
    fn sum(&mut self, a: u32, b: u32, value: u64) -> ExprId {
        let (a, b) = (self.byte(a), self.byte(b));
        let (sum, value) = (self.exprs.add(a, b), self.exprs.constant(8, value));
        self.exprs.eq(sum, value)
    }
}

#[test]
fn only_the_part_of_the_goal_is_asked() {
    let mut bench = Bench::new();
    let (near, linked) = (bench.below(0, 9), bench.sum(0, 1, 77));
    let far = bench.below(5, 7);
    let goal = bench.below(1, 71);
    let (spy, heard) = spy();
    let mut solver = Validate::new(Independence::new(spy));
    let mut hint = Assignment::new();
    hint.set_bytes(bench.input, &[8, 69, 0, 0, 0, 3, 0, 9]);
    let constraints = [near, far, linked];
    let query = Query::new(&constraints, goal).with_hint(&hint);
    let Verdict::Sat(model) = solver.check(&mut bench.exprs, &query).unwrap() else {
        panic!("the query is satisfiable")
    };
    assert_eq!(heard.try_iter().collect::<Vec<_>>(), [(vec![near, linked], goal)]);
    assert_eq!((model.get(bench.input, 5), model.get(bench.input, 7)), (3, 9), "not the hint's");
}

#[test]
fn parts_that_the_hint_violates_are_asked_on_their_own() {
    let mut bench = Bench::new();
    let (far, goal) = (bench.is(5, 200), bench.is(0, 3));
    let (spy, heard) = spy();
    let mut solver = Validate::new(Independence::new(spy));
    let verdict = solver.check(&mut bench.exprs, &Query::new(&[far], goal)).unwrap();
    assert!(verdict.is_sat());
    assert_eq!(heard.try_iter().collect::<Vec<_>>(), [(vec![], goal), (vec![], far)]);
    // A part that cannot hold makes the whole contradictory.
    let other = bench.is(5, 201);
    let verdict = solver.check(&mut bench.exprs, &Query::new(&[far, other], goal)).unwrap();
    let mut core = vec![far, other];
    core.sort_unstable();
    assert_eq!(verdict, Verdict::Unsat(core));
}

#[test]
fn goals_are_simplified_by_the_path() {
    let mut bench = Bench::new();
    let (fixed, low) = (bench.is(0, 5), bench.below(1, 9));
    let constraints = [fixed, low];
    let (spy, heard) = spy();
    let mut solver = Simplify::new(spy);
    // Decided without asking; the core is what decided it.
    let goal = bench.is(0, 6);
    let verdict = solver.check(&mut bench.exprs, &Query::new(&constraints, goal)).unwrap();
    let mut core = vec![fixed, goal];
    core.sort_unstable();
    assert_eq!(verdict, Verdict::Unsat(core));
    assert_eq!(heard.try_iter().count(), 0);
    // A byte with a known value is gone from the goal, and is back in the core.
    let goal = bench.sum(0, 1, 200);
    let verdict = solver.check(&mut bench.exprs, &Query::new(&constraints, goal)).unwrap();
    let mut core = vec![fixed, low, goal];
    core.sort_unstable();
    assert_eq!(verdict, Verdict::Unsat(core));
    let asked: Vec<_> = heard.try_iter().collect();
    assert_eq!(asked, [(constraints.to_vec(), bench.is(1, 195))]);
    // The opposite of a constraint.
    let goal = bench.exprs.not(low);
    let verdict = solver.check(&mut bench.exprs, &Query::new(&constraints, goal)).unwrap();
    assert!(verdict.is_unsat());
    assert_eq!(heard.try_iter().count(), 0);
}

#[test]
fn the_hint_comes_before_recent_models() {
    let mut bench = Bench::new();
    let goal = bench.below(0, 9);
    let (spy, heard) = spy();
    let mut solver = Models::new(spy);
    let mut hint = Assignment::new();
    hint.set(bench.input, 0, 4);
    let query = Query::new(&[], goal).with_hint(&hint);
    assert_eq!(solver.check(&mut bench.exprs, &query).unwrap(), Verdict::Sat(hint.clone()));
    assert_eq!(heard.try_iter().count(), 0);
    // The hint does not help here; the model of the first question helps with the second.
    let (first, second) = (bench.is(0, 100), bench.below(0, 101));
    hint.set(bench.input, 0, 200);
    for goal in [first, second] {
        let query = Query::new(&[], goal).with_hint(&hint);
        assert!(solver.check(&mut bench.exprs, &query).unwrap().is_sat());
    }
    assert_eq!(heard.try_iter().count(), 1);
}

#[test]
fn the_cache_knows_subsets_and_supersets() {
    let mut bench = Bench::new();
    let terms: Vec<ExprId> = (0..4).map(|offset| bench.is(offset, 40)).collect();
    let contradiction = bench.is(0, 41);
    let (spy, heard) = spy();
    let mut solver = Cache::new(spy);
    let mut ask = |constraints: &[ExprId], goal: ExprId| {
        let verdict = solver.check(&mut bench.exprs, &Query::new(constraints, goal)).unwrap();
        (verdict.is_sat(), heard.try_iter().count())
    };
    assert_eq!(ask(&terms, terms[3]), (true, 1));
    assert_eq!(ask(&terms[1..2], terms[3]), (true, 0), "contained in one with a model");
    assert_eq!(ask(&terms[..2], contradiction), (false, 1));
    assert_eq!(ask(&[terms[0], terms[2]], contradiction), (false, 0), "contains a core");
    assert_eq!(ask(&terms[1..], contradiction), (true, 1));
}

#[test]
fn wrong_models_are_errors() {
    let mut bench = Bench::new();
    let goal = bench.is(0, 1);
    let mut solver = Validate::new(Fixed(Verdict::Sat(Assignment::new())));
    let error = solver.check(&mut bench.exprs, &Query::new(&[], goal)).unwrap_err();
    assert!(matches!(error, Error::WrongModel { term } if term == goal), "{error}");
    let byte = bench.byte(0);
    let error = solver.check(&mut bench.exprs, &Query::new(&[byte], goal)).unwrap_err();
    assert!(matches!(error, Error::NotACondition { term } if term == byte), "{error}");
}

#[test]
fn a_wrong_unsat_is_found_by_the_second_backend() {
    let mut bench = Bench::new();
    let goal = bench.is(0, 1);
    let wrong = Fixed(Verdict::Unsat(vec![goal]));
    let mut solver = Fallback::new(wrong, Z3::new(Limits::default()), NonZeroU32::new(3));
    let mut errors = Vec::new();
    for _ in 0..6 {
        errors.push(solver.check(&mut bench.exprs, &Query::new(&[], goal)).is_err());
    }
    assert_eq!(errors, [false, false, true, false, false, true]);
}

/// A query that takes long search: the factors of a prime.
fn hard(bench: &mut Bench) -> ExprId {
    let word = |bench: &mut Bench, first: u32| {
        let (low, high) = (bench.byte(first), bench.byte(first + 1));
        let word = bench.exprs.concat(high, low);
        bench.exprs.zext(word, 32)
    };
    let (x, y) = (word(bench, 0), word(bench, 2));
    let product = bench.exprs.mul(x, y);
    let prime = bench.exprs.constant(32, 2_147_483_659);
    bench.exprs.eq(product, prime)
}

#[test]
fn limits_leave_an_unknown_and_a_usable_solver() {
    let mut bench = Bench::new();
    let goal = hard(&mut bench);
    let hard = Query::new(&[], goal);
    let easy = bench.below(0, 9);
    let conflicts = Limits { conflicts: Some(10), ..Limits::default() };
    let time = Limits { time: Some(Duration::from_millis(50)), ..Limits::default() };
    let work = Limits { work: Some(20_000), ..Limits::default() };
    let mut solvers: Vec<(Box<dyn Solver>, Reason)> = vec![
        (Box::new(BitBlaster::new(conflicts)), Reason::Conflicts),
        (Box::new(BitBlaster::new(time.clone())), Reason::Time),
        (Box::new(Z3::new(time)), Reason::Time),
        (Box::new(Z3::new(work)), Reason::Conflicts),
    ];
    for (solver, reason) in &mut solvers {
        let start = Instant::now();
        let verdict = solver.check(&mut bench.exprs, &hard).unwrap();
        assert_eq!(verdict, Verdict::Unknown(*reason));
        assert!(start.elapsed() < Duration::from_secs(10), "{reason:?}");
        let verdict = solver.check(&mut bench.exprs, &Query::new(&[], easy)).unwrap();
        assert!(verdict.is_sat(), "not usable after {reason:?}");
    }
}

#[test]
fn what_is_too_hard_for_the_first_is_asked_of_the_second() {
    let mut bench = Bench::new();
    let (low, product) = {
        let (a, b) = (bench.byte(0), bench.byte(1));
        let (a, b) = (bench.exprs.zext(a, 16), bench.exprs.zext(b, 16));
        let product = bench.exprs.mul(a, b);
        let value = bench.exprs.constant(16, 43 * 47);
        (bench.below(0, 45), bench.exprs.eq(product, value))
    };
    let limits = Limits { conflicts: Some(0), ..Limits::default() };
    let mut solver = Fallback::new(BitBlaster::new(limits), Z3::new(Limits::default()), None);
    let verdict = solver.check(&mut bench.exprs, &Query::new(&[low], product)).unwrap();
    assert!(verdict.is_sat());
    let mut layers: Vec<LayerStatistics> = Vec::new();
    solver.report(&mut layers);
    let counts: Vec<_> =
        layers.iter().map(|layer| (layer.name, layer.sat, layer.unknown)).collect();
    assert_eq!(counts, [("bit-blaster", 0, 1), ("cross-check", 0, 0), ("z3", 1, 0)]);
}

#[test]
fn a_run_ends_when_its_time_is_spent_or_someone_says_so() {
    let mut bench = Bench::new();
    let goal = bench.below(0, 9);
    let query = Query::new(&[], goal);
    let spent = Limits { run_time: Some(Duration::ZERO), ..Limits::default() };
    let mut solver = RunLimits::new(BitBlaster::new(Limits::default()), spent);
    let verdict = solver.check(&mut bench.exprs, &query).unwrap();
    assert_eq!(verdict, Verdict::Unknown(Reason::RunTime));
    let over = Limits { deadline: Some(Instant::now()), ..Limits::default() };
    let mut solver = RunLimits::new(BitBlaster::new(Limits::default()), over);
    let verdict = solver.check(&mut bench.exprs, &query).unwrap();
    assert_eq!(verdict, Verdict::Unknown(Reason::RunTime));
    let stop = Arc::new(AtomicBool::new(false));
    let limits = Limits { stop: Some(stop.clone()), ..Limits::default() };
    let mut solver = RunLimits::new(BitBlaster::new(limits.clone()), limits);
    assert!(solver.check(&mut bench.exprs, &query).unwrap().is_sat());
    stop.store(true, Ordering::Relaxed);
    let verdict = solver.check(&mut bench.exprs, &query).unwrap();
    assert_eq!(verdict, Verdict::Unknown(Reason::Stopped));
}

#[test]
fn logged_queries_can_be_asked_again() {
    let mut bench = Bench::new();
    let (low, goal) = (bench.below(0, 9), bench.sum(0, 1, 77));
    let (sender, entries) = mpsc::channel();
    let recorder = Box::new(move |entry| {
        sender.send(entry).map_err(|_| std::io::Error::from(std::io::ErrorKind::BrokenPipe))
    });
    let mut solver = chain(Config { log: Some(recorder), ..Config::default() });
    let mut hint = Assignment::new();
    hint.set(bench.input, 7, 3);
    let query_hint = hint.clone();
    let constraints = [low];
    let query = Query::new(&constraints, goal).with_hint(&query_hint);
    assert!(solver.check(&mut bench.exprs, &query).unwrap().is_sat());
    let entry = entries.try_recv().unwrap();
    assert_eq!((entry.number, entry.verdict), (0, "sat"));
    let read = RecordedQuery::parse(&mut bench.exprs, &entry.text).unwrap();
    let status = Some("sat".to_owned());
    let constraints = constraints.to_vec();
    assert_eq!(read, RecordedQuery { constraints, goal, hint: Some(hint), status });
}

#[test]
fn a_folder_holds_a_file_per_query() {
    let mut bench = Bench::new();
    let (low, goal) = (bench.below(0, 9), bench.is(0, 9));
    let folder = tempfile::tempdir().unwrap();
    let log = Some(folder_recorder(&folder.path().join("queries"), "").unwrap());
    let mut solver = chain(Config { log, ..Config::default() });
    for constraints in [&[][..], &[low]] {
        solver.check(&mut bench.exprs, &Query::new(constraints, goal)).unwrap();
    }
    for (name, status) in [("q0000000.smt2", "sat"), ("q0000001.smt2", "unsat")] {
        let text = std::fs::read_to_string(folder.path().join("queries").join(name)).unwrap();
        let read = RecordedQuery::parse(&mut bench.exprs, &text).unwrap();
        assert_eq!((read.goal, read.status.as_deref()), (goal, Some(status)));
    }
}

/// Reads at an unknown index in something too large to be laid out.
#[test]
fn too_large_is_said_so() {
    let mut exprs = Expressions::new();
    let (file, index) = (exprs.input("file", 1 << 20), exprs.input("index", 4));
    let mut at = exprs.byte(index, 0);
    for offset in 1..4 {
        let byte = exprs.byte(index, offset);
        at = exprs.concat(byte, at);
    }
    let at = exprs.zext(at, 64);
    let start = exprs.array_start(file);
    let byte = exprs.read(start, at);
    let value = exprs.constant(8, 7);
    let goal = exprs.eq(byte, value);
    let verdict = chain(Config::default()).check(&mut exprs, &Query::new(&[], goal)).unwrap();
    assert_eq!(verdict, Verdict::Unknown(Reason::TooLarge));
}
