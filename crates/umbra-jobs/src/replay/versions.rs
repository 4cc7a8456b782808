//! Which executables the cases run on.

use std::path::Path;

use umbra_project::{Build, Builder, Flavour, Revision};
use umbra_replay::{Program, Siblings};

use super::{ReplayJob, ReplayOn, ReplayWatch};
use crate::Error;
use crate::native::Executables;
use crate::patch::Patch;
use crate::revision::{Programs, build_one, introduce};

/// What was asked for.
pub enum Versions {
    /// One executable, for every case.
    One(Program),
    /// An old version and one or more new ones.
    Two(Vec<Pair>),
}

/// Two versions of all programs.
pub struct Pair {
    /// What the new version is called.
    pub name: String,
    /// The old version.
    pub old: Version,
    /// The new version.
    pub new: Version,
    /// What differs between their sources, if these are known.
    pub patch: Option<Patch>,
}

impl Pair {
    /// The old and the new executable of a program.
    pub fn programs(&self, name: &str) -> Option<(&Program, &Program)> {
        Some((self.old.programs.get(name)?, self.new.programs.get(name)?))
    }
}

/// One version of all programs.
#[derive(Clone, Default)]
pub struct Version {
    /// Executables by the names of programs. The empty name stands for all.
    pub programs: Programs,
    /// Those with sanitizers.
    pub sanitized: Programs,
    /// What keeps the executables in the cache.
    builds: Vec<Build>,
}

impl Version {
    /// The executables for cases of a program.
    pub fn executables(&self, name: &str) -> Option<Executables<'_>> {
        let sanitized = self.sanitized.get(name).or_else(|| self.sanitized.get(""));
        let plain = self.programs.get(name).or_else(|| self.programs.get("")).or(sanitized)?;
        let trees = self.builds.iter().map(|build| build.tree.clone()).collect();
        Some(Executables { plain, sanitized, trees })
    }
}

/// Finds or builds the executables.
pub fn find(job: &ReplayJob, watch: &ReplayWatch<'_>) -> Result<Versions, Error> {
    match &job.on {
        ReplayOn::Program(program) => Ok(Versions::One(Program::open(program)?)),
        ReplayOn::Pair { old, new } => {
            let given = |path: &Path| given(path, job.sanitize);
            let name = new.to_string_lossy().into_owned();
            Ok(Versions::Two(vec![Pair { name, old: given(old)?, new: given(new)?, patch: None }]))
        }
        ReplayOn::Revisions { range, also } => revisions(job, range.as_deref(), also, watch),
    }
}

/// An executable that stands for all programs.
fn given(path: &Path, sanitize: bool) -> Result<Version, Error> {
    let program = Program::open(path)?;
    let mut version = Version::default();
    let programs = match program.is_sanitized() && sanitize {
        true => &mut version.sanitized,
        false => &mut version.programs,
    };
    programs.insert(String::new(), program);
    Ok(version)
}

fn revisions(
    job: &ReplayJob,
    range: Option<&str>,
    also: &[String],
    watch: &ReplayWatch<'_>,
) -> Result<Versions, Error> {
    let (builder, manifest) = (watch.project)().map_err(Error::Given)?;
    let repository = builder.repository();
    let range = repository.range(range)?;
    let old = version(&builder, &range.old, job.sanitize, watch)?;
    let mut pairs = Vec::new();
    let others = also.iter().map(|text| Revision::parse(text));
    for revision in std::iter::once(range.new).chain(others) {
        let new = version(&builder, &revision, job.sanitize, watch)?;
        let trees = (repository.resolve(&range.old)?, repository.resolve(&revision)?);
        let patch = match new.builds.first() {
            Some(build) => Some(Patch::new(repository, trees, &manifest.library, &build.tree)?),
            None => None,
        };
        pairs.push(Pair { name: revision.to_string(), old: old.clone(), new, patch });
    }
    Ok(Versions::Two(pairs))
}

fn version(
    builder: &Builder,
    revision: &Revision,
    sanitize: bool,
    watch: &ReplayWatch<'_>,
) -> Result<Version, Error> {
    let mut version = Version::default();
    let flavours = [Flavour::Analysis, Flavour::Checking];
    for flavour in flavours.into_iter().take(if sanitize { 2 } else { 1 }) {
        let (programs, build) = build_one(builder, revision, flavour, watch.building)?;
        match flavour {
            Flavour::Analysis => version.programs = programs,
            Flavour::Checking => version.sanitized = programs,
        }
        version.builds.push(build);
    }
    // Those with sanitizers need libraries that a case's tree does not have.
    let siblings = Siblings::from(version.programs.clone());
    introduce(&mut version.programs, &siblings);
    introduce(&mut version.sanitized, &siblings);
    Ok(version)
}
