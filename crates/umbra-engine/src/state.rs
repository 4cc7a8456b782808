//! A state: everything that one path of the program consists of.

use umbra_ir::FunctionId;

use crate::code::{Image, Target};
use crate::environment::SignalDelivery;
use crate::memory::{Memory, Trace};

/// A slot names one of this many words, so the register file always has as many behind the base
/// of the current frame: then no access to a slot needs a check.
pub(crate) const WINDOW: usize = 1 << 16;

/// Why a frame exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameKind {
    /// The program called the function.
    Call,
    /// The machine called it to start the program.
    Entry,
    /// The machine called it to handle a signal.
    Handler,
}

/// One call of a function.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub function: FunctionId,
    pub kind: FrameKind,
    /// The first word in the register file.
    pub base: u32,
    /// Where the caller goes on.
    pub return_pc: u32,
    /// How the caller gets the results.
    pub site: u32,
    /// How many stack objects there were before.
    pub objects: u32,
    /// Distinguishes this call from all others, for longjmp.
    pub serial: u64,
    /// The object with the arguments behind the `...`.
    pub variadic: u64,
    /// Which slots hold expressions instead of words: slot `n` is bit `n % 64`. A block that reads
    /// none of them runs on words alone.
    pub symbolic: u64,
}

/// Handlers that are to run before a system call returns.
#[derive(Clone, Debug)]
pub(crate) struct PendingSignals {
    /// The handlers, the next one last.
    pub deliveries: Vec<SignalDelivery>,
    /// What the system call returns.
    pub result: u64,
    /// The call site of the system call.
    pub site: u32,
    /// Where the program goes on after it.
    pub return_pc: u32,
}

/// Limits of a state.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of all live objects.
    pub memory: u64,
    /// Bytes of the stack: local variables, and an allowance for each call.
    pub stack: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { memory: 4 << 30, stack: 8 << 20 }
    }
}

/// What a call costs of the stack beside its local variables.
pub(crate) const FRAME_COST: u64 = 48;

/// One path of the program.
pub struct State {
    /// The program's memory.
    pub memory: Memory,
    pub(crate) registers: Vec<u64>,
    pub(crate) frames: Vec<Frame>,
    /// The addresses of all stack objects, by call.
    pub(crate) objects: Vec<u64>,
    pub(crate) pc: u32,
    pub(crate) instructions: u64,
    pub(crate) stack_used: u64,
    pub(crate) thread_pointer: u64,
    pub(crate) next_serial: u64,
    pub(crate) signals: Vec<PendingSignals>,
    pub(crate) covered: Vec<bool>,
    pub(crate) limits: Limits,
}

impl State {
    /// A state that has not started; `memory` is what [`Image::new`] filled.
    pub fn new(image: &Image, memory: Memory, limits: Limits) -> Self {
        Self {
            memory,
            registers: vec![0; 2 * WINDOW],
            frames: Vec::new(),
            objects: Vec::new(),
            pc: 0,
            instructions: 0,
            stack_used: 0,
            thread_pointer: 0,
            next_serial: 1,
            signals: Vec::new(),
            covered: vec![false; image.headers.len()],
            limits,
        }
    }

    /// LLVM instructions executed so far.
    pub fn instructions(&self) -> u64 {
        self.instructions
    }

    /// Whether a block or edge was entered.
    pub(crate) fn is_covered(&self, target: Target) -> bool {
        self.covered[target as usize]
    }

    /// The words of the current frame, and what lies behind them.
    #[inline(always)]
    pub(crate) fn window(&mut self) -> &mut [u64; WINDOW] {
        let base = self.frames.last().map_or(0, |frame| frame.base as usize);
        self.registers[base..].first_chunk_mut().expect("the register file extends past the frame")
    }

    /// The calls that lead to `pc`, as code addresses, the innermost first.
    pub(crate) fn trace(&self, pc: u32) -> Trace {
        let mut trace = Trace::default();
        let callers = self.frames.iter().rev().filter(|frame| frame.kind == FrameKind::Call);
        let calls = [pc].into_iter().chain(callers.map(|frame| frame.return_pc - 1));
        for (entry, call) in trace.0.iter_mut().zip(calls) {
            *entry = call;
        }
        trace
    }
}
