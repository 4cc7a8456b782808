//! The programs of a project, one after the other, with the tests that were recorded of each.
//!
//! Each program has a share of the time by the number of its tests; what one leaves is for those after it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use umbra_case::shell_word;
use umbra_project::{BuiltProgram, Flavour, Revision};
use umbra_report::{AmplifiedProgram, AmplifyReport, RunFolder};
use umbra_strategy::Seed;

use super::{AmplifyJob, AmplifyProgram, amplify_program};
use crate::cases::{Found, find_cases, program_of};
use crate::diff::{NamedSeed, Seeds};
use crate::native::Sandboxes;
use crate::program::Tools;
use crate::revision::{Building, BuiltRevision, Programs, build_one, introduce};
use crate::{Error, Project, Subject, Watched};

/// The least time for a program, whatever is left.
const LEAST: Duration = Duration::from_secs(2);

/// What is amplified of a project.
pub struct AmplifyProject<'a> {
    /// The project.
    pub project: &'a Project,
    /// Which revision of it.
    pub revision: &'a Revision,
    /// The tests, or folders and stores of them.
    pub cases: &'a [PathBuf],
    /// Only these programs, by name or path in the built tree; all, if there are none.
    pub programs: &'a [PathBuf],
    /// Whether a build with sanitizers is made as well.
    pub sanitize: bool,
}

/// Who knows what the work on a project needs, and is told how far it is.
pub struct AmplifyWatch<'a> {
    /// What keeps it within its limits.
    pub watched: Watched<'a>,
    /// How sandboxes are started.
    pub sandboxes: &'a Sandboxes,
    /// The tools.
    pub tools: Tools<'a>,
    /// Makes what shows how a build goes.
    pub building: Building<'a>,
    /// Is told which program is next, with the number of its tests.
    pub begins: &'a dyn Fn(&str, usize),
}

/// The programs of a project, built.
struct Built {
    revision: BuiltRevision,
    /// Those with sanitizers.
    sanitized: Programs,
    trees: Vec<PathBuf>,
    /// Why there are none, if they were wanted.
    without: Option<String>,
}

/// Amplifies the tests of a project. `usual` is the job of each program, but for the program and its tests.
pub fn amplify_project(
    usual: &AmplifyJob,
    what: &AmplifyProject<'_>,
    folder: &mut RunFolder,
    watch: &AmplifyWatch<'_>,
) -> Result<AmplifyReport, Error> {
    let built = Built::new(what, watch)?;
    let mut tests = by_program(what.cases)?;
    let own = |program: &&BuiltProgram| {
        let is_meant = |name: &PathBuf| {
            name.as_os_str() == program.name.as_str() || *name == program.path_in_tree
        };
        what.programs.is_empty() || what.programs.iter().any(is_meant)
    };
    let mut programs: Vec<&BuiltProgram> =
        built.revision.build.programs.iter().filter(own).collect();
    programs.sort_by(|one, other| one.path_in_tree.cmp(&other.path_in_tree));
    let mut report = AmplifyReport::default();
    let mut begun = Vec::new();
    for program in programs {
        match tests.remove(&program.name) {
            Some(tests) => begun.push((program, tests)),
            None => report.untested.push(program.path_in_tree.to_string_lossy().into_owned()),
        }
    }
    report.tests.other_programs = tests.values().map(|tests| tests.len() as u64).sum();
    report.tests.given = report.tests.other_programs;
    if let Some(why) = built.without.clone() {
        report.left_out.insert(format!("no build with sanitizers: {why}"), 1);
    }
    let budget = watch.watched.budget;
    let start = Instant::now();
    let mut rest: usize = begun.iter().map(|(_, tests)| tests.len()).sum();
    report.complete = true;
    for (program, tests) in begun {
        (watch.begins)(&program.name, tests.len());
        let (begun, count) = (Instant::now(), tests.len());
        let share = usual.limits.time.map(|all| {
            let left = all.saturating_sub(start.elapsed());
            left.mul_f64(count as f64 / rest.max(1) as f64).max(LEAST)
        });
        rest -= count;
        let time = share.map(|share| budget.start.elapsed() + share);
        let watched = Watched {
            budget: crate::Budget { time, ..budget },
            control: watch.watched.control,
            guard: watch.watched.guard,
        };
        let subject = Subject { program: program.executable.clone(), ..Subject::default() };
        let called = Path::new(".").join(&program.path_in_tree);
        let called = shell_word(called.as_os_str().as_encoded_bytes());
        let job = AmplifyJob { subject, called, ..usual.clone() };
        let of_program = match built.program(program, watch.tools) {
            Ok(loaded) => {
                let seeds = Seeds { all: read(&tests)?, other_programs: 0 };
                amplify_program(&job, &loaded, seeds, folder, &watched, watch.sandboxes)
            }
            Err(error) => Err(error),
        };
        let name = program.path_in_tree.to_string_lossy().into_owned();
        add(&mut report, name, of_program, (count, begun.elapsed()));
        if watch.watched.control.stopped().is_some() {
            break;
        }
    }
    Ok(report)
}

