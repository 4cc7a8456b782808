//! Finding test cases that users name.

use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use umbra_case::{Case, CaseId, Store, make_own_folder, own_folder};

use crate::Error;

/// Where a project keeps what it recorded, in its folder for results.
const RECORDINGS: &str = "recordings";

/// A case and what the user may call it.
pub struct Named {
    /// A path that [`read_case`] takes.
    pub name: String,
    /// The case.
    pub case: Case,
}

/// Where a case is. All cases of a large suite do not fit into memory, so each is read when it is
/// needed.
pub struct Found {
    name: String,
    place: Place,
}

enum Place {
    Folder(PathBuf),
    Stored(Rc<Store>, CaseId),
}

impl Found {
    /// What the user may call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Reads the case.
    pub fn read(&self) -> Result<Named, Error> {
        let case = match &self.place {
            Place::Folder(path) => read_case(path)?,
            Place::Stored(store, id) => store.get(*id)?,
        };
        Ok(Named { name: self.name.clone(), case })
    }
}

/// Makes the folder of the recordings of a project.
pub fn make_recordings(project: &Path) -> Result<PathBuf, Error> {
    let folder = recordings(project)?;
    make_own_folder(&folder)?;
    Ok(folder)
}

/// Where the recordings of a project are, or will be.
pub fn recordings(project: &Path) -> Result<PathBuf, Error> {
    Ok(own_folder(project, RECORDINGS)?)
}

/// All cases that the paths lead to: folders of cases, stores, `STORE/ID`, and folders that hold
/// folders of cases.
pub fn find_cases(paths: &[PathBuf]) -> Result<Vec<Found>, Error> {
    let mut cases = Vec::new();
    for path in paths {
        cases.extend(below(path)?);
    }
    Ok(cases)
}

fn below(path: &Path) -> Result<Vec<Found>, Error> {
    if path.join("objects").is_dir() {
        return in_store(path);
    }
    // The folder of a run has its cases in a folder of theirs.
    let folders = [path.to_owned(), path.join("cases")];
    for folder in folders.iter().filter(|folder| !folder.join("case.json").exists()) {
        let Ok(entries) = fs::read_dir(folder) else { continue };
        let mut found: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.join("case.json").is_file())
            .collect();
        found.sort();
        if !found.is_empty() {
            return Ok(found.into_iter().map(in_folder).collect());
        }
    }
    // What is no case at all is a mistake in the command, not a case that cannot be run.
    if !path.join("case.json").exists() {
        read_case(path)?;
    }
    Ok(vec![in_folder(path.to_owned())])
}

fn in_folder(path: PathBuf) -> Found {
    Found { name: path.to_string_lossy().into_owned(), place: Place::Folder(path) }
}

/// The cases of a store.
pub fn in_store(folder: &Path) -> Result<Vec<Found>, Error> {
    let store = Rc::new(Store::open(folder)?);
    let found = |id: CaseId| Found {
        name: folder.join(id.short()).to_string_lossy().into_owned(),
        place: Place::Stored(Rc::clone(&store), id),
    };
    Ok(store.ids()?.into_iter().map(found).collect())
}

/// Reads one case: a folder, or `STORE/ID` where the identity may be cut short.
pub fn read_case(path: &Path) -> Result<Case, Error> {
    if path.join("case.json").exists() {
        return Ok(Case::read(path)?);
    }
    let store = path.parent().filter(|folder| folder.join("objects").is_dir());
    let (Some(folder), Some(name)) = (store, path.file_name()) else {
        return Err(Error::NotACase(path.to_owned()));
    };
    let store = Store::open(folder)?;
    let id = find_id(&store, folder, &name.to_string_lossy())?;
    Ok(store.get(id)?)
}

/// The one case whose identity starts so.
fn find_id(store: &Store, folder: &Path, start: &str) -> Result<CaseId, Error> {
    let ids = store.ids()?.into_iter();
    let mut matching = ids.filter(|id| !start.is_empty() && id.to_string().starts_with(start));
    match (matching.next(), matching.next()) {
        (Some(id), None) => Ok(id),
        (None, _) => Err(Error::NoSuchCase { store: folder.to_owned(), id: start.to_owned() }),
        (Some(_), Some(_)) => {
            Err(Error::Ambiguous { store: folder.to_owned(), id: start.to_owned() })
        }
    }
}

/// The program that a case is for: the last part of its name.
pub fn program_of(case: &Case) -> String {
    let name = case.program.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    String::from_utf8_lossy(name).into_owned()
}
