//! Paths on which the versions parted, until all is known of them.
//!
//! A divergence is known when it is found. Then the new version's paths from there end, each a *diff path*; then, for each
//! of these, the old version's paths under its condition, each a pair of paths whose outputs are compared. Only when a
//! diff path has no more pairs to come can it be said to be without visible effect; and where something was left
//! out, it cannot.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use umbra_case::Case;
use umbra_engine::{Cause, Divergence, State, Termination, Trail};
use umbra_report::DivergenceLine;
use umbra_strategy::{PathDifference, PathEnd, PathJudgement, Statistics, place_of};

use umbra_words::{Class, Kind, Phase};

use super::collect::{Collector, Found, SHORT_PATH, own_place};
use super::ledger::{Key, key_of};
use super::words::{cause_of, cut, failure_of};

/// Said where the new version's path is open.
const NEW_OPEN: &str = "the new version was not followed to its end";

/// Under which divergences around a test are counted whose paths were not followed. What else is not explored there is not said
/// to be left out.
const AROUND_OPEN: &str = "new versions around tests that were not followed to their ends";

/// Said where not all paths of the old version are known.
const OLD_OPEN: &str =
    "no visible effect found, but the old version was not followed to all its ends";

/// What is known of paths on which the versions parted.
#[derive(Default)]
pub struct Parted {
    /// Divergences of which no path has ended, by their numbers.
    open: BTreeMap<u64, Diverged>,
    /// Paths of the new version, by their numbers.
    paths: BTreeMap<u64, DiffPath>,
    /// Lines that several of them share, by phase, and how many test cases are kept for them.
    lines: BTreeMap<(Key, Phase), (Arc<DivergenceLine>, u64)>,
}

impl Parted {
    /// What was known is not needed any more.
    fn release(&mut self, diverged: &mut Diverged) {
        let key = (key_of(&diverged.line), diverged.line.phase);
        if diverged.case.take().is_some()
            && let Some((_, kept)) = self.lines.get_mut(&key)
        {
            *kept -= 1;
        }
    }
}

/// What is known of them, as data: each line once.
#[derive(Serialize, Deserialize)]
pub struct SavedParted {
    lines: Vec<(DivergenceLine, u64)>,
    open: Vec<(u64, SavedDiverged)>,
    paths: Vec<(u64, SavedDiverged, SavedRest)>,
}

#[derive(Serialize, Deserialize)]
struct SavedDiverged {
    /// Which of the lines.
    line: usize,
    trail: Trail,
    case: Option<Case>,
    excluded: bool,
}

/// What a path of the new version has beside.
#[derive(Clone, Serialize, Deserialize)]
struct SavedRest {
    shown: Vec<Class>,
    open: Option<String>,
    old_lost: bool,
}

impl Parted {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.open.len() + self.paths.len()
    }

    /// As data.
    pub fn save(&self) -> SavedParted {
        let mut lines = SavedLines::default();
        for (line, kept) in self.lines.values() {
            lines.add(line, *kept);
        }
        let mut save = |diverged: &Diverged| SavedDiverged {
            line: lines.place(&diverged.line),
            trail: diverged.trail.clone(),
            case: diverged.case.clone(),
            excluded: diverged.excluded,
        };
        let rest = |path: &DiffPath| SavedRest {
            shown: path.shown.clone(),
            open: path.open.clone(),
            old_lost: path.old_lost,
        };
        let open = self.open.iter().map(|(number, open)| (*number, save(open))).collect();
        let paths = self.paths.iter();
        let paths = paths.map(|(number, path)| (*number, save(&path.silent), rest(path))).collect();
        SavedParted { lines: lines.lines, open, paths }
    }

    /// From data; `None` if they name a line that is not there: nobody writes such.
    pub fn restore(saved: SavedParted) -> Option<Self> {
        let lines: Vec<(Arc<DivergenceLine>, u64)> =
            saved.lines.into_iter().map(|(line, kept)| (Arc::new(line), kept)).collect();
        let restore = |diverged: SavedDiverged| {
            Some(Diverged {
                line: Arc::clone(&lines.get(diverged.line)?.0),
                trail: diverged.trail,
                case: diverged.case,
                excluded: diverged.excluded,
            })
        };
        let open = saved.open.into_iter();
        let open: Option<_> = open.map(|(number, open)| Some((number, restore(open)?))).collect();
        let paths = saved.paths.into_iter().map(|(number, silent, rest)| {
            let SavedRest { shown, open, old_lost } = rest;
            Some((number, DiffPath { silent: restore(silent)?, shown, open, old_lost }))
        });
        let paths: Option<_> = paths.collect();
        let key = |line: &DivergenceLine| (key_of(line), line.phase);
        let lines = lines.iter().map(|(line, kept)| (key(line), (Arc::clone(line), *kept)));
        Some(Self { open: open?, paths: paths?, lines: lines.collect() })
    }
}

