//! The process, its parents and its children, one of which runs at a time.
//!
//! A child runs to its end before its parent goes on. What belongs to a process (descriptors, signals,
//! working directory, limits) is put aside while its child runs; open files, the tree and the clock
//! are everybody's.

use std::sync::Arc;

use umbra_engine::{Answer, UserMemory};

use crate::errno::Errno;
use crate::fd::Numbers;
use crate::mapping::Mappings;
use crate::signal::Signals;
use crate::system::{Process, Reply, Stop, System};
use crate::user;

/// Bytes of `struct rusage`.
const USAGE: usize = 144;
/// Which children `wait` is about.
const CHILDREN: i32 = libc::__WNOTHREAD | libc::__WALL | libc::__WCLONE;

/// All children say that they have ended with `SIGCHLD`.
fn check_children(options: i32) -> Result<(), Errno> {
    let others = options & libc::__WCLONE != 0 && options & libc::__WALL == 0;
    if others { Err(Errno::ECHILD) } else { Ok(()) }
}

/// A child that has ended and was not waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Zombie {
    process: Process,
    /// As `wait` tells it.
    status: i32,
}

/// A process whose child runs.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Parent {
    process: Process,
    numbers: Numbers,
    signals: Signals,
    mappings: Arc<Mappings>,
    zombies: Vec<Zombie>,
}

/// All but the running process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Family {
    /// The nearest one last.
    parents: Vec<Arc<Parent>>,
    /// Children of the running process.
    zombies: Vec<Zombie>,
    /// The number of the newest process.
    newest: i32,
}

impl Family {
    /// Of a process without children.
    pub(crate) fn new(pid: i32) -> Family {
        Family { parents: Vec::new(), zombies: Vec::new(), newest: pid }
    }

    /// Whether the running process is a child of another that waits.
    pub(crate) fn has_parent(&self) -> bool {
        !self.parents.is_empty()
    }

    /// Whether this is the number of a child that has ended.
    pub(crate) fn has_zombie(&self, pid: i32) -> bool {
        self.zombies.iter().any(|zombie| zombie.process.pid == pid)
    }

    /// One of the others, by its number.
    pub(crate) fn process(&self, pid: i32) -> Option<&Process> {
        let parents = self.parents.iter().map(|parent| &parent.process);
        let zombies = self.zombies.iter().map(|zombie| &zombie.process);
        parents.chain(zombies).find(|process| process.pid == pid)
    }
}

impl System {
    /// `fork`, and `vfork`, whose child may do nothing that its parent could notice.
    pub(crate) fn fork(&mut self) -> Reply {
        let parent = Parent {
            process: self.process.clone(),
            numbers: self.fds.share(),
            signals: self.signals.clone(),
            mappings: Arc::clone(&self.mappings),
            zombies: std::mem::take(&mut self.family.zombies),
        };
        self.process.ppid = self.process.pid;
        self.family.newest += 1;
        self.become_process(self.family.newest);
        self.signals.forget_own();
        self.family.parents.push(Arc::new(parent));
        Err(Stop::Answer(Box::new(Answer::Forked(self.process.pid.into()))))
    }

    /// `clone`, if it is the same as `fork`.
    pub(crate) fn clone_process(&mut self, flags: u64, stack: u64) -> Reply {
        let is_fork = flags == libc::SIGCHLD as u64 && stack == 0;
        if is_fork { self.fork() } else { Err(Stop::unsupported("clone")) }
    }

    fn become_process(&mut self, pid: i32) {
        self.process.pid = pid;
        // A process begins, and goes on, with one thread.
        self.process.thread = pid;
        self.fs.pid = pid;
    }

    /// Turns the end of a child into the going on of its parent. An aborted child stays: that is an
    /// error, which ends the path.
    pub(crate) fn end_child(&mut self, answer: Answer) -> Answer {
        let status = match answer {
            Answer::Exit(status) => status << 8,
            Answer::Killed(signal) if signal != libc::SIGABRT => signal,
            other => return other,
        };
        let Some(parent) = self.family.parents.pop() else { return answer };
        let numbers: Vec<i32> = self.fds.numbers().collect();
        for fd in numbers {
            // It is open.
            let _ = self.close_descriptor(fd);
        }
        let zombie = Zombie { process: self.process.clone(), status };
        let Parent { process, numbers, signals, mappings, zombies } = Arc::unwrap_or_clone(parent);
        (self.process, self.signals, self.mappings) = (process, signals, mappings);
        self.fds.restore(numbers);
        self.watch_mapped_files();
        self.become_process(self.process.pid);
        self.family.zombies = zombies;
        if !self.signals.drops_children() {
            self.family.zombies.push(zombie);
        }
        self.signals.raise(libc::SIGCHLD);
        Answer::ChildEnded
    }

