//! A tree as text: one line for each entry, so that what a program leaves behind can be predicted,
//! compared and read.

use std::collections::BTreeMap;

use crate::ObjectId;

/// The entries of a tree, by path. Times are no part of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing(BTreeMap<Vec<u8>, String>);

impl Listing {
    /// Adds a regular file.
    pub fn file(&mut self, path: &[u8], mode: u32, length: u64, hash: &ObjectId) {
        self.add(path, format!("file {:04o} {length} {hash}", mode & 0o7777));
    }

    /// Adds a folder.
    pub fn directory(&mut self, path: &[u8], mode: u32) {
        self.add(path, format!("directory {:04o}", mode & 0o7777));
    }

    /// Adds a symbolic link.
    pub fn symlink(&mut self, path: &[u8], target: &[u8]) {
        self.add(path, format!("symlink to {}", target.escape_ascii()));
    }

    /// Adds something that has neither content nor entries.
    pub fn special(&mut self, path: &[u8], what: &str) {
        self.add(path, what.to_owned());
    }

    fn add(&mut self, path: &[u8], text: String) {
        self.0.insert(path.to_vec(), text);
    }

    /// The text, in the order of paths.
    pub fn to_bytes(&self) -> Vec<u8> {
        let lines = self.0.iter().map(|(path, text)| format!("{}: {text}\n", path.escape_ascii()));
        lines.collect::<String>().into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_for_each_entry_in_order() {
        let mut listing = Listing::default();
        listing.symlink(b"z", b"a\n");
        listing.file(b"d/a", 0o100_644, 1, &ObjectId::of(b"x"));
        listing.directory(b"d", 0o40_755);
        listing.special(b"p", "fifo");
        let hash = ObjectId::of(b"x");
        let text =
            format!("d: directory 0755\nd/a: file 0644 1 {hash}\np: fifo\nz: symlink to a\\n\n");
        assert_eq!(String::from_utf8(listing.to_bytes()).unwrap(), text);
    }
}
