//! The stages, one after the other.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use umbra_case::Case;
use umbra_project::{Builder, BuiltProgram, Revision, RevisionRange, TreeId};
use umbra_report::{
    CheckReport, CheckedProgram, EffectLine, Event, PatchFile, RevisionLine, Stage, StageEnd,
    StageLine,
};
use umbra_strategy::Seed;
use umbra_words::{Class, Place, Target};

use super::findings::{Candidate, Made, Maker};
use super::hunks::{self, Known, Region};
use super::keep::{Keep, REPORT, digest, write};
use super::search::{Found, Search, Subject};
use super::{CheckJob, CheckTests, CheckWatch, Identity, Project, Told};
use crate::cases::{find_cases, recordings};
use crate::native::{Native, native_limits};
use crate::replay::cost::{Cost, CostKind};
use crate::replay::judge;
use crate::replay::versions::{self, How};
use crate::replay::{Comparison, Pair, Session};
use crate::{Error, usage};

/// Times and sizes that are this much alike are not worth a word.
const ALIKE: f64 = 0.05;

/// Nor are differences of less: seconds, and MiB. The system takes now more, now less.
const NOISE: [f64; 2] = [0.1, 32.0];

/// A check as far as it is.
struct Check<'a> {
    job: &'a CheckJob,
    watch: &'a CheckWatch<'a>,
    project: &'a Project,
    range: RevisionRange,
    trees: [TreeId; 2],
    keep: Keep,
    start: Instant,
    report: CheckReport,
}

/// Checks a patch. What it came to is also in the folder of the check.
pub fn check(
    job: &CheckJob,
    project: &Project,
    watch: &CheckWatch<'_>,
) -> Result<CheckReport, Error> {
    let start = Instant::now();
    let repository = project.builder.repository();
    let range = repository.range(job.range.as_deref())?;
    let trees = [repository.resolve(&range.old)?, repository.resolve(&range.new)?];
    let identity = Identity {
        trees: [trees[0].as_str(), trees[1].as_str()],
        tests: &job.tests,
        project: repository.prefix(),
    };
    let keep = Keep::open(&project.folder, &identity)?;
    let line = |revision: &Revision| {
        let commit = repository.commit(revision);
        let (commit, subject) = commit.unzip();
        let name = match revision {
            Revision::Named(name) => name.clone(),
            Revision::WorkingTree => ".".to_owned(),
        };
        RevisionLine { name, commit, subject }
    };
    let report = CheckReport {
        old: line(&range.old),
        new: line(&range.new),
        folder: keep.path().to_string_lossy().into_owned(),
        notes: project.notes.clone(),
        ..CheckReport::default()
    };
    let mut check = Check { job, watch, project, range, trees, keep, start, report };
    check.run()?;
    check.close()
}

