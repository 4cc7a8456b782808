//! Texts and JSON, compared with files. `BLESS=1` rewrites them.

use std::fs;
use std::path::Path;

use umbra_report::{Colour, RunSummary, Sample, SummaryText};

use crate::example;

pub fn check(name: &str, text: &str) {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/report/golden").join(name);
    if std::env::var_os("BLESS").is_some() {
        fs::write(&golden, text).unwrap();
    }
    let expected = fs::read_to_string(&golden).unwrap_or_default();
    assert!(
        text == expected,
        "{name} differs; accept with BLESS=1 cargo test -p umbra-report --test report golden\n\
         is:\n{text}\nwas:\n{expected}"
    );
}

fn text(summary: &RunSummary, history: &[Sample], colour: Colour) -> String {
    let folder = Some(Path::new(".umbra/runs/0003"));
    SummaryText { summary, folder, history, colour }.to_string()
}

#[test]
fn a_run_cut_short_is_summed_up() {
    let summary = example::cut_short();
    let plain = text(&summary, &example::history(), Colour::Plain);
    check("cut-short.txt", &plain);
    assert!(plain.lines().count() <= 40 && plain.lines().all(|line| line.len() <= 100));
    // Escapes are shown, so that the file can be read.
    let coloured = text(&summary, &example::history(), Colour::Ansi).replace('\x1b', "<ESC>");
    check("cut-short-coloured.txt", &coloured);
}

#[test]
fn a_complete_run_is_summed_up() {
    let summary = example::complete();
    check("complete.txt", &text(&summary, &[], Colour::Plain));
    let nowhere =
        SummaryText { summary: &summary, folder: None, history: &[], colour: Colour::Plain };
    assert!(!nowhere.to_string().contains("run.sh"));
}

#[test]
fn a_run_of_nothing_is_summed_up() {
    check("nothing.txt", &text(&RunSummary::default(), &[], Colour::Plain));
}

#[test]
fn many_errors_still_fit_a_screen() {
    let mut summary = example::cut_short();
    for line in 1..1_500 {
        summary.findings.add(example::finding("trap", "src/very/far/away.c", line, None));
    }
    summary.unsupported = (1..=500).map(|number| format!("call-{number}")).collect();
    let text = text(&summary, &example::history(), Colour::Plain);
    assert!(text.contains("call-5, call-6 and 494 more\n"), "{text}");
    assert!(text.contains("  and 1,491 more\n"), "{text}");
    assert!(text.lines().count() <= 45, "{text}");
}

#[test]
fn the_json_object_stays_as_it_is() {
    let line = example::cut_short().to_json();
    assert!(!line.contains('\n'));
    let value: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(value["complete"], false);
    // One key a line, to be read; the order of the keys is that of the line itself.
    check("cut-short.json", &(line.replace(",\"", ",\n\"") + "\n"));
    let value: serde_json::Value = serde_json::from_str(&example::complete().to_json()).unwrap();
    assert_eq!(value["complete"], true);
}
