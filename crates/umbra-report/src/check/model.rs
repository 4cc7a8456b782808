//! What a check of a patch came to, as values. All forms of the report are made of them.
//!
//! A [`CheckReport`] answers three questions: what does the patch change ([`PatchFile`], [`CheckedProgram`]), is that
//! tested ([`HunkReport`]), and does it break anything ([`CheckFinding`])?

use serde::{Deserialize, Serialize};
use umbra_words::{Class, Kind, Phase, Place, Version};

/// What a check came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CheckReport {
    /// The exit code.
    pub exit: u8,
    /// The folder that has the results of the check.
    pub folder: String,
    /// The page of the report, if it was written.
    #[serde(default)]
    pub page: Option<String>,
    /// The old version.
    pub old: RevisionLine,
    /// The new version.
    pub new: RevisionLine,
    /// The stages, in their order, as far as the check came.
    pub stages: Vec<StageLine>,
    /// What a reader must know before the rest, one sentence each: there is no test suite, the patch does not build.
    pub notes: Vec<String>,
    /// The files that the patch changes, in the order of their names.
    pub patch: Vec<PatchFile>,
    /// The programs that differ, or that something is to be said about.
    pub programs: Vec<CheckedProgram>,
    /// What was found, what matters most first.
    pub findings: Vec<CheckFinding>,
    /// Identities in the baseline for which nothing was found any more.
    pub gone: Vec<String>,
    /// What the versions cost, over the suite.
    pub effects: Vec<EffectLine>,
    /// What happened when, in the order of time.
    pub events: Vec<Event>,
    /// Seconds from start to end.
    pub wall_s: f64,
    /// CPU seconds of this process and those that it started.
    pub cpu_s: f64,
    /// Instructions that were executed on all paths of the search; 0 if they were not counted.
    #[serde(default)]
    pub instructions: u64,
    /// The most memory that this process had, in MiB; 0 if it was not measured.
    #[serde(default)]
    pub peak_mib: f64,
}

/// Changed lines with code, by who runs them. Each line is counted once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChangedLines {
    /// All of them.
    pub lines: u64,
    /// Those that a test of the suite runs.
    pub by_tests: u64,
    /// Those that only an input of a finding runs.
    pub reached: u64,
    /// Those that nothing runs.
    pub not_run: u64,
}

/// A version of the project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RevisionLine {
    /// What the user calls it; `.` is the working tree.
    pub name: String,
    /// The commit, if it is one.
    pub commit: Option<String>,
    /// The first line of its message.
    pub subject: Option<String>,
}

/// A part of a check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// Both versions are built.
    #[default]
    Build,
    /// The patch is mapped to functions and lines.
    Patch,
    /// The tests are recorded.
    Record,
    /// They run on both versions.
    Suite,
    /// Inputs are made that run changed code which none of them runs.
    Reach,
    /// Inputs near them are explored.
    Search,
    /// What was found runs natively, once more for the report.
    Confirm,
}

impl Stage {
    /// All of them, in their order.
    pub const ALL: [Self; 7] = [
        Self::Build,
        Self::Patch,
        Self::Record,
        Self::Suite,
        Self::Reach,
        Self::Search,
        Self::Confirm,
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Build => "build",
            Self::Patch => "patch",
            Self::Record => "record",
            Self::Suite => "suite",
            Self::Reach => "reach",
            Self::Search => "search",
            Self::Confirm => "confirm",
        }
    }
}

/// How a stage ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StageEnd {
    /// It was done.
    #[default]
    Done,
    /// What an earlier check did was taken.
    Reused,
    /// It could not be done, or there was nothing to do.
    Skipped,
    /// It went wrong.
    Failed,
    /// The user stopped it.
    Interrupted,
}

/// What a stage came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StageLine {
    /// Which.
    pub stage: Stage,
    /// How it ended.
    pub end: StageEnd,
    /// What it found, in one line.
    pub found: String,
    /// Seconds that it took.
    pub seconds: f64,
}

