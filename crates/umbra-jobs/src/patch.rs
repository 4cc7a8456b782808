//! A patch: the changed lines of a program that have code, and the counters of their blocks.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use umbra_compare::{Candidate, ChangedLine};
use umbra_ir::{FileId, Instruction, Intrinsic, LocationId, Operation, SourceFile};
use umbra_project::{Repository, TreeId};
use umbra_replay::Program;
use umbra_words::{Place, Target, Version};

use crate::{Error, program};

/// A patch: two trees of a project, built in the same folder.
pub struct Patch {
    repository: Repository,
    old: TreeId,
    new: TreeId,
    /// The files that differ.
    paths: BTreeSet<PathBuf>,
    /// Folders of library code, from the root of the repository.
    library: Vec<PathBuf>,
    /// Where both were built.
    tree: PathBuf,
}

/// The counters of blocks that belong to a line, and how many blocks its function has.
#[derive(Default)]
struct Code {
    blocks: Vec<u32>,
    breadth: usize,
}

/// Code by file, line and function.
type Lines = BTreeMap<PathBuf, BTreeMap<(u32, String), Code>>;

/// A changed line that has code: what is said of it, and its blocks in its own version.
pub type Counted = (Candidate, Vec<u32>);

impl Patch {
    /// What differs between two trees. `library` has folders of the project.
    pub fn new(
        repository: &Repository,
        (old, new): (TreeId, TreeId),
        library: &[PathBuf],
        tree: &Path,
    ) -> Result<Self, Error> {
        let changes = repository.changed_files(&old, &new)?;
        let library = library.iter().map(|folder| repository.prefix().join(folder));
        Ok(Self {
            paths: changes.into_iter().map(|change| change.path).collect(),
            library: library.collect(),
            repository: repository.clone(),
            old,
            new,
            tree: tree.to_owned(),
        })
    }

    /// The changed lines of a program, in both versions.
    pub fn of_program(&self, old: &Program, new: &Program) -> Result<Vec<Counted>, Error> {
        Ok(self.in_program(old, new)?.0)
    }

    /// The same, with the changed files that have code in it.
    pub fn in_program(
        &self,
        old: &Program,
        new: &Program,
    ) -> Result<(Vec<Counted>, BTreeSet<PathBuf>), Error> {
        let (old, new) = (self.code(old)?, self.code(new)?);
        let files: BTreeSet<&PathBuf> = old.keys().chain(new.keys()).collect();
        let files: Vec<PathBuf> = files.into_iter().cloned().collect();
        let mut counted = Vec::new();
        let mut regions = BTreeMap::new();
        for file in self.repository.changed_lines(&self.old, &self.new, &files)? {
            for (number, hunk) in file.hunks.iter().enumerate() {
                let (path, side) = (&file.path, |version| move |found| (version, found));
                let removed = within(&old, path, &hunk.old).map(side(Version::Old));
                let added = within(&new, path, &hunk.new).map(side(Version::New));
                for (version, ((line, function), code)) in removed.chain(added) {
                    let next = regions.len();
                    let region = (path.clone(), number, function.clone());
                    let region = *regions.entry(region).or_insert(next);
                    let line = changed_line(path, *line, function, version);
                    let (library, breadth) = (self.is_library(path), code.breadth);
                    let candidate = Candidate { line, region, library, breadth };
                    counted.push((candidate, code.blocks.clone()));
                }
            }
        }
        even_breadths(&mut counted);
        Ok((counted, files.into_iter().collect()))
    }

    /// The file of the patch that a name in debug information stands for, as its path in the repository.
    pub fn file_named(&self, name: &str) -> Option<&Path> {
        self.known(&clean(Path::new(name)))
    }

    /// The file of the patch at a path. Compilers name files from the folder that they are started in, which may be no part
    /// of the name: then it is the one file whose path ends so.
    fn known(&self, path: &Path) -> Option<&Path> {
        let path = path.strip_prefix(&self.tree).unwrap_or(path);
        let all = || self.paths.iter().map(PathBuf::as_path);
        let mut ending = all().filter(|known| known.ends_with(path) && path.file_name().is_some());
        let alone = ending.next().filter(|_| ending.next().is_none());
        all().find(|known| *known == path).or(alone)
    }

    /// The text of a file of either version, by its path in the repository.
    pub fn file(&self, version: Version, path: &Path) -> Result<Option<Vec<u8>>, Error> {
        Ok(self.repository.file(self.side(version), path)?)
    }

    /// The lines that differ, in all files that do.
    pub fn hunks(&self) -> Result<Vec<umbra_project::ChangedLines>, Error> {
        let paths: Vec<PathBuf> = self.paths.iter().cloned().collect();
        Ok(self.repository.changed_lines(&self.old, &self.new, &paths)?)
    }

    /// The files that differ, as paths in the repository.
    pub fn paths(&self) -> &BTreeSet<PathBuf> {
        &self.paths
    }

    fn side(&self, version: Version) -> &TreeId {
        match version {
            Version::Old => &self.old,
            Version::New => &self.new,
        }
    }

