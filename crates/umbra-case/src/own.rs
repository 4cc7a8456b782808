//! Umbra's own folder in a project.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::Error;

/// The folder of all that Umbra writes beside a project's own files.
const OWN: &str = ".umbra";

/// A link that Umbra makes itself there.
const LAST: &str = "last";

/// Folders below that are looked into, too.
const LEVELS: usize = 2;

/// The folder `.umbra/NAME` of a project, which need not be there. A symbolic link on the way, or among its
/// folders, is an error: it comes with a project's files as any other, and what is written through it
/// goes to a place that its author has chosen.
pub fn own_folder(project: &Path, name: &str) -> Result<PathBuf, Error> {
    let own = project.join(OWN);
    let folder = own.join(name);
    for path in [&own, &folder] {
        match fs::symlink_metadata(path) {
            Ok(metadata) if metadata.is_symlink() => {
                return Err(Error::Linked { path: path.clone() });
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => break,
            Err(error) => return Err(Error::io("look at", path)(error)),
        }
    }
    refuse_links(&folder, LEVELS)?;
    Ok(folder)
}

/// Makes such a folder. Git does not see it: `.umbra` ignores itself, whatever the project's own rules are.
pub fn make_own_folder(folder: &Path) -> Result<(), Error> {
    fs::create_dir_all(folder).map_err(Error::io("make", folder))?;
    let own = folder.ancestors().find(|path| path.file_name().is_some_and(|name| name == OWN));
    let Some(ignore) = own.map(|own| own.join(".gitignore")) else { return Ok(()) };
    match fs::File::create_new(&ignore) {
        Ok(mut file) => file.write_all(b"*\n").map_err(Error::io("write", &ignore)),
        // It is there, or is the user's own.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(Error::io("write", &ignore)(error)),
    }
}

fn refuse_links(folder: &Path, levels: usize) -> Result<(), Error> {
    // What cannot be listed says why when it is written to.
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let entry = entry.map_err(Error::io("read", folder))?;
        let kind = entry.file_type().map_err(Error::io("look at", &entry.path()))?;
        if kind.is_symlink() && entry.file_name() != LAST {
            return Err(Error::Linked { path: entry.path() });
        }
        if kind.is_dir() && levels > 1 {
            refuse_links(&entry.path(), levels - 1)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_refused_wherever_they_are() {
        for link in [".umbra", ".umbra/runs", ".umbra/runs/objects", ".umbra/runs/objects/ab"] {
            let dir = tempfile::tempdir().unwrap();
            let (project, elsewhere) = (dir.path().join("project"), dir.path().join("elsewhere"));
            let path = project.join(link);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::create_dir(&elsewhere).unwrap();
            assert_eq!(own_folder(&project, "runs").unwrap(), project.join(".umbra/runs"));
            symlink(&elsewhere, &path).unwrap();
            let error = own_folder(&project, "runs").unwrap_err();
            assert!(matches!(&error, Error::Linked { path: found } if *found == path), "{error}");
        }
    }

    #[test]
    fn git_does_not_see_it() {
        let dir = tempfile::tempdir().unwrap();
        let folder = own_folder(dir.path(), "runs").unwrap();
        for _ in 0..2 {
            make_own_folder(&folder).unwrap();
            let ignore = fs::read_to_string(dir.path().join(".umbra/.gitignore")).unwrap();
            assert_eq!(ignore, "*\n");
        }
        make_own_folder(&dir.path().join("elsewhere")).unwrap();
        assert!(!dir.path().join("elsewhere/.gitignore").exists());
    }

    #[test]
    fn our_own_link_is_none() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join(".umbra/runs/0001")).unwrap();
        symlink("0001", dir.path().join(".umbra/runs/last")).unwrap();
        own_folder(dir.path(), "runs").unwrap();
    }
}