impl Check<'_> {
    fn run(&mut self) -> Result<(), Error> {
        if self.trees[0] == self.trees[1] {
            self.report.notes.push("Both versions are the same source.".to_owned());
            return Ok(());
        }
        let Some(pair) = self.build()? else {
            // The patch itself can be shown all the same.
            return self.patch_alone();
        };
        self.expect_programs(&pair)?;
        let mut known = Known::default();
        let mut files = self.patch(&pair, &mut known)?;
        let regions: Vec<Region> = files
            .iter()
            .flat_map(|file| file.hunks.iter().map(|hunk| Region::of(&file.path, hunk)))
            .collect();
        let cases = self.tests(&pair)?;
        let suite = self.suite(&pair, &cases, &mut known)?;
        let mut candidates = self.suite_candidates(&suite)?;
        let mut maker = Making { regions: &regions, pair: &pair };
        if !candidates.is_empty() && !self.is_stopped() {
            let made = maker.make(self, &known, copy(&candidates)?, &mut |_| {})?;
            for finding in &made.findings {
                (self.watch.tell)(Told::Found(finding));
                self.event(Stage::Suite, &finding.verdict, &known);
            }
        }
        candidates.extend(self.search(&pair, &cases, &suite, &mut known)?);
        let made = self.confirm(&mut maker, &known, candidates)?;
        known.reached = made.reached;
        hunks::answer(&mut files, &known, &made.findings);
        self.report.patch = files;
        self.report.findings = made.findings;
        Ok(())
    }

    fn is_stopped(&self) -> bool {
        self.watch.sandboxes.stop.load(Ordering::Relaxed)
    }

    fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    fn doing(&self, stage: Stage, text: &str) {
        (self.watch.tell)(Told::Doing(stage, text, None));
    }

    /// A stage that began then has ended.
    fn ended(&mut self, stage: Stage, end: StageEnd, found: String, begun: Instant) {
        let end = match self.is_stopped() && end == StageEnd::Done {
            true => StageEnd::Interrupted,
            false => end,
        };
        let line = StageLine { stage, end, found, seconds: begun.elapsed().as_secs_f64() };
        (self.watch.tell)(Told::Ended(&line));
        self.report.stages.push(line);
    }

    fn event(&mut self, stage: Stage, text: &str, known: &Known) {
        let lines = known.code.len() as u64;
        let run = known.tests.iter().flatten().filter(|(_, tests)| **tests > 0).count();
        let seconds = self.seconds();
        let text = text.to_owned();
        self.report.events.push(Event {
            seconds,
            stage,
            text,
            lines_run: run as u64,
            lines,
            ..Event::default()
        });
    }

    /// Builds both versions; `None` if one does not build.
    fn build(&mut self) -> Result<Option<Pair>, Error> {
        let begun = Instant::now();
        self.doing(Stage::Build, "building both versions");
        let builder = &self.project.builder;
        let how = How { sanitize: false, building: self.watch.building };
        let mut built = Vec::new();
        let range = self.range.clone();
        for (version, revision) in [("old", &range.old), ("new", &range.new)] {
            match how.version(builder, revision) {
                Ok(version) => built.push(version),
                Err(Error::Project(error)) if is_of_the_source(&error) => {
                    let found = format!("the {version} version does not build");
                    self.report.notes.push(format!(
                        "The {version} version ({revision}) does not build, so nothing can be run: {error}"
                    ));
                    self.ended(Stage::Build, StageEnd::Failed, found, begun);
                    return Ok(None);
                }
                Err(error) => return Err(error),
            }
        }
        if self.job.sanitize {
            self.build_with_sanitizers(builder, &mut built);
        }
        let (Some(new), Some(old)) = (built.pop(), built.pop()) else { return Ok(None) };
        let (count, sanitized) = (new.built().len(), !new.sanitized.is_empty());
        let library = &self.project.manifest.library;
        let pair = versions::pair((builder, library), &self.range, old, new)?;
        let with = if sanitized { ", also with sanitizers" } else { "" };
        let found = format!("{} in both versions{with}", counted(count as u64, "program"));
        self.ended(Stage::Build, StageEnd::Done, found, begun);
        Ok(Some(pair))
    }

    /// Programs that were asked for are there, in one version at least.
    fn expect_programs(&self, pair: &Pair) -> Result<(), Error> {
        let all = || pair.new.built().iter().chain(pair.old.built());
        let missing =
            self.job.programs.iter().find(|wanted| !all().any(|it| is_called(it, wanted)));
        let Some(missing) = missing else { return Ok(()) };
        let mut known: Vec<String> = all().map(|program| program.name.clone()).collect();
        known.sort();
        known.dedup();
        Err(Error::NoProgram { name: missing.to_string_lossy().into_owned(), known })
    }

    /// Builds with sanitizers are evidence beside the rest: without them the check goes on.
    fn build_with_sanitizers(&mut self, builder: &Builder, built: &mut [versions::Version]) {
        let revisions = [&self.range.old, &self.range.new];
        for (version, revision) in built.iter_mut().zip(revisions) {
            if let Err(error) = version.add_sanitized(builder, revision, self.watch.building) {
                let text = error.to_string();
                let first = text.lines().next().unwrap_or_default();
                self.report.notes.push(format!(
                    "There is no build with sanitizers ({first}), so errors that do not show themselves may be missed."
                ));
                break;
            }
        }
        if built.iter().any(|version| version.sanitized.is_empty()) {
            built.iter_mut().for_each(|version| version.sanitized.clear());
        }
    }

    /// The hunks of a patch that does not build.
    fn patch_alone(&mut self) -> Result<(), Error> {
        let repository = self.project.builder.repository();
        let [old, new] = self.trees.clone();
        let patch = crate::Patch::new(repository, (old, new), &[], Path::new("/"))?;
        let mut files = hunks::files(&patch)?;
        hunks::answer(&mut files, &Known::default(), &[]);
        for hunk in files.iter_mut().flat_map(|file| &mut file.hunks) {
            hunk.because = "not both versions build".to_owned();
        }
        self.report.patch = files;
        Ok(())
    }

    /// Maps the patch to lines that have code.
    fn patch(&mut self, pair: &Pair, known: &mut Known) -> Result<Vec<PatchFile>, Error> {
        let begun = Instant::now();
        let Some(patch) = &pair.patch else { return Ok(Vec::new()) };
        self.doing(Stage::Patch, "finding the changed lines");
        let files = hunks::files(patch)?;
        let key = digest(&(&self.trees, &self.project.manifest.library));
        let kept: Option<Mapped> = self.keep.get("patch", &key);
        let reused = kept.is_some();
        let mapped = match kept {
            Some(mapped) => mapped,
            None => {
                let mapped = self.map(pair)?;
                self.keep.put("patch", &key, &mapped)?;
                mapped
            }
        };
        for target in mapped.targets {
            let Target { place: Place { file, line }, function, version } = target;
            known.code.insert((file, line, version), function);
        }
        known.built = mapped.files;
        for (program, why) in mapped.problems {
            self.report.notes.push(format!("The changed lines of {program} are not known: {why}"));
        }
        let functions: BTreeSet<&String> = known.code.values().collect();
        let hunks: usize = files.iter().map(|file| file.hunks.len()).sum();
        let found = format!(
            "{}, {}, {} with code in {}",
            counted(files.len() as u64, "file"),
            counted(hunks as u64, "hunk"),
            counted(known.code.len() as u64, "changed line"),
            counted(functions.len() as u64, "function"),
        );
        if known.code.is_empty() {
            let note = "No changed line has code in a program: comments, declarations, data, or files that are not built.";
            self.report.notes.push(note.to_owned());
        }
        let end = if reused { StageEnd::Reused } else { StageEnd::Done };
        self.ended(Stage::Patch, end, found, begun);
        Ok(files)
    }

    fn map(&self, pair: &Pair) -> Result<Mapped, Error> {
        let mut mapped = Mapped::default();
        let Some(patch) = &pair.patch else { return Ok(mapped) };
        for (old, new) in differing(pair) {
            let (Some(old_program), Some(new_program)) =
                (pair.old.programs.get(&old.name), pair.new.programs.get(&new.name))
            else {
                continue;
            };
            self.doing(Stage::Patch, &format!("finding the changed lines of {}", new.name));
            match patch.in_program(old_program, new_program) {
                Ok((counted, files)) => {
                    mapped.files.extend(files);
                    mapped
                        .targets
                        .extend(counted.into_iter().map(|(candidate, _)| candidate.line.target));
                }
                Err(error) => drop(mapped.problems.insert(new.name.clone(), error.to_string())),
            }
        }
        Ok(mapped)
    }

    /// The cases to start from: what is recorded, or what was given.
    fn tests(&mut self, pair: &Pair) -> Result<Vec<PathBuf>, Error> {
        let begun = Instant::now();
        match &self.job.tests {
            CheckTests::None => {
                let found = "no tests are wanted".to_owned();
                self.ended(Stage::Record, StageEnd::Skipped, found, begun);
                Ok(Vec::new())
            }
            CheckTests::Cases(paths) => {
                let cases = find_cases(paths)?.len() as u64;
                self.ended(
                    Stage::Record,
                    StageEnd::Skipped,
                    format!("{} given", counted(cases, "case")),
                    begun,
                );
                Ok(paths.clone())
            }
            CheckTests::Command { words, stdin } => {
                let folder = self.command(pair, words, stdin.as_ref())?;
                let found = "one command line was given".to_owned();
                self.ended(Stage::Record, StageEnd::Skipped, found, begun);
                Ok(vec![folder])
            }
            CheckTests::Suite => self.recorded(begun),
        }
    }

    /// The case of a command line.
    fn command(
        &self,
        pair: &Pair,
        words: &[Vec<u8>],
        stdin: Option<&Vec<u8>>,
    ) -> Result<PathBuf, Error> {
        let word = words.first().cloned().unwrap_or_default();
        let name = String::from_utf8_lossy(&word).into_owned();
        let name = name.rsplit('/').next().unwrap_or_default();
        if !pair.new.built().iter().any(|program| program.name == name) {
            let known = pair.new.built().iter().map(|program| program.name.clone());
            return Err(Error::NoProgram { name: name.to_owned(), known: known.collect() });
        }
        let arguments = words.iter().skip(1).cloned().collect();
        let seed = Seed::of_words(name.as_bytes().to_vec(), arguments, stdin.cloned());
        let folder = self.keep.empty_folder("command")?.join("000001");
        let case: &Case = seed.case();
        case.write(&folder)?;
        Ok(folder)
    }

    /// What the suite feeds to programs, recorded if that was not done.
    fn recorded(&mut self, begun: Instant) -> Result<Vec<PathBuf>, Error> {
        let store = recordings(&self.project.folder)?;
        let known = if store.is_dir() { crate::cases::in_store(&store)?.len() } else { 0 };
        if known > 0 {
            let found = format!("{} recorded before", counted(known as u64, "case"));
            self.ended(Stage::Record, StageEnd::Reused, found, begun);
            return Ok(vec![store]);
        }
        if self.project.manifest.test.is_empty() {
            let found = "the project has no test command".to_owned();
            self.report.notes.push(
                "umbra.toml names no tests (`command` of [test]): give a command line behind `--`, or cases with --case."
                    .to_owned(),
            );
            self.ended(Stage::Record, StageEnd::Skipped, found, begun);
            return Ok(Vec::new());
        }
        self.doing(Stage::Record, "running the test suite");
        // New tests say more of the patch than old ones.
        let recorded = match (self.watch.record)(self.project, &self.range.new) {
            Ok(recorded) => recorded,
            Err(error) => {
                let text = error.to_string();
                let first = text.lines().next().unwrap_or_default().to_owned();
                self.report.notes.push(format!("The test suite could not be recorded: {text}"));
                self.ended(Stage::Record, StageEnd::Failed, first, begun);
                return Ok(Vec::new());
            }
        };
        if recorded.status != 0 {
            self.report.notes.push(format!(
                "The test suite of the new version fails (exit status {}); what it wrote is in {}.",
                recorded.status,
                recorded.log.display()
            ));
        }
        if recorded.cases == 0 {
            let why = recorded.why_none.unwrap_or_else(|| "no program was run".to_owned());
            self.report.notes.push(format!("No test was recorded: {why}"));
            self.ended(Stage::Record, StageEnd::Failed, "no case".to_owned(), begun);
            return Ok(Vec::new());
        }
        let (all, kept) = recorded.invocations;
        let cases = counted(recorded.cases as u64, "case");
        let found = format!("{cases} from {kept} of {all} invocations");
        self.ended(Stage::Record, StageEnd::Done, found, begun);
        Ok(vec![store])
    }

    /// Runs the tests on both versions.
    fn suite(&mut self, pair: &Pair, cases: &[PathBuf], known: &mut Known) -> Result<Suite, Error> {
        let begun = Instant::now();
        if cases.is_empty() {
            self.ended(Stage::Suite, StageEnd::Skipped, "there are no tests".to_owned(), begun);
            return Ok(Suite::default());
        }
        let found = find_cases(cases)?;
        let names: Vec<&str> = found.iter().map(crate::Found::name).collect();
        let is_sanitized = !pair.new.sanitized.is_empty();
        let key =
            digest(&(&self.trees, names, is_sanitized, self.job.run_time, self.job.run_memory_mib));
        let kept: Option<Suite> = self.keep.get("suite", &key);
        let reused = kept.is_some();
        let suite = match kept {
            Some(suite) => suite,
            None => {
                let suite = self.run_suite(pair, found)?;
                if suite.comparison.not_run == 0 {
                    self.keep.put("suite", &key, &suite)?;
                }
                suite
            }
        };
        let comparison = &suite.comparison;
        let line = |run: &crate::LineRuns| {
            let Target { place, version, .. } = &run.target;
            ((place.file.clone(), place.line, *version), run.cases)
        };
        known.tests = Some(comparison.lines.iter().map(line).collect());
        for (program, why) in &comparison.without_places {
            self.report.notes.push(format!(
                "Which tests run the changed lines of {program} is not known: {why}"
            ));
        }
        if !comparison.impossible.is_empty() {
            let count = counted(comparison.impossible.len() as u64, "case");
            let (case, why) = &comparison.impossible[0];
            self.report.notes.push(format!("{count} could not be run, such as {case}: {why}"));
        }
        let all: usize = comparison.classes.values().sum();
        let differ = all - comparison.classes.get(&Class::Same).copied().unwrap_or_default();
        let touching: u64 = comparison.programs.values().map(|counts| counts.touching).sum();
        let lines = comparison.changed_lines.unwrap_or_default();
        let found = format!(
            "{differ} of {} differ; {touching} run changed code, {} of {} changed lines",
            counted(all as u64, "case"),
            lines.run,
            lines.all
        );
        self.report.effects = effects(&suite.costs);
        let end = if reused { StageEnd::Reused } else { StageEnd::Done };
        self.ended(Stage::Suite, end, found, begun);
        self.event(Stage::Suite, "the suite has run on both versions", known);
        Ok(suite)
    }

    fn run_suite(&self, pair: &Pair, found: Vec<crate::Found>) -> Result<Suite, Error> {
        let count = found.len();
        let session = Session {
            cases: found,
            native: self.native(pair)?,
            minimise: None,
            ended: &|_| std::ops::ControlFlow::Continue(()),
        };
        let mut examples = Vec::new();
        let (comparison, costs) = judge::run(&session, pair, &mut examples, &mut |so_far| {
            let done: usize = so_far.classes.values().sum::<usize>() + so_far.without_program;
            let text = format!("{done} of {count} cases on both versions");
            let share = done as f64 / count.max(1) as f64;
            (self.watch.tell)(Told::Doing(Stage::Suite, &text, Some(share)));
        })?;
        let folder = self.keep.empty_folder("suite")?;
        let mut names = Vec::new();
        for (number, example) in (1..).zip(&examples) {
            let name = format!("suite/{number:03}");
            example.write(&folder.join(format!("{number:03}")))?;
            names.push(name);
        }
        Ok(Suite { comparison, costs, examples: names })
    }

    fn native(&self, pair: &Pair) -> Result<Native, Error> {
        let limits = native_limits(self.job.run_time, self.job.run_memory_mib);
        let native = Native::start(limits, None, self.watch.sandboxes)?;
        match pair.new.sanitized.is_empty() {
            true => Ok(native),
            false => {
                let tools = (self.watch.tools)().map_err(Error::Given)?.tools;
                Ok(native.with_symbolizer(tools.symbolizer)?)
            }
        }
    }

    /// The example of each thing that the suite shows.
    fn suite_candidates(&self, suite: &Suite) -> Result<Vec<Candidate>, Error> {
        let mut candidates = Vec::new();
        for (cluster, name) in suite.comparison.clusters.iter().zip(&suite.examples) {
            let mut case = Case::read(&self.keep.path().join(name))?;
            case.origin.entry("seed".to_owned()).or_insert_with(|| cluster.example.clone());
            candidates.push(Candidate {
                case,
                count: cluster.cases.len() as u64,
                by_suite: Some(cluster.line.as_ref().map(|line| line.target.clone())),
                line: None,
                seconds: self.seconds(),
            });
        }
        Ok(candidates)
    }

    /// Searches near the tests, one program after the other: what is left of the time is shared by those that are left.
    fn search(
        &mut self,
        pair: &Pair,
        cases: &[PathBuf],
        suite: &Suite,
        known: &mut Known,
    ) -> Result<Vec<Candidate>, Error> {
        let begun = Instant::now();
        let mut subjects = self.subjects(pair, suite);
        if subjects.is_empty() {
            let found = "no program differs".to_owned();
            self.ended(Stage::Search, StageEnd::Skipped, found, begun);
            return Ok(Vec::new());
        }
        // Those whose tests run the change say more.
        subjects.sort_by_key(|subject| std::cmp::Reverse(subject.tests.touching));
        let executables = |version: &versions::Version| {
            let programs = version.programs.iter();
            programs.map(|(name, program)| (name.clone(), program.path().to_owned())).collect()
        };
        let search = Search {
            job: self.job,
            watch: self.watch,
            folder: self.keep.path(),
            project: &self.project.folder,
            trees: self.trees.clone(),
            library: &self.project.manifest.library,
            tree: pair.new.tree().map(Path::to_owned).unwrap_or_default(),
            programs: [executables(&pair.old), executables(&pair.new)],
            cases,
            start: self.start,
        };
        let (mut candidates, mut programs, mut events) = (Vec::new(), Vec::new(), Vec::new());
        let (mut reused, mut interrupted) = (true, false);
        for (at, subject) in subjects.iter().enumerate() {
            if self.is_stopped() {
                interrupted = true;
                let program = CheckedProgram {
                    path: subject.path.clone(),
                    outcome: "not searched: interrupted".to_owned(),
                    ..CheckedProgram::default()
                };
                programs.push(program);
                continue;
            }
            let left = (subjects.len() - at) as u32;
            let time = self.job.budget.map(|budget| budget.saturating_sub(begun.elapsed()) / left);
            let found = search.program(subject, time)?;
            reused &= found.reused;
            self.learn(pair, subject, &found, known);
            events.push(format!("{}: {}", found.program.path, found.program.outcome));
            candidates.extend(found.candidates);
            programs.push(found.program);
        }
        drop(search);
        for event in events {
            self.event(Stage::Search, &event, known);
        }
        let open = programs.iter().filter(|program| !program.complete).count() as u64;
        let found = format!(
            "{} to confirm, in {}{}",
            counted(candidates.len() as u64, "case"),
            counted(programs.len() as u64, "program"),
            if open > 0 { format!("; {open} not explored to the end") } else { String::new() }
        );
        let end = match (interrupted, reused) {
            (true, _) => StageEnd::Interrupted,
            (false, true) => StageEnd::Reused,
            (false, false) => StageEnd::Done,
        };
        self.report.programs.extend(programs);
        self.ended(Stage::Search, end, found, begun);
        Ok(candidates)
    }

    /// The programs to search in. Of the others it is said why not.
    fn subjects<'p>(&mut self, pair: &'p Pair, suite: &Suite) -> Vec<Subject<'p>> {
        let mut subjects = Vec::new();
        let is_wanted = |program: &BuiltProgram| {
            let wanted = &self.job.programs;
            wanted.is_empty() || wanted.iter().any(|wanted| is_called(program, wanted))
        };
        let mut programs = Vec::new();
        let mut alone = |program: &BuiltProgram, outcome: &str| {
            programs.push(CheckedProgram {
                path: program.path_in_tree.to_string_lossy().into_owned(),
                outcome: outcome.to_owned(),
                complete: true,
                ..CheckedProgram::default()
            });
        };
        let both = |one: &BuiltProgram, in_version: &'p versions::Version| {
            in_version.built().iter().find(|other| other.path_in_tree == one.path_in_tree)
        };
        for program in pair.old.built().iter().filter(|program| is_wanted(program)) {
            if both(program, &pair.new).is_none() {
                alone(program, "only the old version has it");
            }
        }
        for new in pair.new.built().iter().filter(|program| is_wanted(program)) {
            match both(new, &pair.old) {
                None => alone(new, "only the new version has it"),
                Some(old) if is_same_file(old, new) => {}
                Some(old) => {
                    let tests = suite.comparison.programs.get(&new.name);
                    subjects.push(Subject {
                        path: new.path_in_tree.to_string_lossy().into_owned(),
                        old,
                        new,
                        tests: tests.copied().unwrap_or_default(),
                    });
                }
            }
        }
        self.report.programs.extend(programs);
        subjects
    }

    /// Keeps what a search says of the changes.
    fn learn(&self, pair: &Pair, subject: &Subject<'_>, found: &Found, known: &mut Known) {
        let Some(patch) = &pair.patch else { return };
        let of = |place: &Place| {
            let file = patch.file_named(&place.file)?;
            Some((file.to_string_lossy().into_owned(), place.line))
        };
        for change in found.summary.iter().flat_map(|summary| &summary.changes) {
            if let Some(key) = of(&change.place) {
                let known = known.changes.entry(key).or_default();
                known.reached |= change.reached;
                known.paired |= change.paired;
            }
        }
        // Which files a program has code of is known for all of them together only.
        let files: Vec<PathBuf> = known.built.iter().cloned().collect();
        for file in files {
            if let Some(open) = &found.open {
                known.open.insert(file, format!("{}: {open}", subject.path));
            } else if found.proved {
                known.proved.insert(file);
            }
        }
        known.proved.retain(|file| !known.open.contains_key(file));
    }

    /// Runs what was found natively.
    fn confirm(
        &mut self,
        maker: &mut Making<'_>,
        known: &Known,
        candidates: Vec<Candidate>,
    ) -> Result<Made, Error> {
        let begun = Instant::now();
        if candidates.is_empty() {
            let found = "nothing was found".to_owned();
            self.ended(Stage::Confirm, StageEnd::Skipped, found, begun);
            return Ok(Made::default());
        }
        let count = candidates.len();
        let watch = self.watch;
        let made = maker.make(self, known, candidates, &mut |done| {
            let text = format!("{done} of {}", counted(count as u64, "case"));
            let share = done as f64 / count.max(1) as f64;
            (watch.tell)(Told::Doing(Stage::Confirm, &text, Some(share)));
        })?;
        let confirmed = made.findings.iter().filter(|finding| finding.confirmed).count();
        let not_run = match made.not_run {
            0 => String::new(),
            count => format!("; {count} cases were not run any more"),
        };
        let found = format!(
            "{confirmed} of {} confirmed{not_run}",
            counted(made.findings.len() as u64, "finding")
        );
        self.ended(Stage::Confirm, StageEnd::Done, found, begun);
        for (number, finding) in (1..).zip(&made.findings) {
            let Some(stage) = (!finding.by_suite).then_some(Stage::Search) else { continue };
            self.report.events.push(Event {
                seconds: finding.seconds,
                stage,
                text: finding.verdict.clone(),
                finding: Some(number),
                lines_run: known.tests.iter().flatten().filter(|(_, tests)| **tests > 0).count()
                    as u64,
                lines: known.code.len() as u64,
            });
        }
        Ok(made)
    }

    /// Ends the check: what it came to is written down.
    fn close(mut self) -> Result<CheckReport, Error> {
        self.report.events.sort_by(|one, other| one.seconds.total_cmp(&other.seconds));
        self.report.wall_s = self.seconds();
        (self.report.cpu_s, _) = usage();
        let is_built =
            |line: &StageLine| line.stage != Stage::Build || line.end != StageEnd::Failed;
        let is_found = self.report.open().next().is_some();
        self.report.exit = match is_found {
            true => 1,
            false if self.report.stages.iter().all(is_built) => 0,
            false => 2,
        };
        write(&self.keep.path().join(REPORT), &self.report.to_file())?;
        Ok(self.report)
    }
}

