//! Parses the reports.

use crate::SanitizerReport;

/// The first report in what a sanitizer wrote, if there is one.
pub fn parse(text: &str) -> Option<SanitizerReport> {
    _ = text;
    None
}