/// A file that the patch changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatchFile {
    /// Its path from the root of the repository.
    pub path: String,
    /// The hunks with their context, in their order.
    pub hunks: Vec<HunkReport>,
}

/// A hunk of the patch, and what became of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HunkReport {
    /// The function that it is in, as far as that is known.
    pub function: Option<String>,
    /// Its lines, with some context.
    pub lines: Vec<HunkLine>,
    /// Why nothing was found here, or that something was.
    pub answer: HunkAnswer,
    /// The answer in a sentence.
    pub because: String,
    /// The numbers of the findings that come from it, from 1.
    pub findings: Vec<usize>,
}

/// What became of a hunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HunkAnswer {
    /// There is a finding.
    Found,
    /// No program that was built has code of it.
    #[default]
    NotBuilt,
    /// There is nothing executable in it: comments, declarations.
    NoCode,
    /// No test runs it, nor any input that was found.
    NotRun,
    /// It ran and made no value that differs.
    NoDifference,
    /// A value differed, and in the end all was the same on what was explored.
    SameInTheEnd,
    /// That was proved for all inputs near the tests.
    Proved,
    /// A budget was used up before it was answered.
    Cut,
}

impl HunkAnswer {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::NotBuilt => "not-built",
            Self::NoCode => "no-code",
            Self::NotRun => "not-run",
            Self::NoDifference => "no-difference",
            Self::SameInTheEnd => "same-in-the-end",
            Self::Proved => "proved",
            Self::Cut => "cut",
        }
    }
}

/// What sort of line it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LineSort {
    /// Both versions have it.
    #[default]
    Context,
    /// Only the old version has it.
    Removed,
    /// Only the new version has it.
    Added,
}

/// A line of a hunk.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HunkLine {
    /// What sort of line it is.
    pub sort: LineSort,
    /// Its number in the old version.
    pub old: Option<u32>,
    /// Its number in the new version.
    pub new: Option<u32>,
    /// Its text, without the end of the line.
    pub text: String,
    /// How many tests of the suite run it; `None` if it has no code, or that is not known.
    pub tests: Option<u64>,
    /// Whether a generated input runs it that no test of the suite does.
    pub reached: bool,
    /// The test case that was made to run it.
    #[serde(default)]
    pub input: Option<String>,
    /// Why nothing runs it, where inputs that do were looked for.
    #[serde(default)]
    pub why: Option<String>,
}

/// Something that was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CheckFinding {
    /// Its identity: the same in each check in which the same is found.
    pub id: String,
    /// What it means.
    pub class: Class,
    /// One line that says what happens.
    pub verdict: String,
    /// The program, as its path in the built tree.
    pub program: String,
    /// Whether native runs of both versions show it.
    pub confirmed: bool,
    /// It is in the baseline: somebody has said that it is expected.
    pub accepted: bool,
    /// Whether a test of the suite shows it already.
    pub by_suite: bool,
    /// Where it goes wrong, or where the versions part.
    pub place: Option<Place>,
    /// The version whose line that is.
    pub version: Version,
    /// The changed lines that it comes from.
    pub changes: Vec<Place>,
    /// The source at the place.
    pub excerpt: Option<Excerpt>,
    /// The way through the source that leads there, in short sentences.
    pub path: Vec<String>,
    /// The call stack at the place, the innermost call first.
    pub stack: Vec<String>,
    /// What differs, as control or data flow, where the engine found it.
    pub kind: Option<Kind>,
    /// Which part of the search found it.
    pub phase: Option<Phase>,
    /// The line for a shell that shows it on a built program, if one line can.
    #[serde(default)]
    pub shell: Option<String>,
    /// The command to see it on both versions, for a shell.
    pub command: String,
    /// The folder of the test case.
    pub case: String,
    /// What goes into the program, beside what the seed has.
    pub input: Vec<InputPart>,
    /// The test that it was made from.
    pub seed: Option<String>,
    /// What the old version does.
    pub old: Behaviour,
    /// What the new version does.
    pub new: Behaviour,
    /// What both do in further versions, by name: `--also`.
    pub also: Vec<(String, Behaviour)>,
    /// What these say of the difference.
    #[serde(default)]
    pub judged: Option<LaterOn>,
    /// Other things that differ: files, what sanitizers say.
    pub differences: Vec<crate::DifferenceLine>,
    /// How many cases show it.
    pub cases: u64,
    /// Bytes of input of the case.
    pub input_bytes: u64,
    /// Seconds from the start of the check until it was known.
    pub seconds: f64,
}

