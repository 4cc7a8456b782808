//! The seam between the machine and the world it runs in.
//!
//! The machine executes instructions; whatever a program asks of the operating system arrives here
//! as a numbered Linux system call with six words. The answer comes from an [`Environment`]
//! (`umbra-os` has the real one, tests may have their own), which sees the program's memory only
//! through [`UserMemory`]. Neither side knows how the other is built.
//!
//! Bytes that are only moved (the contents of files, what is written) pass the seam as [`Byte`]s,
//! which may be expressions. Where the environment needs a number (a path, a structure), it asks for
//! one; if that is an expression, the state forks on its value first and the system call is made
//! again. So a system call reads and decides whatever it needs before it changes anything.

use std::any::Any;
use std::fmt;

use umbra_expr::{ExprId, Expressions};

/// A byte that the program handles: a number, or an expression of eight bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Byte {
    /// A number.
    Concrete(u8),
    /// An expression.
    Symbolic(ExprId),
}

impl Byte {
    /// The number, if it is one.
    pub fn concrete(self) -> Option<u8> {
        match self {
            Self::Concrete(value) => Some(value),
            Self::Symbolic(_) => None,
        }
    }
}

/// An address that a system call was given and that the program may not use in that way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadAddress(pub u64);

impl fmt::Display for BadAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bad address {:#x}", self.0)
    }
}

impl std::error::Error for BadAddress {}

/// What may be done with a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageState {
    /// There is one.
    pub mapped: bool,
    /// It may be read.
    pub read: bool,
    /// It may be written.
    pub write: bool,
    /// It shows a file, of which there is nothing here: an access that is allowed is an error of
    /// another kind.
    pub beyond: bool,
}

impl PageState {
    /// Unmapped.
    pub const GONE: Self = Self { mapped: false, read: false, write: false, beyond: false };

    /// A page that may be read and, if `write`, be written.
    pub const fn usable(write: bool) -> Self {
        Self { mapped: true, read: true, write, beyond: false }
    }
}

/// How much memory a process may have, in bytes; `u64::MAX` is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryLimit {
    /// Of addresses (`RLIMIT_AS`).
    pub address_space: u64,
    /// Of data (`RLIMIT_DATA`).
    pub data: u64,
    /// The most that the program itself takes of it, code and variables.
    pub image: u64,
}

/// The program's memory as the system call boundary sees it.
///
/// Accesses are checked like those of the program itself; a bad one is reported to the caller,
/// which turns it into `EFAULT`, as a kernel does. (If it is one that the program should not have
/// asked for, past the end of an object for instance, the path ends after the call.)
pub trait UserMemory {
    /// Copies `buffer.len()` bytes starting at `address` into `buffer`.
    ///
    /// Expressions among them are decided, see [`UserMemory::decide`].
    fn read(&mut self, address: u64, buffer: &mut [u8]) -> Result<(), BadAddress>;

