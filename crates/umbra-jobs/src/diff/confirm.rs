//! What was predicted, against native runs of both versions.
//!
//! The executable is that of the very module that was analysed; its old version is a copy in which
//! one number is another. One test case of each divergence runs first, then the rest.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use umbra_case::{Case, shell_word};
use umbra_compare::{Judgement, Outcome, Urgency};
use umbra_replay::{Error, Limits, Program};
use umbra_report::{CheckFinding, DiffSummary, DivergenceLine, NativeLine, ReplayCounts};
use umbra_text::Show;
use umbra_words::{Class, End, Phase, Version};

use super::ledger::{Group, Written};
use super::summary::Compared;
use crate::DiffJob;
use crate::finding;
use crate::native::{Executables, Native, Sandboxes, Trial, difference_line, native_limits};

/// Cases that run before the time is looked at: few, since each may take all that a run may.
const BATCH: usize = 4;

/// How many times its CPU time a run may take by the wall: a busy machine makes no hang.
const BUSY: u32 = 4;

/// MiB of memory of one run, as for `umbra replay`.
const MEMORY: u64 = 1024;

/// CPU time and MiB of memory of one run of which there are many.
const QUICK: Duration = Duration::from_secs(1);
const QUICK_MEMORY: u64 = 256;

/// Cases of which the summary has all that they show: the first ones matter most, and outputs take room.
const FINDINGS: usize = 200;

/// Stands for the folder of a case in a command, until that has its place.
const CASE: &str = "CASE";

/// The signal of `abort`.
const ABORT: i32 = 6;

/// Exit statuses with which the runtime of `umbra.h` says that the case is not for this program.
const NO_FIT: [i32; 2] = [98, 99];

/// What a comparison came to.
pub struct Differences {
    /// All of it; times of the whole and the exit code are left to the caller.
    pub summary: DiffSummary,
    /// Why not all test cases ran natively, if they did not.
    pub not_replayed: Option<NotReplayed>,
}

/// Why test cases did not run natively.
#[derive(Debug, thiserror::Error)]
pub enum NotReplayed {
    /// Nobody wants it.
    #[error("native runs are turned off")]
    Unwanted,
    /// Only a function is compared.
    #[error("a function alone has no executable")]
    Function,
    /// There is only bitcode.
    #[error("{} has no executable beside it: name the one that `umbra cc` made", .0.shown())]
    NoExecutable(PathBuf),
    /// The executable has nothing that says which version it is.
    #[error("cannot make the old version of {}: rebuild it with `umbra cc`", .0.shown())]
    NoOldVersion(PathBuf),
    /// There is no sandbox, or the program cannot run in one.
    #[error(transparent)]
    Native(#[from] Error),
    /// The time for all native runs was used up.
    #[error("the time for native runs was used up")]
    OutOfTime,
    /// The user has had enough.
    #[error("interrupted")]
    Interrupted,
}

/// Both versions as executables, and the sandboxes to run them in.
pub struct Versions {
    pub native: Native,
    /// For runs of which there are many.
    pub quick: Native,
    pub old: Program,
    pub new: Program,
}

impl Versions {
    /// Opens the executables, if they are not given, and starts sandboxes. Of an annotated program there is one, that of the
    /// new version; of two programs the first is the old one's. An error is the reason why nothing can run
    /// natively: the comparison stands without.
    pub fn start(
        job: &DiffJob,
        natives: Option<[Program; 2]>,
        beside: (Option<Option<&Path>>, Option<&Path>),
        sandboxes: &Sandboxes,
    ) -> Result<Self, NotReplayed> {
        if !job.native.wanted {
            return Err(NotReplayed::Unwanted);
        }
        if job.subject.function.is_some() {
            return Err(NotReplayed::Function);
        }
        let [old, new] = match natives {
            Some(natives) => natives,
            None => open(job, beside)?,
        };
        let limits =
            Limits { wall: job.native.one * BUSY, ..native_limits(job.native.one, MEMORY) };
        let one = job.native.one.min(QUICK);
        let quick = Limits { wall: one * BUSY, ..native_limits(one, QUICK_MEMORY) };
        let native = Native::start(limits, None, sandboxes)?;
        let quick = Native::start(quick, None, sandboxes)?;
        Ok(Self { native, quick, old, new })
    }

