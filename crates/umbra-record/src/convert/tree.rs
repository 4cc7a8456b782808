//! The tree of a case: everything that was there when it was touched.
//!
//! Times. A file that a test has just made has the time of that moment, which says nothing and
//! would make every recording a case of its own. A time is kept if the program has seen it and it
//! was set on purpose, so that it is not when the file was made; or if the program has seen times that
//! are apart, whose order may be what the test is about.

use std::collections::HashMap;

use umbra_case::{Entry, EntryKind, Owner, Timestamp};
use umbra_tracer::raw::{Attributes, Node, Recording, Touched};

use super::root::relative;
use super::{Incomplete, Objects};

/// Times that are nearer than this (in nanoseconds) are the same moment.
const MOMENT: i128 = 1_000_000_000;

/// The entries below the root.
pub fn tree(
    recording: &Recording,
    root: &[u8],
    objects: &Objects<'_>,
) -> Result<Vec<Entry>, Incomplete> {
    let times = Times::of(recording);
    let start = &recording.start;
    let mut entries = Vec::new();
    for touched in &recording.touched {
        let Some(path) = relative(&touched.path, root) else { continue };
        let kind = match &touched.node {
            Node::Absent | Node::Other => continue,
            Node::File(content) => EntryKind::File(objects.read(*content)?),
            Node::Directory { .. } => EntryKind::Directory,
            Node::Symlink(target) => EntryKind::Symlink(target.clone()),
            Node::Fifo => EntryKind::Fifo,
        };
        let path = if path.is_empty() { b"." } else { path };
        let Attributes { mode, user, group, .. } = touched.attributes;
        let is_own = (user, group) == (start.user, start.group);
        entries.push(Entry {
            path: path.to_vec(),
            mode: if matches!(kind, EntryKind::Symlink(_)) { 0o777 } else { mode },
            kind,
            modified: times.kept(touched),
            owner: (!is_own).then_some(Owner { user, group }),
        });
    }
    sort(&mut entries, recording, root);
    Ok(entries)
}

/// A folder before its entries, and these in the order in which it listed them; by name if it did
/// not. The order is the file system's choice, but programs show it.
fn sort(entries: &mut [Entry], recording: &Recording, root: &[u8]) {
    let places = recording.touched.iter().filter_map(|touched| {
        let path = relative(&touched.path, root)?;
        Some((path, touched.place?))
    });
    let places: HashMap<&[u8], u32> = places.collect();
    entries.sort_by_cached_key(|entry| {
        let slashes = entry.path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        let ends = slashes.map(|(end, _)| end).chain([entry.path.len()]);
        let prefixes = ends.map(|end| &entry.path[..end]).filter(|prefix| *prefix != b".");
        let place = |prefix: &[u8]| (places.get(prefix).copied(), prefix.to_vec());
        prefixes.map(place).collect::<Vec<_>>()
    });
}

/// Which times matter.
enum Times {
    /// All that were seen.
    Seen,
    /// Those that were set on purpose.
    Set,
}

impl Times {
    fn of(recording: &Recording) -> Self {
        let fresh = recording.touched.iter().filter(|touched| is_seen(touched) && !is_set(touched));
        let moments = fresh.map(|touched| nanoseconds(touched.attributes.modified));
        let (first, last) = moments.fold((i128::MAX, i128::MIN), |(first, last), moment| {
            (first.min(moment), last.max(moment))
        });
        if last.saturating_sub(first) > MOMENT { Self::Seen } else { Self::Set }
    }

    fn kept(&self, touched: &Touched) -> Option<Timestamp> {
        let (seconds, nanoseconds) = touched.attributes.modified;
        let kept = is_seen(touched)
            && match self {
                Self::Seen => true,
                Self::Set => is_set(touched),
            };
        kept.then_some(Timestamp { seconds, nanoseconds })
    }
}

fn is_seen(touched: &Touched) -> bool {
    touched.times && !matches!(touched.node, Node::Absent | Node::Other)
}

