//! Which source files of two programs are the same file.
//!
//! Two versions are built in two folders, and a file may have been renamed. Files are paired by
//! equal path, then by the longest common end of their paths among files of equal name, then by how
//! many functions of equal name they define.

use std::collections::{HashMap, HashSet};

use umbra_ir::{FileId, Function, Id, Program};

/// One number for each file of two programs; files that belong together have the same.
///
/// The debug information may write one path in two ways, as folder and name: such files are one.
pub struct Files {
    old: Vec<u32>,
    new: Vec<u32>,
    /// The first file of the same path, for each.
    old_first: Vec<FileId>,
    new_first: Vec<FileId>,
    /// Files that are paired although their names differ, as (old, new).
    pub renamed: Vec<(FileId, FileId)>,
    /// Pairs, by old file.
    pairs: HashMap<FileId, FileId>,
}

impl Files {
    /// Pairs the files of two programs.
    pub fn pair(old: &Program, new: &Program) -> Self {
        let (old_paths, old_first) = distinct(paths(old));
        let (new_paths, new_first) = distinct(paths(new));
        let mut pairing = Pairing { old: HashMap::new(), taken: HashSet::new() };
        let by_path: HashMap<&[String], FileId> =
            new_paths.iter().map(|(id, path)| (path.as_slice(), *id)).collect();
        for (id, path) in &old_paths {
            if let Some(&other) = by_path.get(path.as_slice()) {
                pairing.add(*id, other);
            }
        }
        by_name(&old_paths, &new_paths, &mut pairing);
        let renamed = by_functions((old, &old_first), (new, &new_first), &mut pairing);
        let new_numbers: Vec<u32> = new_first.iter().map(|first| first.index() as u32).collect();
        let mut next = new_numbers.len() as u32;
        let mut old_numbers: Vec<u32> = Vec::new();
        for (at, first) in old_first.iter().enumerate() {
            old_numbers.push(match pairing.old.get(first) {
                Some(other) => other.index() as u32,
                None if first.index() < at => old_numbers[first.index()],
                None => {
                    next += 1;
                    next
                }
            });
        }
        let (old, new, pairs) = (old_numbers, new_numbers, pairing.old);
        Self { old, new, old_first, new_first, renamed, pairs }
    }

    /// The number of a file of the old program.
    pub fn of_old(&self, file: FileId) -> u32 {
        self.old[file.index()]
    }

    /// The number of a file of the new program.
    pub fn of_new(&self, file: FileId) -> u32 {
        self.new[file.index()]
    }

    /// The files of either program by their first of the same path.
    pub fn firsts(&self) -> (Vec<FileId>, Vec<FileId>) {
        (self.old_first.clone(), self.new_first.clone())
    }

    /// All pairs, as (old, new); of files with one path the first.
    pub fn pairs(&self) -> impl Iterator<Item = (FileId, FileId)> {
        self.pairs.iter().map(|(&old, &new)| (old, new))
    }
}

/// Whether a function is the libc's, which is compiled under this name wherever its source lies.
pub fn is_libc(program: &Program, function: &Function) -> bool {
    let identity = function.identity.as_ref();
    identity.is_some_and(|identity| program.files[identity.file].path().starts_with("musl"))
}

/// Pairs as they are found.
struct Pairing {
    old: HashMap<FileId, FileId>,
    taken: HashSet<FileId>,
}

impl Pairing {
    fn add(&mut self, old: FileId, new: FileId) {
        // Two files of one version may be one file of the other (its path written in two ways).
        self.old.insert(old, new);
        self.taken.insert(new);
    }
}

/// The components of each file's path, without `.` and with `..` taken back.
fn paths(program: &Program) -> Vec<(FileId, Vec<String>)> {
    let components = |text: &std::path::Path| {
        let mut parts: Vec<String> = Vec::new();
        for part in text.components() {
            match part {
                std::path::Component::ParentDir if !parts.is_empty() => {
                    parts.pop();
                }
                std::path::Component::CurDir | std::path::Component::RootDir => {}
                other => parts.push(other.as_os_str().to_string_lossy().into_owned()),
            }
        }
        parts
    };
    program.files.iter().map(|(id, file)| (id, components(&file.path()))).collect()
}

/// The files with distinct paths, and for each file the first that has its path.
fn distinct(paths: Vec<(FileId, Vec<String>)>) -> (Vec<(FileId, Vec<String>)>, Vec<FileId>) {
    let mut seen: HashMap<Vec<String>, FileId> = HashMap::new();
    let first = paths.iter().map(|(id, path)| *seen.entry(path.clone()).or_insert(*id)).collect();
    let distinct = paths.into_iter().filter(|(id, path)| seen[path] == *id).collect();
    (distinct, first)
}

fn by_name(old: &[(FileId, Vec<String>)], new: &[(FileId, Vec<String>)], pairing: &mut Pairing) {
    let mut named: HashMap<&String, Vec<&(FileId, Vec<String>)>> = HashMap::new();
    for entry in new.iter().filter(|(id, _)| !pairing.taken.contains(id)) {
        if let Some(name) = entry.1.last() {
            named.entry(name).or_default().push(entry);
        }
    }
    for (id, path) in old {
        if pairing.old.contains_key(id) {
            continue;
        }
        let candidates = path.last().and_then(|name| named.get(name));
        let common = |other: &[String]| {
            path.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count()
        };
        let best = candidates.into_iter().flatten().max_by_key(|(_, other)| common(other));
        if let Some((other, _)) = best {
            pairing.add(*id, *other);
        }
    }
}

/// Pairs what is left by the names of the functions that are defined in it.
fn by_functions(
    old: (&Program, &[FileId]),
    new: (&Program, &[FileId]),
    pairing: &mut Pairing,
) -> Vec<(FileId, FileId)> {
    let mut renamed = Vec::new();
    let defined = |(program, first): (&Program, &[FileId])| {
        let mut names: HashMap<FileId, HashSet<String>> = HashMap::new();
        for function in program.functions.values() {
            if let (Some(identity), Some(_)) = (&function.identity, &function.body) {
                names
                    .entry(first[identity.file.index()])
                    .or_default()
                    .insert(identity.name.clone());
            }
        }
        names
    };
    let (old_names, new_names) = (defined(old), defined(new));
    let mut scored: Vec<(usize, FileId, FileId)> = Vec::new();
    for (&id, names) in old_names.iter().filter(|(id, _)| !pairing.old.contains_key(*id)) {
        for (&other, others) in new_names.iter().filter(|(id, _)| !pairing.taken.contains(*id)) {
            let common = names.intersection(others).count();
            if common > 0 {
                scored.push((common, id, other));
            }
        }
    }
    scored.sort_by_key(|&(common, old, new)| (std::cmp::Reverse(common), old, new));
    for (_, id, other) in scored {
        if !pairing.old.contains_key(&id) && !pairing.taken.contains(&other) {
            pairing.add(id, other);
            renamed.push((id, other));
        }
    }
    renamed.sort_unstable();
    renamed
}
