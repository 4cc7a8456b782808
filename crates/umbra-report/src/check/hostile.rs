//! All forms of reports in which everything that can be chosen from outside is chosen to do harm.
//!
//! The sample is written, changed as a tree, and read again, so that no field can be forgotten.

use std::collections::BTreeSet;

use quick_xml::Reader;
use quick_xml::events::Event;
use serde_json::Value;
use umbra_text::Show;

use crate::{CheckReport, Colour, sample_check};

/// What would break out of each of the forms.
const HOSTILE: &str = "</script></style>]]><script>alert(1)</script><!-- \"'> & \u{1b}[31m\u{202e}\u{0}\u{ffff}\r\n\
    end_of_record\nDA:1,1\n```\n~~~\n</details>{} | [x](y) @all #1 http://x";

/// The leaves of a value, each by the names that lead to it: elements of a list have the same.
fn leaves(value: &mut Value, names: &str, visit: &mut dyn FnMut(&str, &mut Value)) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| leaves(item, names, visit)),
        Value::Object(fields) => {
            for (name, field) in fields {
                leaves(field, &format!("{names}.{name}"), visit);
            }
        }
        leaf => visit(names, leaf),
    }
}

/// The sample with other values at all leaves of these names, if that is a report at all: words of ours must stay.
fn with(names: &BTreeSet<String>, other: &Value) -> Option<CheckReport> {
    let mut written: Value = serde_json::from_slice(&sample_check().to_file()).unwrap();
    leaves(&mut written["report"], "", &mut |at, leaf| {
        if names.contains(at) && !leaf.is_null() {
            *leaf = other.clone();
        }
    });
    CheckReport::from_file(&serde_json::to_vec(&written).unwrap()).ok()
}

/// The names of all leaves for which this holds.
fn names(of: fn(&Value) -> bool) -> Vec<String> {
    let mut written: Value = serde_json::from_slice(&sample_check().to_file()).unwrap();
    let mut all = BTreeSet::new();
    leaves(&mut written["report"], "", &mut |at, leaf| {
        if of(leaf) {
            all.insert(at.to_owned());
        }
    });
    all.into_iter().collect()
}

fn assert_xml(text: &str) {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = true;
    while !matches!(reader.read_event().unwrap(), Event::Eof) {}
    let is_held = |letter: char| letter >= ' ' && !matches!(letter, '\u{fffe}' | '\u{ffff}');
    assert!(text.chars().all(|letter| letter == '\n' || is_held(letter)));
}

/// A line of Markdown without what is marked as code.
fn outside_code(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(letter) = rest.chars().next() {
        let ticks = rest.len() - rest.trim_start_matches('`').len();
        let (_, behind) = rest.split_at(ticks);
        let is_end = |at: &usize| {
            behind[*at..].len() - behind[*at..].trim_start_matches('`').len() == ticks
                && !behind[..*at].ends_with('`')
        };
        let mut ends = behind.match_indices('`').map(|(at, _)| at).filter(is_end);
        let skipped = match (letter, ends.next()) {
            // The next one is escaped.
            ('\\', _) => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            ('`', Some(end)) => ticks + end + ticks,
            ('`', None) => ticks,
            _ => {
                out.push(letter);
                letter.len_utf8()
            }
        };
        rest = &rest[skipped..];
    }
    out
}

/// That all forms are whole, and that nothing in them does anything.
fn assert_forms(report: &CheckReport) {
    for text in
        [report.to_text(Colour::Plain, Some(70), true), report.to_html(), report.to_markdown()]
    {
        assert!(text.lines().all(|line| line.shown().to_string() == line));
    }
    let page = report.to_html();
    for (tag, times) in
        [("<script", 1), ("</script", 1), ("<style", 1), ("</style", 1), ("<!--", 0)]
    {
        assert_eq!(page.matches(tag).count(), times, "{tag}");
    }
    assert_xml(&report.to_junit());
    assert_xml(&report.to_cobertura());
    for text in [report.to_sarif(), report.to_json()] {
        serde_json::from_str::<Value>(&text).unwrap();
    }
    for line in report.to_lcov().lines() {
        let (name, _) = line.split_once(':').unwrap_or((line, ""));
        assert!(["TN", "SF", "DA", "LF", "LH", "end_of_record"].contains(&name), "{line}");
    }
    let comment = report.to_markdown();
    let mut fence = None;
    for line in comment.lines() {
        let ticks = line.len() - line.trim_start_matches('`').len();
        match fence {
            Some(open) => fence = Some(open).filter(|open| ticks < *open || ticks < line.len()),
            None if ticks >= 3 => fence = Some(ticks),
            None => {
                let outside = outside_code(line);
                assert!(!outside.contains("<script") && !outside.contains("@all"), "{line}");
            }
        }
    }
    assert_eq!(fence, None, "all fences are closed");
}

#[test]
fn hostile_texts_do_nothing() {
    let other = Value::from(HOSTILE);
    let changed = names(Value::is_string)
        .into_iter()
        .filter(|name| with(&BTreeSet::from([name.clone()]), &other).is_some());
    let all: BTreeSet<String> = changed.collect();
    assert!(all.len() > 40, "{all:?}");
    assert_forms(&with(&all, &other).unwrap());
}

#[test]
fn extreme_numbers_stop_nothing() {
    for name in names(Value::is_number) {
        for other in [
            Value::from(0),
            Value::from(255),
            Value::from(u32::MAX),
            Value::from(u64::MAX),
            Value::from(1e300),
        ] {
            if let Some(report) = with(&BTreeSet::from([name.clone()]), &other) {
                assert_forms(&report);
            }
        }
    }
}
