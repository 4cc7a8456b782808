//! Runs that are done again: states in another process, runs that were killed, equal runs.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, ensure};
use testkit::symex::directives::Directives;
use testkit::symex::suite::programs;
use testkit::symex::{command, determinism, killed, states, upstream};

use crate::settings::{Settings, each, name};
use crate::two_versions::upstream_patches;

/// Programs of coreutils whose states go on in another process, with their inputs.
const MOVING: [(&str, &[&str]); 8] = [
    ("expr", &["args=0..3x2"]),
    ("cut", &["args=0..2x4", "file:A=8"]),
    ("echo", &["args=0..2x4"]),
    ("head", &["args=0..2x3", "stdin=8"]),
    ("od", &["args=0..1x3", "stdin=4"]),
    ("sort", &["args=0..1x3", "stdin=6"]),
    ("tr", &["args=0..2x4", "stdin=8"]),
    ("wc", &["args=0..1x4", "file:A=8", "stdin=6"]),
];

/// States that there are to be, of all programs together.
const MOVED: usize = 1_000;

/// States that wait at some moments of a program, written in one process and made again in another.
pub fn states_suite(settings: &Settings) -> Result<Vec<String>> {
    let command = std::env::current_exe()?;
    let folder = tempfile::tempdir()?;
    let mut sources = programs(&Settings::root().join("tests/shadow"))?;
    sources.retain(|source| source.to_string_lossy().contains(&settings.filter));
    sources.extend(settings.programs("exhaustive")?);
    let (step, moments) = if settings.full { (1, 5) } else { (8, 2) };
    let mut subjects = BTreeMap::new();
    for source in sources.into_iter().step_by(step) {
        let text = std::fs::read_to_string(&source)?;
        let inputs = Directives::parse(&text)?.symbolic.iter().map(ToString::to_string).collect();
        let bitcode =
            command::compile(&settings.umbra, &source, folder.path())?.with_extension("bc");
        let both = source.starts_with(Settings::root().join("tests/shadow"));
        let subject = states::Subject { bitcode, inputs, both, old: None };
        subjects.insert(PathBuf::from(name(&source)), subject);
    }
    let real = MOVING.iter().filter(|(name, _)| name.contains(&settings.filter));
    for (name, inputs) in real.step_by(step.min(4)) {
        let bitcode = settings.package("coreutils")?.tree.join("src").join(name);
        let bitcode = bitcode.with_extension("bc");
        let inputs = inputs.iter().map(|&input| input.to_owned()).collect();
        let subject = states::Subject { bitcode, inputs, both: false, old: None };
        subjects.insert(PathBuf::from(name), subject);
    }
    for patch in upstream_patches(settings)? {
        let (name, folder) = (name(&patch), folder.path().join(name(&patch)));
        upstream::build(&Settings::root(), &settings.umbra, &patch, &folder, &[])?;
        let program = upstream::Upstream::read(&patch)?.program;
        let bitcode = |ending: &str| folder.join(format!("{program}{ending}.bc"));
        let inputs = ["args=1..2x4", "stdin=6"].map(str::to_owned).to_vec();
        let both = states::Subject { bitcode: bitcode(""), inputs, both: true, old: None };
        let (bitcode, old) = (bitcode("-new"), Some(bitcode("-old")));
        let two = states::Subject { bitcode, old, ..both.clone() };
        subjects.insert(PathBuf::from(format!("{name} annotated")), both);
        subjects.insert(PathBuf::from(format!("{name} two programs")), two);
    }
    let names: Vec<PathBuf> = subjects.keys().cloned().collect();
    let moved = AtomicUsize::new(0);
    let wrong = each(&names, |name| {
        let mut count = 0;
        let mut random = fastrand::Rng::with_seed(moments);
        for moment in 0..moments {
            // In the long run most paths have ended, in the beginning few have begun.
            let moment = (3000 << (2 * moment)) + random.u64(0..3000 << (2 * moment));
            count += states::check(&command, &settings.umbra, &subjects[name], moment, 8)?;
        }
        moved.fetch_add(count, Ordering::Relaxed);
        Ok(format!("{count:4} states"))
    });
    let moved = moved.into_inner();
    println!("{moved} states");
    let mut wrong = wrong?;
    if settings.full && settings.filter.is_empty() && moved < MOVED {
        wrong.push(format!("{moved} states are too few"));
    }
    Ok(wrong)
}