    /// Copies `bytes` to the memory starting at `address`.
    fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), BadAddress>;

    /// The `length` bytes starting at `address`, expressions included.
    fn read_bytes(&mut self, address: u64, length: usize) -> Result<Vec<Byte>, BadAddress> {
        let mut bytes = vec![0; length];
        self.read(address, &mut bytes)?;
        Ok(bytes.into_iter().map(Byte::Concrete).collect())
    }

    /// As [`UserMemory::read`] if all the bytes are numbers; otherwise `Ok(false)`, and what is in
    /// `buffer` means nothing.
    fn read_plain(&mut self, address: u64, buffer: &mut [u8]) -> Result<bool, BadAddress> {
        if self.expressions().is_none() {
            self.read(address, buffer)?;
            return Ok(true);
        }
        let bytes = self.read_bytes(address, buffer.len())?;
        for (slot, byte) in buffer.iter_mut().zip(bytes) {
            match byte.concrete() {
                Some(value) => *slot = value,
                None => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Copies bytes, expressions included, to the memory starting at `address`.
    fn write_bytes(&mut self, address: u64, bytes: &[Byte]) -> Result<(), BadAddress> {
        let concrete: Option<Vec<u8>> = bytes.iter().map(|byte| byte.concrete()).collect();
        self.write(address, &concrete.ok_or(BadAddress(address))?)
    }

    /// The value of an expression of at most 64 bits, which is the same from here on in this state.
    ///
    /// An error means that the state has to fork on the value: return from the system call (with any
    /// result, it is ignored), which will be made again.
    fn decide(&mut self, expression: ExprId) -> Result<u64, BadAddress> {
        let _ = expression;
        Err(BadAddress(0))
    }

    /// A value that an expression of at most 64 bits has for one input of the state, and that may be
    /// another for others.
    fn sample(&mut self, expression: ExprId) -> Result<u64, BadAddress> {
        self.decide(expression)
    }

    /// Whether an error of this system call meant that the state has to fork: the call must not
    /// have any effect then, not even those of one that fails.
    fn must_fork(&self) -> bool {
        false
    }

    /// The table to build expressions in; `None` where there are none.
    fn expressions(&mut self) -> Option<&mut Expressions> {
        None
    }

    /// Makes a new zeroed, readable and writable object of `length` bytes (page aligned) and
    /// returns its address; `None` when the memory limit is reached.
    fn map(&mut self, length: u64) -> Option<u64>;

    /// Ends the life of the object at `address` that [`UserMemory::map`] or its kin made.
    fn unmap(&mut self, address: u64) -> Result<(), BadAddress>;

    /// Makes a new zeroed object that is not the program's own, but that mappings may show
    /// ([`UserMemory::map_shared`]). It is common to the process and its children.
    fn share(&mut self, length: u64) -> Option<u64> {
        let _ = length;
        None
    }

    /// Makes an object of `length` bytes that are those of a shared one from `offset` on.
    fn map_shared(&mut self, shared: u64, offset: u64, length: u64) -> Option<u64> {
        let _ = (shared, offset, length);
        None
    }

    /// The pages of a shared object, by number, that were written since this was asked last.
    fn take_written(&mut self, shared: u64) -> Vec<u64> {
        let _ = shared;
        Vec::new()
    }

    /// Says what may be done with whole pages of one object. An error means that the range is not
    /// that, and nothing was done.
    fn set_pages(&mut self, address: u64, length: u64, state: PageState) -> Result<(), BadAddress> {
        let _ = (length, state);
        Err(BadAddress(address))
    }

    /// The state of the page at an address, of whatever lies there; `None` if nothing does.
    fn page_state(&self, address: u64) -> Option<PageState> {
        let _ = address;
        None
    }

    /// The process gets at most so much memory from now on, see [`MemoryLimit`].
    fn limit_memory(&mut self, address_space: u64, data: u64) {
        let _ = (address_space, data);
    }

    /// Reads bytes up to and without the first NUL, at most `limit` of them.
    ///
    /// `Ok(None)` means that no NUL was found within the limit.
    fn read_c_string(&mut self, address: u64, limit: usize) -> Result<Option<Vec<u8>>, BadAddress> {
        let mut bytes = Vec::new();
        for offset in 0..limit as u64 {
            let mut byte = [0u8];
            self.read(address.wrapping_add(offset), &mut byte)?;
            if byte[0] == 0 {
                return Ok(Some(bytes));
            }
            bytes.push(byte[0]);
        }
        Ok(None)
    }
}

/// A handler of the program that is to run before the system call returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignalDelivery {
    /// The signal's number.
    pub signal: i32,
    /// The address of the handler function.
    pub handler: u64,
    /// The handler takes `(int, siginfo_t *, void *)` instead of `(int)`.
    pub with_info: bool,
    /// The signal mask to put back when the handler returns.
    pub saved_mask: u64,
}

/// The signals of one thread; each has its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadSignals {
    /// Those that it holds back: bit n is signal n + 1.
    pub mask: u64,
    /// Those that were sent to it and are still to be delivered.
    pub pending: u64,
}

