//! The patch, hunk by hunk: its lines, who runs them, and why nothing was found there.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use umbra_project::{ChangedLines, Hunk};
use umbra_report::{CheckFinding, HunkAnswer, HunkLine, HunkReport, LineSort, PatchFile};
use umbra_words::{Place, Version};

use crate::Error;
use crate::patch::Patch;

/// Lines around a change that are shown with it.
const CONTEXT: u32 = 3;

/// A changed line: its file, its number and its version.
pub type LineKey = (String, u32, Version);

/// What is known of the changed lines.
#[derive(Default)]
pub struct Known {
    /// The changed files that a built program has code of.
    pub built: BTreeSet<PathBuf>,
    /// The changed lines with code, and their functions.
    pub code: BTreeMap<LineKey, String>,
    /// How many tests of the suite run each of them; `None` if no suite was run.
    pub tests: Option<BTreeMap<LineKey, u64>>,
    /// Those that an input of the search runs.
    pub reached: BTreeSet<LineKey>,
    /// The test case that was made to run a line which no test runs.
    pub inputs: BTreeMap<LineKey, String>,
    /// Why nothing runs a line, where that was tried.
    pub missed: BTreeMap<LineKey, String>,
    /// What became of changes in the search, by line of either version.
    pub changes: BTreeMap<(String, u32), Change>,
    /// The search was stopped, or left something out, in a program that has code of these files.
    pub open: BTreeMap<PathBuf, String>,
    /// All inputs of a shape were looked at, in all programs that have code of these files.
    pub proved: BTreeSet<PathBuf>,
}

/// What became of a change in the search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// It ran.
    pub reached: bool,
    /// It made a value that differs.
    pub paired: bool,
}

/// All files of a patch.
pub fn files(patch: &Patch) -> Result<Vec<PatchFile>, Error> {
    let mut files = Vec::new();
    let changed: BTreeMap<PathBuf, Vec<Hunk>> =
        patch.hunks()?.into_iter().map(|ChangedLines { path, hunks }| (path, hunks)).collect();
    for path in patch.paths() {
        let text = |version| -> Result<Vec<String>, Error> {
            let bytes = patch.file(version, path)?.unwrap_or_default();
            Ok(String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect())
        };
        let hunks = match changed.get(path) {
            Some(hunks) => {
                let texts = [text(Version::Old)?, text(Version::New)?];
                together(hunks).map(|hunks| report(hunks, &texts)).collect()
            }
            None => Vec::new(),
        };
        files.push(PatchFile { path: path.to_string_lossy().into_owned(), hunks });
    }
    Ok(files)
}

/// Hunks so near to each other that they are shown as one.
fn together(hunks: &[Hunk]) -> impl Iterator<Item = &[Hunk]> {
    hunks.chunk_by(|one, next| next.new.start.saturating_sub(one.new.end) <= 2 * CONTEXT)
}

fn report(hunks: &[Hunk], [old, new]: &[Vec<String>; 2]) -> HunkReport {
    let mut lines = Vec::new();
    let text =
        |lines: &[String], number: u32| lines.get(number as usize - 1).cloned().unwrap_or_default();
    let (Some(first), Some(last)) = (hunks.first(), hunks.last()) else {
        return HunkReport::default();
    };
    let context = |lines: &mut Vec<HunkLine>, from: u32, to: u32, beside: u32| {
        for (at, number) in (from..to).enumerate() {
            lines.push(HunkLine {
                sort: LineSort::Context,
                old: Some(beside + at as u32),
                new: Some(number),
                text: text(new, number),
                ..HunkLine::default()
            });
        }
    };
    let before = CONTEXT.min(first.new.start - 1).min(first.old.start - 1);
    context(&mut lines, first.new.start - before, first.new.start, first.old.start - before);
    for (number, hunk) in hunks.iter().enumerate() {
        for line in hunk.old.clone() {
            let (sort, text) = (LineSort::Removed, text(old, line));
            lines.push(HunkLine { sort, old: Some(line), text, ..HunkLine::default() });
        }
        for line in hunk.new.clone() {
            let (sort, text) = (LineSort::Added, text(new, line));
            lines.push(HunkLine { sort, new: Some(line), text, ..HunkLine::default() });
        }
        if let Some(next) = hunks.get(number + 1) {
            context(&mut lines, hunk.new.end, next.new.start, hunk.old.end);
        }
    }
    let end = (last.new.end + CONTEXT).min(new.len() as u32 + 1);
    context(&mut lines, last.new.end, end, last.old.end);
    let function = heading(new, first.new.start).or_else(|| heading(old, first.old.start));
    HunkReport { function, lines, ..HunkReport::default() }
}

