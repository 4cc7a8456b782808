//! Which changed line explains a difference.
//!
//! A case that differs ran some of the lines that the patch changed. Of these, the one that explains
//! its difference best is run by cases that differ and not by cases that behave the same. The measure
//! is the correlation of the two (the phi coefficient): of the cases that run the line, `d` differ
//! and `s` behave the same; of those that do not run it, `e` differ and `t` behave the same; then
//!
//! ```text
//! score = (d * t - s * e) / sqrt((d + s) * (e + t) * (d + e) * (s + t))
//! ```
//!
//! A line that every case runs has the score 0. Ochiai's `d / sqrt((d + e) * (d + s))`, which is more
//! usual for finding faults, would prefer such a line to several rare causes as soon as most cases
//! differ; it decides where correlations are equal, as where no case behaves the same.
//!
//! A patch has several effects, and one measure over all cases would hide the rare ones. So lines are
//! taken one after the other: the line with the highest score explains all cases that ran it; these
//! are taken out, and the scores are those of the cases that are left. Cases that behave the same
//! count in every round, cases that run no changed line in none.
//!
//! Ties go to the project's own code before library code, to the function with fewer blocks, to the
//! new version, then by file and line: no order of cases or of names in memory decides anything.
//!
//! A *region* is what one hunk of the patch changes in one function. Two lines of a region are one
//! edit; where both explain cases, the one that was taken first stands for both.
//!
//! The versions do the same until both come to a change. A region that has code in both versions and
//! is run by one of them alone lies behind the place where they parted: it shows a consequence, and
//! does not count unless the case runs no other changed line.
//!
//! What has no code of its own is not seen: types, macros, and data that is initialised statically.
//! A difference that comes from there is explained by another line, or by none.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};
use umbra_case::CaseId;
use umbra_words::{Target, Version};

use super::score::Score;

/// What of a patch explains a difference.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Explanation {
    /// Nobody has looked, or nothing can be said.
    #[default]
    Unknown,
    /// The case runs no line that was changed.
    NoChangedLine,
    /// This line.
    Line(ChangedLine),
}

/// A line that a patch changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ChangedLine {
    /// The line; its file is relative to the root of the repository.
    pub target: Target,
    /// Cases that run it and differ.
    pub differing: u64,
    /// Cases that run it and behave the same: the fewer, the better it explains.
    pub same: u64,
}

impl ChangedLine {
    /// Whether most of the cases that run it differ.
    pub fn is_strong(&self) -> bool {
        self.differing > self.same
    }
}

impl fmt::Display for ChangedLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.target.fmt(f)
    }
}

/// A changed line that has code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The line, with no cases yet.
    pub line: ChangedLine,
    /// The number of the region that it is in.
    pub region: usize,
    /// It is library code.
    pub library: bool,
    /// Blocks of its function.
    pub breadth: usize,
}

/// The candidates that a case ran, by their positions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ran(Vec<u64>);

impl FromIterator<usize> for Ran {
    fn from_iter<I: IntoIterator<Item = usize>>(positions: I) -> Self {
        let mut words = Vec::new();
        for position in positions {
            let word = position / 64;
            if word >= words.len() {
                words.resize(word + 1, 0);
            }
            words[word] |= 1 << (position % 64);
        }
        Self(words)
    }
}

impl Ran {
    /// Whether a candidate ran.
    pub fn has(&self, position: usize) -> bool {
        self.0.get(position / 64).is_some_and(|word| word >> (position % 64) & 1 != 0)
    }

    /// Whether none did.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    /// The positions, ascending.
    pub fn positions(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(index, word)| {
            (0..64).filter(move |bit| word >> bit & 1 != 0).map(move |bit| index * 64 + bit)
        })
    }
}

/// Who runs which changed lines, of all cases of one program.
#[derive(Clone, Debug, Default)]
pub struct Spectrum {
    candidates: Vec<Candidate>,
    /// The versions in which a region has code, by its number.
    regions: BTreeMap<usize, BTreeSet<Version>>,
    /// Cases that behave the same, for each candidate, and in all.
    same: Vec<u64>,
    all_same: u64,
    differing: Vec<(CaseId, Ran)>,
}

impl Spectrum {
    /// Without any case yet.
    pub fn new(candidates: Vec<Candidate>) -> Self {
        let mut regions: BTreeMap<usize, BTreeSet<Version>> = BTreeMap::new();
        for candidate in &candidates {
            regions.entry(candidate.region).or_default().insert(candidate.line.target.version);
        }
        let same = vec![0; candidates.len()];
        Self { candidates, regions, same, all_same: 0, differing: Vec::new() }
    }

