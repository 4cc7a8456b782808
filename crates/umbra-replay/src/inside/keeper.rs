//! The keeper: enters the sandbox once and forks an init for each run.

use std::fs;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl;
use nix::sys::signal::Signal;

use super::failure::{Doing, Failure};
use super::filter::{Counting, Filters};
use super::group::{self, Group};
use super::init::{self, Surround};
use super::process::{self, Forked, SingleThread};
use super::restrict::OLDEST;
use super::store::Store;
use super::{account, identity, processes, remove, root, scratch};
use crate::Confinement;
use crate::wire::{Job, Request, Response, receive, send};
use umbra_compare::MemoryCount;

/// The host's name, as programs see it.
const HOST_NAME: &str = "umbra";

/// The main function of the sandbox's process. Its standard input is the socket to the asker.
///
/// A binary that uses this crate calls it first thing, when it was started with the arguments that
/// its [`Launcher`](crate::Launcher) names.
pub fn sandbox_main() -> ExitCode {
    // A panic must not unwind in a forked process into what its parent was about to do.
    let tell = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        tell(panic);
        process::exit(101)
    }));
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        // What can be told goes through the socket. These may be the last words.
        Err(error) => {
            _ = writeln!(io::stderr(), "{error}");
            ExitCode::from(2)
        }
    }
}

fn serve() -> io::Result<()> {
    let mut asker = process::take_streams()?;
    let Some(Request::Setup { confinement, scratch, landlock_at_most, group }) =
        receive(&mut asker)?
    else {
        return Ok(());
    };
    let group = group.ok_or_else(|| "it is not wanted".to_owned()).and_then(enter_group);
    let (group, without_group) = match group {
        Ok(group) => (Some(group), None),
        Err(reason) => (None, Some(reason)),
    };
    let mut keeper = match Keeper::enter(confinement, scratch, landlock_at_most, group) {
        Ok(keeper) => keeper,
        Err(Failure { what, error }) => {
            let error = error.to_string();
            return send(&mut asker, &Response::Failed { what, error });
        }
    };
    let memory_count = keeper.memory_count();
    send(&mut asker, &Response::Entered { memory_count, without_group })?;
    let result = keeper.serve(&mut asker);
    keeper.leave();
    result
}

/// Makes a control group and enters it. Must be done first: later there are no rights for it, and what
/// is opened now is of use then.
fn enter_group(name: String) -> Result<Group, String> {
    let thread = SingleThread::check().map_err(|error| error.to_string())?;
    let made = group::make(&name)?;
    made.stay_behind(thread).map_err(|error| format!("cannot enter it: {error}"))
}

struct Keeper {
    thread: SingleThread,
    confinement: Confinement,
    scratch: Option<PathBuf>,
    /// What says that the folder is in use.
    _held: Option<OwnedFd>,
    landlock: i32,
    group: Option<Group>,
    /// Bytes that one socket may hold.
    socket: u64,
    store: Store,
    filters: Filters,
    /// Processes of the user, and when they were counted.
    counted: Option<(Instant, u64)>,
}

impl Keeper {
    fn enter(
        confinement: Confinement,
        scratch: Option<PathBuf>,
        landlock_at_most: Option<i32>,
        group: Option<Group>,
    ) -> Result<Self, Failure> {
        let thread = SingleThread::check().doing("start the sandbox's process")?;
        let socket = account::socket_buffer();
        let (mut landlock, mut held) = (0, None);
        let programs = match (confinement, &scratch) {
            (Confinement::Namespaces, _) => {
                enter_namespaces()?;
                PathBuf::from("/programs")
            }
            (Confinement::Landlock, Some(scratch)) => {
                landlock = enter_scratch(scratch, landlock_at_most)?;
                held = scratch::hold(scratch).ok();
                scratch.join("programs")
            }
            (Confinement::Landlock, None) => {
                let error = io::Error::from(io::ErrorKind::NotFound);
                return Err(Failure { what: "find a folder for the runs".to_owned(), error });
            }
        };
        if group.is_some() {
            // Who stays behind to remove the group is what the asker knows and would kill. Here, since
            // the kernel forgets it when rights change.
            prctl::set_pdeathsig(Signal::SIGKILL).doing("tie the keeper to its group")?;
        }
        let counting = counting(group.as_ref());
        let filters = Filters::new(init::surroundings(confinement, landlock), counting, 0)
            .doing("make the filter of system calls")?;
        Ok(Self {
            thread,
            confinement,
            scratch,
            _held: held,
            landlock,
            group,
            socket,
            store: Store::new(programs),
            filters,
            counted: None,
        })
    }

    fn memory_count(&self) -> MemoryCount {
        match &self.group {
            Some(group) => MemoryCount::Group { version: group.version() },
            None => MemoryCount::Seen,
        }
    }

