//! The sentences and numbers that several forms of the report have, worded once.

use umbra_text::Show;
use umbra_words::{Class, Phase, Version};

use crate::numbers::{count, counted};
use crate::{
    ChangedLines, CheckFinding, CheckReport, EffectLine, HunkAnswer, HunkLine, HunkReport,
    LineSort, RevisionLine, StageEnd,
};

/// Effects that are less than this are noise.
const NOTABLE: f64 = 0.10;

/// Lines of a note behind its first.
const NOTE: usize = 30;

/// Characters of a commit's hash that are shown.
const HASH: usize = 12;

/// What a class means, in a few words: "2 regressions".
pub(super) fn class_counted(class: Class, number: u64) -> String {
    match class {
        Class::Regression => counted(number, "regression"),
        Class::NondeterminismIntroduced => {
            format!("{} of nondeterminism", counted(number, "new source"))
        }
        Class::OutputDifference => counted(number, "output difference"),
        Class::ToJudge => format!("{} to judge", count(number)),
        Class::Fix if number == 1 => "1 fix".to_owned(),
        Class::Fix => format!("{} fixes", count(number)),
        Class::Flaky => format!("{} flaky", count(number)),
        Class::Same => format!("{} without effect", count(number)),
    }
}

/// A class as a label: "output difference".
pub(super) fn class_label(class: Class) -> String {
    match class {
        Class::Same => "without effect".to_owned(),
        class => class.name().replace('-', " "),
    }
}

/// What a part of the search did, for people.
pub(super) fn phase_meaning(phase: Phase) -> &'static str {
    match phase {
        Phase::Shape => "a test in another shape, run natively",
        Phase::Seed => "the test itself",
        Phase::Concolic => "an input beside the path of a test",
        Phase::Bounded => "what follows where the versions part",
        Phase::Around => "an input around the path of a test",
        Phase::Complete => "all paths of both versions",
    }
}

/// "a, b and c".
pub(super) fn listed(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// An answer as a label.
pub(super) fn answer_label(answer: HunkAnswer) -> &'static str {
    match answer {
        HunkAnswer::Found => "found",
        HunkAnswer::NotBuilt => "not built",
        HunkAnswer::NoCode => "no code",
        HunkAnswer::NotRun => "not run",
        HunkAnswer::NoDifference => "no difference",
        HunkAnswer::SameInTheEnd => "same in the end",
        HunkAnswer::Proved => "proved",
        HunkAnswer::Cut => "not finished",
    }
}

/// The first line of a note, and what follows, such as the output of a compiler.
pub(super) fn first_line(note: &str) -> (&str, Vec<&str>) {
    let mut lines = note.lines();
    let first = lines.next().unwrap_or_default();
    (first, lines.filter(|line| !line.trim().is_empty()).take(NOTE).collect())
}

/// Whether the answer leaves a question open that more tests or time could close.
pub(super) fn is_gap(answer: HunkAnswer) -> bool {
    matches!(answer, HunkAnswer::NotRun | HunkAnswer::Cut | HunkAnswer::NotBuilt)
}

/// Who runs a changed line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunBy {
    NoCode,
    Tests(u64),
    Generated,
    Nothing,
}

impl HunkLine {
    /// Who runs the line.
    pub(super) fn run_by(&self) -> RunBy {
        match (self.tests, self.reached) {
            (Some(tests @ 1..), _) => RunBy::Tests(tests),
            (_, true) => RunBy::Generated,
            (Some(0), false) => RunBy::Nothing,
            (None, false) => RunBy::NoCode,
        }
    }
}

impl HunkReport {
    /// The line to name it by: the first that changed, in the new version if that has one.
    pub(super) fn line(&self) -> u32 {
        let changed = || self.lines.iter().filter(|line| line.sort != LineSort::Context);
        let new = changed().find_map(|line| line.new);
        new.or_else(|| changed().find_map(|line| line.old)).unwrap_or(0)
    }
}

