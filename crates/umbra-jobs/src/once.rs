//! One run of a program, as if it ran natively: on the host's files and input, or in the world of a
//! test case.

use std::ffi::OsString;
use std::io;
use std::os::fd::BorrowedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use rustix::fs::{FileType, SeekFrom};
use umbra_case::Case;
use umbra_engine::{
    Image, Inputs, Limits, Machine, Memory, NoForks, Process, Shared, State, Termination,
    UninitialisedReads,
};
use umbra_os::{Descriptor, Kernel, OutputAction, OutputEvent, SinkId};
use umbra_report::{ConcretePath, ConcreteSummary, LineCounts, LineCoverage, Undefined};
use umbra_strategy::{given, place_of};

use crate::explore::undefined;
use crate::program::Loaded;
use crate::{Error, SearchLimits, Stopped, Threading, Watched};

/// Instructions between two looks at what the program has written.
const SLICE: u64 = 500_000;

/// What a program starts from that runs once.
pub enum World<'a> {
    /// A test case.
    Case(&'a Case),
    /// The host: its files, and these.
    Host {
        /// The name of the program and its arguments.
        arguments: Vec<Vec<u8>>,
        /// Variables, as `NAME=VALUE`.
        environment: Vec<Vec<u8>>,
        /// Standard input, output and error.
        descriptors: [BorrowedFd<'a>; 3],
    },
}

/// One run of a program.
pub struct OnceJob<'a> {
    /// What it starts from.
    pub world: World<'a>,
    /// What it may take.
    pub limits: SearchLimits,
    /// Whether reading memory that was never written is an error.
    pub check_uninitialised: bool,
    /// In which order threads run.
    pub schedule: Threading,
}

/// What a program does to a stream that it was given.
pub enum StreamAction<'a> {
    /// It writes, at an offset if the stream is a file.
    Write(Option<u64>, &'a [u8]),
    /// It makes it so long.
    Truncate(u64),
}