/// The function that a line is in, as far as the layout of the text tells: the last line above it that begins with a name.
fn heading(lines: &[String], line: u32) -> Option<String> {
    let above = lines.get(..(line as usize).saturating_sub(1).min(lines.len()))?;
    let is_heading = |line: &&String| {
        let begins = line.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        begins && line.contains('(') && !line.trim_end().ends_with([';', ':'])
    };
    let heading = above.iter().rev().find(is_heading)?;
    let name = heading.split('(').next()?.trim_end();
    let name = name.rsplit(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next()?;
    (!name.is_empty()).then(|| name.to_owned())
}

/// A part of the patch as the versions know it: a file and its lines in both.
pub struct Region {
    /// The file, from the root of the repository.
    pub file: String,
    /// Its lines in the old version and in the new one, without context.
    pub lines: [Vec<Range<u32>>; 2],
}

impl Region {
    /// That of a hunk.
    pub fn of(file: &str, hunk: &HunkReport) -> Self {
        let of = |sort, number: fn(&HunkLine) -> Option<u32>| {
            let numbers = hunk.lines.iter().filter(|line| line.sort == sort).filter_map(number);
            numbers.map(|number| number..number + 1).collect()
        };
        let lines = [of(LineSort::Removed, |line| line.old), of(LineSort::Added, |line| line.new)];
        Self { file: file.to_owned(), lines }
    }

    /// Whether a line of either version is in it.
    pub fn has(&self, place: &Place) -> bool {
        let mut ranges = self.lines.iter().flatten();
        place.file == self.file && ranges.any(|range| range.contains(&place.line))
    }
}

/// Fills in what is known of the lines, and the answer for each hunk.
pub fn answer(files: &mut [PatchFile], known: &Known, findings: &[CheckFinding]) {
    for file in files {
        let path = file.path.clone();
        for hunk in &mut file.hunks {
            for line in &mut hunk.lines {
                let version = match line.sort {
                    LineSort::Removed => Version::Old,
                    LineSort::Added => Version::New,
                    LineSort::Context => continue,
                };
                let number = line.old.or(line.new).unwrap_or_default();
                let key = (path.clone(), number, version);
                if !known.code.contains_key(&key) {
                    continue;
                }
                // Where there is no suite, no test runs it.
                let tests = known.tests.as_ref().and_then(|tests| tests.get(&key)).copied();
                line.tests = Some(tests.unwrap_or_default());
                if line.tests == Some(0) {
                    line.input = known.inputs.get(&key).cloned();
                    line.reached = line.input.is_some() || known.reached.contains(&key);
                    line.why = known.missed.get(&key).filter(|_| !line.reached).cloned();
                }
            }
            answer_hunk(&path, hunk, known, findings);
        }
    }
}

fn answer_hunk(path: &str, hunk: &mut HunkReport, known: &Known, findings: &[CheckFinding]) {
    let region = Region::of(path, hunk);
    let keys = |version: Version| {
        let ranges = region.lines[usize::from(version == Version::New)].iter().cloned();
        ranges.flatten().map(move |line| (path.to_owned(), line, version))
    };
    let keys: Vec<LineKey> = Version::BOTH.into_iter().flat_map(keys).collect();
    let functions = keys.iter().filter_map(|key| known.code.get(key));
    if let Some(function) = functions.min() {
        hunk.function = Some(function.clone());
    }
    hunk.findings = findings
        .iter()
        .zip(1..)
        .filter(|(finding, _)| finding.class != umbra_words::Class::Same)
        .filter(|(finding, _)| {
            let mut places = finding
                .changes
                .iter()
                .chain(finding.place.iter().filter(|_| finding.changes.is_empty()));
            places.any(|place| region.has(place))
        })
        .map(|(_, number)| number)
        .collect();
    let has_code = keys.iter().any(|key| known.code.contains_key(key));
    let tests = known.tests.as_ref();
    let by_test = tests
        .is_some_and(|tests| keys.iter().any(|key| tests.get(key).is_some_and(|tests| *tests > 0)));
    let is_reached = |key: &LineKey| known.reached.contains(key) || known.inputs.contains_key(key);
    let ran = by_test || keys.iter().any(is_reached);
    let missed = keys.iter().find_map(|key| known.missed.get(key));
    let changes: Vec<Change> = keys
        .iter()
        .filter_map(|(file, line, _)| known.changes.get(&(file.clone(), *line)).copied())
        .collect();
    let ran = ran || changes.iter().any(|change| change.reached);
    let paired = changes.iter().any(|change| change.paired);
    let open = known.open.get(Path::new(path));
    let is_source = Path::new(path).extension().is_some_and(|end| end == "c" || end == "h");
    let (answer, because) = match () {
        () if !hunk.findings.is_empty() => {
            let numbers: Vec<String> = hunk.findings.iter().map(ToString::to_string).collect();
            (HunkAnswer::Found, format!("findings that come from here: {}", numbers.join(", ")))
        }
        () if !known.built.contains(Path::new(path)) && !is_source => {
            (HunkAnswer::NotBuilt, "no program has code from this file".to_owned())
        }
        () if !known.built.contains(Path::new(path)) => {
            let because = "no program that differs has code from this file";
            (HunkAnswer::NotBuilt, because.to_owned())
        }
        () if !has_code && !paired => {
            (HunkAnswer::NoCode, "these lines have no code of their own".to_owned())
        }
        () if !ran && missed.is_some() => {
            let why = missed.map_or("", String::as_str);
            (
                HunkAnswer::NotRun,
                format!("no test runs this, and no input was found that does: {why}"),
            )
        }
        () if !ran && open.is_some() => {
            let open = open.map_or("", String::as_str);
            (
                HunkAnswer::NotRun,
                format!(
                    "no test runs this, and no input was found that does before the search was stopped ({open})"
                ),
            )
        }
        () if !ran => {
            (HunkAnswer::NotRun, "no test runs this, and no input that was tried does".to_owned())
        }
        () if known.proved.contains(Path::new(path)) => (
            HunkAnswer::Proved,
            "on all inputs of the given shape both versions do the same".to_owned(),
        ),
        () if paired => {
            let because =
                "values differ here, but on every input that was tried the versions end alike";
            (HunkAnswer::SameInTheEnd, because.to_owned())
        }
        () if open.is_some() => {
            let open = open.map_or("", String::as_str);
            (
                HunkAnswer::Cut,
                format!(
                    "it runs, and no difference was found before the search was stopped ({open})"
                ),
            )
        }
        () => (
            HunkAnswer::NoDifference,
            "it runs, and on every input that was tried no value differs".to_owned(),
        ),
    };
    (hunk.answer, hunk.because) = (answer, because);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hunk(old: Range<u32>, new: Range<u32>) -> Hunk {
        Hunk { old, new }
    }

    fn text(words: &str) -> Vec<String> {
        words.split(' ').map(str::to_owned).collect()
    }

    /// A line each: `-3 text`, `+4 text`, ` 3:4 text`.
    fn shown(report: &HunkReport) -> Vec<String> {
        let number =
            |number: Option<u32>| number.map_or(String::new(), |number| number.to_string());
        let line = |line: &HunkLine| {
            let sort = match line.sort {
                LineSort::Context => ' ',
                LineSort::Removed => '-',
                LineSort::Added => '+',
            };
            format!("{sort}{}:{} {}", number(line.old), number(line.new), line.text)
        };
        report.lines.iter().map(line).collect()
    }

    #[test]
    fn hunks_have_the_lines_around_them() {
        let (old, new) = (text("a b c d e f g h"), text("a b c D e f g h"));
        let report = report(&[hunk(4..5, 4..5)], &[old, new]);
        assert_eq!(
            shown(&report),
            [" 1:1 a", " 2:2 b", " 3:3 c", "-4: d", "+:4 D", " 5:5 e", " 6:6 f", " 7:7 g"]
        );
    }

    #[test]
    fn hunks_at_the_ends_have_what_there_is() {
        let (old, new) = (text("a b"), text("x a b y"));
        let hunks = [hunk(1..1, 1..2), hunk(3..3, 4..5)];
        let all: Vec<_> = together(&hunks).collect();
        assert_eq!(all.len(), 1);
        let report = report(all[0], &[old, new]);
        assert_eq!(shown(&report), ["+:1 x", " 1:2 a", " 2:3 b", "+:4 y"]);
    }

    #[test]
    fn hunks_far_apart_stay_apart() {
        let near = [hunk(1..2, 1..2), hunk(8..9, 8..9)];
        assert_eq!(together(&near).count(), 1);
        let far = [hunk(1..2, 1..2), hunk(9..10, 9..10)];
        assert_eq!(together(&far).count(), 2);
    }

    #[test]
    fn a_function_is_known_by_its_first_line() {
        let source: Vec<String> = [
            "static int",
            "first (int a)",
            "{",
            "label:",
            "  x (1);",
            "}",
            "int b;",
            "int *second(void) {",
            "  y",
        ]
        .map(str::to_owned)
        .to_vec();
        assert_eq!(heading(&source, 5).as_deref(), Some("first"));
        assert_eq!(heading(&source, 9).as_deref(), Some("second"));
        assert_eq!(heading(&source, 1), None);
        assert_eq!(heading(&[], 7), None);
    }

    fn patch() -> Vec<PatchFile> {
        let texts = [text("int( { a b }"), text("int( { c b }")];
        let hunks = vec![report(&[hunk(3..4, 3..4)], &texts)];
        vec![PatchFile { path: "a.c".to_owned(), hunks }]
    }

    fn answered(known: &Known, findings: &[CheckFinding]) -> (HunkAnswer, Vec<Option<u64>>) {
        let mut files = patch();
        answer(&mut files, known, findings);
        let hunk = &files[0].hunks[0];
        assert!(!hunk.because.is_empty());
        (hunk.answer, hunk.lines.iter().map(|line| line.tests).collect())
    }

    #[test]
    fn each_hunk_has_an_answer() {
        let mut known = Known::default();
        let none = vec![None; 6];
        assert_eq!(answered(&known, &[]), (HunkAnswer::NotBuilt, none.clone()));
        known.built.insert("a.c".into());
        assert_eq!(answered(&known, &[]), (HunkAnswer::NoCode, none.clone()));
        let key = ("a.c".to_owned(), 3, Version::New);
        known.code.insert(key.clone(), "f".to_owned());
        let not_run = vec![None, None, None, Some(0), None, None];
        assert_eq!(answered(&known, &[]), (HunkAnswer::NotRun, not_run));
        known.tests = Some(BTreeMap::from([(key, 7)]));
        let tests = vec![None, None, None, Some(7), None, None];
        assert_eq!(answered(&known, &[]), (HunkAnswer::NoDifference, tests.clone()));
        known.open.insert("a.c".into(), "time".to_owned());
        assert_eq!(answered(&known, &[]).0, HunkAnswer::Cut);
        let change = Change { reached: true, paired: true };
        known.changes.insert(("a.c".to_owned(), 3), change);
        assert_eq!(answered(&known, &[]).0, HunkAnswer::SameInTheEnd);
        known.proved.insert("a.c".into());
        assert_eq!(answered(&known, &[]).0, HunkAnswer::Proved);
        let place = |line| Place { file: "a.c".to_owned(), line };
        let finding = |line| CheckFinding { changes: vec![place(line)], ..CheckFinding::default() };
        assert_eq!(answered(&known, &[finding(4)]).0, HunkAnswer::Proved);
        assert_eq!(answered(&known, &[finding(4), finding(3)]), (HunkAnswer::Found, tests));
    }
}
