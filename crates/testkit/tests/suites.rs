//! The symbolic engine against the corpus in `tests/symex` and against real programs.
//!
//! By default the share that fits CI; `UMBRA_SUITE=full` runs all. A suite's name as argument picks
//! it, `UMBRA_SYMEX` names programs (a part of their path), `UMBRA_GENERATED` seeds (`SEED:COUNT`). `UMBRA` is the command to test, by
//! default the release build beside this one. They need the set-up.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use testkit::filetest::{Toolbox, two_at_a_time, umbra_command};
use testkit::generate::suite::Wanted;
use testkit::limits;
use testkit::symex::bugs::{self, Effort};
use testkit::symex::classes::Counted;
use testkit::symex::directives::Directives;
use testkit::symex::enumerated::Share;
use testkit::symex::exhaustive::{self, Checked};
use testkit::symex::explore::Manner;
use testkit::symex::native::Sanitizer;
use testkit::symex::nursery::Nursery;
use testkit::symex::planted::Planted;
use testkit::symex::real::{self, Package, Row, Subject};
use testkit::symex::suite::programs;
use testkit::symex::{
    classes, command, confirmed, determinism, injected, killed, mutants, near, reports, states,
    unified, upstream, versions,
};

/// What the suites need to know.
struct Settings {
    umbra: PathBuf,
    full: bool,
    filter: String,
}

impl Settings {
    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
    }

    /// The programs of a folder of the corpus that are wanted.
    fn programs(&self, folder: &str) -> Result<Vec<PathBuf>> {
        let mut sources = programs(&Self::root().join("tests/symex").join(folder))?;
        sources.retain(|source| source.to_string_lossy().contains(&self.filter));
        Ok(sources)
    }

    /// The programs of a package that are wanted.
    fn subjects(&self, package: &str) -> Result<Vec<Subject>> {
        let file = Self::root().join("tests/symex/real").join(package).with_extension("txt");
        let mut subjects = real::subjects(&std::fs::read_to_string(file)?)?;
        subjects.retain(|subject| subject.name.contains(&self.filter));
        Ok(subjects)
    }

    fn package(&self, name: &str) -> Result<Package> {
        Package::build(&Self::root(), &self.umbra, name)
    }
}

/// Programs and inputs that use up time or memory, one at a time: what they take is measured.
fn limits_suite(settings: &Settings) -> Result<Vec<String>> {
    let folder = Settings::root().join("tests/limits");
    let scratch = tempfile::tempdir()?;
    let mut built = BTreeMap::new();
    let mut wrong = Vec::new();
    for row in limits::rows(&std::fs::read_to_string(folder.join("table.txt"))?)? {
        let wanted = row.name.contains(&settings.filter);
        if !wanted || !(settings.full || row.quick || !settings.filter.is_empty()) {
            continue;
        }
        if !built.contains_key(&row.program) {
            let source = folder.join(&row.program).with_extension("c");
            let program = command::compile(&settings.umbra, &source, scratch.path())?;
            built.insert(row.program.clone(), program);
        }
        let name = &row.name;
        match row.check(&settings.umbra, &built[&row.program]) {
            Ok(taken) => println!("{name:20} {taken}"),
            Err(error) => {
                println!("{name:20} {error:#}");
                wrong.push(format!("{name}: {error:#}"));
            }
        }
    }
    Ok(wrong)
}

/// Runs one suite: what is wrong.
type Suite = fn(&Settings) -> Result<Vec<String>>;

