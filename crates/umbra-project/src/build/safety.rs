//! Whether one revision can be built from what another left.
//!
//! The result must be what a build from scratch gives. Make knows which programs depend on
//! which sources, but not that the rules themselves changed, and nothing at all
//! of files that are gone. So only edits of C code are taken over, and of that only what
//! the build system is known to track; everything else that could matter starts from scratch.
//!
//! Documentation and tests do not matter, unless the build reads them: a source may be made of any text.
//! Which files were read is known from the times of their last access ([`Reads`]).

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::git::{ChangedFile, FileChange};

/// How the build system knows what a file depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tracking {
    /// The compiler lists the headers of every object (automake, CMake, ninja).
    Headers,
    /// Nobody knows; rules may be written by hand.
    Unknown,
}

/// What to do about the changed files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Build on top.
    Incremental {
        /// Files that make must see as changed.
        code: Vec<PathBuf>,
        /// Files that no program depends on.
        other: Vec<ChangedFile>,
    },
    /// Build from scratch; this file is why.
    Scratch(PathBuf),
}

impl Tracking {
    /// What the files of a built tree tell.
    pub fn of<'a>(mut files: impl Iterator<Item = &'a PathBuf>) -> Tracking {
        let tracked = files.any(|path| {
            path.components().any(|part| {
                let part = part.as_os_str();
                part == ".deps" || part == "CMakeFiles" || part == ".ninja_deps"
            })
        });
        if tracked { Tracking::Headers } else { Tracking::Unknown }
    }
}

/// Which files of the source a build has read.
pub struct Reads<'a> {
    unread: &'a BTreeSet<PathBuf>,
    /// Folders and endings of files that were read, and the endings alone.
    kinds: BTreeSet<(&'a Path, Option<&'a OsStr>)>,
    endings: BTreeSet<Option<&'a OsStr>>,
    /// Folders and endings of all files.
    all_kinds: BTreeSet<(&'a Path, Option<&'a OsStr>)>,
}

impl<'a> Reads<'a> {
    /// Of these files of the source, all but those that are `unread` were read.
    pub fn new(sources: impl Iterator<Item = &'a Path>, unread: &'a BTreeSet<PathBuf>) -> Self {
        let (mut kinds, mut endings, mut all_kinds) =
            (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        // Build files are read in any case, and are no texts.
        for path in sources.filter(|path| !is_build_file(path)) {
            let kind = kind(path);
            all_kinds.insert(kind);
            if !unread.contains(path) {
                kinds.insert(kind);
                endings.insert(kind.1);
            }
        }
        Self { unread, kinds, endings, all_kinds }
    }

    /// Whether a build of the new revision could read the file. One that is new was not there to be
    /// read: it is taken for one of its neighbours with the same ending, or, if there are none, for any
    /// file with that ending, since commands may name them all by a pattern.
    fn could_read(&self, change: &ChangedFile) -> bool {
        let kind = kind(&change.path);
        match change.kind {
            FileChange::Added if self.all_kinds.contains(&kind) => self.kinds.contains(&kind),
            FileChange::Added => self.endings.contains(&kind.1),
            _ => !self.unread.contains(&change.path),
        }
    }
}

/// The folder of a file, and how its name ends.
fn kind(path: &Path) -> (&Path, Option<&OsStr>) {
    (path.parent().unwrap_or(path), path.extension())
}

/// Decides by the paths, and by what was read.
pub fn judge(changes: &[ChangedFile], tracking: Tracking, reads: &Reads<'_>) -> Verdict {
    let (mut code, mut other) = (Vec::new(), Vec::new());
    for change in changes {
        let path = &change.path;
        if is_build_file(path) {
            return Verdict::Scratch(path.clone());
        } else if is_code(path, tracking) && change.kind == FileChange::Modified {
            code.push(path.clone());
        } else if is_harmless(path)
            && change.kind != FileChange::Replaced
            && !reads.could_read(change)
        {
            other.push(change.clone());
        } else {
            return Verdict::Scratch(path.clone());
        }
    }
    Verdict::Incremental { code, other }
}

/// A changed file that another one includes, of which untracked rules know nothing. `files`
/// are those of the tree below `root`.
pub fn included<'a>(
    root: &Path,
    files: impl Iterator<Item = &'a PathBuf>,
    code: &[PathBuf],
) -> Option<PathBuf> {
    let names: BTreeSet<_> = code.iter().filter_map(|path| path.file_name()).collect();
    let mut included = BTreeSet::new();
    for path in files.filter(|path| has_extension(path, &["c", "h", "y", "l", "inc", "def"])) {
        let text = fs::read(root.join(path)).unwrap_or_default();
        for line in text.split(|&byte| byte == b'\n') {
            let line = String::from_utf8_lossy(line);
            if let Some((_, file)) = line.split_once("include") {
                let file = file.trim().trim_start_matches(['"', '<']);
                let end = file.find(['"', '>']).unwrap_or(file.len());
                included.extend(Path::new(&file[..end]).file_name().map(ToOwned::to_owned));
            }
        }
    }
    let name = names.into_iter().find(|name| included.contains(*name))?;
    code.iter().find(|path| path.file_name() == Some(name)).cloned()
}

fn is_code(path: &Path, tracking: Tracking) -> bool {
    match tracking {
        Tracking::Headers => has_extension(path, &["c", "h", "inc", "def"]),
        Tracking::Unknown => has_extension(path, &["c"]),
    }
}

