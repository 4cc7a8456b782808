//! A whole recording: install, run, put back, convert.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::{PipeReader, PipeWriter};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::PidfdFlags;
use umbra_case::{CaseId, Store};
use umbra_shim::{UNWATCHED, Unwatched};
use umbra_tracer::journal::{Entry, Journals};
use umbra_tracer::presence;
use umbra_tracer::raw::{Damaged, Recording};
use umbra_tracer::settings::{Program, Settings, names};

use crate::convert::{Baseline, Incomplete, convert, keeps_path, programs};
use crate::installation::Installation;
use crate::run_folder::RunFolder;
use crate::silence::Listener;
use crate::{Error, RecordConfig, Sample, Summary, late, suite};

/// The tracer, as it was built.
const TRACER: &[u8] = include_bytes!(env!("UMBRA_TRACER"));
/// How often tracers that outlive the command are looked at.
const PAUSE: Duration = Duration::from_millis(5);

/// What a recording tells while it goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Progress {
    /// Programs that a killed run had left as shims are themselves again; its recordings are gone.
    Recovered {
        /// The programs.
        programs: Vec<PathBuf>,
    },
    /// The folder of the run is ready: [`crate::add_program`] takes it.
    Prepared {
        /// The folder.
        run: PathBuf,
    },
    /// The command runs, below this process.
    Started {
        /// The process that runs the command.
        process: u32,
    },
    /// The command has ended.
    Ended {
        /// Its status, 128 + N for signal N.
        status: i32,
    },
    /// Recordings are made into cases.
    Converting {
        /// So many.
        recordings: usize,
    },
}

/// Records the programs of a test suite.
#[derive(Debug)]
pub struct Recorder {
    config: RecordConfig,
}

/// Sets folder, environment and standard input of a command.
pub type Surround<'a> = &'a mut dyn FnMut(&mut Command);

impl Recorder {
    /// A recorder with this configuration.
    pub fn new(config: RecordConfig) -> Self {
        Self { config }
    }

