//! Pairs of plain functions that `umbra-unify` makes one of (`tests/unify`).
//!
//! A file holds many pairs: text between `//- old` and `//- new` or `//- both` is the old version's,
//! and so on. Functions `int diff_NAME(int x, int y)` differ on some input, functions `same_NAME` on none. A `main` is put behind
//! them that calls the one whose number is its argument, with two symbolic bytes. Both versions are
//! compiled, unified (which includes the proof that the result is both of them), and explored completely, one function at a time: on
//! every input each version must do what its own native build does, and differences must be predicted on exactly the inputs
//! on which the native builds differ. Of a `same_` function nothing may be reported at all. Functions `silent_NAME` are known to be
//! reported although they do the same: their paths must part, and be proved to have no visible effect.

pub mod annotated;
pub mod edited;
pub mod equivalence;
pub mod harmless;
pub mod nulls;
#[path = "../../../../umbra-unify/tests/pairs/mod.rs"]
mod pairs;
pub mod rewritten;
pub mod suite;
pub mod together;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, ensure};
use umbra_ir::Program;
use umbra_strategy::{Argument, PathJudgement};
use umbra_unify::Unified;

use super::command::compile_with;
use super::directives::Directives;
use super::enumerate::Enumerator;
use super::enumerated::Share;
use super::explore::{Exploration, Limited, Manner, Versions, explore, load, world};
use super::input::Input;
use super::passage::{Passage, Passed};
use super::versions::{Native, check_inputs, is_diff};
use pairs::version;

const TIME: Duration = Duration::from_secs(120);

/// Where a version that runs alone is given up: the functions are small.
const ALONE: u64 = 50_000;

/// What was checked of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Pairs that differ.
    pub different: usize,
    /// Pairs that do not.
    pub same: usize,
    /// Those of which something is reported.
    pub reported: usize,
    /// Inputs on which versions differ, of all.
    pub divergent: usize,
    /// Instructions that became one, in thousandths.
    pub share: u64,
    /// Paths of pairs that part although outputs are the same on all their inputs.
    pub silent: usize,
    /// Runs of the unified program as one version, and what was compared in them.
    pub passed: Passed,
    /// What is wrong, one line for each pair.
    pub wrong: Vec<String>,
}

/// What stands before the text of another translation unit.
const UNIT: &str = "//- unit\n";

/// The functions that are compared, in order.
fn functions(text: &str) -> Vec<String> {
    let names = text.lines().filter_map(|line| {
        let name = line.strip_prefix("int ")?.strip_suffix("(int x, int y)")?;
        let kinds = ["same_", "silent_", "diff_", "edit_"];
        kinds.iter().any(|kind| name.starts_with(kind)).then(|| name.to_owned())
    });
    names.collect()
}

/// The `main` of both versions.
fn main_text(functions: &[String]) -> String {
    let table: Vec<String> = functions.iter().map(|name| format!("\t{name},\n")).collect();
    format!(
        "static int (*const catalogue[])(int, int) = {{\n{}}};\n\
         int main(int argc, char **argv)\n{{\n\
         \tsigned char x, y;\n\
         \tumbra_symbolic(&x, 1, \"x\");\n\
         \tumbra_symbolic(&y, 1, \"y\");\n\
         \tumbra_assume(x >= LOW && x < HIGH);\n\
         \tumbra_assume(y >= LOW && y < HIGH);\n\
         \tint result = catalogue[atoi(argv[1])](x, y);\n\
         \twrite(1, &result, sizeof result);\n\
         \treturn 0;\n}}\n",
        table.concat()
    )
}

/// Two versions, compiled and made one.
struct Pair {
    unified: Unified,
    plain: (Arc<Program>, Arc<Program>),
    natives: (Enumerator, Enumerator),
}

