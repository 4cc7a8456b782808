//! `--resume`: a run whose process was killed goes on.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::bail;
use umbra_jobs::{Ended, Job, Kept, Logbook};
use umbra_report::Colour;
use umbra_text::Show;

use crate::out;

/// The flag.
#[derive(clap::Args)]
#[command(next_help_heading = "Exploring")]
pub struct Resume {
    /// Go on with a run that was killed, the last one in .umbra/runs or this folder
    ///
    /// Program and flags are those of the run. A run that is over shows its results again.
    #[arg(
        long = "resume",
        value_name = "RUN",
        num_args = 0..=1,
        default_missing_value = ".umbra/runs/last",
        conflicts_with = "output"
    )]
    pub run: Option<PathBuf>,
}

impl Resume {
    /// The run that goes on, if one does.
    pub fn open(&self) -> anyhow::Result<Option<Kept>> {
        let Some(folder) = &self.run else { return Ok(None) };
        // The lock and the messages are about the folder itself, not about the link to the last one.
        let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.clone());
        Ok(Some(Logbook::open(&folder)?))
    }
}

/// Checks that flags which were given again are those of the run. `given` is the job that they make, `usual` that of no
/// flags at all.
pub fn check_flags<J: PartialEq>(
    folder: &Path,
    (given, usual, kept): (&J, &J, &J),
) -> anyhow::Result<()> {
    if given != usual && given != kept {
        bail!(
            "{} was started with another program or other flags (see {}): give the same ones, or none",
            folder.shown(),
            folder.join("info").shown()
        );
    }
    Ok(())
}

/// Says that the run is one of another command.
pub fn other_command(kept: &Kept) -> anyhow::Error {
    let command = match kept.job() {
        Job::Run(_) => "run",
        Job::Diff(_) => "diff",
    };
    let folder = kept.path().shown();
    anyhow::anyhow!("{folder} is a run of `umbra {command}`: umbra {command} --resume {folder}")
}

/// The words of a command line.
pub fn words(command: &[Vec<u8>]) -> Vec<OsString> {
    use std::os::unix::ffi::OsStringExt;
    command.iter().map(|word| OsString::from_vec(word.clone())).collect()
}

/// Shows again what came of a run that is over: for people, for machines.
pub fn show(ended: &Ended, text: bool, json: bool) -> anyhow::Result<ExitCode> {
    if text {
        out::page(format_args!("{}", ended.text), Colour::Plain)?;
    }
    if json {
        out::json_line(&ended.json)?;
    }
    Ok(ExitCode::from(ended.exit))
}