    /// The candidates, as positions count them.
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// What counts of the candidates that a case ran: those of regions that all versions run which
    /// have code there; if there are none, all of them.
    pub fn counted(&self, ran: Ran) -> Ran {
        let mut run: BTreeMap<usize, BTreeSet<Version>> = BTreeMap::new();
        for candidate in ran.positions().map(|position| &self.candidates[position]) {
            run.entry(candidate.region).or_default().insert(candidate.line.target.version);
        }
        let is_met = |position: &usize| {
            let region = self.candidates[*position].region;
            run.get(&region) == self.regions.get(&region)
        };
        let counted: Ran = ran.positions().filter(is_met).collect();
        if counted.is_empty() { ran } else { counted }
    }

    /// Adds a case that behaves the same. Only counts are kept: of these there are many.
    pub fn add_same(&mut self, ran: &Ran) {
        self.all_same += 1;
        for position in ran.positions() {
            self.same[position] += 1;
        }
    }

    /// Adds a case that differs.
    pub fn add_differing(&mut self, case: CaseId, ran: Ran) {
        self.differing.push((case, ran));
    }

    /// What explains each case that differs.
    pub fn explain(&self) -> BTreeMap<CaseId, Explanation> {
        let is_empty = |(_, ran): &&(CaseId, Ran)| ran.is_empty();
        let (without, mut left): (Vec<_>, Vec<_>) = self.differing.iter().partition(is_empty);
        let none = |(case, _): &(CaseId, Ran)| (*case, Explanation::NoChangedLine);
        let mut causes: BTreeMap<CaseId, Explanation> = without.into_iter().map(none).collect();
        let mut differing = vec![0_u64; self.candidates.len()];
        left.iter().for_each(|(_, ran)| ran.positions().for_each(|at| differing[at] += 1));
        let in_all = differing.clone();
        let mut by_region = BTreeMap::new();
        let preference = self.preference();
        while let Some(best) = self.best(&preference, &differing, left.len() as u64) {
            let stands = *by_region.entry(self.candidates[best].region).or_insert(best);
            let line = self.candidates[stands].line.clone();
            let line = ChangedLine { differing: in_all[stands], same: self.same[stands], ..line };
            left.retain(|(case, ran)| {
                let explained = ran.has(best);
                if explained {
                    ran.positions().for_each(|at| differing[at] -= 1);
                    causes.insert(*case, Explanation::Line(line.clone()));
                }
                !explained
            });
        }
        causes
    }

    /// Positions, those that win a tie first.
    fn preference(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.candidates.len()).collect();
        order.sort_by_key(|position| {
            let Candidate { line, library, breadth, .. } = &self.candidates[*position];
            let Target { place, version, .. } = &line.target;
            (*library, *breadth, *version == Version::Old, &place.file, place.line, *position)
        });
        order
    }

    /// The candidate with the highest score of those that a case runs which is left.
    fn best(&self, preference: &[usize], differing: &[u64], left: u64) -> Option<usize> {
        let score = |at: usize| {
            let (differing, same) = (differing[at], self.same[at]);
            Score::new([differing, same, left - differing, self.all_same - same])
        };
        let run = preference.iter().copied().filter(|at| differing[*at] > 0);
        let scored = run.map(|at| (at, score(at)));
        // Of equal ones the first stays.
        let best = scored.reduce(|best, next| if next.1 > best.1 { next } else { best });
        best.map(|(at, _)| at)
    }
}

#[cfg(test)]
mod tests {
    use umbra_case::Case;
    use umbra_words::Place;

    use super::*;

    fn target(line: u32, version: Version) -> Target {
        let place = Place { file: "a.c".to_owned(), line };
        Target { place, function: "f".to_owned(), version }
    }

    fn candidate(line: u32) -> Candidate {
        Candidate {
            line: ChangedLine { target: target(line, Version::New), differing: 0, same: 0 },
            region: line as usize,
            library: false,
            breadth: 1,
        }
    }

    fn id(number: usize) -> CaseId {
        Case { arguments: vec![number.to_string().into()], ..Case::default() }.id()
    }

    /// The lines that explain cases, of which each is written as the positions that it runs.
    fn explained(candidates: &[Candidate], same: &[&[usize]], differing: &[&[usize]]) -> Vec<u32> {
        let mut spectrum = Spectrum::new(candidates.to_vec());
        let ran = |positions: &&[usize]| positions.iter().copied().collect::<Ran>();
        same.iter().for_each(|positions| spectrum.add_same(&ran(positions)));
        for (number, positions) in differing.iter().enumerate() {
            spectrum.add_differing(id(number), ran(positions));
        }
        let causes = spectrum.explain();
        assert_eq!(causes.len(), differing.len());
        let line = |number: usize| match &causes[&id(number)] {
            Explanation::Line(line) => line.target.place.line,
            Explanation::NoChangedLine => 0,
            Explanation::Unknown => panic!("case {number} has no cause"),
        };
        (0..differing.len()).map(line).collect()
    }

