//! An executable to be run: its bytes, read once, and what is known of it.

mod elf;
mod libraries;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_bytes::ByteBuf;
use sha2::{Digest, Sha256};
use umbra_text::Show;

use crate::Error;
use crate::wire::ProgramId;

/// An executable. Cheap to clone.
///
/// It is read when it is opened: what runs is what was there then, whatever happens to the file.
#[derive(Clone, Debug)]
pub struct Program {
    loaded: Arc<Loaded>,
    siblings: Siblings,
}

/// Programs of one version, by their names.
pub type Siblings = Arc<BTreeMap<String, Program>>;

#[derive(Debug)]
struct Loaded {
    path: PathBuf,
    id: ProgramId,
    bytes: Vec<u8>,
    libraries: Vec<(PathBuf, Vec<u8>)>,
    counters: Option<(u64, u64)>,
    sanitizer: bool,
    /// Where in `bytes` it says that it is the new version of two.
    version: Option<usize>,
}

impl Program {
    /// Reads an executable. A dynamically linked one brings its loader and libraries along.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, Error> {
        let path = path.into();
        let bad = |reason: String| Error::Program { path: path.clone(), reason };
        let bytes = fs::read(&path).map_err(|error| bad(error.to_string()))?;
        let facts = elf::inspect(&bytes).map_err(&bad)?;
        let mut libraries = Vec::new();
        if let Some(loader) = &facts.loader {
            for library in libraries::find(&path, loader).map_err(&bad)? {
                let content = fs::read(&library)
                    .map_err(|error| bad(format!("its library {}: {error}", library.shown())))?;
                libraries.push((library, content));
            }
        }
        let id = id_of(&bytes, &libraries);
        let elf::Facts { counters, sanitizer, version, .. } = facts;
        let loaded = Loaded { path, id, bytes, libraries, counters, sanitizer, version };
        Ok(Self { loaded: Arc::new(loaded), siblings: Siblings::default() })
    }

    /// The old version of a program that has two in one executable, as those that are annotated with
    /// `umbra.h`: the same code in the same places. `None` for all others.
    pub fn old_version(&self) -> Option<Self> {
        let loaded = &self.loaded;
        let version = loaded.version?;
        let mut bytes = loaded.bytes.clone();
        elf::make_old(&mut bytes, version);
        let loaded = Arc::new(Loaded {
            path: loaded.path.clone(),
            id: id_of(&bytes, &loaded.libraries),
            bytes,
            libraries: loaded.libraries.clone(),
            counters: loaded.counters,
            sanitizer: loaded.sanitizer,
            version: None,
        });
        Some(Self { loaded, siblings: Siblings::default() })
    }

    /// The same executable, beside others of its version. Where a case's tree has a program that was
    /// recorded ([`Case::programs`](umbra_case::Case::programs)), the sibling of that name stands
    /// instead; what needs libraries cannot, and there the recorded one stays.
    pub fn with_siblings(self, siblings: &Siblings) -> Self {
        Self { siblings: Arc::clone(siblings), ..self }
    }

    /// The sibling that stands at a path of a case's tree.
    pub(crate) fn sibling(&self, path: &str) -> Option<&Self> {
        let name = path.rsplit('/').next()?;
        self.siblings.get(name).filter(|sibling| sibling.loaded.libraries.is_empty())
    }

    /// The path that it was read from.
    pub fn path(&self) -> &Path {
        &self.loaded.path
    }

    /// Number of its block counters, if it has any.
    pub fn blocks(&self) -> Option<u64> {
        self.loaded.counters.map(|(_, length)| length)
    }

    /// Whether it was built with a sanitizer.
    pub fn is_sanitized(&self) -> bool {
        self.loaded.sanitizer
    }

    /// Whether a path is that of one of its libraries.
    pub(crate) fn has_library(&self, path: &str) -> bool {
        self.loaded.libraries.iter().any(|(library, _)| library == Path::new(path))
    }

    pub(crate) fn id(&self) -> ProgramId {
        self.loaded.id
    }

    pub(crate) fn counters(&self) -> Option<(u64, u64)> {
        self.loaded.counters
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.loaded.bytes
    }

    pub(crate) fn libraries(&self) -> Vec<(ByteBuf, ByteBuf)> {
        let all = self.loaded.libraries.iter();
        let wire = |(path, content): &(PathBuf, Vec<u8>)| {
            let path = path.as_os_str().as_encoded_bytes().to_vec();
            (ByteBuf::from(path), ByteBuf::from(content.clone()))
        };
        all.map(wire).collect()
    }
}

/// Names an executable by all that runs of it depend on.
fn id_of(bytes: &[u8], libraries: &[(PathBuf, Vec<u8>)]) -> ProgramId {
    let mut hash = Sha256::new();
    hash.update(bytes);
    for (library, content) in libraries {
        hash.update(library.as_os_str().as_encoded_bytes());
        hash.update(content);
    }
    let mut id = ProgramId::default();
    id.copy_from_slice(&hash.finalize()[..16]);
    id
}
