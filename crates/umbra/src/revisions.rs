//! Revisions of the project, built for analysis: the executables of all its programs.

use std::collections::BTreeMap;

use umbra_project::{Build, Builder, Flavour, Revision};
use umbra_replay::{Program, Siblings};

use crate::project::Display;

/// One version of all programs.
pub struct Version {
    /// Executables by the names of programs; each may run the others.
    pub programs: BTreeMap<String, Program>,
    /// The build, which keeps them in the cache.
    pub build: Build,
}

/// Builds a revision, unless the cache has it.
pub fn version(builder: &Builder, revision: &Revision) -> anyhow::Result<Version> {
    let flavour = Flavour::Analysis;
    let mut display = Display::new(format!("{} build of {revision}", flavour.name()));
    let build = builder.build(revision, flavour, &mut |progress| display.show(&progress))?;
    drop(display);
    let mut programs = BTreeMap::new();
    for program in &build.programs {
        programs.insert(program.name.clone(), Program::open(&program.executable)?);
    }
    let siblings = Siblings::from(programs.clone());
    for program in programs.values_mut() {
        *program = program.clone().with_siblings(&siblings);
    }
    Ok(Version { programs, build })
}
