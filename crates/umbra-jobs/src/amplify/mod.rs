//! What tests only visit is checked (ZESTI): each sensitive operation on the path of each test for all inputs of that path, then
//! what is near. `umbra_strategy` knows how that goes for one test; here are all tests together ([`suite`]), what they have in
//! common ([`book`]), and native runs of what was found ([`confirm`]).

mod book;
mod collect;
mod confirm;
mod job;
mod project;
mod suite;
mod test;

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tempfile::TempDir;
use umbra_case::shell_word;
use umbra_ir::Program;
use umbra_report::{
    AmplifyFinding, AmplifyReport, AmplifyTests, CaseDiff, CheckCounts, Colour, DistanceLine,
    FindingTest, RunFolder, SampleLine,
};
use umbra_strategy::Seed;
use umbra_text::Show;

use crate::diff::{NamedSeed, Seeds, find_seeds, shapes};
use crate::native::Sandboxes;
use crate::program::{self, Bitcode, Tools};
use crate::{Error, Subject, Watched};
use book::{Book, Found};
use confirm::Confirming;
pub use job::{AmplifyJob, CheckName, UnknownCheck};
pub use project::{AmplifyProject, AmplifyWatch, amplify_project};
use suite::Amplified;

/// A program, with what runs natively.
pub struct AmplifyProgram {
    program: Arc<Program>,
    /// The executable of this very module.
    plain: Option<umbra_replay::Program>,
    /// One with sanitizers.
    sanitized: Option<umbra_replay::Program>,
    /// What makes places of addresses.
    symbolizer: Option<PathBuf>,
    /// Folders in which it was built.
    trees: Vec<PathBuf>,
    /// They go with it.
    _made: (Option<Bitcode>, Option<TempDir>),
}

impl AmplifyProgram {
    /// Finds or makes the bitcode and the executables of a program. `sanitized` is a build with sanitizers; of a C file one is
    /// made.
    pub fn load(
        subject: &Subject,
        sanitized: Option<&Path>,
        toolchain: Tools<'_>,
    ) -> Result<Self, Error> {
        let bitcode = program::find_bitcode(&subject.program, None, toolchain)?;
        let program = Arc::new(program::load(&bitcode)?);
        let plain = bitcode.executable().map(umbra_replay::Program::open).transpose();
        let is_source = subject.program.extension().is_some_and(|end| end == "c");
        let tools = if is_source || sanitized.is_some() { toolchain().ok() } else { None };
        let (sanitized, folder) = match (sanitized, &tools) {
            (Some(path), _) => (Some(path.to_owned()), None),
            (None, Some(tools)) => {
                let folder = program::scratch(tools)?;
                let exe = folder.path().join("checking");
                // It is evidence beside the rest: without it things are less certain, and are said to be.
                let made = umbra_project::compile_checking(tools, &subject.program, &exe);
                (made.is_ok().then_some(exe), Some(folder))
            }
            (None, None) => (None, None),
        };
        let sanitized = sanitized.map(|path| umbra_replay::Program::open(&path)).transpose();
        Ok(Self {
            program,
            plain: plain.map_err(Error::Native)?,
            sanitized: sanitized.map_err(Error::Native)?,
            symbolizer: tools.map(|tools| tools.tools.symbolizer.clone()),
            trees: Vec::new(),
            _made: (Some(bitcode), folder),
        })
    }
}

/// Amplifies the tests that a job names. Times of the whole and the exit code are left to the caller.
pub fn amplify(
    job: &AmplifyJob,
    program: &AmplifyProgram,
    folder: &mut RunFolder,
    watched: &Watched<'_>,
    sandboxes: &Sandboxes,
) -> Result<AmplifyReport, Error> {
    let seeds = find_seeds(&job.subject.program, &job.tests)?;
    watched.guard.set_up();
    let report = amplify_program(job, program, seeds, folder, watched, sandboxes);
    watched.guard.over();
    report
}

