//! Writes the sample of a check in the form asked for, to look at it:
//! `cargo run -p umbra-report --example check_report -- html >report.html`.

use std::io::Write;
use std::process::ExitCode;

use umbra_report::{CheckReport, Colour, sample_check};

const USAGE: &str = "usage: check_report FORM [FILE], where FORM is text, colour, verbose, narrow, json, file,\n\
    html, sarif, junit, lcov, cobertura or markdown\n";

/// The report in the form of this name.
fn form(report: &CheckReport, name: &str) -> Option<String> {
    Some(match name {
        "text" => report.to_text(Colour::Plain, None, false),
        "colour" => report.to_text(Colour::Ansi, Some(120), false),
        "verbose" => report.to_text(Colour::Plain, None, true),
        "narrow" => report.to_text(Colour::Plain, Some(60), false),
        "json" => report.to_json() + "\n",
        "html" => report.to_html(),
        // Lossy only if it were no UTF-8, which JSON always is.
        "file" => String::from_utf8_lossy(&report.to_file()).into_owned(),
        "sarif" => report.to_sarif(),
        "junit" => report.to_junit(),
        "lcov" => report.to_lcov(),
        "cobertura" => report.to_cobertura(),
        "markdown" => report.to_markdown(),
        _ => return None,
    })
}

/// With a file, the report is what [`CheckReport::to_file`] has written there.
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let report = match arguments.get(1) {
        Some(file) => match std::fs::read(file).ok().map(|bytes| CheckReport::from_file(&bytes)) {
            Some(Ok(report)) => report,
            _ => return ExitCode::from(2),
        },
        None => sample_check(),
    };
    match arguments.first().and_then(|name| form(&report, name)) {
        Some(text) => match std::io::stdout().write_all(text.as_bytes()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::from(2),
        },
        None => {
            // Nothing else can be done if that fails, too.
            let _ = std::io::stderr().write_all(USAGE.as_bytes());
            ExitCode::from(2)
        }
    }
}
