//! The project in this folder, described or not.
//!
//! Without an umbra.toml, what `umbra init` finds is used. Trying takes a while, so it is kept in the folder for results.

use std::fs;
use std::path::Path;

use anyhow::{Context, bail};
use umbra_jobs::Project;
use umbra_project::{BuildSystem, Error, Manifest, Repository, detect_all};
use umbra_text::Show;

use crate::commands::init::Trial;
use crate::out::tell;
use crate::project::FOUND;
use crate::{environment, project};

/// The project.
pub fn project() -> anyhow::Result<Project> {
    match project::builder() {
        Ok((builder, manifest)) => {
            Ok(Project { folder: project::folder()?, builder, manifest, notes: Vec::new() })
        }
        Err(error) if is_missing(&error) => described(),
        Err(error) => Err(error),
    }
}

fn is_missing(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(Error::NoManifest { .. }))
}

/// The project as it was found to be.
fn described() -> anyhow::Result<Project> {
    let current = std::env::current_dir().context("cannot find the current folder")?;
    let repository = Repository::find(&current, &environment::toolchain()?.cache)?;
    // Folders from the root of the checkout to here.
    let depth = repository.prefix().components().count();
    let mut folders: Vec<&Path> = current.ancestors().take(depth + 1).collect();
    folders.reverse();
    let kept = folders
        .iter()
        .rev()
        .find_map(|folder| Some((folder.to_path_buf(), Manifest::load(&folder.join(FOUND)).ok()?)));
    let (folder, manifest) = match kept {
        Some(kept) => kept,
        None => {
            let folder = project_folder(&folders)?;
            let manifest = tried(folder)?;
            keep(&folder.join(FOUND), &manifest)?;
            (folder.to_owned(), manifest)
        }
    };
    let builder = project::trial_builder(&folder, &manifest)?;
    let note =
        "There is no umbra.toml: what `umbra init` finds was used. Run it to keep and change that.";
    Ok(Project { folder, builder, manifest, notes: vec![note.to_owned()] })
}

/// The folder of the project, of those from the root of the checkout to the current one: the first that says how it is built. Files
/// that say nothing are only taken for a project where somebody stands beside them.
fn project_folder<'a>(folders: &[&'a Path]) -> anyhow::Result<&'a Path> {
    for folder in folders {
        let systems = detect_all(folder)?.into_iter().filter_map(|detected| detected.system);
        if systems.into_iter().any(|system| system != BuildSystem::Files) {
            return Ok(folder);
        }
    }
    folders.last().copied().context("there is no folder")
}

/// The first way to build the project that works.
fn tried(folder: &Path) -> anyhow::Result<Manifest> {
    tell!("there is no umbra.toml: looking at the project, as `umbra init` does");
    let mut why = "no build system was found".to_owned();
    for detected in detect_all(folder)? {
        if detected.system.is_none() {
            continue;
        }
        let trial = Trial::make(folder, detected)?;
        if trial.builds() {
            tell!("{}", trial.sentence());
            return Ok(trial.detected.manifest);
        }
        why = trial.sentence();
        for line in trial.missing() {
            why += &format!("\n{line}\n");
        }
    }
    let why = why.trim_end();
    bail!(
        "there is no umbra.toml, and the project is not understood without: {why} (`umbra init` writes one to fill in)"
    )
}

fn keep(folder: &Path, manifest: &Manifest) -> anyhow::Result<()> {
    umbra_case::make_own_folder(folder)?;
    let file = folder.join(umbra_project::MANIFEST_NAME);
    fs::write(&file, manifest.to_text()).with_context(|| format!("writing {}", file.shown()))
}
