//! Whether a process can be started from a case, and its tree be written without harm.
//!
//! Checked before writing and after reading, since cases come from solvers and from strangers. What
//! is relied on elsewhere: paths (of entries, the working directory, descriptors) stay below the root of
//! the tree and never lead through a link, nor to one; no string has a NUL inside.
//!
//! Not checked: lengths. The kernel's limits differ, and it says so itself.

use std::collections::BTreeMap;

use crate::{Case, Descriptor, Entry, EntryKind, InvalidCase};

/// Signals that cannot be ignored, SIGKILL and SIGSTOP, and the number after the last.
const UNSTOPPABLE: [i32; 2] = [9, 19];
const SIGNALS: i32 = 65;

/// All bits that a mode can have.
const MODE_BITS: u32 = 0o7777;

impl Case {
    /// Checks that a process can be started from the case.
    pub fn check(&self) -> Result<(), InvalidCase> {
        no_nul(&self.program, || "the program's name".to_owned())?;
        for (index, argument) in self.arguments.iter().enumerate() {
            no_nul(argument, || format!("argument {}", index + 1))?;
        }
        for (index, variable) in self.environment.iter().enumerate() {
            no_nul(variable, || format!("variable {index}"))?;
            if !matches!(variable.iter().position(|byte| *byte == b'='), Some(1..)) {
                return Err(InvalidCase::Variable { index });
            }
        }
        for object in &self.objects {
            no_nul(&object.name, || format!("the object's name `{}`", shown(&object.name)))?;
        }
        if self.settings.umask > 0o777 {
            return Err(InvalidCase::Mode { mode: self.settings.umask });
        }
        for signal in self.settings.ignored_signals.iter().copied() {
            if !(1..SIGNALS).contains(&signal) || UNSTOPPABLE.contains(&signal) {
                return Err(InvalidCase::Signal { signal });
            }
        }
        self.check_places()?;
        check_tree(&self.tree)
    }

    /// Checks where the tree stands, the working directory, and what descriptors lead to.
    fn check_places(&self) -> Result<(), InvalidCase> {
        if let Some(root) = &self.root {
            no_nul(root, || "the root of the tree".to_owned())?;
            let plain = root.strip_prefix(b"/").is_some_and(is_plain_path);
            if !plain {
                return Err(InvalidCase::Root { path: shown(root) });
            }
        }
        if !matches!(&*self.directory, b"" | b"/") {
            no_nul(&self.directory, || "the working directory".to_owned())?;
            if !is_plain_path(&self.directory) {
                return Err(InvalidCase::Path { path: shown(&self.directory) });
            }
            let is_in_the_way = |entry: &Entry| {
                let below = self.directory.strip_prefix(&*entry.path);
                entry.kind != EntryKind::Directory && matches!(below, Some([] | [b'/', ..]))
            };
            if self.tree.iter().any(is_in_the_way) {
                return Err(InvalidCase::Directory { path: shown(&self.directory) });
            }
        }
        for (number, descriptor) in &self.descriptors {
            let leads = match descriptor {
                // What is open is a file; a link is only a way to one.
                Descriptor::File { path, .. } => self.tree.iter().any(|entry| {
                    entry.path == *path && !matches!(entry.kind, EntryKind::Symlink(_))
                }),
                Descriptor::Same(other) => other < number,
                _ => true,
            };
            if !leads {
                return Err(InvalidCase::Descriptor { number: *number });
            }
        }
        Ok(())
    }
}

/// Whether a relative path has only components that are names.
fn is_plain_path(path: &[u8]) -> bool {
    path.split(|byte| *byte == b'/').all(|component| !matches!(component, b"" | b"." | b".."))
}

fn no_nul(bytes: &[u8], what: impl Fn() -> String) -> Result<(), InvalidCase> {
    match bytes.contains(&0) {
        true => Err(InvalidCase::Nul { what: what() }),
        false => Ok(()),
    }
}

fn shown(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}

fn check_tree(tree: &[Entry]) -> Result<(), InvalidCase> {
    let mut kinds = BTreeMap::new();
    for entry in tree {
        check_entry(entry)?;
        if kinds.insert(&*entry.path, &entry.kind).is_some() {
            return Err(InvalidCase::Twice { path: shown(&entry.path) });
        }
    }
    for entry in tree {
        let slashes = entry.path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        for (length, _) in slashes {
            if kinds.get(&entry.path[..length]).is_some_and(|kind| **kind != EntryKind::Directory) {
                return Err(InvalidCase::Below { path: shown(&entry.path) });
            }
        }
    }
    Ok(())
}

