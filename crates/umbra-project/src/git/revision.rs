//! Names of revisions.

use std::fmt;

use super::{GitError, Repository};
use crate::Error;

/// One state of the source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Revision {
    /// Whatever git takes for a revision: a branch, a tag, `HEAD~2`, a hash.
    Named(String),
    /// What is in the checkout now: tracked files as they are, and files that git neither
    /// tracks nor ignores.
    WorkingTree,
}

impl Revision {
    /// A revision from the command line: `.` is the working tree.
    pub fn parse(text: &str) -> Revision {
        if text == "." { Revision::WorkingTree } else { Revision::Named(text.into()) }
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Revision::Named(name) => formatter.write_str(name),
            Revision::WorkingTree => formatter.write_str("the working tree"),
        }
    }
}

/// A patch: from one revision to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RevisionRange {
    /// Before.
    pub old: Revision,
    /// After.
    pub new: Revision,
}

impl Repository {
    /// The patch that a text names.
    ///
    /// | text | old | new |
    /// |---|---|---|
    /// | none, or `.` | `HEAD` | the working tree |
    /// | `A..B` | `A` | `B` |
    /// | `A...B` | where `B` branched off `A` | `B` |
    /// | `A` | the commit before `A` | `A` |
    ///
    /// A side of a range that is left out is `HEAD`; `.` is the working tree.
    pub fn range(&self, text: Option<&str>) -> Result<RevisionRange, Error> {
        let side = |text: &str| Revision::parse(if text.is_empty() { "HEAD" } else { text });
        let text = text.unwrap_or(".");
        if let Some((old, new)) = split_range(text, "...") {
            let (old, new) = (side(old), side(new));
            return Ok(RevisionRange { old: self.merge_base(&old, &new)?, new });
        }
        if let Some((old, new)) = split_range(text, "..") {
            return Ok(RevisionRange { old: side(old), new: side(new) });
        }
        let new = Revision::parse(text);
        let old = match &new {
            Revision::WorkingTree => Revision::Named("HEAD".into()),
            Revision::Named(name) => self.parent(name)?,
        };
        Ok(RevisionRange { old, new })
    }

    fn parent(&self, name: &str) -> Result<Revision, Error> {
        let parent = format!("{name}^");
        match self.tree_of(&parent) {
            Ok(_) => Ok(Revision::Named(parent)),
            // The commit itself must be there, else that is what is wrong.
            Err(error) => match self.tree_of(name).map(|_| error)? {
                Error::Git(GitError::UnknownRevision { .. }) => {
                    Err(GitError::NoParent { name: name.into() }.into())
                }
                error => Err(error),
            },
        }
    }

    fn merge_base(&self, old: &Revision, new: &Revision) -> Result<Revision, Error> {
        let name = |revision: &Revision| match revision {
            Revision::Named(name) => name.clone(),
            Revision::WorkingTree => "HEAD".into(),
        };
        let (old, new) = (name(old), name(new));
        self.tree_of(&old)?;
        self.tree_of(&new)?;
        let output = self.git().args(["merge-base", "--end-of-options", &old, &new]).run()?;
        Ok(Revision::Named(output.text()))
    }
}

/// Splits at the separator, which has no further dot beside it; `.` and `..` as names of
/// folders are no revisions.
fn split_range<'a>(text: &'a str, separator: &str) -> Option<(&'a str, &'a str)> {
    let (old, new) = text.split_once(separator)?;
    // `A...` with the working tree after it would be ambiguous: it is written `A...HEAD`.
    (new == "." || !new.starts_with('.')).then_some((old, new))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_split() {
        let cases = [
            ("a..b", "..", Some(("a", "b"))),
            ("a..", "..", Some(("a", ""))),
            ("v1.2..v1.3", "..", Some(("v1.2", "v1.3"))),
            ("a...b", "...", Some(("a", "b"))),
            ("a..b", "...", None),
            ("a", "..", None),
            ("v1.2", "..", None),
        ];
        for (text, separator, expected) in cases {
            assert_eq!(split_range(text, separator), expected, "{text}");
        }
    }
}