const SUITES: &[(&str, Suite)] = &[
    ("bugs", |settings| corpus(settings, "bugs")),
    ("features", |settings| corpus(settings, "features")),
    ("functions", |settings| corpus(settings, "functions")),
    ("exhaustive", exhaustive_suite),
    ("generated", generated_suite),
    ("shadow", shadow_suite),
    ("mutants", mutants_suite),
    ("near", near_suite),
    ("upstream", upstream_suite),
    ("native", native_suite),
    ("reports", reports_suite),
    ("classes", classes_suite),
    ("injected", injected_suite),
    ("unify", unify_suite),
    ("determinism", determinism_suite),
    ("limits", limits_suite),
    ("states", states_suite),
    ("killed", killed_suite),
    ("real", real_suite),
    ("planted", planted_suite),
];

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
    // Other processes of the suites are this executable, too.
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    if let [what, file] = words.as_slice() {
        let file = Path::new(file);
        match what.to_str() {
            Some(states::REMAKE) => return states::remake(file).map(|()| true),
            Some(killed::WORK) => return killed::work(file).map(|()| true),
            Some(umbra_jobs::LOAD) => {
                umbra_ir::load_child(file, &mut std::io::stdout().lock())?;
                return Ok(true);
            }
            _ => {}
        }
    }
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

/// Checks each program, two at a time, and prints what came of it; what is wrong is returned.
fn each(
    sources: &[PathBuf],
    check: impl Fn(&Path) -> Result<String> + Sync,
) -> Result<Vec<String>> {
    let verdicts = two_at_a_time(sources.len(), |at| {
        let (start, name) = (Instant::now(), name(&sources[at]));
        let verdict = check(&sources[at]).map_err(|error| format!("{name}: {error:#}"));
        let line = verdict.as_deref().unwrap_or_else(|wrong| wrong);
        println!("{name:28} {line} {:6.1} s", start.elapsed().as_secs_f64());
        verdict.err()
    });
    Ok(verdicts.into_iter().flatten().collect())
}

/// Programs that the real command line explores.
fn corpus(settings: &Settings, folder: &str) -> Result<Vec<String>> {
    let sources = settings.programs(folder)?;
    let sanitizer = Sanitizer::new()?;
    let effort = match settings.full {
        true => Effort { time: Duration::from_secs(60), tests: 1000, scripts: 20 },
        false => Effort { time: Duration::from_secs(20), tests: 40, scripts: 2 },
    };
    each(&sources, |source| {
        let checked = bugs::check(&settings.umbra, &sanitizer, source, effort)?;
        Ok(format!(
            "{:6} paths{} {:2} findings {:5} tests",
            checked.paths,
            if checked.complete { " " } else { "+" },
            checked.findings,
            checked.tests
        ))
    })
}

/// In CI each program is explored in the usual manner and in one of the others in turn, else in all.
fn exhaustive_suite(settings: &Settings) -> Result<Vec<String>> {
    let sources = settings.programs("exhaustive")?;
    let sanitizer = Sanitizer::new()?;
    each(&sources, |source| {
        let at = sources.iter().position(|other| other == source).unwrap_or(0) as u64;
        let effort = match settings.full {
            true => exhaustive::Effort {
                plain: Share::All,
                checked: Share::About(4096),
                errors: 16384,
                manners: (0..Manner::COUNT).map(Manner::number).collect(),
            },
            false => exhaustive::Effort {
                plain: Share::About(2048),
                checked: Share::About(64),
                errors: 256,
                manners: [0, 1 + at % (Manner::COUNT - 1)].map(Manner::number).to_vec(),
            },
        };
        let Checked { paths, errors, inputs } =
            exhaustive::check(&settings.umbra, &sanitizer, source, &effort)?;
        Ok(format!("{paths:6} paths {errors:4} errors {inputs:6} inputs"))
    })
}

/// Generated programs, from the seed 1 on.
const GENERATED: u64 = 100;
const GENERATED_FULL: u64 = 2000;