    /// Runs the command and records every invocation of the programs.
    pub fn run(
        &self,
        command: &[OsString],
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Summary, Error> {
        self.run_in(command, &mut |_| {}, progress)
    }

    /// The same, in surroundings of its own: `surround` sets folder, environment and standard input
    /// of the process that runs the command.
    pub fn run_in(
        &self,
        command: &[OsString],
        surround: Surround<'_>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Summary, Error> {
        if self.config.programs.is_empty() {
            return Err(Error::NoPrograms);
        }
        if command.is_empty() {
            return Err(Error::NoCommand);
        }
        self.recover(progress)?;
        let store = Store::open(&self.config.store)?;
        let run = RunFolder::make(&self.config.store)?;
        let (installation, programs) = match Installation::install(&run, &self.config.programs) {
            Ok(installed) => installed,
            Err(error) => {
                run.remove()?;
                return Err(error);
            }
        };
        // Whatever happens from here on, the programs are put back first.
        let recorded = self.record(&run, programs, (command, surround), progress);
        // With those that were linked meanwhile.
        let removed = Installation::left_over(&run).unwrap_or(installation).remove()?;
        let mut summary = recorded?;
        summary.lost_shims = removed.lost;
        let programs = late::programs(run.path())?;
        self.make_cases(&run, &store, &programs, &mut summary, progress)?;
        if let Some(suite) = &self.config.suite
            && !summary.cases.is_empty()
            && summary.stuck.is_empty()
            && !summary.sampled
        {
            summary.replaced = suite::replace(&store, suite, summary.cases.keys().copied())?;
        }
        run.remove()?;
        Ok(summary)
    }

    /// Puts back what killed runs have left.
    fn recover(&self, progress: &mut dyn FnMut(Progress)) -> Result<(), Error> {
        for run in RunFolder::left_over(&self.config.store)? {
            let programs = Installation::left_over(&run)?.remove()?.restored;
            run.remove()?;
            progress(Progress::Recovered { programs });
        }
        Ok(())
    }

    fn record(
        &self,
        run: &RunFolder,
        programs: Vec<Program>,
        (command, surround): (&[OsString], Surround<'_>),
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Summary, Error> {
        self.write_settings(run.path(), programs)?;
        progress(Progress::Prepared { run: run.path().to_owned() });
        let supervisor = write_tracer(run.path())?;
        let start = Instant::now();
        let mut supervised = Command::new(&supervisor);
        let (lifeline, ours) = lifeline().map_err(Error::io("run", &supervisor))?;
        supervised.arg("supervise").arg(lifeline.as_raw_fd().to_string()).args(command);
        surround(&mut supervised);
        let mut child = spawn_fresh(&mut supervised).map_err(Error::io("run", &supervisor))?;
        // It holds what the surroundings have given it.
        drop((supervised, lifeline));
        progress(Progress::Started { process: child.id() });
        let heard =
            self.listen(&mut child, run.path()).map_err(Error::io("wait for", &supervisor))?;
        let (stuck, sampled) = match heard {
            Heard::End => (Vec::new(), false),
            Heard::Enough => (Vec::new(), true),
            Heard::Silence(stuck) => (stuck, false),
        };
        let mut ours = Some(ours);
        if sampled || !stuck.is_empty() {
            // Closed: all that is left of the command is killed.
            ours = None;
        }
        let status = child.wait().map_err(Error::io("wait for", &supervisor))?;
        drop(ours);
        let status = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default());
        progress(Progress::Ended { status });
        let command_time = start.elapsed();
        let mut summary = Summary { status, stuck, sampled, command_time, ..Summary::default() };
        self.wait_for_tracers(run, &mut summary)?;
        Ok(summary)
    }

    /// Waits until the command has ended, or is to be ended.
    fn listen(&self, child: &mut Child, run: &Path) -> std::io::Result<Heard> {
        let (sample, silence) = (self.config.sample, self.config.silence);
        if sample.is_none() && silence.is_none() {
            return Ok(Heard::End);
        }
        let supervisor = run.join(names::TRACER);
        let mut listener = silence.map(|limit| Listener::new(limit, child.id(), &supervisor));
        let mut sampling = sample.map(|sample| Sampling::new(sample, run.join(names::RAW)));
        let process = rustix::process::Pid::from_child(child);
        let end = rustix::process::pidfd_open(process, PidfdFlags::empty())?;
        loop {
            let mut wait = [PollFd::new(&end, PollFlags::IN)];
            let pause = listener.as_ref().map_or(SAMPLE_PAUSE, Listener::pause);
            let pause = if sampling.is_some() { pause.min(SAMPLE_PAUSE) } else { pause };
            let pause = Timespec {
                tv_sec: pause.as_secs().try_into().unwrap_or(1),
                tv_nsec: pause.subsec_nanos().into(),
            };
            match poll(&mut wait, Some(&pause)) {
                Ok(0) => {}
                Err(rustix::io::Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
                Ok(_) => return Ok(Heard::End),
            }
            if let Some(stuck) = listener.as_mut().and_then(Listener::stuck) {
                return Ok(Heard::Silence(stuck));
            }
            if sampling.as_mut().is_some_and(Sampling::is_enough) {
                return Ok(Heard::Enough);
            }
        }
    }

    fn write_settings(&self, run: &Path, programs: Vec<Program>) -> Result<(), Error> {
        let bytes = |path: &PathBuf| path.as_os_str().as_bytes().to_vec();
        let variables = self.config.variables.iter().map(|name| name.clone().into_bytes());
        let settings = Settings {
            programs,
            variables: variables.collect(),
            trees: self.config.trees.iter().map(bytes).collect(),
            caps: self.config.caps,
        };
        let path = run.join(names::SETTINGS);
        fs::write(&path, settings.encode()).map_err(Error::io("write", &path))
    }

    /// Waits until no tracer is there, or patience ends.
    fn wait_for_tracers(&self, run: &RunFolder, summary: &mut Summary) -> Result<(), Error> {
        let deadline = Instant::now() + self.config.patience;
        let folder = run.path().join(names::RAW);
        loop {
            let present = presence::count(&folder).map_err(Error::io("read", &folder))?;
            if present.running == 0 || Instant::now() > deadline {
                summary.killed_tracers = present.killed;
                summary.running_tracers = present.running;
                return Ok(());
            }
            std::thread::sleep(PAUSE);
        }
    }

    fn make_cases(
        &self,
        run: &RunFolder,
        store: &Store,
        programs: &[Program],
        summary: &mut Summary,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), Error> {
        let start = Instant::now();
        let folder = run.path().join(names::RAW);
        let journals = Journals::open(&folder).map_err(Error::io("read", &folder))?;
        summary.damaged += journals.damaged();
        progress(Progress::Converting { recordings: journals.entries().len() });
        let mut conversion = Conversion {
            journals: &journals,
            folder: &folder,
            objects: run.path().join(names::OBJECTS),
            baseline: Baseline::of_this_process(),
            firsts: BTreeMap::new(),
            bytes: 0,
            total: self.config.total,
        };
        for entry in journals.entries() {
            conversion.count(*entry, programs, summary)?;
        }
        for file in run.files(names::RAW, UNWATCHED)? {
            let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let Some((number, reason)) = Unwatched::of_file(name) else { continue };
            count_invocation(number, programs, summary);
            *summary.incomplete.entry(reason.name()).or_default() += 1;
            summary
                .examples
                .entry(reason.name())
                .or_insert_with(|| unwatched_example(number, programs));
        }
        conversion.store(store, programs, summary)?;
        summary.conversion_time = start.elapsed();
        Ok(())
    }
}

/// How often it is looked whether a sample is large enough.
const SAMPLE_PAUSE: Duration = Duration::from_millis(100);

/// Why nobody waits for the command any more.
enum Heard {
    /// It has ended.
    End,
    /// Enough of it was seen.
    Enough,
    /// It did nothing for too long, stuck at these processes.
    Silence(Vec<String>),
}

/// A suite of which a sample is enough.
struct Sampling {
    sample: Sample,
    start: Instant,
    first: Option<Instant>,
    /// Where recordings go.
    raw: PathBuf,
}

impl Sampling {
    fn new(sample: Sample, raw: PathBuf) -> Self {
        Self { sample, start: Instant::now(), first: None, raw }
    }

    fn is_enough(&mut self) -> bool {
        let has_entries = || Journals::open(&self.raw).is_ok_and(|all| !all.entries().is_empty());
        if self.first.is_none() && has_entries() {
            self.first = Some(Instant::now());
        }
        self.start.elapsed() > self.sample.at_most
            || self.first.is_some_and(|first| first.elapsed() > self.sample.after_first)
    }
}

/// A pipe: the end that the supervisor inherits, and ours. When ours is closed, it kills the command.
fn lifeline() -> std::io::Result<(PipeReader, PipeWriter)> {
    let (reader, writer) = std::io::pipe()?;
    rustix::io::fcntl_setfd(&reader, rustix::io::FdFlags::empty())?;
    Ok((reader, writer))
}

/// How long a program that was just written may be busy.
const BUSY: Duration = Duration::from_secs(10);

/// Starts a program that was just written. If another thread has forked meanwhile, its child has the
/// file open for writing until it executes something itself, and the kernel refuses to run it.
fn spawn_fresh(command: &mut Command) -> std::io::Result<Child> {
    let start = Instant::now();
    loop {
        match command.spawn() {
            Err(error)
                if error.kind() == std::io::ErrorKind::ExecutableFileBusy
                    && start.elapsed() < BUSY =>
            {
                std::thread::sleep(Duration::from_millis(1));
            }
            result => return result,
        }
    }
}

fn count_invocation(number: u32, programs: &[Program], summary: &mut Summary) {
    summary.invocations += 1;
    if let Some(program) = programs.get(number as usize) {
        let path = PathBuf::from(OsString::from_vec(program.path.clone()));
        *summary.by_program.entry(path).or_default() += 1;
    }
}

/// Nothing else is known of an invocation that nobody watched.
fn unwatched_example(number: u32, programs: &[Program]) -> String {
    let path = programs.get(number as usize).map_or(&b"a program"[..], |program| &program.path);
    format!("`{}`, of which nothing else is known", path.escape_ascii())
}

/// An invocation in a line.
fn example(recording: &Recording) -> String {
    let shown = |bytes: &[u8]| bytes.escape_ascii().to_string();
    let words: Vec<String> = recording.start.arguments.iter().map(|word| shown(word)).collect();
    let folder =
        recording.start.directory.as_deref().map_or("a folder without a name".into(), shown);
    let test = recording.test.as_deref().map_or("no test that is known".into(), shown);
    format!("`{}` in {folder}, of {test}", words.join(" "))
}

/// The tracer, which also supervises the command.
fn write_tracer(run: &Path) -> Result<PathBuf, Error> {
    let path = run.join(names::TRACER);
    fs::write(&path, TRACER).map_err(Error::io("write", &path))?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755))
        .map_err(Error::io("change the mode of", &path))?;
    Ok(path)
}

/// Making cases: every recording is looked at, each case is stored once, with its count.
struct Conversion<'a> {
    journals: &'a Journals,
    /// Where they are.
    folder: &'a Path,
    objects: PathBuf,
    baseline: Baseline,
    /// The first recording of each case.
    firsts: BTreeMap<CaseId, Entry>,
    /// Bytes of all cases.
    bytes: u64,
    total: u64,
}

