//! All state behind the system call boundary, and its coming to life.

use crate::bytes::OutputBytes;
use crate::calls::{Execution, Watch};
use crate::config::{Config, Descriptor, Error};
use crate::errno::Errno;
use crate::family::Family;
use crate::fd::{Description, Descriptors};
use crate::fs::Fs;
use crate::fs::device::Device;
use crate::fs::inode::{Data, Inode, InodeId};
use crate::fs::path::Follow;
use crate::fs::undecided::Field;
use crate::identity::Credentials;
use crate::lock::Locks;
use crate::log::Log;
use crate::lower::LowerStat;
use crate::mapping::Mappings;
use crate::signal::Signals;
use crate::stream::{OutputAction, OutputEvent, SinkId, Source, Stream, StreamKind};
use crate::time::Clock;
use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;
use umbra_engine::{Answer, UserMemory};
use umbra_expr::ExprId;

/// Why a call does not simply return a value.
#[derive(Clone, Debug)]
pub(crate) enum Stop {
    Errno(Errno),
    /// The call would wait, and no running process could end the waiting.
    Endless(String),
    /// The path ends here, or something else happens than a plain return.
    Answer(Box<Answer>),
    /// The call depends on something that is an expression. It has had no effect yet; once that is
    /// decided it starts again.
    Undecided(InodeId, Field),
}

impl Stop {
    pub(crate) fn unsupported(what: impl Into<String>) -> Stop {
        Stop::Answer(Box::new(Answer::Unsupported(what.into())))
    }

    /// The error, where only that can be told.
    pub(crate) fn errno(self) -> Errno {
        match self {
            Stop::Errno(errno) => errno,
            Stop::Endless(_) | Stop::Answer(_) | Stop::Undecided(..) => Errno::EOPNOTSUPP,
        }
    }

    pub(crate) fn endless(what: &str) -> Stop {
        Stop::Endless(what.to_owned())
    }
}

impl From<Errno> for Stop {
    fn from(errno: Errno) -> Stop {
        Stop::Errno(errno)
    }
}

impl From<umbra_engine::BadAddress> for Stop {
    fn from(_: umbra_engine::BadAddress) -> Stop {
        Stop::Errno(Errno::EFAULT)
    }
}

/// What a system call gives.
pub(crate) type Reply = Result<i64, Stop>;

/// The parts of the process that are neither files nor signals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    pub(crate) ppid: i32,
    pub(crate) cwd: InodeId,
    pub(crate) root: InodeId,
    pub(crate) umask: u32,
    pub(crate) credentials: Credentials,
    pub(crate) pgid: i32,
    pub(crate) sid: i32,
    pub(crate) nice: i32,
    pub(crate) name: [u8; 16],
    /// What `prctl` keeps, by the operation that sets it.
    pub(crate) settings: Arc<BTreeMap<i32, u64>>,
    pub(crate) thread_pointer: u64,
    /// The number of the thread that runs.
    pub(crate) thread: i32,
    /// There was more than one.
    pub(crate) has_threads: bool,
    /// Where the thread's list of robust locks is.
    pub(crate) robust_list: u64,
    /// Bytes that were ever locked in memory.
    pub(crate) locked: u64,
    limits: Arc<BTreeMap<u32, (u64, u64)>>,
}

impl Process {
    /// Soft and hard limit of a resource.
    pub(crate) fn limit(&self, resource: u32) -> (u64, u64) {
        self.limits.get(&resource).copied().unwrap_or((libc::RLIM_INFINITY, libc::RLIM_INFINITY))
    }

    pub(crate) fn set_limit(&mut self, resource: u32, soft: u64, hard: u64) {
        Arc::make_mut(&mut self.limits).insert(resource, (soft, hard));
    }
}

/// A system call that was not, or not fully, modelled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsupportedCall {
    /// The call's number.
    pub number: u64,
    /// What was asked for: the call's name, with the operation where only that is missing.
    pub name: String,
    /// How often it was made.
    pub count: u64,
}