fn is_set(touched: &Touched) -> bool {
    let Attributes { modified, changed, .. } = touched.attributes;
    // A folder's times move whenever something in it is made; only backwards is on purpose.
    nanoseconds(changed) - nanoseconds(modified) > MOMENT
        || nanoseconds(modified) - nanoseconds(changed) > MOMENT
}

fn nanoseconds((seconds, nanoseconds): (i64, u32)) -> i128 {
    i128::from(seconds) * MOMENT + i128::from(nanoseconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use umbra_tracer::raw::{Content, Interest};

    fn file(name: &str, modified: i64, changed: i64) -> Touched {
        Touched {
            path: format!("/r/{name}").into_bytes(),
            node: Node::File(Content::Unread(2)),
            attributes: Attributes {
                mode: 0o600,
                modified: (modified, 0),
                changed: (changed, 0),
                ..Attributes::default()
            },
            interest: Interest::Attributes,
            times: true,
            place: None,
            named: true,
        }
    }

    fn times(touched: Vec<Touched>) -> Vec<Option<i64>> {
        let recording = Recording { touched, ..Recording::default() };
        let tree = tree(&recording, b"/r", &Objects(std::path::Path::new("/"))).unwrap();
        assert!(tree.iter().all(|entry| entry.kind == EntryKind::File(vec![0; 2])));
        tree.iter().map(|entry| entry.modified.map(|time| time.seconds)).collect()
    }

    #[test]
    fn only_times_that_say_something_are_kept() {
        assert_eq!(times(vec![file("a", 100, 100), file("b", 100, 100)]), [None, None]);
        assert_eq!(times(vec![file("a", 5, 100), file("b", 100, 100)]), [Some(5), None]);
        assert_eq!(times(vec![file("a", 90, 90), file("b", 100, 100)]), [Some(90), Some(100)]);
        let unseen = Touched { times: false, ..file("b", 5, 100) };
        assert_eq!(times(vec![file("a", 90, 90), unseen]), [None, None]);
    }

    #[test]
    fn entries_are_in_the_order_of_listings() {
        let listed = |name, place| Touched { place: Some(place), ..file(name, 1, 1) };
        let folder =
            |name, place| Touched { node: Node::Directory { listed: true }, ..listed(name, place) };
        let unlisted = |name| Touched { place: None, ..file(name, 1, 1) };
        let touched = vec![
            listed("d/b", 0),
            folder("d", 1),
            listed("a", 2),
            listed("d/a", 1),
            folder("z", 0),
            unlisted("z/2"),
            unlisted("z/1"),
        ];
        let recording = Recording { touched, ..Recording::default() };
        let tree = tree(&recording, b"/r", &Objects(std::path::Path::new("/"))).unwrap();
        let paths: Vec<_> = tree.iter().map(|entry| str::from_utf8(&entry.path).unwrap()).collect();
        assert_eq!(paths, ["z", "z/1", "z/2", "d", "d/b", "d/a", "a"]);
    }

    #[test]
    fn the_root_is_a_dot_and_what_is_outside_is_left_out() {
        let folder = |path: &str, user| Touched {
            path: path.as_bytes().to_vec(),
            node: Node::Directory { listed: true },
            attributes: Attributes { mode: 0o700, user, ..Attributes::default() },
            interest: Interest::Existence,
            times: false,
            place: None,
            named: true,
        };
        let touched = vec![folder("/r", 0), folder("/ro", 0), folder("/r/d", 7)];
        let recording = Recording { touched, ..Recording::default() };
        let tree = tree(&recording, b"/r", &Objects(std::path::Path::new("/"))).unwrap();
        let owner = Some(Owner { user: 7, group: 0 });
        let expected = [
            Entry { mode: 0o700, ..Entry::directory(".") },
            Entry { mode: 0o700, owner, ..Entry::directory("d") },
        ];
        assert_eq!(tree, expected);
    }
}