/// Random programs of which every input is known. `UMBRA_GENERATED` is `SEED:COUNT`, or a seed.
fn generated_suite(settings: &Settings) -> Result<Vec<String>> {
    let count = if settings.full { GENERATED_FULL } else { GENERATED };
    let wanted = match std::env::var("UMBRA_GENERATED").ok().filter(|text| !text.is_empty()) {
        Some(text) => Wanted::parse(&text, settings.full)?,
        None => Wanted { seed: 1, count, full: settings.full },
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("generated");
    testkit::generate::suite::run(&settings.umbra, wanted, &folder)
}

/// Programs with two versions.
fn shadow_suite(settings: &Settings) -> Result<Vec<String>> {
    let mut sources = programs(&Settings::root().join("tests/shadow"))?;
    sources.retain(|source| source.to_string_lossy().contains(&settings.filter));
    let share = if settings.full { Share::All } else { Share::About(1024) };
    each(&sources, |source| {
        let versions::Checked { same, diff, inputs, divergent } =
            versions::check(&settings.umbra, source, share)?;
        Ok(format!("{same:5} same {diff:5} diff paths {divergent:6} of {inputs:6} inputs"))
    })
}

/// Faults that a patch plants, from tests that do not show them.
fn near_suite(settings: &Settings) -> Result<Vec<String>> {
    let mut sources = programs(&Settings::root().join("tests/shadow/near"))?;
    sources.retain(|source| source.to_string_lossy().contains(&settings.filter));
    let sanitizer = Sanitizer::new()?;
    each(&sources, |source| {
        let near::Checked { seeds, confirmed } = near::check(&settings.umbra, &sanitizer, source)?;
        Ok(format!("found from {seeds} tests, {confirmed} inputs differ natively"))
    })
}

/// The patch of an upstream change that is checked in CI.
const SMALL_CHANGE: &str = "cut-compare-ranges";

/// Upstream changes of coreutils.
fn upstream_suite(settings: &Settings) -> Result<Vec<String>> {
    let (root, patches) = (Settings::root(), upstream_patches(settings)?);
    each(&patches, |patch| {
        let upstream::Checked { seeds, found, different } =
            upstream::check(&root, &settings.umbra, patch)?;
        Ok(format!("{seeds} tests, {found} divergences, {different} of them natively"))
    })
}

/// The annotated upstream changes that are wanted.
fn upstream_patches(settings: &Settings) -> Result<Vec<PathBuf>> {
    let folder = Settings::root().join("tests/shadow/upstream");
    let entries = std::fs::read_dir(&folder).with_context(|| format!("{}", folder.display()))?;
    let mut patches: Vec<PathBuf> =
        entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    patches.retain(|patch| patch.extension().is_some_and(|ending| ending == "patch"));
    patches.retain(|patch| patch.to_string_lossy().contains(&settings.filter));
    if !settings.full && settings.filter.is_empty() {
        patches.retain(|patch| name(patch) == SMALL_CHANGE);
    }
    patches.sort();
    ensure!(!patches.is_empty() || !settings.filter.is_empty(), "there is no patch");
    Ok(patches)
}

/// What native runs of two versions come to.
fn native_suite(settings: &Settings) -> Result<Vec<String>> {
    let mut sources = programs(&Settings::root().join("tests/shadow/native"))?;
    sources.retain(|source| source.to_string_lossy().contains(&settings.filter));
    each(&sources, |source| {
        let replayed = confirmed::check(&settings.umbra, source)?;
        Ok(format!("{replayed} cases ran natively on both versions"))
    })
}

/// What is printed about two versions.
fn reports_suite(settings: &Settings) -> Result<Vec<String>> {
    let mut sources = programs(&Settings::root().join("tests/shadow/reports"))?;
    sources.retain(|source| source.to_string_lossy().contains(&settings.filter));
    let bless = std::env::var_os("BLESS").is_some_and(|value| value == "1");
    let toolbox = Toolbox { umbra: settings.umbra.clone(), bless };
    each(&sources, |source| Ok(format!("{} reports", reports::check(&toolbox, source)?)))
}

/// In CI, one of so many programs with two versions, and so many mutants of a routine.
const CLASSES_STEP: usize = 6;
const CLASSES_MUTANTS: u32 = 2;

/// Predicted classes against native ones, of all programs with two versions.
fn classes_suite(settings: &Settings) -> Result<Vec<String>> {
    let shadow = Settings::root().join("tests/shadow");
    let mut sources = Vec::new();
    for folder in ["", "native", "near", "reports", "mutants"] {
        sources.extend(programs(&shadow.join(folder))?);
    }
    for source in settings.programs("exhaustive")? {
        if injected::is_suitable(&source)? {
            sources.push(source);
        }
    }
    sources.retain(|source| source.to_string_lossy().contains(&settings.filter));
    if !settings.full && settings.filter.is_empty() {
        sources = sources.into_iter().step_by(CLASSES_STEP).collect();
    }
    let mutants = if settings.full { u32::MAX } else { CLASSES_MUTANTS };
    let header = injected::header();
    let header = header.to_str().context("the path is text")?;
    let (sanitizer, all) = (Sanitizer::new()?, Mutex::new(Counted::default()));
    let wrong = each(&sources, |source| {
        let flags: &[&str] = match source.starts_with(&shadow) {
            true => &[],
            false => &["-include", header],
        };
        let counted = classes::check(&settings.umbra, &sanitizer, source, flags, mutants)?;
        all.lock().unwrap_or_else(PoisonError::into_inner).add(&counted);
        Ok(counted.to_string())
    })?;
    println!("{}", all.into_inner().unwrap_or_else(PoisonError::into_inner));
    Ok(wrong)
}

/// In CI, one of so many of these programs.
const INJECTED_STEP: usize = 3;

/// The exhaustive programs with a change injected into their inputs.
fn injected_suite(settings: &Settings) -> Result<Vec<String>> {
    let mut sources = settings.programs("exhaustive")?;
    if !settings.full && settings.filter.is_empty() {
        sources = sources.into_iter().step_by(INJECTED_STEP).collect();
    }
    let about = if settings.full { u64::MAX } else { 512 };
    each(&sources, |source| {
        Ok(match injected::check(&settings.umbra, source, about)? {
            Some(inputs) => format!("{inputs:6} inputs"),
            None => "left out".to_owned(),
        })
    })
}

/// Two versions that become one by themselves.
fn unify_suite(settings: &Settings) -> Result<Vec<String>> {
    let Settings { umbra, full, filter } = settings;
    let edits = match std::env::var("UMBRA_GENERATED") {
        Ok(text) if !text.is_empty() => Some(Wanted::parse(&text, *full)?),
        _ => None,
    };
    unified::suite::run(&unified::suite::Asked { umbra, full: *full, filter, edits })
}

/// Mutants that there are to be, and those of them that do not terminate.
const MUTANTS: usize = 80;
const HANGING: usize = 2;

/// Mutants of small routines, all inputs of each.
fn mutants_suite(settings: &Settings) -> Result<Vec<String>> {
    let mut sources = programs(&Settings::root().join("tests/shadow/mutants"))?;
    sources.retain(|source| source.to_string_lossy().contains(&settings.filter));
    let (all, hang) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let mut wrong = each(&sources, |source| {
        let mutants::Checked { mutants, equivalent, hanging, diff, divergent } =
            mutants::check(&settings.umbra, source)?;
        all.fetch_add(mutants, Ordering::Relaxed);
        hang.fetch_add(hanging, Ordering::Relaxed);
        Ok(format!(
            "{mutants:3} mutants, {equivalent} equivalent, {hanging} not terminating, \
             {diff:5} diff paths, {divergent:6} divergent inputs"
        ))
    })?;
    let (all, hang) = (all.into_inner(), hang.into_inner());
    if settings.filter.is_empty() && (all < MUTANTS || hang < HANGING) {
        wrong.push(format!("{all} mutants, {hang} of them not terminating: too few"));
    }
    Ok(wrong)
}

/// Programs, arguments and instructions of the runs that are compared. The last one is of coreutils.
const REPEATED: [(&str, &str, u64); 3] = [
    ("bugs/global_overflow_histogram.c", "--sym-stdin 3", 30_000),
    ("features/args_getopt_long.c", "--sym-args 0 2 5", 40_000),
    ("src/cut", "--sym-args 0 2 4 --sym-files 1 8", 300_000),
];

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
fn states_suite(settings: &Settings) -> Result<Vec<String>> {
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
fn killed_suite(settings: &Settings) -> Result<Vec<String>> {
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

fn determinism_suite(settings: &Settings) -> Result<Vec<String>> {
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

/// Packages with programs that are explored.
const PACKAGES: [&str; 2] = ["coreutils", "binutils"];

/// Programs of coreutils that are explored in CI, and for how long.
const SMALL: [&str; 2] = ["cut", "tr"];
const SMALL_TIME: Duration = Duration::from_secs(10);
const FULL_TIME: Duration = Duration::from_secs(120);
const PLANTED_TIME: Duration = Duration::from_secs(60);

/// Percent of a program's own lines that must run, on average, and of findings that must be
/// confirmed.
const COVERAGE: f64 = 60.0;
const CONFIRMED: f64 = 95.0;

fn real_suite(settings: &Settings) -> Result<Vec<String>> {
    let time = if settings.full { FULL_TIME } else { SMALL_TIME };
    let mut programs = BTreeMap::new();
    for name in PACKAGES {
        let mut subjects = settings.subjects(name)?;
        if !settings.full && settings.filter.is_empty() {
            subjects.retain(|subject| SMALL.contains(&subject.name.as_str()));
        }
        if !subjects.is_empty() {
            let package = Arc::new(settings.package(name)?);
            let program =
                |subject: Subject| (PathBuf::from(&subject.name), (package.clone(), subject));
            programs.extend(subjects.into_iter().map(program));
        }
    }
    let names: Vec<PathBuf> = programs.keys().cloned().collect();
    let rows = Mutex::new(Vec::new());
    let mut wrong = each(&names, |name| {
        let (package, subject) = &programs[name];
        let row = package.check(subject, time)?;
        let line = format!(
            "{:7} paths {:5.1} % of {:4} lines {:4} of {:4} tests {:2} of {:2} findings",
            row.paths,
            row.coverage(),
            row.lines.1,
            row.tests.0,
            row.tests.1,
            row.confirmed,
            row.findings
        );
        for remark in &row.remarks {
            println!("    {}: {remark}", name.display());
        }
        let bad = row.tests.1 - row.tests.0;
        rows.lock().unwrap_or_else(PoisonError::into_inner).push(row);
        ensure!(bad == 0, "{bad} tests do not go as predicted\n{line}");
        Ok(line)
    })?;
    let rows = rows.into_inner().unwrap_or_else(PoisonError::into_inner);
    let average = rows.iter().map(Row::coverage).sum::<f64>() / rows.len().max(1) as f64;
    let (confirmed, findings) =
        rows.iter().fold((0, 0), |(some, all), row| (some + row.confirmed, all + row.findings));
    println!(
        "average {average:.1} % of {} programs, {confirmed} of {findings} findings",
        rows.len()
    );
    if settings.full && average < COVERAGE {
        wrong.push(format!("only {average:.1} % of the programs' own lines ran, on average"));
    }
    if (confirmed as f64) < findings as f64 * CONFIRMED / 100.0 {
        wrong.push(format!("only {confirmed} of {findings} findings show themselves natively"));
    }
    Ok(wrong)
}

fn planted_suite(settings: &Settings) -> Result<Vec<String>> {
    if !settings.full && settings.filter.is_empty() {
        return Ok(Vec::new());
    }
    let (package, subjects) = (settings.package("coreutils")?, settings.subjects("coreutils")?);
    let nursery = Nursery::new(&package)?;
    let mut faults = Vec::new();
    for subject in &subjects {
        let patch = format!("tests/symex/planted/{}.patch", subject.name);
        let patch = Settings::root().join(patch);
        if patch.exists() {
            let planted = Planted::read(&patch)?;
            let faulty = nursery.plant(&planted)?;
            faults.push((planted, faulty, &subject.planted));
        }
    }
    ensure!(
        !settings.filter.is_empty() || faults.len() >= 12,
        "{} faults are too few",
        faults.len()
    );
    let programs: Vec<PathBuf> = faults.iter().map(|(_, faulty, _)| faulty.exe.clone()).collect();
    each(&programs, |program| {
        let fault = faults.iter().find(|(_, faulty, _)| faulty.exe == program);
        let (planted, faulty, words) = fault.context("a fault")?;
        let paths = nursery.check(planted, faulty, words, PLANTED_TIME)?;
        Ok(format!("{paths:7} paths, {planted} found and confirmed"))
    })
}
