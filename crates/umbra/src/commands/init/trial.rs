//! Trying what was found in a project: configure, build, and the first tests, recorded.
//!
//! What fails and can be mended is, and is tried again; what cannot is told.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use umbra_project::{
    BuildSystem, Detected, Error, Flavour, Manifest, Missing, Progress, Repair, Revision, WorkTree,
    asked_for, build_tests, missing, other_target, repair,
};
use umbra_record::{RecordConfig, Sample, Summary};
use umbra_text::Show;

use crate::commands::record::{record_in, shell_line, why_none};
use crate::project::{self, Display};

/// How much is seen of the tests.
const SAMPLE: Sample =
    Sample { after_first: Duration::from_secs(3), at_most: Duration::from_secs(120) };

/// What came out of trying.
pub struct Trial {
    /// What was found, as it was mended.
    pub detected: Detected,
    /// What was mended.
    pub repairs: Vec<String>,
    end: End,
    /// What is not there.
    missing: BTreeSet<Missing>,
    /// Libraries that were looked for in vain.
    libraries: BTreeSet<&'static str>,
    submodules: BTreeSet<PathBuf>,
}

/// How far it came.
enum End {
    /// A test was recorded.
    Works { programs: usize, run: usize, cases: usize, whole: bool },
    /// There are programs, but no test was recorded.
    Untested { programs: usize, why: String },
    /// There are no programs.
    Unbuilt(String),
}

impl Trial {
    /// Tries what was found in a folder.
    pub fn make(folder: &Path, detected: Detected) -> anyhow::Result<Trial> {
        let mut trial = Trial {
            detected,
            repairs: Vec::new(),
            end: End::Unbuilt(String::new()),
            missing: BTreeSet::new(),
            libraries: BTreeSet::new(),
            submodules: BTreeSet::new(),
        };
        let Some(system) = trial.detected.system else { return Ok(trial) };
        trial.end = trial.test_out(folder, system)?;
        Ok(trial)
    }

    /// Whether a test was recorded.
    pub fn works(&self) -> bool {
        matches!(self.end, End::Works { .. })
    }

    /// Whether there are programs.
    pub fn builds(&self) -> bool {
        !matches!(self.end, End::Unbuilt(_))
    }

    /// What works and what does not.
    pub fn sentence(&self) -> String {
        match &self.end {
            End::Works { programs, run, cases, whole } => {
                let all = if *whole { "the tests" } else { "the first tests" };
                let (programs, cases) = (counted(*programs, "program"), counted(*cases, "case"));
                format!(
                    "it builds {programs}, and {all} ran {run} of them ({cases}); \
                     `umbra record` records the tests"
                )
            }
            End::Untested { programs, why } => {
                let programs = counted(*programs, "program");
                format!("it builds {programs}, but no test was recorded: {why}")
            }
            End::Unbuilt(why) => format!("it does not build yet: {why}"),
        }
    }

    /// What is missing, a line each.
    pub fn missing(&self) -> Vec<String> {
        let sentence = self.sentence();
        let library = |missing: &Missing| match missing {
            Missing::Library(name) => Some(*name),
            _ => None,
        };
        let absent: Vec<&str> = self.missing.iter().filter_map(library).collect();
        let mut lines: Vec<String> = self
            .missing
            .iter()
            .filter(|missing| absent.len() < 2 || library(missing).is_none())
            .map(|missing| format!("missing: {missing}"))
            .filter(|line| !sentence.contains(line))
            .collect();
        // One line to paste, however many there are.
        if absent.len() > 1 {
            let (names, list) = (absent.join(" "), absent.join(", "));
            lines.push(format!(
                "missing: the libraries {list} (`umbra deps add {names}` builds them)"
            ));
        }
        for path in &self.submodules {
            let path = path.shown();
            lines.push(format!("missing: the submodule {path} (`git submodule update --init`)"));
        }
        let named = |name: &&'static str| !self.missing.contains(&Missing::Library(name));
        let others: Vec<&str> = self.libraries.iter().copied().filter(named).collect();
        if !others.is_empty() {
            let names = others.join(" ");
            lines.push(format!("it also looks for {names}: `umbra deps add {names}` builds that"));
        }
        lines
    }

    fn test_out(&mut self, folder: &Path, system: BuildSystem) -> anyhow::Result<End> {
        let mut first = None;
        loop {
            let Built::Done(tree) = self.build(folder, system)? else {
                // What mending has broken was better before.
                return Ok(self.restored(first));
            };
            let programs = tree.build.programs.len();
            let manifest = &mut self.detected.manifest;
            if manifest.test.is_empty() {
                let why = "no tests were found; fill in `command` of [test]".into();
                return Ok(End::Untested { programs, why });
            }
            let (summary, output) = sample(&tree, manifest)?;
            drop(tree);
            if !summary.cases.is_empty() {
                let (run, cases) = (summary.by_program.len(), summary.unique());
                return Ok(End::Works { programs, run, cases, whole: !summary.sampled });
            }
            if let Some(Repair(what)) = other_target(manifest, &output) {
                self.repairs.push(what);
                continue;
            }
            self.missing.extend(missing(&output));
            if summary.sampled && summary.invocations == 0 {
                let seconds = SAMPLE.at_most.as_secs();
                let why = format!("in the first {seconds} s they ran none of the programs");
                return Ok(End::Untested { programs, why });
            }
            let why = match summary.invocations {
                0 if summary.status != 0 => format!("the tests fail: {}", last_line(&output)),
                _ => why_none(&summary),
            };
            if first.is_none() {
                let end = End::Untested { programs, why };
                first = Some((manifest.clone(), self.repairs.len(), end));
            }
            // Tests that run none of the programs have programs of their own.
            let mended = match summary.invocations {
                0 => self.count_tests(system),
                _ => None,
            };
            match mended {
                Some(Repair(what)) => self.repairs.push(what),
                None => return Ok(self.restored(first)),
            }
        }
    }