/// Compiles two texts, which are given a `main` that calls these functions.
fn compile(
    umbra: &Path,
    name: &str,
    texts: [&str; 2],
    functions: &[String],
    folder: &Path,
) -> anyhow::Result<Pair> {
    let include = format!("-I{}", folder_of_headers().to_string_lossy());
    // The generated ones overflow.
    let flags = [include.as_str(), "-fwrapv"];
    let side = |side: &str, text: &str| -> anyhow::Result<(Arc<Program>, Enumerator)> {
        let folder = folder.join(side);
        fs::create_dir_all(&folder)?;
        let source: PathBuf = folder.join(format!("{name}.c"));
        let mut units = text.split(UNIT);
        let first = units.next().unwrap_or_default();
        fs::write(&source, first.to_owned() + &main_text(functions))?;
        let mut others = Vec::new();
        for (number, unit) in units.enumerate() {
            let path = folder.join(format!("{name}-{number}.c"));
            fs::write(&path, unit)?;
            others.push(path.to_string_lossy().into_owned());
        }
        let others: Vec<&str> = others.iter().map(String::as_str).collect();
        compile_with(umbra, &source, &folder, &[&flags, &others[..]].concat())?;
        let program = load(umbra, &folder.join(format!("{name}.bc")))?;
        Ok((program, Enumerator::of_units(umbra, &source, &others, name, &flags)?))
    };
    let (old, old_native) = side("old", texts[0]).context("old")?;
    let (new, new_native) = side("new", texts[1]).context("new")?;
    let unified = umbra_unify::unify(&old, &new, &read)?;
    Ok(Pair { unified, plain: (old, new), natives: (old_native, new_native) })
}

fn read(_: umbra_unify::Version, file: &umbra_ir::SourceFile) -> Option<String> {
    fs::read_to_string(file.path()).ok()
}

fn folder_of_headers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/unify")
}

/// A file of pairs: its name, both texts and the functions in it.
struct Source {
    name: String,
    texts: [String; 2],
    functions: Vec<String>,
    directives: Directives,
}

impl Source {
    fn read(source: &Path) -> anyhow::Result<Self> {
        let text = fs::read_to_string(source)?;
        let name = source.file_stem().context("a source has a name")?.to_string_lossy();
        let texts = ["old", "new"].map(|side| {
            let units = text.split(UNIT).map(|unit| version(unit, side));
            units.collect::<Vec<_>>().join(UNIT)
        });
        let names = functions(&texts[1]);
        ensure!(names == functions(&texts[0]), "the versions have other functions");
        let directives = Directives::parse(&text)?;
        Ok(Self { name: name.into_owned(), texts, functions: names, directives })
    }

    fn compile(&self, umbra: &Path, folder: &Path) -> anyhow::Result<Pair> {
        let texts = [self.texts[0].as_str(), self.texts[1].as_str()];
        compile(umbra, &self.name, texts, &self.functions, folder)
    }
}

/// Checks all pairs of a file.
pub fn check(umbra: &Path, source: &Path) -> anyhow::Result<Checked> {
    let source = Source::read(source)?;
    let folder = tempfile::tempdir()?;
    let pair = source.compile(umbra, folder.path())?;
    let program = Arc::new(pair.unified.program.clone());
    let share = pair.unified.statistics.share();
    let mut checked = Checked { share, ..Checked::default() };
    let passage = Passage::new(&pair.plain.0, &pair.plain.1, &pair.unified);
    for (number, function) in source.functions.iter().enumerate() {
        let subject = (number, function.as_str());
        if let Err(error) = one(&program, &source.directives, &pair, subject, &mut checked) {
            checked.wrong.push(format!("{function}: {error:#}"));
        }
        if let Err(error) = pass(&passage, &source.directives, number, &mut checked.passed) {
            checked.wrong.push(format!("{function}: {error:#}"));
        }
    }
    Ok(checked)
}