    /// Lines 10, 20 and so on, at positions 0, 1 and so on.
    fn lines(count: u32) -> Vec<Candidate> {
        (1..=count).map(|number| candidate(10 * number)).collect()
    }

    #[test]
    fn a_line_that_only_differing_cases_run_explains_them() {
        assert_eq!(explained(&lines(2), &[&[0], &[0]], &[&[0, 1], &[0, 1]]), [20, 20]);
        // It need not be run by all of them.
        let same: [&[usize]; 9] = [&[0]; 9];
        assert_eq!(explained(&lines(2), &same, &[&[0, 1], &[0, 1], &[0]]), [20, 20, 10]);
        assert_eq!(explained(&lines(2), &[], &[&[], &[1]]), [0, 20]);
    }

    #[test]
    fn a_rare_change_is_not_hidden_by_a_frequent_one() {
        // All cases run line 10; many differ by line 20, one by line 30.
        let mut differing: Vec<&[usize]> = vec![&[0, 1]; 20];
        differing.push(&[0, 2]);
        let mut expected = vec![20; 20];
        expected.push(30);
        let same: [&[usize]; 50] = [&[0]; 50];
        assert_eq!(explained(&lines(3), &same, &differing), expected);
        // Also if nearly all cases differ.
        assert_eq!(explained(&lines(3), &same[..2], &differing), expected);
    }

    #[test]
    fn ties_are_broken_towards_narrow_functions() {
        let [first, second] = [candidate(10), candidate(20)];
        let run: &[&[usize]] = &[&[0, 1]];
        assert_eq!(explained(&[first.clone(), second.clone()], &[], run), [10]);
        let wide = Candidate { breadth: 9, ..first.clone() };
        assert_eq!(explained(&[wide.clone(), second.clone()], &[], run), [20]);
        let library = Candidate { library: true, ..second.clone() };
        assert_eq!(explained(&[wide, library], &[], run), [10]);
        let line = ChangedLine { target: target(10, Version::Old), ..first.line.clone() };
        assert_eq!(explained(&[Candidate { line, ..first }, second], &[], run), [20]);
    }

    #[test]
    fn one_edit_is_one_place() {
        let [first, second] = [candidate(10), candidate(20)];
        let second = Candidate { region: first.region, ..second };
        let differing: &[&[usize]] = &[&[0], &[0], &[1]];
        assert_eq!(explained(&[first.clone(), second], &[], differing), [10, 10, 10]);
        assert_eq!(explained(&[first, candidate(20)], &[], differing), [10, 10, 20]);
    }

    #[test]
    fn what_only_one_version_comes_to_is_a_consequence() {
        let old = |line| {
            let candidate = candidate(line);
            let line = ChangedLine { target: target(line, Version::Old), ..candidate.line };
            Candidate { line, ..candidate }
        };
        // Line 10 was replaced, line 20 removed, line 30 added.
        let spectrum = Spectrum::new(vec![old(10), candidate(10), old(20), candidate(30)]);
        for (ran, counted) in [
            (&[0, 1, 2, 3][..], &[0, 1, 2, 3][..]),
            (&[0, 2], &[2]),
            (&[1, 3], &[3]),
            (&[1], &[1]),
            (&[], &[]),
        ] {
            let found = spectrum.counted(ran.iter().copied().collect());
            assert_eq!(found.positions().collect::<Vec<_>>(), counted, "{ran:?}");
        }
    }

    #[test]
    fn it_is_said_how_many_cases_speak_against_a_line() {
        let mut spectrum = Spectrum::new(lines(70));
        let ran = Ran::from_iter([0, 63, 64, 69]);
        assert_eq!(ran.positions().collect::<Vec<_>>(), [0, 63, 64, 69]);
        assert!(ran.has(64) && !ran.has(65) && !ran.has(9999));
        spectrum.add_same(&Ran::from_iter([69]));
        spectrum.add_differing(id(0), Ran::from_iter([69]));
        let causes = spectrum.explain();
        let Some(Explanation::Line(line)) = causes.get(&id(0)) else { panic!("{causes:?}") };
        assert_eq!((line.target.place.line, line.differing, line.same), (700, 1, 1));
        assert!(!line.is_strong() && ChangedLine { same: 0, ..line.clone() }.is_strong());
        assert_eq!(line.to_string(), "a.c:700 (f)");
    }
}
