//! Both versions are built.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Instant;

use umbra_project::{Builder, Progress};
use umbra_report::{Stage, StageEnd};
use umbra_text::Show;

use super::{Check, counted, is_called};
use crate::Error;
use crate::check::hunks::{self, Known};
use crate::replay::Pair;
use crate::replay::versions::{self, How};
use crate::revision::ShowBuild;

impl Check<'_> {
    /// Builds both versions; `None` if one does not build.
    pub(super) fn build(&mut self) -> Result<Option<Pair>, Error> {
        let begun = Instant::now();
        self.doing(Stage::Build, "building both versions");
        let builder = &self.project.builder;
        let absent: Rc<RefCell<BTreeSet<PathBuf>>> = Rc::default();
        let building = |name: String| -> ShowBuild {
            let (mut show, absent) = ((self.watch.building)(name), Rc::clone(&absent));
            Box::new(move |progress| {
                if let Progress::MissingSubmodule(path) = progress {
                    absent.borrow_mut().insert(path.clone());
                }
                show(progress);
            })
        };
        let how = How { sanitize: false, building: &building };
        let mut built = Vec::new();
        let range = self.range.clone();
        for (version, revision) in [("old", &range.old), ("new", &range.new)] {
            let result = how.version(builder, revision);
            for path in absent.take() {
                let note = format!(
                    "The submodule {} is not checked out, so it was left out (`git submodule update --init`).",
                    path.shown()
                );
                if !self.report.notes.contains(&note) {
                    self.report.notes.push(note);
                }
            }
            match result {
                Ok(version) => built.push(version),
                Err(Error::Project(error)) if is_of_the_source(&error) => {
                    let found = format!("the {version} version does not build");
                    self.report.notes.push(format!(
                        "The {version} version ({revision}) does not build, so nothing can be run: {error}"
                    ));
                    self.ended(Stage::Build, StageEnd::Failed, found, begun);
                    return Ok(None);
                }
                Err(error) => return Err(error),
            }
        }
        if self.job.sanitize {
            self.build_with_sanitizers(builder, &mut built);
        }
        let (Some(new), Some(old)) = (built.pop(), built.pop()) else { return Ok(None) };
        let (count, sanitized) = (new.built().len(), !new.sanitized.is_empty());
        let library = &self.project.manifest.library;
        let pair = versions::pair((builder, library), &self.range, old, new)?;
        let with = if sanitized { ", also with sanitizers" } else { "" };
        let found = format!("{} in both versions{with}", counted(count as u64, "program"));
        self.ended(Stage::Build, StageEnd::Done, found, begun);
        Ok(Some(pair))
    }

    /// Programs that were asked for are there, in one version at least.
    pub(super) fn expect_programs(&self, pair: &Pair) -> Result<(), Error> {
        let all = || pair.new.built().iter().chain(pair.old.built());
        let missing =
            self.job.programs.iter().find(|wanted| !all().any(|it| is_called(it, wanted)));
        let Some(missing) = missing else { return Ok(()) };
        let mut known: Vec<String> = all().map(|program| program.name.clone()).collect();
        known.sort();
        known.dedup();
        Err(Error::NoProgram { name: missing.to_string_lossy().into_owned(), known })
    }

    /// Builds with sanitizers are evidence beside the rest: without them the check goes on.
    fn build_with_sanitizers(&mut self, builder: &Builder, built: &mut [versions::Version]) {
        let revisions = [&self.range.old, &self.range.new];
        for (version, revision) in built.iter_mut().zip(revisions) {
            if let Err(error) = version.add_sanitized(builder, revision, self.watch.building) {
                let text = error.to_string();
                let first = text.lines().next().unwrap_or_default();
                self.report.notes.push(format!(
                    "There is no build with sanitizers ({first}), so errors that do not show themselves may be missed."
                ));
                break;
            }
        }
        if built.iter().any(|version| version.sanitized.is_empty()) {
            built.iter_mut().for_each(|version| version.sanitized.clear());
        }
    }

    /// The hunks of a patch that does not build.
    pub(super) fn patch_alone(&mut self) -> Result<(), Error> {
        let repository = self.project.builder.repository();
        let [old, new] = self.trees.clone();
        let patch = crate::Patch::new(repository, (old, new), &[], Path::new("/"))?;
        let mut files = hunks::files(&patch)?;
        hunks::answer(&mut files, &Known::default(), &[]);
        for hunk in files.iter_mut().flat_map(|file| &mut file.hunks) {
            hunk.because = "not both versions build".to_owned();
        }
        self.report.patch = files;
        Ok(())
    }
}

/// Whether a build failed because of what was built.
fn is_of_the_source(error: &umbra_project::Error) -> bool {
    use umbra_project::Error;
    matches!(error, Error::Build(_) | Error::NoPrograms { .. } | Error::Cxx(_))
}