/// The same for tests that were found already.
fn amplify_program(
    job: &AmplifyJob,
    program: &AmplifyProgram,
    Seeds { all: mut seeds, other_programs }: Seeds,
    folder: &mut RunFolder,
    watched: &Watched<'_>,
    sandboxes: &Sandboxes,
) -> Result<AmplifyReport, Error> {
    let given = seeds.len();
    if let Some(most) = job.sample {
        draw(&mut seeds, most, job.strategy.seed);
    }
    let sample = job.sample.map(|_| SampleLine::of(given as u64, seeds.len() as u64));
    let own = seeds.len();
    let bases = add_moves(&mut seeds, job.moves);
    let bytes = |test: usize| seeds[test].seed.case().input_bytes();
    let moved =
        bases.iter().zip(own..).map(|(&base, test)| bytes(base).abs_diff(bytes(test)).max(1));
    let moved: Vec<u64> = std::iter::repeat_n(0, own).chain(moved).collect();
    let book = Mutex::new(Book::default());
    let amplified = suite::amplify(job, &program.program, (&seeds, &moved, &book), watched)?;
    let book = book.into_inner().unwrap_or_else(PoisonError::into_inner);
    let tests = AmplifyTests {
        given: given as u64 + other_programs,
        other_programs,
        sampled: sample.as_ref().map_or(0, |sample| sample.drawn),
        followed: amplified.followed,
        shapes: amplified.moves,
        cut: amplified.cut,
        failing: amplified.failing,
    };
    let mut report = counted(job, &amplified, &book, tests);
    report.sample = sample;
    let confirming = Confirming::start(job, program, sandboxes);
    for found in book.found {
        let case = folder.write_case(&found.example.case)?;
        let mut line = line(&found, &seeds, |test| bases.get(test.wrapping_sub(own)).copied());
        let (native, detail) = confirming.run(&found.example.case, &found.finding).parts();
        (line.native, line.native_detail) = (native.to_owned(), detail);
        line.command = job.called.as_ref().and_then(|called| {
            let script = folder.path().join(&case.name).join("run.sh");
            let script = || shell_word(script.as_os_str().as_encoded_bytes());
            let line = found.example.case.shell_line(called);
            line.or_else(|| Some(format!("{} {called}", script()?)))
        });
        line.case = Some(case.name);
        report.findings.push(line);
    }
    report.replay_s = confirming.seconds();
    let is_shown = |line: &AmplifyFinding| matches!(line.native.as_str(), "crash" | "sanitizer");
    report.findings.sort_by_key(|line| {
        (!is_shown(line), line.distance, line.depth, line.file.clone(), line.line)
    });
    Ok(report)
}

/// Keeps so many tests, drawn by lots that are the same for the same seed, in their order.
fn draw(seeds: &mut Vec<NamedSeed>, most: usize, seed: u64) {
    let lot = |position: usize| {
        let mut hasher = DefaultHasher::new();
        (seed, position).hash(&mut hasher);
        hasher.finish()
    };
    let mut drawn: Vec<usize> = (0..seeds.len()).collect();
    drawn.sort_unstable_by_key(|&position| lot(position));
    drawn.truncate(most);
    let mut position = 0..;
    seeds.retain(|_| position.next().is_some_and(|position| drawn.contains(&position)));
}

/// Adds tests in other shapes: an argument, a line or a few bytes more or less. Each test has some, as evenly as can be. Returns for
/// each the position of the test that it was made of.
fn add_moves(seeds: &mut Vec<NamedSeed>, most: usize) -> Vec<usize> {
    let mut known: HashSet<_> = seeds.iter().map(|named| named.seed.case().id()).collect();
    let of = |named: &NamedSeed| shapes(named.seed.case()).into_iter();
    let mut shapes: Vec<_> = seeds.iter().take(most).map(of).collect();
    let mut bases = Vec::new();
    while bases.len() < most && shapes.iter().any(|shapes| shapes.len() > 0) {
        for (base, shapes) in shapes.iter_mut().enumerate() {
            let Some((what, case)) = shapes.next() else { continue };
            if bases.len() < most && known.insert(case.id()) {
                let name = format!("{} ({what})", seeds[base].name);
                seeds.push(NamedSeed { name, seed: Seed::of_case(case) });
                bases.push(base);
            }
        }
    }
    bases
}