/// Programs of coreutils whose runs are killed, with their arguments; each has 10,000 paths or more.
const KILLED: [(&str, &str); 5] = [
    ("basename", "--sym-args 0 2 5"),
    ("echo", "--sym-args 0 2 4"),
    ("fold", "-w 3 --sym-stdin 6"),
    ("unexpand", "-a --sym-stdin 6"),
    ("wc", "--sym-stdin 5"),
];

/// Paths that a run has at least that is killed.
const KILLED_PATHS: u64 = 10_000;

/// Moments at which a run is killed, and the share of the work that may be done twice, in percent.
const MOMENTS: u64 = 50;
const AGAIN: f64 = 5.0;

/// Runs that are killed and go on.
pub fn killed_suite(settings: &Settings) -> Result<Vec<String>> {
    let command = std::env::current_exe()?;
    let package = settings.package("coreutils")?;
    let (step, moments) = if settings.full { (1, MOMENTS) } else { (3, 1) };
    let mut runs = Vec::new();
    for (name, words) in KILLED.iter().filter(|(name, _)| name.contains(&settings.filter)) {
        runs.push((*name, *words, false));
        runs.push((*name, *words, true));
    }
    let runs: Vec<_> = runs.into_iter().step_by(step).collect();
    let names: Vec<PathBuf> = runs
        .iter()
        .map(|(name, _, deterministic)| {
            PathBuf::from(if *deterministic {
                format!("{name} deterministic")
            } else {
                (*name).to_owned()
            })
        })
        .collect();
    each(&names, |name| {
        let at = names.iter().position(|other| other == name).context("a run")?;
        let (program, words, deterministic) = runs[at];
        let killed = killed::Killed {
            command: &command,
            program: package.tree.join("src").join(program),
            words: words.split_whitespace().map(str::to_owned).collect(),
            deterministic,
        };
        let seen = killed.check(moments, AGAIN)?;
        ensure!(seen.paths >= KILLED_PATHS, "{} paths are too few", seen.paths);
        Ok(format!(
            "{:6} paths {:4} M instructions, killed {moments} times, {} with an entry, at most {:.1} % again",
            seen.paths,
            seen.instructions / 1_000_000,
            seen.kept,
            seen.again
        ))
    })
}

/// Programs, arguments and instructions of the runs that are compared. The last one is of coreutils.
const REPEATED: [(&str, &str, u64); 3] = [
    ("bugs/global_overflow_histogram.c", "--sym-stdin 3", 30_000),
    ("features/args_getopt_long.c", "--sym-args 0 2 5", 40_000),
    ("src/cut", "--sym-args 0 2 4 --sym-files 1 8", 300_000),
];

/// Runs that are equal, from beginning to end.
pub fn determinism_suite(settings: &Settings) -> Result<Vec<String>> {
    let folder = tempfile::tempdir()?;
    let mut programs = Vec::new();
    for (name, ..) in REPEATED {
        programs.push(match name.ends_with(".c") {
            true => {
                let source = Settings::root().join("tests/symex").join(name);
                command::compile(&settings.umbra, &source, folder.path())?
            }
            false => settings.package("coreutils")?.tree.join(name),
        });
    }
    each(&programs, |program| {
        let at = programs.iter().position(|other| other == program).context("a program")?;
        let (_, words, instructions) = REPEATED[at];
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        let count = determinism::check(&settings.umbra, program, &words, instructions, 10)?;
        Ok(format!("{count:6} tests, ten times the same"))
    })
}
