//! What a project is, found by looking at its folder.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Manifest, loose, options, programs};
use crate::Error;

/// The build systems that are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuildSystem {
    /// A configure script, or the files to make one.
    Autotools,
    /// `CMakeLists.txt`.
    CMake,
    /// `meson.build`.
    Meson,
    /// A `Makefile` only.
    Make,
    /// C files, and nothing that says how to build them.
    Files,
}

impl BuildSystem {
    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            BuildSystem::Autotools => "autotools",
            BuildSystem::CMake => "CMake",
            BuildSystem::Meson => "Meson",
            BuildSystem::Make => "make",
            BuildSystem::Files => "C files",
        }
    }
}

/// What was found in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detected {
    /// Its build system, if it is a known one.
    pub system: Option<BuildSystem>,
    /// The manifest for it.
    pub manifest: Manifest,
    /// What the user should know or look at.
    pub notes: Vec<String>,
}

/// The folder of builds outside the source, for build systems that want one.
pub(super) const BUILD_FOLDER: &str = "umbra-build";

/// Folders that hold copies of library code in many projects.
const LIBRARY: &[&str] = &["lib", "gl", "gnulib", "gnulib-tests", "vendor", "third_party", "deps"];

/// Folders whose C code is about the programs, not of them.
pub(crate) const ASIDE: &[&str] = &[
    "tests",
    "test",
    "testsuite",
    "examples",
    "example",
    "bench",
    "benchmarks",
    "fuzz",
    "doc",
    "docs",
];

/// Looks at a folder: what to try first.
pub fn detect(folder: &Path) -> Result<Detected, Error> {
    let mut all = detect_all(folder)?;
    Ok(all.swap_remove(0))
}

/// Looks at a folder: all ways in which it may be built, the most likely first. There is at least
/// one, which may have no build system.
pub fn detect_all(folder: &Path) -> Result<Vec<Detected>, Error> {
    let names = names_in(folder)?;
    let has = |name: &str| names.iter().any(|entry| entry == name);
    let plain = plain(folder, &names);
    let mut all = Vec::new();
    let mut add = |system, fill_in: &dyn Fn(&mut Detected)| {
        let mut detected = plain.clone();
        detected.system = Some(system);
        fill_in(&mut detected);
        detected.manifest.programs = programs::find(folder, system);
        if detected.manifest.programs.is_empty() {
            let note = "found no list of programs: using every program that the build links";
            detected.notes.push(note.into());
        }
        all.push(detected);
    };
    if has("configure") || has("configure.ac") || has("configure.in") {
        add(BuildSystem::Autotools, &|detected| {
            autotools(folder, &has, &mut detected.manifest, &mut detected.notes);
        });
    }
    if has("CMakeLists.txt") {
        add(BuildSystem::CMake, &|detected| cmake(folder, &mut detected.manifest));
    }
    if has("meson.build") {
        add(BuildSystem::Meson, &|detected| meson(folder, &mut detected.manifest));
    }
    if MAKEFILES.into_iter().any(has) {
        add(BuildSystem::Make, &|detected| make(folder, &mut detected.manifest));
    }
    if all.is_empty() {
        let mut files = plain.clone();
        match loose::fill_in(folder, &mut files.manifest) {
            true => files.system = Some(BuildSystem::Files),
            false => files.notes.push("no build system found: fill in [build] and [test]".into()),
        }
        all.push(files);
    }
    for detected in &mut all {
        if detected.system.is_some() && detected.manifest.test.is_empty() {
            detected.notes.push("found no tests: fill in [test]".into());
        }
    }
    Ok(all)
}

const MAKEFILES: [&str; 3] = ["GNUmakefile", "Makefile", "makefile"];

fn names_in(folder: &Path) -> Result<Vec<OsString>, Error> {
    let listing = fs::read_dir(folder).map_err(Error::io("read", folder))?;
    listing.map(|entry| Ok(entry.map_err(Error::io("read", folder))?.file_name())).collect()
}

/// What does not depend on the build system.
fn plain(folder: &Path, names: &[OsString]) -> Detected {
    let mut manifest = Manifest { name: project_name(folder), ..Manifest::default() };
    let is_one_of = |path: &PathBuf, list: &[&str]| list.iter().any(|name| path == Path::new(name));
    let mut with_c: Vec<PathBuf> =
        names.iter().map(PathBuf::from).filter(|name| contains_c(&folder.join(name))).collect();
    with_c.retain(|name| !is_one_of(name, ASIDE));
    with_c.sort();
    (manifest.library, manifest.source) =
        with_c.into_iter().partition(|name| is_one_of(name, LIBRARY));
    Detected { system: None, manifest, notes: Vec::new() }
}

