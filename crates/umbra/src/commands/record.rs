//! `umbra record`: runs a test suite and keeps what it feeds to the programs.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use umbra_jobs::{Project, Recorded};
use umbra_project::{Flavour, Interest, Manifest, Revision, WorkTree};
use umbra_record::{Progress, RecordConfig, Recorder, Summary};
use umbra_report::RecordReport;
use umbra_text::Show;

use crate::duration;
use crate::out::{self, WriteError, say, tell};
use crate::project::{self, Display};
use crate::recording::Recording;

/// Arguments of the command.
#[derive(clap::Args)]
pub struct Args {
    /// A program to record, by its place in the build tree; may be given several times
    ///
    /// Without any, those of the project in this folder are recorded: it is built privately, and the
    /// command runs in that tree.
    #[arg(long = "program", value_name = "PATH")]
    programs: Vec<PathBuf>,
    /// The revision of the project whose tests are run; `.` is the working tree
    #[arg(long, value_name = "REV", default_value = ".", conflicts_with = "programs")]
    revision: String,
    /// Run the tests in the same place without recording, to see how they end and how long they take
    #[arg(long, conflicts_with = "programs")]
    bare: bool,
    /// The store that gets the cases [default: .umbra/recordings in the project]
    #[arg(long, value_name = "STORE")]
    output: Option<PathBuf>,
    /// An environment variable to store beside the usual ones; NAME* is a prefix
    ///
    /// Usual: LC_*, LANG, LANGUAGE, TZ, POSIXLY_CORRECT, COLUMNS, LINES, TERM, and PATH where a
    /// program runs others. No other variable's value is stored.
    #[arg(long = "keep-variable", value_name = "NAME")]
    variables: Vec<String>,
    /// Seconds to wait for programs that outlive the command
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    patience: u64,
    /// Stop the command if it does nothing for this long; 0 means never
    ///
    /// It does something when a process starts, ends or writes anything. The message names the processes it is stuck on.
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = duration::parse)]
    max_silence: Duration,
    /// One JSON object as the last line on standard output
    #[arg(long)]
    pub json: bool,
    /// The command that runs the tests [default: the project's]
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// What the tests of a check wrote, in the folder for results.
const SUITE_LOG: &str = "suite.log";

/// How long a suite may do nothing, if nothing else is said.
const SILENCE: Duration = Duration::from_secs(600);

/// The exit status of a recording that failed.
const FAILED: u8 = 2;

/// Runs the command: 0 if the suite passed, 1 if it failed, 2 if recording did.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    // An interrupt from the terminal is for the suite; after it the programs are put back.
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGQUIT] {
        signal_hook::flag::register(signal, Arc::clone(&interrupted))
            .context("cannot catch signals")?;
    }
    let (store, summary) = match args.programs.is_empty() {
        true => in_project(args)?,
        false => in_place(args)?,
    };
    // Without a case there is nothing to go on with, however the suite ended.
    let is_empty = !args.bare && summary.cases.is_empty();
    let exit = if is_empty { FAILED } else { u8::from(summary.status != 0) };
    if !summary.stuck.is_empty() {
        tell!(
            "stopped the command: it did nothing for {} s (--max-silence) and was stuck at {}",
            args.max_silence.as_secs_f64(),
            summary.stuck.join(", ")
        );
    }
    if args.json {
        out::json_line(&of_summary(&summary, exit).to_json())?;
    } else if args.bare {
        let seconds = summary.command_time.as_secs_f64();
        say!("the command took {seconds:.1} s and ended with {}", summary.status)?;
    } else {
        print(&store, &summary)?;
    }
    if is_empty {
        tell!("no case was recorded: {}", why_none(&summary));
    }
    Ok(ExitCode::from(exit))
}

/// Records programs that the user has built, by a command that runs where the user is.
fn in_place(args: &Args) -> anyhow::Result<(PathBuf, Summary)> {
    if args.command.is_empty() {
        bail!("no test command: give one after --, for example `-- make check`");
    }
    let store = match &args.output {
        Some(output) => output.clone(),
        None => umbra_jobs::make_recordings(Path::new(""))?,
    };
    let mut config = config(args, args.programs.clone(), &store);
    config.suite = Some(suite(&args.command));
    let summary = Recorder::new(config).run(&args.command, &mut |progress| tell(&progress))?;
    Ok((store, summary))
}

