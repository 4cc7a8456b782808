//! The folder of a run.
//!
//! | file | what it holds |
//! |---|---|
//! | `info` | command line, version, start |
//! | `journal` | what another process needs to go on, see `umbra-jobs` |
//! | `cases/000001/` | a test case, see `umbra-case` |
//! | `errors/KIND-FILE-LINE.txt` | an error, for people |
//! | `coverage.info` | lines that ran, for lcov |
//! | `stats.csv` | statistics over time |
//! | `summary.json` | the object of `--json` |
//!
//! Every file is there whole or not at all, except `stats.csv`, which grows while the run goes on and is
//! flushed after each row, so that it can be watched.

mod reopen;

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use umbra_case::{Case, CaseId, make_own_folder, own_folder};

use crate::{Error, Info, LineCoverage, RunSummary, Sample, files, finding_text, tracefile};
use umbra_words::{Finding, Place};

/// A folder that the results of one run are written to.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    statistics: Option<File>,
    /// The test cases written, by what they start from.
    cases: HashMap<CaseId, String>,
    /// The names of the files in `errors/`, and what they are about.
    reports: BTreeMap<String, (Place, String)>,
}

/// Where a test case is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenCase {
    /// Its folder relative to the run's, as "cases/000001".
    pub name: String,
    /// Whether it was written now; otherwise the run has this case already.
    pub is_new: bool,
}

impl RunFolder {
    /// Makes the next folder in `.umbra/runs` of a project, and points `last` there to it.
    pub fn create_next(project: &Path) -> Result<Self, Error> {
        let runs = own_folder(project, "runs").map_err(|source| Error::Own { source })?;
        make_own_folder(&runs).map_err(|source| Error::Own { source })?;
        let mut number = last_number(&runs)? + 1;
        let path = loop {
            let path = runs.join(format!("{number:04}"));
            match fs::create_dir(&path) {
                Ok(()) => break path,
                // Another run took it in the meantime.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(Error::folder("make", &path)(error)),
            }
        };
        point(&runs.join("last"), &format!("{number:04}"))?;
        Ok(Self::at(path))
    }