fn check_entry(entry: &Entry) -> Result<(), InvalidCase> {
    let path = || shown(&entry.path);
    no_nul(&entry.path, || format!("the path `{}`", path()))?;
    let is_root = entry.path == b"." && entry.kind == EntryKind::Directory;
    if !is_root && !is_plain_path(&entry.path) {
        return Err(InvalidCase::Path { path: path() });
    }
    if let EntryKind::Symlink(target) = &entry.kind {
        no_nul(target, || format!("the target of the link `{}`", path()))?;
        if target.is_empty() {
            return Err(InvalidCase::Target { path: path() });
        }
    }
    if entry.mode > MODE_BITS {
        return Err(InvalidCase::Mode { mode: entry.mode });
    }
    match entry.modified {
        Some(time) if time.nanoseconds >= 1_000_000_000 => {
            Err(InvalidCase::Time { path: path(), nanoseconds: time.nanoseconds })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{Access, Object, Settings, Timestamp};

    fn tree(entries: impl Into<Vec<Entry>>) -> Case {
        Case { tree: entries.into(), ..Case::default() }
    }

    #[test]
    fn what_no_process_can_start_from_is_refused() {
        let path = |path: &str| InvalidCase::Path { path: path.to_owned() };
        let variable = |text: &str| Case { environment: vec![text.into()], ..Case::default() };
        let descriptor = |number, descriptor| Case {
            descriptors: BTreeMap::from([(number, descriptor)]),
            ..Case::default()
        };
        let signal = |signal| {
            let settings =
                Settings { ignored_signals: BTreeSet::from([signal]), ..Settings::default() };
            Case { settings, ..Case::default() }
        };
        let on_link = descriptor(
            3,
            Descriptor::File {
                path: b"l".to_vec(),
                offset: 0,
                access: Access::Both,
                append: false,
            },
        );
        for (case, error) in [
            (tree([Entry::file("", "")]), path("")),
            (tree([Entry::file("/etc/passwd", "")]), path("/etc/passwd")),
            (tree([Entry::file("../x", "")]), path("../x")),
            (tree([Entry::file("a/../../x", "")]), path("a/../../x")),
            (tree([Entry::file("a//x", "")]), path("a//x")),
            (tree([Entry::directory("a/")]), path("a/")),
            (tree([Entry::file(".", "")]), path(".")),
            (tree([Entry::file("a\0", "")]), InvalidCase::Nul { what: "the path `a\0`".into() }),
            (
                tree([Entry::file("x", ""), Entry::fifo("x")]),
                InvalidCase::Twice { path: "x".into() },
            ),
            (
                tree([Entry::file("l/x/y", ""), Entry::symlink("l", "/etc")]),
                InvalidCase::Below { path: "l/x/y".into() },
            ),
            (tree([Entry::symlink("l", "")]), InvalidCase::Target { path: "l".into() }),
            (
                tree([Entry { mode: 0o10000, ..Entry::fifo("f") }]),
                InvalidCase::Mode { mode: 0o10000 },
            ),
            (
                tree([Entry {
                    modified: Some(Timestamp { seconds: 0, nanoseconds: 1_000_000_000 }),
                    ..Entry::fifo("f")
                }]),
                InvalidCase::Time { path: "f".into(), nanoseconds: 1_000_000_000 },
            ),
            (variable("NAME"), InvalidCase::Variable { index: 0 }),
            (variable("=value"), InvalidCase::Variable { index: 0 }),
            (variable("A=\0"), InvalidCase::Nul { what: "variable 0".into() }),
            (
                Case { arguments: vec![vec![], b"a\0b".to_vec()], ..Case::default() },
                InvalidCase::Nul { what: "argument 2".into() },
            ),
            (
                Case {
                    objects: vec![Object { name: b"\0".to_vec(), bytes: vec![] }],
                    ..Case::default()
                },
                InvalidCase::Nul { what: "the object's name `\0`".into() },
            ),
            (
                Case { root: Some(b"/a/../b".to_vec()), ..Case::default() },
                InvalidCase::Root { path: "/a/../b".into() },
            ),
            (
                Case { root: Some(b"a".to_vec()), ..Case::default() },
                InvalidCase::Root { path: "a".into() },
            ),
            (Case { directory: b"/a".to_vec(), ..Case::default() }, path("/a")),
            (
                Case { directory: b"l".to_vec(), ..tree([Entry::symlink("l", "/etc")]) },
                InvalidCase::Directory { path: "l".into() },
            ),
            (
                Case { directory: b"l/x/y".to_vec(), ..tree([Entry::symlink("l", "/etc")]) },
                InvalidCase::Directory { path: "l/x/y".into() },
            ),
            (
                Case { directory: b"f".to_vec(), ..tree([Entry::file("f", "")]) },
                InvalidCase::Directory { path: "f".into() },
            ),
            (
                Case { tree: vec![Entry::symlink("l", "f"), Entry::file("f", "")], ..on_link },
                InvalidCase::Descriptor { number: 3 },
            ),
            (descriptor(3, Descriptor::Same(3)), InvalidCase::Descriptor { number: 3 }),
            (
                descriptor(
                    0,
                    Descriptor::File {
                        path: b"x".to_vec(),
                        offset: 0,
                        access: Access::Read,
                        append: false,
                    },
                ),
                InvalidCase::Descriptor { number: 0 },
            ),
            (signal(0), InvalidCase::Signal { signal: 0 }),
            (signal(9), InvalidCase::Signal { signal: 9 }),
            (signal(19), InvalidCase::Signal { signal: 19 }),
            (signal(65), InvalidCase::Signal { signal: 65 }),
        ] {
            assert_eq!(case.check(), Err(error));
        }
    }

    #[test]
    fn odd_but_possible_cases_are_accepted() {
        for case in [
            tree([Entry::directory("."), Entry::file("...", ""), Entry::file("-rf", "")]),
            tree([Entry::file("a/b", ""), Entry::file("a.b", ""), Entry::directory("a")]),
            Case {
                directory: b"lx/y".to_vec(),
                ..tree([Entry::symlink("l", "/"), Entry::file("lx.y", ""), Entry::directory("lx")])
            },
            tree([Entry::symlink("out", "/etc/passwd"), Entry::file(*b"\n\xff", "")]),
            Case { environment: vec![b"A==".to_vec(), b" =".to_vec()], ..Case::default() },
            Case {
                root: Some(b"/tmp/...".to_vec()),
                directory: b"a/b".to_vec(),
                descriptors: BTreeMap::from([(2, Descriptor::Same(1)), (9, Descriptor::Terminal)]),
                ..Case::default()
            },
        ] {
            assert_eq!(case.check(), Ok(()));
        }
    }
}
