//! The builder: from a revision to a build in the cache.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use super::export::{self, Record};
use super::failure::{BuildFailure, excerpt};
use super::run::{Log, Runner, shell};
use super::setting::Setting;
use super::work::{Plan, WorkFolder};
use super::{Build, Flavour, Progress, Step, key};
use crate::cache::{Collection, DEFAULT_CACHE_LIMIT, collect};
use crate::git::TreeId;
use crate::lock::{Lock, Mode};
use crate::{Error, Manifest, Repository, Revision, Toolchain, files};

/// Builds revisions of a project.
#[derive(Clone, Debug)]
pub struct Builder {
    toolchain: Toolchain,
    manifest: Manifest,
    repository: Repository,
    environment: Vec<(OsString, OsString)>,
    jobs: usize,
    cache_limit: u64,
}

/// A work tree at a revision, built, and locked for whoever holds the value: to run the
/// project's tests in, say. What they change there does not reach later builds.
#[derive(Debug)]
pub struct WorkTree {
    /// The build of the revision.
    pub build: Build,
    /// The project's folder in the tree.
    folder: PathBuf,
    environment: Vec<(OsString, OsString)>,
    work: WorkFolder,
}

impl Builder {
    /// A builder for a project.
    pub fn new(toolchain: Toolchain, manifest: Manifest, repository: Repository) -> Builder {
        let jobs = manifest.build.jobs.unwrap_or_else(|| {
            std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
        });
        let cache_limit = manifest.cache_limit.unwrap_or(DEFAULT_CACHE_LIMIT);
        Builder { toolchain, manifest, repository, environment: Vec::new(), jobs, cache_limit }
    }

    /// Variables that builds see, besides those that are set for them: at least `PATH`.
    pub fn environment(mut self, variables: Vec<(OsString, OsString)>) -> Builder {
        self.environment = variables;
        self
    }

    /// How large the cache may grow, in bytes; by default as the manifest says.
    pub fn cache_limit(mut self, bytes: u64) -> Builder {
        self.cache_limit = bytes;
        self
    }

    /// The repository that revisions are taken from.
    pub fn repository(&self) -> &Repository {
        &self.repository
    }

