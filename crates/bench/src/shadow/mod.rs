//! Two versions in one execution: what that costs, and how fast paths on which they part are found.
//!
//! The measurement itself is an example of `umbra-strategy`, which explores and does nothing else: no
//! test case is written, nothing is replayed. Each run is a process of its own, so that its peak of
//! memory is its own. What is compared with plain execution is the program as the new version alone,
//! on the same paths: those of a patch that parts nothing.

mod measure;
mod near;
mod programs;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};

use crate::process::output;
use measure::{Measured, Tool};
use programs::{COSTS, Cost, NEAR, Origin, RATES, Rate};

/// The aims: over plain execution, in time and in memory; and times the Java tool's rate.
const MOST_OVER_PLAIN: f64 = 1.2;
const TIMES_FASTER: f64 = 50.0;

/// How much faster two workers are to be than one.
const TIMES_WITH_TWO: f64 = 1.7;

/// Runs of which the fastest counts: what else the machine does only ever adds.
const REPEATS: usize = 5;

/// How many aims there are, and how many were met.
#[derive(Default)]
struct Aims {
    all: usize,
    met: usize,
}

impl Aims {
    fn add(&mut self, is_met: bool) {
        self.all += 1;
        self.met += usize::from(is_met);
    }
}

/// Measures and prints the tables. `patch` annotates the program of coreutils.
pub fn run(tool: &Path, umbra: &Path, sources: &Path, patch: &Path) -> anyhow::Result<()> {
    let scratch = tempfile::tempdir().context("making a temporary folder")?;
    let bench = Bench { tool: Tool { tool, umbra }, sources, patch, scratch: scratch.path() };
    let mut aims = Aims::default();
    bench.costs(&mut aims)?;
    bench.rates(&mut aims)?;
    bench.together(&mut aims)?;
    bench.near(&mut aims)?;
    println!("{} of {} aims met", aims.met, aims.all);
    Ok(())
}

/// Prints seconds with one worker and with two; says whether the aim is met.
fn print_times(name: &str, [one, two]: [f64; 2]) -> bool {
    let is_met = one / two >= TIMES_WITH_TWO;
    println!(
        "{name:<24} {one:>8.3} {two:>8.3} {:>7.2}x  {TIMES_WITH_TWO} {}",
        one / two,
        if is_met { "met" } else { "MISSED" }
    );
    is_met
}

struct Bench<'a> {
    tool: Tool<'a>,
    sources: &'a Path,
    patch: &'a Path,
    scratch: &'a Path,
}

