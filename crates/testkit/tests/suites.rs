//! The symbolic engine against the corpus in `tests/symex` and against real programs.
//!
//! By default the share that fits CI; `UMBRA_SUITE=full` runs all. A suite's name as argument picks
//! it, `UMBRA_SYMEX` names programs (a part of their path). `UMBRA` is the command to test, by
//! default the release build beside this one. They need the set-up.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use testkit::filetest::{two_at_a_time, umbra_command};
use testkit::symex::exhaustive::{self, Share};
use testkit::symex::suite::programs;

/// What the suites need to know.
struct Settings {
    umbra: PathBuf,
    full: bool,
    filter: String,
}

impl Settings {
    /// The programs of a folder of the corpus that are wanted.
    fn programs(&self, folder: &str) -> Result<Vec<PathBuf>> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/symex");
        let mut sources = programs(&root.join(folder))?;
        sources.retain(|source| source.to_string_lossy().contains(&self.filter));
        Ok(sources)
    }
}

/// Runs one suite: what is wrong.
type Suite = fn(&Settings) -> Result<Vec<String>>;

const SUITES: &[(&str, Suite)] = &[("exhaustive", exhaustive_suite)];

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("suites: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<bool> {
    let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let full = match variable("UMBRA_SUITE") {
        None => false,
        Some(suite) => {
            ensure!(suite == "full", "UMBRA_SUITE is `{suite}`, not `full`");
            true
        }
    };
    let umbra = umbra_command()?.canonicalize().context("finding the command to test")?;
    let settings = Settings { umbra, full, filter: variable("UMBRA_SYMEX").unwrap_or_default() };
    // Flags are libtest's; a name of no suite belongs to some other test binary.
    let names: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let mut good = true;
    for (name, suite) in SUITES {
        if !names.is_empty() && !names.iter().any(|wanted| wanted == name) {
            continue;
        }
        let start = Instant::now();
        let wrong = suite(&settings).with_context(|| format!("suite {name}"))?;
        for line in &wrong {
            println!("FAILED {name}: {line}\n");
        }
        good &= wrong.is_empty();
        println!("{name}: {} wrong, {:.0} s\n", wrong.len(), start.elapsed().as_secs_f64());
    }
    Ok(good)
}

/// The name of a program of the corpus.
fn name(source: &Path) -> String {
    source.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn exhaustive_suite(settings: &Settings) -> Result<Vec<String>> {
    let sources = settings.programs("exhaustive")?;
    let share = if settings.full { Share::All } else { Share::About(2048) };
    let verdicts = two_at_a_time(sources.len(), |at| {
        let start = Instant::now();
        (exhaustive::check(&settings.umbra, &sources[at], share), start.elapsed())
    });
    let mut wrong = Vec::new();
    for (source, (verdict, time)) in sources.iter().zip(verdicts) {
        let name = name(source);
        match verdict {
            Ok(checked) => println!(
                "{name:28} {:6} paths {:6} inputs {:6} native {:6.1} s",
                checked.paths,
                checked.inputs,
                checked.native,
                time.as_secs_f64()
            ),
            Err(error) => wrong.push(format!("{name}: {error:#}")),
        }
    }
    Ok(wrong)
}