/// Where what the program writes goes.
pub trait Host {
    /// Does to standard output (1) or standard error (2) what the program did to its own.
    fn apply(&mut self, stream: u32, action: StreamAction<'_>) -> io::Result<()>;
}

/// A finished run.
pub struct Once {
    termination: Termination,
    instructions: u64,
    /// The lines that ran.
    pub coverage: LineCoverage,
    undefined: Vec<Undefined>,
    kernel: Kernel,
    /// Seconds that execution itself took.
    execute_s: f64,
}

/// The exit status of a run that a limit has stopped.
pub const LIMITED: u8 = 4;

/// Runs a program once. `done` is kept at the number of instructions so far; `started` is called when
/// the program starts.
pub fn run_once(
    job: &OnceJob<'_>,
    program: Loaded,
    watched: &Watched<'_>,
    done: &Arc<AtomicU64>,
    host: &mut dyn Host,
) -> Result<Once, Error> {
    let uninitialised = match job.check_uninitialised {
        true => UninitialisedReads::Error,
        false => UninitialisedReads::Zero,
    };
    let schedule = job.schedule.schedule();
    let limits = Limits { memory: job.limits.memory_mib << 20, schedule, ..Limits::default() };
    let mut memory = Memory::new(limits.memory, uninitialised);
    let image = Image::new(program.program, &mut memory, Inputs::Given);
    let (config, process) = match &job.world {
        World::Case(case) => given(case),
        World::Host { arguments, environment, descriptors } => {
            let config = host_config(descriptors);
            let identity = [config.uid, config.uid, config.gid, config.gid];
            let process = Process::concrete(arguments, environment, identity);
            (config, process)
        }
    };
    let kernel = Kernel::new(config).map_err(Error::Start)?;
    let mut state = State::new(memory, Box::new(kernel), limits);
    let mut shared = Shared::new(&image);
    shared.alarm = Some(Arc::clone(watched.control.flag()));
    watched.guard.set_up();
    let start = Instant::now();
    let limit = job.limits.instructions.unwrap_or(u64::MAX);
    let termination =
        step(limit, &image, &mut state, &mut shared, &process, host, |instructions| {
            done.store(instructions, Ordering::Relaxed);
            watched.control.stopped()
        })?;
    let execute_s = start.elapsed().as_secs_f64();
    let coverage = image.line_coverage(&shared.coverage);
    let instructions = state.instructions();
    let undefined = undefined(&shared.unrelated, &image);
    let kernel = Kernel::of(&*state.environment).clone();
    watched.guard.over();
    Ok(Once { termination, instructions, coverage, undefined, kernel, execute_s })
}

/// The configuration of a kernel that looks like the host, with these descriptors 0 to 2.
fn host_config(hosts: &[BorrowedFd<'_>; 3]) -> umbra_os::Config {
    let mut config = umbra_os::Config::of_host();
    config.descriptors =
        (0..).zip(hosts).map(|(number, host)| Descriptor::of_host(*host, number)).collect();
    if is_same_file(hosts[1], hosts[2]) {
        config.descriptors[2] = Descriptor::Same(1);
    }
    config
}

/// Whether two descriptors are one file at one position, as after `2>&1`.
fn is_same_file(one: BorrowedFd<'_>, other: BorrowedFd<'_>) -> bool {
    let position = |fd| rustix::fs::seek(fd, SeekFrom::Current(0)).ok();
    match (rustix::fs::fstat(one), rustix::fs::fstat(other)) {
        (Ok(a), Ok(b)) => {
            (a.st_dev, a.st_ino) == (b.st_dev, b.st_ino)
                && FileType::from_raw_mode(a.st_mode) == FileType::RegularFile
                && position(one) == position(other)
        }
        _ => false,
    }
}

/// Does to the host's streams what the program did to its own.
fn forward(host: &mut dyn Host, events: &[OutputEvent]) -> Result<(), (SinkId, io::Error)> {
    for event in events {
        let done = match &event.action {
            OutputAction::Write { offset, bytes } => match bytes.plain() {
                Some(bytes) => host.apply(event.sink.0, StreamAction::Write(*offset, bytes)),
                // A program that runs on the host's own input has no expressions to print.
                None => Err(io::ErrorKind::InvalidData.into()),
            },
            OutputAction::Truncate(length) => {
                host.apply(event.sink.0, StreamAction::Truncate(*length))
            }
        };
        done.map_err(|error| (event.sink, error))?;
    }
    Ok(())
}

/// Steps to the end, passing on what the program writes as it goes.
fn step(
    limit: u64,
    image: &Image,
    state: &mut State,
    shared: &mut Shared,
    process: &Process,
    host: &mut dyn Host,
    stopped: impl Fn(u64) -> Option<Stopped>,
) -> Result<Termination, Error> {
    let mut forks = NoForks;
    if let Err(termination) = Machine::new(image, state, shared, &mut forks).start(process) {
        return Ok(termination);
    }
    loop {
        let left = limit - state.instructions().min(limit);
        let mut machine = Machine::new(image, state, shared, &mut forks);
        let termination = machine.run(left.min(SLICE));
        let kernel = Kernel::of_mut(&mut *state.environment);
        match forward(host, &kernel.drain_output()) {
            Ok(()) => {}
            Err((sink, error)) if error.kind() == std::io::ErrorKind::BrokenPipe => {
                kernel.close_sink(sink);
            }
            Err((_, error)) => return Err(Error::Output(error)),
        }
        match (termination, stopped(state.instructions())) {
            // In the middle of an operation, or between two.
            (Some(Termination::Limit(_)) | None, Some(stopped)) => {
                return Ok(Termination::Limit(stopped.name()));
            }
            (Some(termination), _) => return Ok(termination),
            (None, None) if state.instructions() >= limit => {
                return Ok(Termination::Limit("instructions"));
            }
            (None, None) => {}
        }
    }
}

impl Once {
    /// The exit status, and what is to be said where the program has not said so itself.
    pub fn verdict(&self) -> (u8, Option<String>) {
        match &self.termination {
            Termination::Exited(status) => (*status as u8, None),
            Termination::Killed(signal) => (128 + *signal as u8, None),
            Termination::Error(error) => (1, Some(error.to_string())),
            Termination::Unsupported { what, stack } => {
                let mut text = format!("unsupported: {what}");
                for (depth, place) in stack.iter().enumerate() {
                    text += &format!("\n    #{depth} {place}");
                }
                (2, Some(text))
            }
            Termination::Excluded | Termination::Silent => (0, None),
            Termination::Limit(what) => (LIMITED, Some(format!("stopped at the limit on {what}"))),
            Termination::EngineBug(message) => (2, Some(format!("engine bug: {message}"))),
        }
    }

    /// Calls that are not modelled, with how often they were made.
    pub fn unsupported_calls(&self) -> impl Iterator<Item = (String, u64)> {
        self.kernel.unsupported_calls().into_iter().map(|call| (call.name, call.count))
    }

    /// Copies the tree below the working directory, as the program left it, to a new folder. `current` is
    /// that directory on the host.
    pub fn commit(
        &mut self,
        case: Option<&Case>,
        current: &Path,
        folder: &Path,
    ) -> Result<(), Error> {
        let from = match case {
            Some(case) => OsString::from_vec(case.root().to_vec()).into(),
            None => current.to_owned(),
        };
        umbra_os::export_tree(&mut self.kernel, &from, folder)
            .map_err(|source| Error::Tree { folder: folder.to_owned(), source })
    }

    /// The run in numbers; what the process took and the exit code are left to the caller.
    pub fn summary(&self) -> ConcreteSummary {
        let mut unsupported: Vec<String> =
            self.kernel.unsupported_calls().into_iter().map(|call| call.name).collect();
        let path = match &self.termination {
            Termination::Exited(_) | Termination::Killed(_) => ConcretePath::Completed,
            Termination::Excluded | Termination::Silent => ConcretePath::Uncounted,
            Termination::Error(report) => {
                let place = report.stack.first().map(place_of);
                ConcretePath::Error(report.kind.name().to_owned(), place)
            }
            Termination::Unsupported { what, .. } => {
                unsupported.push(what.clone());
                ConcretePath::Cut(None)
            }
            Termination::Limit(what) => ConcretePath::Cut(Some((*what).to_owned())),
            Termination::EngineBug(_) => ConcretePath::Cut(None),
        };
        ConcreteSummary {
            execute_s: self.execute_s,
            instructions: self.instructions,
            path,
            lines: LineCounts::of(&self.coverage),
            unsupported,
            undefined: self.undefined.clone(),
            ..ConcreteSummary::default()
        }
    }
}
