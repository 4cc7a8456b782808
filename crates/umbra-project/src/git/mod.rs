//! Revisions of a git repository, read without touching it.
//!
//! Everything goes through the `git` program, with an index and an object folder of our
//! own: the user's checkout, index, references and objects stay as they are. What
//! a revision is, is its tree: equal sources are equal, whatever commit they come
//! from.

mod change;
mod checkout;
mod command;
mod error;
mod lines;
mod revision;
mod working;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use change::{ChangedFile, FileChange};
pub(crate) use command::path as bytes_path;
pub use error::GitError;
pub use lines::{ChangedLines, Hunk};
pub use revision::{Revision, RevisionRange};

use crate::hash::Hash;
use crate::lock::{Lock, Mode};
use crate::{Cache, Error};
use command::Git;

/// A git repository, seen from a project's folder inside it.
#[derive(Clone, Debug)]
pub struct Repository {
    /// The root of the user's checkout.
    top: PathBuf,
    /// The checkout's own git folder.
    git_dir: PathBuf,
    /// The object folder of the repository.
    objects: PathBuf,
    /// The project's folder below the root.
    prefix: PathBuf,
    /// Our own folder for this project in the cache.
    private: PathBuf,
    /// Keeps [`crate::collect`] from the objects in it.
    _in_use: Arc<Lock>,
}

/// The hash of a tree: what a revision is made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TreeId(pub(crate) String);

impl TreeId {
    /// The hexadecimal text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for TreeId {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Repository {
    /// The repository that holds `folder`.
    pub fn find(folder: &Path, cache: &Cache) -> Result<Repository, Error> {
        let at = folder.canonicalize().map_err(Error::io("find", folder))?;
        let [top, git_dir, common] = locate(&at)?;
        let prefix = at.strip_prefix(&top).map(Path::to_owned).unwrap_or_default();
        let name = at.file_name().map_or_else(|| "root".into(), |name| name.to_string_lossy());
        let id = Hash::new("project").path(&common).path(&prefix).short();
        let private = cache.work_folder().join(format!("{}-{id}", plain(&name)));
        let objects = common.join("objects");
        let _in_use = Arc::new(use_folder(&private)?);
        Ok(Repository { top, git_dir, objects, prefix, private, _in_use })
    }

    /// The root of the user's checkout.
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// The project's folder below the root; empty if it is the root.
    pub fn prefix(&self) -> &Path {
        &self.prefix
    }

    /// The folder in the cache that belongs to this project.
    pub(crate) fn private(&self) -> &Path {
        &self.private
    }

    /// The tree of a revision.
    pub fn resolve(&self, revision: &Revision) -> Result<TreeId, Error> {
        match revision {
            Revision::Named(name) => self.tree_of(name),
            Revision::WorkingTree => working::tree(self),
        }
    }

    /// The commit that a revision names, and the first line of its message; `None` if it is no commit.
    pub fn commit(&self, revision: &Revision) -> Option<(String, String)> {
        let Revision::Named(name) = revision else { return None };
        let args = ["log", "-1", "--format=%H%n%s", "--end-of-options", name, "--"];
        let text = self.git().args(args).run().ok()?.text();
        let (hash, subject) = text.split_once('\n').unwrap_or((&text, ""));
        (!hash.is_empty()).then(|| (hash.to_owned(), subject.to_owned()))
    }

    /// The commits of a range, the oldest first: those that `new` has and `old` has not, along first parents.
    pub fn commits(&self, range: &RevisionRange) -> Result<Vec<String>, Error> {
        let name = |revision: &Revision| match revision {
            Revision::Named(name) => name.clone(),
            Revision::WorkingTree => "HEAD".to_owned(),
        };
        let between = format!("{}..{}", name(&range.old), name(&range.new));
        self.tree_of(&name(&range.old))?;
        self.tree_of(&name(&range.new))?;
        let args = ["rev-list", "--reverse", "--first-parent", "--end-of-options", &between, "--"];
        let output = self.git().args(args).run()?;
        Ok(output.text().lines().map(str::to_owned).collect())
    }

    /// What a file of a tree holds; `None` if the tree has no such file. `path` is from the root of the
    /// repository.
    pub fn file(&self, tree: &TreeId, path: &Path) -> Result<Option<Vec<u8>>, Error> {
        let listed = self
            .git()
            .args(["--literal-pathspecs", "ls-tree", "-z", tree.as_str(), "--"])
            .args([path])
            .run()?;
        // Mode, kind and hash, then a tabulator and the path.
        let Some(record) = listed.records().next() else { return Ok(None) };
        let header = String::from_utf8_lossy(record);
        let mut words = header.split(['\t', ' ']).skip(1);
        let (Some("blob"), Some(hash)) = (words.next(), words.next()) else { return Ok(None) };
        Ok(Some(self.git().args(["cat-file", "blob", hash]).run()?.bytes().to_vec()))
    }