/// The state behind the system call boundary: what a [`Kernel`](crate::Kernel) shares until it is
/// changed.
#[derive(Clone)]
pub(crate) struct System {
    pub(crate) config: Arc<Config>,
    pub(crate) fs: Fs,
    pub(crate) fds: Descriptors,
    pub(crate) process: Process,
    pub(crate) signals: Signals,
    pub(crate) family: Family,
    pub(crate) clock: Clock,
    pub(crate) random: u64,
    pub(crate) terminal: crate::tty::Terminal,
    pub(crate) mappings: Arc<Mappings>,
    output: Log<OutputEvent>,
    /// Bytes in it.
    pub(crate) output_bytes: u64,
    /// The absolute paths of the symbolic files of the configuration.
    pub(crate) symbolic_paths: Arc<[Arc<[u8]>]>,
    /// Inodes that this call accessed and whose times are expressions.
    pub(crate) accessed: Vec<InodeId>,
    pub(crate) watch: Watch,
    pub(crate) locks: Locks,
    notes: Arc<BTreeMap<(u64, String), u64>>,
    /// What another program got, with which the path has ended.
    pub(crate) execution: Option<Arc<Execution>>,
    /// The number of the call that is being carried out.
    pub(crate) current: u64,
    /// The machine knows the limits on memory that the process has.
    limits_told: bool,
}

impl System {
    /// Starts a process in the world that `config` describes.
    pub(crate) fn new(config: Config) -> Result<System, Error> {
        let fs = Fs::new(&config).map_err(Error::Root)?;
        let root = fs.root;
        let limits =
            config.limits.iter().map(|&(resource, soft, hard)| (resource, (soft, hard))).collect();
        let process = Process {
            pid: config.pid,
            ppid: config.ppid,
            cwd: root,
            root,
            umask: config.umask & 0o777,
            credentials: Credentials {
                capable: config.capabilities,
                ..Credentials::new(config.uid, config.gid, &config.groups)
            },
            pgid: config.pgid,
            sid: config.pgid,
            nice: 0,
            name: [0; 16],
            settings: Arc::default(),
            thread_pointer: 0,
            thread: config.pid,
            has_threads: false,
            robust_list: 0,
            locked: 0,
            limits: Arc::new(limits),
        };
        let mut kernel = System {
            fs,
            fds: Descriptors::default(),
            process,
            signals: Signals::new(&config.ignored_signals),
            family: Family::new(config.pid),
            clock: Clock { start: config.clock, boot: config.uptime, elapsed: 0 },
            random: config.random_seed,
            terminal: crate::tty::Terminal::default(),
            mappings: Arc::default(),
            output: Log::default(),
            output_bytes: 0,
            symbolic_paths: Arc::default(),
            accessed: Vec::new(),
            watch: Watch::default(),
            locks: Locks::default(),
            notes: Arc::default(),
            execution: None,
            current: 0,
            limits_told: false,
            config: Arc::new(config),
        };
        kernel.enter_directory()?;
        kernel.make_symbolic_files()?;
        kernel.open_descriptors()?;
        kernel.release_expressions();
        Ok(kernel)
    }

    /// Lets go of the expressions in the configuration: those that count have been taken over.
    fn release_expressions(&mut self) {
        let config = Arc::make_mut(&mut self.config);
        config.symbolic_files.clear();
        for descriptor in &mut config.descriptors {
            if let Descriptor::Stream { input, .. } = descriptor {
                *input = None;
            }
        }
    }

    fn enter_directory(&mut self) -> Result<(), Error> {
        let path = self.config.cwd.clone();
        let failed = |errno| Error::WorkingDirectory(path.clone(), errno);
        let cwd = self
            .resolve(libc::AT_FDCWD, path.as_os_str().as_bytes(), Follow::Yes)
            .map_err(|stop| failed(stop.errno()))?;
        if !self.fs.node(cwd).is_directory() {
            return Err(failed(Errno::ENOTDIR));
        }
        self.process.cwd = cwd;
        Ok(())
    }

    fn open_descriptors(&mut self) -> Result<(), Error> {
        let config = Arc::clone(&self.config);
        for (fd, descriptor) in config.descriptors.iter().enumerate() {
            let fd = fd as i32;
            self.open_descriptor(fd, descriptor).map_err(|errno| Error::Descriptor(fd, errno))?;
        }
        Ok(())
    }

