//! From cases that may show something to findings: all run natively once more, with sanitizers too, and those that show
//! the same thing are one.
//!
//! What the suite shows and what the search has found are treated alike. A cause is a hunk of the patch: which of its lines
//! explains a difference best depends on what else was run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::Instant;

use umbra_case::{Case, CaseId};
use umbra_compare::{ChangedLine, Cluster, Explanation, Judged, Judgement, cluster};
use umbra_report::{CheckFinding, DivergenceLine, Excerpt};
use umbra_words::{Class, Place, Target, Version};

use super::export::OUTPUTS;
use super::hunks::{LineKey, Region};
use super::keep::digest;
use crate::Error;
use crate::cases::program_of;
use crate::finding;
use crate::native::{Native, Trial};
use crate::patch::Patch;
use crate::places::Places;
use crate::replay::Pair;

/// Cases that run before the user is listened to.
const BATCH: usize = 4;

/// Digits of an identity.
const DIGITS: usize = 12;

/// A case that may show something.
#[derive(Clone)]
pub struct Candidate {
    /// The case.
    pub case: Case,
    /// How many cases it stands for.
    pub count: u64,
    /// A test of the suite shows it: the changed line that explains it, if one does.
    pub by_suite: Option<Option<Target>>,
    /// Where the engine found it.
    pub line: Option<DivergenceLine>,
    /// Seconds from the start of the check until it was known.
    pub seconds: f64,
}

/// What findings are made with.
pub struct Maker<'a> {
    /// Both versions.
    pub pair: &'a Pair,
    /// What differs between them.
    pub patch: &'a Patch,
    /// The hunks.
    pub regions: &'a [Region],
    /// The changed lines that have code, with their functions.
    pub code: &'a BTreeMap<LineKey, String>,
    /// Where cases run.
    pub native: &'a Native,
    /// The paths of programs in the built tree, by their names.
    pub paths: &'a BTreeMap<String, String>,
    /// The folder of the check.
    pub folder: &'a Path,
    /// When nothing more is run; what hangs takes its time.
    pub deadline: Option<Instant>,
}

/// What was made.
#[derive(Default)]
pub struct Made {
    /// What was found, what matters most first.
    pub findings: Vec<CheckFinding>,
    /// The changed lines that one of the cases runs.
    pub reached: BTreeSet<LineKey>,
    /// Cases that were not run any more: the user has had enough.
    pub not_run: usize,
}

/// A case that was judged.
struct Known {
    candidate: Candidate,
    judgement: Judgement,
}

