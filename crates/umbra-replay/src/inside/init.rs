//! One run: makes root and tree, starts the program, watches it, reads back what it left.

use std::ffi::{CString, OsStr};
use std::fs::{self, File};
use std::io::{self, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use nix::sys::prctl;
use nix::sys::signal::Signal;
use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, openat, statat};
use rustix::io::Errno;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use rustix::pipe::{PipeFlags, pipe_with};
use umbra_case::{Case, Timestamp};

use umbra_case::root::DEVICES;

use super::account::Account;
use super::asked::Asked;
use super::beneath::{Beneath, join};
use super::bounds::bounds;
use super::child::Start;
use super::descriptors::Descriptors;
use super::failure::{Doing, Failure};
use super::filter::{Counting, Filters, Surroundings};
use super::group::Group;
use super::process::{self, Forked, Pid, SingleThread};
use super::read_back::read_back;
use super::restrict::{Allowed, SIGNALS};
use super::store::Program;
use super::trace::Tracer;
use super::watch::{Seen, Watch, Watched, child_signals};
use super::write_tree::{Place, set_time, write_tree};
use super::{disk, identity, root, terminals};
use crate::Confinement;
use crate::job::NO_TIME;
use crate::sanitizer::options;
use crate::wire::{Job, Response};
use umbra_compare::{MemoryCount, Note, Outcome};

/// Bytes of sanitizers' reports that are kept.
const REPORT_BYTES: u64 = 1 << 18;

/// The byte that comes with a descriptor.
pub const HANDED_OVER: u8 = 1;

/// What the keeper knows.
pub struct Surround<'a> {
    pub thread: SingleThread,
    pub confinement: Confinement,
    /// The keeper's folder on the host, under Landlock.
    pub scratch: Option<&'a Path>,
    pub landlock: i32,
    pub group: Option<&'a Group>,
    /// Bytes that one socket may hold.
    pub socket: u64,
    pub memory_count: MemoryCount,
    /// Processes that the kernel counts together with those of a run.
    pub others: u64,
    pub filters: &'a Filters,
}

/// Where things are, as this process and the program see them.
struct Places {
    /// The folder below which all of a case's paths are.
    base: Beneath,
    /// The root of the case's tree, below it.
    root: Vec<u8>,
    /// The same, as the program sees it.
    tree: PathBuf,
    executable: PathBuf,
    /// For files without a name.
    spare: PathBuf,
    reports: PathBuf,
    /// What the program makes symbolic itself.
    objects: PathBuf,
    libraries: Vec<PathBuf>,
}

/// Runs a job in the process that was forked for it, and answers. Never returns.
///
/// The exit status tells the keeper whether an answer was sent.
pub fn main(surround: &Surround, job: &Job, program: &Program, asker: &mut UnixStream) -> ! {
    let response = match run(surround, job, program, asker) {
        Ok(Some(response)) => response,
        Ok(None) => process::exit(1),
        Err(Failure { what, error }) => Response::Failed { what, error: error.to_string() },
    };
    match crate::wire::send(asker, &response) {
        Ok(()) => process::exit(0),
        Err(_) => process::exit(1),
    }
}

