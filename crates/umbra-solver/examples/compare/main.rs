//! Our backend, Z3 and the chain over the same queries, in the same run.
//!
//! `cargo run --release -p umbra-solver --example compare` runs the generated workloads;
//! with folders of recorded queries (`*.smt2`, from `umbra run --log-queries`) as arguments it runs
//! those, and adds what each layer does to them. Times are thread CPU time. Every answer is compared,
//! also with the recorded one, and every model evaluated.

mod layers;
mod workloads;

use std::path::Path;
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
    /// The verdict when it was recorded.
    status: Option<String>,
}

impl Recorded {
    fn query(&self) -> Query<'_> {
        let hint = self.hint.as_ref();
        Query { hint, ..Query::new(&self.constraints, self.goal) }
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
    let are_recorded = !folders.is_empty();
    let workloads = if are_recorded {
        let read = folders.iter().map(|folder| workloads::recorded(Path::new(folder)));
        read.collect::<anyhow::Result<Vec<_>>>()?
    } else {
        workloads::generated()
    };
    println!(
        "{:<24} {:<14} {:>9} {:>9} {:>10}  answers (by layer)",
        "workload", "solver", "median us", "p99 us", "total ms"
    );
    for mut workload in workloads {
        let answers = compare(&mut workload, SOLVERS)?;
        if are_recorded {
            both_backends(&answers);
            compare(&mut workload, layers::STACKED)?;
            layers::print(&mut workload)?;
            println!();
        }
    }
    Ok(())
}

/// Runs the solvers and prints a line for each; returns their answers.
fn compare(
    workload: &mut Workload,
    solvers: &[(&'static str, Make)],
) -> anyhow::Result<Vec<(&'static str, Vec<&'static str>)>> {
    let mut answers: Vec<(&'static str, Vec<&'static str>)> = Vec::new();
    for &(name, make) in solvers {
        let result = run(make(), workload)?;
        print_line(workload, name, &result);
        for (index, recorded) in workload.queries.iter().enumerate() {
            let known = answers.first().map(|(_, answers)| answers[index]);
            for known in known.into_iter().chain(recorded.status.as_deref()) {
                let answer = result.answers[index];
                let differ = answer != known && answer != "unknown" && known != "unknown";
                anyhow::ensure!(
                    !differ,
                    "{}: {name} says {answer} to query {index}, which is {known}",
                    workload.name
                );
            }
        }
        answers.push((name, result.answers));
    }
    Ok(answers)
}

fn print_line(workload: &Workload, name: &str, result: &Result) {
    let count = |answer: &str| result.answers.iter().filter(|&&other| other == answer).count();
    let layers: Vec<String> = result
        .layers
        .iter()
        .filter(|layer| layer.sat + layer.unsat > 0)
        .map(|layer| format!("{} {}", layer.name, layer.sat + layer.unsat))
        .collect();
    let mut times = result.times.clone();
    times.sort_unstable();
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    println!(
        "{:<24} {:<14} {:>9.0} {:>9.0} {:>10.1}  {} sat, {} unsat, {} unknown ({})",
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
}

/// Which of the two backends answered what; where both did, they agree.
fn both_backends(answers: &[(&str, Vec<&str>)]) {
    let of = |name: &str| answers.iter().find(|(other, _)| *other == name).map(|(_, all)| all);
    let (Some(z3), Some(ours)) = (of("z3"), of("bit-blaster")) else { return };
    let count = |z3_knows: bool, we_know: bool| {
        let pairs = z3.iter().zip(ours);
        pairs
            .filter(|(z3, ours)| (**z3 != "unknown", **ours != "unknown") == (z3_knows, we_know))
            .count()
    };
    println!(
        "  both backends answered {} alike, only z3 {}, only the bit-blaster {}, neither {}",
        count(true, true),
        count(true, false),
        count(false, true),
        count(false, false)
    );
}
