//! What is kept of a build: its programs and its output.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{BuiltProgram, Flavour, Progress};
use crate::manifest::ASIDE;
use crate::prepare::beside;
use crate::{Error, Manifest, files};

/// The content of `build.json`.
#[derive(Debug, Serialize, Deserialize)]
pub struct Record {
    /// What the build was for.
    pub flavour: Flavour,
    /// The source.
    pub tree: String,
    /// The programs' paths in the tree.
    pub programs: Vec<PathBuf>,
}

const RECORD: &str = "build.json";

/// The log in the folder of a build.
pub const LOG: &str = "log";

/// The programs of interest in a built tree, by path. Those that the manifest names and that are
/// not there are told to `progress`.
pub fn find(
    root: &Path,
    manifest: &Manifest,
    flavour: Flavour,
    progress: &mut dyn FnMut(Progress),
) -> Result<Vec<PathBuf>, Error> {
    let is_ours = |path: &Path| {
        let path = root.join(path);
        is_program(&path) && (flavour == Flavour::Checking || beside(&path, ".bc").exists())
    };
    let wanted = &manifest.programs;
    let mut programs: Vec<PathBuf> = if wanted.is_empty() {
        let found = files::walk(root)?.into_iter().filter(|found| {
            found.metadata.is_file() && found.metadata.permissions().mode() & 0o111 != 0
        });
        let paths = found.map(|found| found.path);
        let all = paths.filter(|path| !is_probe(path) && is_ours(path));
        let (tests, others): (Vec<_>, Vec<_>) = all.partition(|path| is_aside(path));
        match manifest.tests.unwrap_or(others.is_empty()) {
            true => [others, tests].concat(),
            false => others,
        }
    } else {
        let (there, missing): (Vec<_>, Vec<_>) =
            wanted.iter().cloned().partition(|path| is_ours(path));
        for path in missing {
            progress(Progress::MissingProgram(path));
        }
        there
    };
    programs.sort();
    programs.dedup();
    if programs.is_empty() {
        let wanted = wanted.clone();
        return Err(Error::NoPrograms { tree: root.into(), wanted });
    }
    Ok(programs)
}

/// Which programs are of interest, among those that are linked while tests run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interest {
    /// Those that the manifest names.
    programs: Vec<PathBuf>,
    /// If it names none: whether those of tests are.
    tests: bool,
}

impl Interest {
    /// The same that builds have: `programs` are those of the build.
    pub fn new(manifest: &Manifest, programs: &[BuiltProgram]) -> Interest {
        let only_tests = || programs.iter().all(|program| is_aside(&program.path_in_tree));
        let tests = manifest.tests.unwrap_or_else(only_tests);
        Interest { programs: manifest.programs.clone(), tests }
    }

    /// Whether a program is, by its path in the project.
    pub fn has(&self, path: &Path) -> bool {
        match self.programs.is_empty() {
            true => !is_probe(path) && (self.tests || !is_aside(path)),
            false => self.programs.iter().any(|wanted| wanted == path),
        }
    }
}

/// Copies programs and log to a new folder.
pub fn export(root: &Path, record: &Record, log: &Path, folder: &Path) -> Result<(), Error> {
    for program in &record.programs {
        let from = root.join(program);
        let to = folder.join("programs").join(program);
        let parent = to.parent().unwrap_or(folder);
        fs::create_dir_all(parent).map_err(Error::io("create", parent))?;
        copy(&from, &to)?;
        if record.flavour == Flavour::Analysis {
            copy(&beside(&from, ".bc"), &beside(&to, ".bc"))?;
        }
    }
    copy(log, &folder.join(LOG))?;
    let file = folder.join(RECORD);
    let text = serde_json::to_vec_pretty(record).map_err(damaged(&file))?;
    fs::write(&file, text).map_err(Error::io("write", &file))
}

/// The programs of a build in the cache.
pub fn load(folder: &Path) -> Result<Vec<BuiltProgram>, Error> {
    let file = folder.join(RECORD);
    let text = fs::read(&file).map_err(Error::io("read", &file))?;
    let record: Record = serde_json::from_slice(&text).map_err(damaged(&file))?;
    let program = |path: PathBuf| {
        let executable = folder.join("programs").join(&path);
        BuiltProgram {
            name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            path_in_tree: path,
            bitcode: (record.flavour == Flavour::Analysis).then(|| beside(&executable, ".bc")),
            executable,
        }
    };
    Ok(record.programs.into_iter().map(program).collect())
}

/// Copies a file; the error names what was being written, which is what a full disk is about.
fn copy(from: &Path, to: &Path) -> Result<(), Error> {
    fs::copy(from, to).map(|_| ()).map_err(Error::io("write", to))
}

fn damaged(file: &Path) -> impl FnOnce(serde_json::Error) -> Error {
    let path = file.to_owned();
    move |error| Error::Damaged { path, problem: error.to_string() }
}

/// Whether a file is an ELF program: static, or with an interpreter (a shared library has
/// none).
fn is_program(path: &Path) -> bool {
    let Ok(bytes) = read_start(path) else { return false };
    if !bytes.starts_with(b"\x7fELF\x02\x01") {
        return false;
    }
    let half = |at: usize| bytes.get(at..at + 2).map(|b| u16::from_le_bytes([b[0], b[1]]));
    let headers = bytes.get(32..40).and_then(|b| b.try_into().ok()).map(u64::from_le_bytes);
    let (Some(kind), Some(size), Some(count), Some(headers)) =
        (half(16), half(54), half(56), headers)
    else {
        return false;
    };
    let has_interpreter = (0..usize::from(count)).any(|index| {
        let at = usize::try_from(headers).unwrap_or(usize::MAX);
        let at = at.saturating_add(index * usize::from(size));
        bytes.get(at..at.saturating_add(4)) == Some(&3_u32.to_le_bytes()[..])
    });
    kind == 2 || (kind == 3 && has_interpreter)
}

/// The first page of a file, where ELF keeps its headers.
fn read_start(path: &Path) -> std::io::Result<Vec<u8>> {
    use std::io::Read;
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(4096).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Programs of tests and benchmarks: whoever wants them names them.
fn is_aside(path: &Path) -> bool {
    let folders = path.parent().into_iter().flat_map(Path::components);
    folders.into_iter().any(|part| {
        let part = Path::new(part.as_os_str());
        part == Path::new("gnulib-tests") || ASIDE.iter().any(|name| part == Path::new(name))
    })
}

/// What CMake and Meson compile only to see whether they can.
fn is_probe(path: &Path) -> bool {
    path.components().any(|part| {
        let part = part.as_os_str().to_string_lossy();
        part == "CMakeFiles" || part == "meson-private" || part.starts_with("conftest")
    })
}
