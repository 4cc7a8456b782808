//! The report as JUnit XML: a suite for each file of the patch, and one for the check itself.
//!
//! Each finding is a test case exactly once, in the suite of the file whose hunk it comes from first, else in that of its
//! program; so there are as many failures as open findings. Each hunk without a finding is a test case, too: it passes if
//! it was looked at, and is skipped if it was not, with the reason. The stages are test cases of the suite
//! `umbra check`: one that failed is an error, so that a check that could not be done is not green.
//!
//! There is nothing in it that the schema of Jenkins does not know, so a place is in the text only.

use std::collections::{BTreeMap, BTreeSet};

use umbra_text::Show;
use umbra_words::Class;

use super::wording::{answer_label, class_label, is_gap};
use super::xml::Xml;
use crate::{CheckFinding, CheckReport, HunkAnswer, HunkReport, PatchFile, StageEnd};

/// How a test case ends.
enum Outcome {
    Passed,
    Skipped(String),
    Failed { sort: String, message: String, text: String },
    Error(String),
}

/// A test case.
struct Case {
    name: String,
    class_name: String,
    seconds: f64,
    outcome: Outcome,
}

impl CheckReport {
    /// The report as JUnit XML; docs/forms.md says what is a test case.
    pub fn to_junit(&self) -> String {
        let mut xml = Xml::new();
        let suites = self.suites();
        let all: Vec<&Case> = suites.iter().flat_map(|(_, cases)| cases).collect();
        let mut attributes = vec![("name", "umbra check".to_owned())];
        // Readers know no sum of what was skipped.
        attributes.extend(counts(&all).into_iter().filter(|(name, _)| *name != "skipped"));
        xml.start("testsuites", &attributes);
        for (name, cases) in &suites {
            let mut attributes = vec![("name", name.clone())];
            attributes.extend(counts(&cases.iter().collect::<Vec<_>>()));
            xml.start("testsuite", &attributes);
            cases.iter().for_each(|case| case.write(&mut xml));
            xml.end();
        }
        xml.finish()
    }

    /// All test cases, by suite.
    fn suites(&self) -> Vec<(String, Vec<Case>)> {
        let mut suites = vec![("umbra check".to_owned(), self.stage_cases())];
        let mut seen = BTreeSet::new();
        for file in &self.patch {
            let mut cases = Vec::new();
            for hunk in &file.hunks {
                let numbers = hunk.findings.iter().copied();
                let found: Vec<(usize, &CheckFinding)> = numbers
                    .filter_map(|number| Some((number, self.findings.get(number.checked_sub(1)?)?)))
                    .collect();
                if found.is_empty() {
                    cases.push(hunk_case(file, hunk));
                }
                for (number, finding) in found {
                    if seen.insert(number) {
                        cases.push(finding_case(finding, &file.path));
                    }
                }
            }
            suites.push((file.path.clone(), cases));
        }
        let mut others: BTreeMap<&str, Vec<Case>> = BTreeMap::new();
        for (_, finding) in self.numbered().filter(|(number, _)| !seen.contains(number)) {
            let cases = others.entry(&finding.program).or_default();
            cases.push(finding_case(finding, &finding.program));
        }
        suites.extend(others.into_iter().map(|(name, cases)| (name.to_owned(), cases)));
        suites.retain(|(_, cases)| !cases.is_empty());
        suites
    }

    fn stage_cases(&self) -> Vec<Case> {
        let stage = |line: &crate::StageLine| Case {
            name: format!("stage {}", line.stage.name()),
            class_name: "umbra check".to_owned(),
            seconds: line.seconds,
            outcome: match line.end {
                StageEnd::Done | StageEnd::Reused => Outcome::Passed,
                StageEnd::Skipped => Outcome::Skipped(line.found.clone()),
                StageEnd::Interrupted => Outcome::Skipped(format!("interrupted: {}", line.found)),
                StageEnd::Failed => Outcome::Error(line.found.clone()),
            },
        };
        self.stages.iter().map(stage).collect()
    }
}

/// How many test cases there are, and how they end.
fn counts(cases: &[&Case]) -> Vec<(&'static str, String)> {
    let number = |of: fn(&Outcome) -> bool| cases.iter().filter(|case| of(&case.outcome)).count();
    // The sum of no numbers at all would be -0.
    let seconds = cases.iter().fold(0.0, |sum, case| sum + case.seconds);
    vec![
        ("tests", cases.len().to_string()),
        ("failures", number(|end| matches!(end, Outcome::Failed { .. })).to_string()),
        ("errors", number(|end| matches!(end, Outcome::Error(_))).to_string()),
        ("skipped", number(|end| matches!(end, Outcome::Skipped(_))).to_string()),
        ("time", format!("{seconds:.3}")),
    ]
}