/// What a later fix and the version before it say of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LaterOn {
    /// Both do the same, or the fix does what the new version does.
    Expected,
    /// The fix has taken it back.
    Bug,
}

impl LaterOn {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Expected => "expected",
            Self::Bug => "bug",
        }
    }
}

impl CheckFinding {
    /// Judges the difference by a later fix and the version before it, if both are known.
    pub fn judge_by(&mut self, parent: &str, fix: &str) {
        let of = |name: &str| {
            let found = self.also.iter().find(|(version, _)| version == name);
            found.map(|(_, behaviour)| behaviour)
        };
        let (Some(parent), Some(fix)) = (of(parent), of(fix)) else { return };
        let is_expected = parent == fix || *fix == self.new;
        self.judged = Some(if is_expected { LaterOn::Expected } else { LaterOn::Bug });
    }
}

/// A part of a program's input.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputPart {
    /// What it is: `argument 1`, `standard input`, `file a.txt`.
    pub name: String,
    /// What it holds. Bytes that cannot be shown are escaped.
    pub pieces: Vec<Piece>,
    /// It is longer than what is shown.
    pub cut: bool,
}

/// Bytes of an input, as far as they are alike in being taken from the seed or not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// The bytes; those that cannot be shown are escaped.
    pub text: String,
    /// They are other ones than in the seed.
    pub changed: bool,
}

/// What a version does on an input.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Behaviour {
    /// How it ends, in words: `exit status 0`, `killed by signal 11 (SIGSEGV)`.
    pub end: String,
    /// The exit status, as a shell has it.
    pub status: Option<u8>,
    /// What it writes to standard output.
    pub stdout: Stream,
    /// What it writes to standard error.
    pub stderr: Stream,
    /// What a sanitizer reports, or the engine.
    pub error: Option<String>,
}

/// What a version writes to a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stream {
    /// The text; bytes that cannot be shown are escaped, all but the end of a line.
    pub text: String,
    /// How many bytes it is in all.
    pub bytes: u64,
    /// It is longer than the text.
    pub cut: bool,
}

/// Some lines of a source file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excerpt {
    /// The file.
    pub file: String,
    /// The version whose file it is.
    pub version: Version,
    /// The number of the first line.
    pub first: u32,
    /// The lines.
    pub lines: Vec<String>,
    /// The line that it is about.
    pub marked: u32,
    /// The columns of that line that the patch changed, from 0 and without the last; all of it if they are not known.
    pub columns: Option<(u32, u32)>,
}

/// What became of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckedProgram {
    /// Its path in the built tree.
    pub path: String,
    /// What became of it, in one line.
    pub outcome: String,
    /// Whether all was explored that was to be.
    pub complete: bool,
    /// Tests of the suite that are for it.
    pub tests: u64,
    /// Those of them that run changed code.
    pub touching: u64,
    /// Paths on which the versions did the same.
    pub same: u64,
    /// Paths on which they parted, or left different things behind.
    pub diff: u64,
    /// Paths that were not followed to their end.
    pub cut: u64,
    /// Instructions on all paths.
    pub instructions: u64,
    /// What stopped the search, or was left out, and how often.
    pub left_out: Vec<(String, u64)>,
}