    /// All files of a tree, each with the hash of its content; paths are from the root of the repository.
    pub fn listing(&self, tree: &TreeId) -> Result<Vec<(PathBuf, String)>, Error> {
        let output = self.git().args(["ls-tree", "-r", "-z", tree.as_str()]).run()?;
        let file = |record: &[u8]| {
            let tab = record.iter().position(|&byte| byte == b'\t')?;
            let header = String::from_utf8_lossy(&record[..tab]);
            let hash = header.split(' ').nth(2)?.to_owned();
            Some((command::path(&record[tab + 1..]), hash))
        };
        Ok(output.records().filter_map(file).collect())
    }

    /// Folders of a tree that are other repositories.
    pub fn submodules(&self, tree: &TreeId) -> Result<Vec<PathBuf>, Error> {
        Ok(self.links(tree)?.into_iter().map(|(path, _)| path).collect())
    }

    /// The same, with the commits that the tree wants there.
    fn links(&self, tree: &TreeId) -> Result<Vec<(PathBuf, String)>, Error> {
        let output = self.git().args(["ls-tree", "-r", "-z", tree.as_str()]).run()?;
        // Mode, kind and hash, then a tabulator and the path.
        let link = |record: &[u8]| {
            let header = record.strip_prefix(b"160000 commit ")?;
            let tab = header.iter().position(|&byte| byte == b'\t')?;
            let commit = String::from_utf8_lossy(&header[..tab]).into_owned();
            Some((command::path(&header[tab + 1..]), commit))
        };
        Ok(output.records().filter_map(link).collect())
    }

    /// The repository of a submodule, if the user has it checked out.
    fn submodule(&self, path: &Path) -> Option<Repository> {
        let at = self.top.join(path);
        // Without its own entry, git would find the repository around it.
        at.join(".git").exists().then_some(())?;
        let [top, git_dir, common] = locate(&at).ok()?;
        let objects = common.join("objects");
        Some(Repository { top, git_dir, objects, prefix: PathBuf::new(), ..self.clone() })
    }

    fn tree_of(&self, name: &str) -> Result<TreeId, Error> {
        let spec = format!("{name}^{{tree}}");
        let args = ["rev-parse", "--verify", "--quiet", "--end-of-options", &spec];
        let output = self.git().args(args).run();
        match output.map(|output| output.text()) {
            Ok(id) if !id.is_empty() => Ok(TreeId(id)),
            Ok(_) | Err(GitError::Failed { .. }) => Err(self.unknown(name).into()),
            Err(error) => Err(error.into()),
        }
    }

    fn unknown(&self, name: &str) -> GitError {
        let (name, repository) = (name.to_owned(), self.top.clone());
        let shallow = self.git().args(["rev-parse", "--is-shallow-repository"]).run();
        if shallow.is_ok_and(|output| output.text() == "true") {
            GitError::UnknownInShallow { name, repository }
        } else {
            GitError::UnknownRevision { name, repository }
        }
    }

    /// A command that may read our objects too and writes nothing.
    fn git(&self) -> Git {
        let objects = self.private_objects();
        let git = Git::at(&self.top);
        // git complains about alternates that are not there.
        if objects.is_dir() { git.alternates(&objects) } else { git }
    }

    /// Where the objects of working trees are.
    fn private_objects(&self) -> PathBuf {
        self.private.join("objects")
    }

    fn create_private(&self) -> Result<(), Error> {
        let objects = self.private_objects();
        fs::create_dir_all(&objects).map_err(Error::io("create", &objects))
    }
}

/// The lock of a project's folder: shared by all who read or make objects there.
pub(crate) fn use_path(private: &Path) -> PathBuf {
    private.join("in-use")
}

/// Makes a project's folder, and keeps it while the lock is held.
fn use_folder(private: &Path) -> Result<Lock, Error> {
    loop {
        fs::create_dir_all(private).map_err(Error::io("create", private))?;
        match Lock::take(&use_path(private), Mode::Shared, |_| {}) {
            // A collector removed the folder before it was locked.
            Err(_) if !private.is_dir() => {}
            result => return result,
        }
    }
}

/// Root of the checkout, its git folder, and the one that all checkouts share.
fn locate(folder: &Path) -> Result<[PathBuf; 3], GitError> {
    let query = ["--show-toplevel", "--git-dir", "--git-common-dir"];
    let output = Git::at(folder)
        .args(["rev-parse", "--path-format=absolute"])
        .args(query)
        .run()
        .map_err(|error| not_a_repository(error, folder))?;
    <[PathBuf; 3]>::try_from(output.lines()).map_err(|_| GitError::Bare { folder: folder.into() })
}

fn not_a_repository(error: GitError, folder: &Path) -> GitError {
    match error {
        GitError::Failed { output, .. } if output.contains("not a git repository") => {
            GitError::NotARepository { folder: folder.into() }
        }
        GitError::Failed { output, .. } if output.contains("must be run in a work tree") => {
            GitError::Bare { folder: folder.into() }
        }
        error => error,
    }
}

/// A name without characters that shells, make or configure trip over.
fn plain(name: &str) -> String {
    let keep = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    name.chars().map(|c| if keep(c) { c } else { '_' }).collect()
}
