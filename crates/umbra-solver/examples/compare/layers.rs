//! What each layer of the chain does to recorded queries.

use umbra_solver::{
    BitBlaster, Cache, Config, Independence, Models, Simplify, Solver, Validate, chain,
};

use super::{Make, Workload, limits, run};

fn cached() -> Cache<BitBlaster> {
    Cache::new(BitBlaster::new(limits()))
}

fn sliced() -> Independence<Models<Cache<BitBlaster>>> {
    Independence::new(Models::new(cached()))
}

/// Our backend with one more layer each time: what a layer is worth is the difference between two
/// lines.
pub const STACKED: &[(&str, Make)] = &[
    ("+ cache", || Box::new(cached())),
    ("+ models", || Box::new(Models::new(cached()))),
    ("+ independence", || Box::new(sliced())),
    ("+ simplify", || Box::new(Simplify::new(sliced()))),
    ("+ validate", || Box::new(Validate::new(Simplify::new(sliced())))),
];

/// Asks the chain and prints what each layer answered and took. These are seconds of the clock, in
/// the layer alone.
pub fn print(workload: &mut Workload) -> anyhow::Result<()> {
    let config = Config { cross_check_every: None, ..Config::default() };
    let solver: Box<dyn Solver> = chain(config);
    let result = run(solver, workload)?;
    println!(
        "  {:<14} {:>8} {:>8} {:>8} {:>8} {:>10} {:>12}",
        "layer of chain", "queries", "sat", "unsat", "unknown", "total ms", "us per query"
    );
    for layer in result.layers.iter().filter(|layer| layer.queries > 0) {
        let seconds = layer.time.as_secs_f64();
        println!(
            "  {:<14} {:>8} {:>8} {:>8} {:>8} {:>10.1} {:>12.1}",
            layer.name,
            layer.queries,
            layer.sat,
            layer.unsat,
            layer.unknown,
            seconds * 1e3,
            seconds * 1e6 / layer.queries as f64
        );
    }
    Ok(())
}