impl Conversion<'_> {
    fn count(
        &mut self,
        entry: Entry,
        programs: &[Program],
        summary: &mut Summary,
    ) -> Result<(), Error> {
        let Ok(recording) = self.read(entry)? else {
            summary.damaged += 1;
            return Ok(());
        };
        count_invocation(recording.program, programs, summary);
        for note in &recording.notes {
            *summary.notes.entry(note.name()).or_default() += 1;
        }
        let stored = |name: &[u8]| name == b"PATH" && keeps_path(&recording);
        for name in recording.start.dropped.iter().filter(|name| !stored(name)) {
            let name = String::from_utf8_lossy(name).into_owned();
            *summary.dropped_variables.entry(name).or_default() += 1;
        }
        match self.identify(&recording, entry) {
            Ok(id) => {
                summary.recorded += 1;
                *summary.cases.entry(id).or_default() += 1;
            }
            Err(reason) => {
                *summary.incomplete.entry(reason.name()).or_default() += 1;
                summary.examples.entry(reason.name()).or_insert_with(|| example(&recording));
            }
        }
        Ok(())
    }

    fn read(&self, entry: Entry) -> Result<Result<Recording, Damaged>, Error> {
        let bytes = self.journals.read(entry).map_err(Error::io("read", self.folder))?;
        Ok(Recording::decode(&bytes))
    }

    fn identify(&mut self, recording: &Recording, entry: Entry) -> Result<CaseId, Incomplete> {
        let case = convert(recording, &self.objects, &self.baseline)?;
        let id = case.id();
        if !self.firsts.contains_key(&id) {
            let bytes = self.bytes + case.input_bytes();
            if bytes > self.total {
                return Err(Incomplete::Total);
            }
            self.bytes = bytes;
            self.firsts.insert(id, entry);
        }
        Ok(id)
    }

    fn store(&self, store: &Store, programs: &[Program], summary: &Summary) -> Result<(), Error> {
        let damaged = || Error::Damaged { path: self.folder.to_owned() };
        for (id, entry) in &self.firsts {
            let recording = self.read(*entry)?.map_err(|_| damaged())?;
            let mut case =
                convert(&recording, &self.objects, &self.baseline).map_err(|_| damaged())?;
            let count = summary.cases.get(id).copied().unwrap_or_default();
            case.origin.insert("occurrences".to_owned(), count.to_string());
            case.origin.extend(programs::origin(&recording, programs));
            if let Some(blocks) = &recording.blocks {
                let object = store.put_object(blocks)?;
                case.origin.insert("blocks".to_owned(), object.to_string());
            }
            store.put(&case)?;
        }
        Ok(())
    }
}