impl Built {
    fn new(what: &AmplifyProject<'_>, watch: &AmplifyWatch<'_>) -> Result<Self, Error> {
        let (builder, revision) = (&what.project.builder, what.revision);
        let analysis = BuiltRevision::new(builder, revision, watch.building)?;
        let mut trees = vec![analysis.build.tree.clone()];
        let (mut sanitized, mut without) = (Programs::new(), None);
        if what.sanitize {
            match build_one(builder, revision, Flavour::Checking, watch.building) {
                Ok((mut programs, build)) => {
                    introduce(&mut programs, &analysis.programs.clone().into());
                    (sanitized, trees) = (programs, [trees, vec![build.tree.clone()]].concat());
                }
                Err(error) => {
                    let text = error.to_string();
                    without = Some(text.lines().next().unwrap_or_default().to_owned());
                }
            }
        }
        Ok(Self { revision: analysis, sanitized, trees, without })
    }

    /// One program, ready to be amplified.
    fn program(&self, program: &BuiltProgram, tools: Tools<'_>) -> Result<AmplifyProgram, Error> {
        let subject = Subject { program: program.executable.clone(), ..Subject::default() };
        let loaded = AmplifyProgram::load(&subject, None, tools)?;
        let symbolizer = match self.sanitized.is_empty() {
            true => None,
            false => tools().ok().map(|tools| tools.tools.symbolizer),
        };
        Ok(AmplifyProgram {
            // These may run the other programs of the project.
            plain: self.revision.programs.get(&program.name).cloned().or(loaded.plain),
            sanitized: self.sanitized.get(&program.name).cloned(),
            trees: self.trees.clone(),
            symbolizer,
            ..loaded
        })
    }
}

/// Where the tests of each program are.
fn by_program(cases: &[PathBuf]) -> Result<BTreeMap<String, Vec<Found>>, Error> {
    let mut all: BTreeMap<String, Vec<Found>> = BTreeMap::new();
    for found in find_cases(cases)? {
        let program = program_of(&found.read()?.case);
        all.entry(program).or_default().push(found);
    }
    Ok(all)
}

fn read(tests: &[Found]) -> Result<Vec<NamedSeed>, Error> {
    let seed = |found: &Found| {
        let named = found.read()?;
        Ok(NamedSeed { name: named.name, seed: Seed::of_case(named.case) })
    };
    tests.iter().map(seed).collect()
}

/// Adds what came of one program.
fn add(
    all: &mut AmplifyReport,
    program: String,
    report: Result<AmplifyReport, Error>,
    (tests, time): (usize, Duration),
) {
    let mut line = AmplifiedProgram {
        program: program.clone(),
        tests: tests as u64,
        wall_s: time.as_secs_f64(),
        ..AmplifiedProgram::default()
    };
    match report {
        Ok(report) => {
            (line.findings, line.checks) = (report.findings.len() as u64, report.checks.made);
            line.median_overhead = report.median_overhead;
            all.add(report, &program);
        }
        // Nothing is known of this one; of the others it is.
        Err(error) => {
            line.left_out = Some(error.to_string());
            all.tests.given += tests as u64;
            all.tests.cut += tests as u64;
            all.complete = false;
        }
    }
    all.programs.push(line);
}