impl RevisionLine {
    /// Its name, and its commit if that is something else.
    pub fn title(&self) -> String {
        let name = match &*self.name {
            "." => "working tree".to_owned(),
            "" => "?".to_owned(),
            name if name.len() == 40 && name.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
                name[..HASH].to_owned()
            }
            name => name.shown().to_string(),
        };
        match self.short_commit() {
            Some(commit) if !commit.starts_with(&name) && !name.starts_with(&commit) => {
                format!("{name} ({commit})")
            }
            _ => name,
        }
    }

    /// The first letters of its commit.
    pub(super) fn short_commit(&self) -> Option<String> {
        let commit = self.commit.as_ref()?;
        Some(commit.chars().take(HASH).collect::<String>().shown().to_string())
    }
}

impl EffectLine {
    /// Whether it is worth a line.
    pub(super) fn is_notable(&self) -> bool {
        let pairs = std::iter::once((self.old, self.new)).chain(self.worst_values);
        pairs.into_iter().any(|(old, new)| (new - old).abs() > old.abs() * NOTABLE)
    }

    /// "4.12 s → 3.98 s (-3.4 %)".
    pub(super) fn values(&self, old: f64, new: f64) -> String {
        let unit = self.unit.shown();
        let change = match old {
            0.0 => String::new(),
            old => format!(" ({:+.1} %)", (new - old) / old * 100.0),
        };
        format!("{} → {} {unit}{change}", number(old), number(new))
    }
}

/// A measured number: not more digits than say something.
fn number(value: f64) -> String {
    match value {
        value if value.abs() >= 100.0 => format!("{value:.0}"),
        value => format!("{value:.2}"),
    }
}

impl CheckFinding {
    /// What differs beside what [`Behaviour`](crate::Behaviour) has: files.
    pub(super) fn other_differences(&self) -> impl Iterator<Item = &crate::DifferenceLine> {
        let is_shown = |channel: &str| ["end", "stdout", "stderr", "sanitizer"].contains(&channel);
        self.differences.iter().filter(move |difference| !is_shown(&difference.channel))
    }

    /// The lines to paste, each with what it does: first the one that needs nothing but the built program.
    pub(super) fn commands(&self) -> Vec<(&str, &'static str)> {
        let shell = self.shell.as_deref().map(|shell| (shell, "where a version is built"));
        let command = (&*self.command, "on both versions in the sandbox");
        shell.into_iter().chain([command]).filter(|(line, _)| !line.is_empty()).collect()
    }

    /// The line to paste that shows most for least.
    pub(super) fn first_command(&self) -> Option<&str> {
        self.commands().first().map(|(line, _)| *line)
    }

    /// Whether it is shown among the others without asking: nobody has accepted it, and there is something to see.
    pub(super) fn is_shown(&self) -> bool {
        !self.accepted && !self.class.is_silent()
    }

    /// Whether the case is of the old version's build: a fix shows there.
    pub(super) fn version_name(&self) -> &'static str {
        match self.version {
            Version::Old => "old version",
            Version::New => "new version",
        }
    }
}

impl CheckReport {
    /// The findings, each with its number from 1.
    pub(super) fn numbered(&self) -> impl Iterator<Item = (usize, &CheckFinding)> {
        self.findings.iter().enumerate().map(|(index, finding)| (index + 1, finding))
    }

    /// A text with paths as seen from the folder of the check, and others of the project from its root: a reader elsewhere
    /// has neither.
    pub(super) fn local(&self, text: &str) -> String {
        if self.folder.is_empty() {
            return text.to_owned();
        }
        let text = text.replace(&format!("{}/", self.folder), "");
        match self.folder.split_once("/.umbra/") {
            Some((project, _)) if !project.is_empty() => text.replace(&format!("{project}/"), ""),
            _ => text,
        }
    }

    /// What it came to, in one line.
    pub fn headline(&self) -> String {
        let open: Vec<String> = Class::ALL
            .iter()
            .filter(|class| class.is_finding() || **class == Class::ToJudge)
            .map(|class| (*class, self.count(*class) as u64))
            .filter(|(_, count)| *count > 0)
            .map(|(class, count)| class_counted(class, count))
            .collect();
        let failed = self.stages.iter().find(|line| line.end == StageEnd::Failed);
        match (&*open, failed) {
            ([], _) if self.stages.is_empty() => "Nothing was checked".to_owned(),
            ([], Some(line)) => format!("The check failed at the stage {}", line.stage.name()),
            ([], None) if self.is_complete() => "No difference was found".to_owned(),
            ([], None) => "No difference was found so far".to_owned(),
            (open, _) => listed(open),
        }
    }

