//! Two revisions of the project: every program that differs, near its recorded tests; or one program,
//! on its arguments or on all inputs.
//!
//! Programs are compared one after the other. Those that are left share the time equally. What goes wrong with one
//! program is said of it, and the others go on.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use umbra_jobs::{BuiltRevision, Pair, Patch, explain, find_cases, program_of, recordings};
use umbra_project::BuiltProgram;
use umbra_report::{ComparedProgram, ProgramOutcome, RangeSummary, RunFolder};
use umbra_text::Show;

use super::options::Args;
use super::watched::Watched;
use super::{begin, carry_out, look, show_explanation, words};
use crate::out::{self, say, tell};
use crate::{environment, interrupt, project};

/// How long all programs take, if they are compared near tests and nothing is said.
const TIME: Duration = Duration::from_secs(300);

/// Runs the command.
pub fn run(mut args: Args) -> anyhow::Result<ExitCode> {
    let start = Instant::now();
    check(&args)?;
    if args.command.is_empty() && args.cases.is_empty() && !args.complete && !args.explain {
        args.cases = vec![recorded()?];
    }
    let versions = Versions::build(&args)?;
    let programs = versions.programs(&args)?;
    let tested = tested(&args)?;
    let stop = Arc::new(AtomicBool::new(false));
    interrupt::catch(&stop)?;
    if let Some(path) = &args.exploring.output {
        RunFolder::create_at(path)?;
    }
    let arguments = std::mem::take(&mut args.command);
    let time = args.limits.max_time.or((!args.complete).then_some(TIME));
    let time = time.filter(|_| !args.exploring.deterministic);
    let mut summary = RangeSummary {
        old: versions.names.0.clone(),
        new: versions.names.1.clone(),
        ..RangeSummary::default()
    };
    let begin = Instant::now();
    let is_missing = |name: &str| tested.as_ref().is_some_and(|names| !names.contains(name));
    let left = |at: usize| programs.len() - at;
    for (at, program) in programs.iter().enumerate() {
        let share = time.map(|time| time.saturating_sub(begin.elapsed()) / left(at) as u32);
        let outcome = match program {
            Found::Alone(reason) => ProgramOutcome::LeftOut((*reason).to_owned()),
            Found::Both { old, new } if is_same_file(old, new) => ProgramOutcome::Same(None),
            _ if stop.load(Ordering::Relaxed) => ProgramOutcome::LeftOut("interrupted".to_owned()),
            Found::Both { new, .. } if is_missing(&new.name) => {
                ProgramOutcome::LeftOut("no test is for it".to_owned())
            }
            Found::Both { old, new } => {
                args.old = Some(old.executable.clone());
                args.command = std::iter::once(OsString::from(&new.executable))
                    .chain(arguments.iter().cloned())
                    .collect();
                args.limits.max_time = share;
                versions.compare(&args, new, &stop).unwrap_or_else(|error| {
                    let text = format!("{error:#}");
                    tell!("{}: {}", new.path_in_tree.shown(), text.shown());
                    ProgramOutcome::Failed(text)
                })
            }
        };
        let compared = ComparedProgram { path: versions.paths[at].clone(), outcome };
        if !args.printing.quiet && !args.explain {
            let look = look(&args);
            out::page(format_args!("{}", compared.to_text(look)), look.colour)?;
        }
        summary.programs.push(compared);
    }
    summary.wall_s = start.elapsed().as_secs_f64();
    summary.exit = exit(&summary);
    if !args.printing.quiet {
        say!("{}", summary.count_text())?;
    }
    if args.printing.json {
        out::json_line(&summary.to_json())?;
    }
    Ok(ExitCode::from(summary.exit))
}

/// What is wrong with the flags is said before anything takes time.
fn check(args: &Args) -> anyhow::Result<()> {
    let range = args.range.as_deref().unwrap_or_default();
    if !args.command.is_empty() && args.program.is_none() {
        bail!("{}", words::ambiguous_range(range, &args.command));
    }
    if args.program.is_none() && (args.complete || args.function.is_some()) {
        bail!("--complete and --function are about one program: name it with --program");
    }
    if !args.command.is_empty() && !args.cases.is_empty() {
        bail!("--case: the arguments are those of the test case, so give none behind `--`");
    }
    Ok(())
}

/// What was recorded in this project.
fn recorded() -> anyhow::Result<PathBuf> {
    let store = recordings(&project::folder()?)?;
    if !store.is_dir() {
        bail!(
            "{} has no recordings to start from: run `umbra record` first, name cases with --case, \
             or one program and its arguments with --program NAME -- ARGS",
            store.shown()
        );
    }
    Ok(store)
}

/// The programs that the cases are for; `None` if there are none to look at. A case that is named itself
/// is for any program.
fn tested(args: &Args) -> anyhow::Result<Option<BTreeSet<String>>> {
    if args.cases.is_empty() || args.cases.iter().any(|path| path.join("case.json").exists()) {
        return Ok(None);
    }
    let mut names = BTreeSet::new();
    for found in find_cases(&args.cases)? {
        names.insert(program_of(&found.read()?.case));
    }
    Ok(Some(names))
}