impl Maker<'_> {
    /// Runs the candidates and makes findings of them; `seen` is told how many have run.
    pub fn make(
        &self,
        candidates: Vec<Candidate>,
        seen: &mut dyn FnMut(usize),
    ) -> Result<Made, Error> {
        let mut made = Made::default();
        let mut known: BTreeMap<CaseId, Known> = BTreeMap::new();
        let mut places = Places::new(self.pair);
        let mut candidates = candidates.into_iter().peekable();
        while candidates.peek().is_some() {
            if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                made.not_run += candidates.count();
                break;
            }
            let batch: Vec<Candidate> = candidates.by_ref().take(BATCH).collect();
            for (candidate, judgement) in self.judge(batch)? {
                let Some(judgement) = judgement else {
                    made.not_run += 1;
                    continue;
                };
                let id = candidate.case.id();
                places.add(id, &program_of(&candidate.case), &judgement);
                match known.get_mut(&id) {
                    // The suite's own case, and the engine's of the same input.
                    Some(before) => {
                        before.candidate.count += candidate.count;
                        let by_suite = candidate.by_suite;
                        before.candidate.by_suite = before.candidate.by_suite.take().or(by_suite);
                        before.candidate.line = before.candidate.line.take().or(candidate.line);
                    }
                    None => drop(known.insert(id, Known { candidate, judgement })),
                }
            }
            seen(known.len());
        }
        let runs = places.runs().into_iter().filter(|run| run.cases > 0);
        made.reached = runs
            .map(|run| (run.target.place.file, run.target.place.line, run.target.version))
            .collect();
        made.findings = self.findings(&known)?;
        Ok(made)
    }

    /// Judges cases; what cannot be run is left out.
    fn judge(&self, batch: Vec<Candidate>) -> Result<Vec<(Candidate, Option<Judgement>)>, Error> {
        let trial = |candidate: &Candidate| {
            let name = program_of(&candidate.case);
            Some((self.pair.old.executables(&name)?, self.pair.new.executables(&name)?))
        };
        let (mut possible, mut executables) = (Vec::new(), Vec::new());
        for candidate in batch {
            if let Some(both) = trial(&candidate) {
                possible.push(candidate);
                executables.push(both);
            }
        }
        let trials: Vec<Trial<'_>> = possible
            .iter()
            .zip(executables)
            .map(|(candidate, (old, new))| Trial { case: &candidate.case, old, new })
            .collect();
        let judged = self.native.judge_all(&trials);
        drop(trials);
        let mut all = Vec::new();
        for (candidate, judgement) in possible.into_iter().zip(judged) {
            match judgement {
                Ok(judgement) => all.push((candidate, Some(judgement))),
                Err(umbra_replay::Error::Cancelled) => all.push((candidate, None)),
                Err(error) if error.is_of_the_case() => {}
                Err(source) => {
                    let case = program_of(&candidate.case);
                    return Err(Error::Run { case, source: Box::new(source) });
                }
            }
        }
        Ok(all)
    }

    /// A finding for each thing that cases show, and one for each error that is predicted and does not show.
    fn findings(&self, known: &BTreeMap<CaseId, Known>) -> Result<Vec<CheckFinding>, Error> {
        let judged: Vec<Judged> = known.iter().map(|(id, known)| self.judged(*id, known)).collect();
        let mut findings = Vec::new();
        for cluster in cluster(&judged) {
            findings.push(self.of_cluster(&cluster, known)?);
        }
        findings.extend(self.unconfirmed(known)?);
        // The sort is stable: within a class those come first that matter most.
        findings.sort_by_key(|finding| (finding.class, !finding.confirmed));
        for (number, finding) in (1..).zip(&mut findings) {
            self.write(number, finding, known)?;
        }
        Ok(findings)
    }

    fn judged(&self, id: CaseId, known: &Known) -> Judged {
        let Known { candidate, judgement } = known;
        let (program, size) = (program_of(&candidate.case), candidate.case.input_bytes());
        let cause = self.cause(candidate);
        Judged { id, program, size, cause, judgement: judgement.clone() }
    }

    /// The hunk that a difference comes from, as its first line that has code.
    fn cause(&self, candidate: &Candidate) -> Explanation {
        let changes = self.changes(candidate);
        let region =
            changes.iter().find_map(|change| self.regions.iter().find(|region| region.has(change)));
        let Some(region) = region else { return Explanation::Unknown };
        let lines = self.code.iter().find_map(|((file, line, version), function)| {
            let place = Place { file: file.clone(), line: *line };
            let ranges = &region.lines[usize::from(*version == Version::New)];
            let is_in = *file == region.file && ranges.iter().any(|range| range.contains(line));
            is_in.then(|| Target { place, function: function.clone(), version: *version })
        });
        match lines {
            Some(target) => Explanation::Line(ChangedLine { target, differing: 1, same: 0 }),
            None => Explanation::Unknown,
        }
    }

    /// The changed lines that a difference comes from, as places in the repository.
    fn changes(&self, candidate: &Candidate) -> Vec<Place> {
        let by_engine = candidate.line.iter().flat_map(|line| &line.changes);
        let mut changes: Vec<Place> = by_engine.filter_map(|place| self.place(place)).collect();
        if changes.is_empty() {
            changes.extend(candidate.by_suite.iter().flatten().map(|target| target.place.clone()));
        }
        changes
    }

    /// A place of the debug information, as one of the repository.
    fn place(&self, place: &Place) -> Option<Place> {
        let file = self.patch.file_named(&place.file)?;
        Some(Place { file: file.to_string_lossy().into_owned(), line: place.line })
    }

    fn of_cluster(
        &self,
        cluster: &Cluster,
        known: &BTreeMap<CaseId, Known>,
    ) -> Result<CheckFinding, Error> {
        let id = cluster.representative();
        let members = cluster.cases.iter().filter_map(|case| known.get(case));
        let signature = &cluster.signature;
        let mut changes: Vec<Place> =
            members.clone().flat_map(|member| self.changes(&member.candidate)).collect();
        changes.sort();
        changes.dedup();
        let function = match &signature.cause {
            Explanation::Line(line) => line.target.function.clone(),
            _ => signature.stack.first().cloned().unwrap_or_default(),
        };
        let identity = (&signature.program, signature.class, function, &signature.differences);
        let finding = CheckFinding {
            id: digest(&identity)[..DIGITS].to_owned(),
            class: signature.class,
            confirmed: true,
            by_suite: members.clone().any(|member| member.candidate.by_suite.is_some()),
            changes,
            cases: members.clone().map(|member| member.candidate.count).sum(),
            seconds: members.map(|member| member.candidate.seconds).fold(f64::MAX, f64::min),
            case: id.to_string(),
            ..CheckFinding::default()
        };
        match known.get(&id) {
            Some(example) => self.with_example(finding, example),
            None => Ok(finding),
        }
    }

    /// Errors that the engine predicts and that native runs do not show, each place once.
    fn unconfirmed(&self, known: &BTreeMap<CaseId, Known>) -> Result<Vec<CheckFinding>, Error> {
        let mut findings: BTreeMap<(String, Place), CheckFinding> = BTreeMap::new();
        for (id, known) in known {
            let Some(line) = &known.candidate.line else { continue };
            if line.class != Class::Regression || !known.judgement.class.is_silent() {
                continue;
            }
            let program = program_of(&known.candidate.case);
            let count = known.candidate.count;
            let key = (program.clone(), line.place.clone());
            if let Some(finding) = findings.get_mut(&key) {
                finding.cases += count;
                continue;
            }
            let function = line.stack.first().and_then(|call| call.split(' ').next());
            let identity = (&program, Class::Regression, function, "unconfirmed");
            let finding = CheckFinding {
                id: digest(&identity)[..DIGITS].to_owned(),
                class: Class::Regression,
                changes: self.changes(&known.candidate),
                cases: count,
                seconds: known.candidate.seconds,
                case: id.to_string(),
                ..CheckFinding::default()
            };
            let mut finding = self.with_example(finding, known)?;
            finding.new.error.get_or_insert_with(|| line.detail.clone());
            findings.insert(key, finding);
        }
        Ok(findings.into_values().collect())
    }

    /// Adds what the example shows.
    fn with_example(&self, finding: CheckFinding, example: &Known) -> Result<CheckFinding, Error> {
        let Known { candidate, judgement } = example;
        let (name, line) = (program_of(&candidate.case), candidate.line.as_ref());
        let program = self.paths.get(&name).cloned().unwrap_or(name);
        let shown = finding::finding(&program, finding.class, &candidate.case, judgement, line);
        let CheckFinding { id, class, confirmed, by_suite, changes, cases, seconds, case, .. } =
            finding;
        let mut finding =
            CheckFinding { id, class, confirmed, by_suite, changes, cases, seconds, case, ..shown };
        let (place, version) = self.where_it_is(&finding, candidate, judgement);
        (finding.place, finding.version) = (place, version);
        finding.excerpt = finding.place.as_ref().and_then(|place| self.excerpt(place, version));
        Ok(finding)
    }

    /// Where it goes wrong, or where the versions part.
    fn where_it_is(
        &self,
        finding: &CheckFinding,
        candidate: &Candidate,
        judgement: &Judgement,
    ) -> (Option<Place>, Version) {
        let reports = [(&judgement.new, Version::New), (&judgement.old, Version::Old)];
        let report = reports.into_iter().find_map(|(outcome, version)| {
            let place = outcome.report.as_ref()?.place.as_ref()?;
            Some((Place { file: place.file.clone(), line: place.line }, version))
        });
        if let Some((place, version)) = report {
            return (Some(self.place(&place).unwrap_or(place)), version);
        }
        let engine = candidate.line.as_ref().map(|line| &line.place);
        let engine = engine.filter(|place| place.line > 0).and_then(|place| self.place(place));
        if let Some(place) = engine {
            return (Some(place), Version::New);
        }
        let target = candidate.by_suite.clone().flatten();
        match target {
            Some(target) => (Some(target.place), target.version),
            None => (finding.changes.first().cloned(), Version::New),
        }
    }

    fn excerpt(&self, place: &Place, version: Version) -> Option<Excerpt> {
        let bytes = self.patch.file(version, Path::new(&place.file)).ok().flatten()?;
        finding::excerpt(&String::from_utf8_lossy(&bytes), place, version)
    }

    /// Writes the case of a finding to the folder of the check, and names it in the finding.
    fn write(
        &self,
        number: usize,
        finding: &mut CheckFinding,
        known: &BTreeMap<CaseId, Known>,
    ) -> Result<(), Error> {
        let id = finding.case.parse().ok();
        let Some(example) = id.and_then(|id: CaseId| known.get(&id)) else { return Ok(()) };
        finding.case = format!("cases/{number:03}");
        let folder = self.folder.join(&finding.case);
        example.candidate.case.write(&folder)?;
        let outcomes = [&example.judgement.old, &example.judgement.new];
        for (version, outcome) in Version::BOTH.into_iter().zip(outcomes) {
            let folder =
                self.folder.join(OUTPUTS).join(format!("{number:03}")).join(version.name());
            fs::create_dir_all(&folder).map_err(Error::file("making the folder", &folder))?;
            for (stream, captured) in [("stdout", &outcome.stdout), ("stderr", &outcome.stderr)] {
                let path = folder.join(stream);
                fs::write(&path, &captured.bytes).map_err(Error::file("writing", &path))?;
            }
        }
        let name = program_of(&example.candidate.case);
        let mut programs = Vec::new();
        for (version, of) in [("old", &self.pair.old), ("new", &self.pair.new)] {
            let Some(program) = of.executables(&name) else { continue };
            let to = self.folder.join(version).join(&name);
            copy(program.plain.path(), &to)?;
            programs.push(to);
        }
        let [old, new] = &programs[..] else { return Ok(()) };
        finding.command = finding::command(&folder, old, new).unwrap_or_default();
        Ok(())
    }
}

fn copy(from: &Path, to: &Path) -> Result<(), Error> {
    if to.exists() {
        return Ok(());
    }
    let folder = to.parent().unwrap_or(to);
    fs::create_dir_all(folder).map_err(Error::file("making the folder", folder))?;
    fs::copy(from, to).map_err(Error::file("writing", to))?;
    Ok(())
}
