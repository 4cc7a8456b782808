//! Hashes of several parts, each with its length: no two lists of parts run together.

use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use sha2::{Digest, Sha256};

/// A hash that is being computed.
#[derive(Clone)]
pub(crate) struct Hash(Sha256);

impl Hash {
    /// A hash of nothing yet; `purpose` keeps hashes for different things apart.
    pub fn new(purpose: &str) -> Hash {
        Hash(Sha256::new()).text(purpose)
    }

    pub fn bytes(mut self, bytes: &[u8]) -> Hash {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    pub fn text(self, text: &str) -> Hash {
        self.bytes(text.as_bytes())
    }

    pub fn path(self, path: &Path) -> Hash {
        self.bytes(path.as_os_str().as_bytes())
    }

    /// A list, told from its items one by one.
    pub fn texts<'a>(self, items: impl ExactSizeIterator<Item = &'a str>) -> Hash {
        let hash = self.text(&items.len().to_string());
        items.fold(hash, Hash::text)
    }

    /// All 64 hexadecimal digits.
    pub fn long(self) -> String {
        self.0.finalize().iter().fold(String::new(), |mut text, byte| {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
    }

    /// 16 hexadecimal digits.
    pub fn short(self) -> String {
        let mut text = self.long();
        text.truncate(16);
        text
    }
}
