//! The folder of a run that goes on after its process was killed.
//!
//! What was written after the journal's last entry is not part of the run any more: it is found again, and would be
//! there twice. So it is removed.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

use umbra_case::{Case, CaseId};

use super::{RunFolder, case_name};
use crate::Error;

impl RunFolder {
    /// Opens the folder of a run that had written so many test cases, and removes later ones. Reports of
    /// errors are removed too, to be written again.
    pub fn reopen(path: &Path, cases: usize) -> Result<Self, Error> {
        let mut folder = Self::at(path.to_owned());
        folder.remove_later_cases(cases)?;
        folder.cases = folder.read_cases(cases)?;
        let errors = path.join("errors");
        match fs::remove_dir_all(&errors) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(Error::folder("empty", &errors)(error));
            }
            _ => {}
        }
        folder.statistics = reopen_table(&path.join("stats.csv"))?;
        Ok(folder)
    }

    fn remove_later_cases(&self, kept: usize) -> Result<(), Error> {
        let folder = self.path.join("cases");
        let looking = |error| Error::folder("look into", &folder)(error);
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(looking(error)),
        };
        for entry in entries {
            let entry = entry.map_err(looking)?;
            let name = entry.file_name();
            let number = name.to_str().and_then(|name| name.parse::<usize>().ok());
            if number.is_none_or(|number| number > kept) {
                // Others are cases that were being written.
                let path = entry.path();
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                let removed =
                    if is_folder { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
                removed.map_err(|error| Error::folder("remove", &path)(error))?;
            }
        }
        Ok(())
    }

    fn read_cases(&self, count: usize) -> Result<HashMap<CaseId, String>, Error> {
        let read = |number| {
            let name = case_name(number);
            let case = Case::read(&self.path.join(&name));
            Ok((case.map_err(|source| Error::KeptCase { source })?.id(), name))
        };
        (1..=count).map(read).collect()
    }
}

/// Goes on with a table; a row that was being written goes.
fn reopen_table(path: &Path) -> Result<Option<File>, Error> {
    let lost = |error| Error::lost(path, "statistics over time")(error);
    let text = match fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(lost(error)),
    };
    let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
    if whole == 0 {
        fs::remove_file(path).map_err(lost)?;
        return Ok(None);
    }
    let file = OpenOptions::new().append(true).open(path).map_err(lost)?;
    file.set_len(whole as u64).map_err(lost)?;
    Ok(Some(file))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sample;
    use umbra_words::Finding;

    fn case(byte: u8) -> Case {
        Case { program: b"x".to_vec(), arguments: vec![vec![byte]], ..Case::default() }
    }

    #[test]
    fn what_came_after_the_last_entry_is_gone_and_the_rest_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let mut run = RunFolder::create_at(folder.path()).unwrap();
        for byte in b'a'..=b'e' {
            run.write_case(&case(byte)).unwrap();
        }
        run.write_error(&Finding::default(), 1).unwrap();
        run.write_sample(&Sample::default()).unwrap();
        fs::create_dir(folder.path().join("cases/.writing")).unwrap();
        let table = folder.path().join("stats.csv");
        let before = fs::read_to_string(&table).unwrap();
        fs::write(&table, format!("{before}0.1,")).unwrap();

        let mut again = RunFolder::reopen(folder.path(), 3).unwrap();
        assert_eq!(again.cases(), 3);
        assert_eq!(fs::read_dir(folder.path().join("cases")).unwrap().count(), 3);
        assert!(!folder.path().join("errors").exists());
        let known = again.write_case(&case(b'b')).unwrap();
        assert_eq!((known.name.as_str(), known.is_new), ("cases/000002", false));
        assert_eq!(again.write_case(&case(b'd')).unwrap().name, "cases/000004");
        again.write_sample(&Sample::default()).unwrap();
        let rows = fs::read_to_string(&table).unwrap();
        assert!(rows.starts_with(&before) && rows.lines().count() == 3, "{rows}");
    }

    #[test]
    fn a_case_that_was_changed_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let mut run = RunFolder::create_at(folder.path()).unwrap();
        run.write_case(&case(b'a')).unwrap();
        fs::write(folder.path().join("cases/000001/case.json"), "{").unwrap();
        let error = RunFolder::reopen(folder.path(), 1).unwrap_err().to_string();
        assert!(error.contains("cases/000001") && error.contains("go on"), "{error}");
    }
}
