//! One entry, from its sources to its result.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Context;
use serde_json::Value;
use umbra_case::Case;

use super::corpus::{Entry, Package};
use super::outcome::{Half, Outcome, Phase};
use super::tool::Tool;
use super::{checked, corpus_folder, judge, recipe, repository_folder};

/// Seconds for a build, and for native runs of a few cases.
const BUILD: u64 = 1800;
const REPLAY: u64 = 600;

/// Seconds that `umbra diff` may take beyond what it is given: loading and native runs do not count.
const BEYOND: u64 = 300;

/// The budget is for two cores.
const WORKERS: &str = "2";

/// What is tried, and with what.
pub struct Attempt<'a> {
    pub package: &'a Package,
    pub entry: &'a Entry,
    pub umbra: &'a Path,
    /// The folder of results; each entry has a folder there with its cases and its run.
    pub results: &'a Path,
    pub seconds: u64,
    /// With `umbra check` in place of `umbra diff`.
    pub check: bool,
}

impl Attempt<'_> {
    /// Makes the attempt. What fails is part of the result.
    pub fn make(&self, half: Half, revision: &str) -> anyhow::Result<Outcome> {
        let name = &self.entry.name;
        let folder = self.results.join(name);
        // What an interrupted attempt has left.
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir(&folder)?;
        let mut tool = Tool {
            umbra: self.umbra.to_owned(),
            repository: PathBuf::new(),
            log: File::create(folder.join("log"))?,
            commands: Vec::new(),
        };
        let mut outcome = Outcome {
            name: name.clone(),
            half,
            revision: revision.to_owned(),
            budget_s: self.seconds,
            commands: Vec::new(),
            failure: None,
            bad: None,
            bad_sanitized: None,
            seeds: None,
            search: None,
            found: false,
            phase: None,
            found_s: None,
            needs_sanitizer: false,
        };
        let tried = self.steps(&folder, &mut tool, &mut outcome);
        outcome.failure = tried.err().map(|error| format!("{error:#}"));
        outcome.found = outcome.phase.is_some();
        outcome.commands = tool.commands;
        Ok(outcome)
    }

    fn steps(&self, folder: &Path, tool: &mut Tool, outcome: &mut Outcome) -> anyhow::Result<()> {
        let script = repository_folder().join("scripts/regression-sources");
        tool.fetch(&script, &self.entry.name).context("no sources")?;
        let manifest = recipe::umbra_toml(self.package, &corpus_folder())?;
        fs::write(tool.repository.join("umbra.toml"), manifest)?;
        let (bad, seeds) = self.write_cases(folder).context("writing the cases")?;
        tool.call(BUILD, &["build".as_ref(), self.range().as_ref()]).context("does not build")?;

        let shown = |replayed: anyhow::Result<Value>| replayed.and_then(|it| judge::shown(&it));
        outcome.bad =
            Some(shown(self.replay(tool, &[], &[&*bad])).context("replaying the bad input")?);
        if self.entry.kind.needs_sanitizer() {
            let replayed = shown(self.replay(tool, &["--sanitize"], &[&*bad]));
            outcome.bad_sanitized = Some(replayed.context("replaying with sanitizers")?);
        }
        let replayed = shown(self.replay(tool, &[], &[&*seeds])).context("replaying the seeds")?;
        outcome.phase = replayed.differs().then_some(Phase::Suite);
        outcome.seeds = Some(replayed);
        if !outcome.is_usable() {
            return Ok(());
        }
        match self.check {
            true => self.check(&seeds, folder, tool, outcome).context("checking"),
            false => self.search(&seeds, folder, tool, outcome).context("comparing"),
        }
    }

    /// Writes the bad input and the seeds, and returns their folders.
    fn write_cases(&self, folder: &Path) -> anyhow::Result<(PathBuf, PathBuf)> {
        let (bad, seeds) = (folder.join("bad"), folder.join("seeds"));
        self.entry.bad.case(&self.entry.program)?.write(&bad)?;
        fs::create_dir(&seeds)?;
        for (number, seed) in self.entry.seeds.iter().enumerate() {
            seed.case(&self.entry.program)?.write(&seeds.join(number.to_string()))?;
        }
        Ok((bad, seeds))
    }

    fn range(&self) -> String {
        let name = &self.entry.name;
        format!("{name}-old..{name}-new")
    }

    fn replay(&self, tool: &mut Tool, flags: &[&str], cases: &[&Path]) -> anyhow::Result<Value> {
        let range = self.range();
        let mut words: Vec<&OsStr> = vec!["replay".as_ref(), "--range".as_ref(), range.as_ref()];
        words.extend(flags.iter().map(OsStr::new));
        words.extend(cases.iter().map(|case| case.as_os_str()));
        tool.call(REPLAY, &words)
    }

    /// Looks for a difference near the seeds.
    fn search(
        &self,
        seeds: &Path,
        folder: &Path,
        tool: &mut Tool,
        outcome: &mut Outcome,
    ) -> anyhow::Result<()> {
        let run = folder.join("run");
        let (range, program) = (self.range(), &*self.entry.program);
        let time = format!("{}s", self.seconds);
        let words: [&OsStr; 14] = [
            "diff".as_ref(),
            "--range".as_ref(),
            range.as_ref(),
            "--program".as_ref(),
            program.as_ref(),
            "--case".as_ref(),
            seeds.as_ref(),
            "--max-time".as_ref(),
            time.as_ref(),
            "--workers".as_ref(),
            WORKERS.as_ref(),
            "--output".as_ref(),
            run.as_ref(),
            "--quiet".as_ref(),
        ];
        let start = SystemTime::now();
        let diffed = tool.call(self.seconds + BEYOND, &words)?;
        fs::write(folder.join("diff.json"), diffed.to_string())?;
        let summary = judge::compared(&diffed, program)?;
        outcome.search = Some(judge::search(summary, self.seconds));
        let name = program.rsplit('/').next().unwrap_or(program);
        let seen =
            judge::list(&summary["divergences"]).filter(|divergence| judge::is_seen(divergence));
        let written = seen.flat_map(|divergence| cases(divergence, &run.join(name)));
        let times = written.filter_map(|case| fs::metadata(case).ok()?.modified().ok());
        let found = times.min().and_then(|time| time.duration_since(start).ok());
        outcome.found_s = found.map(|time| time.as_secs_f64());
        if outcome.phase.is_none() {
            outcome.phase = judge::first_phase(summary, judge::is_seen)?;
        }
        if outcome.phase.is_none() && self.entry.kind.needs_sanitizer() {
            outcome.phase = self.sanitized_phase(summary, &run.join(name), tool)?;
            outcome.needs_sanitizer = outcome.phase.is_some();
        }
        Ok(())
    }

    /// Checks the patch from the seeds.
    fn check(
        &self,
        seeds: &Path,
        folder: &Path,
        tool: &mut Tool,
        outcome: &mut Outcome,
    ) -> anyhow::Result<()> {
        let (range, program) = (self.range(), &*self.entry.program);
        let time = format!("{}s", self.seconds);
        let words: [&OsStr; 11] = [
            "check".as_ref(),
            range.as_ref(),
            "--program".as_ref(),
            program.as_ref(),
            "--case".as_ref(),
            seeds.as_ref(),
            "--budget".as_ref(),
            time.as_ref(),
            "--workers".as_ref(),
            WORKERS.as_ref(),
            "--quiet".as_ref(),
        ];
        let object = tool.call(self.seconds + BUILD + BEYOND, &words)?;
        fs::write(folder.join("check.json"), object.to_string())?;
        let checked = checked::checked(&object, self.seconds);
        outcome.search = Some(checked.search);
        outcome.phase = outcome.phase.or(checked.phase);
        outcome.found_s = checked.found_s;
        outcome.needs_sanitizer = checked.needs_sanitizer;
        Ok(())
    }

    /// The first phase that led to a case on which builds with sanitizers differ.
    fn sanitized_phase(
        &self,
        summary: &Value,
        run: &Path,
        tool: &mut Tool,
    ) -> anyhow::Result<Option<Phase>> {
        let cases = |divergence: &Value| cases(divergence, run);
        if judge::list(&summary["divergences"]).flat_map(cases).next().is_none() {
            return Ok(None);
        }
        let replayed = self.replay(tool, &["--sanitize"], &[run])?;
        let differing = judge::differing(&replayed);
        let differs = |path: PathBuf| {
            Case::read(&path).is_ok_and(|case| differing.contains(&*case.id().to_string()))
        };
        judge::first_phase(summary, |divergence| cases(divergence).into_iter().any(differs))
    }
}

/// The test cases of a divergence, in the folder of its run.
fn cases(divergence: &Value, run: &Path) -> Vec<PathBuf> {
    let cases = [&divergence["case"]].into_iter().chain(judge::list(&divergence["more_cases"]));
    cases.filter_map(Value::as_str).map(|case| run.join(case)).collect()
}