/// Lines on their way into data, each once.
#[derive(Default)]
struct SavedLines {
    lines: Vec<(DivergenceLine, u64)>,
    places: HashMap<*const DivergenceLine, usize>,
}

impl SavedLines {
    fn add(&mut self, line: &Arc<DivergenceLine>, kept: u64) -> usize {
        let place = self.lines.len();
        self.lines.push(((**line).clone(), kept));
        self.places.insert(Arc::as_ptr(line), place);
        place
    }

    /// Which of the lines it is.
    fn place(&mut self, line: &Arc<DivergenceLine>) -> usize {
        let known = self.places.get(&Arc::as_ptr(line)).copied();
        known.unwrap_or_else(|| self.add(line, 0))
    }
}

/// A divergence, or a path behind it, for want of more.
struct Diverged {
    line: Arc<DivergenceLine>,
    trail: Trail,
    case: Option<Case>,
    /// A path from there ended with an input that is not to be run.
    excluded: bool,
}

/// A path of the new version behind a split.
struct DiffPath {
    /// What is to be said of it if it turns out to be silent.
    silent: Diverged,
    /// The classes that its pairs have shown.
    shown: Vec<Class>,
    /// Why not all is known of it.
    open: Option<String>,
    /// The old version may not terminate on it.
    old_lost: bool,
}

