//! The project that a command is about: the one whose folder it runs in.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context;
use umbra_jobs::ShowBuild;
use umbra_project::{Builder, MANIFEST_NAME, Manifest, Progress, Repository};
use umbra_text::Show;

use crate::out::{self, tell};
use crate::{environment, terminal};

/// Where a description is kept that nobody has asked for: what a check found out by itself.
pub const FOUND: &str = ".umbra/found";

/// The nearest folder upwards of the current one that holds an `umbra.toml`, else one that was checked without.
pub fn folder() -> anyhow::Result<PathBuf> {
    let current = std::env::current_dir().context("cannot find the current folder")?;
    let nearest = |place: &str| {
        current.ancestors().find(|folder| folder.join(place).join(MANIFEST_NAME).is_file())
    };
    let found = nearest("").or_else(|| nearest(FOUND));
    // Without one, the error about the manifest names the current folder.
    Ok(found.map_or_else(|| current.clone(), Path::to_owned))
}

/// A builder for the project, and its manifest.
pub fn builder() -> anyhow::Result<(Builder, Manifest)> {
    let toolchain = environment::toolchain()?;
    let folder = folder()?;
    let manifest = Manifest::load(&folder)?;
    let repository = Repository::find(&folder, &toolchain.cache)?;
    let mut builder = Builder::new(toolchain, manifest.clone(), repository)
        .environment(environment::for_builds());
    if let Some(limit) = environment::cache_limit()? {
        builder = builder.cache_limit(limit);
    }
    Ok((builder, manifest))
}

/// A builder for a project that is only being tried.
pub fn trial_builder(folder: &Path, manifest: &Manifest) -> anyhow::Result<Builder> {
    let toolchain = environment::toolchain()?;
    let repository = Repository::find(folder, &toolchain.cache)?;
    Ok(Builder::new(toolchain, manifest.clone(), repository).environment(environment::for_builds()))
}

/// Shows how a build goes: on a terminal a line that is written over, else a line for each
/// step.
pub struct Display {
    /// What is being built.
    subject: String,
    step: &'static str,
    watched: bool,
    next: Instant,
}

/// Time between two changes of the line: people do not read faster.
const PAUSE: Duration = Duration::from_millis(100);

impl Display {
    /// A display for one build.
    pub fn new(subject: String) -> Display {
        Display {
            subject: subject.shown().to_string(),
            step: "",
            watched: terminal::is_watched(),
            next: Instant::now(),
        }
    }

    /// Shows what happens.
    pub fn show(&mut self, progress: &Progress) {
        match progress {
            Progress::Waiting(lock) => {
                self.note(&format!("waiting for another process that holds {}", lock.shown()));
            }
            Progress::CheckingOut => self.step("check out", None),
            Progress::FromScratch(path) => {
                self.note(&format!("building from scratch, because {} changed", path.shown()));
            }
            Progress::MissingSubmodule(path) => self.note(&format!(
                "leaving out submodule {}: it is not checked out (run `git submodule update --init`)",
                path.shown()
            )),
            Progress::MissingProgram(path) => {
                self.note(&format!("does not build the program {}", path.shown()));
            }
            Progress::Step(step) => self.step(step.name(), None),
            Progress::Output(line) => self.step(self.step, Some(line)),
            Progress::Exporting => self.step("export", None),
            _ => {}
        }
    }

    fn step(&mut self, step: &'static str, output: Option<&str>) {
        let is_new = step != self.step;
        self.step = step;
        if self.watched {
            if is_new || Instant::now() >= self.next {
                self.next = Instant::now() + PAUSE;
                self.line(output.unwrap_or_default());
            }
        } else if is_new {
            tell!("{}: {step}", self.subject);
        }
    }

    fn line(&self, output: &str) {
        let text = format!("{}: {} {output}", self.subject, self.step).shown().to_string();
        let text: String = text.chars().take(terminal::width()).collect();
        out::watched_line(&text);
    }

    fn note(&self, text: &str) {
        self.clear();
        tell!("{}: {text}", self.subject);
    }

    fn clear(&self) {
        if self.watched {
            out::watched_line("");
        }
    }
}

/// Shows how a build of this name goes, to who builds it.
pub fn show_build(subject: String) -> ShowBuild {
    let mut display = Display::new(subject);
    Box::new(move |progress| display.show(progress))
}

impl Drop for Display {
    fn drop(&mut self) {
        self.clear();
    }
}