    /// Whether there is something that somebody should look at.
    pub(super) fn has_open(&self) -> bool {
        self.open().next().is_some() || self.count(Class::ToJudge) > 0
    }

    /// Why not all was looked at, one sentence each.
    pub(super) fn gaps(&self) -> Vec<String> {
        let mut gaps = Vec::new();
        for line in &self.stages {
            let how = match line.end {
                StageEnd::Failed => "failed",
                StageEnd::Interrupted => "was interrupted",
                StageEnd::Done | StageEnd::Reused | StageEnd::Skipped => continue,
            };
            let what = match &*line.found {
                "" => String::new(),
                found => format!(": {}", found.shown()),
            };
            gaps.push(format!("The stage {} {how}{what}", line.stage.name()));
        }
        for program in self.programs.iter().filter(|program| !program.complete) {
            let mut why = Vec::new();
            if program.cut > 0 {
                why.push(format!("{} cut", counted(program.cut, "path")));
            }
            let left_out = program.left_out.iter();
            why.extend(
                left_out.map(|(what, times)| format!("{} ({})", what.shown(), count(*times))),
            );
            let why = if why.is_empty() { String::new() } else { format!(": {}", why.join(", ")) };
            gaps.push(format!("{} was not explored to the end{why}", program.path.shown()));
        }
        gaps
    }

    /// What the patch changes.
    pub(super) fn changes(&self) -> String {
        if self.patch.is_empty() {
            return "nothing that was looked at".to_owned();
        }
        let hunks = self.hunks().count() as u64;
        let mut functions: Vec<(&str, &str)> = Vec::new();
        for file in &self.patch {
            let names = file.hunks.iter().filter_map(|hunk| hunk.function.as_deref());
            functions.extend(names.map(|name| (&*file.path, name)));
        }
        functions.sort_unstable();
        functions.dedup();
        let mut parts = vec![counted(self.patch.len() as u64, "file"), counted(hunks, "hunk")];
        if !functions.is_empty() {
            parts.push(counted(functions.len() as u64, "function"));
        }
        listed(&parts)
    }

    /// Whether the changed lines are tested.
    pub(super) fn tested(&self) -> String {
        let ChangedLines { lines, by_tests, reached, not_run } = self.changed_lines();
        if lines == 0 {
            return "no changed line is known to have code".to_owned();
        }
        let mut text = format!(
            "{} of {} with code run by tests",
            count(by_tests),
            counted(lines, "changed line")
        );
        for (number, what) in [(reached, "by generated inputs only"), (not_run, "not run")] {
            if number > 0 {
                text += &format!(", {} {what}", count(number));
            }
        }
        text
    }

