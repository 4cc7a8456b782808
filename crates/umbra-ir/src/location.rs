//! Source locations and the debug identity of functions and globals.

use serde::{Deserialize, Serialize};

use crate::id::{FileId, LocationId};

/// A source file as the debug information names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SourceFile {
    /// The compilation directory.
    pub directory: String,
    /// The file name, absolute or relative to `directory`.
    pub name: String,
}

impl SourceFile {
    /// The file's path: `name` itself if it is absolute, else below `directory`.
    pub fn path(&self) -> std::path::PathBuf {
        std::path::Path::new(&self.directory).join(&self.name)
    }
}

/// A place in the source text, with the function it is written in.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Location {
    /// The file.
    pub file: FileId,
    /// The line, from 1; 0 when the compiler gave none.
    pub line: u32,
    /// The column, from 1; 0 when the compiler gave none.
    pub column: u32,
    /// The source name of the function that the text belongs to.
    pub function: String,
    /// Where that function was inlined, if it was.
    pub inlined_at: Option<LocationId>,
}

/// What a function or global is called in the source text, whatever the linker made of its name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Identity {
    /// The file it is defined in.
    pub file: FileId,
    /// The file that was compiled, which may have included `file`: the translation unit.
    pub unit: FileId,
    /// The line of its definition.
    pub line: u32,
    /// The function that encloses a static local; empty at file scope.
    pub scope: String,
    /// Its source name.
    pub name: String,
    /// Visible in its own file only.
    pub local: bool,
}