    fn open_descriptor(&mut self, fd: i32, descriptor: &Descriptor) -> Result<(), Errno> {
        match descriptor {
            Descriptor::Closed => {}
            Descriptor::Same(other) => {
                self.duplicate(*other, fd, false)?;
            }
            Descriptor::Null => {
                let null = self.null_inode()?;
                self.install_at(fd, Description::new(null, libc::O_RDWR, 0), false);
            }
            Descriptor::Path { path, flags, offset } => {
                let opened =
                    self.open_path(libc::AT_FDCWD, path.as_os_str().as_bytes(), *flags, 0o666);
                let mut description = opened.map_err(Stop::errno)?;
                description.offset = *offset;
                self.install_at(fd, description, false);
            }
            Descriptor::Stream { kind, flags, input, sink, offset } => {
                let mut size = if let StreamKind::File(stat) = kind { stat.size } else { 0 };
                let symbolic = input.as_ref().and_then(|input| input.symbolic());
                let source = match (input, symbolic) {
                    (_, Some(input)) => {
                        Source::Symbolic(Arc::new(input.bytes.iter().copied().collect()))
                    }
                    (Some(input), None) => Source::Input(Arc::clone(input)),
                    (None, None) => Source::Empty,
                };
                if let (StreamKind::File(_), Some(input)) = (kind, symbolic) {
                    size = input.bytes.len() as u64;
                }
                let (kind, sink) = (*kind, *sink);
                let stream = Stream { kind, source, sink, consumed: 0, broken: false, size };
                let inode = self.stream_inode(stream);
                if let Some(length) = symbolic.and_then(|input| input.length) {
                    self.fs.node_mut(inode).set_undecided(Field::Length, length);
                }
                self.install_at(fd, Description::new(inode, *flags, *offset), false);
            }
        }
        Ok(())
    }

    /// `/dev/null` of the tree, or one of our own where the tree has none.
    fn null_inode(&mut self) -> Result<InodeId, Errno> {
        if let Ok(found) = self.resolve(libc::AT_FDCWD, b"/dev/null", Follow::Yes)
            && Device::from_rdev(self.fs.node(found).rdev) == Some(Device::Null)
        {
            return Ok(found);
        }
        let inode = self.new_anonymous(Data::Character, 0o666);
        self.fs.node_mut(inode).rdev = libc::makedev(1, 3);
        Ok(inode)
    }

    fn stream_inode(&mut self, stream: Stream) -> InodeId {
        let kind = stream.kind;
        let inode = self.new_anonymous(Data::Stream(stream), 0o600);
        let node = self.fs.node_mut(inode);
        match kind {
            StreamKind::File(stat) => set_attributes(node, &stat),
            StreamKind::Terminal { .. } => {
                node.permissions = 0o620;
                node.rdev = libc::makedev(136, 0);
                node.blksize = 1024;
            }
            StreamKind::Pipe => {}
        }
        inode
    }

    /// An inode without a name, on a device of its own.
    pub(crate) fn new_anonymous(&mut self, data: Data, mode: u32) -> InodeId {
        let now = self.clock.now();
        let ino = self.fs.fresh_ino();
        self.fs.add_anonymous(Inode {
            dev: crate::fs::ANONYMOUS,
            ino,
            permissions: mode,
            uid: self.process.credentials.fsuid,
            gid: self.process.credentials.fsgid,
            nlink: 1,
            rdev: 0,
            blksize: 4096,
            atime: now,
            mtime: now,
            ctime: now,
            btime: None,
            opens: 0,
            linkable: false,
            xattrs: None,
            data,
            undecided: None,
        })
    }

    /// Carries out a system call, deciding on the way what it depends on.
    pub(crate) fn call(
        &mut self,
        memory: &mut dyn UserMemory,
        number: u64,
        arguments: [u64; 6],
    ) -> Answer {
        self.current = number;
        if !self.limits_told {
            self.tell_limits(memory);
        }
        let reply = loop {
            match self
                .with_mappings(memory, |system, memory| system.dispatch(memory, number, arguments))
            {
                Err(Stop::Undecided(inode, field)) => {
                    if let Err(stop) = self.decide_field(memory, inode, field) {
                        break Err(stop);
                    }
                }
                reply => break reply,
            }
        };
        if memory.must_fork() {
            self.accessed.clear();
            return Answer::Return(-i64::from(libc::EFAULT));
        }
        if !self.accessed.is_empty() {
            self.touch_symbolic(memory);
        }
        let answer = match reply {
            Ok(value) => self.deliver_signals(value),
            Err(Stop::Answer(answer)) => *answer,
            Err(Stop::Endless(what)) => match self.family.has_parent() {
                true => Answer::Unsupported(format!("{what} waits for the parent process")),
                false => Answer::Endless(format!("{what} waits for ever")),
            },
            Err(stop) => self.deliver_signals(-i64::from(stop.errno().0)),
        };
        match answer {
            Answer::Unsupported(what) => {
                self.note(&what);
                Answer::Unsupported(what)
            }
            Answer::Endless(what) => {
                self.note(&what);
                Answer::Endless(what)
            }
            answer => self.end_child(answer),
        }
    }

