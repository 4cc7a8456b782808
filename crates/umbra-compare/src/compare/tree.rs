//! What differs between two trees that were left behind.

use std::collections::BTreeSet;

use umbra_case::Timestamp;

use super::{Aspect, Channel, Difference};
use crate::{Content, Outcome, TreeEntry, TreeKind};

/// Adds what differs, in the order of paths.
pub fn compare(old: &Outcome, new: &Outcome, differences: &mut Vec<Difference>) {
    let mut found = Vec::new();
    entries(old, new, &mut found);
    // A name that comes or goes changes the time of its folder, which is no news then.
    let folders: BTreeSet<Vec<u8>> = found
        .iter()
        .filter_map(|difference| match &difference.channel {
            Channel::Tree { path, what: Aspect::Existence } => Some(folder_of(path)),
            _ => None,
        })
        .collect();
    differences.extend(found.into_iter().filter(|difference| match &difference.channel {
        Channel::Tree { path, what: Aspect::Time } => !folders.contains(path),
        _ => true,
    }));
}

fn folder_of(path: &[u8]) -> Vec<u8> {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(slash) => path[..slash].to_vec(),
        None => b".".to_vec(),
    }
}

fn entries(old: &Outcome, new: &Outcome, differences: &mut Vec<Difference>) {
    let paths = |outcome: &Outcome| -> BTreeSet<Vec<u8>> {
        outcome.tree.0.iter().map(|entry| entry.path.clone()).collect()
    };
    let all: BTreeSet<Vec<u8>> = paths(old).union(&paths(new)).cloned().collect();
    for path in all {
        let at = |outcome: &Outcome| {
            let entries = &outcome.tree.0;
            let index = entries.binary_search_by(|entry| entry.path.cmp(&path)).ok()?;
            Some(entries[index].clone())
        };
        let found = match (at(old), at(new)) {
            (Some(one), Some(other)) => entry((&one, old.began), (&other, new.began)),
            (one, other) => {
                let shown = |entry: Option<TreeEntry>| {
                    entry.map_or("nothing".to_owned(), |entry| kind(&entry.kind).to_owned())
                };
                vec![(Aspect::Existence, shown(one), shown(other))]
            }
        };
        differences.extend(found.into_iter().map(|(what, old, new)| Difference {
            channel: Channel::Tree { path: path.clone(), what },
            old,
            new,
        }));
    }
}

fn entry(
    (old, old_began): (&TreeEntry, Timestamp),
    (new, new_began): (&TreeEntry, Timestamp),
) -> Vec<(Aspect, String, String)> {
    let mut found = Vec::new();
    if kind(&old.kind) != kind(&new.kind) {
        found.push((Aspect::Kind, kind(&old.kind).to_owned(), kind(&new.kind).to_owned()));
        return found;
    }
    if old.kind != new.kind {
        let (old, new) = contents(&old.kind, &new.kind);
        found.push((Aspect::Content, old, new));
    }
    if old.mode != new.mode {
        found.push((Aspect::Mode, format!("{:04o}", old.mode), format!("{:04o}", new.mode)));
    }
    // Any time during the run is "now".
    let time = |entry: &TreeEntry, began| match entry.modified >= began {
        true => "the time of the run".to_owned(),
        false => entry.modified.to_string(),
    };
    let times = [time(old, old_began), time(new, new_began)];
    if times[0] != times[1] {
        let [old, new] = times;
        found.push((Aspect::Time, old, new));
    }
    if old.links != new.links {
        found.push((Aspect::Links, old.links.to_string(), new.links.to_string()));
    }
    found
}

fn kind(kind: &TreeKind) -> &'static str {
    match kind {
        TreeKind::File(_) => "a file",
        TreeKind::Directory => "a folder",
        TreeKind::Symlink(_) => "a link",
        TreeKind::Fifo => "a named pipe",
        TreeKind::Socket => "a socket",
    }
}

/// The contents of a file in both versions: whole if they are short, else what is at the first byte that
/// differs.
fn contents(old: &TreeKind, new: &TreeKind) -> (String, String) {
    const WHOLE: usize = 60;
    let (TreeKind::File(Content::Bytes(one)), TreeKind::File(Content::Bytes(other))) = (old, new)
    else {
        return (content(old), content(new));
    };
    if one.len() <= WHOLE && other.len() <= WHOLE {
        return (content(old), content(new));
    }
    let offset = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    let shown = |bytes: &[u8]| {
        let line = super::line_at(bytes, offset);
        format!("{} bytes, at byte {offset}: {line}", bytes.len())
    };
    (shown(one), shown(other))
}