    fn serve(&mut self, asker: &mut UnixStream) -> io::Result<()> {
        while let Some(request) = receive(asker)? {
            let done = match request {
                Request::Setup { .. } => return Err(io::ErrorKind::InvalidInput.into()),
                Request::Load { id, executable, libraries } => {
                    self.store.load(id, &executable, &libraries)
                }
                Request::Unload { id } => self.store.unload(id),
                Request::Run(job) => match self.run(&job, asker) {
                    Ok(()) => continue,
                    Err(failure) => Err(failure),
                },
            };
            let response = match done {
                Ok(()) => Response::Done,
                Err(Failure { what, error }) => Response::Failed { what, error: error.to_string() },
            };
            send(asker, &response)?;
        }
        Ok(())
    }

    /// Runs a job. On success its init has answered.
    fn run(&mut self, job: &Job, asker: &mut UnixStream) -> Result<(), Failure> {
        let (others, memory_count) = (self.others(), self.memory_count());
        let program = self.store.select(job.program)?;
        let surround = Surround {
            thread: self.thread,
            confinement: self.confinement,
            scratch: self.scratch.as_deref(),
            landlock: self.landlock,
            group: self.group.as_ref(),
            socket: self.socket,
            memory_count,
            others,
            filters: &self.filters,
        };
        if let Some(scratch) = &self.scratch {
            remove::clear(&scratch.join("run")).doing("remove the tree of the last run")?;
        }
        let namespaces = match self.confinement {
            Confinement::Landlock => 0,
            Confinement::Namespaces => libc::CLONE_NEWUSER | libc::CLONE_NEWNS | libc::CLONE_NEWPID,
        };
        let init = match process::fork(self.thread, namespaces).doing("start a run")? {
            Forked::Parent(init) => init,
            Forked::Child => init::main(&surround, job, program, asker),
        };
        let waited = process::wait_for(init).doing("wait for a run")?;
        match waited.map(|waited| waited.status) {
            Some(0) => Ok(()),
            // Half an answer may be on its way, so the connection is of no use any more.
            _ => {
                // A pid namespace has ended with its init. Only without one is there somebody left.
                if self.confinement == Confinement::Landlock {
                    processes::end_all(self.confinement);
                }
                self.leave();
                process::exit(3)
            }
        }
    }

    /// How many processes are counted together with those of a run: its init in namespaces, all of
    /// the user's otherwise, for whom it is looked up once a second.
    fn others(&mut self) -> u64 {
        const FRESH: Duration = Duration::from_secs(1);
        if self.confinement == Confinement::Namespaces {
            return 1;
        }
        match self.counted {
            Some((at, count)) if at.elapsed() < FRESH => count,
            _ => {
                let count = processes::of_this_user();
                self.counted = Some((Instant::now(), count));
                count
            }
        }
    }

    /// Leaves nothing on the disk.
    fn leave(&self) {
        if let Some(scratch) = &self.scratch {
            _ = remove::clear(scratch);
            _ = fs::remove_dir(scratch);
        }
    }
}

/// What the filters have to do for it.
fn counting(group: Option<&Group>) -> Counting {
    if group.is_some() { Counting::Group } else { Counting::Ourselves }
}

fn enter_namespaces() -> Result<(), Failure> {
    identity::give_up_superuser();
    let outside = identity::ids();
    unshare(
        CloneFlags::CLONE_NEWUSER
            | CloneFlags::CLONE_NEWNS
            | CloneFlags::CLONE_NEWNET
            | CloneFlags::CLONE_NEWUTS
            | CloneFlags::CLONE_NEWIPC,
    )
    .doing("make namespaces")?;
    identity::map((0, 0), outside)?;
    nix::unistd::sethostname(HOST_NAME).doing("set the host's name")?;
    root::enter_keeper_root()
}

/// Returns the version of Landlock.
fn enter_scratch(scratch: &Path, at_most: Option<i32>) -> Result<i32, Failure> {
    let version = process::landlock_version().doing("use Landlock")?;
    let version = at_most.map_or(version, |most| version.min(most));
    if version < OLDEST {
        let error = format!("version {version} is too old, {OLDEST} is needed (Linux 6.2)");
        return Err(Failure { what: "use Landlock".into(), error: io::Error::other(error) });
    }
    fs::create_dir(scratch)
        .and_then(|()| identity::hand_over(scratch))
        .doing(format_args!("make the folder {}", scratch.display()))?;
    identity::give_up_superuser();
    // Not as the superuser: what is there belongs to processes that may still change it.
    scratch::remove_stale(scratch);
    // Should the init of a run die, its processes come here to be killed.
    nix::sys::prctl::set_child_subreaper(true).doing("adopt orphans")?;
    for folder in ["run", "programs"] {
        fs::create_dir(scratch.join(folder))
            .doing(format_args!("make a folder in {}", scratch.display()))?;
    }
    Ok(version)
}