impl Bench<'_> {
    /// The bitcode of a program, with both versions and with the new one alone.
    fn build(&self, origin: &Origin) -> anyhow::Result<(PathBuf, PathBuf)> {
        match origin {
            Origin::Source(name, flag) => {
                let build = |label: &str, flags: &[&str]| {
                    let folder = self.scratch.join(label);
                    std::fs::create_dir_all(&folder)?;
                    let flags = [&["-O1", "-g", *flag], flags].concat();
                    crate::process::compile(self.tool.umbra, self.sources, &folder, name, &flags)
                        .map(|executable| executable.with_extension("bc"))
                };
                Ok((build("both", &[])?, build("new", &["-DUMBRA_NEW"])?))
            }
            Origin::Annotated(name) => {
                let folder = self.scratch.join("annotated");
                let bitcode = |name: &str| folder.join(format!("{name}.bc"));
                if !folder.exists() {
                    let script =
                        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/build-annotated");
                    let mut command = Command::new(&script);
                    command.arg(self.patch).arg(&folder).env("UMBRA", self.tool.umbra);
                    let built = output(&mut command)?;
                    ensure!(built.status.success(), "{} failed", script.display());
                }
                Ok((bitcode(name), bitcode(&format!("{name}-new"))))
            }
        }
    }

    /// What two versions cost.
    fn costs(&self, aims: &mut Aims) -> anyhow::Result<()> {
        println!(
            "\ntwo versions against one, on the same paths (CPU s: the least of {REPEATS} runs)"
        );
        println!(
            "{:<24} {:>8} {:>8} {:>9} {:>9} {:>7} {:>9} {:>9} {:>7} {:>8} {:>8}",
            "program",
            "CPU s",
            "with two",
            "Minstr",
            "with two",
            "time",
            "peak MiB",
            "with two",
            "memory",
            "paths",
            "diff"
        );
        for cost in &COSTS {
            let (plain, both) = self.cost(cost)?;
            let (time, memory) = (both.cpu_s / plain.cpu_s, both.peak_mib / plain.peak_mib);
            println!(
                "{:<24} {:>8.3} {:>8.3} {:>9.2} {:>9.2} {:>6.2}x {:>9.1} {:>9.1} {:>6.2}x {:>8.0} \
                 {:>8.0}",
                cost.name,
                plain.cpu_s,
                both.cpu_s,
                plain.minstr,
                both.minstr,
                time,
                plain.peak_mib,
                both.peak_mib,
                memory,
                both.same + both.diff,
                both.diff
            );
            if cost.aim {
                aims.add(time < MOST_OVER_PLAIN);
                aims.add(memory < MOST_OVER_PLAIN);
            }
        }
        Ok(())
    }

    /// How fast paths are found on which the versions part.
    fn rates(&self, aims: &mut Aims) -> anyhow::Result<()> {
        println!("\nall paths of two versions, exploring alone (sizes: expressions in a question)");
        println!(
            "{:<24} {:>8} {:>9} {:>9} {:>10} {:>8} {:>9} {:>7} {:>7} {:>7}  aim",
            "program",
            "CPU s",
            "same",
            "diff",
            "diff/s",
            "asked",
            "solver %",
            "most",
            "mean",
            "median"
        );
        for rate in &RATES {
            let (measured, sized) = self.rate(rate)?;
            let per_second = measured.diff / measured.cpu_s;
            let aim = TIMES_FASTER * rate.java_rate;
            println!(
                "{:<24} {:>8.3} {:>9.0} {:>9.0} {:>10.0} {:>8.0} {:>9.1} {:>7.0} {:>7.1} {:>7.0}  \
                 {:.0}/s {}",
                rate.name,
                measured.cpu_s,
                measured.same,
                measured.diff,
                per_second,
                measured.queries,
                100.0 * measured.solver_s / measured.wall_s,
                sized.size_max,
                sized.size_mean,
                sized.size_median,
                aim,
                if per_second >= aim { "met" } else { "MISSED" }
            );
            aims.add(per_second >= aim);
        }
        Ok(())
    }

    /// How much faster two workers are than one.
    fn together(&self, aims: &mut Aims) -> anyhow::Result<()> {
        println!("\nall paths of two versions with two workers (s: the least of {REPEATS} runs)");
        println!("{:<24} {:>8} {:>8} {:>8}  aim", "program", "one s", "two s", "times");
        for rate in &RATES {
            let (both, _) = self.build(&Origin::Source(rate.name, "-DPLAIN"))?;
            let mut least = [f64::MAX; 2];
            // In turns, so that both meet the same disturbances.
            for _ in 0..REPEATS {
                let (one, two) =
                    (self.tool.run_together(&both, 1)?, self.tool.run_together(&both, 2)?);
                ensure!(one.1 == two.1, "{}: {} and {} diff paths", rate.name, one.1, two.1);
                least = [least[0].min(one.0), least[1].min(two.0)];
            }
            aims.add(print_times(rate.name, least));
        }
        Ok(())
    }

    /// How much faster two workers follow tests than one.
    fn near(&self, aims: &mut Aims) -> anyhow::Result<()> {
        println!("\nnear eight tests with two workers (s: the least of {REPEATS} runs)");
        println!("{:<24} {:>8} {:>8} {:>8}  aim", "program", "one s", "two s", "times");
        for near in &NEAR {
            let name = near.name;
            let (both, _) = self.build(&Origin::Source(name, near.flag))?;
            let executable = both.with_extension("");
            let tests = near::write_tests(self.scratch, near.object)?;
            let follow = |workers| near::follow(self.tool.umbra, &executable, &tests, workers);
            let mut least = [f64::MAX; 2];
            for _ in 0..REPEATS {
                let (one, two) = (follow(1)?, follow(2)?);
                ensure!(one.1 == two.1, "{name}: {} and {}", one.1, two.1);
                least = [least[0].min(one.0), least[1].min(two.0)];
            }
            aims.add(print_times(name, least));
        }
        Ok(())
    }

    fn cost(&self, cost: &Cost) -> anyhow::Result<(Measured, Measured)> {
        let (both, new) = self.build(&cost.origin)?;
        let stdin = self.scratch.join("stdin");
        let mut options: Vec<String> = Vec::new();
        if let Some(text) = cost.follow {
            std::fs::write(&stdin, text.repeat(cost.repeat))?;
            options.extend(["--follow".to_owned(), stdin.display().to_string()]);
        }
        if let Some(most) = cost.instructions {
            options.extend(["--instructions".to_owned(), most.to_string()]);
        }
        let (mut best_plain, mut best_both): (Option<Measured>, Option<Measured>) = (None, None);
        // In turns, so that both meet the same disturbances.
        for _ in 0..REPEATS {
            let plain = self.tool.run(&new, "new", &options, cost.words)?;
            best_plain = Some(plain.faster(best_plain));
            let both = self.tool.run(&both, "both", &options, cost.words)?;
            best_both = Some(both.faster(best_both));
        }
        best_plain.zip(best_both).context("there is a run")
    }

    /// The fastest of some runs, and one with the sizes of questions.
    fn rate(&self, rate: &Rate) -> anyhow::Result<(Measured, Measured)> {
        let (both, _) = self.build(&Origin::Source(rate.name, "-DPLAIN"))?;
        let sized = self.tool.run(&both, "both", &["--sizes".to_owned()], &[])?;
        let mut best: Option<Measured> = None;
        for _ in 0..REPEATS.min(3) {
            best = Some(self.tool.run(&both, "both", &[], &[])?.faster(best));
        }
        let best = best.context("there is a run")?;
        ensure!(best.stopped == "end", "{} was stopped by {}", rate.name, best.stopped);
        Ok((best, sized))
    }
}
