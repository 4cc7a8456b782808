//! The commands of one build, in their order.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use super::failure::{BuildFailure, excerpt};
use super::run::{Log, Runner};
use super::setting::Setting;
use super::work::WorkFolder;
use super::{Flavour, Progress, Step, export, key};
use crate::git::TreeId;
use crate::{Error, Steps, files};

/// One build to be made.
pub struct Job {
    pub flavour: Flavour,
    pub tree: TreeId,
    pub configuration: String,
    pub key: String,
}

/// The commands of one build.
pub struct Run<'a> {
    pub steps: &'a Steps,
    pub job: &'a Job,
    pub work: &'a WorkFolder,
    pub setting: &'a Setting<'a>,
    pub environment: &'a [(OsString, OsString)],
    /// The project's folder in the tree.
    pub folder: PathBuf,
    /// Where the log goes if something fails.
    pub failed: PathBuf,
    pub log: Log,
}

impl Run<'_> {
    /// Builds on top of what is there.
    pub fn incremental(mut self, progress: &mut dyn FnMut(Progress)) -> Result<(), Error> {
        let build = self.steps.build_for(self.job.flavour);
        self.step(Step::Rebuild, build, progress)
    }

    /// Builds what was just checked out.
    pub fn scratch(mut self, progress: &mut dyn FnMut(Progress)) -> Result<(), Error> {
        let steps = self.steps;
        self.step(Step::Prepare, &steps.prepare, progress)?;
        self.configure(steps.configure_for(self.job.flavour), progress)?;
        self.step(Step::Build, steps.build_for(self.job.flavour), progress)
    }

    /// Configures with the results of an earlier run, if they are for the same script.
    fn configure(
        &mut self,
        command: &str,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), Error> {
        let script = self.folder.join("configure");
        let Ok(script) = fs::read(script) else {
            return self.step(Step::Configure, command, progress);
        };
        let key = key::configure_results(&self.job.configuration, &script);
        let now = self.setting.cache_file();
        let (saved, saved_key) =
            (self.work.folder.join("config.cache"), self.work.folder.join("config.cache.key"));
        let reused = fs::read_to_string(&saved_key).is_ok_and(|saved| saved == key)
            && fs::copy(&saved, &now).is_ok();
        if !reused {
            files::remove_file(&now)?;
        }
        let mut result = self.step(Step::Configure, command, progress);
        if reused && result.is_err() {
            // The results may be what is wrong.
            files::remove_file(&now)?;
            result = self.step(Step::Configure, command, progress);
        }
        result?;
        files::remove_file(&saved_key)?;
        if now.exists() {
            fs::copy(&now, &saved).map_err(Error::io("write", &saved))?;
            files::write_whole(&saved_key, key.as_bytes())?;
        }
        Ok(())
    }

    fn step(
        &mut self,
        step: Step,
        command: &str,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), Error> {
        if command.is_empty() {
            return Ok(());
        }
        progress(Progress::Step(step));
        let lock_path = self.work.lock_path();
        let runner = Runner {
            folder: &self.folder,
            environment: self.environment,
            lock: &self.work.lock,
            lock_path: &lock_path,
        };
        let status = runner.run(command, &mut self.log, progress)?;
        if status.success() {
            return Ok(());
        }
        Err(Error::Build(Box::new(BuildFailure {
            step,
            command: command.into(),
            flavour: self.job.flavour,
            status,
            excerpt: excerpt(&self.work.log()),
            log: self.keep_log()?,
        })))
    }

    /// Copies the log to where the next build does not overwrite it.
    fn keep_log(&self) -> Result<PathBuf, Error> {
        let folder = &self.failed;
        fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
        let log = folder.join(export::LOG);
        fs::copy(self.work.log(), &log).map_err(Error::io("write", &log))?;
        let details = self.folder.join("config.log");
        if details.exists() {
            let to = folder.join("config.log");
            fs::copy(details, &to).map_err(Error::io("write", &to))?;
        }
        Ok(log)
    }
}