fn is_same_file(old: &BuiltProgram, new: &BuiltProgram) -> bool {
    let read = |program: &BuiltProgram| std::fs::read(program.bitcode.as_ref()?).ok();
    matches!((read(old), read(new)), (Some(old), Some(new)) if old == new)
}

/// The worst of all programs: an error of ours, something found, something left unexplored.
fn exit(summary: &RangeSummary) -> u8 {
    let exits = summary.programs.iter().map(|program| match &program.outcome {
        ProgramOutcome::Failed(_) => 2,
        ProgramOutcome::Compared(summary) => summary.exit,
        ProgramOutcome::Same(_) | ProgramOutcome::LeftOut(_) => 0,
    });
    let exits: BTreeSet<u8> = exits.collect();
    [2, 1, 3].into_iter().find(|exit| exits.contains(exit)).unwrap_or(0)
}

/// A program of either revision.
enum Found<'a> {
    Both { old: &'a BuiltProgram, new: &'a BuiltProgram },
    Alone(&'static str),
}

/// Both revisions, built.
struct Versions {
    names: (String, String),
    old: BuiltRevision,
    new: BuiltRevision,
    patch: Patch,
    /// The programs of either, as paths in the tree.
    paths: Vec<String>,
}

impl Versions {
    fn build(args: &Args) -> anyhow::Result<Self> {
        let (builder, manifest) =
            project::builder().context("--range is about the project in this folder")?;
        let repository = builder.repository();
        let range = repository.range(args.range.as_deref())?;
        let old = BuiltRevision::new(&builder, &range.old, &project::show_build)?;
        let new = BuiltRevision::new(&builder, &range.new, &project::show_build)?;
        let trees = (repository.resolve(&range.old)?, repository.resolve(&range.new)?);
        let patch = Patch::new(repository, trees, &manifest.library, &new.build.tree)?;
        let is_meant = |program: &BuiltProgram| {
            let names = args
                .program
                .as_deref()
                .map(|meant| meant == Path::new(&program.name) || meant == program.path_in_tree);
            names.unwrap_or(true)
        };
        let paths: BTreeSet<&Path> = built(&old)
            .chain(built(&new))
            .filter(|program| is_meant(program))
            .map(|program| program.path_in_tree.as_path())
            .collect();
        let paths = paths.into_iter().map(|path| path.to_string_lossy().into_owned()).collect();
        let names = (range.old.to_string(), range.new.to_string());
        Ok(Self { names, old, new, patch, paths })
    }

    /// The programs that are meant, in the order of their paths.
    fn programs(&self, args: &Args) -> anyhow::Result<Vec<Found<'_>>> {
        if let (Some(name), []) = (&args.program, &*self.paths) {
            let known: BTreeSet<String> = [&self.old, &self.new]
                .into_iter()
                .flat_map(built)
                .map(|program| program.path_in_tree.to_string_lossy().into_owned())
                .collect();
            let known = known.into_iter().collect::<Vec<_>>().join(", ");
            bail!("there is no program {}: there are {}", name.shown(), known.shown());
        }
        let programs = self.paths.iter().map(|path| {
            let find =
                |version| built(version).find(|program| program.path_in_tree == Path::new(path));
            match (find(&self.old), find(&self.new)) {
                (Some(old), Some(new)) => Found::Both { old, new },
                (None, _) => Found::Alone("only the new revision has it"),
                (_, None) => Found::Alone("only the old revision has it"),
            }
        });
        Ok(programs.collect())
    }

    /// Compares the versions of one program, which the arguments name.
    fn compare(
        &self,
        args: &Args,
        new: &BuiltProgram,
        stop: &Arc<AtomicBool>,
    ) -> anyhow::Result<ProgramOutcome> {
        args.inputs.of(&args.command).check()?;
        let job = args.job()?;
        let watched = Watched::start(args, &job, Instant::now())?;
        if args.explain {
            let report = explain(&job.subject, Some(&self.patch), &environment::tools)?;
            if let Some(report) = report {
                watched.guard.disarm();
                show_explanation(args, &report)?;
                return Ok(ProgramOutcome::LeftOut("only explained".to_owned()));
            }
        }
        let pair = Pair::load(&job.subject, Some(&self.patch), &environment::tools)?;
        if pair.is_same_program() {
            watched.guard.disarm();
            return Ok(ProgramOutcome::Same(pair.ignored()));
        }
        let native = |version: &BuiltRevision| version.programs.get(&new.name).cloned();
        let pair = match (native(&self.old), native(&self.new)) {
            (Some(old), Some(new)) => pair.with_natives([old, new]),
            _ => pair,
        };
        let folder = match &args.exploring.output {
            Some(path) => RunFolder::create_at(&path.join(&new.name))?,
            None => RunFolder::create_next(Path::new(""))?,
        };
        let logbook = begin(&job, &pair, folder, watched.budget.start)?;
        let summary = carry_out(args, &job, pair, logbook, &watched, stop)?;
        Ok(ProgramOutcome::Compared(Box::new(summary)))
    }
}

fn built(version: &BuiltRevision) -> impl Iterator<Item = &BuiltProgram> {
    version.build.programs.iter()
}