fn project_name(folder: &Path) -> Option<String> {
    let folder = folder.canonicalize().ok()?;
    folder.file_name().and_then(|name| name.to_str()).map(str::to_owned)
}

fn autotools(
    folder: &Path,
    has: &dyn Fn(&str) -> bool,
    manifest: &mut Manifest,
    notes: &mut Vec<String>,
) {
    let steps = &mut manifest.build;
    if !has("configure") {
        let own = ["bootstrap", "autogen.sh", "buildconf"].into_iter().find(|name| has(name));
        steps.prepare = match own {
            Some("bootstrap") => "./bootstrap --skip-po".into(),
            Some(name) => format!("NOCONFIGURE=1 ./{name}"),
            None => "autoreconf -fi".into(),
        };
        notes.push(format!(
            "no configure script: `{}` will make it (you need autoconf and automake)",
            steps.prepare
        ));
        if has("bootstrap") && has("gnulib") {
            notes.push("gnulib is a submodule: check it out first".into());
        }
    }
    // Translated messages are not what is tested, and need tools of their own.
    let script = fs::read(folder.join("configure")).unwrap_or_default();
    let offers_nls = script.windows(13).any(|window| window == b"--disable-nls");
    if offers_nls {
        steps.configure = "./configure --disable-nls".into();
    }
}

fn cmake(folder: &Path, manifest: &mut Manifest) {
    let steps = &mut manifest.build;
    let options = options::cmake(folder).join(" ");
    steps.configure = format!("cmake -S . -B {BUILD_FOLDER} {options}");
    steps.build = format!("cmake --build {BUILD_FOLDER}");
    manifest.test = format!("ctest --test-dir {BUILD_FOLDER}");
}

fn meson(folder: &Path, manifest: &mut Manifest) {
    let steps = &mut manifest.build;
    steps.configure =
        format!("meson setup {BUILD_FOLDER} --native-file \"$UMBRA_MESON_NATIVE_FILE\"");
    for option in options::meson(folder) {
        steps.configure += &format!(" {option}");
    }
    steps.build = format!("meson compile -C {BUILD_FOLDER}");
    manifest.test = format!("meson test -C {BUILD_FOLDER}");
}

fn make(folder: &Path, manifest: &mut Manifest) {
    // What a Makefile sets hides the environment, but not the command line.
    let steps = &mut manifest.build;
    steps.configure = String::new();
    steps.build = "make CC=\"$CC\" AR=\"$AR\" RANLIB=\"$RANLIB\" NM=\"$NM\"".into();
    let makefiles = MAKEFILES.into_iter();
    let makefile = makefiles.filter_map(|name| fs::read_to_string(folder.join(name)).ok()).next();
    let makefile = makefile.unwrap_or_default();
    let target = TEST_TARGETS.into_iter().find(|target| has_target(&makefile, target));
    // The rule may be in a file that is included.
    let includes = makefile.lines().any(|line| line.trim_start_matches('-').starts_with("include"));
    manifest.test = match (target, loose::script(folder)) {
        (Some(target), _) => test_target(target),
        (None, Some(script)) => format!("sh {script}"),
        (None, None) if includes => test_target("check"),
        (None, None) => String::new(),
    };
}

/// Names of targets that run tests.
pub(super) const TEST_TARGETS: [&str; 3] = ["check", "test", "tests"];

/// The command for a target of a Makefile that was written by hand.
pub(super) fn test_target(target: &str) -> String {
    format!("make {target} CC=\"$CC\" AR=\"$AR\" RANLIB=\"$RANLIB\" NM=\"$NM\"")
}

pub(super) fn has_target(makefile: &str, target: &str) -> bool {
    makefile.lines().any(|line| {
        line.split_once(':').is_some_and(|(names, _)| {
            !names.starts_with('\t') && names.split_whitespace().any(|name| name == target)
        })
    })
}

/// Whether a folder holds C files, itself or one level below.
fn contains_c(folder: &Path) -> bool {
    let is_c = |path: &Path| path.extension().is_some_and(|extension| extension == "c");
    let children = |folder: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect()
    };
    let below = children(folder);
    below.iter().any(|path| is_c(path))
        || below.iter().any(|path| path.is_dir() && children(path).iter().any(|path| is_c(path)))
}
