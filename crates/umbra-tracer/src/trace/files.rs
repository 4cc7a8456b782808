//! The files that an invocation touches, captured as they are at the first touch.
//!
//! A path is walked component by component as the kernel does, so that every link on the way is
//! known. What the system owns is only noted; there is no capturing a whole machine.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::capture::{Visited, attributes, components, now_at, read, shown, trimmed};
use crate::raw::{Attributes, Cap, Content, Interest, Node, Note, Touched};
use crate::settings::{Caps, Program, Settings};

/// Links in one path before it is a loop, as the kernel has it.
const MOST_LINKS: usize = 40;
/// Contents up to this size are kept even if only attributes were asked for.
const SMALL: u64 = 4096;
/// System paths that are noted by name.
const MOST_SYSTEM_PATHS: usize = 100;
/// Folders that a machine brings along.
const SYSTEM: &[&str] = &[
    "/proc", "/sys", "/dev", "/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/sbin",
    "/etc", "/run", "/boot", "/opt",
];

/// All that was touched.
#[derive(Debug, Default)]
pub struct Files {
    /// In the order of the first touch.
    pub touched: Vec<Touched>,
    /// Contents by hash; written to disk at the end, when nobody waits.
    pub contents: HashMap<[u8; 32], Vec<u8>>,
    /// System paths that were used.
    pub system: BTreeSet<Vec<u8>>,
    /// What is to be said.
    pub notes: BTreeSet<Note>,
    /// Limits that were exceeded.
    pub exceeded: BTreeSet<Cap>,
    index: HashMap<Vec<u8>, usize>,
    bytes: u64,
    caps: Caps,
    /// Never the system's, wherever they lie.
    own: Vec<Vec<u8>>,
    /// Programs with a shim in them, and their own files: a process that looks at a program is shown
    /// the shim, too, but the test case has the program.
    stand_ins: HashMap<Vec<u8>, PathBuf>,
}

impl Files {
    /// Nothing touched so far, by a process that starts in a folder.
    pub fn new(settings: &Settings, real: &Path, directory: Option<&[u8]>) -> Self {
        let mut own = settings.trees.clone();
        own.extend(directory.filter(|path| *path != b"/").map(<[u8]>::to_vec));
        let stand_in = |(number, program): (usize, &Program)| {
            let name = program.path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
            (program.path.clone(), real.join(number.to_string()).join(OsStr::from_bytes(name)))
        };
        let stand_ins = settings.programs.iter().enumerate().map(stand_in).collect();
        Self { caps: settings.caps, own, stand_ins, ..Self::default() }
    }

    /// Touches what `path` leads to from the folder `base`. Returns the path without links, if its
    /// last component's folder is there.
    pub fn touch(
        &mut self,
        base: &[u8],
        path: &[u8],
        follow: bool,
        interest: Interest,
    ) -> Option<Vec<u8>> {
        // Only the process itself can walk there: /proc/self would be the tracer.
        if path.starts_with(b"/proc/") {
            self.note_proc(path);
            return None;
        }
        let mut current = if path.starts_with(b"/") { Vec::new() } else { trimmed(base) };
        let mut rest = components(path);
        let folder_wanted = path.ends_with(b"/");
        let mut links = 0;
        if rest.is_empty() && !path.is_empty() {
            self.visit(&current, interest);
            return Some(current);
        }
        while let Some(component) = rest.pop() {
            match &*component {
                b"." => {}
                b".." => {
                    let length = current.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
                    current.truncate(length);
                }
                name => {
                    let last = rest.is_empty();
                    current.push(b'/');
                    current.extend_from_slice(name);
                    let wanted = if last { interest } else { Interest::Passed };
                    match self.visit(&current, wanted) {
                        Visited::Symlink(target) if !last || follow || folder_wanted => {
                            links += 1;
                            // As /dev/stdin: one of the process's own descriptors.
                            if target.starts_with(b"/proc/") {
                                return None;
                            }
                            if links > MOST_LINKS {
                                self.notes.insert(Note::Unresolved);
                                return None;
                            }
                            let length = current.len() - name.len() - 1;
                            current.truncate(if target.starts_with(b"/") { 0 } else { length });
                            rest.extend(components(&target));
                            if rest.is_empty() {
                                self.visit(&current, interest);
                            }
                            continue;
                        }
                        Visited::Directory => {}
                        // The system's folders are walked without being captured.
                        Visited::System if !last => {}
                        _ => return last.then_some(current),
                    }
                    continue;
                }
            }
            if rest.is_empty() {
                self.visit(&current, interest);
            }
        }
        Some(current)
    }