    /// Whether the changed lines are tested, in a word or two.
    pub(super) fn tested_word(&self) -> &'static str {
        let lines = self.changed_lines();
        match lines.by_tests {
            _ if lines.lines == 0 => "Not known",
            0 => "No",
            tests if tests == lines.lines => "Yes, all of it",
            _ => "In part",
        }
    }

    /// Whether the patch breaks anything, in a few words. Never more than is known.
    pub(super) fn breaks_word(&self) -> &'static str {
        let breaks = |f: &&CheckFinding| {
            matches!(f.class, Class::Regression | Class::NondeterminismIntroduced)
        };
        if self.stages.is_empty() && self.findings.is_empty() {
            "Not known"
        } else if self.open().filter(breaks).any(|finding| finding.confirmed) {
            "Yes"
        } else if self.open().any(|finding| breaks(&finding)) {
            "Probably"
        } else if self.open().next().is_some() {
            "Perhaps: it changes what users see"
        } else if self.has_open() {
            "Perhaps: not all is known"
        } else if self.is_complete() {
            "Nothing was found"
        } else {
            "Nothing was found so far"
        }
    }

    /// Findings by class, and what was left out of them.
    pub(super) fn breaks(&self) -> String {
        let counts = Class::ALL.iter().map(|class| (*class, self.count(*class) as u64));
        let counts = counts.filter(|(_, count)| *count > 0);
        let mut parts: Vec<String> =
            counts.map(|(class, count)| class_counted(class, count)).collect();
        let accepted = self.findings.iter().filter(|finding| finding.accepted).count() as u64;
        if accepted > 0 {
            parts.push(format!("{} accepted", count(accepted)));
        }
        let unconfirmed = self.open().filter(|finding| !finding.confirmed).count() as u64;
        let mut text =
            if parts.is_empty() { "nothing was found".to_owned() } else { listed(&parts) };
        if unconfirmed > 0 {
            text += &format!("; native runs do not confirm {}", count(unconfirmed));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample_check;

    #[test]
    fn the_three_questions_are_answered() {
        let report = sample_check();
        assert_eq!(report.headline(), "2 regressions and 2 output differences");
        assert_eq!(report.changes(), "2 files, 4 hunks and 3 functions");
        assert_eq!(
            report.tested(),
            "7 of 13 changed lines with code run by tests, 2 by generated inputs only, 4 not run"
        );
        let empty = CheckReport::default();
        assert_eq!(empty.headline(), "Nothing was checked");
        assert_eq!(empty.changes(), "nothing that was looked at");
        assert_eq!(empty.breaks(), "nothing was found");
    }

    #[test]
    fn short_answers_say_no_more_than_is_known() {
        let mut report = sample_check();
        assert_eq!([report.tested_word(), report.breaks_word()], ["In part", "Yes"]);
        report.findings.remove(0);
        assert_eq!(report.breaks_word(), "Probably", "native runs do not confirm what is left");
        report.findings.retain(|finding| finding.class != Class::Regression);
        assert_eq!(report.breaks_word(), "Perhaps: it changes what users see");
        report.findings.retain(|finding| !finding.is_open());
        assert_eq!(report.breaks_word(), "Nothing was found so far");
        report.findings.push(CheckFinding { class: Class::ToJudge, ..CheckFinding::default() });
        assert_eq!(report.breaks_word(), "Perhaps: not all is known");
        let empty = CheckReport::default();
        assert_eq!([empty.tested_word(), empty.breaks_word()], ["Not known", "Not known"]);
    }

    #[test]
    fn the_shortest_command_is_first_and_paths_are_local() {
        let report = sample_check();
        let first = |number: usize| report.findings[number].first_command().unwrap();
        assert!(first(0).starts_with("printf ") && first(1).starts_with("umbra replay "));
        assert_eq!(report.findings[0].commands().len(), 2);
        assert!(CheckFinding::default().commands().is_empty());
        let folder = "/tmp/a/.umbra/checks/07".to_owned();
        let report = CheckReport { folder, ..CheckReport::default() };
        assert_eq!(
            report.local("/tmp/a/.umbra/checks/07/cases/1 '/tmp/a/.umbra/recordings/2' /tmp/b"),
            "cases/1 '.umbra/recordings/2' /tmp/b"
        );
        assert_eq!(CheckReport::default().local("/x/y"), "/x/y");
    }

    #[test]
    fn a_name_that_is_a_whole_hash_is_cut() {
        let name = "3f1c2ab9d07e4b6a8c5d1e2f30415263748596a7".to_owned();
        let line = RevisionLine { commit: Some(name.clone()), name, subject: None };
        assert_eq!(line.title(), "3f1c2ab9d07e");
    }

    #[test]
    fn notes_keep_their_lines() {
        let note = "it does not build\n    a.c:1:\u{1b} <b> ``` error\n\n  ^";
        let report = CheckReport { notes: vec![note.to_owned()], ..CheckReport::default() };
        let text = report.to_text(crate::Colour::Plain, None, false);
        assert!(
            text.contains(
                "\n  it does not build\n          a.c:1:\\x1b <b> ``` error\n        ^\n"
            ),
            "{text}"
        );
        let markdown = report.to_markdown();
        let fence = "- it does not build\n\n````\n    a.c:1:\\x1b <b> ``` error\n  ^\n````\n";
        assert!(markdown.contains(fence), "{markdown}");
        let page = report.to_html();
        assert!(page.contains("<pre>    a.c:1:\\x1b &lt;b&gt; ``` error\n  ^\n</pre>"), "{page}");
    }

    #[test]
    fn small_effects_are_noise() {
        let effect = EffectLine { old: 4.0, new: 4.2, ..EffectLine::default() };
        assert!(!effect.is_notable());
        assert!(EffectLine { worst_values: Some((0.1, 0.3)), ..effect.clone() }.is_notable());
        assert!(EffectLine { new: 3.0, ..effect }.is_notable());
    }
}
