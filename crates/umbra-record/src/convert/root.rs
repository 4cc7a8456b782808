//! Where the tree of a case begins, and whether that place matters.
//!
//! The root is the working directory if everything touched lies below it, else the nearest folder
//! that holds all. A process that runs in `/` has a tree elsewhere, with all that it touched. Suites
//! work in folders with random names; a case that does not name its folder stands at the default
//! place, so that such cases are equal.

use umbra_case::{Case, EntryKind};
use umbra_tracer::raw::{Interest, Node, Note, Recording, Touched};

use super::Incomplete;

/// Folders in which programs make their own temporary files.
const TEMPORARY: &[&[u8]] = &[b"/tmp", b"/var/tmp"];

/// The root of the tree, and the working directory as a case says it.
///
/// A file that is somewhere else altogether and that only an open descriptor leads to need not be in
/// the tree: the program cannot tell where it is.
pub fn root(recording: &Recording) -> Result<(Vec<u8>, Vec<u8>), Incomplete> {
    let directory =
        recording.start.directory.as_deref().ok_or(Incomplete::Noted(Note::NoDirectory))?;
    let at_top = directory == b"/";
    let holds = |wanted: fn(&Touched) -> bool| {
        let needed = recording.touched.iter().filter(|touched| wanted(touched));
        let needed = needed.filter_map(needed_folder);
        let all = needed.chain((!at_top).then_some(directory));
        let root = all.reduce(common).unwrap_or(Case::ROOT);
        (!matches!(root, b"" | b"/")).then_some(root)
    };
    let root = holds(|_| true).or_else(|| holds(|touched| touched.named));
    let root = root.ok_or(Incomplete::NoCommonFolder)?;
    let directory = if at_top { Some(directory) } else { relative(directory, root) };
    Ok((root.to_vec(), directory.unwrap_or_default().to_vec()))
}

/// The folder that must be in the tree because of something touched.
fn needed_folder(touched: &Touched) -> Option<&[u8]> {
    let folder = parent(&touched.path);
    match touched.node {
        Node::Directory { .. } if touched.interest == Interest::Passed => None,
        // Looked at, as by one who wants to make a file in it.
        Node::Directory { listed: false } if TEMPORARY.contains(&&*touched.path) => None,
        Node::Directory { .. } => Some(&touched.path),
        Node::Other => None,
        // A file that was not there need not be there: but where it may be made counts, except
        // for the usual places, which every machine has.
        Node::Absent if folder.is_empty() || TEMPORARY.contains(&folder) => None,
        _ => Some(folder),
    }
}

fn parent(path: &[u8]) -> &[u8] {
    &path[..path.iter().rposition(|byte| *byte == b'/').unwrap_or(0)]
}

/// The longest folder above both.
fn common<'a>(one: &'a [u8], other: &'a [u8]) -> &'a [u8] {
    let mut folder = one;
    while relative(other, folder).is_none() {
        folder = parent(folder);
    }
    folder
}

/// The path from a folder to something in it; empty for the folder itself.
pub fn relative<'a>(path: &'a [u8], folder: &[u8]) -> Option<&'a [u8]> {
    match path.strip_prefix(folder)? {
        [] => Some(b""),
        [b'/', rest @ ..] => Some(rest),
        _ => None,
    }
}

/// Whether anything that the program can see names the root.
pub fn is_named(case: &Case, recording: &Recording, root: &[u8]) -> bool {
    // From the top, any relative path does.
    if case.directory == b"/" {
        return true;
    }
    let names = |bytes: &[u8]| bytes.windows(root.len()).any(|window| window == root);
    let words = case.arguments.iter().chain(&case.environment);
    let streams = recording.streams.iter().map(|stream| &stream.bytes);
    let entries = case.tree.iter().filter_map(|entry| match &entry.kind {
        EntryKind::File(bytes) | EntryKind::Symlink(bytes) => Some(bytes),
        _ => None,
    });
    words.chain(streams).chain(entries).any(|bytes| names(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use umbra_tracer::raw::{Attributes, Content};

    fn touched(path: &str, node: Node, interest: Interest) -> Touched {
        let path = path.as_bytes().to_vec();
        Touched {
            path,
            node,
            attributes: Attributes::default(),
            interest,
            times: false,
            place: None,
            named: true,
        }
    }

    fn root_of(touched: Vec<Touched>) -> Result<(String, String), Incomplete> {
        let mut recording = Recording { touched, ..Recording::default() };
        recording.start.directory = Some(b"/w/t/x".to_vec());
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        root(&recording).map(|(root, directory)| (text(root), text(directory)))
    }

    #[test]
    fn the_root_holds_all_that_was_touched() {
        let folder = || Node::Directory { listed: false };
        let file = || Node::File(Content::Unread(0));
        for (touches, root, directory) in [
            (vec![], "/w/t/x", ""),
            (vec![touched("/w/t/x/f", file(), Interest::Content)], "/w/t/x", ""),
            (vec![touched("/w/t/f", file(), Interest::Content)], "/w/t", "x"),
            (vec![touched("/w/t/xy/f", file(), Interest::Content)], "/w/t", "x"),
            (vec![touched("/w", folder(), Interest::Passed)], "/w/t/x", ""),
            (vec![touched("/w", folder(), Interest::Existence)], "/w", "t/x"),
            (vec![touched("/w/t/new", Node::Absent, Interest::Existence)], "/w/t", "x"),
            (vec![touched("/tmp/new", Node::Absent, Interest::Existence)], "/w/t/x", ""),
            (vec![touched("/none", Node::Absent, Interest::Passed)], "/w/t/x", ""),
        ] {
            assert_eq!(root_of(touches), Ok((root.to_owned(), directory.to_owned())));
        }
        let elsewhere = || touched("/tmp/f", file(), Interest::Content);
        assert_eq!(root_of(vec![elsewhere()]), Err(Incomplete::NoCommonFolder));
        let opened = Touched { named: false, ..elsewhere() };
        assert_eq!(root_of(vec![opened]), Ok(("/w/t/x".to_owned(), String::new())));
        let folder = touched("/tmp", folder(), Interest::Attributes);
        assert_eq!(root_of(vec![folder]), Ok(("/w/t/x".to_owned(), String::new())));
        let mut at_top = Recording { touched: vec![elsewhere()], ..Recording::default() };
        at_top.start.directory = Some(b"/".to_vec());
        assert_eq!(root(&at_top), Ok((b"/tmp".to_vec(), b"/".to_vec())));
        at_top.touched.clear();
        assert_eq!(root(&at_top), Ok((Case::ROOT.to_vec(), b"/".to_vec())));
    }
}