    /// Tells the machine how much memory the process may have.
    pub(crate) fn tell_limits(&mut self, memory: &mut dyn UserMemory) {
        let limit = |resource| self.process.limit(resource).0;
        memory.limit_memory(limit(libc::RLIMIT_AS), limit(libc::RLIMIT_DATA));
        self.limits_told = true;
    }

    /// Replaces every expression.
    pub(crate) fn translate(&mut self, translation: &mut dyn FnMut(ExprId) -> ExprId) {
        self.fs.translate(translation);
        self.change_output(|bytes| bytes.translated(translation));
    }

    /// Puts numbers in place of all expressions.
    pub(crate) fn evaluate(&mut self, value: &mut dyn FnMut(ExprId) -> u64) -> Result<(), Error> {
        self.fs.evaluate(value).map_err(|errno| Error::Tree("/".into(), errno))?;
        self.change_output(|bytes| {
            OutputBytes::Plain(bytes.values(|expression| value(expression) as u8).into())
        });
        Ok(())
    }

    /// What the program did to its inherited descriptors since the last time, in order.
    pub(crate) fn drain_output(&mut self) -> Vec<OutputEvent> {
        self.output_bytes = 0;
        std::mem::take(&mut self.output).iter().cloned().collect()
    }

    /// What was not drained yet.
    pub(crate) fn output(&self) -> Vec<OutputEvent> {
        self.output.iter().cloned().collect()
    }

    pub(crate) fn emit(&mut self, event: OutputEvent) {
        if let OutputAction::Write { bytes, .. } = &event.action {
            self.output_bytes += bytes.len() as u64;
        }
        self.output.push(event);
    }

    /// What only this world has put out, and what only the other one has.
    pub(crate) fn output_apart<'a>(
        &'a self,
        other: &'a System,
    ) -> (Vec<&'a OutputEvent>, Vec<&'a OutputEvent>) {
        self.output.behind_common(&other.output)
    }

    /// The last `count` events are these instead.
    pub(crate) fn replace_output(&mut self, count: usize, events: Vec<OutputEvent>) {
        self.output.replace_last(count, events);
    }

    fn change_output(&mut self, mut change: impl FnMut(&OutputBytes) -> OutputBytes) {
        let mixed = |event: &OutputEvent| match &event.action {
            OutputAction::Write { bytes, .. } => bytes.plain().is_none(),
            OutputAction::Truncate(_) => false,
        };
        if !self.output.iter().any(mixed) {
            return;
        }
        for mut event in self.drain_output() {
            if let OutputAction::Write { bytes, .. } = &mut event.action
                && bytes.plain().is_none()
            {
                *bytes = change(bytes);
            }
            self.emit(event);
        }
    }

    /// Tells the kernel that nobody reads this sink any more: writing to it now raises `SIGPIPE`.
    pub(crate) fn close_sink(&mut self, sink: SinkId) {
        let numbers: Vec<i32> = self.fds.numbers().collect();
        for fd in numbers {
            let Ok(description) = self.fds.get(fd) else {
                continue;
            };
            if let Data::Stream(stream) = &mut self.fs.node_mut(description.inode).data
                && stream.sink == Some(sink)
            {
                stream.broken = true;
            }
        }
    }

    /// The calls that were refused or only partly modelled, for the summary of a run.
    pub(crate) fn unsupported_calls(&self) -> Vec<UnsupportedCall> {
        self.notes
            .iter()
            .map(|((number, name), &count)| UnsupportedCall {
                number: *number,
                name: name.clone(),
                count,
            })
            .collect()
    }

    /// Notes why the path ends at the current call.
    fn note(&mut self, what: &str) {
        let name = match syscalls::Sysno::new(self.current as usize) {
            Some(sysno) if what.starts_with(sysno.name()) => what.to_owned(),
            Some(sysno) => format!("{} ({what})", sysno.name()),
            None => what.to_owned(),
        };
        *Arc::make_mut(&mut self.notes).entry((self.current, name)).or_default() += 1;
    }
}

fn set_attributes(node: &mut Inode, stat: &LowerStat) {
    node.dev = stat.dev;
    node.ino = stat.ino;
    node.permissions = stat.mode & 0o7777;
    (node.uid, node.gid) = (stat.uid, stat.gid);
    node.nlink = stat.nlink;
    node.rdev = stat.rdev;
    node.blksize = stat.blksize;
    (node.atime, node.mtime, node.ctime) = (stat.atime, stat.mtime, stat.ctime);
    node.btime = stat.btime;
}