    /// So far only descriptors have led to files.
    pub fn begin_paths(&mut self) {
        self.touched.iter_mut().for_each(|touched| touched.named = false);
    }

    /// Captures the attributes of the folder that the process starts in.
    pub fn start_in(&mut self, folder: &[u8]) {
        self.visit(folder, Interest::Passed);
    }

    /// Touches every entry of a folder.
    pub fn list(&mut self, folder: &[u8]) {
        let folder = trimmed(folder);
        if !matches!(self.visit(&folder, Interest::Attributes), Visited::Directory) {
            return;
        }
        match self.index.get(&folder).map(|index| &mut self.touched[*index].node) {
            Some(Node::Directory { listed }) if !*listed => *listed = true,
            _ => return,
        }
        let entries = match fs::read_dir(OsStr::from_bytes(&shown(&folder))) {
            Ok(entries) => entries,
            Err(_) => {
                self.notes.insert(Note::Unreadable);
                return;
            }
        };
        for (place, entry) in (0..).zip(entries.flatten()) {
            if self.exceeded.contains(&Cap::Entries) {
                return;
            }
            let path = [&folder[..], b"/", entry.file_name().as_bytes()].concat();
            self.visit(&path, Interest::Existence);
            if let Some(index) = self.index.get(&path) {
                self.touched[*index].place = Some(place);
            }
        }
    }

    /// Files that someone else changed since they were captured: those that this process has only
    /// read must be as they were.
    pub fn note_changes(&mut self, written: &BTreeSet<Vec<u8>>) {
        let is_changed = |touched: &Touched| {
            touched.interest == Interest::Content
                && matches!(touched.node, Node::File(_))
                && !written.contains(&touched.path)
                && !self.stand_ins.contains_key(&touched.path)
                && fs::symlink_metadata(OsStr::from_bytes(&touched.path))
                    .is_ok_and(|now| attributes(&now).modified != touched.attributes.modified)
        };
        if self.touched.iter().any(is_changed) {
            self.notes.insert(Note::ConcurrentWriter);
        }
    }

    /// Stores a content that has no name in the tree.
    pub fn store(&mut self, file: &Path, length: u64) -> Content {
        self.content(file, length)
    }

    fn visit(&mut self, path: &[u8], interest: Interest) -> Visited {
        if let Some(index) = self.index.get(path).copied() {
            return self.visit_again(index, interest);
        }
        if self.is_system(path) {
            self.note_system(path);
            return match fs::symlink_metadata(OsStr::from_bytes(&shown(path))) {
                Ok(metadata) if metadata.is_symlink() => {
                    match fs::read_link(OsStr::from_bytes(path)) {
                        Ok(target) => Visited::Symlink(target.into_os_string().into_vec()),
                        Err(_) => Visited::Leaf,
                    }
                }
                _ => Visited::System,
            };
        }
        if self.touched.len() as u64 >= self.caps.entries {
            self.exceeded.insert(Cap::Entries);
            return Visited::Leaf;
        }
        if self.was_absent(path) {
            return now_at(path);
        }
        let touched = self.capture(path, interest);
        let visited = Visited::of(&touched.node);
        self.index.insert(path.to_vec(), self.touched.len());
        self.touched.push(touched);
        visited
    }

    /// Whether something above was no folder at the start: what is below it now was put there by the
    /// process itself.
    fn was_absent(&self, path: &[u8]) -> bool {
        let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        slashes
            .filter_map(|(length, _)| self.index.get(&path[..length]))
            .any(|index| !matches!(self.touched[*index].node, Node::Directory { .. }))
    }

