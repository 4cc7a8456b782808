//! Which executables the cases run on.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use umbra_project::{Build, Builder, BuiltProgram, Flavour, Revision, RevisionRange};
use umbra_replay::{Program, Siblings};

use super::{ReplayJob, ReplayOn, ReplayWatch};
use crate::cases::{Found, program_of};
use crate::native::Executables;
use crate::patch::Patch;
use crate::program::{self, Tools};
use crate::revision::{Building, Programs, build_one, introduce};
use crate::{CallChoice, CallSource, Error};

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

    /// Builds all programs with sanitizers, too.
    pub fn add_sanitized(
        &mut self,
        builder: &Builder,
        revision: &Revision,
        building: Building<'_>,
    ) -> Result<(), Error> {
        let (mut programs, build) = build_one(builder, revision, Flavour::Checking, building)?;
        introduce(&mut programs, &Siblings::from(self.programs.clone()));
        self.sanitized = programs;
        self.builds.push(build);
        Ok(())
    }

    /// The programs that were built for analysis.
    pub fn built(&self) -> &[BuiltProgram] {
        self.builds.first().map_or(&[], |build| &build.programs)
    }

    /// The folder in which they were built.
    pub fn tree(&self) -> Option<&Path> {
        self.builds.first().map(|build| build.tree.as_path())
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
        ReplayOn::Revisions { range, also } => {
            let (builder, manifest) = (watch.project)().map_err(Error::Given)?;
            let range = builder.repository().range(range.as_deref())?;
            let how = How { sanitize: job.sanitize, building: watch.building };
            let old = how.version(&builder, &range.old)?;
            let new = how.version(&builder, &range.new)?;
            let pair = pair((&builder, &manifest.library), &range, old, new)?;
            let mut pairs = vec![pair];
            for text in also {
                let range = RevisionRange { old: range.old.clone(), new: Revision::parse(text) };
                let new = how.version(&builder, &range.new)?;
                let old = pairs[0].old.clone();
                pairs.push(self::pair((&builder, &manifest.library), &range, old, new)?);
            }
            Ok(Versions::Two(pairs))
        }
    }
}

/// The same versions with the calls of a function hooked, of those programs that cases are for. Builds with
/// sanitizers have no module, and take no part.
pub fn hook(
    versions: Versions,
    function: &str,
    cases: &[Found],
    tools: Tools<'_>,
) -> Result<Versions, Error> {
    let mut names = BTreeSet::from([String::new()]);
    for found in cases {
        names.insert(program_of(&found.read()?.case));
    }
    let choice = CallChoice::These(Vec::new());
    let source = CallSource { functions: vec![function.to_owned()], choice };
    let hooked = |program: &Program| -> Result<Program, Error> {
        let bitcode = program::bitcode_beside(program.path())?;
        let bitcode = program::hooked(bitcode, Some(&source), tools)?;
        let executable = bitcode.executable().ok_or(Error::CallsWithoutNative)?;
        Ok(Program::open(executable)?)
    };
    let version = |version: Version| -> Result<Version, Error> {
        let wanted = version.programs.iter().filter(|(name, _)| names.contains(*name));
        let programs = wanted.map(|(name, program)| Ok((name.clone(), hooked(program)?)));
        let programs = programs.collect::<Result<_, Error>>()?;
        Ok(Version { programs, sanitized: Programs::default(), builds: version.builds })
    };
    Ok(match versions {
        Versions::One(program) => Versions::One(hooked(&program)?),
        Versions::Two(pairs) => {
            let pairs = pairs.into_iter().map(|pair| {
                let (old, new) = (version(pair.old)?, version(pair.new)?);
                Ok(Pair { old, new, ..pair })
            });
            Versions::Two(pairs.collect::<Result<_, Error>>()?)
        }
    })
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

/// How revisions are built.
pub struct How<'a> {
    /// Whether builds with sanitizers are made as well.
    pub sanitize: bool,
    /// Shows how a build goes.
    pub building: Building<'a>,
}

impl How<'_> {
    /// Builds all programs of a revision.
    pub fn version(&self, builder: &Builder, revision: &Revision) -> Result<Version, Error> {
        let mut version = Version::default();
        let flavours = [Flavour::Analysis, Flavour::Checking];
        for flavour in flavours.into_iter().take(if self.sanitize { 2 } else { 1 }) {
            let (programs, build) = build_one(builder, revision, flavour, self.building)?;
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
}

/// Two revisions that were built, with the patch between them.
pub fn pair(
    (builder, library): (&Builder, &[PathBuf]),
    range: &RevisionRange,
    old: Version,
    new: Version,
) -> Result<Pair, Error> {
    let repository = builder.repository();
    let trees = (repository.resolve(&range.old)?, repository.resolve(&range.new)?);
    let patch = match new.builds.first() {
        Some(build) => Some(Patch::new(repository, trees, library, &build.tree)?),
        None => None,
    };
    Ok(Pair { name: range.new.to_string(), old, new, patch })
}