fn run(
    surround: &Surround,
    job: &Job,
    program: &Program,
    asker: &UnixStream,
) -> Result<Option<Response>, Failure> {
    prctl::set_pdeathsig(Signal::SIGKILL).doing("tie the run to its keeper")?;
    let signals = child_signals().doing("wait for children")?;
    let mut notes = Vec::new();
    // While the device is still to be seen.
    let terminals = terminals::open_all(&job.descriptors, surround.confinement, &mut notes);
    let places = match (surround.confinement, surround.scratch) {
        (Confinement::Landlock, Some(scratch)) => on_host(scratch, job, program, &mut notes)?,
        _ => in_namespaces(job, program, &mut notes)?,
    };
    if let Some(objects) = &job.objects {
        fs::write(&places.objects, objects)
            .and_then(|()| set_time(&places.objects, NO_TIME))
            .doing("write the objects of the case")?;
    }
    let mut descriptors = Descriptors::open(&job.descriptors, terminals, &places.spare)?;
    set_time(&places.spare, NO_TIME).doing("set the time of a folder")?;
    let began = now();
    let directory = in_tree(&job.directory);
    let place = Place { base: &places.base, root: &places.root, directory };
    write_tree(&place, &job.tree)?;
    if surround.confinement == Confinement::Namespaces {
        root::reset_times(&places.tree)?;
    }
    descriptors.open_in_tree(&job.descriptors, &places.base, &places.root)?;
    let theirs = std::mem::take(&mut descriptors.program);
    let account = Account::open(job, surround.confinement, surround.group, surround.socket);
    let (child, tracer, asked) = match start(surround, job, &places, theirs, &mut notes)? {
        Ok(started) => started,
        Err(complaint) => return Ok(Some(complaint)),
    };
    let is_over = || disk::is_over(&places.base, &places.root, &job.limits);
    let disk: Option<&dyn Fn() -> bool> = match surround.confinement {
        Confinement::Namespaces => None,
        Confinement::Landlock => Some(&is_over),
    };
    let watched = Watched { program: child, tracer, asked, account, disk };
    let watch =
        Watch::new(job, surround.confinement, watched, descriptors).doing("watch the program")?;
    let Ok(seen) = watch.run(&signals, asker.as_fd()).doing("watch the program")? else {
        return Ok(None);
    };
    Ok(Some(after(job, surround, &places, (began, seen), notes)?))
}

/// The program, who reads its counters, and who answers what it asks for.
type Started = (Pid, Option<Tracer>, Option<Asked>);

/// Starts the program. The inner error is the answer if its process could not become the program.
fn start(
    surround: &Surround,
    job: &Job,
    places: &Places,
    descriptors: Vec<(u32, OwnedFd)>,
    notes: &mut Vec<Note>,
) -> Result<Result<Started, Response>, Failure> {
    let (bounds, limited) = bounds(job, surround.others);
    notes.extend(limited);
    let (go, mut ready) = pipe().doing("make a pipe")?;
    let (complaint, complain) = UnixStream::pair().doing("make a socket")?;
    let start = Start {
        job,
        executable: CString::new(places.executable.as_os_str().as_bytes())
            .map_err(io::Error::other)
            .doing("name the executable")?,
        directory: working_directory(places, job).doing("open the working directory")?,
        descriptors,
        go: go.into(),
        complain: complain.into(),
        bounds,
        landlock: (surround.confinement == Confinement::Landlock)
            .then(|| (surround.landlock, allowed(places, job))),
        filters: surround.filters,
        counting: if surround.group.is_some() { Counting::Group } else { Counting::Ourselves },
        surroundings: surroundings(surround.confinement, surround.landlock),
        variables: variables(job, places),
    };
    let child = match process::fork(surround.thread, 0).doing("start a process")? {
        Forked::Parent(child) => child,
        Forked::Child => start.run(),
    };
    drop(start);
    // The program must not read or change this process through /proc. Not before the fork: the child
    // would inherit it and could not be traced.
    prctl::set_dumpable(false).doing("hide from the program")?;
    let tracer = job.counters.and_then(|counters| Tracer::start(child, counters).ok());
    if job.counters.is_some() && tracer.is_none() {
        // The host allows nobody to trace.
        notes.push(Note::NoCounters);
    }
    ready.write_all(&[1]).doing("start the program")?;
    let (listener, text) = hear(&complaint).doing("start the program")?;
    let asked = listener.map(|listener| Asked::new(listener, job.limits.memory));
    Ok(match text.split_once('\0') {
        None => Ok((child, tracer, asked)),
        Some((what, error)) => {
            Err(Response::Failed { what: what.to_owned(), error: error.to_owned() })
        }
    })
}

