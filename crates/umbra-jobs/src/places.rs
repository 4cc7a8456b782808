//! Where in the patch the differences between two versions come from.
//!
//! A case's runs say which changed lines it ran, in either version; [`Spectrum`] says which of them
//! explains its difference. What is kept of a case is a bit for each changed line of its program.

use std::collections::BTreeMap;

use umbra_case::CaseId;
use umbra_compare::{Explanation, Judgement, Ran, Spectrum};
use umbra_words::{Class, Version};

use crate::replay::{CaseCounts, ChangedLines, LineRuns, Pair};

/// The changed lines of all programs that cases are for, and who runs them.
pub struct Places<'a> {
    pair: &'a Pair,
    /// Without a value for programs of which nothing can be said.
    programs: BTreeMap<String, Option<Lines>>,
    /// Why that is.
    problems: BTreeMap<String, String>,
    /// The cases of each program.
    counts: BTreeMap<String, CaseCounts>,
}

struct Lines {
    spectrum: Spectrum,
    /// The counters of each candidate's blocks, in its own version.
    blocks: Vec<Vec<u32>>,
    /// How many cases have run each candidate.
    run: Vec<u64>,
}

impl<'a> Places<'a> {
    /// Without any case yet.
    pub fn new(pair: &'a Pair) -> Self {
        Self { pair, programs: BTreeMap::new(), problems: BTreeMap::new(), counts: BTreeMap::new() }
    }

    /// Takes in what a case came to.
    pub fn add(&mut self, case: CaseId, program: &str, judgement: &Judgement) {
        self.counts.entry(program.to_owned()).or_default().all += 1;
        // What is not the same from run to run says nothing of the patch.
        if judgement.class == Class::Flaky {
            return;
        }
        if !self.programs.contains_key(program) {
            let lines = self.find(program);
            self.programs.insert(program.to_owned(), lines);
        }
        let Some(Some(lines)) = self.programs.get_mut(program) else { return };
        let Some(ran) = lines.ran(judgement) else { return };
        ran.positions().for_each(|position| lines.run[position] += 1);
        let touching = u64::from(!ran.is_empty());
        self.counts.entry(program.to_owned()).or_default().touching += touching;
        match judgement.class {
            Class::Same => lines.spectrum.add_same(&ran),
            _ => lines.spectrum.add_differing(case, ran),
        }
    }

    /// The changed lines of a program.
    fn find(&mut self, name: &str) -> Option<Lines> {
        let patch = self.pair.patch.as_ref()?;
        let (old, new) = self.pair.programs(name)?;
        match patch.of_program(old, new) {
            Ok(counted) => {
                let (candidates, blocks) = counted.into_iter().unzip();
                let blocks: Vec<Vec<u32>> = blocks;
                let run = vec![0; blocks.len()];
                Some(Lines { spectrum: Spectrum::new(candidates), blocks, run })
            }
            Err(error) => {
                self.problems.insert(name.to_owned(), format!("{error:#}"));
                None
            }
        }
    }

    /// What explains each case that differs and whose lines are known.
    pub fn explain(&self) -> BTreeMap<CaseId, Explanation> {
        let known = self.programs.values().flatten();
        known.flat_map(|lines| lines.spectrum.explain()).collect()
    }

    /// The cause of another case's difference, if it may have the same one: a line of the same edit
    /// is run, or, if there is no such line, none at all.
    pub fn same_cause(
        &self,
        program: &str,
        judgement: &Judgement,
        cause: &Explanation,
    ) -> Explanation {
        let Some(Some(lines)) = self.programs.get(program) else { return Explanation::Unknown };
        let Some(ran) = lines.ran(judgement) else { return Explanation::Unknown };
        let is_same = match cause {
            Explanation::Unknown => true,
            Explanation::NoChangedLine => ran.is_empty(),
            Explanation::Line(line) => {
                let candidates = lines.spectrum.candidates();
                let same = candidates.iter().find(|candidate| candidate.line.target == line.target);
                same.is_some_and(|same| {
                    ran.positions().any(|position| candidates[position].region == same.region)
                })
            }
        };
        if is_same { cause.clone() } else { Explanation::Unknown }
    }

    /// How many changed lines there are in programs that have cases, and how many of them a case has
    /// run. A line that is in several programs counts once. `None`: the patch is not known.
    pub fn changed_lines(&self) -> Option<ChangedLines> {
        self.pair.patch.as_ref()?;
        let mut lines: BTreeMap<_, bool> = BTreeMap::new();
        for known in self.programs.values().flatten() {
            for (candidate, ran) in known.spectrum.candidates().iter().zip(&known.run) {
                let target = &candidate.line.target;
                *lines.entry((&target.place, target.version)).or_default() |= *ran > 0;
            }
        }
        let run = lines.values().filter(|ran| **ran).count();
        Some(ChangedLines { all: lines.len(), run })
    }

    /// The changed lines of programs that have cases, and how many cases run each. A line that stands in several functions
    /// of a program, as one of a macro does, counts once for a case.
    pub fn runs(&self) -> Vec<LineRuns> {
        let mut lines: BTreeMap<_, LineRuns> = BTreeMap::new();
        for known in self.programs.values().flatten() {
            let mut own: BTreeMap<_, LineRuns> = BTreeMap::new();
            for (candidate, cases) in known.spectrum.candidates().iter().zip(&known.run) {
                let target = &candidate.line.target;
                let line = LineRuns { target: target.clone(), cases: *cases };
                let known = own.entry((&target.place, target.version)).or_insert(line);
                known.cases = known.cases.max(*cases);
            }
            for (place, line) in own {
                match lines.get_mut(&place) {
                    Some(known) => known.cases += line.cases,
                    None => drop(lines.insert(place, line)),
                }
            }
        }
        lines.into_values().collect()
    }

    /// The cases of each program.
    pub fn counts(&self) -> BTreeMap<String, CaseCounts> {
        self.counts.clone()
    }

    /// Programs whose lines are not known, and why.
    pub fn problems(self) -> BTreeMap<String, String> {
        self.problems
    }
}

impl Lines {
    /// The changed lines that a case ran; `None` if one of its runs has no counters.
    fn ran(&self, judgement: &Judgement) -> Option<Ran> {
        let (old, new) = (judgement.old.blocks.as_ref()?, judgement.new.blocks.as_ref()?);
        let candidates = self.spectrum.candidates().iter().zip(&self.blocks).enumerate();
        let ran = candidates.filter_map(|(position, (candidate, blocks))| {
            let ran = match candidate.line.target.version {
                Version::Old => old,
                Version::New => new,
            };
            let is_run = |block: &u32| ran.0.get(*block as usize).is_some_and(|byte| *byte != 0);
            blocks.iter().any(is_run).then_some(position)
        });
        Some(self.spectrum.counted(ran.collect()))
    }
}