fn hunk_case(file: &PatchFile, hunk: &HunkReport) -> Case {
    let function = hunk.function.as_ref().map_or(String::new(), |name| format!("{name}, "));
    let because = format!("{}: {}", answer_label(hunk.answer), hunk.because);
    let outcome = match hunk.answer {
        HunkAnswer::Found => Outcome::Passed,
        answer if is_gap(answer) => Outcome::Skipped(because),
        _ => Outcome::Passed,
    };
    let name = format!("{function}line {}", hunk.line());
    Case { name, class_name: file.path.clone(), seconds: 0.0, outcome }
}

fn finding_case(f: &CheckFinding, class_name: &str) -> Case {
    let outcome = match f.class {
        Class::Fix | Class::Same => Outcome::Passed,
        _ if f.accepted => Outcome::Skipped("accepted before".to_owned()),
        Class::Flaky | Class::ToJudge => Outcome::Skipped(class_label(f.class)),
        class => Outcome::Failed {
            sort: class.name().to_owned(),
            message: f.verdict.clone(),
            text: details(f),
        },
    };
    let name = format!("{} [{}]", f.verdict, f.id);
    Case { name, class_name: class_name.to_owned(), seconds: 0.0, outcome }
}

/// What to know of a finding, in lines.
fn details(f: &CheckFinding) -> String {
    let mut lines = vec![format!(
        "{}{}",
        class_label(f.class),
        if f.confirmed { "" } else { ", not confirmed by native runs" }
    )];
    lines.extend(f.commands().iter().map(|(line, _)| format!("$ {}", line.shown())));
    lines.push(format!("old version: {}", f.old.end.shown()));
    lines.push(format!("new version: {}", f.new.end.shown()));
    for (version, behaviour) in [("old", &f.old), ("new", &f.new)] {
        lines.extend(behaviour.error.iter().map(|error| format!("{version} version: {error}")));
    }
    if let Some(place) = &f.place {
        lines.push(format!("at {}:{} of the {}", place.file.shown(), place.line, f.version_name()));
    }
    lines.extend(f.path.iter().map(|step| format!("  {}", step.shown())));
    lines.push(format!("case {}, identity {}", f.case.shown(), f.id.shown()));
    lines.join("\n")
}

impl Case {
    fn write(&self, xml: &mut Xml) {
        let attributes = vec![
            ("name", self.name.clone()),
            ("classname", self.class_name.clone()),
            ("time", format!("{:.3}", self.seconds)),
        ];
        let message = |text: &String| vec![("message", text.clone())];
        match &self.outcome {
            Outcome::Passed => return xml.empty("testcase", &attributes),
            _ => xml.start("testcase", &attributes),
        }
        match &self.outcome {
            Outcome::Passed => {}
            Outcome::Skipped(why) => xml.empty("skipped", &message(why)),
            Outcome::Error(why) => {
                xml.empty("error", &[("message", why.clone()), ("type", "stage".to_owned())]);
            }
            Outcome::Failed { sort, message, text } => {
                let attributes = [("message", message.clone()), ("type", sort.clone())];
                xml.lines("failure", &attributes, text);
            }
        }
        xml.end();
    }
}

#[cfg(test)]
mod tests {
    use crate::{CheckReport, Stage, StageEnd, StageLine, sample_check};

    #[test]
    fn there_is_a_failure_for_each_open_finding() {
        let report = sample_check();
        let text = report.to_junit();
        assert_eq!(text.matches("<failure ").count(), report.open().count());
        assert!(
            text.contains(
                "<testsuites name=\"umbra check\" tests=\"16\" failures=\"4\" errors=\"0\""
            ),
            "{text}"
        );
        for part in [
            "<testcase name=\"scale, line 24\" classname=\"src/average.c\" time=\"0.000\"/>",
            "<skipped message=\"not run: No test runs these lines",
            "<skipped message=\"interrupted: tools/table",
            "type=\"regression\"",
            "&lt;/pre&gt;&lt;script&gt;",
            "<testsuite name=\"tools/table\"",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert_eq!(text.matches("[9a7c31d04be2]").count(), 1);
    }

    #[test]
    fn a_check_that_fails_is_not_green() {
        let failed = StageLine {
            stage: Stage::Build,
            end: StageEnd::Failed,
            found: "no <make>".to_owned(),
            seconds: 1.5,
        };
        let report = CheckReport { stages: vec![failed], ..CheckReport::default() };
        let text = report.to_junit();
        assert!(text.contains("errors=\"1\""), "{text}");
        assert!(text.contains("<error message=\"no &lt;make&gt;\" type=\"stage\"/>"), "{text}");
        assert!(
            CheckReport::default()
                .to_junit()
                .contains("tests=\"0\" failures=\"0\" errors=\"0\" time=\"0.000\"")
        );
    }
}
