//! The tree of the working tree.
//!
//! A copy of the user's index takes in what is in the checkout; the copy knows which files
//! have not changed, so only the others are read. Objects go to a folder of our own.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::{Repository, TreeId};
use crate::{ACCEPTED, Error, MANIFEST_NAME};

/// Makes the tree of what is in the checkout now.
pub fn tree(repository: &Repository) -> Result<TreeId, Error> {
    repository.create_private()?;
    let folder = &repository.private;
    let scratch = tempfile::Builder::new()
        .prefix("index-")
        .tempdir_in(folder)
        .map_err(Error::io("create a folder in", folder))?;
    let index = scratch.path().join("index");
    let own = repository.git_dir.join("index");
    match copy(&own, &index) {
        Ok(()) => {}
        // A repository without commits may have no index yet.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(Error::io("copy", own)(error)),
    }
    let git = || {
        super::Git::at(&repository.top)
            .env("GIT_INDEX_FILE", &index)
            .env("GIT_OBJECT_DIRECTORY", repository.private_objects())
            .alternates(&repository.objects)
    };
    // Neither our own results nor our own manifest are part of the project: builds do not
    // read them, and an untracked one would make every checkout differ from its commit.
    let ours = [".umbra/**".to_owned(), MANIFEST_NAME.to_owned(), format!("{ACCEPTED}/**")]
        .map(|name| format!(":(top,exclude,glob)**/{name}"));
    git().args(["add", "--all", "--", ":/"]).args(ours).run()?;
    Ok(TreeId(git().args(["write-tree"]).run()?.text()))
}

/// Copies an index with its time: a file of the same second may have changed since, and git looks into files that are as
/// young as the index.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::copy(from, to)?;
    let time = fs::metadata(from)?.modified()?;
    File::options().write(true).open(to)?.set_modified(time)
}
