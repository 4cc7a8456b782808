//! The stages, one after the other.

mod also;
mod build;
mod confirm;
mod patch;
mod reach;
mod record;
mod search;
mod suite;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

use umbra_project::{BuiltProgram, Revision, RevisionRange, TreeId};
use umbra_report::{CheckReport, Event, RevisionLine, Stage, StageEnd, StageLine};

use super::baseline::{self, Accepted};
use super::hunks::{self, Known, Region};
use super::keep::{Keep, REPORT, write};
use super::{CheckJob, CheckTests, CheckWatch, Identity, Project, Told};
use crate::Error;
use crate::cases::find_cases;
use crate::usage::{children_cpu, usage};
use confirm::Making;

/// A check as far as it is.
struct Check<'a> {
    job: &'a CheckJob,
    watch: &'a CheckWatch<'a>,
    project: &'a Project,
    range: RevisionRange,
    trees: [TreeId; 2],
    keep: Keep,
    accepted: BTreeMap<String, Accepted>,
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
    // What cannot be read is said before anything takes time.
    if let CheckTests::Cases(paths) = &job.tests {
        find_cases(paths)?;
    }
    for name in &job.also {
        repository.resolve(&Revision::Named(name.clone()))?;
    }
    let accepted = baseline::accepted(&project.folder)?;
    let mut check = Check { job, watch, project, range, trees, keep, accepted, start, report };
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
            let made = maker.make(self, &known, candidates.clone(), &mut |_| {})?;
            for finding in &made.findings {
                (self.watch.tell)(Told::Found(finding));
                self.event(Stage::Suite, &finding.verdict, &known);
            }
        }
        let (made_cases, made_candidates) = self.reach(&pair, &cases, &suite, &mut known)?;
        candidates.extend(made_candidates);
        let cases: Vec<PathBuf> = cases.into_iter().chain(made_cases).collect();
        candidates.extend(self.search(&pair, &cases, &suite, &mut known)?);
        let mut made = self.confirm(&mut maker, &known, candidates)?;
        self.also(&pair, &mut made.findings)?;
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

    /// Ends the check: what it came to is written down.
    fn close(mut self) -> Result<CheckReport, Error> {
        self.report.events.sort_by(|one, other| one.seconds.total_cmp(&other.seconds));
        self.report.wall_s = self.seconds();
        baseline::mark(&mut self.report, &self.accepted);
        let (own, peak) = usage();
        (self.report.cpu_s, self.report.peak_mib) = (own + children_cpu(), peak);
        self.report.instructions =
            self.report.programs.iter().map(|program| program.instructions).sum();
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

/// Whether a program has this name, or this path in the built tree.
fn is_called(program: &BuiltProgram, wanted: &Path) -> bool {
    wanted == Path::new(&program.name) || *wanted == program.path_in_tree
}

fn is_same_file(old: &BuiltProgram, new: &BuiltProgram) -> bool {
    let read = |program: &BuiltProgram| std::fs::read(program.bitcode.as_ref()?).ok();
    matches!((read(old), read(new)), (Some(old), Some(new)) if old == new)
}

/// `3 cases`.
pub fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_agree_with_their_words() {
        assert_eq!([counted(0, "case"), counted(1, "case")], ["0 cases", "1 case"]);
    }
}
