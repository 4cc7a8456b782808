//! The asking side: starts a keeper and gives it cases to run.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use rustix::fs::{OFlags, fcntl_setfl};
use serde_bytes::ByteBuf;
use umbra_case::Case;
use umbra_text::Show;

use crate::inside::SCRATCH_PREFIX;
use crate::job::job;
use crate::wire::{ProgramId, Request, Response, receive, send};
use crate::{Confinement, Error, Limits, Program, sanitizer, siblings};
use umbra_compare::{MemoryCount, Outcome};

/// Executables that a keeper holds at one time.
const HELD: usize = 16;

/// How long a keeper may take for everything but the program itself.
const PATIENCE: Duration = Duration::from_secs(30);

/// Bytes that are shown of what a keeper says before it dies.
const LAST_WORDS: usize = 1024;

/// How the sandbox's process is started: a binary whose main function, given these arguments, calls
/// [`sandbox_main`](crate::sandbox_main).
#[derive(Clone, Debug)]
pub struct Launcher {
    /// The binary. `/proc/self/exe` is the running one, also when its file was replaced.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// An existing folder in which private copies of trees are made where there are no namespaces.
    pub scratch: PathBuf,
    /// Use Landlock as if the kernel had at most this version: for tests of what older ones get.
    pub landlock_at_most: Option<i32>,
    /// Make no control group, even where one is available: for tests of what others get.
    pub without_group: bool,
}

/// Runs cases one at a time, each in a sandbox that is new.
pub struct Sandbox {
    launcher: Launcher,
    confinement: Confinement,
    memory_count: MemoryCount,
    without_group: Option<String>,
    keeper: Option<Keeper>,
}

impl Sandbox {
    /// Enters a sandbox of this kind.
    pub fn start(launcher: &Launcher, confinement: Confinement) -> Result<Self, Error> {
        let (keeper, memory_count, without_group) = Keeper::start(launcher, confinement)?;
        let (launcher, keeper) = (launcher.clone(), Some(keeper));
        Ok(Self { launcher, confinement, memory_count, without_group, keeper })
    }

    /// Enters the best sandbox that is available.
    pub fn start_best(launcher: &Launcher) -> Result<Self, Error> {
        Self::start(launcher, Confinement::Namespaces).or_else(|namespaces| {
            Self::start(launcher, Confinement::Landlock).map_err(|landlock| Error::NoSandbox {
                namespaces: Box::new(namespaces),
                landlock: Box::new(landlock),
            })
        })
    }

    /// What the limit on memory covers.
    pub fn memory_count(&self) -> MemoryCount {
        self.memory_count
    }

    /// Why no control group counts memory, if none does.
    pub fn without_group(&self) -> Option<&str> {
        self.without_group.as_deref()
    }

    /// The kind of sandbox.
    pub fn confinement(&self) -> Confinement {
        self.confinement
    }

    /// Runs a case.
    pub fn run(
        &mut self,
        case: &Case,
        program: &Program,
        limits: &Limits,
    ) -> Result<Outcome, Error> {
        self.run_until(case, program, limits, &AtomicBool::new(false))
    }

    /// Runs a case; gives up when `cancel` becomes true.
    pub fn run_until(
        &mut self,
        case: &Case,
        program: &Program,
        limits: &Limits,
        cancel: &AtomicBool,
    ) -> Result<Outcome, Error> {
        let (job, notes) = job(case, program, limits)?;
        let mut keeper = match self.keeper.take() {
            Some(keeper) => keeper,
            None => {
                let (keeper, memory_count, without_group) =
                    Keeper::start(&self.launcher, self.confinement)?;
                (self.memory_count, self.without_group) = (memory_count, without_group);
                keeper
            }
        };
        keeper.load(program, cancel)?;
        let patience = limits.wall + limits.grace + PATIENCE;
        let response = keeper.ask("run a case", &Request::Run(Box::new(job)), patience, cancel)?;
        // A keeper that failed to answer was dropped on the way; the next run starts another.
        self.keeper = Some(keeper);
        match response {
            Response::Ran { mut outcome, reports } => {
                siblings::put_back(case, program, &mut outcome);
                outcome.notes.splice(0..0, notes);
                outcome.report = reports.iter().find_map(|text| sanitizer::parse(text));
                Ok(*outcome)
            }
            Response::Failed { what, error } => Err(Error::Start { what, error }),
            Response::Done | Response::Entered { .. } => {
                Err(lost("run a case")(io::ErrorKind::InvalidData.into()))
            }
        }
    }
}

struct Keeper {
    process: Child,
    socket: UnixStream,
    held: VecDeque<ProgramId>,
}

