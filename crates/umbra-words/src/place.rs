//! Where in the source.

use std::fmt;

use serde::{Deserialize, Serialize};
use umbra_text::Show;

use crate::Version;

/// A line of the program under test.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// The source file; empty if it is not known.
    pub file: String,
    /// The line in it; 0 if it is not known.
    pub line: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&*self.file, self.line) {
            ("", _) => f.write_str("an unknown place"),
            (file, 0) => write!(f, "{}", file.shown()),
            (file, line) => write!(f, "{}:{line}", file.shown()),
        }
    }
}

/// A column of a line.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Position {
    /// Path as the compiler was given it.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; 0 if it is not known.
    pub column: u32,
}

/// A line that a search aims at, or that a patch changed: in one of the versions.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Target {
    /// The file and the line in it.
    pub place: Place,
    /// The function that it is in.
    pub function: String,
    /// The version whose line it is: the old one has lines that the new one has no more.
    pub version: Version,
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place: Place { file, line }, function, version } = self;
        let version = if *version == Version::Old { ", old version" } else { "" };
        write!(f, "{file}:{line} ({function}{version})")
    }
}
