//! The search in all programs, within one budget.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use umbra_case::Case;
use umbra_project::{BuiltProgram, TreeId};
use umbra_report::{CheckedProgram, DiffSummary, NativeLine, Stage};

use super::child::{self, End};
use super::early::Early;
use super::findings::Candidate;
use super::order::{SearchOrder, Searched, subject};
use super::stages::counted;
use super::{CheckJob, CheckWatch, Told};
use crate::native::Native;
use crate::replay::Pair;
use crate::{CaseCounts, Error, Near, Start, Tests};

/// Test cases of one program that are looked at in the end.
const MOST: usize = 400;

/// The least time for a program, whatever is left.
const LEAST: Duration = Duration::from_secs(2);

/// A program that both versions have, and that differs.
pub struct Subject<'a> {
    /// Its path in the built tree.
    pub path: String,
    /// The old version.
    pub old: &'a BuiltProgram,
    /// The new version.
    pub new: &'a BuiltProgram,
    /// Its tests.
    pub tests: CaseCounts,
}

/// What all searches have in common.
pub struct Search<'a> {
    /// The check.
    pub job: &'a CheckJob,
    /// Who is told.
    pub watch: &'a CheckWatch<'a>,
    /// The folder of the check.
    pub folder: &'a Path,
    /// The folder of the project.
    pub project: &'a Path,
    /// The sources.
    pub trees: [TreeId; 2],
    /// Folders of library code.
    pub library: &'a [PathBuf],
    /// Where both were built.
    pub tree: PathBuf,
    /// The executables of both versions by name.
    pub programs: [BTreeMap<String, PathBuf>; 2],
    /// The tests to start from.
    pub cases: &'a [PathBuf],
    /// Both versions, and where they run natively.
    pub pair: &'a Pair,
    pub native: &'a Native,
    /// When the check began.
    pub start: Instant,
}

/// What a search came to.
pub struct Found {
    /// The program.
    pub program: CheckedProgram,
    /// All of it, if the versions were compared.
    pub summary: Option<DiffSummary>,
    /// Test cases that may show something.
    pub candidates: Vec<Candidate>,
    /// Why not all was explored.
    pub open: Option<String>,
    /// All inputs of the given shape were looked at.
    pub proved: bool,
    /// What an earlier check found was taken.
    pub reused: bool,
}