/// Files that say how to build.
fn is_build_file(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    has_extension(path, &["ac", "am", "in", "m4", "mk", "mak", "cmake", "pc"])
        || ["configure", "config", "Makefile", "makefile", "GNUmakefile", "CMake", "meson"]
            .iter()
            .any(|start| name.starts_with(start))
        || path.components().any(|part| part.as_os_str() == "build-aux")
}

/// Files that programs are seldom made of.
fn is_harmless(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let folders = ["tests", "test", "doc", "docs", "po", ".github"];
    let names = [
        "NEWS",
        "README",
        "ChangeLog",
        "AUTHORS",
        "THANKS",
        "TODO",
        "COPYING",
        "HACKING",
        "LICENSE",
        "umbra.toml",
        ".gitignore",
        ".gitattributes",
        ".mailmap",
        ".x-",
    ];
    has_extension(path, &["md", "txt", "texi", "info", "po", "pot", "gmo", "1", "rst"])
        || names.iter().any(|start| name.starts_with(start))
        // C in a folder of tests is built by somebody, too.
        || (!has_extension(path, &["c", "h", "y", "l"])
            && path.components().any(|part| folders.iter().any(|name| part.as_os_str() == *name)))
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    path.extension().is_some_and(|own| extensions.iter().any(|extension| own == *extension))
}

#[cfg(test)]
mod tests {
    use super::*;
    use FileChange::{Added, Deleted, Modified, Replaced};

    #[test]
    fn what_is_safe() {
        use Tracking::{Headers, Unknown};
        let cases = [
            ("src/a.c", Modified, Headers, true),
            ("src/a.c", Modified, Unknown, true),
            ("src/a.h", Modified, Headers, true),
            ("src/a.h", Modified, Unknown, false),
            ("src/a.c", Added, Headers, false),
            ("src/a.c", Deleted, Headers, false),
            ("src/a.c", Replaced, Headers, false),
            ("src/parse.y", Modified, Headers, false),
            ("src/gen.sh", Modified, Headers, false),
            ("src/table.csv", Modified, Headers, false),
            ("configure.ac", Modified, Headers, false),
            ("lib/config.hin", Modified, Headers, false),
            ("src/Makefile.am", Modified, Headers, false),
            ("src/local.mk", Modified, Headers, false),
            ("tests/Makefile.in", Modified, Headers, false),
            ("CMakeLists.txt", Modified, Headers, false),
            ("x/meson.build", Modified, Headers, false),
            ("m4/x.m4", Modified, Headers, false),
            ("build-aux/compile", Modified, Headers, false),
            ("README.md", Added, Headers, true),
            ("NEWS", Modified, Unknown, true),
            ("doc/x.texi", Deleted, Headers, true),
            ("tests/a.sh", Added, Headers, true),
            ("tests/a.c", Added, Headers, false),
            ("tests/a.sh", Replaced, Headers, false),
        ];
        for (path, kind, tracking, safe) in cases {
            assert_eq!(is_safe(path, kind, tracking, &[path], &[path]), safe, "{path} {kind:?}");
        }
    }

    /// Whether a change is built on top, where these files are the source and these were not read.
    fn is_safe(
        path: &str,
        kind: FileChange,
        tracking: Tracking,
        sources: &[&str],
        unread: &[&str],
    ) -> bool {
        let unread = unread.iter().map(PathBuf::from).collect();
        let reads = Reads::new(sources.iter().map(Path::new), &unread);
        let verdict = judge(&[ChangedFile { path: path.into(), kind }], tracking, &reads);
        matches!(verdict, Verdict::Incremental { .. })
    }

    #[test]
    fn a_text_that_the_build_reads_is_not_safe() {
        let sources = ["README.md", "words/a.txt", "words/notes.md", "tests/a.sh", "gen.sh"];
        let unread = ["README.md", "words/notes.md", "tests/a.sh"];
        for (path, kind, safe) in [
            ("README.md", Modified, true),
            ("README.md", Deleted, true),
            ("words/a.txt", Modified, false),
            ("words/a.txt", Deleted, false),
            // Its neighbour is read.
            ("words/b.txt", Added, false),
            ("words/b.md", Added, true),
            ("tests/b.sh", Added, true),
            // It has no neighbours, and others of its kind are read.
            ("docs/b.txt", Added, false),
            ("docs/b.md", Added, true),
            ("docs/b.rst", Added, true),
        ] {
            let tracking = Tracking::Headers;
            assert_eq!(is_safe(path, kind, tracking, &sources, &unread), safe, "{path} {kind:?}");
            // Where nothing is known of reading, nothing is safe.
            let known = kind == Added && safe && path.ends_with("rst");
            assert_eq!(is_safe(path, kind, tracking, &sources, &[]), known, "{path} {kind:?}");
        }
    }

    #[test]
    fn code_that_others_include() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a.c"), "#  include \"sub/b.c\"\n#include <c.h>\n").unwrap();
        let files = [PathBuf::from("a.c"), "b.c".into()];
        let included = |code: &str| included(dir.path(), files.iter(), &[code.into()]);
        assert_eq!(included("x/b.c"), Some("x/b.c".into()));
        assert_eq!(included("a.c"), None);
    }
}
