//! Targets in the programs of a project: a line, a function, or all changed code of a patch.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use umbra_project::{BuiltProgram, Revision};
use umbra_report::{ReachProgram, ReachReport, RunFolder, TargetLine};
use umbra_strategy::Seed;
use umbra_text::Show;
use umbra_words::{Place, TargetBlock, Version};

use super::{ReachJob, ReachWatch, Subject, Wanted, Work};
use crate::cases::{Found, find_cases, program_of, recordings};
use crate::diff::seeds::NamedSeed;
use crate::patch::Counted;
use crate::revision::Building;
use crate::{BuiltRevision, Error, Patch, Project, Tests};

/// Whose code is to be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReachIn {
    /// The code that the job names, in this revision.
    Revision(String),
    /// All changed code of a patch.
    Patch(Option<String>),
}

/// Targets of a program of the project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReachPart {
    /// The name of the program.
    pub name: String,
    /// Its path in the built tree.
    pub path: PathBuf,
    /// The version that has them.
    pub version: Version,
    /// The executable, with bitcode beside it.
    pub executable: PathBuf,
    /// The targets.
    pub targets: Vec<TargetBlock>,
}

/// Looks for inputs in programs of a project: in those that are named, or in all that have the code.
pub fn reach_in_project(
    job: &ReachJob,
    (project, building): (&Project, Building<'_>),
    (code, programs): (&ReachIn, &[PathBuf]),
    folder: &mut RunFolder,
    watch: &ReachWatch<'_>,
) -> Result<ReachReport, Error> {
    let searching = Searching { job, project, building, programs, watch };
    let mut report = ReachReport {
        folder: folder.path().to_string_lossy().into_owned(),
        notes: project.notes.clone(),
        ..ReachReport::default()
    };
    // Builds are in the cache as long as these live.
    let (parts, builds) = match code {
        ReachIn::Revision(revision) => searching.of_code(revision, &mut report)?,
        ReachIn::Patch(range) => searching.of_patch(range.as_deref(), &mut report)?,
    };
    let tests = searching.tests()?;
    let is_one = matches!(code, ReachIn::Revision(_));
    let native = |part: &ReachPart| {
        // The new version is the last one.
        let built = match part.version {
            Version::Old => builds.first(),
            Version::New => builds.last(),
        };
        built?.programs.get(&part.name).cloned()
    };
    reach_parts(job, (parts, is_one), &native, &tests, (folder, watch), &mut report)?;
    Ok(report)
}

/// Looks for inputs in one program after the other; with `is_one` until one has run its targets.
pub fn reach_parts(
    job: &ReachJob,
    (parts, is_one): (Vec<ReachPart>, bool),
    native: &dyn Fn(&ReachPart) -> Option<umbra_replay::Program>,
    tests: &BTreeMap<String, Vec<Found>>,
    (folder, watch): (&mut RunFolder, &ReachWatch<'_>),
    report: &mut ReachReport,
) -> Result<(), Error> {
    let mut parts: Vec<ReachPart> =
        parts.into_iter().filter(|part| !part.targets.is_empty()).collect();
    // Those with tests first.
    parts.sort_by_key(|part| {
        let is_old = part.version == Version::Old;
        (is_old, !tests.contains_key(&part.name), part.path.clone())
    });
    for at in 0..parts.len() {
        if watch.watched.control.stopped().is_some() {
            report.notes.push(format!("{} programs were not looked at", parts.len() - at));
            break;
        }
        let others = parts[at + 1..].iter().map(|part| part.targets.len()).sum();
        let part = &parts[at];
        let own = read(tests.get(&part.name).map_or(&[], |found| found))?;
        let mut job = job.clone();
        job.subject.program.clone_from(&part.executable);
        let subject = Subject::read(&part.executable, watch.tools)?;
        let work = Work { job: &job, folder, watch, others };
        let program = work.reach(&subject, part.targets.clone(), own, native(part))?;
        let path = part.path.to_string_lossy();
        let path = match part.version {
            Version::Old => format!("{path} (old)"),
            Version::New => path.into_owned(),
        };
        let program = ReachProgram { path, ..program };
        let is_run = program.targets.iter().any(TargetLine::is_run);
        report.instructions += program.instructions;
        report.programs.push(program);
        let rest = parts.len() - at - 1;
        if is_one && is_run && rest > 0 {
            report.notes.push(format!("{rest} more programs have this code"));
            break;
        }
    }
    Ok(())
}

/// All tests, by the names of their programs.
pub fn by_program(paths: &[PathBuf]) -> Result<BTreeMap<String, Vec<Found>>, Error> {
    let mut tests: BTreeMap<String, Vec<Found>> = BTreeMap::new();
    for found in find_cases(paths)? {
        let name = program_of(&found.read()?.case);
        tests.entry(name).or_default().push(found);
    }
    Ok(tests)
}

/// The tests of a program.
fn read(found: &[Found]) -> Result<Vec<NamedSeed>, Error> {
    let seeds = found.iter().map(|found| {
        let named = found.read()?;
        Ok(NamedSeed { name: named.name, seed: Seed::of_case(named.case) })
    });
    seeds.collect()
}

struct Searching<'a> {
    job: &'a ReachJob,
    project: &'a Project,
    building: Building<'a>,
    programs: &'a [PathBuf],
    watch: &'a ReachWatch<'a>,
}

impl Searching<'_> {
    fn build(&self, revision: &Revision) -> Result<BuiltRevision, Error> {
        BuiltRevision::new(&self.project.builder, revision, self.building)
    }

    fn is_meant(&self, program: &BuiltProgram) -> bool {
        let names = |wanted: &PathBuf| {
            wanted.as_os_str() == program.name.as_str() || *wanted == program.path_in_tree
        };
        self.programs.is_empty() || self.programs.iter().any(names)
    }

    /// The programs of a build that are meant.
    fn meant<'b>(&self, built: &'b BuiltRevision) -> Result<Vec<&'b BuiltProgram>, Error> {
        let all = &built.build.programs;
        let meant: Vec<&BuiltProgram> =
            all.iter().filter(|program| self.is_meant(program)).collect();
        match (self.programs.first(), meant.is_empty()) {
            (Some(name), true) => {
                let known = all.iter().map(|program| program.name.clone()).collect();
                Err(Error::NoProgram { name: name.to_string_lossy().into_owned(), known })
            }
            _ => Ok(meant),
        }
    }

    /// What the tests are, by the names of programs.
    fn tests(&self) -> Result<BTreeMap<String, Vec<Found>>, Error> {
        let own = recordings(&self.project.folder)?;
        let paths = match &self.job.tests {
            Tests::Cases(paths) if !paths.is_empty() => paths.clone(),
            _ if own.is_dir() => vec![own],
            _ => return Err(Error::NotRecorded(own)),
        };
        by_program(&paths)
    }

    /// The code that is named, in the programs that have it.
    fn of_code(
        &self,
        revision: &str,
        report: &mut ReachReport,
    ) -> Result<(Vec<ReachPart>, Vec<BuiltRevision>), Error> {
        let built = self.build(&Revision::parse(revision))?;
        let (mut parts, mut missing) = (Vec::new(), None);
        for program in self.meant(&built)? {
            (self.watch.doing)(&format!("looking into {}", program.name));
            if !built.programs.contains_key(&program.name) {
                continue;
            }
            let subject = Subject::read(&program.executable, self.watch.tools)?;
            match subject.module.targets(&self.job.wanted, &program.path_in_tree) {
                Ok(targets) => parts.push(part(program, targets)),
                Err(error @ Error::NoCode { .. }) => missing = Some(error),
                Err(error @ (Error::NoFile { .. } | Error::NoFunction { .. })) => {
                    missing.get_or_insert(error);
                }
                Err(error) => return Err(error),
            }
        }
        if let (true, Some(error)) = (parts.is_empty(), missing) {
            return Err(error);
        }
        if let (Wanted::Line { file, line }, 2..) = (&self.job.wanted, parts.len()) {
            let names: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
            let names = names.join(", ");
            report.notes.push(format!("{}:{line} is in {}", file.shown(), names.shown()));
        }
        Ok((parts, vec![built]))
    }

    /// All changed code of a patch.
    fn of_patch(
        &self,
        range: Option<&str>,
        report: &mut ReachReport,
    ) -> Result<(Vec<ReachPart>, Vec<BuiltRevision>), Error> {
        let repository = self.project.builder.repository();
        let range = repository.range(range)?;
        let (old, new) = (self.build(&range.old)?, self.build(&range.new)?);
        let trees = (repository.resolve(&range.old)?, repository.resolve(&range.new)?);
        let patch = Patch::new(repository, trees, &self.project.manifest.library, &new.build.tree)?;
        let mut parts = Vec::new();
        for program in self.meant(&new)? {
            let names = (old.programs.get(&program.name), new.programs.get(&program.name));
            let (Some(before), Some(native)) = names else {
                let name = program.path_in_tree.shown();
                report.notes.push(format!("{name}: only one of the versions has it"));
                continue;
            };
            (self.watch.doing)(&format!("finding the changed lines of {}", program.name));
            match patch.of_program(before, native) {
                Ok(counted) => {
                    parts.push(part(program, targets(&counted, Version::New)));
                    // Lines that are gone are targets of the version that had them.
                    let removed = ReachPart {
                        version: Version::Old,
                        executable: before.path().to_owned(),
                        ..part(program, targets(&counted, Version::Old))
                    };
                    parts.push(removed);
                }
                Err(error) => {
                    let name = program.path_in_tree.shown();
                    report.notes.push(format!("{name}: its changed lines are not known: {error}"));
                }
            }
        }
        if parts.iter().all(|part| part.targets.is_empty()) {
            report.notes.push("no changed line has code in a program".to_owned());
        }
        Ok((parts, vec![old, new]))
    }
}

fn part(program: &BuiltProgram, targets: Vec<TargetBlock>) -> ReachPart {
    ReachPart {
        name: program.name.clone(),
        path: program.path_in_tree.clone(),
        version: Version::New,
        executable: program.executable.clone(),
        targets,
    }
}

/// The blocks of a version that have changed lines.
pub fn targets(counted: &[Counted], version: Version) -> Vec<TargetBlock> {
    let mut blocks: BTreeMap<u32, (String, BTreeSet<Place>)> = BTreeMap::new();
    for (candidate, counters) in counted {
        let target = &candidate.line.target;
        if target.version != version {
            continue;
        }
        for counter in counters {
            let known = blocks
                .entry(*counter)
                .or_insert_with(|| (target.function.clone(), BTreeSet::new()));
            known.1.insert(target.place.clone());
        }
    }
    let targets = blocks.into_iter().map(|(block, (function, lines))| TargetBlock {
        block,
        version,
        function,
        lines: lines.into_iter().collect(),
    });
    targets.collect()
}
