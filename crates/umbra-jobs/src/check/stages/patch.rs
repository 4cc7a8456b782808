//! The patch is mapped to lines that have code.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use umbra_project::BuiltProgram;
use umbra_report::{PatchFile, Stage, StageEnd};
use umbra_words::{Place, Target};

use super::{Check, counted, is_same_file};
use crate::Error;
use crate::check::hunks::{self, Known};
use crate::check::keep::digest;
use crate::replay::Pair;

impl Check<'_> {
    /// Maps the patch to lines that have code.
    pub(super) fn patch(
        &mut self,
        pair: &Pair,
        known: &mut Known,
    ) -> Result<Vec<PatchFile>, Error> {
        let begun = Instant::now();
        let Some(patch) = &pair.patch else { return Ok(Vec::new()) };
        self.doing(Stage::Patch, "finding the changed lines");
        let files = hunks::files(patch)?;
        let key = digest(&(&self.trees, &self.project.manifest.library));
        let kept: Option<Mapped> = self.keep.get("patch", &key);
        let reused = kept.is_some();
        let mapped = match kept {
            Some(mapped) => mapped,
            None => {
                let mapped = self.map(pair)?;
                self.keep.put("patch", &key, &mapped)?;
                mapped
            }
        };
        for target in mapped.targets {
            let Target { place: Place { file, line }, function, version } = target;
            known.code.insert((file, line, version), function);
        }
        known.built = mapped.files;
        for (program, why) in mapped.problems {
            self.report.notes.push(format!("The changed lines of {program} are not known: {why}"));
        }
        let functions: BTreeSet<&String> = known.code.values().collect();
        let hunks: usize = files.iter().map(|file| file.hunks.len()).sum();
        let found = format!(
            "{}, {}, {} with code in {}",
            counted(files.len() as u64, "file"),
            counted(hunks as u64, "hunk"),
            counted(known.code.len() as u64, "changed line"),
            counted(functions.len() as u64, "function"),
        );
        if known.code.is_empty() {
            let note = "No changed line has code in a program: comments, declarations, data, or files that are not built.";
            self.report.notes.push(note.to_owned());
        }
        let end = if reused { StageEnd::Reused } else { StageEnd::Done };
        self.ended(Stage::Patch, end, found, begun);
        Ok(files)
    }

    fn map(&self, pair: &Pair) -> Result<Mapped, Error> {
        let mut mapped = Mapped::default();
        let Some(patch) = &pair.patch else { return Ok(mapped) };
        for (old, new) in differing(pair) {
            let (Some(old_program), Some(new_program)) =
                (pair.old.programs.get(&old.name), pair.new.programs.get(&new.name))
            else {
                continue;
            };
            self.doing(Stage::Patch, &format!("finding the changed lines of {}", new.name));
            match patch.in_program(old_program, new_program) {
                Ok((counted, files)) => {
                    mapped.files.extend(files);
                    mapped
                        .targets
                        .extend(counted.into_iter().map(|(candidate, _)| candidate.line.target));
                }
                Err(error) => drop(mapped.problems.insert(new.name.clone(), error.to_string())),
            }
        }
        Ok(mapped)
    }
}

/// The changed lines of all programs.
#[derive(Default, Serialize, Deserialize)]
struct Mapped {
    targets: Vec<Target>,
    files: BTreeSet<PathBuf>,
    problems: BTreeMap<String, String>,
}

/// Programs that both versions have and that are not the same file.
pub(super) fn differing(pair: &Pair) -> impl Iterator<Item = (&BuiltProgram, &BuiltProgram)> {
    let of_new = |old: &BuiltProgram| {
        pair.new.built().iter().find(|new| new.path_in_tree == old.path_in_tree)
    };
    let both = pair.old.built().iter().filter_map(move |old| Some((old, of_new(old)?)));
    both.filter(|(old, new)| !is_same_file(old, new))
}
