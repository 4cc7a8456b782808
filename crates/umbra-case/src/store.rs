//! A folder of many cases in which every content is there once.
//!
//! ```text
//! objects/ab/cdef...    a content, named by its SHA-256
//! cases/<id>.json       a case; what its folder would hold is named in `contents`
//! ```
//!
//! Everything is written under a temporary name and then renamed, so that a file with its final name
//! is whole, whoever was killed. Several processes may write to one store.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::json::{CaseFile, is_known};
use crate::{Case, CaseId, Descriptor, EntryKind, Error};

/// The name of a content: its SHA-256, as 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ObjectId(String);

impl ObjectId {
    /// The name of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let hash: [u8; 32] = Sha256::digest(bytes).into();
        Self::from(hash)
    }
}

impl From<[u8; 32]> for ObjectId {
    /// The name of bytes with this SHA-256 hash.
    fn from(hash: [u8; 32]) -> Self {
        Self(hash.iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Many cases in one folder.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

/// A case in a store.
#[derive(Serialize, Deserialize)]
struct StoredCase {
    case: CaseFile,
    /// The contents, by their paths in the folder of a case.
    contents: BTreeMap<String, ObjectId>,
}

impl Store {
    /// Opens the store in a folder, which is made if it is not there.
    pub fn open(folder: impl Into<PathBuf>) -> Result<Self, Error> {
        let store = Self { folder: folder.into() };
        for name in ["objects", "cases"] {
            let path = store.folder.join(name);
            fs::create_dir_all(&path).map_err(Error::io("make", &path))?;
        }
        Ok(store)
    }

    /// The folder itself.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Keeps a content.
    pub fn put_object(&self, bytes: &[u8]) -> Result<ObjectId, Error> {
        let id = ObjectId::of(bytes);
        let path = self.object_path(&id);
        if !path.exists() {
            self.write(&path, bytes)?;
        }
        Ok(id)
    }

    /// The content of this name.
    pub fn object(&self, id: &ObjectId) -> Result<Vec<u8>, Error> {
        let path = self.object_path(id);
        let bytes = fs::read(&path).map_err(Error::io("read", &path))?;
        match ObjectId::of(&bytes) == *id {
            true => Ok(bytes),
            false => Err(Error::Damaged { path }),
        }
    }

    /// Keeps a case. One that is there already is replaced: what is expected of it may be known
    /// better.
    pub fn put(&self, case: &Case) -> Result<CaseId, Error> {
        let id = case.id();
        let path = self.case_path(id);
        case.check().map_err(|source| Error::Invalid { path: path.clone(), source })?;
        let mut contents = BTreeMap::new();
        for (path, bytes) in contents_of(case) {
            contents.insert(path, self.put_object(bytes)?);
        }
        let stored = StoredCase { case: CaseFile::of(case), contents };
        let text = serde_json::to_vec(&stored)
            .map_err(|source| Error::Json { path: path.clone(), source })?;
        self.write(&path, &text)?;
        Ok(id)
    }

    /// The case of this identity.
    pub fn get(&self, id: CaseId) -> Result<Case, Error> {
        let path = self.case_path(id);
        let text = fs::read(&path).map_err(Error::io("read", &path))?;
        let StoredCase { case, contents } = serde_json::from_slice(&text)
            .map_err(|source| Error::Json { path: path.clone(), source })?;
        if !is_known(&case.schema) {
            return Err(Error::Schema { path, found: case.schema });
        }
        let case = case.into_case(|wanted| match contents.get(&key(wanted)) {
            Some(object) => self.object(object),
            None => Err(Error::Damaged { path: path.clone() }),
        })?;
        case.check().map_err(|source| Error::Invalid { path: path.clone(), source })?;
        match case.id() == id {
            true => Ok(case),
            false => Err(Error::Damaged { path }),
        }
    }

    /// Removes a case, if it is there. Its contents stay: other cases may have the same.
    pub fn remove(&self, id: CaseId) -> Result<(), Error> {
        let path = self.case_path(id);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(Error::io("remove", &path)(error))
            }
            _ => Ok(()),
        }
    }

    /// The identities of all cases, in their order.
    pub fn ids(&self) -> Result<Vec<CaseId>, Error> {
        let folder = self.folder.join("cases");
        let mut ids = Vec::new();
        for entry in fs::read_dir(&folder).map_err(Error::io("read", &folder))? {
            let name = entry.map_err(Error::io("read", &folder))?.file_name();
            // Others are temporary.
            let id: Option<CaseId> =
                name.to_str().and_then(|name| name.strip_suffix(".json")?.parse().ok());
            ids.extend(id);
        }
        ids.sort();
        Ok(ids)
    }

    fn case_path(&self, id: CaseId) -> PathBuf {
        self.folder.join("cases").join(format!("{id}.json"))
    }

    fn object_path(&self, id: &ObjectId) -> PathBuf {
        // A file may say anything; a name that is none leads to no file.
        let (folder, name) = id.0.split_at_checked(2).unwrap_or(("", "none"));
        let is_name = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
        match is_name(folder) && is_name(name) {
            true => self.folder.join("objects").join(folder).join(name),
            false => self.folder.join("objects/none"),
        }
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), Error> {
        let folder = path.parent().unwrap_or(&self.folder);
        let failed = |error| Error::io("write", path)(error);
        fs::create_dir_all(folder).map_err(Error::io("make", folder))?;
        let mut file = tempfile::Builder::new()
            .prefix(".new-")
            .permissions(fs::Permissions::from_mode(0o644))
            .tempfile_in(folder)
            .map_err(failed)?;
        file.write_all(bytes).map_err(failed)?;
        match file.persist(path) {
            Ok(_) => Ok(()),
            // Somebody else wrote the same.
            Err(error) if error.error.kind() == ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(failed(error.error)),
        }
    }
}

/// What the folder of a case holds beside `case.json`, by path.
pub(crate) fn contents_of(case: &Case) -> Vec<(String, &[u8])> {
    let mut contents: Vec<(String, &[u8])> = Vec::new();
    for entry in &case.tree {
        if let EntryKind::File(bytes) = &entry.kind {
            contents.push((key(&[b"files/", &*entry.path].concat()), bytes));
        }
    }
    for (number, descriptor) in &case.descriptors {
        if let Descriptor::Pipe(bytes) = descriptor {
            contents.push((format!("descriptors/{number}"), bytes));
        }
    }
    let expected = &case.expected;
    let others = [
        ("stdin", case.stdin.bytes()),
        ("expected/stdout", expected.stdout.as_deref()),
        ("expected/stderr", expected.stderr.as_deref()),
        ("expected/tree", expected.tree.as_deref()),
    ];
    contents
        .extend(others.iter().filter_map(|(path, bytes)| Some(((*path).to_owned(), (*bytes)?))));
    contents
}

/// A path as a key of JSON, which has no bytes: escaped where it is not plain text.
pub(crate) fn key(path: &[u8]) -> String {
    path.escape_ascii().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Entry;

    fn store() -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path().join("store")).unwrap();
        (folder, store)
    }

    fn files(folder: &Path) -> usize {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        entries.map(|path| if path.is_dir() { files(&path) } else { 1 }).sum()
    }

    #[test]
    fn equal_contents_are_kept_once() {
        let (_folder, store) = store();
        let tree = vec![Entry::file("a", "same"), Entry::file(*b"\xff", "same")];
        let one = Case { tree: tree.clone(), ..Case::default() };
        let two = Case { tree, arguments: vec![b"x".to_vec()], ..Case::default() };
        let ids = [store.put(&one).unwrap(), store.put(&two).unwrap()];
        assert_eq!(files(&store.folder().join("objects")), 1);
        assert_eq!(store.get(ids[0]).unwrap(), one);
        assert_eq!(store.get(ids[1]).unwrap(), two);
        let mut sorted = ids;
        sorted.sort();
        assert_eq!(store.ids().unwrap(), sorted);
    }

    #[test]
    fn damage_is_seen() {
        let (_folder, store) = store();
        let id = store.put(&Case { tree: vec![Entry::file("a", "x")], ..Case::default() }).unwrap();
        let object = store.object_path(&ObjectId::of(b"x"));
        fs::write(&object, "y").unwrap();
        assert!(matches!(store.get(id), Err(Error::Damaged { path }) if path == object));
        fs::remove_file(&object).unwrap();
        assert!(matches!(store.get(id), Err(Error::Io { .. })));
        let path = store.case_path(id);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replace(&ObjectId::of(b"x").0, "../../../etc/passwd")).unwrap();
        assert!(store.get(id).unwrap_err().to_string().contains("objects/none"));
    }
}
