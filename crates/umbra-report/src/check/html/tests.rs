//! Whatever a check came to has a page. That nothing from outside is markup is tested for all forms together (`hostile.rs`).

use umbra_text::Show;

use super::*;
use crate::{HunkLine, HunkReport, PatchFile, Stage, StageEnd, StageLine, sample_check};

/// That the page has the elements of ours only, and no character that does something.
fn assert_harmless(page: &str) {
    for (tag, most) in [("<script", 1), ("</script", 1), ("<style", 1), ("</style", 1), ("<!--", 0)]
    {
        assert!(page.matches(tag).count() <= most, "{tag}");
    }
    assert!(!page.contains("<b>very") && !page.contains("<i>gr") && !page.contains("<locale>"));
    assert!(page.lines().all(|line| line.shown().to_string() == line));
    for loads in ["http:", "https:", "src=", "url(", "@import", "fetch(", "import("] {
        assert!(!page.contains(loads), "{loads}");
    }
}

#[test]
fn the_sample_has_a_page_and_its_hostile_parts_are_text() {
    let page = sample_check().to_html();
    assert_harmless(&page);
    for text in [
        "<h1>2 regressions and 2 output differences</h1>",
        "In part",
        "Why was nothing found here?",
        "<mark class=\"byte\">\\x00</mark>",
        "killed by signal 8 (SIGFPE)",
        "&lt;/pre&gt;&lt;script&gt;alert(&#39;1&#39;)",
        "<u class=\"\">sum</u>",
        "href=\"#finding-6\"",
        "What is missing",
    ] {
        assert!(page.contains(text), "{text}");
    }
    assert_eq!(page.matches("<article").count(), 8);
    assert_eq!(page, sample_check().to_html());
}

#[test]
fn long_lines_and_long_outputs_have_a_page() {
    let mut report = sample_check();
    let line = "x".repeat(200_000);
    report.findings[0].verdict = line.clone();
    report.findings[0].old.stdout.text = "a line\n".repeat(5000);
    report.findings[0].new.stdout.text = "a line\n".repeat(4000) + &line;
    report.patch[0].hunks[0].lines[3].text = line;
    let page = report.to_html();
    assert!(page.contains("4,001 more lines") || page.contains("4,000 more lines"));
    assert!(page.contains("class=\"fold\""));
}

#[test]
fn the_empty_report_has_a_page() {
    let page = CheckReport::default().to_html();
    assert_harmless(&page);
    for text in
        ["<h1>Nothing was checked</h1>", "Not known", "Nothing happened.", "No stage was begun."]
    {
        assert!(page.contains(text), "{text}");
    }
}

#[test]
fn an_interrupted_report_says_so_and_promises_nothing() {
    let stage = |stage, end| StageLine { stage, end, found: "stopped".to_owned(), seconds: 2.0 };
    let mut report = CheckReport {
        stages: vec![
            stage(Stage::Build, StageEnd::Done),
            stage(Stage::Search, StageEnd::Interrupted),
        ],
        wall_s: 3.0,
        ..CheckReport::default()
    };
    // Numbers of findings that there are not, and a line of no version.
    let hunk = HunkReport {
        findings: vec![0, 7],
        lines: vec![HunkLine::default()],
        ..HunkReport::default()
    };
    report.patch = vec![PatchFile { path: "a.c".to_owned(), hunks: vec![hunk] }];
    let page = report.to_html();
    assert_harmless(&page);
    assert!(
        page.contains("No difference was found so far")
            && page.contains("Nothing was found so far")
    );
    assert!(page.contains("The check is not complete") && page.contains("id=\"gaps\""));
    assert!(!page.contains("#finding-0") && !page.contains("#finding-7") && !page.contains("NaN"));
}

#[test]
fn only_our_style_and_our_script_run() {
    // What `printf abc | openssl dgst -sha256 -binary | base64` prints.
    assert_eq!(hash("abc"), "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
    assert_eq!([base64(b""), base64(b"a"), base64(b"ab")], ["", "YQ==", "YWI="]);
    let page = sample_check().to_html();
    assert!(
        page.contains(&format!("script-src &#39;{}", hash(SCRIPT))) || page.contains(&hash(SCRIPT))
    );
    assert!(
        !page.contains("unsafe-inline") && !page.contains(" style=") && !page.contains(" onclick=")
    );
}