/// What findings are made with, beside the check.
struct Making<'a> {
    regions: &'a [Region],
    pair: &'a Pair,
}

impl Making<'_> {
    fn make(
        &mut self,
        check: &Check<'_>,
        known: &Known,
        candidates: Vec<Candidate>,
        seen: &mut dyn FnMut(usize),
    ) -> Result<Made, Error> {
        let Some(patch) = &self.pair.patch else { return Ok(Made::default()) };
        check.keep.empty_folder("cases")?;
        let paths: BTreeMap<String, String> = self
            .pair
            .new
            .built()
            .iter()
            .map(|program| {
                (program.name.clone(), program.path_in_tree.to_string_lossy().into_owned())
            })
            .collect();
        let maker = Maker {
            pair: self.pair,
            patch,
            regions: self.regions,
            code: &known.code,
            native: &check.native(self.pair)?,
            paths: &paths,
            folder: check.keep.path(),
        };
        maker.make(candidates, seen)
    }
}

/// The changed lines of all programs.
#[derive(Default, Serialize, Deserialize)]
struct Mapped {
    targets: Vec<Target>,
    files: BTreeSet<PathBuf>,
    problems: BTreeMap<String, String>,
}

/// What the suite has shown.
#[derive(Default, Serialize, Deserialize)]
struct Suite {
    comparison: Comparison,
    costs: Vec<Cost>,
    /// The folders of the examples, in the folder of the check.
    examples: Vec<String>,
}

