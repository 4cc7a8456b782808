//! Fetching and building a library.
//!
//! Sources come from the machine's own package archive, by the scripts that the set-up uses, which are
//! part of this program. A library is built in a folder of its own and moved to its place when it is
//! complete.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::known::{Library, Recipe};
use super::{Installed, VERSION, find, folder};
use crate::build::{Flavour, Setting, excerpt};
use crate::{BuildSystem, Error, Manifest, Toolchain, detect, files};

/// The scripts that fetch sources: their names and texts.
const SCRIPTS: [(&str, &str); 2] = [
    ("deb-apt", include_str!("../../../../scripts/deb-apt")),
    ("deb-source", include_str!("../../../../scripts/deb-source")),
];

/// How far the work is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DepsProgress {
    /// The library is there already.
    Present(String),
    /// Its source is fetched.
    Fetching(String),
    /// It is built.
    Building(String),
    /// It is there now, in this version.
    Built(String, String),
}

/// Adds a library and those that it needs. `source` is a folder to build it from, instead of the
/// distribution's package; `environment` is what commands see besides our own variables.
pub fn add(
    toolchain: &Toolchain,
    name: &str,
    source: Option<&Path>,
    environment: &[(OsString, OsString)],
    progress: &mut dyn FnMut(DepsProgress),
) -> Result<(), Error> {
    let known = find(name);
    let name = known.map_or(name, |library| library.name);
    if !is_name(name) {
        return Err(Error::NoLibrary { name: name.into() });
    }
    if Installed::of(&toolchain.cache)?.has(name) && source.is_none() {
        progress(DepsProgress::Present(name.into()));
        return Ok(());
    }
    for need in known.map_or(&[][..], |library| library.needs) {
        add(toolchain, need, None, environment, progress)?;
    }
    let all = folder(&toolchain.cache)?;
    fs::create_dir_all(&all).map_err(Error::io("create", &all))?;
    let work = tempfile::Builder::new()
        .prefix(&format!(".{name}-"))
        .tempdir_in(&all)
        .map_err(Error::io("create a folder in", &all))?;
    let tree = work.path().join("source");
    let version = match source {
        Some(source) => {
            let status = Command::new("cp").arg("-a").arg(source).arg(&tree).status();
            let status = status.map_err(Error::start("cp"))?;
            if !status.success() {
                return Err(Error::Failed { program: "cp".into(), status, output: String::new() });
            }
            // It may be another one next time.
            let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
            format!("given {}", now.as_nanos())
        }
        None => {
            progress(DepsProgress::Fetching(name.into()));
            let package = known.map_or(name, |library| library.source);
            fetch_source(package, &tree)?
        }
    };
    progress(DepsProgress::Building(name.into()));
    let prefix = all.join(name);
    let job = Job { toolchain, work: work.path(), tree: &tree, prefix: &prefix, environment };
    let installed = job.build(name, known)?;
    files::write_whole(&installed.join(VERSION), version.as_bytes())?;
    if prefix.exists() {
        let old = work.path().join("old");
        fs::rename(&prefix, &old).map_err(Error::io("replace", &prefix))?;
    }
    fs::rename(&installed, &prefix).map_err(Error::io("create", &prefix))?;
    progress(DepsProgress::Built(name.into(), version));
    Ok(())
}

/// A name that is one part of a path, as those of packages are.
fn is_name(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
}