    /// Only what was not asked for before is added. A file that had no name when it was first looked
    /// for stays absent, since that is how the process began.
    fn visit_again(&mut self, index: usize, interest: Interest) -> Visited {
        let touched = &self.touched[index];
        if interest == Interest::Content
            && let Node::File(Content::Unread(length)) = touched.node
        {
            let stand_in = self.stand_ins.get(&touched.path).cloned();
            let path = stand_in.unwrap_or_else(|| OsStr::from_bytes(&touched.path).into());
            let now = fs::symlink_metadata(&path);
            if now.is_ok_and(|now| attributes(&now).modified != touched.attributes.modified) {
                self.notes.insert(Note::ConcurrentWriter);
            }
            self.touched[index].node = Node::File(self.content(&path, length));
        }
        let touched = &mut self.touched[index];
        touched.interest = touched.interest.max(interest);
        touched.times |= interest == Interest::Attributes;
        touched.named = true;
        match Visited::of(&touched.node) {
            Visited::Directory => Visited::Directory,
            // It may have become a folder or a link by now.
            Visited::Leaf | Visited::Symlink(_) | Visited::System => now_at(&touched.path),
        }
    }

    fn capture(&mut self, path: &[u8], interest: Interest) -> Touched {
        let shown = shown(path);
        let stand_in = self.stand_ins.get(path).cloned();
        let file = stand_in.as_deref().unwrap_or(Path::new(OsStr::from_bytes(&shown)));
        let (node, attributes) = match fs::symlink_metadata(file) {
            Ok(metadata) => (self.node(file, &metadata, interest), attributes(&metadata)),
            Err(error) => {
                if !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) {
                    self.notes.insert(Note::Unresolved);
                }
                (Node::Absent, Attributes::default())
            }
        };
        let times = interest == Interest::Attributes;
        Touched { path: path.to_vec(), node, attributes, interest, times, place: None, named: true }
    }

    fn node(&mut self, file: &Path, metadata: &Metadata, interest: Interest) -> Node {
        let kind = metadata.file_type();
        if kind.is_dir() {
            Node::Directory { listed: false }
        } else if kind.is_symlink() {
            fs::read_link(file)
                .map_or(Node::Other, |target| Node::Symlink(target.into_os_string().into_vec()))
        } else if kind.is_file() {
            let length = metadata.len();
            let wanted = interest == Interest::Content || length <= SMALL;
            Node::File(if wanted { self.content(file, length) } else { Content::Unread(length) })
        } else if kind.is_fifo() {
            Node::Fifo
        } else {
            self.notes.insert(Note::Device);
            Node::Other
        }
    }

    fn content(&mut self, file: &Path, length: u64) -> Content {
        if length > self.caps.file {
            self.exceeded.insert(Cap::File);
            return Content::Unread(length);
        }
        if self.bytes + length > self.caps.recording {
            self.exceeded.insert(Cap::Recording);
            return Content::Unread(length);
        }
        match read(file, length, self.caps.file) {
            Ok(bytes) => {
                let hash: [u8; 32] = Sha256::digest(&bytes).into();
                let size = bytes.len() as u64;
                if self.contents.insert(hash, bytes).is_none() {
                    self.bytes += size;
                }
                Content::Object(hash)
            }
            Err(_) => {
                self.notes.insert(Note::Unreadable);
                Content::Unread(length)
            }
        }
    }

    fn is_system(&self, path: &[u8]) -> bool {
        let is_below = |path: &[u8], folder: &[u8]| {
            path.strip_prefix(folder).is_some_and(|rest| matches!(rest, [] | [b'/', ..]))
        };
        if self.own.iter().any(|own| is_below(path, own) || is_below(own, path)) {
            return path.is_empty();
        }
        path.is_empty() || SYSTEM.iter().any(|folder| is_below(path, folder.as_bytes()))
    }

    fn note_proc(&mut self, path: &[u8]) {
        // Handlers of stack overflow read the process's own map at every start.
        if path != b"/proc/self/maps" {
            self.notes.insert(Note::Proc);
        }
        if self.system.len() < MOST_SYSTEM_PATHS {
            self.system.insert(path.to_vec());
        }
    }

    fn note_system(&mut self, path: &[u8]) {
        if path.starts_with(b"/sys/") {
            self.notes.insert(Note::Proc);
        }
        if path == b"/dev/tty" || path.starts_with(b"/dev/pts/") {
            self.notes.insert(Note::Terminal);
        }
        if self.system.len() < MOST_SYSTEM_PATHS {
            self.system.insert(shown(path));
        }
    }
}