/// Programs that both versions have and that are not the same file.
fn differing(pair: &Pair) -> impl Iterator<Item = (&BuiltProgram, &BuiltProgram)> {
    let of_new = |old: &BuiltProgram| {
        pair.new.built().iter().find(|new| new.path_in_tree == old.path_in_tree)
    };
    let both = pair.old.built().iter().filter_map(move |old| Some((old, of_new(old)?)));
    both.filter(|(old, new)| !is_same_file(old, new))
}

/// Whether a program has this name, or this path in the built tree.
fn is_called(program: &BuiltProgram, wanted: &Path) -> bool {
    wanted == Path::new(&program.name) || *wanted == program.path_in_tree
}

fn is_same_file(old: &BuiltProgram, new: &BuiltProgram) -> bool {
    let read = |program: &BuiltProgram| std::fs::read(program.bitcode.as_ref()?).ok();
    matches!((read(old), read(new)), (Some(old), Some(new)) if old == new)
}

/// Whether a build failed because of what was built.
fn is_of_the_source(error: &umbra_project::Error) -> bool {
    use umbra_project::Error;
    matches!(error, Error::Build(_) | Error::NoPrograms { .. } | Error::Cxx(_))
}

/// The same cases again.
fn copy(candidates: &[Candidate]) -> Result<Vec<Candidate>, Error> {
    let copy = |candidate: &Candidate| Candidate {
        case: candidate.case.clone(),
        count: candidate.count,
        by_suite: candidate.by_suite.clone(),
        line: candidate.line.clone(),
        seconds: candidate.seconds,
    };
    Ok(candidates.iter().map(copy).collect())
}