/// The numbers of a report.
fn counted(
    job: &AmplifyJob,
    amplified: &Amplified,
    book: &Book,
    tests: AmplifyTests,
) -> AmplifyReport {
    let Amplified { counts, statistics, .. } = amplified;
    let mut left_out = book.left_out.clone();
    let more = [
        ("checks that were thinned out", counts.thinned),
        ("divergence points that were not kept", counts.forgotten),
        ("checks without an answer", counts.unknown),
    ];
    left_out.extend(
        more.map(|(what, count)| (what.to_owned(), count))
            .into_iter()
            .filter(|(_, count)| *count > 0),
    );
    if let Some(stopped) = amplified.stopped {
        left_out.insert(format!("stopped: {}", stopped.name()), 1);
    }
    let dropped = statistics.dropped.iter();
    left_out.extend(dropped.map(|(limit, count)| (format!("states: {limit}"), *count)));
    let unknown = statistics.unknown.iter();
    left_out.extend(unknown.map(|(why, count)| (format!("queries: {why}"), *count)));
    let failures = statistics.failures.iter();
    left_out.extend(failures.map(|(how, count)| (format!("solver failures: {how}"), *count)));
    let reached =
        amplified.distances.iter().filter(|(distance, done)| **distance == 0 || done.1 > 0);
    let distances = reached.map(|(&distance, &(tests, points))| DistanceLine {
        distance,
        bound: job.bound(distance),
        tests,
        points,
        findings: book.found.iter().filter(|found| found.nearest.0 == distance).count() as u64,
    });
    AmplifyReport {
        complete: left_out.is_empty() && tests.cut == 0 && amplified.stopped.is_none(),
        tests,
        checks: CheckCounts {
            made: counts.checks,
            lines: amplified.lines.len() as u64,
            safe: counts.safe,
            failing: counts.failing,
            unknown: counts.unknown,
            repeated: counts.repeated,
            thinned: counts.thinned,
        },
        distances: distances.collect(),
        left_out,
        follow_s: amplified.concrete.1,
        concrete_s: amplified.concrete.0,
        median_overhead: median(&amplified.ratios),
        instructions: statistics.instructions,
        queries: statistics.queries,
        solver_s: statistics.solver_time.as_secs_f64(),
        ..AmplifyReport::default()
    }
}

/// The middle one of some numbers; `None` if there are none.
fn median(numbers: &[f64]) -> Option<f64> {
    let mut numbers = numbers.to_vec();
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied()
}

/// What is reported of an error.
fn line(
    found: &Found,
    seeds: &[NamedSeed],
    base: impl Fn(usize) -> Option<usize>,
) -> AmplifyFinding {
    let Found { finding, tests, nearest, example, .. } = found;
    let seed = &seeds[example.test];
    // What is shown is what was changed in the test itself, the move included.
    let before = seeds[base(example.test).unwrap_or(example.test)].seed.case();
    let change = CaseDiff { seed: before, case: &example.case, colour: Colour::Plain }.to_string();
    let mut tests: Vec<FindingTest> = tests
        .iter()
        .map(|(test, distance)| FindingTest {
            test: seeds[*test].name.clone(),
            distance: *distance,
        })
        .collect();
    tests.sort_by_key(|test| test.distance);
    AmplifyFinding {
        program: None,
        kind: finding.kind.clone(),
        file: finding.place.file.clone(),
        line: finding.place.line,
        stack: finding.stack.clone(),
        detail: finding.detail.trim_end().to_owned(),
        distance: nearest.0,
        depth: nearest.1,
        test: seed.name.shown().to_string(),
        changed_bytes: example.changed,
        least: example.is_least,
        change,
        tests,
        ..AmplifyFinding::default()
    }
}
