//! `umbra init`: writes an `umbra.toml` by looking at the folder.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail};
use umbra_project::{MANIFEST_NAME, detect};
use umbra_text::Show;

use crate::out::{say, tell};

/// Arguments of the command.
#[derive(clap::Args)]
pub struct Args {
    /// The project's folder
    #[arg(default_value = ".", value_name = "DIR")]
    folder: PathBuf,
    /// Overwrite an existing umbra.toml
    #[arg(long)]
    force: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let detected = detect(&args.folder)?;
    let file = args.folder.join(MANIFEST_NAME);
    if file.exists() && !args.force {
        bail!("{} already exists (use --force to overwrite it)", file.shown());
    }
    fs::write(&file, detected.manifest.to_text())
        .with_context(|| format!("cannot write {}", file.shown()))?;
    for note in &detected.notes {
        tell!("{note}");
    }
    let system = detected.system.map_or("unknown build system", |system| system.name());
    say!("wrote {} ({system}); try it with `umbra build`", file.shown())?;
    Ok(ExitCode::SUCCESS)
}
