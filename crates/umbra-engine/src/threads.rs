//! The threads of a process: the one that runs, which is in the state itself, and the others.
//!
//! They take turns: a thread runs until it waits, ends, or gives way. Which one is next is the choice of a [`Schedule`].

use std::collections::VecDeque;
use std::fmt;
use std::str::FromStr;

use umbra_expr::ExprId;

use crate::environment::ThreadSignals;
use crate::state::{Frame, PendingSignals};

/// In which order threads run, of all orders that are possible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schedule {
    /// A thread runs until it waits; then the one that has waited longest.
    #[default]
    RoundRobin,
    /// A new thread runs at once, and of those that can run the last one that came to.
    Newest,
    /// By chance, at atomic accesses too, from this seed.
    Random(u64),
}

/// Not the name of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownSchedule(String);

impl fmt::Display for UnknownSchedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is no schedule: expected round-robin, newest, or a number to choose at random by",
            self.0
        )
    }
}

impl std::error::Error for UnknownSchedule {}

impl FromStr for Schedule {
    type Err = UnknownSchedule;

    fn from_str(text: &str) -> Result<Self, UnknownSchedule> {
        match text {
            "round-robin" => Ok(Self::RoundRobin),
            "newest" => Ok(Self::Newest),
            _ => text.parse().map(Self::Random).map_err(|_| UnknownSchedule(text.to_owned())),
        }
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RoundRobin => f.write_str("round-robin"),
            Self::Newest => f.write_str("newest"),
            Self::Random(seed) => seed.fmt(f),
        }
    }
}

/// What the process knows of each thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    /// Among all threads that there were.
    pub number: usize,
    /// The kernel's number.
    pub id: i32,
    /// Where a zero is written when it ends, and waiters are woken; 0 if nowhere.
    pub clear: u64,
}

/// What a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// Nothing: it can run.
    Ready,
    /// To be woken at this address, or until then (in nanoseconds of the clock).
    Futex { address: u64, deadline: Option<u64> },
    /// Until then.
    Time(u64),
    /// That a system call can be made again.
    Call,
}

/// The calls of a thread and its registers.
#[derive(Clone)]
pub(crate) struct Context {
    pub registers: Box<[u64]>,
    pub values: Box<[(u32, ExprId)]>,
    pub frames: Box<[Frame]>,
    pub objects: Box<[u64]>,
    pub pc: u32,
    pub stack_used: u64,
    pub thread_pointer: u64,
    pub signals: Vec<PendingSignals>,
}

/// The variables that a thread has for itself: the first thread's address of each, and its own.
pub(crate) type Locals = Vec<(u64, u64)>;

/// A thread that does not run.
#[derive(Clone)]
pub(crate) struct Thread {
    pub identity: Identity,
    pub context: Context,
    pub mask: ThreadSignals,
    pub locals: Locals,
    pub wait: Wait,
    /// What the system call at which it stands returns, and the call site; none if it stands elsewhere.
    pub result: Option<(u32, i64)>,
}

/// All threads of a process that has, or had, more than one.
#[derive(Clone)]
pub(crate) struct Threads {
    pub running: Identity,
    pub locals: Locals,
    /// The others, in the order in which they came to wait.
    pub others: VecDeque<Thread>,
    /// The kernel's number for the next one.
    pub next_id: i32,
    /// Atomic accesses since another thread ran.
    pub quiet: u32,
    /// The running thread has given way in front of the operation at which it stands.
    pub has_yielded: bool,
    /// Threads that came to a system call which still cannot be made, one after the other.
    pub stalled: usize,
    random: u64,
}

/// A thread that makes so many atomic accesses, and meets no other, lets others run: it may wait for them.
const PATIENCE: u32 = 64;

impl Threads {
    /// One thread runs.
    pub fn new(running: Identity, schedule: Schedule) -> Self {
        let random = match schedule {
            Schedule::Random(seed) => seed.wrapping_mul(2).wrapping_add(1),
            _ => 1,
        };
        let (others, next_id) = (VecDeque::new(), running.id + 1);
        let locals = Locals::new();
        Self { running, locals, others, next_id, quiet: 0, has_yielded: false, stalled: 0, random }
    }

    fn draw(&mut self, below: usize) -> usize {
        // Knuth's MMIX generator; the low bits have short periods.
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.random >> 33) as usize) % below
    }

    /// Whether the running thread gives way in front of an atomic access.
    pub fn gives_way(&mut self, schedule: Schedule) -> bool {
        self.quiet += 1;
        let can = self.others.iter().any(|thread| thread.wait == Wait::Ready);
        match schedule {
            Schedule::Random(_) => can && self.draw(4) == 0,
            _ => self.quiet >= PATIENCE,
        }
    }

    /// The thread that runs next, of those that can.
    pub fn choose(&mut self, schedule: Schedule) -> Option<usize> {
        let ready: Vec<usize> =
            (0..self.others.len()).filter(|&at| self.others[at].wait == Wait::Ready).collect();
        match schedule {
            _ if ready.is_empty() => None,
            Schedule::RoundRobin => ready.first().copied(),
            Schedule::Newest => ready.last().copied(),
            Schedule::Random(_) => Some(ready[self.draw(ready.len())]),
        }
    }

    /// The time at which the first of those that wait for a time goes on.
    pub fn next_deadline(&self) -> Option<u64> {
        let deadlines = self.others.iter().filter_map(|thread| match thread.wait {
            Wait::Time(deadline) => Some(deadline),
            Wait::Futex { deadline, .. } => deadline,
            Wait::Ready | Wait::Call => None,
        });
        deadlines.min()
    }

    /// Visits the expressions that others hold.
    pub fn translate(&mut self, translation: &mut dyn FnMut(ExprId) -> ExprId) {
        for thread in &mut self.others {
            for (_, value) in &mut thread.context.values {
                *value = translation(*value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_have_names() {
        for (text, schedule) in [
            ("round-robin", Schedule::RoundRobin),
            ("newest", Schedule::Newest),
            ("17", Schedule::Random(17)),
        ] {
            assert_eq!(text.parse(), Ok(schedule));
            assert_eq!(schedule.to_string(), text);
        }
        let error = "fair".parse::<Schedule>().expect_err("there is none of this name");
        assert!(error.to_string().contains("expected round-robin"), "{error}");
    }
}