    /// Uses a folder given by the user, which must be empty or not exist; its parent must.
    pub fn create_at(path: &Path) -> Result<Self, Error> {
        match fs::create_dir(path) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let mut entries = fs::read_dir(path).map_err(Error::folder("look into", path))?;
                if entries.next().is_some() {
                    return Err(Error::NotEmpty { path: path.to_owned() });
                }
            }
            Err(error) => return Err(Error::folder("make", path)(error)),
        }
        Ok(Self::at(path.to_owned()))
    }

    fn at(path: PathBuf) -> Self {
        Self { path, statistics: None, cases: HashMap::new(), reports: BTreeMap::new() }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Test cases written so far.
    pub fn cases(&self) -> usize {
        self.cases.len()
    }

    /// Writes a test case, unless one with the same inputs is there.
    pub fn write_case(&mut self, case: &Case) -> Result<WrittenCase, Error> {
        let id = case.id();
        if let Some(name) = self.cases.get(&id) {
            return Ok(WrittenCase { name: name.clone(), is_new: false });
        }
        self.make("cases")?;
        let name = case_name(self.cases.len() + 1);
        case.write(&self.path.join(&name)).map_err(|source| Error::Case { source })?;
        self.cases.insert(id, name.clone());
        Ok(WrittenCase { name, is_new: true })
    }

    /// Writes the report of an error that was seen `count` times, in place of an older one of the
    /// same kind at the same place. Returns the file, relative to the folder.
    pub fn write_error(&mut self, finding: &Finding, count: u64) -> Result<String, Error> {
        self.make("errors")?;
        let name = self.report_name(finding);
        let text = finding_text(finding, count, &self.path);
        files::write(&self.path.join(&name), text.as_bytes(), "the report of an error")?;
        Ok(name)
    }

    fn report_name(&mut self, finding: &Finding) -> String {
        let Place { file, line } = &finding.place;
        let file =
            Path::new(file).file_name().map_or("unknown".into(), |name| name.to_string_lossy());
        let stem = format!("{}-{}-{line}", plain(&finding.kind), plain(&file));
        let about = (finding.place.clone(), finding.kind.clone());
        // Files of one name in several folders get numbers.
        let names = (1..).map(|number| match number {
            1 => format!("errors/{stem}.txt"),
            _ => format!("errors/{stem}-{number}.txt"),
        });
        for name in names {
            if *self.reports.entry(name.clone()).or_insert_with(|| about.clone()) == about {
                return name;
            }
        }
        unreachable!("one of infinitely many names is free")
    }

    /// Writes the lines that ran to `coverage.info`.
    pub fn write_coverage(&self, coverage: &LineCoverage) -> Result<(), Error> {
        let text = tracefile(coverage);
        files::write(&self.path.join("coverage.info"), text.as_bytes(), "the lines covered")
    }

    /// Adds a row to `stats.csv`.
    pub fn write_sample(&mut self, sample: &Sample) -> Result<(), Error> {
        let path = self.path.join("stats.csv");
        let lost = "statistics over time";
        let file = match &mut self.statistics {
            Some(file) => file,
            none => {
                let mut file = File::create_new(&path).map_err(Error::lost(&path, lost))?;
                append(&mut file, Sample::CSV_HEADER).map_err(Error::lost(&path, lost))?;
                none.insert(file)
            }
        };
        append(file, &sample.csv_row()).map_err(Error::lost(&path, lost))
    }

    /// Writes `summary.json`.
    pub fn write_summary(&self, summary: &RunSummary) -> Result<(), Error> {
        let text = summary.to_json() + "\n";
        files::write(&self.path.join("summary.json"), text.as_bytes(), "the summary of the run")
    }

    /// Writes `info`.
    pub fn write_info(&self, info: &Info) -> Result<(), Error> {
        let text = info.to_text();
        files::write(&self.path.join("info"), text.as_bytes(), "what the run was")
    }

    fn make(&self, name: &str) -> Result<(), Error> {
        let path = self.path.join(name);
        fs::create_dir_all(&path).map_err(Error::folder("make", &path))
    }
}

/// What a test case is called.
fn case_name(number: usize) -> String {
    format!("cases/{number:06}")
}

/// One write per line, so that whoever reads along sees whole lines.
fn append(file: &mut File, line: &str) -> io::Result<()> {
    file.write_all(format!("{line}\n").as_bytes())
}

/// The number of the last run, 0 if there is none.
fn last_number(runs: &Path) -> Result<u64, Error> {
    let error = |source| Error::folder("look into", runs)(source);
    let mut last = 0;
    for entry in fs::read_dir(runs).map_err(error)? {
        let name = entry.map_err(error)?.file_name();
        last = name.to_str().and_then(|name| name.parse().ok()).unwrap_or(0).max(last);
    }
    Ok(last)
}

/// Makes a symbolic link, in place of an older one and without a moment in which there is none.
fn point(link: &Path, target: &str) -> Result<(), Error> {
    // Two runs that start at once have different targets, so different temporary names.
    let temporary = link.with_file_name(format!(".last-{target}"));
    let make = || {
        std::os::unix::fs::symlink(target, &temporary)?;
        fs::rename(&temporary, link)
    };
    make().map_err(|error| {
        let _ = fs::remove_file(&temporary);
        Error::folder("make the link", link)(error)
    })
}

/// A name for a file from any text: short, without slashes or spaces.
fn plain(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+');
    text.chars().take(80).map(|c| if is_plain(c) { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;

    use super::*;

    #[test]
    fn a_full_disk_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let mut run = RunFolder::create_at(folder.path()).unwrap();
        run.statistics = Some(OpenOptions::new().write(true).open("/dev/full").unwrap());
        let error = run.write_sample(&Sample::default()).unwrap_err().to_string();
        let path = folder.path().join("stats.csv");
        assert_eq!(
            error,
            format!(
                "cannot write {}: No space left on device (os error 28) \
                 (lost: statistics over time)",
                path.display()
            )
        );
    }
}