impl Collector<'_> {
    /// The versions have parted. If nothing else comes of it, that is what is reported.
    pub(super) fn keep_divergence(&mut self, mut state: PathEnd<'_>) {
        let Some(divergence) = state.state.divergence().cloned() else { return };
        let number = divergence.number;
        if !self.parted.open.contains_key(&number) {
            let diverged = self.diverged_at(&divergence, &mut state, NEW_OPEN.to_owned());
            self.parted.open.insert(number, diverged);
        }
    }

    /// An input is not to be run: it says nothing of where the versions parted.
    pub(super) fn excluded(&mut self, state: &State) {
        let number = state.divergence().map(|divergence| divergence.number);
        if let Some(open) = number.and_then(|number| self.parted.open.get_mut(&number)) {
            open.excluded = true;
        }
    }

    /// The new version has ended on a path on which the versions had parted.
    pub(super) fn new_ended(&mut self, mut end: PathEnd<'_>) {
        let Some(divergence) = end.state.divergence().cloned() else { return };
        if let Some(mut diverged) = self.parted.open.remove(&divergence.number) {
            self.parted.release(&mut diverged);
        }
        if self.is_short(&end.termination) {
            *self.found.left_out.entry(SHORT_PATH.to_owned()).or_default() += 1;
        }
        let end_of_new = match cut(&end.termination) {
            Some(_) if divergence.cause == Cause::NewLost => String::new(),
            Some(what) => format!("{NEW_OPEN}: {what}"),
            None => failure_of("new", &end.termination).unwrap_or_default(),
        };
        let silent = self.diverged_at(&divergence, &mut end, end_of_new);
        match end.state.diff_path() {
            Some(number) => {
                let (shown, open) = (Vec::new(), None);
                let path = DiffPath { silent, shown, open, old_lost: false };
                self.parted.paths.insert(number, path);
            }
            None => {
                let lost = divergence.cause == Cause::NewLost;
                self.report(silent, if lost { Class::Regression } else { Class::ToJudge }, "");
            }
        }
    }

    /// What is known of a path on which the versions parted there. Few test cases are kept for one place.
    fn diverged_at(
        &mut self,
        divergence: &Divergence,
        end: &mut PathEnd<'_>,
        more: String,
    ) -> Diverged {
        let line = DivergenceLine {
            kind: Kind::Control,
            place: own_place(&divergence.stack),
            detail: joined(&cause_of(divergence), &more),
            phase: self.phase_of(end.state.path.assignment()),
            changes: divergence.changes.iter().map(place_of).collect(),
            stack: divergence.stack.iter().map(ToString::to_string).collect(),
            ..DivergenceLine::default()
        };
        self.found.test_parts |= line.phase == Phase::Seed && self.seed.is_some();
        let key = (key_of(&line), line.phase);
        let entry = self.parted.lines.entry(key).or_insert_with(|| (Arc::new(line), 0));
        let (line, kept) = (Arc::clone(&entry.0), &mut entry.1);
        let wanted = *kept < self.tests_per_place;
        *kept += u64::from(wanted);
        let case = wanted.then(|| self.case(end, None));
        Diverged { line, trail: divergence.trail.clone(), case, excluded: false }
    }

    /// A pair of paths was compared.
    pub(super) fn compare_pair(&mut self, mut end: PathEnd<'_>, judgement: PathJudgement) {
        let number = end.state.diff_path().unwrap_or_default();
        let Some(mut path) = self.parted.paths.remove(&number) else { return };
        match judgement {
            PathJudgement::Differs(difference) => {
                let class = difference.class;
                if !path.shown.contains(&class) {
                    path.shown.push(class);
                    self.parted.release(&mut path.silent);
                    let line = &path.silent.line;
                    let what = self.difference_of(&difference, &end.termination);
                    let detail = joined(&line.detail, &what);
                    let line = DivergenceLine { class, detail, ..(**line).clone() };
                    let input = Some(&difference.input);
                    self.add(line, &path.silent.trail, |this| Some(this.case(&mut end, input)));
                }
            }
            PathJudgement::Unknown(reason) => path.open = Some(reason.to_owned()),
            PathJudgement::Cut => {
                path.old_lost |= end.termination == Termination::Limit("alone");
                path.open = cut(&end.termination);
            }
            PathJudgement::Same | PathJudgement::Parted | PathJudgement::Nothing => {}
        }
        self.parted.paths.insert(number, path);
    }

    /// Nothing more is explored: reports what was not reported yet, and closes the page.
    pub(super) fn finish(mut self, statistics: &Statistics, stopped: bool) -> Found {
        let Parted { open, paths, .. } = std::mem::take(&mut self.parted);
        let mut paths: Vec<(u64, DiffPath)> = paths.into_iter().collect();
        let mut open: Vec<Diverged> = open.into_values().collect();
        // Only the first ones of a place have test cases, in the order of time, which is not that of numbers.
        paths.sort_by_key(|(_, path)| path.silent.case.is_none());
        open.sort_by_key(|diverged| diverged.case.is_none());
        for (number, path) in paths {
            let is_open = path.open.is_some() || statistics.open_pairs.contains_key(&number);
            if !path.shown.is_empty() {
                continue;
            }
            let fails = path.silent.line.detail.contains("the new one fails");
            match is_open {
                true if path.old_lost && !fails => {
                    let lost = "the old version may not terminate";
                    self.report(path.silent, Class::Fix, lost);
                }
                true => self.report(path.silent, Class::ToJudge, OLD_OPEN),
                false => self.report(path.silent, Class::Same, "proved without visible effect"),
            }
        }
        // Where all was explored, no path from there was to be run.
        let is_left = !statistics.dropped.is_empty() || statistics.around > 0;
        let is_whole = !stopped && !is_left && statistics.unknown.is_empty();
        for diverged in open.into_iter().filter(|diverged| !is_whole && !diverged.excluded) {
            if diverged.line.phase == Phase::Around {
                *self.found.left_out.entry(AROUND_OPEN.to_owned()).or_default() += 1;
            }
            self.report(diverged, Class::ToJudge, "");
        }
        for count in statistics.open_pairs.values() {
            self.found.pairs.cut += count;
        }
        self.found
    }

    /// What differs, in words: a version fails, or outputs differ.
    fn difference_of(&self, difference: &PathDifference, old: &Termination) -> String {
        match failure_of("old", old) {
            Some(failure) => failure,
            None if difference.class == Class::Regression => String::new(),
            None => format!("outputs differ, first in {}", self.output_name(&difference.first)),
        }
    }

    fn report(&mut self, diverged: Diverged, class: Class, more: &str) {
        let Diverged { line, trail, case, .. } = diverged;
        let detail = joined(&line.detail, more);
        let line = DivergenceLine { class, detail, ..(*line).clone() };
        self.add(line, &trail, |_| case);
    }
}

