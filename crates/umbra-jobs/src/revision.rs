//! Revisions of the project, built: the executables of all its programs.

use std::collections::BTreeMap;

use umbra_project::{Build, Builder, Flavour, Progress, Revision};
use umbra_replay::{Program, Siblings};

use crate::Error;

/// Shows how a build goes.
pub type ShowBuild = Box<dyn FnMut(&Progress)>;

/// Makes what shows how a build of this name goes; it is dropped when the build is over.
pub type Building<'a> = &'a dyn Fn(String) -> ShowBuild;

/// Executables by the names of programs.
pub type Programs = BTreeMap<String, Program>;

/// A revision that was built for analysis.
pub struct BuiltRevision {
    /// Its programs; each may run the others.
    pub programs: Programs,
    /// The build, which keeps them in the cache.
    pub build: Build,
}

impl BuiltRevision {
    /// Builds a revision, unless the cache has it.
    pub fn new(
        builder: &Builder,
        revision: &Revision,
        building: Building<'_>,
    ) -> Result<Self, Error> {
        let (mut programs, build) = build_one(builder, revision, Flavour::Analysis, building)?;
        let siblings = Siblings::from(programs.clone());
        introduce(&mut programs, &siblings);
        Ok(Self { programs, build })
    }
}

/// Builds one flavour of a revision, unless the cache has it.
pub(crate) fn build_one(
    builder: &Builder,
    revision: &Revision,
    flavour: Flavour,
    building: Building<'_>,
) -> Result<(Programs, Build), Error> {
    let mut show = building(format!("{} build of {revision}", flavour.name()));
    let build = builder.build(revision, flavour, &mut |progress| show(&progress))?;
    let mut programs = Programs::new();
    // A case knows its program by name: of several with one name, any might be the wrong one.
    let is_alone = |name: &str| build.programs.iter().filter(|it| it.name == name).count() == 1;
    for program in build.programs.iter().filter(|program| is_alone(&program.name)) {
        programs.insert(program.name.clone(), Program::open(&program.executable)?);
    }
    Ok((programs, build))
}

/// Lets programs run others.
pub(crate) fn introduce(programs: &mut Programs, siblings: &Siblings) {
    for program in programs.values_mut() {
        *program = program.clone().with_siblings(siblings);
    }
}