/// Differences of outputs are predicted on exactly the inputs on which there are any natively. Returns how
/// many these are.
fn check_outputs(both: &Exploration, inputs: &[Input], native: &Native) -> anyhow::Result<usize> {
    let unknown = both.paths.iter().any(|path| matches!(path.judgement, PathJudgement::Unknown(_)));
    ensure!(!unknown, "outputs were not compared");
    let mut divergent = 0;
    check_inputs(both, inputs, native, |input, said| {
        let differs = said.actual != "same";
        divergent += usize::from(differs);
        let predicted = said.predicted;
        // Where they part, outputs were compared with native ones already.
        let right = predicted == "control" || (predicted == "data") == differs;
        ensure!(right, "{predicted} is predicted on {input:?}, it is {}", said.actual);
        Ok(())
    })?;
    Ok(divergent)
}

/// Checks one pair.
fn one(
    program: &Arc<Program>,
    directives: &Directives,
    pair: &Pair,
    (number, function): (usize, &str),
    checked: &mut Checked,
) -> anyhow::Result<()> {
    let domain = directives.domain.as_ref().context("there is no domain")?;
    let mut world = world(directives, "catalogue")?;
    let number = number.to_string();
    world.arguments.insert(0, Argument::Given(number.clone().into_bytes()));
    let limited = Limited { versions: Versions::Both, alone: ALONE, path: None, prune: false };
    let both = explore(Arc::clone(program), &world, TIME, &Manner::default(), limited)?;
    ensure!(both.stopped.is_none(), "stopped: {:?}", both.stopped);
    let inputs = Share::All.inputs(domain);
    let native = Native::of(&pair.natives.0, &pair.natives.1, &[number], &inputs)?;
    let divergent = check_outputs(&both, &inputs, &native)?;
    checked.divergent += divergent;
    let silent = silent(&both);
    checked.silent += silent;
    if function.starts_with("edit_") {
        // The native builds say which it is.
        checked.different += usize::from(divergent > 0);
        checked.same += usize::from(divergent == 0);
        return Ok(());
    }
    if function.starts_with("silent_") {
        checked.same += 1;
        ensure!(divergent == 0, "natively it differs on {divergent} inputs");
        let reported = both.paths.iter().filter(|path| is_diff(path)).count();
        ensure!(reported > 0, "nothing is reported any more: call it same_");
        checked.reported += 1;
        ensure!(reported == silent, "{reported} paths part, {silent} of them without effect");
        return Ok(());
    }
    if function.starts_with("same_") {
        checked.same += 1;
        ensure!(divergent == 0, "natively it differs on {divergent} inputs");
        let reported: Vec<_> = both.paths.iter().filter(|path| is_diff(path)).collect();
        let place = |path: &&super::explore::Explored| {
            let stack = path.divergence.as_ref().map(|found| &found.stack);
            stack.and_then(|stack| stack.first()).map_or(0, |place| place.line)
        };
        let lines: Vec<u32> = reported.iter().map(place).collect();
        ensure!(reported.is_empty(), "{} paths part (lines {lines:?})", reported.len());
    } else {
        checked.different += 1;
        ensure!(divergent > 0, "natively it differs on no input");
    }
    Ok(())
}

/// Inputs on which it is looked at which instructions run.
const LOOKED_AT: u64 = 6;

/// Runs one pair as either version, on some inputs.
fn pass(
    passage: &Passage<'_>,
    directives: &Directives,
    number: usize,
    passed: &mut Passed,
) -> anyhow::Result<()> {
    let domain = directives.domain.as_ref().context("there is no domain")?;
    let mut world = world(directives, "catalogue")?;
    world.arguments.insert(0, Argument::Given(number.to_string().into_bytes()));
    for input in Share::About(LOOKED_AT).inputs(domain) {
        *passed += passage.check(&world, &input)?;
    }
    Ok(())
}

/// Paths that part without any effect.
fn silent(both: &Exploration) -> usize {
    let is_silent = |path: &&super::explore::Explored| {
        path.judgement == PathJudgement::Parted
            && path.pairs.iter().all(|pair| pair.judgement == PathJudgement::Same)
    };
    both.paths.iter().filter(is_silent).count()
}
