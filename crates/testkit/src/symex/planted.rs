//! Faults that were planted into real programs, and how to tell that one was found.

use std::fmt;
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use umbra_words::Fault;

use super::native::is_about;

/// A fault that was planted into a program.
#[derive(Debug)]
pub struct Planted {
    /// The program.
    pub program: String,
    /// The kind of error it leads to.
    pub error: String,
    /// The kind that sanitizers see, if it is another: what a program reads behind an argument is
    /// the next argument natively, and only what it does with that goes wrong.
    native: Option<String>,
    /// Where it shows itself: one of the calls that lead to the error must be there.
    places: Vec<Lines>,
    patch: PathBuf,
}

/// Lines of a source file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Lines {
    file: String,
    lines: RangeInclusive<u32>,
}

impl Planted {
    /// Reads a patch. The fault shows itself in the changed lines and those around them, unless its
    /// head says otherwise: `Place: src/cut.c:120-140`.
    pub fn read(patch: &Path) -> anyhow::Result<Self> {
        let text = fs::read_to_string(patch)?;
        let field = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            line.map(|value| value.trim().to_owned())
        };
        let needed = |name: &str| {
            field(name).with_context(|| format!("{} has no `{name}`", patch.display()))
        };
        let places = match field("Place:") {
            Some(place) => vec![stated(&place).with_context(|| format!("`Place: {place}`"))?],
            None => changed(&text),
        };
        ensure!(!places.is_empty(), "{} changes nothing", patch.display());
        let (program, error) = (needed("Program:")?, needed("Error:")?);
        let native = field("Native:");
        Ok(Self { program, error, native, places, patch: patch.to_owned() })
    }

    /// Whether an error is the planted one: of its kind, and on the way through its place.
    pub fn is(&self, error: &Fault) -> bool {
        let through = |place: &Lines| error.stack.iter().any(|call| place.has(call));
        error.kind == self.error && self.places.iter().any(through)
    }

    /// Whether a sanitizer's report is about it.
    pub fn is_in(&self, report: &str) -> bool {
        let through = |place: &Lines| report.lines().any(|line| place.has(line));
        is_about(report, self.native.as_ref().unwrap_or(&self.error))
            && self.places.iter().any(through)
    }

    /// The patch.
    pub fn file(&self) -> &Path {
        &self.patch
    }
}

impl fmt::Display for Planted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} through", self.error)?;
        for Lines { file, lines } in &self.places {
            write!(f, " {file}:{}-{}", lines.start(), lines.end())?;
        }
        Ok(())
    }
}

impl Lines {
    /// Whether a call as reports have it (`main at /tree/src/cut.c:12:5`), or a line of a
    /// sanitizer's report, is there.
    fn has(&self, call: &str) -> bool {
        let Some((before, rest)) = call.rsplit_once(&format!("{}:", self.file)) else {
            return false;
        };
        let line = rest.split(':').next().and_then(|line| line.trim().parse().ok());
        // The name of a file ends one of a path, not of another file.
        (before.is_empty() || before.ends_with([' ', '/']))
            && line.is_some_and(|line| self.lines.contains(&line))
    }
}

/// `FILE:FIRST-LAST`
fn stated(place: &str) -> Option<Lines> {
    let (file, lines) = place.rsplit_once(':')?;
    let (first, last) = lines.split_once('-')?;
    Some(Lines { file: file.to_owned(), lines: first.parse().ok()?..=last.parse().ok()? })
}

/// The lines of the hunks of a patch, as they are when it is applied.
fn changed(patch: &str) -> Vec<Lines> {
    let mut file = "";
    let mut places = Vec::new();
    for line in patch.lines() {
        if let Some(name) = line.strip_prefix("+++ b/") {
            file = name.trim();
        } else if let Some(hunk) = line.strip_prefix("@@ ")
            && let Some(lines) = new_lines(hunk)
        {
            places.push(Lines { file: file.to_owned(), lines });
        }
    }
    places
}

/// The lines that a hunk has in the new file: `-321,7 +321,7 @@`.
fn new_lines(hunk: &str) -> Option<RangeInclusive<u32>> {
    let new = hunk.split(' ').find_map(|word| word.strip_prefix('+'))?;
    let (first, count) = new.split_once(',').unwrap_or((new, "1"));
    let (first, count): (u32, u32) = (first.parse().ok()?, count.parse().ok()?);
    Some(first..=first + count.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> anyhow::Result<Planted> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("x.patch");
        fs::write(&file, text)?;
        Planted::read(&file)
    }

    const HUNK: &str = "--- a/src/cut.c\n+++ b/src/cut.c\n@@ -10,3 +10,4 @@ main (void)\n x\n+y\n";

    #[test]
    fn a_patch_says_what_it_plants() {
        let planted = read(&format!("Program: cut\nError: double-free\n{HUNK}")).unwrap();
        assert_eq!((planted.program.as_str(), planted.error.as_str()), ("cut", "double-free"));
        assert_eq!(planted.to_string(), "double-free through src/cut.c:10-13");
        let stated = format!("Program: cut\nError: x\nPlace: src/set.c:5-7\n{HUNK}");
        assert_eq!(read(&stated).unwrap().to_string(), "x through src/set.c:5-7");
        assert!(read(&format!("Program: cut\n{HUNK}")).is_err());
        assert!(read("Program: cut\nError: double-free\n").is_err());
        assert!(read(&format!("Program: cut\nError: x\nPlace: cut.c\n{HUNK}")).is_err());
    }

    #[test]
    fn kind_and_place_must_be_right() {
        let planted = read(&format!("Program: cut\nError: double-free\n{HUNK}")).unwrap();
        let is = |kind: &str, stack: &[&str]| {
            planted.is(&Fault {
                kind: kind.to_owned(),
                stack: stack.iter().map(|&call| call.to_owned()).collect(),
                ..Fault::default()
            })
        };
        assert!(is("double-free", &["main at /tree/src/cut.c:13:5"]));
        assert!(is("double-free", &["free at musl/free.c:1", "main at src/cut.c:10"]));
        assert!(!is("use-after-free", &["main at /tree/src/cut.c:13:5"]));
        assert!(!is("double-free", &["main at /tree/src/cut.c:14:5"]));
        assert!(!is("double-free", &["main at /tree/src/nocut.c:13:5"]));
        assert!(!is("double-free", &[]));
        let report = |kind: &str, line| format!("{kind}\n#1 0x5 in main /tree/src/cut.c:{line}:5");
        assert!(planted.is_in(&report("attempting double-free", 13)));
        assert!(!planted.is_in(&report("attempting double-free", 14)));
        assert!(!planted.is_in(&report("heap-use-after-free", 13)));
    }
}