/// Records the programs of the project in this folder, in a tree of its own.
fn in_project(args: &Args) -> anyhow::Result<(PathBuf, Summary)> {
    let (builder, manifest) = project::builder()
        .context("without --program, `umbra record` needs a project in this folder")?;
    let revision = Revision::parse(&args.revision);
    let mut display = Display::new(format!("analysis build of {revision}"));
    let flavour = Flavour::Analysis;
    let tree = builder.work_tree(&revision, flavour, &mut |progress| display.show(&progress))?;
    drop(display);
    let command = match args.command.is_empty() {
        true if manifest.test.is_empty() => {
            bail!(
                "umbra.toml names no tests: fill in `command` of [test], or give a command after --"
            )
        }
        true => shell_line(&manifest.test),
        false => {
            let shell = ["/bin/sh", "-c", r#"exec "$0" "$@" </dev/null"#].map(OsString::from);
            [shell.to_vec(), args.command.clone()].concat()
        }
    };
    let store = match &args.output {
        Some(output) => std::path::absolute(output)?,
        None => umbra_jobs::make_recordings(&project::folder()?)?,
    };
    if args.bare {
        return Ok((store, bare(&tree, &command)?));
    }
    let programs = tree.build.programs.iter();
    let programs = programs.map(|program| tree.folder().join(&program.path_in_tree)).collect();
    let mut config = config(args, programs, &store);
    config.suite = Some(suite(&command));
    Ok((store, record_in(&tree, &manifest, config, &command)?))
}

/// Records the suite of a project for a check, into its store.
pub fn for_check(project: &Project, revision: &Revision) -> anyhow::Result<Recorded> {
    let Project { builder, manifest, folder, .. } = project;
    let mut display = Display::new(format!("analysis build of {revision}"));
    let flavour = Flavour::Analysis;
    let tree = builder.work_tree(revision, flavour, &mut |progress| display.show(&progress))?;
    drop(display);
    let log = umbra_case::own_folder(folder, SUITE_LOG)?;
    let command = piped_shell_line(&manifest.test, &log);
    let programs = tree.build.programs.iter();
    let programs = programs.map(|program| tree.folder().join(&program.path_in_tree)).collect();
    let mut config = RecordConfig::new(programs, umbra_jobs::make_recordings(folder)?);
    config.silence = Some(SILENCE);
    config.suite = Some(suite(&shell_line(&manifest.test)));
    let summary = record_in(&tree, manifest, config, &command)?;
    Ok(Recorded {
        log,
        cases: summary.unique(),
        status: summary.status,
        invocations: (summary.invocations, summary.recorded),
        why_none: summary.cases.is_empty().then(|| why_none(&summary)),
    })
}

/// Records in a work tree; what is linked there meanwhile is recorded, too.
pub fn record_in(
    tree: &WorkTree,
    manifest: &Manifest,
    mut config: RecordConfig,
    command: &[OsString],
) -> anyhow::Result<Summary> {
    config.variables.extend(manifest.record_environment.iter().cloned());
    config.trees.push(tree.folder().to_owned());
    let file = tree.recording_file();
    let interest = Interest::new(manifest, &tree.build.programs);
    let mut problem = None;
    let mut unwritten = None;
    let mut surround = |command: &mut Command| problem = tree.surround(command).err();
    let result = Recorder::new(config).run_in(command, &mut surround, &mut |progress| {
        if let Progress::Prepared { run } = &progress {
            let (run, tree) = (run.clone(), tree.folder().to_owned());
            let recording = Recording { run, tree, interest: interest.clone() };
            unwritten = recording.write(&file).err();
        }
        tell(&progress);
    });
    // It names a recording that is over now; one that cannot be removed names nothing that is there.
    let _ = std::fs::remove_file(&file);
    if let Some(error) = unwritten {
        return Err(error);
    }
    match problem {
        Some(error) => Err(error.into()),
        None => Ok(result?),
    }
}

/// The words of a command that runs a line of the shell, without standard input: whoever supervises the
/// command has the tree's lock there.
pub fn shell_line(line: &str) -> Vec<OsString> {
    ["/bin/sh", "-c", &format!("exec </dev/null\n{line}")].map(OsString::from).to_vec()
}

/// As [`shell_line`], with what the command writes in a file. It gets a pipe, wherever our own output goes: what tests see is
/// in the cases.
fn piped_shell_line(line: &str, log: &Path) -> Vec<OsString> {
    let log = log.to_string_lossy().replace('\'', r"'\''");
    let piped = format!(
        "status=$({{ {{ (\n{line}\n) 3>&-; echo $? >&3; }} 2>&1 | cat >'{log}' 3>&-; }} 3>&1)\nexit \"$status\""
    );
    shell_line(&piped)
}

/// The name of a suite: its command.
fn suite(command: &[OsString]) -> String {
    let words: Vec<_> = command.iter().map(|word| word.to_string_lossy()).collect();
    words.join("\0")
}

/// Why nothing was recorded, and what can be done.
pub fn why_none(summary: &Summary) -> String {
    if summary.invocations == 0 {
        let lost: Vec<String> =
            summary.lost_shims.iter().map(|path| path.shown().to_string()).collect();
        return match lost.is_empty() {
            true => {
                "the tests ran none of the programs; look at `command` of [test] and `programs` of \
                     [project] in umbra.toml, or name programs with --program"
                    .into()
            }
            false => format!(
                "the tests have built {} anew and ran that; recorded without --program, in a project, they get a \
                 compiler in $CC whose programs are recorded, too",
                lost.join(", ")
            ),
        };
    }
    let most = summary.incomplete.iter().max_by_key(|(_, count)| **count);
    let Some((reason, count)) = most else {
        return "the recordings are damaged; record again".into();
    };
    let example = summary.examples.get(reason).map_or("", String::as_str);
    let all = summary.invocations;
    format!("{count} of {all} invocations were `{reason}` (docs/recording.md), such as {example}")
}

/// Runs the command as it would be recorded, with nothing in the way.
fn bare(tree: &WorkTree, words: &[OsString]) -> anyhow::Result<Summary> {
    let start = Instant::now();
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    tree.surround(&mut command)?;
    let status = command.status().with_context(|| format!("running {}", words[0].shown()))?;
    let status = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default());
    Ok(Summary { status, command_time: start.elapsed(), ..Summary::default() })
}

