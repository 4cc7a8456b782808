//! The builder: from a revision to a build in the cache.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use super::export::{self, Record};
use super::run::Log;
use super::setting::{self, Setting};
use super::steps::{Job, Run};
use super::work::{Plan, WorkFolder};
use super::{Build, Flavour, Progress, key};
use crate::cache::{Collection, DEFAULT_CACHE_LIMIT, collect};
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
        let for_tests = [work.folder.join(setting::FOR_TESTS)];
        let environment = self.variables(&self.setting(flavour, &work.folder), &for_tests)?;
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
        let programs = export::find(&root, &self.manifest, job.flavour, progress)?;
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
        let environment = self.variables(&setting, &[])?;
        let run = Run {
            steps,
            folder: work.tree().join(self.repository.prefix()),
            failed: self.toolchain.cache.failed_folder(&job.key),
            job,
            work,
            setting: &setting,
            environment: &environment,
            log: Log::create(&work.log())?,
        };
        progress(Progress::CheckingOut);
        match plan {
            Plan::Ready => {}
            Plan::Incremental { code, other, unread } => {
                work.update(&self.repository, &job.tree, (&code, &other), &unread)?;
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

    /// `more` are folders in which programs are looked for first.
    fn variables(
        &self,
        setting: &Setting<'_>,
        more: &[PathBuf],
    ) -> Result<Vec<(OsString, OsString)>, Error> {
        let (path, mut variables): (Vec<_>, Vec<_>) =
            self.environment.iter().cloned().partition(|(name, _)| name == "PATH");
        let path = setting.path(path.first().map(|(_, value)| value), more);
        variables.push(("PATH".into(), path));
        let own = setting.variables()?.into_iter();
        variables.extend(own.map(|(name, value)| (name.into(), value)));
        Ok(variables)
    }
}

impl WorkTree {
    /// The project's folder in the tree.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The file that the compiler of the tree looks at when it has linked a program: who records
    /// tests says there what is to be done with it.
    pub fn recording_file(&self) -> PathBuf {
        self.work.folder.join(setting::RECORDING)
    }

    /// Lets a command run in that folder, with the environment of the build. Its standard input is
    /// empty, and keeps the tree locked while the command lives.
    pub fn surround(&self, command: &mut Command) -> Result<(), Error> {
        let input = self.work.lock.share(&self.work.lock_path())?;
        command.current_dir(&self.folder).env_clear().stdin(Stdio::from(input));
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        Ok(())
    }
}