/// Fetches a source package of the distribution into a new folder; its version.
pub fn fetch_source(package: &str, folder: &Path) -> Result<String, Error> {
    let scripts = tempfile::tempdir().map_err(Error::io("create", std::env::temp_dir()))?;
    for (name, text) in SCRIPTS {
        let path = scripts.path().join(name);
        files::write_script(&path, text.as_bytes())?;
    }
    let script = scripts.path().join("deb-source");
    let output = Command::new("bash")
        .arg(&script)
        .arg(package)
        .arg(folder)
        .stdin(Stdio::null())
        .output()
        .map_err(Error::start("bash"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.lines().last().unwrap_or_default().to_owned();
        return Err(Error::NoSource { package: package.into(), said });
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// One library to be built.
struct Job<'a> {
    toolchain: &'a Toolchain,
    work: &'a Path,
    tree: &'a Path,
    prefix: &'a Path,
    environment: &'a [(OsString, OsString)],
}

impl Job<'_> {
    /// Builds and installs; where that is for now.
    fn build(&self, name: &str, known: Option<&Library>) -> Result<PathBuf, Error> {
        let commands = match known {
            Some(library) => commands(library.recipe),
            None => suggested(self.tree)?.ok_or_else(|| Error::NoLibrary { name: name.into() })?,
        };
        let jobs = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let setting = Setting {
            toolchain: self.toolchain,
            flavour: Flavour::Analysis,
            flags: &[],
            folder: self.work,
            jobs,
        };
        setting.write()?;
        let root = self.work.join("root");
        let log = self.work.join("log");
        let output = fs::File::create(&log).map_err(Error::io("create", &log))?;
        let errors = output.try_clone().map_err(Error::io("write", &log))?;
        let path = self.environment.iter().find(|(name, _)| name == "PATH");
        let status = Command::new("/bin/sh")
            .args(["-c", &commands])
            .current_dir(self.tree)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .envs(setting.variables()?)
            .env("PATH", setting.path(path.map(|(_, value)| value), &[]))
            .env("PREFIX", self.prefix)
            .env("DESTDIR", &root)
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors)
            .status()
            .map_err(Error::start("/bin/sh"))?;
        let relative = self.prefix.strip_prefix("/").unwrap_or(self.prefix);
        let installed = root.join(relative);
        if status.success() && installed.is_dir() {
            return Ok(installed);
        }
        let failed = self.toolchain.cache.failed_folder(&format!("deps-{name}"));
        fs::create_dir_all(&failed).map_err(Error::io("create", &failed))?;
        let kept = failed.join("log");
        fs::copy(&log, &kept).map_err(Error::io("write", &kept))?;
        Err(Error::LibraryFailed { name: name.into(), excerpt: excerpt(&kept), log: kept })
    }
}

/// The commands of a recipe.
fn commands(recipe: Recipe) -> String {
    match recipe {
        Recipe::Configure(more) => format!(
            // Patches leave generated files older than their sources, and make would make them anew.
            "for name in aclocal.m4 configure 'config*.h*in' Makefile.in; do \
             find . -name \"$name\" -exec touch {{}} +; done; \
             {{ [ -x configure ] || autoreconf -fi; }} && ./configure --prefix=\"$PREFIX\" --libdir=\"$PREFIX/lib\" --disable-shared \
             --enable-static {more} && make && make install DESTDIR=\"$DESTDIR\""
        ),
        Recipe::CMake(more) => format!(
            "cmake -S . -B umbra-build -DCMAKE_INSTALL_PREFIX=\"$PREFIX\" \
             -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_TESTING=OFF {more} && \
             cmake --build umbra-build && cmake --install umbra-build"
        ),
        Recipe::Meson(more) => format!(
            "meson setup umbra-build --native-file \"$UMBRA_MESON_NATIVE_FILE\" \
             --prefix \"$PREFIX\" --libdir lib {more} && meson compile -C umbra-build && \
             meson install --no-rebuild -C umbra-build"
        ),
        Recipe::Shell(commands) => commands.to_owned(),
    }
}

/// The commands for a library that is not known, by its build system.
fn suggested(tree: &Path) -> Result<Option<String>, Error> {
    let detected = detect(tree)?;
    let Manifest { build, .. } = detected.manifest;
    Ok(match detected.system {
        Some(BuildSystem::Autotools) => {
            let prepare = match build.prepare.is_empty() {
                true => String::new(),
                false => format!("{} && ", build.prepare),
            };
            Some(prepare + &commands(Recipe::Configure("")))
        }
        Some(BuildSystem::CMake) => Some(commands(Recipe::CMake(""))),
        Some(BuildSystem::Meson) => Some(commands(Recipe::Meson(""))),
        Some(BuildSystem::Make) => {
            let place = "PREFIX=\"$PREFIX\" prefix=\"$PREFIX\"";
            Some(format!("{} {place} && {} {place} install", build.build, build.build))
        }
        Some(BuildSystem::Files) | None => None,
    })
}
