//! Walking and removing folders.

use std::fs::{self, Metadata};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::Error;

/// Something found below a folder.
pub(crate) struct Found {
    /// Its path from the folder.
    pub path: PathBuf,
    /// What the file system says of it; links are not followed.
    pub metadata: Metadata,
}

/// Everything below a folder, folders before what is in them, in no other order. What
/// vanishes meanwhile is left out.
pub(crate) fn walk(root: &Path) -> Result<Vec<Found>, Error> {
    walk_with(root, |path, error| Err(Error::io("read", path)(error)))
}

/// The disk space that a file or folder takes, as far as it can be seen.
pub(crate) fn disk_usage(path: &Path) -> u64 {
    let own = fs::symlink_metadata(path).map_or(0, |metadata| metadata.blocks() * 512);
    // Nothing is refused, so this cannot fail.
    let below = walk_with(path, |_, _| Ok(())).unwrap_or_default();
    own + below.iter().map(|found| found.metadata.blocks() * 512).sum::<u64>()
}

fn walk_with(
    root: &Path,
    unreadable: impl Fn(&Path, std::io::Error) -> Result<(), Error>,
) -> Result<Vec<Found>, Error> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let path = root.join(&folder);
        let entries = match fs::read_dir(&path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => {
                unreadable(&path, error)?;
                continue;
            }
        };
        for entry in entries {
            let found_now = entry.and_then(|entry| Ok((entry.file_name(), entry.metadata()?)));
            let Ok((name, metadata)) = found_now else { continue };
            let path = folder.join(name);
            if metadata.is_dir() {
                folders.push(path.clone());
            }
            found.push(Found { path, metadata });
        }
    }
    Ok(found)
}

/// Removes a folder and all in it, also where tests left folders that may not be
/// entered. Nothing to remove is success.
pub(crate) fn remove_tree(root: &Path) -> Result<(), Error> {
    match fs::remove_dir_all(root) {
        Ok(()) => return Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(_) => unlock(root),
    }
    fs::remove_dir_all(root).map_err(Error::io("remove", root))
}

/// Lets the owner into every folder below `folder`. What fails shows when it is removed.
fn unlock(folder: &Path) {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let _ = fs::set_permissions(&folder, fs::Permissions::from_mode(0o700));
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(entry.path());
            }
        }
    }
}

/// Removes a file, or a folder and all in it. Nothing to remove is success.
pub(crate) fn remove(path: &Path) -> Result<(), Error> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => remove_tree(path),
        _ => remove_file(path),
    }
}

/// Writes a file that others see whole or not at all.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    let new = PathBuf::from(name);
    fs::write(&new, bytes).map_err(Error::io("write", &new))?;
    fs::rename(&new, path).map_err(Error::io("write", path))
}

/// Writes a program of the shell.
pub(crate) fn write_script(path: &Path, text: &[u8]) -> Result<(), Error> {
    write_whole(path, text)?;
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(path, mode).map_err(Error::io("make executable", path))
}

/// Removes a file, if it is there.
pub(crate) fn remove_file(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::io("remove", path)(error))
        }
        _ => Ok(()),
    }
}