impl Search<'_> {
    /// Searches in one program, for so long.
    pub fn program(&self, subject: &Subject<'_>, time: Option<Duration>) -> Result<Found, Error> {
        let Some(order) = self.order(subject, time)? else {
            let program = self.described(subject, "no test is for it".to_owned(), false);
            let open = Some("it has no test".to_owned());
            return Ok(Found {
                program,
                summary: None,
                candidates: Vec::new(),
                open,
                proved: false,
                reused: false,
            });
        };
        let path = &subject.path;
        let mut early = Early::new(self.native, self.pair, self.watch, self.start);
        let folder = order.folder.join("cases");
        let (end, reused) =
            child::search(&order, &self.watch.sandboxes.stop, &mut |cases, elapsed| {
                early.look(&folder);
                let of = time.map_or(String::new(), |time| format!(" of {} s", time.as_secs()));
                let cases = counted(cases as u64, "test case");
                let text = format!("{path}: {} s{of}, {cases}", elapsed.as_secs());
                let share = time.map(|time| elapsed.as_secs_f64() / time.as_secs_f64());
                (self.watch.tell)(Told::Doing(Stage::Search, &text, share));
            })?;
        let now = self.start.elapsed().as_secs_f64();
        let seconds = |name: &str| early.seconds(name).unwrap_or(now);
        Ok(match end {
            End::Answered(Searched::Same(ignored)) => {
                let but = ignored.map_or_else(String::new, |what| format!(", but for {what}"));
                let program = self.described(subject, format!("the same program{but}"), true);
                Found {
                    program,
                    summary: None,
                    candidates: Vec::new(),
                    open: None,
                    proved: true,
                    reused,
                }
            }
            End::Answered(Searched::Compared(summary)) => {
                let (candidates, left) = candidates(&order, &summary, &seconds);
                let mut found = self.compared(subject, *summary, candidates, reused);
                if left > 0 {
                    let what = "test cases that were not run natively".to_owned();
                    found.program.left_out.push((what, left as u64));
                    found.program.complete = false;
                }
                found
            }
            End::Died(said) => {
                let candidates = left(&order, now);
                let outcome = format!("the search was cut off: {said}");
                let program = self.described(subject, outcome, false);
                Found {
                    program,
                    summary: None,
                    candidates,
                    open: Some(said),
                    proved: false,
                    reused,
                }
            }
        })
    }

    fn compared(
        &self,
        subject: &Subject<'_>,
        summary: DiffSummary,
        candidates: Vec<Candidate>,
        reused: bool,
    ) -> Found {
        let count = summary.divergences.iter().filter(|line| !line.is_folded()).count();
        let paths = summary.same + summary.diff;
        let outcome = match count {
            0 if summary.divergences.is_empty() => "no difference found".to_owned(),
            0 => "the versions part, without visible effect".to_owned(),
            count => format!("{} found", counted(count as u64, "difference")),
        };
        let outcome = format!("{outcome} on {}", counted(paths, "path"));
        let proved = summary.is_complete();
        let mut reasons: Vec<String> = summary.left_out.keys().map(|what| in_words(what)).collect();
        if summary.cut > 0 && reasons.is_empty() {
            reasons.push("paths that were not followed to their ends".to_owned());
        }
        let open = (!reasons.is_empty()).then(|| reasons.join(", "));
        let mut program = self.described(subject, outcome, open.is_none());
        (program.same, program.diff, program.cut) = (summary.same, summary.diff, summary.cut);
        program.instructions = summary.instructions;
        program.left_out =
            summary.left_out.iter().map(|(what, count)| (in_words(what), *count)).collect();
        Found { program, summary: Some(summary), candidates, open, proved, reused }
    }

    fn described(&self, subject: &Subject<'_>, outcome: String, complete: bool) -> CheckedProgram {
        CheckedProgram {
            path: subject.path.clone(),
            outcome,
            complete,
            tests: subject.tests.all,
            touching: subject.tests.touching,
            ..CheckedProgram::default()
        }
    }

    /// What is to be searched; `None` if there is nothing to start from.
    fn order(
        &self,
        subject: &Subject<'_>,
        time: Option<Duration>,
    ) -> Result<Option<SearchOrder>, Error> {
        let mut job = self.job.search.clone();
        job.subject = self::subject(&subject.old.executable, &subject.new.executable);
        let has_tests = !self.cases.is_empty() && subject.tests.all > 0;
        let near = match &job.start {
            Start::Near(near) if has_tests && !self.job.complete => Some(near.clone()),
            _ => None,
        };
        job.start = match (near, &self.job.explore) {
            (Some(near), _) => {
                Start::Near(Near { tests: Tests::Cases(self.cases.to_vec()), ..near })
            }
            (None, Some(inputs)) => {
                let mut inputs = inputs.clone();
                inputs.command.insert(0, subject.new.name.clone().into_bytes());
                Start::Complete { inputs, prune: false }
            }
            (None, None) => return Ok(None),
        };
        job.limits.time = time.map(|time| time.max(LEAST));
        let place = self.folder.join("search").join(subject.path.replace('/', "%"));
        fs::create_dir_all(&place).map_err(Error::file("making the folder", &place))?;
        Ok(Some(SearchOrder {
            project: self.project.to_owned(),
            trees: self.trees.clone(),
            library: self.library.to_vec(),
            tree: self.tree.clone(),
            programs: self.programs.clone(),
            name: subject.new.name.clone(),
            job,
            folder: place.join("run"),
        }))
    }
}

/// What was left out, in words that a reader knows.
fn in_words(what: &str) -> String {
    match what {
        "limit on end-of-run" => "begun and not followed to the end".to_owned(),
        "stopped by time" => "the time was used up".to_owned(),
        what => what.to_owned(),
    }
}

/// The test cases of a comparison that may show something, one of each line first, and how many there are beside them.
fn candidates(
    order: &SearchOrder,
    summary: &DiffSummary,
    seconds: &dyn Fn(&str) -> f64,
) -> (Vec<Candidate>, usize) {
    let mut candidates: Vec<(usize, Candidate)> = Vec::new();
    let mut left = 0;
    for line in summary.divergences.iter().filter(|line| !line.is_folded()) {
        if matches!(&line.native, NativeLine::NoAnswer(_)) {
            continue;
        }
        let names = line.case.iter().chain(&line.more_cases);
        let shared = line.count.saturating_sub(line.more_cases.len() as u64);
        for (at, name) in names.enumerate() {
            let Ok(case) = Case::read(&order.folder.join(name)) else {
                left += 1;
                continue;
            };
            let count = if at == 0 { shared.max(1) } else { 1 };
            let candidate = Candidate {
                case,
                count,
                by_suite: None,
                line: Some(line.clone()),
                seconds: seconds(name),
            };
            candidates.push((at, candidate));
        }
    }
    // The first ones matter most, and time may end: one of each line, then the next of each.
    candidates.sort_by_key(|(at, _)| *at);
    left += candidates.len().saturating_sub(MOST);
    candidates.truncate(MOST);
    (candidates.into_iter().map(|(_, candidate)| candidate).collect(), left)
}

/// The test cases that a process has left behind that could not say what they show.
fn left(order: &SearchOrder, seconds: f64) -> Vec<Candidate> {
    let folder = order.folder.join("cases");
    let mut paths: Vec<PathBuf> = match fs::read_dir(folder) {
        Ok(entries) => entries.filter_map(|entry| Some(entry.ok()?.path())).collect(),
        Err(_) => Vec::new(),
    };
    paths.sort();
    let cases = paths.iter().filter_map(|path| Case::read(path).ok()).take(MOST);
    cases.map(|case| Candidate { case, count: 1, by_suite: None, line: None, seconds }).collect()
}