    /// A case and both versions.
    pub fn trial<'a>(&'a self, case: &'a Case) -> Trial<'a> {
        let plain = |plain| Executables { plain, sanitized: None, trees: Vec::new() };
        Trial { case, old: plain(&self.old), new: plain(&self.new) }
    }
}

/// Opens the executables beside the bitcode, the old one first.
fn open(
    job: &DiffJob,
    (old, new): (Option<Option<&Path>>, Option<&Path>),
) -> Result<[Program; 2], NotReplayed> {
    let (Some(executable), None | Some(Some(_))) = (new, old) else {
        let without = if new.is_some() { job.subject.old.as_ref() } else { None };
        let program = without.unwrap_or(&job.subject.program);
        return Err(NotReplayed::NoExecutable(program.clone()));
    };
    let new = Program::open(executable)?;
    let old = match old.flatten() {
        Some(old) => Program::open(old)?,
        None => new
            .old_version()
            .ok_or_else(|| NotReplayed::NoOldVersion(job.subject.program.clone()))?,
    };
    Ok([old, new])
}

/// Runs the test cases natively and makes the final list of divergences, those that matter most
/// first.
pub fn confirm(
    job: &DiffJob,
    versions: Result<Versions, NotReplayed>,
    folder: &Path,
    compared: Compared,
) -> Differences {
    let Compared { mut summary, groups } = compared;
    let start = Instant::now();
    let order = order(&groups);
    let built = built(job, versions.as_ref().ok());
    let mut answers = BTreeMap::new();
    let reason = match versions {
        Ok(versions) => run(job, &versions, folder, &order, &mut answers),
        Err(reason) => Some(reason),
    };
    let (replayed, cases) = (answers.len() as u64, order.len() as u64);
    let not_replayed = reason.filter(|_| cases > replayed);
    let reason = not_replayed.as_ref().map(ToString::to_string);
    summary.replay = ReplayCounts { replayed, not_replayed: cases - replayed, reason };
    summary.replay_s = start.elapsed().as_secs_f64();
    let mut lines: Vec<_> = groups.into_iter().flat_map(|group| split(group, &answers)).collect();
    join_shapes(&mut lines);
    lines.sort_by_key(|ranked| (rank(&ranked.line), ranked.urgency, ranked.size));
    summary.divergences = lines.into_iter().map(|ranked| ranked.line).collect();
    if job.subject.from.is_some() {
        for line in &mut summary.divergences {
            let case = line.case.as_ref().and_then(|name| Case::read(&folder.join(name)).ok());
            line.call = case.and_then(|case| case.call_text());
        }
    }
    summary.divergences.iter_mut().for_each(|line| complete(line, folder, built));
    Differences { summary, not_replayed }
}

/// Runs cases as long as there is time; says why, if not all of them ran.
fn run(
    job: &DiffJob,
    versions: &Versions,
    folder: &Path,
    cases: &[&Written],
    answers: &mut BTreeMap<String, Answer>,
) -> Option<NotReplayed> {
    let start = Instant::now();
    for batch in cases.chunks(BATCH) {
        if start.elapsed() >= job.native.all {
            return Some(NotReplayed::OutOfTime);
        }
        let read = |written: &&Written| Case::read(&folder.join(&written.name));
        let mut cases: Vec<(&Written, Case)> = Vec::new();
        for written in batch {
            match read(written) {
                Ok(case) => cases.push((written, case)),
                // One that cannot be read says nothing of the others.
                Err(error) => {
                    let answer = Answer::of(NativeLine::NoAnswer(error.to_string()));
                    answers.insert(written.name.clone(), answer);
                }
            }
        }
        let trials: Vec<_> = cases.iter().map(|(_, case)| versions.trial(case)).collect();
        for ((written, case), judged) in cases.iter().zip(versions.native.judge_all(&trials)) {
            if matches!(judged, Err(Error::Cancelled)) {
                return Some(NotReplayed::Interrupted);
            }
            let finding = match &judged {
                Ok(judgement) if answers.len() < FINDINGS => shown(job, versions, case, judgement),
                _ => None,
            };
            let answer = answer(judged, case);
            // What says nothing of the case shows nothing, whatever it does.
            let is_answer = matches!(answer.native, NativeLine::Judged { .. });
            let finding = finding.filter(|_| is_answer);
            answers.insert(written.name.clone(), Answer { finding, ..answer });
        }
    }
    None
}

/// The smallest case of each group, then that of each test in each group, then the others. A case of several groups is
/// there once.
fn order(groups: &[Group]) -> Vec<&Written> {
    let smallest = groups.iter().filter_map(|group| group.cases.iter().min());
    let of_tests = groups.iter().flat_map(|group| {
        let mut tests: BTreeMap<usize, &Written> = BTreeMap::new();
        for case in &group.cases {
            tests.entry(case.test).and_modify(|known| *known = case.min(known)).or_insert(case);
        }
        tests.into_values()
    });
    let all = groups.iter().flat_map(|group| &group.cases);
    let mut known = BTreeSet::new();
    smallest.chain(of_tests).chain(all).filter(|written| known.insert(&written.name)).collect()
}

/// What the native runs of a case say.
#[derive(Clone, Default)]
struct Answer {
    native: NativeLine,
    /// What cases have in common that show the same thing, as for `umbra replay`.
    kinds: Vec<String>,
    urgency: Urgency,
    /// What they show, if they show something.
    finding: Option<Box<CheckFinding>>,
}

impl Answer {
    fn of(native: NativeLine) -> Self {
        Self { native, kinds: Vec::new(), urgency: (u8::MAX, u8::MAX), finding: None }
    }
}

/// What a judgement shows of a case, if it shows something.
fn shown(
    job: &DiffJob,
    versions: &Versions,
    case: &Case,
    judgement: &Judgement,
) -> Option<Box<CheckFinding>> {
    if judgement.class.is_silent() {
        return None;
    }
    let program = job.subject.program.to_string_lossy();
    let mut finding = finding::finding(&program, class(judgement, case), case, judgement, None);
    finding.confirmed = true;
    // Of an annotated program there is one executable.
    if job.subject.old.is_some() {
        let [old, new] = [&versions.old, &versions.new].map(Program::path);
        finding.command = finding::command(Path::new(CASE), old, new).unwrap_or_default();
    }
    Some(Box::new(finding))
}

/// When the program was built, if it is one beside its source: then debug information names files from here. Of a revision,
/// what is here may be another one's text.
fn built(job: &DiffJob, versions: Option<&Versions>) -> Option<SystemTime> {
    let versions = versions.filter(|_| job.subject.program.is_relative())?;
    fs::metadata(versions.new.path()).ok()?.modified().ok()
}

/// The text of a source file, unless it is newer than the program.
fn source(file: &Path, built: SystemTime) -> Option<String> {
    let modified = fs::metadata(file).ok()?.modified().ok()?;
    let bytes = if modified <= built { fs::read(file).ok()? } else { return None };
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Fills in what the line knows: where it is, how it was found, how many show it.
fn complete(line: &mut DivergenceLine, folder: &Path, built: Option<SystemTime>) {
    let Some(mut finding) = line.finding.take() else { return };
    finding.cases = line.count;
    (finding.kind, finding.phase) = (Some(line.kind), Some(line.phase));
    finding.changes.clone_from(&line.changes);
    finding.stack.clone_from(&line.stack);
    finding.path = line.path.to_lines();
    finding.place = (line.place.line > 0).then(|| line.place.clone());
    finding.version = Version::New;
    let text = built.and_then(|built| source(Path::new(&line.place.file), built));
    let text = text.filter(|_| line.place.line > 0);
    finding.excerpt = text.and_then(|text| finding::excerpt(&text, &line.place, Version::New));
    if let Some(case) = &line.case {
        let path = folder.join(case).to_string_lossy().into_owned();
        let word = shell_word(path.as_bytes()).unwrap_or_default();
        finding.command = finding.command.replacen(CASE, &word, 1);
        finding.case = path;
    }
    line.finding = Some(finding);
}

fn answer(judged: Result<Judgement, Error>, case: &Case) -> Answer {
    let judgement = match judged {
        Ok(judgement) => judgement,
        Err(error) => return Answer::of(NativeLine::NoAnswer(error.to_string())),
    };
    let versions = [("old", &judgement.old), ("new", &judgement.new)];
    if let Some(reason) = versions.iter().find_map(|(name, outcome)| misfit(name, outcome)) {
        return Answer::of(NativeLine::NoAnswer(reason));
    }
    let differences = judgement.differences.iter().map(difference_line);
    Answer {
        native: NativeLine::Judged {
            class: class(&judgement, case),
            differences: differences.collect(),
        },
        kinds: judgement.kinds(),
        urgency: judgement.urgency(),
        finding: None,
    }
}

/// What the versions differ in. A test that was made for other bytes than those of the case may well refuse
/// what a function returns on them: that is a difference, but which of the versions is right, the test does not say.
fn class(judgement: &Judgement, case: &Case) -> Class {
    let Some(call) = &case.call else { return judgement.class };
    let returned = format!("umbra: {} returned ", call.function);
    let is_refused = |outcome: &Outcome| {
        let text = String::from_utf8_lossy(&outcome.stderr.bytes);
        outcome.end == End::Killed(ABORT) && text.lines().any(|l| l.starts_with(&returned))
    };
    match judgement.class {
        Class::Regression if is_refused(&judgement.new) => Class::OutputDifference,
        Class::Fix if is_refused(&judgement.old) => Class::OutputDifference,
        class => class,
    }
}

/// Why a run says nothing: the program makes something symbolic that the case does not have, or an
/// assumption leaves the case out.
fn misfit(version: &str, outcome: &Outcome) -> Option<String> {
    let End::Exited(status) = outcome.end else { return None };
    let text = String::from_utf8_lossy(&outcome.stderr.bytes).into_owned();
    let said = text.lines().last().and_then(|line| line.strip_prefix("umbra: "))?;
    NO_FIT.contains(&status).then(|| format!("the {version} version says: {said}"))
}

/// Which answers are the same thing.
fn cluster(answer: &Answer) -> (bool, String, &[String]) {
    match &answer.native {
        NativeLine::NotRun => (false, String::new(), &[]),
        NativeLine::NoAnswer(reason) => (false, reason.clone(), &[]),
        // What differs by chance says nothing.
        NativeLine::Judged { class, .. } if class.is_silent() => {
            (true, class.name().to_owned(), &[])
        }
        NativeLine::Judged { class, .. } => (true, class.name().to_owned(), &answer.kinds),
    }
}

/// What only native runs have found joins what the engine found and shows the same, and says where it is from.
fn join_shapes(lines: &mut Vec<Ranked>) {
    let is_shape = |ranked: &Ranked| ranked.line.phase == Phase::Shape;
    let (shapes, mut others): (Vec<Ranked>, Vec<Ranked>) = lines.drain(..).partition(is_shape);
    for shape in shapes {
        let is_like = |other: &&mut Ranked| {
            let changes = &shape.line.changes;
            !shape.kinds.is_empty()
                && other.kinds == shape.kinds
                && (changes.is_empty() || other.line.changes.iter().any(|it| changes.contains(it)))
        };
        match others.iter_mut().find(is_like) {
            Some(other) => {
                other.line.count += shape.line.count;
                other.line.more_cases.extend(shape.line.case);
                other.line.more_cases.extend(shape.line.more_cases);
                other.line.phase = Phase::Shape;
            }
            None => lines.push(shape),
        }
    }
    lines.append(&mut others);
}

/// A line of the report, with what it is ranked by beside its classes.
struct Ranked {
    /// What its example shows, without its data.
    kinds: Vec<String>,
    urgency: Urgency,
    /// Of the example.
    size: u64,
    line: DivergenceLine,
}

/// A line for each thing that native runs of a group's cases show.
fn split(group: Group, answers: &BTreeMap<String, Answer>) -> Vec<Ranked> {
    let Group { line, cases, .. } = group;
    let mut lines: Vec<(Answer, Ranked)> = Vec::new();
    let mut all: Vec<(Written, Answer)> = cases
        .into_iter()
        .map(|written| {
            let answer = answers.get(&written.name).cloned();
            (written, answer.unwrap_or_else(|| Answer::of(NativeLine::NotRun)))
        })
        .collect();
    // What did not run or gave no answer is one more case of what did.
    all.sort_by_key(|(written, answer)| (!cluster(answer).0, written.size));
    for (Written { size, name, path, .. }, answer) in all {
        let known = lines.iter().position(|(known, _)| {
            let (one, other) = (cluster(known), cluster(&answer));
            one == other || !other.0
        });
        match known {
            Some(known) => {
                let known = &mut lines[known].1.line;
                known.count += 1;
                known.more_cases.push(name);
            }
            None => {
                let (case, native, urgency) = (Some(name), answer.native.clone(), answer.urgency);
                let finding = answer.finding.clone();
                let line = DivergenceLine { count: 1, case, path, native, finding, ..line.clone() };
                let kinds = answer.kinds.clone();
                lines.push((answer, Ranked { kinds, urgency, size, line }));
            }
        }
    }
    let mut lines: Vec<Ranked> = lines.into_iter().map(|(_, ranked)| ranked).collect();
    let shown: u64 = lines.iter().map(|ranked| ranked.line.count).sum();
    match lines.first_mut() {
        Some(first) => first.line.count += line.count.saturating_sub(shown),
        None => {
            let (urgency, size) = ((u8::MAX, u8::MAX), u64::MAX);
            lines.push(Ranked { kinds: Vec::new(), urgency, size, line });
        }
    }
    lines
}

/// Lower matters more.
fn rank(line: &DivergenceLine) -> (Class, u64) {
    let class = match &line.native {
        NativeLine::Judged { class, .. } => Some(*class),
        NativeLine::NotRun | NativeLine::NoAnswer(_) => None,
    };
    match (class, line.class) {
        // Shown or not: an error may be silent natively.
        (Some(class), Class::Regression) if class > Class::NondeterminismIntroduced => {
            (Class::Regression, 1)
        }
        (Some(class), _) => (class, 0),
        (None, class @ (Class::Regression | Class::Fix | Class::Same)) => (class, 1),
        (None, _) => (Class::OutputDifference, 1),
    }
}

#[cfg(test)]
mod tests {
    use umbra_report::PathLines;
    use umbra_words::Place;

    use super::*;

    fn judged(class: Class) -> NativeLine {
        NativeLine::Judged { class, differences: Vec::new() }
    }

    fn line(class: Class, native: NativeLine) -> DivergenceLine {
        DivergenceLine { class, native, ..DivergenceLine::default() }
    }

    #[test]
    fn what_matters_most_comes_first() {
        let order = [
            line(Class::ToJudge, judged(Class::Regression)),
            line(Class::Regression, judged(Class::Same)),
            line(Class::ToJudge, judged(Class::NondeterminismIntroduced)),
            line(Class::ToJudge, judged(Class::OutputDifference)),
            line(Class::ToJudge, NativeLine::NotRun),
            line(Class::Fix, judged(Class::Fix)),
            line(Class::Fix, NativeLine::NoAnswer("no".to_owned())),
            line(Class::ToJudge, judged(Class::Flaky)),
            line(Class::ToJudge, judged(Class::Same)),
            line(Class::Same, NativeLine::NotRun),
        ];
        for pair in order.windows(2) {
            assert!(rank(&pair[0]) < rank(&pair[1]), "{pair:?}");
        }
        let folded: Vec<bool> = order.iter().map(DivergenceLine::is_folded).collect();
        assert_eq!(folded, [false, false, false, false, false, false, false, true, true, true]);
    }

    #[test]
    fn a_place_is_split_by_what_its_cases_show() {
        let path = |size| PathLines { left_out: size, ..PathLines::default() };
        let written = |size, name: &str| {
            let (name, path) = (name.to_owned(), path(size));
            Written { size, test: 0, name, path, behaviour: Default::default() }
        };
        let group = Group {
            line: DivergenceLine { count: 9, ..line(Class::ToJudge, NativeLine::NotRun) },
            cases: vec![written(5, "a"), written(3, "b"), written(4, "c"), written(1, "d")],
            tests: BTreeMap::new(),
            looked_at: Default::default(),
        };
        assert_eq!(order(std::slice::from_ref(&group))[0].name, "d");
        let answers = BTreeMap::from([
            ("a".to_owned(), Answer::of(judged(Class::Same))),
            ("b".to_owned(), Answer::of(judged(Class::Regression))),
            ("c".to_owned(), Answer::of(judged(Class::Same))),
        ]);
        let lines = split(group, &answers);
        let shown: Vec<_> = lines.iter().map(shown).collect();
        let (b, c) = (Some("b"), Some("c"));
        // What did not run is a further case of the first line, which also counts the other paths.
        assert!(lines.iter().all(|ranked| ranked.line.path == path(ranked.size)));
        assert_eq!(shown, [(3, b, &["d".to_owned()][..], 7), (4, c, &["a".to_owned()][..], 2)]);
    }

    /// Size, example, other cases, count.
    fn shown(ranked: &Ranked) -> (u64, Option<&str>, &[String], u64) {
        let Ranked { size, line, .. } = ranked;
        (*size, line.case.as_deref(), &line.more_cases, line.count)
    }

    #[test]
    fn what_native_runs_alone_have_found_joins_what_the_engine_found() {
        let place = |line| Place { file: "a.c".to_owned(), line };
        let ranked = |kind: &str, phase, change, case: &str| Ranked {
            kinds: vec![kind.to_owned()],
            urgency: (0, 0),
            size: 1,
            line: DivergenceLine {
                phase,
                count: 1,
                changes: vec![place(change)],
                case: Some(case.to_owned()),
                ..line(Class::ToJudge, judged(Class::OutputDifference))
            },
        };
        let mut lines = vec![
            ranked("stdout", Phase::Shape, 1, "a"),
            ranked("stderr", Phase::Shape, 1, "b"),
            ranked("stdout", Phase::Shape, 2, "c"),
            ranked("stdout", Phase::Bounded, 1, "d"),
        ];
        join_shapes(&mut lines);
        let shown: Vec<_> = lines
            .iter()
            .map(|it| (it.line.phase, it.line.case.as_deref().unwrap(), it.line.more_cases.len()))
            .collect();
        let (shape, found) = (Phase::Shape, ("d", 1));
        assert_eq!(shown, [(shape, "b", 0), (shape, "c", 0), (shape, found.0, found.1)]);
    }

    #[test]
    fn what_is_seen_tells_cases_of_one_place_apart() {
        let written = |size, name: &str| Written {
            size,
            test: 0,
            name: name.to_owned(),
            path: PathLines::default(),
            behaviour: Default::default(),
        };
        let group = Group {
            line: DivergenceLine { count: 4, ..line(Class::ToJudge, NativeLine::NotRun) },
            cases: vec![written(1, "a"), written(2, "b"), written(3, "c"), written(4, "d")],
            tests: BTreeMap::new(),
            looked_at: Default::default(),
        };
        let shows = |kind: &str| Answer {
            kinds: vec![kind.to_owned()],
            ..Answer::of(judged(Class::OutputDifference))
        };
        let answers = BTreeMap::from([
            ("a".to_owned(), shows("stderr: bad / none")),
            ("b".to_owned(), shows("end: 0 / 1")),
            ("c".to_owned(), shows("stderr: bad / none")),
            ("d".to_owned(), shows("end: 1 / 0")),
        ]);
        let lines = split(group, &answers);
        let shown: Vec<_> = lines.iter().map(shown).collect();
        let more = ["c".to_owned()];
        assert_eq!(
            shown,
            [(1, Some("a"), &more[..], 2), (2, Some("b"), &[], 1), (4, Some("d"), &[], 1)]
        );
    }
}
