//! Finding test cases that users name.

use std::path::Path;

use anyhow::{Context, bail};
use umbra_case::{Case, CaseId, Store};

/// Reads a case: a folder, or `STORE/ID` where the identity may be cut short.
pub fn read(path: &Path) -> anyhow::Result<Case> {
    if path.join("case.json").exists() {
        return Ok(Case::read(path)?);
    }
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        bail!("{} is no test case: it has no case.json", path.display());
    };
    if !folder.join("cases").is_dir() {
        bail!("{} is no test case: it has no case.json", path.display());
    }
    let store = Store::open(folder)?;
    let id = find(&store, &name.to_string_lossy())
        .with_context(|| format!("in {}", folder.display()))?;
    Ok(store.get(id)?)
}

/// The one case whose identity starts so.
fn find(store: &Store, start: &str) -> anyhow::Result<CaseId> {
    let mut matching = store
        .ids()?
        .into_iter()
        .filter(|id| !start.is_empty() && id.to_string().starts_with(start));
    match (matching.next(), matching.next()) {
        (Some(id), None) => Ok(id),
        (None, _) => bail!("there is no case {start}"),
        (Some(_), Some(_)) => bail!("there are several cases whose identity starts with {start}"),
    }
}