    /// The text of a source file in either version. What the build made is not known: it is gone, or that of
    /// the other version.
    pub fn text(&self, version: Version, file: &SourceFile) -> Option<String> {
        let path = clean(&file.path());
        let bytes = match path.strip_prefix(&self.tree) {
            Ok(path) => self.repository.file(self.side(version), path).ok().flatten()?,
            Err(_) if path.is_relative() => {
                self.repository.file(self.side(version), &path).ok().flatten()?
            }
            Err(_) => std::fs::read(&path).ok()?,
        };
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn is_library(&self, path: &Path) -> bool {
        self.library.iter().any(|folder| path.starts_with(folder))
    }

    /// The code of a program in the files that differ.
    fn code(&self, executable: &Program) -> Result<Lines, Error> {
        let bitcode = program::bitcode_beside(executable.path())?;
        let program = program::load(&bitcode).map_err(|error| match error {
            Error::Load(source) => {
                Error::Read { program: executable.path().to_owned(), source: Box::new(source) }
            }
            error => error,
        })?;
        let bodies = program.functions.values().filter_map(|function| function.body.as_ref());
        let blocks: usize = bodies.clone().map(|body| body.blocks.len()).sum();
        if executable.blocks() != Some(blocks as u64) {
            return Err(Error::NoCounters(executable.path().to_owned()));
        }
        let files = self.files(&program);
        let mut lines = Lines::new();
        let mut counter = 0;
        for body in bodies {
            for block in body.blocks.values() {
                let instructions =
                    block.instructions.iter().filter(|it| is_code(it)).map(|it| it.location);
                let locations: BTreeSet<LocationId> =
                    instructions.chain([block.location]).flatten().collect();
                for id in locations {
                    let location = &program.locations[id];
                    let Some(file) = files.get(&location.file) else { continue };
                    let place = (location.line, location.function.clone());
                    let code = lines.entry(file.clone()).or_default().entry(place).or_default();
                    code.blocks.push(counter);
                    code.breadth = code.breadth.max(body.blocks.len());
                }
                counter += 1;
            }
        }
        Ok(lines)
    }

    /// The files of a program that differ, as paths in the repository.
    fn files(&self, program: &umbra_ir::Program) -> BTreeMap<FileId, PathBuf> {
        let files = program.files.iter().filter_map(|(id, file)| {
            let path = self.known(&clean(&file.path()))?;
            Some((id, path.to_owned()))
        });
        files.collect()
    }
}

/// Whether an instruction does something. What makes room for a variable stands in its declaration,
/// and at the end of its block.
pub(crate) fn is_code(instruction: &Instruction) -> bool {
    use Intrinsic::{LifetimeEnd, LifetimeStart};
    !matches!(
        instruction.operation,
        Operation::Alloca { .. }
            | Operation::Intrinsic { intrinsic: LifetimeStart | LifetimeEnd, .. }
    )
}

/// A line that nothing is known of yet.
fn changed_line(file: &Path, line: u32, function: &str, version: Version) -> ChangedLine {
    let place = Place { file: file.to_string_lossy().into_owned(), line };
    let target = Target { place, function: function.to_owned(), version };
    ChangedLine { target, differing: 0, same: 0 }
}

/// A function is as broad in both versions: which of them is broader must not decide between them.
fn even_breadths(counted: &mut [Counted]) {
    let mut breadths: BTreeMap<(String, String), usize> = BTreeMap::new();
    let key = |line: &ChangedLine| (line.target.place.file.clone(), line.target.function.clone());
    for (candidate, _) in &*counted {
        let breadth = breadths.entry(key(&candidate.line)).or_default();
        *breadth = candidate.breadth.max(*breadth);
    }
    for (candidate, _) in counted {
        candidate.breadth = breadths[&key(&candidate.line)];
    }
}

/// The code of a file within some lines.
fn within<'a>(
    lines: &'a Lines,
    file: &Path,
    range: &Range<u32>,
) -> impl Iterator<Item = (&'a (u32, String), &'a Code)> {
    let bounds = (range.start, String::new())..(range.end, String::new());
    lines.get(file).into_iter().flat_map(move |code| code.range(bounds.clone()))
}

/// A path without `.` and `..`, as build systems leave them in names of files.
pub(crate) fn clean(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(clean.pop()),
            part => clean.push(part),
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_build_systems_are_made_plain() {
        for (path, expected) in [
            ("/w/tree/lib/../src/./a.c", "/w/tree/src/a.c"),
            ("/w/tree/src/a.c", "/w/tree/src/a.c"),
            ("/../a.c", "/a.c"),
        ] {
            assert_eq!(clean(Path::new(path)), Path::new(expected));
        }
    }

    #[test]
    fn lines_are_taken_up_to_the_end_of_a_hunk() {
        let code = [9, 10, 12, 13].map(|line| ((line, "f".to_owned()), Code::default()));
        let lines = Lines::from([("a.c".into(), code.into())]);
        let found = |range| -> Vec<u32> {
            within(&lines, Path::new("a.c"), &range).map(|((line, _), _)| *line).collect()
        };
        assert_eq!(found(10..13), [10, 12]);
        assert!(found(10..10).is_empty());
        assert_eq!(within(&lines, Path::new("b.c"), &(0..99)).count(), 0);
    }
}
