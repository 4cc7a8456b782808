//! Which lines differ between two trees.

use std::ops::Range;
use std::path::{Path, PathBuf};

use super::{Repository, TreeId, command};
use crate::Error;

/// The lines that differ in one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedLines {
    /// Its path from the root of the repository.
    pub path: PathBuf,
    /// Where it differs, from its top to its end.
    pub hunks: Vec<Hunk>,
}

/// Lines that took the place of others. Lines are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// Lines of the old file; empty if the new ones were only added.
    pub old: Range<u32>,
    /// Lines of the new file; empty if the old ones were only removed.
    pub new: Range<u32>,
}

/// Paths in one call of git: a command line has its limits.
const PATHS: usize = 500;

impl Repository {
    /// The lines that differ in these files between two trees. A file without such lines is left
    /// out, as are binary files, and those whose name git has to quote: no source file has one
    /// with a quote or a control character in it.
    pub fn changed_lines(
        &self,
        old: &TreeId,
        new: &TreeId,
        paths: &[PathBuf],
    ) -> Result<Vec<ChangedLines>, Error> {
        let mut files = Vec::new();
        for paths in paths.chunks(PATHS) {
            // Whatever the user has set must not change what is printed.
            let git = self.git().args(["-c", "core.quotePath=false", "--literal-pathspecs"]);
            let output = git
                .args(["diff-tree", "-r", "-p", "--unified=0", "--inter-hunk-context=0"])
                .args(["--no-renames", "--no-color", "--no-ext-diff", "--no-textconv"])
                .args(["--src-prefix=a/", "--dst-prefix=b/", "--diff-algorithm=myers"])
                .args([old.as_str(), new.as_str(), "--"])
                .args(paths)
                .run()?;
            files.extend(parse(output.bytes()));
        }
        Ok(files)
    }
}

/// Reads a patch without context lines.
fn parse(patch: &[u8]) -> Vec<ChangedLines> {
    let mut files: Vec<ChangedLines> = Vec::new();
    let mut path = None;
    let mut lines = patch.split(|byte| *byte == b'\n');
    while let Some(line) = lines.next() {
        if line.starts_with(b"diff --git ") {
            path = None;
        } else if let Some(name) = line.strip_prefix(b"--- ") {
            path = file(name, b"a/");
        } else if let Some(name) = line.strip_prefix(b"+++ ") {
            path = file(name, b"b/").or(path);
        } else if let Some(hunk) = hunk(line) {
            // The lines themselves may look like anything, so they are counted and not looked at.
            let count = hunk.old.len() + hunk.new.len();
            lines.by_ref().filter(|line| !line.starts_with(b"\\")).take(count).for_each(drop);
            let Some(path) = &path else { continue };
            match files.last_mut().filter(|file| file.path == *path) {
                Some(file) => file.hunks.push(hunk),
                None => files.push(ChangedLines { path: path.clone(), hunks: vec![hunk] }),
            }
        }
    }
    files
}

/// The path in a header, unless it is the null device or quoted. A name with a blank in it has a
/// tabulator behind it.
fn file(name: &[u8], prefix: &[u8]) -> Option<PathBuf> {
    let name = name.strip_prefix(prefix)?;
    let name = name.strip_suffix(b"\t").unwrap_or(name);
    Some(command::path(name)).filter(|path| path != Path::new(""))
}

/// `@@ -10,2 +12 @@ whatever`
fn hunk(line: &[u8]) -> Option<Hunk> {
    let text = String::from_utf8_lossy(line.strip_prefix(b"@@ -")?).into_owned();
    let (old, rest) = text.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    Some(Hunk { old: range(old)?, new: range(new)? })
}

/// `10,2`, `10` for one line, or `9,0` for none behind line 9.
fn range(text: &str) -> Option<Range<u32>> {
    let (start, count) = text.split_once(',').unwrap_or((text, "1"));
    let (start, count): (u32, u32) = (start.parse().ok()?, count.parse().ok()?);
    let start = if count == 0 { start.checked_add(1)? } else { start };
    Some(start..start.checked_add(count)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str = r#"diff --git a/src/a b.c b/src/a b.c
index 1..2 100644
--- a/src/a b.c	
+++ b/src/a b.c	
@@ -3,2 +2,0 @@ int f(void)
--- a/not/a/header
-@@ -1 +1 @@
@@ -9 +7,2 @@
-x
\ No newline at end of file
+++ b/not/one/either
+y
diff --git a/new.c b/new.c
new file mode 100644
--- /dev/null
+++ b/new.c
@@ -0,0 +1,2 @@
+int x;
+int y;
diff --git a/gone.c b/gone.c
--- a/gone.c
+++ /dev/null
@@ -1 +0,0 @@
-int x;
diff --git "a/odd\n.c" "b/odd\n.c"
--- "a/odd\n.c"
+++ "b/odd\n.c"
@@ -1 +1 @@
-int x;
+int y;
"#;

    #[test]
    fn patches_are_read_line_by_line() {
        let hunk = |old, new| Hunk { old, new };
        let file = |path: &str, hunks| ChangedLines { path: path.into(), hunks };
        let expected = [
            file("src/a b.c", vec![hunk(3..5, 3..3), hunk(9..10, 7..9)]),
            file("new.c", vec![hunk(1..1, 1..3)]),
            file("gone.c", vec![hunk(1..2, 1..1)]),
        ];
        assert_eq!(parse(PATCH.as_bytes()), expected);
        assert_eq!(parse(b""), []);
    }
}
