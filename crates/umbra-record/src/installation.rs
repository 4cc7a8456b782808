//! Shims in the place of programs, and the way back.
//!
//! The real program keeps its file: it gets a second name in the run's folder, and its own name back
//! at the end. A journal that is written before anything is replaced says what was installed, so that
//! the way back is open whatever happens. Every step is a rename: at any moment the program's name
//! leads to a whole program or a whole shim.

use std::fs::{self, File, FileTimes};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use umbra_shim::settings::{Program, names};
use umbra_shim::slot::Slot;

use crate::run_folder::RunFolder;
use crate::{Error, elf};

/// The shim, as it was built.
pub(crate) const SHIM: &[u8] = include_bytes!(env!("UMBRA_SHIM"));
const JOURNAL: &str = "journal.json";

/// One program and its second name.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Installed {
    program: PathBuf,
    real: PathBuf,
}

/// Programs that are replaced by shims.
#[derive(Debug)]
pub struct Installation {
    installed: Vec<Installed>,
}

/// What putting the programs back has found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// Programs that are themselves again.
    pub restored: Vec<PathBuf>,
    /// Programs whose shim was gone: something has built or removed them meanwhile.
    pub lost: Vec<PathBuf>,
}

impl Installation {
    /// Replaces the programs. If that fails for one, all are put back.
    pub fn install(run: &RunFolder, programs: &[PathBuf]) -> Result<(Self, Vec<Program>), Error> {
        let mut installed = Vec::new();
        let mut described = Vec::new();
        for program in distinct(programs)? {
            let number = installed.len().to_string();
            let folder = run.path().join(names::REAL).join(&number);
            fs::create_dir_all(&folder).map_err(Error::io("make", &folder))?;
            let real = folder.join(program.file_name().unwrap_or_default());
            let bytes = fs::read(&program).map_err(Error::io("read", &program))?;
            second_name(&program, &real)?;
            link_libraries(&program, &folder)?;
            let path = program.as_os_str().as_bytes().to_vec();
            described.push(Program { path, counters: elf::counters(&bytes) });
            installed.push(Installed { program, real });
        }
        write_journal(run.path(), &installed)?;
        let installation = Self { installed };
        for (number, installed) in installation.installed.iter().enumerate() {
            if let Err(error) = replace(run.path(), number, installed) {
                installation.remove()?;
                return Err(error);
            }
        }
        Ok((installation, described))
    }