fn config(args: &Args, programs: Vec<PathBuf>, store: &Path) -> RecordConfig {
    let mut config = RecordConfig::new(programs, store);
    config.variables.extend(args.variables.iter().cloned());
    config.patience = Duration::from_secs(args.patience);
    config.silence = Some(args.max_silence).filter(|time| !time.is_zero());
    config
}

fn tell(progress: &Progress) {
    match progress {
        Progress::Recovered { programs } => {
            tell!("an earlier recording was killed; put {} programs back", programs.len());
        }
        Progress::Converting { recordings } => {
            tell!("turning {recordings} invocations into cases");
        }
        _ => {}
    }
}

/// The title of the list of invocations that are no cases.
const NOT_RECORDED: &str = "not recorded";

fn print(store: &Path, summary: &Summary) -> Result<(), WriteError> {
    say!(
        "{} invocations, {} recorded, {} different cases in {}",
        summary.invocations,
        summary.recorded,
        summary.unique(),
        store.shown()
    )?;
    for (program, count) in &summary.by_program {
        say!("  {count:>7}  {}", program.shown())?;
    }
    let lists = [(NOT_RECORDED, &summary.incomplete), ("notes", &summary.notes)];
    for (title, counts) in lists.iter().filter(|(_, counts)| !counts.is_empty()) {
        say!("{title}:")?;
        for (name, count) in *counts {
            say!("  {count:>7}  {name}")?;
            if let Some(example) = summary.examples.get(name).filter(|_| *title == NOT_RECORDED) {
                say!("           for example {example}")?;
            }
        }
    }
    say!("variables left out: {}", summary.dropped_variables.len())?;
    for program in &summary.lost_shims {
        say!("rebuilt during the run, so later invocations are missing: {}", program.shown())?;
    }
    for (count, text) in [
        (summary.killed_tracers, "tracers were killed: their recordings are missing"),
        (
            summary.running_tracers,
            "programs were still running at the end: their recordings are missing",
        ),
        (summary.damaged, "recordings were damaged"),
    ] {
        if count > 0 {
            say!("{count} {text}")?;
        }
    }
    let (command, conversion) =
        (summary.command_time.as_secs_f64(), summary.conversion_time.as_secs_f64());
    say!(
        "the command took {command:.1} s and ended with {}; making cases took {conversion:.1} s",
        summary.status
    )?;
    Ok(())
}

fn of_summary(summary: &Summary, exit: u8) -> RecordReport {
    let text = |path: &PathBuf| path.to_string_lossy().into_owned();
    let counts = |counts: &BTreeMap<&'static str, u64>| {
        counts.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    };
    let examples = summary.examples.iter().map(|(name, text)| ((*name).to_owned(), text.clone()));
    let command_s = summary.command_time.as_secs_f64();
    RecordReport {
        exit,
        wall_s: command_s + summary.conversion_time.as_secs_f64(),
        command_s,
        status: summary.status,
        invocations: summary.invocations,
        recorded: summary.recorded,
        cases: summary.unique() as u64,
        programs: summary.by_program.iter().map(|(path, count)| (text(path), *count)).collect(),
        incomplete: counts(&summary.incomplete),
        examples: examples.collect(),
        notes: counts(&summary.notes),
        dropped_variables: summary.dropped_variables.clone(),
        killed_tracers: summary.killed_tracers,
        running_tracers: summary.running_tracers,
        stuck: summary.stuck.clone(),
        damaged: summary.damaged,
        lost_shims: summary.lost_shims.iter().map(text).collect(),
    }
}
