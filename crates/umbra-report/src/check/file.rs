//! The report as a file, to make other forms of it later.
//!
//! It is the model as it is, so it is ours alone: `--json` is the object that others read. A file of another version
//! of the model is refused, since a field that is missing would be taken for nothing found.

use serde::{Deserialize, Serialize};

use crate::{CheckReport, Error};

/// The version of the model. A change that an older reader would misunderstand makes it one more.
const VERSION: u64 = 1;

#[derive(Serialize)]
struct Written<'a> {
    version: u64,
    report: &'a CheckReport,
}

#[derive(Deserialize)]
struct VersionOnly {
    version: u64,
}

#[derive(Deserialize)]
struct Read {
    report: CheckReport,
}

impl CheckReport {
    /// The report as the content of a file; [`CheckReport::from_file`] reads it.
    pub fn to_file(&self) -> Vec<u8> {
        let written = Written { version: VERSION, report: self };
        // Plain numbers, strings and lists: this cannot fail.
        let mut bytes = serde_json::to_vec(&written).expect("plain data is JSON");
        bytes.push(b'\n');
        bytes
    }

    /// The report in the content of a file that [`CheckReport::to_file`] has made.
    pub fn from_file(content: &[u8]) -> Result<Self, Error> {
        let broken = |source| Error::NotAReport { source };
        let VersionOnly { version } = serde_json::from_slice(content).map_err(broken)?;
        if version != VERSION {
            return Err(Error::ReportVersion { found: version, known: VERSION });
        }
        let Read { report } = serde_json::from_slice(content).map_err(broken)?;
        Ok(report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample_check;

    #[test]
    fn a_report_comes_back_as_it_was() {
        for report in [sample_check(), CheckReport::default()] {
            assert_eq!(CheckReport::from_file(&report.to_file()).unwrap(), report);
        }
    }

    #[test]
    fn other_versions_and_other_files_are_refused() {
        let error = |content: &[u8]| CheckReport::from_file(content).unwrap_err().to_string();
        assert_eq!(
            error(b"{\"version\":2,\"report\":{\"other\":[]}}"),
            "the report was kept by another version of Umbra (format 2, this one reads 1); check again"
        );
        let start = "the report cannot be read: ";
        for broken in
            [&b""[..], b"{}", b"{\"version\":1}", b"{\"version\":1,\"report\":7}", b"\xff"]
        {
            assert!(error(broken).starts_with(start), "{}", error(broken));
        }
        let whole = sample_check().to_file();
        assert!(error(&whole[..whole.len() / 2]).starts_with(start));
    }
}
