//! How much slower than native the engine runs concrete programs.
//!
//! Each workload runs natively (the static executable that `umbra cc` makes, optimised at link time
//! with -O1) and in the engine, several times, and the best time of each counts. The engine's time
//! is that of execution alone; what starting takes (loading, lowering) is shown beside it. Outputs
//! must be equal, else the times mean nothing.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, ensure};

use crate::process::{compile, object, output};

/// The kernels in `benches/kernels`, with the size that takes some ten milliseconds natively.
pub const KERNELS: [(&str, &str); 7] = [
    ("throughput", "-DN=12000"),
    ("calls", "-DN=32"),
    ("bytes", "-DN=1200"),
    ("hashing", "-DN=400000"),
    ("sorting", "-DN=150000"),
    ("printing", "-DN=40000"),
    ("floats", "-DN=220"),
];

/// Programs of coreutils on a file of 1 MB.
const PROGRAMS: [(&str, &[&str]); 3] =
    [("cut", &["-d", " ", "-f2,4-"]), ("sort", &["-k3,3n", "-k1,1"]), ("wc", &[])];

/// What a run of `cut` may take at most.
const CUT_MIB: f64 = 64.0;

const NATIVE_RUNS: usize = 7;
const ENGINE_RUNS: usize = 3;

struct Workload {
    name: String,
    executable: PathBuf,
    arguments: Vec<String>,
}

struct Measured {
    native_s: f64,
    engine_s: f64,
    start_s: f64,
    instructions: f64,
    peak_mib: f64,
}

/// Measures the kernels in a folder, and programs of coreutils if there is a tree of it.
pub fn run(umbra: &Path, kernels: &Path, coreutils: Option<&Path>) -> anyhow::Result<()> {
    let scratch = tempfile::tempdir().context("making a temporary folder")?;
    let mut workloads = Vec::new();
    for (name, size) in KERNELS {
        let executable = compile(umbra, kernels, scratch.path(), name, &["-O1", size])?;
        workloads.push(Workload { name: name.to_owned(), executable, arguments: Vec::new() });
    }
    if let Some(coreutils) = coreutils {
        let file = scratch.path().join("file");
        std::fs::write(&file, text()).context("writing the input file")?;
        for (name, options) in PROGRAMS {
            let mut arguments: Vec<String> = options.iter().map(|&word| word.to_owned()).collect();
            arguments.push(file.display().to_string());
            let executable = coreutils.join("src").join(name);
            workloads.push(Workload { name: format!("{name} 1 MB"), executable, arguments });
        }
    }
    println!(
        "{:<12} {:>10} {:>10} {:>8} {:>9} {:>9} {:>9}",
        "workload", "native ms", "engine ms", "ratio", "M instr/s", "start ms", "peak MiB"
    );
    let mut logarithms = 0.0;
    for workload in &workloads {
        let measured = measure(umbra, workload)?;
        let too_large = workload.name.starts_with("cut") && measured.peak_mib > CUT_MIB;
        ensure!(!too_large, "a run of cut takes {:.1} MiB, not {CUT_MIB}", measured.peak_mib);
        let ratio = measured.engine_s / measured.native_s;
        logarithms += ratio.ln();
        println!(
            "{:<12} {:>10.2} {:>10.1} {:>8.1} {:>9.0} {:>9.1} {:>9.1}",
            workload.name,
            measured.native_s * 1e3,
            measured.engine_s * 1e3,
            ratio,
            measured.instructions / measured.engine_s / 1e6,
            measured.start_s * 1e3,
            measured.peak_mib,
        );
    }
    let mean = (logarithms / workloads.len() as f64).exp();
    println!("geometric mean of the ratios: {mean:.1}");
    Ok(())
}

/// A megabyte of lines of words and numbers, always the same.
fn text() -> String {
    let mut text = String::with_capacity(1 << 20);
    let mut random = fastrand::Rng::with_seed(1);
    while text.len() < 1 << 20 {
        let x = random.u32(..);
        let _ = writeln!(text, "w{} field{} {} rest of line {}", x >> 20, x >> 28, x >> 16, x);
    }
    text
}

fn measure(umbra: &Path, workload: &Workload) -> anyhow::Result<Measured> {
    let mut native_s = f64::INFINITY;
    let mut expected = Vec::new();
    for _ in 0..NATIVE_RUNS {
        let start = Instant::now();
        let output = output(Command::new(&workload.executable).args(&workload.arguments))?;
        native_s = native_s.min(start.elapsed().as_secs_f64());
        expected = output.stdout;
    }
    let mut best: Option<Measured> = None;
    for _ in 0..ENGINE_RUNS {
        let mut command = Command::new(umbra);
        command.args(["run", "--json"]).arg(&workload.executable).args(&workload.arguments);
        let output = output(&mut command)?;
        let (printed, summary) = object(&output.stdout)?;
        ensure!(printed == expected, "{}: the engine's output differs", workload.name);
        let number =
            |key: &str| summary[key].as_f64().with_context(|| format!("no `{key}` in the summary"));
        let measured = Measured {
            native_s,
            engine_s: number("execute_s")?,
            start_s: number("wall_s")? - number("execute_s")?,
            instructions: number("instructions")?,
            peak_mib: number("peak_mib")?,
        };
        if best.as_ref().is_none_or(|best| measured.engine_s < best.engine_s) {
            best = Some(measured);
        }
    }
    best.context("nothing was measured")
}
