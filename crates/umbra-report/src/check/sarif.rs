//! The report as SARIF 2.1.0, as code scanning takes it.
//!
//! A result is a finding that somebody should look at: regressions, new nondeterminism, output differences, and what is
//! to judge. Accepted findings are not there, because a result that is missing closes its alert; nor are fixes and what has
//! no effect. The identity of a finding is its fingerprint, so it is the same alert after the lines have moved. What was
//! left out of the check is a notification.

use serde_json::{Value, json};
use umbra_text::Show;
use umbra_words::{Class, Kind, Place, Version};

use super::wording::{class_label, phase_meaning};
use crate::{CheckFinding, CheckReport, LineSort, StageEnd};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// What paths are relative to: the root of the repository.
const ROOT: &str = "SRCROOT";

/// The classes with results, in the order of their rules.
const CLASSES: [Class; 4] =
    [Class::Regression, Class::NondeterminismIntroduced, Class::OutputDifference, Class::ToJudge];

impl CheckReport {
    /// The report as SARIF 2.1.0.
    pub fn to_sarif(&self) -> String {
        let results: Vec<Value> = self
            .numbered()
            .filter(|(_, finding)| !finding.accepted)
            .filter_map(|(number, finding)| {
                let index = CLASSES.iter().position(|class| *class == finding.class)?;
                Some(self.result(number, index, finding))
            })
            .collect();
        let failed = self.stages.iter().any(|line| line.end == StageEnd::Failed);
        let log = json!({
            "$schema": SCHEMA,
            "version": "2.1.0",
            "runs": [{
                "tool": {"driver": {
                    "name": "Umbra",
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                    "rules": CLASSES.map(rule),
                }},
                "automationDetails": {"id": "umbra/check/"},
                "invocations": [{
                    "executionSuccessful": !failed && self.exit != 2,
                    "exitCode": self.exit,
                    "toolExecutionNotifications": self.notifications(),
                }],
                "originalUriBaseIds": {ROOT: {
                    "description": {"text": "The root of the repository."},
                }},
                "columnKind": "unicodeCodePoints",
                "results": results,
            }],
        });
        umbra_text::json(&format!("{log:#}")) + "\n"
    }

    /// What was left out of the check, and what a reader must know.
    fn notifications(&self) -> Vec<Value> {
        let note = |level: &str, text: &str| json!({"level": level, "message": message(text)});
        let gaps = self.gaps();
        let gaps = gaps.iter().map(|gap| note("warning", gap));
        gaps.chain(self.notes.iter().map(|text| note("note", text))).collect()
    }

    fn result(&self, number: usize, rule: usize, f: &CheckFinding) -> Value {
        let mut result = json!({
            "ruleId": rule_id(f.class),
            "ruleIndex": rule,
            "level": level(f.class, f.confirmed),
            "message": message(&text(f)),
            "partialFingerprints": {
                "umbraIdentity/v1": f.id,
                // The one that code scanning compares.
                "primaryLocationLineHash": format!("{}:1", f.id),
            },
            "properties": {
                "class": f.class.name(),
                "program": f.program,
                "case": f.case,
                "shell": f.shell,
                "command": f.command,
                "confirmed": f.confirmed,
                "bySuite": f.by_suite,
                "cases": f.cases,
            },
        });
        let properties = [("kind", f.kind.map(Kind::name)), ("phase", f.phase.map(phase_meaning))];
        for (name, value) in properties {
            if let Some(value) = value {
                result["properties"][name] = json!(value);
            }
        }
        let place = self.place_of(number, f);
        if let Some(place) = &place {
            result["locations"] = json!([location(place, columns(f, place))]);
        }
        let changes =
            f.changes.iter().filter(|change| Some(*change) != place.as_ref() && is_inside(change));
        let related: Vec<Value> = changes
            .enumerate()
            .map(|(index, change)| {
                let mut location = location(change, None);
                location["id"] = json!(index + 1);
                location["message"] = json!({"text": "changed here"});
                location
            })
            .collect();
        if !related.is_empty() {
            result["relatedLocations"] = json!(related);
        }
        result
    }