/// What the versions cost on the tests of the suite.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EffectLine {
    /// What is counted: `peak memory`, `processor time`.
    pub what: String,
    /// Its unit.
    pub unit: String,
    /// What the old version took, over all tests.
    pub old: f64,
    /// What the new version took.
    pub new: f64,
    /// The test on which the new version is worst, against the old one.
    pub worst: Option<String>,
    /// What both took there.
    pub worst_values: Option<(f64, f64)>,
}

/// Something that happened during a check.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Seconds from its start.
    pub seconds: f64,
    /// The stage.
    pub stage: Stage,
    /// What happened, in words.
    pub text: String,
    /// The number of the finding that it is about, from 1.
    pub finding: Option<usize>,
    /// How many changed lines an input had run by then.
    pub lines_run: u64,
    /// How many changed lines there are.
    pub lines: u64,
}

impl CheckReport {
    /// Whether nothing that was to be looked at was left out.
    pub fn is_complete(&self) -> bool {
        let stopped =
            |line: &StageLine| matches!(line.end, StageEnd::Failed | StageEnd::Interrupted);
        !self.stages.iter().any(stopped) && self.programs.iter().all(|program| program.complete)
    }

    /// The findings that nobody has accepted, of classes that are worth a look.
    pub fn open(&self) -> impl Iterator<Item = &CheckFinding> {
        self.findings.iter().filter(|finding| finding.is_open())
    }

    /// The findings of a class that nobody has accepted.
    pub fn count(&self, class: Class) -> usize {
        let of_class = self.findings.iter().filter(|finding| finding.class == class);
        of_class.filter(|finding| !finding.accepted).count()
    }

    /// The changed lines with code, by who runs them.
    pub fn changed_lines(&self) -> ChangedLines {
        let changed = self.hunks().flat_map(|hunk| &hunk.lines);
        let mut counts = ChangedLines::default();
        for line in changed.filter(|line| line.has_code() && line.sort != LineSort::Context) {
            counts.lines += 1;
            match (line.tests, line.reached) {
                (Some(1..), _) => counts.by_tests += 1,
                (_, true) => counts.reached += 1,
                (_, false) => counts.not_run += 1,
            }
        }
        counts
    }

    /// Changed lines with code, and those of them that a test runs.
    pub fn lines_run(&self) -> (u64, u64) {
        let counts = self.changed_lines();
        (counts.lines, counts.by_tests)
    }

    /// The hunks of the patch.
    pub fn hunks(&self) -> impl Iterator<Item = &HunkReport> {
        self.patch.iter().flat_map(|file| &file.hunks)
    }
}

impl HunkLine {
    /// Whether it is known to have code.
    pub fn has_code(&self) -> bool {
        self.tests.is_some() || self.reached
    }
}

impl Excerpt {
    /// The lines with their numbers, which no number of a first line makes too large.
    pub(crate) fn numbered(&self) -> impl Iterator<Item = (u64, &str)> {
        (u64::from(self.first)..).zip(self.lines.iter().map(String::as_str))
    }
}

impl CheckFinding {
    /// Whether somebody should look at it.
    pub fn is_open(&self) -> bool {
        self.class.is_finding() && !self.accepted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_fix_says_what_a_difference_is() {
        let does = |text: &str| Behaviour { end: text.to_owned(), ..Behaviour::default() };
        let judged = |parent: &str, fix: &str| {
            let mut finding = CheckFinding {
                old: does("old"),
                new: does("new"),
                also: vec![("parent".to_owned(), does(parent)), ("fix".to_owned(), does(fix))],
                ..CheckFinding::default()
            };
            finding.judge_by("parent", "fix");
            finding.judged
        };
        assert_eq!(judged("new", "old"), Some(LaterOn::Bug));
        assert_eq!(judged("new", "other"), Some(LaterOn::Bug));
        assert_eq!(judged("new", "new"), Some(LaterOn::Expected));
        assert_eq!(judged("other", "new"), Some(LaterOn::Expected));
        let mut alone = CheckFinding::default();
        alone.judge_by("parent", "fix");
        assert_eq!(alone.judged, None);
    }
}