    /// Sends a signal to the parents in a process group, which get it when they go on.
    pub(crate) fn signal_parents(
        &mut self,
        signal: i32,
        wanted: impl Fn(i32, i32) -> bool,
    ) -> bool {
        let mut found = false;
        for parent in &mut self.family.parents {
            if wanted(parent.process.pid, parent.process.pgid) {
                found = true;
                if signal != 0 {
                    Arc::make_mut(parent).signals.raise(signal);
                }
            }
        }
        found
    }

    /// The child that is meant, which has ended: all have.
    fn ended_child(&self, wanted: impl Fn(&Zombie) -> bool) -> Result<usize, Errno> {
        self.family.zombies.iter().position(wanted).ok_or(Errno::ECHILD)
    }

    fn take_child(&mut self, index: usize, options: i32) {
        if options & libc::WNOWAIT == 0 {
            self.family.zombies.remove(index);
        }
    }

    pub(crate) fn wait4(
        &mut self,
        memory: &mut dyn UserMemory,
        pid: i32,
        [status, usage]: [u64; 2],
        options: i32,
    ) -> Reply {
        let known = libc::WNOHANG | libc::WUNTRACED | libc::WCONTINUED;
        if options & !(known | CHILDREN) != 0 {
            return Err(Errno::EINVAL.into());
        }
        check_children(options)?;
        let group = self.process.pgid;
        let index = self.ended_child(|zombie| match pid {
            -1 => true,
            0 => zombie.process.pgid == group,
            pid if pid < 0 => zombie.process.pgid == -pid,
            pid => zombie.process.pid == pid,
        })?;
        let zombie = &self.family.zombies[index];
        let pid = zombie.process.pid;
        user::put_optional(memory, status, &zombie.status.to_le_bytes())?;
        user::put_optional(memory, usage, &[0; USAGE])?;
        self.take_child(index, options);
        Ok(pid.into())
    }

    pub(crate) fn waitid(
        &mut self,
        memory: &mut dyn UserMemory,
        (kind, id): (i32, i32),
        [info, usage]: [u64; 2],
        options: i32,
    ) -> Reply {
        const ALL: i32 = libc::P_ALL as i32;
        const PID: i32 = libc::P_PID as i32;
        const GROUP: i32 = libc::P_PGID as i32;
        let ends = libc::WEXITED | libc::WSTOPPED | libc::WCONTINUED;
        let known = ends | libc::WNOHANG | libc::WNOWAIT | CHILDREN;
        if options & !known != 0 || options & ends == 0 {
            return Err(Errno::EINVAL.into());
        }
        if options & libc::WEXITED == 0 {
            return Err(Stop::unsupported("waitid for children that have not ended"));
        }
        check_children(options)?;
        let group = if id == 0 { self.process.pgid } else { id };
        let index = match kind {
            ALL => self.ended_child(|_| true)?,
            PID => self.ended_child(|zombie| zombie.process.pid == id)?,
            GROUP => self.ended_child(|zombie| zombie.process.pgid == group)?,
            _ => return Err(Errno::EINVAL.into()),
        };
        let zombie = &self.family.zombies[index];
        let (code, status) = match zombie.status & 0x7f {
            0 => (libc::CLD_EXITED, zombie.status >> 8),
            signal => (libc::CLD_KILLED, signal),
        };
        let mut bytes = [0; 128];
        let (pid, uid) = (zombie.process.pid, zombie.process.credentials.uid as i32);
        let fields = [libc::SIGCHLD, 0, code, 0, pid, uid, status];
        for (place, field) in bytes.chunks_exact_mut(4).zip(fields) {
            place.copy_from_slice(&field.to_le_bytes());
        }
        user::put_optional(memory, info, &bytes)?;
        user::put_optional(memory, usage, &[0; USAGE])?;
        self.take_child(index, options);
        Ok(0)
    }
}
