//! What a tracer needs to know: the file `settings` in the folder of a recording.

use serde::{Deserialize, Serialize};

/// Names of files and folders below the folder of a recording.
pub mod names {
    /// The settings.
    pub const SETTINGS: &str = "settings";
    /// Journals with the recordings, and marks of invocations that nobody watched (`*.unwatched`).
    pub use umbra_shim::RAW;
    /// The tracer's executable.
    pub use umbra_shim::TRACER;
    /// Contents, named by their hash.
    pub const OBJECTS: &str = "objects";
    /// The programs' own files, each in a folder with its number.
    pub const REAL: &str = "real";
}

/// Settings of all tracers of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// The programs, by number.
    pub programs: Vec<Program>,
    /// Names of variables that are stored; one that ends with `*` stands for a prefix.
    pub variables: Vec<Vec<u8>>,
    /// Folders whose files are captured even where the system's would not be.
    pub trees: Vec<Vec<u8>>,
    /// Limits of a recording.
    pub caps: Caps,
}

/// A program that is recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// Where it stands in the build tree.
    pub path: Vec<u8>,
    /// Its block counters, if it has any.
    pub counters: Option<Counters>,
}

/// Where the block counters of an executable are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Their address in the file.
    pub address: u64,
    /// How many there are, one byte each.
    pub size: u64,
    /// The entry point in the file: its address in the process tells how far all was moved.
    pub entry: u64,
}

/// Limits of one recording. One that exceeds a limit is kept as incomplete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caps {
    /// Bytes of a file.
    pub file: u64,
    /// Bytes of all contents together.
    pub recording: u64,
    /// Files, folders and links.
    pub entries: u64,
    /// Bytes that are read from a pipe, terminal or socket.
    pub stream: u64,
    /// Bytes of standard output, and of standard error, that are kept. An invocation that writes
    /// more is recorded without.
    pub output: u64,
}

impl Default for Caps {
    fn default() -> Self {
        Self {
            file: 16 << 20,
            recording: 64 << 20,
            entries: 10_000,
            stream: 16 << 20,
            output: 64 << 10,
        }
    }
}

/// What a tracer needs beside the contents that it keeps.
const OWN_BYTES: u64 = 3 << 20;

impl Caps {
    /// Limits for a tracer that has only so much memory itself: a test's limit is its own, too, if
    /// it may not be lifted.
    pub fn fit(&mut self, memory: u64) {
        let most = memory.saturating_sub(OWN_BYTES) / 8;
        for cap in [&mut self.file, &mut self.recording, &mut self.stream, &mut self.output] {
            *cap = (*cap).min(most);
        }
    }
}

impl Settings {
    /// The bytes of the file.
    pub fn encode(&self) -> Vec<u8> {
        // Only a failed allocation could end up here, and that does not return.
        postcard::to_allocvec(self).unwrap_or_default()
    }

    /// Reads the bytes of the file.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        postcard::from_bytes(bytes).ok()
    }

    /// Whether the variable of this name is stored.
    pub fn keeps_variable(&self, name: &[u8]) -> bool {
        self.variables.iter().any(|allowed| match allowed.strip_suffix(b"*") {
            Some(prefix) => name.starts_with(prefix),
            None => allowed == name,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tracer_with_little_memory_keeps_little() {
        let mut caps = Caps::default();
        caps.fit(u64::MAX);
        assert_eq!(caps, Caps::default());
        caps.fit(5_000_000);
        let most = (5_000_000 - OWN_BYTES) / 8;
        assert_eq!((caps.file, caps.recording, caps.stream), (most, most, most));
        assert_eq!((caps.output, caps.entries), (64 << 10, 10_000));
    }

    #[test]
    fn only_allowed_variables_are_kept() {
        let variables = vec![b"LC_*".to_vec(), b"TZ".to_vec()];
        let settings = Settings { variables, ..Settings::default() };
        for (name, kept) in [
            ("LC_ALL", true),
            ("LC_", true),
            ("TZ", true),
            ("TZX", false),
            ("LC", false),
            ("", false),
        ] {
            assert_eq!(settings.keeps_variable(name.as_bytes()), kept, "{name}");
        }
    }
}