    /// Builds a revision, unless the cache has it.
    pub fn build(
        &self,
        revision: &Revision,
        flavour: Flavour,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Build, Error> {
        let job = self.job(revision, flavour)?;
        if let Some(build) = self.cached(&job)? {
            return Ok(build);
        }
        let work = WorkFolder::enter(self.folder(flavour), progress)?;
        self.built(&work, &job, progress)
    }

    /// The work tree at a revision, built.
    pub fn work_tree(
        &self,
        revision: &Revision,
        flavour: Flavour,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<WorkTree, Error> {
        let job = self.job(revision, flavour)?;
        let work = WorkFolder::enter(self.folder(flavour), progress)?;
        self.bring(&work, &job, progress)?;
        let build = self.built(&work, &job, progress)?;
        let folder = work.tree().join(self.repository.prefix());
        let environment = self.variables(&self.setting(flavour, &work.folder));
        Ok(WorkTree { build, folder, environment, work })
    }

    /// The work folder of a flavour. Its path never changes.
    fn folder(&self, flavour: Flavour) -> PathBuf {
        self.repository.private().join(flavour.name())
    }

    fn job(&self, revision: &Revision, flavour: Flavour) -> Result<Job, Error> {
        let tree = self.repository.resolve(revision)?;
        let (folder, prefix) = (self.folder(flavour), self.repository.prefix());
        let configuration =
            key::configuration(&self.toolchain, &self.manifest, flavour, &folder, prefix)?;
        let key = key::build(&configuration, &tree, &self.manifest);
        Ok(Job { flavour, tree, configuration, key })
    }

    /// A build from the cache, which keeps it from now on.
    fn cached(&self, job: &Job) -> Result<Option<Build>, Error> {
        let folder = self.toolchain.cache.build_folder(&job.key);
        if !folder.is_dir() {
            return Ok(None);
        }
        let path = folder.join("lock");
        let lock = match Lock::take(&path, Mode::Shared, |_| {}) {
            Ok(lock) => lock,
            // It was collected just now.
            Err(_) if !folder.is_dir() => return Ok(None),
            Err(error) => return Err(error),
        };
        lock.touch(&path)?;
        let programs = export::load(&folder)?;
        let tree = self.folder(job.flavour).join("tree");
        let log = folder.join(export::LOG);
        let _lock = Arc::new(lock);
        Ok(Some(Build { key: job.key.clone(), folder, programs, log, tree, _lock }))
    }

    /// The build from the cache, or made in a folder that is ours.
    fn built(
        &self,
        work: &WorkFolder,
        job: &Job,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Build, Error> {
        // Whoever had the folder before may have built the same.
        if let Some(build) = self.cached(job)? {
            return Ok(build);
        }
        self.bring(work, job, progress)?;
        progress(Progress::Exporting);
        let root = work.tree().join(self.repository.prefix());
        let programs = export::find(&root, &self.manifest.programs, job.flavour, progress)?;
        let record = Record { flavour: job.flavour, tree: job.tree.to_string(), programs };
        let new = work.folder.join("export");
        files::remove_tree(&new)?;
        export::export(&root, &record, &work.log(), &new)?;
        let folder = self.toolchain.cache.build_folder(&job.key);
        let builds = folder.parent().unwrap_or(&folder);
        fs::create_dir_all(builds).map_err(Error::io("create", builds))?;
        fs::rename(&new, &folder).map_err(Error::io("create", &folder))?;
        let build = self.cached(job)?.ok_or(Error::NoBuild { folder })?;
        // The build is held, and so is the tree: what goes is what others left.
        collect(&self.toolchain.cache, Collection::ToSize(self.cache_limit))?;
        Ok(build)
    }

    /// Brings the work tree to a revision and builds it there.
    fn bring(
        &self,
        work: &WorkFolder,
        job: &Job,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), Error> {
        // Before anything else: tests in a tree that is ready compile, too.
        let setting = self.setting(job.flavour, &work.folder);
        setting.write()?;
        let steps = &self.manifest.build;
        let plan = work.plan(&self.repository, &job.tree, &job.configuration, steps.incremental)?;
        if matches!(plan, Plan::Ready) {
            return Ok(());
        }
        work.begin()?;
        let environment = self.variables(&setting);
        let run = Run {
            builder: self,
            job,
            work,
            setting: &setting,
            environment: &environment,
            log: Log::create(&work.log())?,
        };
        progress(Progress::CheckingOut);
        match plan {
            Plan::Ready => {}
            Plan::Incremental { code, other } => {
                work.update(&self.repository, &job.tree, &code, &other)?;
                run.incremental(progress)?;
            }
            Plan::Scratch(reason) => {
                reason.into_iter().for_each(|path| progress(Progress::FromScratch(path)));
                for path in work.check_out(&self.repository, &job.tree)? {
                    progress(Progress::MissingSubmodule(path));
                }
                run.scratch(progress)?;
            }
        }
        work.finish(&job.tree, &job.configuration)
    }

    fn setting<'a>(&'a self, flavour: Flavour, folder: &'a Path) -> Setting<'a> {
        let flags = &self.manifest.build.of(flavour).flags;
        Setting { toolchain: &self.toolchain, flavour, flags, folder, jobs: self.jobs }
    }

    fn variables(&self, setting: &Setting<'_>) -> Vec<(OsString, OsString)> {
        let mut variables = self.environment.clone();
        let own = setting.variables().into_iter();
        variables.extend(own.map(|(name, value)| (name.into(), value)));
        variables
    }
}

/// One build to be made.
struct Job {
    flavour: Flavour,
    tree: TreeId,
    configuration: String,
    key: String,
}

/// The commands of one build.
struct Run<'a> {
    builder: &'a Builder,
    job: &'a Job,
    work: &'a WorkFolder,
    setting: &'a Setting<'a>,
    environment: &'a [(OsString, OsString)],
    log: Log,
}

impl Run<'_> {
    fn incremental(mut self, progress: &mut dyn FnMut(Progress)) -> Result<(), Error> {
        let build = self.builder.manifest.build.build_for(self.job.flavour);
        self.step(Step::Rebuild, build, progress)
    }

    fn scratch(mut self, progress: &mut dyn FnMut(Progress)) -> Result<(), Error> {
        let steps = &self.builder.manifest.build;
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
        let script = self.folder().join("configure");
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
            folder: &self.folder(),
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
        let folder = self.builder.toolchain.cache.failed_folder(&self.job.key);
        fs::create_dir_all(&folder).map_err(Error::io("create", &folder))?;
        let log = folder.join(export::LOG);
        fs::copy(self.work.log(), &log).map_err(Error::io("write", &log))?;
        let details = self.folder().join("config.log");
        if details.exists() {
            let to = folder.join("config.log");
            fs::copy(details, &to).map_err(Error::io("write", &to))?;
        }
        Ok(log)
    }

    fn folder(&self) -> PathBuf {
        self.work.tree().join(self.builder.repository.prefix())
    }
}

impl WorkTree {
    /// The project's folder in the tree.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A command of the shell in that folder, with the environment of the build. Its
    /// standard input is empty, and keeps the tree locked while it lives.
    pub fn command(&self, command: &str) -> Result<Command, Error> {
        let mut shell = shell(command, &self.folder, &self.environment);
        let input = self.work.lock.share(&self.work.lock_path())?;
        shell.stdin(Stdio::from(input));
        Ok(shell)
    }
}