/// What the child says until it has become the program: where it asks for shared mappings, if it does,
/// and a complaint, if it has any.
fn hear(child: &UnixStream) -> io::Result<(Option<OwnedFd>, String)> {
    let (mut listener, mut text) = (None, Vec::new());
    loop {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let mut bytes = [0; 1024];
        let mut buffers = [IoSliceMut::new(&mut bytes)];
        let received = recvmsg(child, &mut buffers, &mut ancillary, RecvFlags::CMSG_CLOEXEC);
        let count = match received {
            Ok(received) => received.bytes,
            Err(Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        };
        for message in ancillary.drain() {
            if let RecvAncillaryMessage::ScmRights(descriptors) = message {
                listener = descriptors.last().or(listener);
            }
        }
        if count == 0 {
            let text = String::from_utf8_lossy(&text).into_owned();
            return Ok((listener, text));
        }
        text.extend(bytes[..count].iter().filter(|byte| **byte != HANDED_OVER));
        // A complaint is over with its second zero byte, whether or not the child is gone.
        if let [complaint @ .., 0] = &*text
            && complaint.contains(&0)
        {
            return Ok((listener, String::from_utf8_lossy(complaint).into_owned()));
        }
    }
}

/// Variables beside those of the case.
fn variables(job: &Job, places: &Places) -> Vec<Vec<u8>> {
    let mut variables = if job.sanitizer { options(&places.reports) } else { Vec::new() };
    if job.objects.is_some() {
        let path = places.objects.as_os_str().as_bytes();
        variables.push([Case::OBJECTS_VARIABLE.as_bytes(), b"=", path].concat());
    }
    variables
}

/// What is left when all processes are gone.
fn after(
    job: &Job,
    surround: &Surround,
    places: &Places,
    (began, seen): (Timestamp, Seen),
    mut notes: Vec<Note>,
) -> Result<Response, Failure> {
    let (tree, cuts) = read_back(&places.base, &places.root, &job.limits)
        .doing("read back what the program left")?;
    notes.extend(seen.notes);
    notes.extend(cuts);
    let mut reports = Vec::new();
    if job.sanitizer {
        reports = read_reports(&places.reports, &mut notes).doing("read the reports")?;
    }
    if surround.confinement == Confinement::Namespaces {
        let status = rustix::fs::statvfs("/").doing("look at the file system")?;
        if status.f_bfree == 0 || status.f_ffree == 0 {
            notes.push(Note::DiskFull);
        }
    }
    let outcome = Outcome {
        end: seen.end,
        stdout: seen.stdout,
        stderr: seen.stderr,
        tree,
        blocks: seen.blocks,
        report: None,
        began,
        usage: seen.usage,
        memory_count: surround.memory_count,
        notes,
    };
    Ok(Response::Ran { outcome: Box::new(outcome), reports })
}

/// The time by the clock that files get theirs from, which is behind others by up to a tick.
fn now() -> Timestamp {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::RealtimeCoarse);
    Timestamp { seconds: time.tv_sec, nanoseconds: time.tv_nsec as u32 }
}

fn pipe() -> io::Result<(File, File)> {
    let (read, write) = pipe_with(PipeFlags::CLOEXEC)?;
    Ok((read.into(), write.into()))
}

fn in_namespaces(job: &Job, program: &Program, notes: &mut Vec<Note>) -> Result<Places, Failure> {
    identity::map((job.user, job.group), (0, 0))?;
    if !root::enter_run_root(job, program)? {
        notes.push(Note::NoProc);
    }
    Ok(Places {
        base: Beneath::new(Path::new("/")).doing("open the root")?,
        root: job.root.strip_prefix(b"/").unwrap_or(&job.root).to_vec(),
        tree: PathBuf::from(OsStr::from_bytes(&job.root)),
        executable: Path::new("/bin").join(OsStr::from_bytes(&job.name)),
        spare: "/tmp".into(),
        reports: root::REPORTS.into(),
        objects: Case::OBJECTS.into(),
        libraries: Vec::new(),
    })
}