/// What the versions took, where they are not alike.
fn effects(costs: &[Cost]) -> Vec<EffectLine> {
    let line = |cost: &Cost| {
        let [time, memory] = NOISE;
        let (what, unit, scale, noise) = match cost.what {
            CostKind::Time => ("processor time", "s", 1e6, time),
            CostKind::Memory => ("peak memory", "MiB", f64::from(1 << 20), memory),
        };
        let value = |number: u64| number as f64 / scale;
        let worst = cost.worst.as_ref();
        let line = EffectLine {
            what: what.to_owned(),
            unit: unit.to_owned(),
            old: value(cost.all[0]),
            new: value(cost.all[1]),
            worst: worst.map(|(case, _)| case.clone()),
            worst_values: worst.map(|(_, [old, new])| (value(*old), value(*new))),
        };
        let more = (line.new - line.old).abs();
        (more > line.old * ALIKE && more > noise).then_some(line)
    };
    costs.iter().filter_map(line).collect()
}

/// `3 cases`.
pub fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_costs_alike_is_no_effect() {
        let cost = |what, all| Cost { what, all, worst: Some(("a".to_owned(), all)) };
        let costs = [
            cost(CostKind::Time, [10_000_000, 10_200_000]),
            cost(CostKind::Time, [1_000, 50_000]),
            cost(CostKind::Memory, [1 << 20, 12 << 20]),
            cost(CostKind::Memory, [1 << 20, 65 << 20]),
        ];
        let effects = effects(&costs);
        assert_eq!(effects.len(), 1);
        assert_eq!((effects[0].old, effects[0].new), (1.0, 65.0));
    }

    #[test]
    fn numbers_agree_with_their_words() {
        assert_eq!([counted(0, "case"), counted(1, "case")], ["0 cases", "1 case"]);
    }
}
