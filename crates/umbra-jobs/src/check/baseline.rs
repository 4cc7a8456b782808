//! Differences that somebody has said are expected.
//!
//! Each is a file of its own in a folder that is committed, so that two branches that accept different things do not
//! conflict, and two that accept the same do not either.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use umbra_project::ACCEPTED;
use umbra_report::{CheckFinding, CheckReport, StageEnd};
use umbra_words::Class;

use super::keep::{REPORT, write};
use crate::Error;

/// A difference that is expected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accepted {
    /// The program, as its path in the built tree.
    pub program: String,
    /// What it means.
    pub class: Class,
    /// One line that says what happens.
    pub verdict: String,
    /// Why that is expected, if somebody has said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What is expected in a project, by identity.
pub fn accepted(project: &Path) -> Result<BTreeMap<String, Accepted>, Error> {
    let folder = project.join(ACCEPTED);
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(Error::file("reading", &folder)(error)),
    };
    let mut all = BTreeMap::new();
    for entry in entries {
        let path = entry.map_err(Error::file("reading", &folder))?.path();
        let (Some("json"), Some(name)) =
            (path.extension().and_then(|end| end.to_str()), path.file_stem())
        else {
            continue;
        };
        let bytes = fs::read(&path).map_err(Error::file("reading", &path))?;
        let accepted = serde_json::from_slice(&bytes)
            .map_err(|error| Error::file("reading", &path)(error.into()))?;
        all.insert(name.to_string_lossy().into_owned(), accepted);
    }
    Ok(all)
}

/// Says that a finding is expected; the file that says so from now on.
pub fn accept(
    project: &Path,
    finding: &CheckFinding,
    reason: Option<&str>,
) -> Result<PathBuf, Error> {
    let folder = project.join(ACCEPTED);
    fs::create_dir_all(&folder).map_err(Error::file("making the folder", &folder))?;
    let path = file(project, &finding.id);
    let accepted = Accepted {
        program: finding.program.clone(),
        class: finding.class,
        verdict: finding.verdict.clone(),
        reason: reason.map(str::to_owned),
    };
    let mut text = serde_json::to_string_pretty(&accepted)
        .map_err(|error| Error::file("writing", &path)(error.into()))?;
    text.push('\n');
    write(&path, text.as_bytes())?;
    Ok(path)
}

/// No longer says that this is expected.
pub fn forget(project: &Path, identity: &str) -> Result<(), Error> {
    let path = file(project, identity);
    fs::remove_file(&path).map_err(Error::file("removing", &path))
}

fn file(project: &Path, identity: &str) -> PathBuf {
    project.join(ACCEPTED).join(format!("{identity}.json"))
}

/// Marks what is expected in a report. What was looked for and not found any more is said.
pub fn mark(report: &mut CheckReport, accepted: &BTreeMap<String, Accepted>) {
    for finding in &mut report.findings {
        finding.accepted = accepted.contains_key(&finding.id);
    }
    let is_whole = report
        .stages
        .iter()
        .all(|line| !matches!(line.end, StageEnd::Failed | StageEnd::Interrupted));
    let is_missing = |(identity, accepted): &(&String, &Accepted)| {
        let was_searched = report.programs.iter().any(|program| program.path == accepted.program);
        was_searched && !report.findings.iter().any(|finding| finding.id == **identity)
    };
    report.gone = match is_whole {
        true => accepted.iter().filter(is_missing).map(|(identity, _)| identity.clone()).collect(),
        false => Vec::new(),
    };
}

/// The report of a check, from its folder, with what is expected by now.
pub fn load(project: &Path, folder: &Path) -> Result<CheckReport, Error> {
    let path = folder.join(REPORT);
    let bytes = fs::read(&path).map_err(Error::file("reading", &path))?;
    let mut report = CheckReport::from_file(&bytes)?;
    mark(&mut report, &accepted(project)?);
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(id: &str) -> CheckFinding {
        CheckFinding { id: id.to_owned(), program: "cut".to_owned(), ..CheckFinding::default() }
    }

    #[test]
    fn what_is_accepted_is_no_longer_open() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(accepted(dir.path()).unwrap(), BTreeMap::new());
        let path = accept(dir.path(), &finding("a1"), Some("as planned")).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains("\"reason\": \"as planned\""), "{text}");
        // Nobody else's files matter.
        fs::write(path.with_file_name("README"), "our notes").unwrap();
        let known = accepted(dir.path()).unwrap();
        let mut report = CheckReport {
            findings: vec![finding("a1"), finding("b2")],
            programs: vec![umbra_report::CheckedProgram {
                path: "cut".to_owned(),
                ..Default::default()
            }],
            ..CheckReport::default()
        };
        mark(&mut report, &known);
        assert_eq!(report.findings.iter().map(|it| it.accepted).collect::<Vec<_>>(), [true, false]);
        assert!(report.gone.is_empty());
        report.findings.remove(0);
        mark(&mut report, &known);
        assert_eq!(report.gone, ["a1"]);
        // Of a program that was not looked at nothing is known.
        report.programs[0].path = "paste".to_owned();
        mark(&mut report, &known);
        assert!(report.gone.is_empty());
        forget(dir.path(), "a1").unwrap();
        assert_eq!(accepted(dir.path()).unwrap(), BTreeMap::new());
    }

    #[test]
    fn a_damaged_file_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = accept(dir.path(), &finding("a1"), None).unwrap();
        fs::write(&path, "<<<<<<< ours").unwrap();
        let error = accepted(dir.path()).unwrap_err().to_string();
        assert!(error.contains("a1.json"), "{error}");
    }
}