    /// Where an alert is shown: a line of the new version, in the project, if there is any.
    fn place_of(&self, number: usize, f: &CheckFinding) -> Option<Place> {
        let own = f.place.as_ref().filter(|place| is_inside(place)).map(|place| match f.version {
            Version::New => place.clone(),
            Version::Old => self.in_new_version(place),
        });
        let change = || f.changes.iter().find(|place| is_inside(place)).cloned();
        let hunk = || {
            let file = self.patch.iter().find_map(|file| {
                let hunk = file.hunks.iter().find(|hunk| hunk.findings.contains(&number))?;
                Some((file, hunk))
            });
            let file = file.or_else(|| {
                let file = self.patch.first()?;
                Some((file, file.hunks.first()?))
            });
            file.map(|(file, hunk)| Place { file: file.path.clone(), line: hunk.line().max(1) })
        };
        own.or_else(change).or_else(hunk)
    }

    /// A line of the old version where it was, or would be, in the new one, as far as the patch shows it.
    fn in_new_version(&self, place: &Place) -> Place {
        let hunks =
            self.patch.iter().filter(|file| file.path == place.file).flat_map(|file| &file.hunks);
        for hunk in hunks {
            let Some(at) = hunk.lines.iter().position(|line| line.old == Some(place.line)) else {
                continue;
            };
            let new = hunk.lines[at..].iter().filter(|line| line.sort != LineSort::Removed);
            if let Some(line) = new.filter_map(|line| line.new).next() {
                return Place { file: place.file.clone(), line };
            }
        }
        place.clone()
    }
}

/// Whether a place is in the project, and not in a library.
fn is_inside(place: &Place) -> bool {
    !place.file.starts_with('/')
        && !place.file.split('/').any(|part| part == "..")
        && place.line > 0
}

fn rule_id(class: Class) -> String {
    format!("umbra/{}", class.name())
}

fn level(class: Class, is_confirmed: bool) -> &'static str {
    match class {
        Class::Regression | Class::NondeterminismIntroduced if is_confirmed => "error",
        Class::Regression | Class::NondeterminismIntroduced | Class::OutputDifference => "warning",
        _ => "note",
    }
}

fn rule(class: Class) -> Value {
    let (name, short, help) = match class {
        Class::Regression => (
            "Regression",
            "Only the new version fails on this input.",
            "Paste the line of the message to see it. Repair the new version, or accept the finding if the input is not one to be supported.",
        ),
        Class::NondeterminismIntroduced => (
            "NondeterminismIntroduced",
            "The new version behaves differently from run to run; the old one does not.",
            "Look for memory that is not initialised, for addresses that are printed, and for an order that is not fixed.",
        ),
        Class::OutputDifference => (
            "OutputDifference",
            "The versions behave differently on this input.",
            "Decide which version is right. If the new one is, accept the finding.",
        ),
        _ => (
            "ToJudge",
            "The versions part here, and not all is known of what follows.",
            "Paste the line of the message for both versions, or check again with more time.",
        ),
    };
    json!({
        "id": rule_id(class),
        "name": name,
        "shortDescription": {"text": short},
        "fullDescription": {"text": format!("{short} {help}")},
        "help": {"text": help, "markdown": help},
        "defaultConfiguration": {"level": level(class, true)},
        "properties": {
            "tags": ["correctness", "patch"],
            "precision": "very-high",
            "problem.severity": match level(class, true) {
                "error" => "error",
                "warning" => "warning",
                _ => "recommendation",
            },
        },
    })
}

/// A message, in which brackets would make a link.
fn message(text: &str) -> Value {
    let text = text.shown().to_string();
    let text = match text.contains("](") {
        true => text.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]"),
        false => text,
    };
    json!({"text": text})
}

/// What happens, in sentences.
fn text(f: &CheckFinding) -> String {
    let mut text = format!("{}: {}.", class_label(f.class), f.verdict);
    if f.old.end != f.new.end {
        text += &format!(" Old version: {}. New version: {}.", f.old.end, f.new.end);
    }
    if !f.confirmed {
        text += " Native runs do not confirm it.";
    }
    if let Some(command) = f.first_command() {
        text += &format!(" To see it: {command}");
    }
    text
}

