//! Files of a tree, written to a folder of our own.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::command::Git;
use super::{Repository, TreeId};
use crate::Error;

impl Repository {
    /// Writes all files of `tree` below `folder`, or those of `paths` only.
    /// `index` is a file that nobody else uses.
    pub(crate) fn check_out(
        &self,
        tree: &TreeId,
        paths: Option<&[PathBuf]>,
        folder: &Path,
        index: &Path,
    ) -> Result<(), Error> {
        let git = || {
            let git = Git::at(folder)
                .env("GIT_DIR", &self.git_dir)
                .env("GIT_WORK_TREE", folder)
                .env("GIT_INDEX_FILE", index);
            let objects = self.private_objects();
            let git = if objects.is_dir() { git.alternates(&objects) } else { git };
            // Line ends as they are stored, whatever the user likes in the checkout.
            git.args(["-c", "core.autocrlf=false", "-c", "core.eol=lf", "-c", "core.symlinks=true"])
        };
        git().args(["read-tree", tree.as_str()]).run()?;
        match paths {
            None => git().args(["checkout-index", "--force", "--all"]).run()?,
            Some(paths) => {
                let mut list = OsString::new().into_encoded_bytes();
                for path in paths {
                    list.extend_from_slice(path.as_os_str().as_bytes());
                    list.push(0);
                }
                let args = ["checkout-index", "--force", "-z", "--stdin"];
                git().args(args).input(list).run()?
            }
        };
        Ok(())
    }

    /// Writes all files of `tree` below `folder`, those of submodules too. Returns the
    /// submodules that the user's checkout does not have, or not at that commit.
    pub(crate) fn check_out_all(
        &self,
        tree: &TreeId,
        folder: &Path,
        index: &Path,
    ) -> Result<Vec<PathBuf>, Error> {
        self.check_out(tree, None, folder, index)?;
        let mut missing = Vec::new();
        for (path, commit) in self.links(tree)? {
            let found = self.submodule(&path).and_then(|module| {
                let tree = module.tree_of(&commit).ok()?;
                Some((module, tree))
            });
            match found {
                Some((module, tree)) => {
                    let inside = module.check_out_all(&tree, &folder.join(&path), index)?;
                    missing.extend(inside.into_iter().map(|inner| path.join(inner)));
                }
                None => missing.push(path),
            }
        }
        Ok(missing)
    }
}