    /// Goes back to what was there before, if there was anything.
    fn restored(&mut self, before: Option<(Manifest, usize, End)>) -> End {
        let Some((manifest, repairs, end)) = before else {
            return std::mem::replace(&mut self.end, End::Unbuilt(String::new()));
        };
        self.detected.manifest = manifest;
        self.repairs.truncate(repairs);
        end
    }

    /// Lets the programs of tests count, and be built.
    fn count_tests(&mut self, system: BuildSystem) -> Option<Repair> {
        let manifest = &mut self.detected.manifest;
        if manifest.tests.is_none() {
            manifest.tests = Some(true);
            manifest.programs.clear();
            // Those that are there already may be enough.
            if system != BuildSystem::Autotools {
                return Some(Repair("the tests' own programs count".into()));
            }
        }
        build_tests(manifest, system)
    }

    /// Builds, and mends what can be.
    fn build(&mut self, folder: &Path, system: BuildSystem) -> anyhow::Result<Built> {
        loop {
            let manifest = &mut self.detected.manifest;
            let builder = match project::trial_builder(folder, manifest) {
                Ok(builder) => builder,
                Err(error) if error.downcast_ref::<Error>().is_some_and(is_of_git) => {
                    let why = format!("nothing was tried: {error}");
                    self.end = End::Unbuilt(why);
                    return Ok(Built::Failed);
                }
                Err(error) => return Err(error),
            };
            let mut display = Display::new("trial build".into());
            let mut absent = Vec::new();
            let mut submodules = BTreeSet::new();
            let result =
                builder.work_tree(&Revision::WorkingTree, Flavour::Analysis, &mut |progress| {
                    match &progress {
                        Progress::MissingProgram(path) => absent.push(path.clone()),
                        Progress::MissingSubmodule(path) => {
                            submodules.insert(path.clone());
                        }
                        _ => display.show(&progress),
                    }
                });
            drop(display);
            self.submodules = submodules;
            let mended = match result {
                Ok(tree) => {
                    let log = fs::read(&tree.build.log).unwrap_or_default();
                    self.libraries = asked_for(&String::from_utf8_lossy(&log));
                    manifest.programs.retain(|path| !absent.contains(path));
                    return Ok(Built::Done(Box::new(tree)));
                }
                Err(Error::Build(failure)) => {
                    let log = fs::read(&failure.log).unwrap_or_default();
                    let log = String::from_utf8_lossy(&log);
                    self.missing = missing(&log);
                    self.libraries = asked_for(&log);
                    self.end = End::Unbuilt(failure.to_string());
                    repair(manifest, system, &log)
                }
                Err(Error::NoPrograms { wanted, .. }) if !wanted.is_empty() => {
                    manifest.programs.clear();
                    let what = "the build files name programs that are not built: every program that is linked counts";
                    Some(Repair(what.into()))
                }
                Err(Error::NoPrograms { .. }) => {
                    let why = "the build links no program with `umbra cc`".to_owned();
                    self.end = End::Unbuilt(why);
                    build_tests(manifest, system)
                }
                Err(error) => return Err(error.into()),
            };
            match mended {
                Some(Repair(what)) => self.repairs.push(what),
                None => return Ok(Built::Failed),
            }
        }
    }
}

/// What became of a build.
enum Built {
    Done(Box<WorkTree>),
    /// [`Trial::end`] says why.
    Failed,
}

fn is_of_git(error: &Error) -> bool {
    matches!(error, Error::Git(_))
}

/// Records the first tests; what they printed.
fn sample(tree: &WorkTree, manifest: &Manifest) -> anyhow::Result<(Summary, String)> {
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    let log = scratch.path().join("log");
    let programs = tree.build.programs.iter();
    let programs = programs.map(|program| tree.folder().join(&program.path_in_tree)).collect();
    let mut config = RecordConfig::new(programs, scratch.path().join("store"));
    config.sample = Some(SAMPLE);
    config.patience = Duration::from_secs(1);
    let line = format!("exec >'{}' 2>&1\n{}", log.to_string_lossy(), manifest.test);
    let summary = record_in(tree, manifest, config, &shell_line(&line))?;
    let output = fs::read(&log).unwrap_or_default();
    Ok((summary, String::from_utf8_lossy(&output).into_owned()))
}

fn counted(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

fn last_line(output: &str) -> String {
    let last = output.lines().rev().find(|line| !line.trim().is_empty());
    last.unwrap_or("they print nothing").shown().to_string()
}
