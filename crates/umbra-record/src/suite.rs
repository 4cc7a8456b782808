//! Which suite a case in the store comes from.
//!
//! `suites/<hash of the name>` lists the cases of the last recording of a suite. A case that no suite
//! has any more is removed; its contents stay, since others may share them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use umbra_case::{CaseId, ObjectId, Store};

use crate::Error;

const FOLDER: &str = "suites";

/// Notes the cases of a suite, and removes those that only its earlier recording had. Returns how many.
pub fn replace(
    store: &Store,
    suite: &str,
    cases: impl Iterator<Item = CaseId>,
) -> Result<usize, Error> {
    let folder = store.folder().join(FOLDER);
    fs::create_dir_all(&folder).map_err(Error::io("make", &folder))?;
    let list = folder.join(ObjectId::of(suite.as_bytes()).to_string());
    let mut gone = read(&list);
    let now: BTreeSet<CaseId> = cases.collect();
    let text: Vec<String> = now.iter().map(ToString::to_string).collect();
    let new = folder.join(".new");
    fs::write(&new, text.join("\n")).map_err(Error::io("write", &new))?;
    fs::rename(&new, &list).map_err(Error::io("write", &list))?;
    for entry in fs::read_dir(&folder).map_err(Error::io("read", &folder))? {
        let kept = read(&entry.map_err(Error::io("read", &folder))?.path());
        gone.retain(|id| !kept.contains(id));
    }
    for id in &gone {
        store.remove(*id)?;
    }
    Ok(gone.len())
}

/// A list that is not there, or is none, names no case.
fn read(list: &Path) -> BTreeSet<CaseId> {
    let text = fs::read_to_string(list).unwrap_or_default();
    text.lines().filter_map(|line| line.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use umbra_case::Case;

    #[test]
    fn what_no_suite_has_any_more_is_removed() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap();
        let case = |argument: &str| {
            let arguments = vec![argument.as_bytes().to_vec()];
            store.put(&Case { arguments, ..Case::default() }).unwrap()
        };
        let (a, b, c) = (case("a"), case("b"), case("c"));
        let mut all = vec![a, b, c];
        all.sort();
        assert_eq!(replace(&store, "one", [a, b].into_iter()).unwrap(), 0);
        assert_eq!(replace(&store, "two", [b].into_iter()).unwrap(), 0);
        // `c` was recorded by nobody who says so, and stays.
        assert_eq!(store.ids().unwrap(), all);
        assert_eq!(replace(&store, "one", [].into_iter()).unwrap(), 1);
        all.retain(|id| *id != a);
        assert_eq!(store.ids().unwrap(), all);
    }
}
