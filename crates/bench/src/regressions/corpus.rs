//! The files of tests/regressions: what they hold, and that they keep their own rules.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::Context;
use serde::Deserialize;

use super::input::Input;

/// One file: a package and its entries.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Package {
    pub package: String,
    /// Where the source is from; `scripts/regression-sources` reads these two.
    #[serde(rename = "suite")]
    _suite: String,
    #[serde(rename = "version")]
    _version: String,
    pub programs: Vec<String>,
    /// Arguments for `configure`, if there is one.
    pub configure: Option<Vec<String>>,
    /// How else it is built, in words; `build/PACKAGE.toml` has the commands.
    pub build: Option<String>,
    #[serde(rename = "entry")]
    pub entries: Vec<Entry>,
    #[serde(rename = "excluded", default)]
    _excluded: Vec<Excluded>,
}

/// A patch that is taken back.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    pub name: String,
    #[serde(rename = "patch")]
    _patch: String,
    #[serde(rename = "series", default)]
    _series: Series,
    pub program: String,
    pub kind: Kind,
    #[serde(rename = "known")]
    _known: String,
    #[serde(rename = "why")]
    _why: String,
    pub bad: Input,
    pub seeds: Vec<Input>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Series {
    #[default]
    Full,
    UpTo,
}

/// What the bug does.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Kind {
    #[serde(rename = "crash")]
    Crash,
    #[serde(rename = "hang")]
    Hang,
    #[serde(rename = "out-of-bounds read")]
    Read,
    #[serde(rename = "out-of-bounds write")]
    Write,
    #[serde(rename = "wrong output")]
    Output,
    #[serde(rename = "wrong status")]
    Status,
}

impl Kind {
    /// Whether it may be that only a sanitizer sees it.
    pub fn needs_sanitizer(self) -> bool {
        matches!(self, Self::Read | Self::Write)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Excluded {
    #[serde(rename = "patch")]
    _patch: String,
    #[serde(rename = "reason")]
    _reason: String,
}

/// All packages of a folder, by name.
pub fn read(folder: &Path) -> anyhow::Result<BTreeMap<String, Package>> {
    let mut packages = BTreeMap::new();
    for file in fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))? {
        let path = file?.path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let text = fs::read_to_string(&path)?;
        let package: Package =
            toml::from_str(&text).with_context(|| format!("in {}", path.display()))?;
        packages.insert(package.package.clone(), package);
    }
    Ok(packages)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::{corpus_folder, recipe};
    use super::*;

    fn corpus() -> BTreeMap<String, Package> {
        read(&corpus_folder()).unwrap()
    }

    #[test]
    fn there_are_enough_entries_and_their_names_are_unique() {
        let packages = corpus();
        assert!(packages.len() >= 10, "{} packages", packages.len());
        let names: Vec<&str> = entries(&packages).map(|(_, entry)| &*entry.name).collect();
        assert!(names.len() >= 40, "{} entries", names.len());
        let unique: BTreeSet<&str> = names.iter().copied().collect();
        assert_eq!(unique.len(), names.len());
        for (package, entry) in entries(&packages) {
            let start = format!("{}-", package.package);
            assert!(entry.name.starts_with(&start), "{} of {}", entry.name, package.package);
        }
    }

    #[test]
    fn each_file_is_named_after_its_package() {
        for (name, package) in corpus() {
            assert!(corpus_folder().join(format!("{name}.toml")).is_file(), "{name}");
            let programs: BTreeSet<&str> =
                package.entries.iter().map(|entry| &*entry.program).collect();
            for program in programs {
                assert!(package.programs.iter().any(|one| one == program), "{name}: {program}");
            }
        }
    }

    #[test]
    fn every_package_says_how_it_is_built() {
        for package in corpus().values() {
            recipe::umbra_toml(package, &corpus_folder()).unwrap();
        }
    }

    #[test]
    fn five_seeds_differ_from_the_bad_input_and_from_each_other() {
        for (_, entry) in entries(&corpus()) {
            let name = &entry.name;
            assert_eq!(entry.seeds.len(), 5, "{name}");
            let id = |input: &Input| input.case(&entry.program).unwrap().id();
            let seeds: BTreeSet<_> = entry.seeds.iter().map(id).collect();
            assert_eq!(seeds.len(), 5, "{name}: two seeds are the same");
            assert!(!seeds.contains(&id(&entry.bad)), "{name}: a seed is the bad input");
        }
    }

    #[test]
    fn all_inputs_can_be_written_as_cases() {
        let folder = tempfile::tempdir().unwrap();
        for (_, entry) in entries(&corpus()) {
            for (number, input) in [&entry.bad].into_iter().chain(&entry.seeds).enumerate() {
                let case = input.case(&entry.program).unwrap();
                let path = folder.path().join(format!("{}-{number}", entry.name));
                case.write(&path)
                    .unwrap_or_else(|error| panic!("{} {number}: {error}", entry.name));
            }
        }
    }

    fn entries(packages: &BTreeMap<String, Package>) -> impl Iterator<Item = (&Package, &Entry)> {
        packages
            .values()
            .flat_map(|package| package.entries.iter().map(move |entry| (package, entry)))
    }
}