    /// Puts the programs back. Does nothing for those that are themselves.
    pub fn remove(&self) -> Result<Removed, Error> {
        let mut removed = Removed::default();
        let mut failed = None;
        for installed in &self.installed {
            match restore(installed) {
                Ok(true) => removed.restored.push(installed.program.clone()),
                Ok(false) => removed.lost.push(installed.program.clone()),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        failed.map_or(Ok(removed), Err)
    }

    /// What a run that was killed has installed.
    pub fn left_over(run: &RunFolder) -> Result<Self, Error> {
        let path = run.path().join(JOURNAL);
        match fs::read(&path) {
            Ok(text) => match serde_json::from_slice(&text) {
                Ok(installed) => Ok(Self { installed }),
                Err(_) => Err(Error::Damaged { path }),
            },
            // The journal is written before anything is replaced.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Ok(Self { installed: Vec::new() })
            }
            Err(error) => Err(Error::io("read", &path)(error)),
        }
    }
}

/// The files behind the paths, each once. A shim of a killed run is put back first.
fn distinct(programs: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let mut distinct: Vec<PathBuf> = Vec::new();
    for program in programs {
        let path = fs::canonicalize(program).map_err(Error::io("find", program))?;
        if distinct.contains(&path) {
            continue;
        }
        put_back_shim(&path)?;
        let metadata = fs::metadata(&path).map_err(Error::io("look at", &path))?;
        if !metadata.is_file() || metadata.mode() & 0o111 == 0 {
            return Err(Error::NotAProgram { path });
        }
        distinct.push(path);
    }
    Ok(distinct)
}

/// A shim that another store's killed run has left.
fn put_back_shim(path: &Path) -> Result<(), Error> {
    let Some(Slot::Program { run, .. }) = slot_of(path) else { return Ok(()) };
    let run = Path::new(std::ffi::OsStr::from_bytes(&run));
    if !run.is_dir() {
        return Err(Error::Orphaned { path: path.to_owned() });
    }
    let Some(run) = RunFolder::adopt(run)? else {
        return Err(Error::Busy { path: path.to_owned() });
    };
    Installation::left_over(&run)?.remove()?;
    run.remove()
}

fn slot_of(path: &Path) -> Option<Slot> {
    fs::read(path).ok().and_then(|bytes| Slot::of_file(&bytes))
}

/// The program's file under a second name; a copy where it cannot have one.
fn second_name(program: &Path, name: &Path) -> Result<(), Error> {
    if fs::hard_link(program, name).is_ok() {
        return Ok(());
    }
    copy(program, name)
}

/// Links to the libraries beside a program: it may look for them next to its own file, as stdbuf does.
fn link_libraries(program: &Path, folder: &Path) -> Result<(), Error> {
    let Some(beside) = program.parent() else { return Ok(()) };
    let entries = fs::read_dir(beside).map_err(Error::io("list", beside))?;
    for entry in entries.flatten() {
        let name = entry.file_name();
        let link = folder.join(&name);
        if name.as_bytes().ends_with(b".so") && !link.exists() {
            symlink(entry.path(), &link).map_err(Error::io("make", &link))?;
        }
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<(), Error> {
    let bytes = fs::read(from).map_err(Error::io("read", from))?;
    write_like(from, to, &bytes)
}

/// Writes a file with the attributes of another.
fn write_like(model: &Path, path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let metadata = fs::metadata(model).map_err(Error::io("look at", model))?;
    let failed = |error| Error::io("write", path)(error);
    let mut file = File::create(path).map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    // Only root can give files away; for others it is theirs already.
    let _ = std::os::unix::fs::fchown(&file, Some(metadata.uid()), Some(metadata.gid()));
    file.set_permissions(fs::Permissions::from_mode(metadata.mode() & 0o7777)).map_err(failed)?;
    let modified = metadata.modified().map_err(failed)?;
    let times = FileTimes::new().set_modified(modified).set_accessed(modified);
    file.set_times(times).map_err(failed)
}

fn write_journal(run: &Path, installed: &[Installed]) -> Result<(), Error> {
    let path = run.join(JOURNAL);
    let temporary = run.join(".journal");
    let text = serde_json::to_vec_pretty(installed)
        .map_err(|error| Error::io("write", &path)(std::io::Error::from(error)))?;
    fs::write(&temporary, text).map_err(Error::io("write", &temporary))?;
    fs::rename(&temporary, &path).map_err(Error::io("write", &path))
}

/// A name beside a program that nobody else uses.
fn beside(program: &Path) -> PathBuf {
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    program.with_file_name(format!(".umbra-{}-{name}", std::process::id()))
}

fn replace(run: &Path, number: usize, installed: &Installed) -> Result<(), Error> {
    let too_long = || Error::TooLong { path: run.to_owned() };
    let number = u32::try_from(number).map_err(|_| too_long())?;
    let real = &installed.real;
    let bytes = |path: &Path| path.as_os_str().as_bytes().to_vec();
    let write = |path: &Path, successor: &Path| {
        let mut shim = SHIM.to_vec();
        let (run, real, successor) = (bytes(run), bytes(real), bytes(successor));
        let slot = Slot::Program { run, number, real, successor };
        slot.patch(&mut shim).map_err(|_| too_long())?;
        write_like(&installed.real, path, &shim)
    };
    let second = run.join(format!("second-{number}"));
    write(&second, real)?;
    let temporary = beside(&installed.program);
    write(&temporary, &second)?;
    fs::rename(&temporary, &installed.program).map_err(Error::io("replace", &installed.program))
}

/// Returns whether the program is itself again; if not, it is what someone else has put there.
fn restore(installed: &Installed) -> Result<bool, Error> {
    let Installed { program, real } = installed;
    if is_same_file(program, real) {
        return Ok(true);
    }
    match slot_of(program) {
        Some(Slot::Program { real: mine, .. }) if mine == real.as_os_str().as_bytes() => {}
        _ => return Ok(false),
    }
    let temporary = beside(program);
    let _ = fs::remove_file(&temporary);
    second_name(real, &temporary)?;
    fs::rename(&temporary, program).map_err(Error::io("put back", program))?;
    Ok(true)
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    match (fs::metadata(one), fs::metadata(other)) {
        (Ok(one), Ok(other)) => (one.dev(), one.ino()) == (other.dev(), other.ino()),
        _ => false,
    }
}