/// What a system call did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The call returns this value: a result, or a negative errno.
    Return(i64),
    /// The call returns this value after the handlers have run, the first one first.
    Interrupted {
        /// The value the call returns once the handlers are done.
        result: i64,
        /// The handlers to run.
        deliveries: Vec<SignalDelivery>,
    },
    /// The process ended with this exit status (0 to 255).
    Exit(i32),
    /// The process was killed by this signal's default action.
    Killed(i32),
    /// The process has a child with this number, which runs first: in it the call returns 0. When it
    /// has ended, the call returns the number in the parent.
    Forked(i64),
    /// The process that ran was a child and has ended: its parent goes on.
    ChildEnded,
    /// The call waits for what nobody will do, unless another thread does. In these words.
    Endless(String),
    /// The call, or this use of it, is not modelled: the path ends here and says so.
    Unsupported(String),
}

/// The world that a program runs in; each state has its own.
pub trait Environment: Any + Send + Sync {
    /// Carries out system call `number` with its arguments.
    fn system_call(
        &mut self,
        memory: &mut dyn UserMemory,
        number: u64,
        arguments: [u64; 6],
    ) -> Answer;

    /// A handler from an [`Answer::Interrupted`] has returned: restores the signal mask. Signals that
    /// it had held back are delivered: the answer is that of a system call.
    fn handler_returned(&mut self, delivery: &SignalDelivery) -> Answer;

    /// The signals of the running thread.
    fn thread_signals(&self) -> ThreadSignals {
        ThreadSignals::default()
    }

    /// From here on the thread of this number runs, with these signals.
    fn enter_thread(&mut self, thread: i32, signals: ThreadSignals) {
        let _ = (thread, signals);
    }

    /// The time since the start, in nanoseconds.
    fn elapsed(&self) -> u64 {
        0
    }

    /// Nothing happens until then.
    fn advance(&mut self, deadline: u64) {
        let _ = deadline;
    }

    /// The same world for another state.
    fn fork(&self) -> Box<dyn Environment>;

    /// Whether nothing has happened in either world since they were one. (A world that cannot tell
    /// says no, and the versions of a program then have a world each.)
    fn is_same(&self, other: &dyn Environment) -> bool {
        let _ = other;
        false
    }

    /// One world for both versions of a program, of which this is the new one's: what they did while each
    /// had its own is the same but for bytes that were written, which become pairs. `None` if it is not. (A
    /// world that cannot tell says so unless nothing has happened in either.)
    fn joined(
        &self,
        old: &dyn Environment,
        pair: &mut dyn FnMut(Byte, Byte) -> Byte,
    ) -> Option<Box<dyn Environment>> {
        let _ = pair;
        self.is_same(old).then(|| self.fork())
    }

    /// Whether somebody outside can tell the old version's world and this, which is the new one's, apart: by what they
    /// have put out, or by files. `same` says whether a byte of the old version is the same as one of the new one. (A world that cannot
    /// tell says no.)
    fn differs_outside(
        &self,
        old: &dyn Environment,
        same: &mut dyn FnMut(Byte, Byte) -> bool,
    ) -> bool {
        let _ = (old, same);
        false
    }

    /// Bytes that the program has put here and that are kept in the host's memory: what it wrote.
    fn bytes(&self) -> u64 {
        0
    }

    /// Replaces every expression that is kept here: the state goes to another table.
    fn translate(&mut self, translation: &mut dyn FnMut(ExprId) -> ExprId);
}

/// A world in which no system call is known: for code that makes none.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSystem;

impl Environment for NoSystem {
    fn system_call(&mut self, _: &mut dyn UserMemory, number: u64, _: [u64; 6]) -> Answer {
        Answer::Unsupported(format!("system call {number}"))
    }

    fn handler_returned(&mut self, _: &SignalDelivery) -> Answer {
        Answer::Return(0)
    }

    fn fork(&self) -> Box<dyn Environment> {
        Box::new(Self)
    }

    fn translate(&mut self, _: &mut dyn FnMut(ExprId) -> ExprId) {}
}
