//! Finding test cases that users name.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use umbra_case::{Case, CaseId, Store};

use crate::project;

/// Where a project keeps what it recorded, below its folder.
pub const RECORDINGS: &str = ".umbra/recordings";

/// A case and what the user may call it.
#[derive(Clone)]
pub struct Named {
    /// A path that [`read`] takes.
    pub name: String,
    /// The case.
    pub case: Case,
}

/// All cases that the paths lead to: folders of cases, stores, `STORE/ID`, and folders that hold
/// folders of cases. Without any path, what was recorded in this project.
pub fn find(paths: &[PathBuf]) -> anyhow::Result<Vec<Named>> {
    let mut cases = Vec::new();
    if paths.is_empty() {
        let store = project::folder()?.join(RECORDINGS);
        if !store.is_dir() {
            bail!("nothing is recorded in {}: name cases, or run `umbra record`", store.display());
        }
        return in_store(&store);
    }
    for path in paths {
        cases.extend(below(path)?);
    }
    Ok(cases)
}

fn below(path: &Path) -> anyhow::Result<Vec<Named>> {
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
            return found.iter().map(|path| named(path)).collect();
        }
    }
    Ok(vec![named(path)?])
}

fn named(path: &Path) -> anyhow::Result<Named> {
    Ok(Named { name: path.display().to_string(), case: read(path)? })
}

fn in_store(folder: &Path) -> anyhow::Result<Vec<Named>> {
    let store = Store::open(folder)?;
    let named = |id: CaseId| {
        let name = folder.join(id.short()).display().to_string();
        Ok(Named { name, case: store.get(id)? })
    };
    store.ids()?.into_iter().map(named).collect()
}

/// Reads one case: a folder, or `STORE/ID` where the identity may be cut short.
pub fn read(path: &Path) -> anyhow::Result<Case> {
    if path.join("case.json").exists() {
        return Ok(Case::read(path)?);
    }
    let store = path.parent().filter(|folder| folder.join("objects").is_dir());
    let (Some(folder), Some(name)) = (store, path.file_name()) else {
        bail!("{} is no test case: it has no case.json", path.display());
    };
    let store = Store::open(folder)?;
    let id = find_id(&store, &name.to_string_lossy())
        .with_context(|| format!("in {}", folder.display()))?;
    Ok(store.get(id)?)
}

/// The one case whose identity starts so.
fn find_id(store: &Store, start: &str) -> anyhow::Result<CaseId> {
    let ids = store.ids()?.into_iter();
    let mut matching = ids.filter(|id| !start.is_empty() && id.to_string().starts_with(start));
    match (matching.next(), matching.next()) {
        (Some(id), None) => Ok(id),
        (None, _) => bail!("there is no case {start}"),
        (Some(_), Some(_)) => bail!("there are several cases whose identity starts with {start}"),
    }
}
