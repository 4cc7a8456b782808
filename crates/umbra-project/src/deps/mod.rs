//! Other people's libraries, built with the compiler wrapper.
//!
//! A library is built from the distribution's source package into the cache, once for each libc, and
//! the wrapper then finds its headers and archives as it finds those of the libc. All that were added
//! are there for every project; a build knows which they were (see [`Installed::fingerprint`]).
//!
//! ```text
//! deps/<libc>/<name>/        what was installed: include/, lib/, lib/pkgconfig/
//! deps/<libc>/<name>/.umbra  the version
//! ```

mod build;
mod known;

use std::fs;
use std::path::{Path, PathBuf};

pub use build::{DepsProgress, add, fetch_source};
pub use known::{KNOWN, Library, find, of_header, of_link, of_package};

use crate::hash::Hash;
use crate::{Cache, Error, Libc};

/// The file in a library's folder that holds its version, and makes it complete.
const VERSION: &str = ".umbra";

/// Libraries in the cache.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Installed {
    /// Names and folders, sorted by name.
    libraries: Vec<(String, PathBuf)>,
}

impl Installed {
    /// Those that were built with the libc that is in use.
    pub fn of(cache: &Cache) -> Result<Installed, Error> {
        let folder = folder(cache)?;
        let mut libraries: Vec<(String, PathBuf)> = fs::read_dir(&folder)
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| entry.path().join(VERSION).exists())
            .map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()))
            .collect();
        libraries.sort();
        Ok(Installed { libraries })
    }

    /// Names and versions.
    pub fn versions(&self) -> Vec<(String, String)> {
        let version = |folder: &Path| fs::read_to_string(folder.join(VERSION)).unwrap_or_default();
        let of = |(name, folder): &(String, PathBuf)| (name.clone(), version(folder).trim().into());
        self.libraries.iter().map(of).collect()
    }

    /// Whether there is one of this name.
    pub fn has(&self, name: &str) -> bool {
        self.libraries.iter().any(|(other, _)| other == name)
    }

    /// Their folders.
    pub fn folders(&self) -> impl Iterator<Item = &Path> {
        self.libraries.iter().map(|(_, folder)| folder.as_path())
    }

    /// What a build that sees them depends on.
    pub(crate) fn fingerprint(&self) -> String {
        let add = |hash: Hash, (name, version): (String, String)| hash.text(&name).text(&version);
        self.versions().into_iter().fold(Hash::new("libraries"), add).short()
    }
}

/// The folder of the libraries for the libc that is in use.
fn folder(cache: &Cache) -> Result<PathBuf, Error> {
    let libc = Libc::find(cache)?;
    let sysroot = libc.sysroot();
    let sysroot = sysroot.canonicalize().map_err(Error::io("find", sysroot))?;
    Ok(cache.root().join("deps").join(sysroot.file_name().unwrap_or_default()))
}
