//! `umbra init`: writes an `umbra.toml` by looking at the folder, and tries it.

mod trial;

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail};
use umbra_project::{Detected, MANIFEST_NAME, detect_all};
use umbra_text::Show;

use crate::out::{say, tell};
pub use trial::Trial;

/// Arguments of the command.
#[derive(clap::Args)]
pub struct Args {
    /// The project's folder
    #[arg(default_value = ".", value_name = "DIR")]
    folder: PathBuf,
    /// Overwrite an existing umbra.toml
    #[arg(long)]
    force: bool,
    /// Only look: do not build the project or run its tests
    #[arg(long)]
    no_try: bool,
}

/// Runs the command: 0 if what it wrote works or was not tried, 1 if it does not work yet.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut choices = detect_all(&args.folder)?;
    let file = args.folder.join(MANIFEST_NAME);
    if file.exists() && !args.force {
        bail!("{} already exists (use --force to overwrite it)", file.shown());
    }
    let write = |detected: &Detected| {
        fs::write(&file, detected.manifest.to_text())
            .with_context(|| format!("cannot write {}", file.shown()))
    };
    let system = |detected: &Detected| {
        detected.system.map_or("unknown build system", |system| system.name())
    };
    if args.no_try || choices[0].system.is_none() {
        let detected = choices.swap_remove(0);
        write(&detected)?;
        detected.notes.iter().for_each(|note| tell!("{note}"));
        say!("wrote {} ({}); try it with `umbra build`", file.shown(), system(&detected))?;
        return Ok(ExitCode::SUCCESS);
    }
    // The first that works; if none does, the first.
    let mut trials: Vec<Trial> = Vec::new();
    for detected in choices {
        tell!("trying it with {}", system(&detected));
        let trial = Trial::make(&args.folder, detected)?;
        let works = trial.works();
        trials.push(trial);
        if works {
            break;
        }
    }
    let best = trials.iter().position(Trial::works).unwrap_or(0);
    let trial = trials.swap_remove(best);
    write(&trial.detected)?;
    for note in trial.detected.notes.iter().chain(&trial.repairs) {
        tell!("{note}");
    }
    say!("wrote {} ({}): {}", file.shown(), system(&trial.detected), trial.sentence())?;
    for line in trial.missing() {
        say!("{line}")?;
    }
    Ok(ExitCode::from(u8::from(!trial.works())))
}
