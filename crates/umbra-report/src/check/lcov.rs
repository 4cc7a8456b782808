//! The lines of the new version around the patch as lcov's tracefile: how many cases run each.

use std::fmt::Write;

use umbra_text::Show;

use super::runs::hit;
use crate::CheckReport;

impl CheckReport {
    /// Lines of the new version as lcov's tracefile, by their paths from the root of the repository.
    pub fn to_lcov(&self) -> String {
        let mut text = String::from("TN:umbra\n");
        for (path, lines) in self.runs() {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "SF:{}", path.shown());
            for (line, runs) in &lines {
                let _ = writeln!(text, "DA:{line},{runs}");
            }
            let _ = write!(text, "LF:{}\nLH:{}\nend_of_record\n", lines.len(), hit(&lines));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use crate::{CheckReport, sample_check};

    #[test]
    fn each_file_is_a_record() {
        assert_eq!(
            sample_check().to_lcov(),
            "TN:umbra\n\
             SF:src/average.c\nDA:10,61\nDA:11,61\nDA:12,61\nDA:13,61\nDA:24,12\nLF:5\nLH:5\nend_of_record\n\
             SF:src/table größe.c\nDA:44,44\nDA:45,1\nDA:64,0\nDA:65,0\nLF:4\nLH:2\nend_of_record\n"
        );
        assert_eq!(CheckReport::default().to_lcov(), "TN:umbra\n");
        let mut report = sample_check();
        report.patch[0].path = "a\nSF:b".to_owned();
        assert!(report.to_lcov().contains("SF:a\\nSF:b\n"));
    }
}