fn on_host(
    scratch: &Path,
    job: &Job,
    program: &Program,
    notes: &mut Vec<Note>,
) -> Result<Places, Failure> {
    prctl::set_child_subreaper(true).doing("adopt orphans")?;
    notes.push(Note::Root);
    let run = scratch.join("run");
    for folder in ["work", "bin", "spare", "reports"] {
        fs::create_dir_all(run.join(folder)).doing(format_args!("make the folder {folder}"))?;
    }
    let executable = run.join("bin").join(OsStr::from_bytes(&job.name));
    fs::hard_link(&program.executable, &executable).doing("link the executable")?;
    Ok(Places {
        base: Beneath::new(&run).doing("open the folder of the run")?,
        root: b"work".to_vec(),
        tree: run.join("work"),
        executable,
        spare: run.join("spare"),
        reports: run.join("reports"),
        objects: run.join("objects.ktest"),
        libraries: program.libraries.iter().map(|(path, _)| path.clone()).collect(),
    })
}

/// The working directory within the tree. `/` is not in it.
fn in_tree(directory: &[u8]) -> &[u8] {
    if directory == b"/" { b"" } else { directory }
}

fn working_directory(places: &Places, job: &Job) -> io::Result<OwnedFd> {
    match &**job.directory {
        b"/" => Ok(File::open("/")?.into()),
        directory => places.base.folder(&join(&places.root, directory)),
    }
}

fn allowed<'a>(places: &'a Places, job: &Job) -> Allowed<'a> {
    let devices = DEVICES.iter().map(|(path, ..)| path).filter(|path| **path != "/dev/tty");
    let mut executables = vec![places.executable.as_path()];
    executables.extend(places.libraries.iter().map(PathBuf::as_path));
    Allowed {
        tree: &places.tree,
        executables,
        devices: devices.map(PathBuf::from).collect(),
        reports: job.sanitizer.then_some(places.reports.as_path()),
        objects: job.objects.is_some().then_some(places.objects.as_path()),
    }
}

/// The reports in the order of the processes that wrote them. The program may write here too, and put
/// a link in the place of the folder: only plain files of a real folder count.
fn read_reports(folder: &Path, notes: &mut Vec<Note>) -> io::Result<Vec<String>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let mut reports = Vec::new();
    let folder = match openat(CWD, folder, flags | OFlags::DIRECTORY, Mode::empty()) {
        Ok(folder) => folder,
        // The program has taken it away, with what was in it.
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Ok(reports),
        Err(error) => return Err(error.into()),
    };
    let names = Dir::read_from(&folder)?.map(|entry| Ok(entry?.file_name().to_owned()));
    let mut names: Vec<CString> = names.collect::<io::Result<_>>()?;
    names.sort();
    let mut left = REPORT_BYTES;
    for name in names {
        let status = statat(&folder, &*name, AtFlags::SYMLINK_NOFOLLOW)?;
        if FileType::from_raw_mode(status.st_mode) != FileType::RegularFile {
            continue;
        }
        let mut bytes = Vec::new();
        File::from(openat(&folder, &*name, flags, Mode::empty())?)
            .take(left)
            .read_to_end(&mut bytes)?;
        left -= bytes.len() as u64;
        reports.push(String::from_utf8_lossy(&bytes).into_owned());
        if left == 0 {
            notes.push(Note::ReportCut);
            break;
        }
    }
    Ok(reports)
}

/// Which filters fit.
pub fn surroundings(confinement: Confinement, landlock: i32) -> Surroundings {
    match confinement {
        Confinement::Namespaces => Surroundings::Namespaces,
        Confinement::Landlock if landlock >= SIGNALS => Surroundings::Host,
        Confinement::Landlock => Surroundings::HostWithoutSignals,
    }
}
