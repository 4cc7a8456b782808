//! What was found runs on further versions, too.

use umbra_case::Case;
use umbra_project::Revision;
use umbra_report::{CheckFinding, Stage};

use super::Check;
use crate::Error;
use crate::cases::program_of;
use crate::finding::behaviour;
use crate::native::Trial;
use crate::replay::Pair;
use crate::replay::versions::{How, Version};

impl Check<'_> {
    /// Adds to each finding what further versions do.
    pub(super) fn also(&mut self, pair: &Pair, findings: &mut [CheckFinding]) -> Result<(), Error> {
        if findings.is_empty() {
            return Ok(());
        }
        let names = self.job.also.clone();
        for name in &names {
            self.doing(Stage::Confirm, &format!("building {name}"));
            let sanitize = !pair.new.sanitized.is_empty();
            let how = How { sanitize, building: self.watch.building };
            let version = match how.version(&self.project.builder, &Revision::Named(name.clone())) {
                Ok(version) => version,
                Err(Error::Project(error)) => {
                    let text = error.to_string();
                    let first = text.lines().next().unwrap_or_default();
                    self.report.notes.push(format!("{name} does not build: {first}"));
                    continue;
                }
                Err(error) => return Err(error),
            };
            self.on_version(pair, name, &version, findings)?;
        }
        if let [parent, fix] = &names[..] {
            findings.iter_mut().for_each(|finding| finding.judge_by(parent, fix));
        }
        Ok(())
    }

    fn on_version(
        &self,
        pair: &Pair,
        name: &str,
        version: &Version,
        findings: &mut [CheckFinding],
    ) -> Result<(), Error> {
        let native = self.native(pair)?;
        let mut cases = Vec::new();
        for finding in findings.iter_mut().filter(|finding| !finding.case.is_empty()) {
            let case = Case::read(&self.keep.path().join(&finding.case))?;
            cases.push((finding, case));
        }
        let on = |case: &Case| version.executables(&program_of(case));
        cases.retain(|(_, case)| on(case).is_some());
        // Twice on the same version: what is up to chance is known to be.
        let trials: Vec<Trial<'_>> = cases
            .iter()
            .filter_map(|(_, case)| Some(Trial { case, old: on(case)?, new: on(case)? }))
            .collect();
        let judged = native.judge_all(&trials);
        drop(trials);
        for ((finding, _), judgement) in cases.into_iter().zip(judged) {
            match judgement {
                Ok(judgement) => finding.also.push((name.to_owned(), behaviour(&judgement.old))),
                Err(umbra_replay::Error::Cancelled) => {}
                Err(error) if error.is_of_the_case() => {}
                Err(source) => {
                    let case = finding.case.clone();
                    return Err(Error::Run { case, source: Box::new(source) });
                }
            }
        }
        Ok(())
    }
}
