//! Many generated programs, and what is said of them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context;

use super::batch::{self, Bench, Verdict};
use super::generate;
use super::minimise::minimise;
use super::tree::Program;
use crate::filetest::directives::Finding;
use crate::symex::enumerated::Share;
use crate::symex::native::Sanitizer;

/// Programs that are compiled together.
const TOGETHER: usize = 25;

/// How long a program may be explored before it counts as cut.
const TIME: Duration = Duration::from_secs(120);

/// Failing programs that are made small, at most: one takes a minute.
const MINIMISED: usize = 3;

/// Programs of which not all is explored, in percent of all.
const CUT_AT_MOST: usize = 5;

/// What is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The first seed.
    pub seed: u64,
    /// How many.
    pub count: u64,
    /// All inputs run natively and most with sanitizers, not a share.
    pub full: bool,
}

impl Wanted {
    /// Reads `SEED:COUNT`, or a seed.
    pub fn parse(text: &str, full: bool) -> anyhow::Result<Self> {
        let (seed, count) = text.split_once(':').unwrap_or((text, "1"));
        let number =
            |text: &str| text.parse().with_context(|| format!("`{text}` is not SEED:COUNT"));
        Ok(Self { seed: number(seed)?, count: number(count)?, full })
    }
}

/// Runs programs; returns what is wrong. Those that fail are written to `folder`, made small.
pub fn run(umbra: &Path, wanted: Wanted, folder: &Path) -> anyhow::Result<Vec<String>> {
    let sanitizer = Sanitizer::new()?;
    let bench = Bench {
        umbra,
        sanitizer: &sanitizer,
        time: TIME,
        plain: if wanted.full { Share::All } else { Share::About(4096) },
        checked: if wanted.full { Share::About(4096) } else { Share::About(256) },
        errors: if wanted.full { 2048 } else { 256 },
    };
    let mut wrong = Vec::new();
    let (mut paths, mut errors, mut inputs, mut cut, mut small) = (0, 0, 0, 0, 0);
    let seeds: Vec<u64> = (wanted.seed..wanted.seed + wanted.count).collect();
    for seeds in seeds.chunks(TOGETHER) {
        let start = Instant::now();
        let programs: Vec<Program> = seeds.iter().map(|&seed| generate(seed)).collect();
        let verdicts = batch::check(&bench, &programs);
        for (program, verdict) in programs.into_iter().zip(verdicts) {
            let seed = program.seed;
            match verdict {
                Verdict::Fine(checked) => {
                    paths += checked.paths;
                    errors += usize::from(checked.errors > 0);
                    inputs += checked.inputs;
                }
                Verdict::Cut(why) => {
                    cut += 1;
                    let file = keep(folder, &program.text(), seed)?;
                    println!("    cut: seed {seed} ({}): {why}", file.display());
                }
                Verdict::Wrong(text) => {
                    small += 1;
                    let (program, text) = match small <= MINIMISED {
                        true => minimise(&bench, program, &text),
                        false => (program, text),
                    };
                    // What cannot be compiled has no errors that could be marked.
                    let errors = batch::errors(&bench, &program).unwrap_or_default();
                    let file = keep(folder, &with_marks(&program.text(), &errors), seed)?;
                    wrong.push(format!(
                        "seed {seed} (UMBRA_GENERATED={seed} cargo test -p testkit --test suites generated): \
                         {text}\n    the program is {}",
                        file.display()
                    ));
                    println!("    wrong: seed {seed}: {}", text.lines().next().unwrap_or_default());
                }
            }
        }
        println!(
            "    seeds {} to {}: {:.1} s",
            seeds[0],
            seeds[seeds.len() - 1],
            start.elapsed().as_secs_f64()
        );
    }
    let count = seeds.len();
    println!(
        "{count} programs: {paths} paths of {inputs} inputs, {errors} programs with errors, {cut} cut, {} wrong",
        wrong.len()
    );
    if cut * 100 > count * CUT_AT_MOST && count > 1 {
        wrong.push(format!("{cut} of {count} programs are cut: more than {CUT_AT_MOST} percent"));
    }
    Ok(wrong)
}

/// Writes a program, ready for `tests/symex/exhaustive`.
fn keep(folder: &Path, text: &str, seed: u64) -> anyhow::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    let file = folder.join(format!("seed_{seed}.c"));
    fs::write(&file, text)?;
    Ok(file)
}

/// The text with a mark in each line that has an error.
fn with_marks(text: &str, errors: &BTreeSet<Finding>) -> String {
    let mut out = String::new();
    for (number, line) in (1..).zip(text.lines()) {
        out.push_str(line);
        for (at, error) in errors.iter().filter(|error| error.line == number).enumerate() {
            let mark =
                if at == 0 { " //~ ".to_owned() } else { format!("\n//~{} ", "^".repeat(at)) };
            out.push_str(&format!("{mark}{}", error.kind));
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_marked() {
        let finding = |line, kind: &str| Finding { line, kind: kind.to_owned() };
        let errors = [finding(1, "abort"), finding(2, "double-free"), finding(2, "invalid-free")];
        let text = with_marks("a;\nb;\nc;\n", &errors.into());
        assert_eq!(text, "a; //~ abort\nb; //~ double-free\n//~^ invalid-free\nc;\n");
    }
}
