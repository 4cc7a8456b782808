//! Shims in programs, and the way back.
//!
//! The program keeps its file: it gets a second name in the run's folder, and its own name back at the
//! end. Meanwhile that leads to a copy with a shim in it. A journal that is written before anything is
//! replaced says what was installed, so that the way back is open whatever happens. Every step is a
//! rename: at any moment the program's name leads to a whole program, with or without shim.

use std::fs::{self, File, FileTimes};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use umbra_shim::{PatchError, Slot};
use umbra_tracer::filter::{self, Streams};
use umbra_tracer::settings::{Program, names};

use crate::run_folder::RunFolder;
use crate::{Error, elf, graft};

const JOURNAL: &str = "journal.json";

/// One program and its second name.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Installed {
    program: PathBuf,
    real: PathBuf,
}

/// Programs that have shims.
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
        let mut prepared = Vec::new();
        for (number, program) in (0..).zip(distinct(programs)?) {
            let one = Installed::keep(run.path(), number, program)?;
            prepared.push(Prepared::new(run.path(), number, &one)?);
            installed.push(one);
        }
        write_journal(run.path(), &installed)?;
        let installation = Self { installed };
        for (installed, prepared) in installation.installed.iter().zip(&prepared) {
            if let Err(error) = prepared.replace(installed) {
                installation.remove()?;
                return Err(error);
            }
        }
        Ok((installation, prepared.into_iter().map(|prepared| prepared.described).collect()))
    }

    /// Puts the programs back. Does nothing for those that are themselves.
    pub fn remove(&self) -> Result<Removed, Error> {
        let mut removed = Removed::default();
        let mut failed = None;
        for (index, installed) in self.installed.iter().enumerate() {
            // One that was linked again has the shim that it got then.
            let later = self.installed.iter().skip(index + 1);
            if later.into_iter().any(|other| other.program == installed.program) {
                continue;
            }
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
        Ok(Self { installed: read_journal(run.path())? })
    }
}

/// Gives one more program a shim, in a run that goes on. `describe` is told of it before anybody can
/// run it. Returns whether it can have a shim.
pub fn add_one(
    run: &Path,
    number: u32,
    program: &Path,
    describe: impl FnOnce(Program) -> Result<(), Error>,
) -> Result<bool, Error> {
    let program = fs::canonicalize(program).map_err(Error::io("find", program))?;
    let installed = Installed::keep(run, number, program)?;
    let prepared = match Prepared::new(run, number, &installed) {
        Err(Error::Unfit { .. }) => return Ok(false),
        result => result?,
    };
    let mut all = read_journal(run)?;
    all.push(installed.clone());
    write_journal(run, &all)?;
    prepared.replace_after(&installed, describe)?;
    Ok(true)
}

impl Installed {
    /// Gives a program its second name.
    fn keep(run: &Path, number: u32, program: PathBuf) -> Result<Self, Error> {
        let folder = run.join(names::REAL).join(number.to_string());
        fs::create_dir_all(&folder).map_err(Error::io("make", &folder))?;
        let real = folder.join(program.file_name().unwrap_or_default());
        second_name(&program, &real)?;
        Ok(Self { program, real })
    }
}

fn read_journal(run: &Path) -> Result<Vec<Installed>, Error> {
    let path = run.join(JOURNAL);
    match fs::read(&path) {
        Ok(text) => serde_json::from_slice(&text).map_err(|_| Error::Damaged { path }),
        // The journal is written before anything is replaced.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(Error::io("read", &path)(error)),
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
    let file = fs::read(path).unwrap_or_default();
    let Some(slot) = Slot::of_file(&file) else { return Ok(()) };
    let run = Path::new(std::ffi::OsStr::from_bytes(slot.run));
    if !run.is_dir() {
        return Err(Error::Orphaned { path: path.to_owned() });
    }
    let Some(run) = RunFolder::adopt(run)? else {
        return Err(Error::Busy { path: path.to_owned() });
    };
    Installation::left_over(&run)?.remove()?;
    run.remove()
}

/// The program's file under a second name; a copy where it cannot have one.
fn second_name(program: &Path, name: &Path) -> Result<(), Error> {
    if fs::hard_link(program, name).is_ok() {
        return Ok(());
    }
    copy(program, name)
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

/// A program with a shim in it.
struct Prepared {
    file: Vec<u8>,
    described: Program,
}

impl Prepared {
    fn new(run: &Path, number: u32, installed: &Installed) -> Result<Self, Error> {
        let program = fs::read(&installed.real).map_err(Error::io("read", &installed.real))?;
        let filters = match elf::traces(&program) {
            false => [filter::bytes(Streams::None), filter::bytes(Streams::Followed)],
            true => [vec![], vec![]],
        };
        let slot = Slot {
            run: run.as_os_str().as_bytes(),
            number,
            real: installed.real.as_os_str().as_bytes(),
            entry: 0,
            filters: [&filters[0], &filters[1]],
        };
        let too_long = |_: PatchError| Error::TooLong { path: run.to_owned() };
        let unfit = || Error::Unfit { path: installed.program.clone() };
        let file = graft::graft(&program, &slot).map_err(too_long)?.ok_or_else(unfit)?;
        let path = installed.program.as_os_str().as_bytes().to_vec();
        let counters = elf::counters(&file);
        Ok(Self { described: Program { path, counters }, file })
    }

    /// The same; `describe` is told of the program first.
    fn replace_after(
        self,
        installed: &Installed,
        describe: impl FnOnce(Program) -> Result<(), Error>,
    ) -> Result<(), Error> {
        describe(self.described.clone())?;
        self.replace(installed)
    }

    fn replace(&self, installed: &Installed) -> Result<(), Error> {
        let temporary = beside(&installed.program);
        write_like(&installed.real, &temporary, &self.file)?;
        fs::rename(&temporary, &installed.program).map_err(Error::io("replace", &installed.program))
    }
}

/// Returns whether the program is itself again; if not, it is what someone else has put there.
fn restore(installed: &Installed) -> Result<bool, Error> {
    let Installed { program, real } = installed;
    if is_same_file(program, real) {
        return Ok(true);
    }
    let file = fs::read(program).unwrap_or_default();
    if Slot::of_file(&file).is_none_or(|slot| slot.real != real.as_os_str().as_bytes()) {
        return Ok(false);
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