fn joined(one: &str, more: &str) -> String {
    match more {
        "" => one.to_owned(),
        // It may be why they parted.
        more if one.contains(more) => one.to_owned(),
        more => format!("{one}; {more}"),
    }
}

#[cfg(test)]
mod tests {
    use umbra_words::Place;

    use super::*;

    /// A line of its own for each number.
    fn line(number: u32) -> Arc<DivergenceLine> {
        let place = Place { file: "a.c".to_owned(), line: number };
        Arc::new(DivergenceLine { place, ..DivergenceLine::default() })
    }

    fn diverged(line: &Arc<DivergenceLine>) -> Diverged {
        let (trail, case) = (Trail::default(), None);
        Diverged { line: Arc::clone(line), trail, case, excluded: false }
    }

    /// The third line is none of those that are shared.
    fn parted() -> Parted {
        let all = [1, 2, 3].map(line);
        let shared = all[..2].iter().map(|line| {
            let key = (key_of(line), line.phase);
            (key, (Arc::clone(line), 1))
        });
        let path = |line| DiffPath {
            silent: diverged(line),
            shown: vec![Class::Fix],
            open: None,
            old_lost: true,
        };
        Parted {
            open: (10..).zip(&all).map(|(number, line)| (number, diverged(line))).collect(),
            paths: (20..).zip(&all).map(|(number, line)| (number, path(line))).collect(),
            lines: shared.collect(),
        }
    }

    fn lines(parted: &Parted) -> Vec<(u64, u32)> {
        let open = parted.open.iter().map(|(number, open)| (*number, open.line.place.line));
        let paths =
            parted.paths.iter().map(|(number, path)| (*number, path.silent.line.place.line));
        open.chain(paths).collect()
    }

    #[test]
    fn each_keeps_its_own_line() {
        let expected = [(10, 1), (11, 2), (12, 3), (20, 1), (21, 2), (22, 3)];
        let saved = serde_json::to_string(&parted().save()).unwrap();
        let restored = Parted::restore(serde_json::from_str(&saved).unwrap()).unwrap();
        assert_eq!(lines(&restored), expected);
        let again = Parted::restore(restored.save()).unwrap();
        assert_eq!((lines(&again), again.lines.len()), (expected.to_vec(), 3));
    }

    #[test]
    fn a_line_that_is_not_there_is_no_other_line() {
        let mut saved = parted().save();
        saved.open[1].1.line = 3;
        assert!(Parted::restore(saved).is_none());
        let mut saved = parted().save();
        saved.paths[2].1.line = 3;
        assert!(Parted::restore(saved).is_none());
    }
}
