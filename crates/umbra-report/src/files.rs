//! Writing a file so that it is there whole or not at all.

use std::fs::Permissions;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::Error;

/// Writes a file under a temporary name beside it, then renames it. `lost` says what is missing
/// if that fails.
pub fn write(path: &Path, content: &[u8], lost: &'static str) -> Result<(), Error> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let write = || {
        let mut file = tempfile::Builder::new()
            .prefix(".writing-")
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(folder)?;
        file.write_all(content)?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    };
    write().map_err(Error::lost(path, lost))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn files_are_replaced_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        for content in ["one", "two"] {
            write(&path, content.as_bytes(), "it").unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_failure_names_the_file_and_what_is_lost() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        fs::create_dir(&path).unwrap();
        let error = write(&path, b"", "the coverage").unwrap_err().to_string();
        let expected = format!("cannot write {}: ", path.display());
        assert!(
            error.starts_with(&expected) && error.ends_with(" (lost: the coverage)"),
            "{error}"
        );
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
