//! `umbra init`: writes an `umbra.toml` by looking at the folder.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail};
use umbra_project::{MANIFEST_NAME, detect};

/// Arguments of the command.
#[derive(clap::Args)]
pub struct Args {
    /// The project's folder
    #[arg(default_value = ".", value_name = "DIR")]
    folder: PathBuf,
    /// Write over an umbra.toml that is there
    #[arg(long)]
    force: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let detected = detect(&args.folder)?;
    let file = args.folder.join(MANIFEST_NAME);
    if file.exists() && !args.force {
        bail!("{} is there already (--force writes over it)", file.display());
    }
    fs::write(&file, detected.manifest.to_text())
        .with_context(|| format!("cannot write {}", file.display()))?;
    for note in &detected.notes {
        eprintln!("umbra: {note}");
    }
    let system = detected.system.map_or("unknown build system", |system| system.name());
    println!("{}: {system}; `umbra build` tries it", file.display());
    Ok(ExitCode::SUCCESS)
}
