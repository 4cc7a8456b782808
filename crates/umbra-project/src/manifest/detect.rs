//! What a project is, found by looking at its folder.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Manifest, programs};
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
}

impl BuildSystem {
    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            BuildSystem::Autotools => "autotools",
            BuildSystem::CMake => "CMake",
            BuildSystem::Meson => "Meson",
            BuildSystem::Make => "make",
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

/// Looks at a folder.
pub fn detect(folder: &Path) -> Result<Detected, Error> {
    let listing = fs::read_dir(folder).map_err(Error::io("read", folder))?;
    let mut names = Vec::new();
    for entry in listing {
        names.push(entry.map_err(Error::io("read", folder))?.file_name());
    }
    let has = |name: &str| names.iter().any(|entry| entry == name);
    let mut manifest = Manifest { name: project_name(folder), ..Manifest::default() };
    let mut notes = Vec::new();
    let system = if has("configure") || has("configure.ac") || has("configure.in") {
        autotools(folder, &has, &mut manifest, &mut notes);
        Some(BuildSystem::Autotools)
    } else if has("CMakeLists.txt") {
        cmake(&mut manifest);
        Some(BuildSystem::CMake)
    } else if has("meson.build") {
        meson(&mut manifest);
        Some(BuildSystem::Meson)
    } else if ["GNUmakefile", "Makefile", "makefile"].into_iter().any(has) {
        make(folder, &mut manifest);
        Some(BuildSystem::Make)
    } else {
        notes.push("no build system found: fill in [build] and [test]".into());
        None
    };
    if let Some(system) = system {
        manifest.programs = programs::find(folder, system);
    }
    let is_one_of = |path: &PathBuf, list: &[&str]| list.iter().any(|name| path == Path::new(name));
    let mut with_c: Vec<PathBuf> =
        names.iter().map(PathBuf::from).filter(|name| contains_c(&folder.join(name))).collect();
    with_c.retain(|name| !is_one_of(name, ASIDE));
    with_c.sort();
    (manifest.library, manifest.source) =
        with_c.into_iter().partition(|name| is_one_of(name, LIBRARY));
    if manifest.programs.is_empty() {
        notes.push("found no list of programs: using every program that the build links".into());
    }
    Ok(Detected { system, manifest, notes })
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

fn cmake(manifest: &mut Manifest) {
    let steps = &mut manifest.build;
    steps.configure = format!("cmake -S . -B {BUILD_FOLDER}");
    steps.build = format!("cmake --build {BUILD_FOLDER}");
    manifest.test = format!("ctest --test-dir {BUILD_FOLDER}");
}

fn meson(manifest: &mut Manifest) {
    let steps = &mut manifest.build;
    steps.configure =
        format!("meson setup {BUILD_FOLDER} --native-file \"$UMBRA_MESON_NATIVE_FILE\"");
    steps.build = format!("meson compile -C {BUILD_FOLDER}");
    manifest.test = format!("meson test -C {BUILD_FOLDER}");
}

fn make(folder: &Path, manifest: &mut Manifest) {
    // What a Makefile sets hides the environment, but not the command line.
    let steps = &mut manifest.build;
    steps.configure = String::new();
    steps.build = "make CC=\"$CC\" AR=\"$AR\" RANLIB=\"$RANLIB\" NM=\"$NM\"".into();
    let target = ["GNUmakefile", "Makefile", "makefile"]
        .into_iter()
        .find_map(|name| fs::read_to_string(folder.join(name)).ok())
        .filter(|text| !has_target(text, "check") && has_target(text, "test"))
        .map_or("check", |_| "test");
    manifest.test = format!("make {target} CC=\"$CC\"");
}

fn has_target(makefile: &str, target: &str) -> bool {
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