/// The columns of the place that the patch changed, from 1.
fn columns(f: &CheckFinding, place: &Place) -> Option<(u32, u32)> {
    let excerpt = f.excerpt.as_ref()?;
    let is_there = excerpt.version == Version::New
        && excerpt.file == place.file
        && excerpt.marked == place.line;
    let (start, end) = excerpt.columns.filter(|(start, end)| is_there && start < end)?;
    Some((start.checked_add(1)?, end.checked_add(1)?))
}

fn location(place: &Place, columns: Option<(u32, u32)>) -> Value {
    let mut region = json!({"startLine": place.line});
    if let Some((start, end)) = columns {
        region["startColumn"] = json!(start);
        region["endColumn"] = json!(end);
    }
    json!({"physicalLocation": {
        "artifactLocation": {"uri": uri(&place.file), "uriBaseId": ROOT},
        "region": region,
    }})
}

/// A path in the form of an address.
fn uri(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            _ => out += &format!("%{byte:02X}"),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{StageLine, sample_check};

    fn parsed(report: &CheckReport) -> Value {
        serde_json::from_str(&report.to_sarif()).unwrap()
    }

    #[test]
    fn open_findings_are_results() {
        let log = parsed(&sample_check());
        let results = log["runs"][0]["results"].as_array().unwrap();
        let rules: Vec<&str> =
            results.iter().map(|result| result["ruleId"].as_str().unwrap()).collect();
        assert_eq!(
            rules,
            [
                "umbra/regression",
                "umbra/output-difference",
                "umbra/regression",
                "umbra/output-difference"
            ]
        );
        let levels: Vec<&str> =
            results.iter().map(|result| result["level"].as_str().unwrap()).collect();
        assert_eq!(levels, ["error", "warning", "warning", "warning"]);
        let place = &results[0]["locations"][0]["physicalLocation"];
        assert_eq!(
            place["artifactLocation"],
            json!({"uri": "src/average.c", "uriBaseId": "SRCROOT"})
        );
        assert_eq!(place["region"], json!({"startLine": 13, "startColumn": 10, "endColumn": 21}));
        assert_eq!(
            results[1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            "src/table%20gr%C3%B6%C3%9Fe.c"
        );
        assert_eq!(results[0]["partialFingerprints"]["umbraIdentity/v1"], "9a7c31d04be2");
        assert_eq!(log["runs"][0]["invocations"][0]["executionSuccessful"], true);
    }

    #[test]
    fn places_are_lines_of_the_new_version_in_the_project() {
        let report = sample_check();
        let place = |file: &str, line| Place { file: file.to_owned(), line };
        let old = report.in_new_version(&place("src/average.c", 12));
        assert_eq!(old, place("src/average.c", 11));
        let mut finding = report.findings[0].clone();
        finding.place = Some(place("/usr/src/musl/strlen.c", 3));
        assert_eq!(report.place_of(1, &finding), Some(place("src/average.c", 11)));
        finding.changes = Vec::new();
        assert_eq!(report.place_of(4, &finding), Some(place("src/table größe.c", 44)));
        assert_eq!(CheckReport::default().place_of(1, &finding), None);
    }

    #[test]
    fn a_verdict_makes_no_link_and_a_failed_check_is_no_success() {
        assert_eq!(message("a [b](c)"), json!({"text": "a \\[b\\](c)"}));
        let failed = StageLine { end: StageEnd::Failed, ..StageLine::default() };
        let report = CheckReport { stages: vec![failed], ..CheckReport::default() };
        let log = parsed(&report);
        assert_eq!(log["runs"][0]["invocations"][0]["executionSuccessful"], false);
        assert_eq!(log["runs"][0]["results"], json!([]));
        assert!(!sample_check().to_sarif().contains(['\u{1b}', '\u{202e}']));
    }
}
