//! What suites have in common.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Result;
use testkit::filetest::two_at_a_time;
use testkit::symex::real::{self, Package, Subject};
use testkit::symex::suite::programs;

/// What the suites need to know.
pub struct Settings {
    pub umbra: PathBuf,
    pub full: bool,
    pub filter: String,
}

impl Settings {
    pub fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
    }

    /// The programs of a folder of the corpus that are wanted.
    pub fn programs(&self, folder: &str) -> Result<Vec<PathBuf>> {
        let mut sources = programs(&Self::root().join("tests/symex").join(folder))?;
        sources.retain(|source| source.to_string_lossy().contains(&self.filter));
        Ok(sources)
    }

    /// The programs of a package that are wanted.
    pub fn subjects(&self, package: &str) -> Result<Vec<Subject>> {
        let file = Self::root().join("tests/symex/real").join(package).with_extension("txt");
        let mut subjects = real::subjects(&std::fs::read_to_string(file)?)?;
        subjects.retain(|subject| subject.name.contains(&self.filter));
        Ok(subjects)
    }

    pub fn package(&self, name: &str) -> Result<Package> {
        Package::build(&Self::root(), &self.umbra, name)
    }
}

/// The name of a program of the corpus.
pub fn name(source: &Path) -> String {
    source.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Checks each program, two at a time, and prints what came of it; what is wrong is returned.
pub fn each(
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
