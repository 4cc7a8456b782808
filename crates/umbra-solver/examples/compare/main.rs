//! Our backend, Z3 and the chain over the same queries, in the same run.
//!
//! `cargo run --release -p umbra-solver --example compare` runs the generated workloads;
//! with folders of recorded queries (`*.smt2`) as arguments it runs those. Times are thread CPU
//! time. Every answer is compared, every model evaluated.

mod workloads;

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use umbra_expr::{Assignment, Evaluator, ExprId, Expressions};
use umbra_solver::{
    BitBlaster, Cache, Config, Independence, LayerStatistics, Limits, Models, Query, Simplify,
    Solver, Verdict, Z3, chain,
};

/// A query that can be asked again.
struct Recorded {
    constraints: Vec<ExprId>,
    goal: ExprId,
    hint: Option<Assignment>,
}

impl Recorded {
    fn query(&self) -> Query<'_> {
        Query { constraints: &self.constraints, goal: self.goal, hint: self.hint.as_ref() }
    }
}

/// A set of queries with its name.
struct Workload {
    name: String,
    exprs: Expressions,
    queries: Vec<Recorded>,
}

fn cpu_time() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

/// What a solver did with a workload.
struct Result {
    times: Vec<Duration>,
    answers: Vec<&'static str>,
    layers: Vec<LayerStatistics>,
}

fn run(mut solver: Box<dyn Solver>, workload: &mut Workload) -> anyhow::Result<Result> {
    let mut result = Result { times: Vec::new(), answers: Vec::new(), layers: Vec::new() };
    let mut evaluator = Evaluator::new();
    for recorded in &workload.queries {
        let query = recorded.query();
        let start = cpu_time();
        let verdict = solver.check(&mut workload.exprs, &query)?;
        result.times.push(cpu_time() - start);
        result.answers.push(verdict.name());
        if let Verdict::Sat(model) = &verdict {
            let mut run = evaluator.run(&workload.exprs, model);
            anyhow::ensure!(query.terms().all(|term| run.is_true(term)), "wrong model");
        }
    }
    solver.report(&mut result.layers);
    Ok(result)
}

type Make = fn() -> Box<dyn Solver>;

/// Neither is stopped by what a real run would not wait for.
fn limits() -> Limits {
    Limits { time: Some(Duration::from_secs(10)), ..Limits::default() }
}

const SOLVERS: &[(&str, Make)] = &[
    ("z3", || Box::new(Z3::new(limits()))),
    ("z3 + layers", || {
        let cached = Cache::new(Z3::new(limits()));
        Box::new(Simplify::new(Independence::new(Models::new(cached))))
    }),
    ("bit-blaster", || Box::new(BitBlaster::new(limits()))),
    ("chain", || chain(Config { cross_check_every: None, ..Config::default() })),
];

fn main() -> anyhow::Result<()> {
    let folders: Vec<String> = std::env::args().skip(1).collect();
    let workloads = if folders.is_empty() {
        workloads::generated()
    } else {
        let read = folders.iter().map(|folder| workloads::recorded(folder));
        read.collect::<anyhow::Result<Vec<_>>>()?
    };
    println!(
        "{:<24} {:<12} {:>9} {:>9} {:>10}  answers",
        "workload", "solver", "median us", "p99 us", "total ms"
    );
    for mut workload in workloads {
        compare(&mut workload)?;
    }
    Ok(())
}

fn compare(workload: &mut Workload) -> anyhow::Result<()> {
    let mut first: Option<Vec<&'static str>> = None;
    for (name, make) in SOLVERS {
        let mut result = run(make(), workload)?;
        let count = |answer: &str| result.answers.iter().filter(|&&other| other == answer).count();
        let layers: Vec<String> = result
            .layers
            .iter()
            .filter(|layer| layer.sat + layer.unsat > 0)
            .map(|layer| format!("{} {}", layer.name, layer.sat + layer.unsat))
            .collect();
        result.times.sort_unstable();
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        let times = &result.times;
        println!(
            "{:<24} {:<12} {:>9.0} {:>9.0} {:>10.1}  {} sat, {} unsat, {} unknown ({})",
            format!("{} ({})", workload.name, workload.queries.len()),
            name,
            micros(times[times.len() / 2]),
            micros(times[times.len() * 99 / 100]),
            micros(times.iter().sum()) / 1e3,
            count("sat"),
            count("unsat"),
            count("unknown"),
            layers.join(", ")
        );
        let known = first.get_or_insert_with(|| result.answers.clone());
        for (index, (&a, &b)) in known.iter().zip(&result.answers).enumerate() {
            let differ = a != b && a != "unknown" && b != "unknown";
            anyhow::ensure!(!differ, "{}: query {index} is {a} and {b}", workload.name);
        }
    }
    Ok(())
}