impl Keeper {
    /// Also what the limit on memory covers, and why no control group counts it.
    fn start(
        launcher: &Launcher,
        confinement: Confinement,
    ) -> Result<(Self, MemoryCount, Option<String>), Error> {
        /// Names of folders are never used twice by one process.
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{SCRATCH_PREFIX}{}-{number}", std::process::id());
        let scratch = match confinement {
            Confinement::Namespaces => None,
            Confinement::Landlock => Some(launcher.scratch.join(&name)),
        };
        let group = (!launcher.without_group).then_some(name);
        let unavailable =
            |what: String, error: String| Error::Unavailable { confinement, what, error };
        let (socket, theirs) = UnixStream::pair()
            .map_err(|error| unavailable("make a socket".to_owned(), error.to_string()))?;
        let process = Command::new(&launcher.program)
            .args(&launcher.arguments)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            // Not ours: a program that got hold of it could write there.
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| {
                unavailable(format!("start {}", launcher.program.shown()), error.to_string())
            })?;
        let mut keeper = Self { process, socket, held: VecDeque::new() };
        let landlock_at_most = launcher.landlock_at_most;
        let setup = Request::Setup { confinement, scratch, landlock_at_most, group };
        match keeper.ask("enter the sandbox", &setup, PATIENCE, &AtomicBool::new(false))? {
            Response::Failed { what, error } => Err(unavailable(what, error)),
            Response::Entered { memory_count, without_group } => {
                Ok((keeper, memory_count, without_group))
            }
            _ => Err(lost("enter the sandbox")(io::ErrorKind::InvalidData.into())),
        }
    }

    /// Makes sure that the keeper holds an executable.
    fn load(&mut self, program: &Program, cancel: &AtomicBool) -> Result<(), Error> {
        if self.held.contains(&program.id()) {
            return Ok(());
        }
        let mut requests = Vec::new();
        if self.held.len() >= HELD {
            requests.extend(self.held.pop_front().map(|id| Request::Unload { id }));
        }
        requests.push(Request::Load {
            id: program.id(),
            executable: ByteBuf::from(program.bytes()),
            libraries: program.libraries(),
        });
        for request in &requests {
            if let Response::Failed { what, error } =
                self.ask("load an executable", request, PATIENCE, cancel)?
            {
                return Err(Error::Start { what, error });
            }
        }
        self.held.push_back(program.id());
        Ok(())
    }

    fn ask(
        &mut self,
        what: &'static str,
        request: &Request,
        patience: Duration,
        cancel: &AtomicBool,
    ) -> Result<Response, Error> {
        match self.ask_and_wait(request, patience, cancel) {
            Ok(response) => response.ok_or(Error::Cancelled),
            Err(error) => Err(lost(what)(self.with_last_words(error))),
        }
    }

    /// `None` if it was cancelled meanwhile.
    fn ask_and_wait(
        &mut self,
        request: &Request,
        patience: Duration,
        cancel: &AtomicBool,
    ) -> io::Result<Option<Response>> {
        send(&mut self.socket, request)?;
        let until = Instant::now() + patience;
        while !self.has_answer()? {
            if cancel.load(Ordering::Relaxed) {
                return Ok(None);
            }
            if Instant::now() >= until {
                return Err(io::ErrorKind::TimedOut.into());
            }
        }
        receive(&mut self.socket)?.map(Some).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }

    /// An error with what the keeper wrote to its standard error, as it does if it fails in a way that
    /// nobody thought of.
    fn with_last_words(&mut self, error: io::Error) -> io::Error {
        let mut words = vec![0; LAST_WORDS];
        let read = self.process.stderr.as_mut().and_then(|stderr| {
            fcntl_setfl(&*stderr, OFlags::NONBLOCK).ok()?;
            stderr.read(&mut words).ok()
        });
        match read {
            None | Some(0) => error,
            Some(count) => {
                let words = String::from_utf8_lossy(&words[..count]).trim().replace('\n', "; ");
                io::Error::new(error.kind(), format!("{error}; it said: {words}"))
            }
        }
    }

    /// Waits a moment for an answer.
    fn has_answer(&self) -> io::Result<bool> {
        const MOMENT: u8 = 50;
        let mut wanted = [PollFd::new(self.socket.as_fd(), PollFlags::POLLIN)];
        match poll(&mut wanted, PollTimeout::from(MOMENT)) {
            Ok(ready) => Ok(ready > 0),
            Err(nix::Error::EINTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        // At the end of the connection the keeper ends its run and itself; only if it does not, it
        // is killed.
        _ = self.socket.shutdown(std::net::Shutdown::Both);
        let until = Instant::now() + Duration::from_secs(5);
        while Instant::now() < until {
            match self.process.try_wait() {
                Ok(None) => std::thread::sleep(Duration::from_millis(1)),
                _ => return,
            }
        }
        _ = self.process.kill();
        _ = self.process.wait();
    }
}

fn lost(what: &'static str) -> impl Fn(io::Error) -> Error {
    move |error| Error::Lost { what, error }
}
