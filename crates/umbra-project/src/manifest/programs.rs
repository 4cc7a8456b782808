//! The programs that a project builds, as its build files say.
//!
//! This is reading, not evaluation: names that a variable or a condition decides are left
//! out, and if any of them are, the list is empty, which means every program
//! that is linked. A list that is too short would hide programs.

use std::fs;
use std::path::{Path, PathBuf};

use super::BuildSystem;
use super::detect::{ASIDE, BUILD_FOLDER};

/// The paths of the programs in the built tree; empty if that is not plain to see.
pub fn find(folder: &Path, system: BuildSystem) -> Vec<PathBuf> {
    type Words = fn(&str) -> Option<Vec<String>>;
    let (name, words): (&str, Words) = match system {
        BuildSystem::Autotools => ("Makefile.am", automake),
        BuildSystem::CMake => ("CMakeLists.txt", |text| calls(text, "add_executable")),
        BuildSystem::Meson => ("meson.build", |text| calls(text, "executable")),
        BuildSystem::Make | BuildSystem::Files => return Vec::new(),
    };
    let below = match system {
        BuildSystem::Autotools => PathBuf::new(),
        _ => PathBuf::from(BUILD_FOLDER),
    };
    let mut programs = Vec::new();
    for place in [""].into_iter().map(PathBuf::from).chain(children(folder)) {
        let Ok(text) = fs::read_to_string(folder.join(&place).join(name)) else { continue };
        let Some(words) = words(&text) else { return Vec::new() };
        programs.extend(words.into_iter().map(|word| below.join(&place).join(word)));
    }
    programs.sort();
    programs.dedup();
    programs
}

/// The folders in a folder, except those of tests and examples.
fn children(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| PathBuf::from(entry.file_name()))
        .filter(|name| ASIDE.iter().all(|aside| name != Path::new(aside)))
        .collect();
    folders.sort();
    folders
}

/// The values of `bin_PROGRAMS` and its kin in a `Makefile.am`.
fn automake(text: &str) -> Option<Vec<String>> {
    let joined = text.replace("\\\n", " ");
    let mut programs = Vec::new();
    for line in joined.lines() {
        let Some((name, value)) = line.split_once('=') else { continue };
        let name = name.trim_end_matches('+').trim();
        if !["bin_PROGRAMS", "sbin_PROGRAMS", "libexec_PROGRAMS"].contains(&name) {
            continue;
        }
        for word in value.split_whitespace().take_while(|word| !word.starts_with('#')) {
            if word.contains(['$', '@']) {
                return None;
            }
            programs.push(word.to_owned());
        }
    }
    Some(programs)
}

/// The first argument of every call of a function in a CMake or Meson file.
fn calls(text: &str, function: &str) -> Option<Vec<String>> {
    let mut programs = Vec::new();
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default();
        let Some(at) = line.find(function) else { continue };
        let before = line[..at].trim_end();
        let Some(arguments) = line[at + function.len()..].trim_start().strip_prefix('(') else {
            continue;
        };
        if before.ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let word = arguments.split([' ', ',', ')']).find(|word| !word.is_empty())?;
        let word = word.trim_matches(['\'', '"']);
        if word.is_empty() || word.contains(['$', '<', '@']) {
            return None;
        }
        programs.push(word.to_owned());
    }
    Some(programs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_build_files() {
        let am =
            "bin_PROGRAMS = cmp diff \\\n  sdiff # more\nnoinst_PROGRAMS=x\nbin_PROGRAMS += y\n";
        assert_eq!(automake(am).unwrap(), ["cmp", "diff", "sdiff", "y"]);
        assert_eq!(automake("bin_PROGRAMS = a $(more)\n"), None);
        let cmake = "# add_executable(no x.c)\nadd_executable(one one.c)\nmy_add_executable(two)\n";
        assert_eq!(calls(cmake, "add_executable").unwrap(), ["one"]);
        assert_eq!(calls("add_executable(${NAME} a.c)\n", "add_executable"), None);
        let meson = "executable('one', 'one.c')\nx = executable('two',\n  'two.c')\n";
        assert_eq!(calls(meson, "executable").unwrap(), ["one", "two"]);
        assert_eq!(calls("executable(\n  'three')\n", "executable"), None);
    }
}