fn content(kind: &TreeKind) -> String {
    match kind {
        TreeKind::File(Content::Bytes(bytes)) => match bytes.len() {
            0..=60 => format!("\"{}\"", bytes.escape_ascii()),
            length => format!("{length} bytes, \"{}\"...", bytes[..60].escape_ascii()),
        },
        TreeKind::File(Content::Hash { length, .. } | Content::Unread { length }) => {
            format!("{length} bytes")
        }
        TreeKind::Symlink(target) => format!("-> {}", target.escape_ascii()),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tree;
    use crate::compare::tests::outcome;

    fn file(path: &str, bytes: &str, seconds: i64) -> TreeEntry {
        TreeEntry {
            path: path.into(),
            kind: TreeKind::File(Content::Bytes(bytes.into())),
            mode: 0o644,
            modified: Timestamp { seconds, nanoseconds: 0 },
            links: 1,
        }
    }

    fn with(entries: Vec<TreeEntry>, began: i64) -> Outcome {
        let began = Timestamp { seconds: began, nanoseconds: 0 };
        Outcome { tree: Tree(entries), began, ..outcome("") }
    }

    fn shown(old: &Outcome, new: &Outcome) -> Vec<String> {
        let mut differences = Vec::new();
        compare(old, new, &mut differences);
        let text = |difference: &Difference| {
            let Difference { channel, old, new } = difference;
            format!("{channel}: {old} / {new}")
        };
        differences.iter().map(text).collect()
    }

    #[test]
    fn each_aspect_shows() {
        let old = with(vec![file("a", "x", 5), file("b", "y", 5)], 10);
        assert!(shown(&old, &old).is_empty());
        let changed = |change: fn(&mut TreeEntry)| {
            let mut new = old.clone();
            change(&mut new.tree.0[1]);
            shown(&old, &new)
        };
        assert_eq!(
            changed(|entry| entry.path = b"c".to_vec()),
            ["existence of b: a file / nothing", "existence of c: nothing / a file"]
        );
        assert_eq!(
            changed(|entry| entry.kind = TreeKind::Directory),
            ["kind of b: a file / a folder"]
        );
        assert_eq!(
            changed(|entry| entry.kind = TreeKind::File(Content::Bytes(b"z".to_vec()))),
            ["content of b: \"y\" / \"z\""]
        );
        assert_eq!(changed(|entry| entry.mode = 0o600), ["mode of b: 0644 / 0600"]);
        assert_eq!(changed(|entry| entry.modified.seconds = 6), ["time of b: 5 / 6"]);
        assert_eq!(changed(|entry| entry.links = 2), ["links of b: 1 / 2"]);
    }

    #[test]
    fn a_long_file_is_shown_where_it_differs() {
        let text = |end: &str| "a line that is the same\n".repeat(10) + end;
        let (old, new) = (text("old end\n"), text("new end\n"));
        let old = with(vec![file("long", &old, 0)], 0);
        let new = with(vec![file("long", &new, 0)], 0);
        let differences = super::super::compare(&old, &new);
        let shown = (differences[0].old.as_str(), differences[0].new.as_str());
        let expected = ("248 bytes, at byte 240: old end", "248 bytes, at byte 240: new end");
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_folder_is_no_news_beside_what_came_into_it() {
        let folder = |seconds| TreeEntry {
            path: b".".to_vec(),
            kind: TreeKind::Directory,
            ..file("", "", seconds)
        };
        let old = with(vec![folder(11), file("a", "x", 11)], 10);
        let new = with(vec![folder(5)], 10);
        assert_eq!(shown(&old, &new), ["existence of a: a file / nothing"]);
        let touched = with(vec![folder(11)], 10);
        assert_eq!(shown(&touched, &new), ["time of .: the time of the run / 5"]);
    }

    #[test]
    fn the_moment_of_a_change_does_not_count() {
        let old = with(vec![file("a", "x", 11)], 10);
        let new = with(vec![file("a", "x", 25)], 20);
        assert!(shown(&old, &new).is_empty());
        let untouched = with(vec![file("a", "x", 5)], 20);
        assert_eq!(shown(&old, &untouched), ["time of a: the time of the run / 5"]);
    }
}
