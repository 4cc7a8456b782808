//! A state: everything that one path of the program consists of.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use umbra_expr::{ArrayId, Assignment, Evaluator, ExprId, Expressions, IdMap, Run};
use umbra_ir::{FunctionId, Id};
use umbra_words::Version;

use crate::code::{Image, Place};
use crate::coverage::Coverage;
use crate::environment::{Environment, SignalDelivery};
use crate::lockstep::{Lockstep, global_change};
use crate::memory::{Memory, RestingMemory, Trace};
use crate::path::{Input, Path};
use crate::shadow::{Divergence, EndedVersion, Mode, Shadow};
use crate::threads::{Context, Schedule, Threads};
use crate::undefined::Unrelated;

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
    /// The machine called it to start a thread.
    Thread,
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

/// A process that waits until its child has ended.
#[derive(Clone)]
pub(crate) struct Waiting {
    /// The process as it was when it made the child. Inputs, world and versions are the path's, and
    /// not looked at.
    pub process: Arc<Parked>,
    /// The call site of the system call.
    pub site: u32,
    /// What the call returns.
    pub child: i64,
}

/// Limits of a state.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of all live objects.
    pub memory: u64,
    /// Bytes of the stack: local variables, and an allowance for each call.
    pub stack: u64,
    /// Instructions that one of two versions may run while the other waits.
    pub alone: u64,
    /// In which order threads run.
    pub schedule: Schedule,
}

impl Default for Limits {
    fn default() -> Self {
        let schedule = Schedule::default();
        Self { memory: 4 << 30, stack: 8 << 20, alone: 1_000_000, schedule }
    }
}

/// What a call costs of the stack beside its local variables.
pub(crate) const FRAME_COST: u64 = 48;

/// What the states of one worker share.
pub struct Shared {
    /// All expressions.
    pub expressions: Expressions,
    /// Which blocks ran.
    pub coverage: Coverage,
    /// Values under the assignment of the running state.
    pub(crate) evaluator: Evaluator,
    /// Values under assignments of others.
    visitor: Evaluator,
    /// The version as which the running state reads its memory; `None` if both.
    pub(crate) side: Option<Version>,
    /// The operations at which pairs came to be.
    pub(crate) origins: IdMap<ExprId, Vec<u32>>,
    /// All of these operations.
    pub(crate) pair_makers: BTreeSet<u32>,
    /// Pairs that the join at hand has made.
    pub(crate) fresh: Vec<ExprId>,
    /// How often the solver could not say of a pair that its sides are equal on a path.
    pub(crate) doubts: IdMap<ExprId, u8>,
    /// The number of the last time that versions have parted.
    pub(crate) divergences: u64,
    /// That of the last path of a new version that parted from the old one, and has ended.
    pub(crate) diff_paths: u64,
    /// The operations that related pointers to different objects.
    pub unrelated: Unrelated,
    /// System calls with both versions that were undone, because they came to something that is not the
    /// same in both.
    pub undone_calls: u64,
    /// What the versions did together, and what alone.
    pub lockstep: Lockstep,
    /// Set from outside when no state is to go on. Looked at where a single operation may take
    /// long; between operations that is for whoever runs the machine.
    pub alarm: Option<Arc<AtomicBool>>,
    /// Whether a copy or a fill of symbolic length is asked about before the length is narrowed to a number.
    pub checks_ranges: bool,
}

impl Shared {
    /// No expressions, nothing covered.
    pub fn new(image: &Image) -> Self {
        Self {
            expressions: Expressions::new(),
            coverage: Coverage::new(image),
            evaluator: Evaluator::new(),
            visitor: Evaluator::new(),
            side: None,
            origins: IdMap::default(),
            fresh: Vec::new(),
            doubts: IdMap::default(),
            pair_makers: BTreeSet::new(),
            divergences: 0,
            diff_paths: 0,
            unrelated: Unrelated::default(),
            undone_calls: 0,
            lockstep: Lockstep::default(),
            alarm: None,
            checks_ranges: false,
        }
    }

    /// Whether no state is to go on.
    pub(crate) fn is_alarmed(&self) -> bool {
        self.alarm.as_ref().is_some_and(|alarm| alarm.load(Ordering::Relaxed))
    }

    /// The value of an expression under the assignment of the running state, and the condition that
    /// it has this one.
    pub(crate) fn sample(&mut self, assignment: &Assignment, value: ExprId) -> (u64, ExprId) {
        let number = self.evaluator.resume(&self.expressions, assignment).value_u64(value);
        let constant = self.expressions.constant(self.expressions.width(value), number);
        (number, self.expressions.eq(value, constant))
    }

    /// Values of expressions under an assignment.
    pub fn evaluation<'a>(&'a mut self, assignment: &'a Assignment) -> Run<'a> {
        self.visitor.run(&self.expressions, assignment)
    }
}

/// One path of the program.
pub struct State {
    /// The program's memory.
    pub memory: Memory,
    /// What is known of the inputs.
    pub path: Path,
    /// The world it runs in.
    pub environment: Box<dyn Environment>,
    pub(crate) registers: Vec<u64>,
    /// The expressions in slots, beside the registers. Invariant: where a slot has one, its bit in
    /// `Frame::symbolic` is set; above the current frame there are none.
    pub(crate) values: Vec<Option<ExprId>>,
    pub(crate) frames: Vec<Frame>,
    /// The addresses of all stack objects, by call.
    pub(crate) objects: Vec<u64>,
    pub(crate) pc: u32,
    pub(crate) instructions: u64,
    pub(crate) stack_used: u64,
    pub(crate) thread_pointer: u64,
    pub(crate) next_serial: u64,
    pub(crate) signals: Vec<PendingSignals>,
    /// The process's parents, the nearest one last: a child runs to its end before they go on.
    pub(crate) parents: Vec<Waiting>,
    /// The process has, or had, more than one thread.
    pub(crate) threads: Option<Box<Threads>>,
    /// What the only thread of a process has said about its end ([`crate::threads::Identity::clear`]).
    pub(crate) clear_address: u64,
    pub(crate) limits: Limits,
    /// The status that the program exited with, where it depends on the input; what a function has returned that
    /// is run on its own.
    pub(crate) exit_status: Option<ExprId>,
    /// Which versions of the program it runs.
    pub(crate) shadow: Shadow,
}

impl State {
    /// A state that has not started; `memory` is what [`Image::new`] filled.
    pub fn new(memory: Memory, environment: Box<dyn Environment>, limits: Limits) -> Self {
        Self {
            memory,
            path: Path::new(Assignment::new()),
            environment,
            registers: vec![0; 2 * WINDOW],
            values: vec![None; 2 * WINDOW],
            frames: Vec::new(),
            objects: Vec::new(),
            pc: 0,
            instructions: 0,
            stack_used: 0,
            thread_pointer: 0,
            next_serial: 1,
            signals: Vec::new(),
            parents: Vec::new(),
            threads: None,
            clear_address: 0,
            limits,
            exit_status: None,
            shadow: Shadow::none(),
        }
    }

    /// From here on it runs both versions of the program. For a state that has not started.
    pub fn run_both_versions(&mut self, image: &Image, shared: &mut Shared) {
        self.shadow.mode = Mode::Both;
        self.shadow.active = true;
        for old in &image.old_globals {
            self.memory.join_global(old, shared);
            self.shadow.note_change(global_change(old.global));
            let object = self.memory.object(old.address);
            if object.is_some_and(|object| object.twin.is_some()) {
                self.shadow.note_apart(&[global_change(old.global)]);
            }
        }
        self.memory.set_together(true);
    }

    /// Whether a change has run on its path, or one is in the data that it started with.
    pub fn has_changed(&self) -> bool {
        !self.shadow.changes.is_empty()
    }

    /// From here on it runs the old version of the program. For a state that has not started.
    pub fn run_old_version(&mut self, image: &Image) {
        self.shadow.mode = Mode::Old;
        self.shadow.active = true;
        for old in &image.old_globals {
            self.memory.replace_global(old);
        }
    }

    /// Which versions it runs.
    pub fn mode(&self) -> Mode {
        self.shadow.mode
    }

    /// Whether one of the two versions runs while the other waits.
    pub fn is_alone(&self) -> bool {
        self.shadow.alone.is_some()
    }

    /// Whether the running process is a child, whose parent waits for its end.
    pub fn is_child(&self) -> bool {
        !self.parents.is_empty()
    }

    /// Where the versions parted, if they have.
    pub fn divergence(&self) -> Option<&Divergence> {
        self.shadow.divergence.as_deref()
    }

    /// How the old version ended, where it ended together with the new one, but not in the same
    /// operation.
    pub fn old_end(&self) -> Option<&EndedVersion> {
        self.shadow.old_end.as_deref()
    }

    /// The number of the new version's path, where the versions parted on it and it has ended.
    pub fn diff_path(&self) -> Option<u64> {
        self.shadow.diff_path
    }

    /// How the new version ended, where this is the old one, followed behind the split on the
    /// new one's path: the end of this path makes a pair of paths.
    pub fn new_end(&self) -> Option<&EndedVersion> {
        self.shadow.behind.as_ref().map(|behind| &*behind.new_end)
    }

    /// Whether it is an old version that is followed behind the split.
    pub fn is_behind(&self) -> bool {
        self.shadow.behind.is_some()
    }

    /// Instructions at which an old version that is followed behind the split is given up.
    pub fn given_up_at(&self) -> Option<u64> {
        self.shadow.behind.as_ref().map(|behind| behind.until)
    }

    /// Where the changes are that gave each version a world, or an end, of its own.
    pub fn changes_apart(&self, image: &Image) -> Vec<Place> {
        let places = self.shadow.apart.iter().filter_map(|&pc| image.places(pc).into_iter().next());
        let mut places: Vec<Place> = places.collect();
        places.dedup();
        places
    }

    /// The world of the old version, where it is another than that of the new one.
    pub fn old_environment(&self) -> Option<&dyn Environment> {
        self.shadow.old_environment.as_deref()
    }

    /// The status (of eight bits) that the program exited with, where it depends on the input. Of a function that is
    /// compared on its own: what it returned, in words of 64 bits.
    pub fn exit_status(&self) -> Option<ExprId> {
        self.exit_status
    }

    /// LLVM instructions executed so far.
    pub fn instructions(&self) -> u64 {
        self.instructions
    }

    /// The operation at which it stands, and the number of the call that it is in: no other call of the path has it.
    pub fn place(&self) -> (u32, u64) {
        (self.pc, self.frames.last().map_or(0, |frame| frame.serial))
    }

    /// About how many bytes of the host's memory it takes, were it alone: objects with what is known
    /// of each byte and of each object, and what the program wrote.
    pub fn weight(&self) -> u64 {
        self.memory.weight() + self.environment.bytes()
    }

    /// The number of words that frames use.
    fn used(&self, image: &Image) -> usize {
        self.frames.last().map_or(0, |frame| {
            (frame.base + image.functions[frame.function.index()].frame) as usize
        })
    }

    /// The expressions in registers, with their places.
    fn held_values(&self, image: &Image) -> Vec<(u32, ExprId)> {
        let mut values = Vec::new();
        for frame in self.frames.iter().filter(|frame| frame.symbolic != 0) {
            let base = frame.base as usize;
            let end = base + image.functions[frame.function.index()].frame as usize;
            let slots = self.values[base..end].iter().enumerate();
            let held = slots.filter_map(|(slot, value)| Some(((base + slot) as u32, (*value)?)));
            values.extend(held);
        }
        values
    }

    /// Puts the running thread away: there is none then, with no calls.
    pub(crate) fn take_context(&mut self, image: &Image) -> Context {
        let used = self.used(image);
        let values = self.held_values(image);
        self.values[..used].fill(None);
        Context {
            registers: self.registers[..used].into(),
            values: values.into(),
            frames: std::mem::take(&mut self.frames).into(),
            objects: std::mem::take(&mut self.objects).into(),
            pc: self.pc,
            stack_used: std::mem::take(&mut self.stack_used),
            thread_pointer: self.thread_pointer,
            signals: std::mem::take(&mut self.signals),
        }
    }

    /// Goes on with a thread that was put away; the one before it has been.
    pub(crate) fn enter_context(&mut self, context: &Context) {
        self.reserve(context.registers.len() + 2 * WINDOW);
        self.registers[..context.registers.len()].copy_from_slice(&context.registers);
        for &(index, value) in &context.values {
            self.values[index as usize] = Some(value);
        }
        self.frames.extend_from_slice(&context.frames);
        self.objects.extend_from_slice(&context.objects);
        self.pc = context.pc;
        self.stack_used = context.stack_used;
        self.thread_pointer = context.thread_pointer;
        self.signals.clone_from(&context.signals);
    }

    /// A copy of the state, parked.
    pub fn fork(&mut self, image: &Image) -> Parked {
        let used = self.used(image);
        let values = self.held_values(image);
        Parked {
            memory: self.memory.fork(),
            path: self.path.clone(),
            environment: self.environment.fork(),
            registers: self.registers[..used].into(),
            values: values.into(),
            frames: self.frames.as_slice().into(),
            objects: self.objects.as_slice().into(),
            pc: self.pc,
            instructions: self.instructions,
            stack_used: self.stack_used,
            thread_pointer: self.thread_pointer,
            next_serial: self.next_serial,
            signals: self.signals.clone(),
            parents: self.parents.clone(),
            threads: self.threads.clone(),
            clear_address: self.clear_address,
            limits: self.limits,
            exit_status: self.exit_status,
            shadow: self.shadow.active.then(|| Box::new(self.shadow.clone())),
        }
    }

    /// Takes over what a parked state was doing; only the room that this state has is kept.
    pub fn resume(&mut self, image: &Image, parked: Parked) {
        self.resume_process(image, &parked);
        self.memory.resume(parked.memory);
        self.path = parked.path;
        self.environment = parked.environment;
        self.instructions = parked.instructions;
        self.next_serial = parked.next_serial;
        self.parents = parked.parents;
        self.threads = parked.threads;
        self.clear_address = parked.clear_address;
        self.limits = parked.limits;
        self.exit_status = parked.exit_status;
        if let Some(shadow) = parked.shadow {
            self.shadow = *shadow;
        } else if self.shadow.active {
            self.shadow = Shadow::none();
        }
    }

    /// Takes over the calls of a process, its registers and where it stands.
    fn resume_process(&mut self, image: &Image, parked: &Parked) {
        let used = self.used(image);
        self.values[..used].fill(None);
        let needed = parked.registers.len() + 2 * WINDOW;
        self.reserve(needed);
        self.registers[..parked.registers.len()].copy_from_slice(&parked.registers);
        for &(index, value) in &parked.values {
            self.values[index as usize] = Some(value);
        }
        self.frames.clear();
        self.frames.extend_from_slice(&parked.frames);
        self.objects.clear();
        self.objects.extend_from_slice(&parked.objects);
        self.pc = parked.pc;
        self.stack_used = parked.stack_used;
        self.thread_pointer = parked.thread_pointer;
        self.signals.clone_from(&parked.signals);
    }

    /// Becomes the process again that made the running one, which has ended. What is known of the
    /// inputs stays, and so does what has become of the world and of the versions.
    pub(crate) fn return_to(&mut self, image: &Image, parent: &Parked) {
        self.resume_process(image, parent);
        let child = self.memory.fork();
        self.memory.resume(parent.memory.clone());
        self.memory.take_shared(&child);
        self.memory.set_together(self.shadow.active && self.shadow.mode == Mode::Both);
    }

    /// Makes room for frames of `needed` words in all.
    pub(crate) fn reserve(&mut self, needed: usize) {
        if needed > self.registers.len() {
            self.registers.resize(needed.next_power_of_two(), 0);
            self.values.resize(needed.next_power_of_two(), None);
        }
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

/// A state that does not run, in little room.
pub struct Parked {
    /// What is known of the inputs.
    pub path: Path,
    pub(crate) memory: RestingMemory,
    pub(crate) environment: Box<dyn Environment>,
    pub(crate) registers: Box<[u64]>,
    pub(crate) values: Box<[(u32, ExprId)]>,
    pub(crate) frames: Box<[Frame]>,
    pub(crate) objects: Box<[u64]>,
    pub(crate) pc: u32,
    instructions: u64,
    pub(crate) stack_used: u64,
    thread_pointer: u64,
    pub(crate) next_serial: u64,
    pub(crate) signals: Vec<PendingSignals>,
    parents: Vec<Waiting>,
    threads: Option<Box<Threads>>,
    clear_address: u64,
    limits: Limits,
    pub(crate) exit_status: Option<ExprId>,
    /// Of a state with two versions; apart, since most states wait without.
    pub(crate) shadow: Option<Box<Shadow>>,
}

impl Parked {
    /// Another state like it.
    pub fn copy(&self) -> Self {
        Self {
            path: self.path.clone(),
            memory: self.memory.clone(),
            environment: self.environment.fork(),
            registers: self.registers.clone(),
            values: self.values.clone(),
            frames: self.frames.clone(),
            objects: self.objects.clone(),
            signals: self.signals.clone(),
            parents: self.parents.clone(),
            threads: self.threads.clone(),
            shadow: self.shadow.clone(),
            ..*self
        }
    }

    /// A copy for another table. The path stays: it is that of the state which this is a part of.
    pub(crate) fn translated(&self, translation: &mut dyn FnMut(ExprId) -> ExprId) -> Self {
        let mut copy = self.copy();
        copy.translate_contents(translation);
        copy
    }

    fn translate_contents(&mut self, translation: &mut dyn FnMut(ExprId) -> ExprId) {
        for (_, value) in &mut self.values {
            *value = translation(*value);
        }
        self.exit_status = self.exit_status.map(&mut *translation);
        self.memory.translate(translation);
        self.environment.translate(translation);
        for parent in &mut self.parents {
            parent.process = Arc::new(parent.process.translated(translation));
        }
        if let Some(threads) = &mut self.threads {
            threads.translate(translation);
        }
        if let Some(shadow) = &mut self.shadow {
            shadow.translate(translation);
        }
    }

    /// Whether a change has run on its path, or one is in the data that it started with.
    pub fn has_changed(&self) -> bool {
        self.shadow.as_ref().is_some_and(|shadow| !shadow.changes.is_empty())
    }

    /// Whether two versions are one here: they have followed the same path and nothing that they
    /// hold or have written differs. What comes then is the same for both until a change runs.
    pub fn is_undivided(&self, expressions: &Expressions) -> bool {
        let Some(shadow) = self.shadow.as_ref().filter(|shadow| shadow.is_in_one_world()) else {
            return false;
        };
        let mut holds_pair = false;
        if !shadow.changes.is_empty() {
            // A visit by way of the one function that knows where all values are.
            let _ = self.translated(&mut |value| {
                holds_pair |= expressions.contains_pair(value);
                value
            });
        }
        !holds_pair
    }

    /// The number of the new version's path that this state follows the old one on, if it does.
    pub fn diff_path(&self) -> Option<u64> {
        self.shadow.as_ref().and_then(|shadow| shadow.diff_path)
    }

    /// Whether it is an old version that is followed behind the split.
    pub fn is_behind(&self) -> bool {
        self.shadow.as_ref().is_some_and(|shadow| shadow.behind.is_some())
    }

    /// The processes that wait until it has ended, the nearest one last.
    pub fn parents(&self) -> impl Iterator<Item = &Self> {
        self.parents.iter().map(|waiting| &*waiting.process)
    }

    /// The world it runs in.
    pub fn environment(&self) -> &dyn Environment {
        &*self.environment
    }

    /// The operation at which it stands.
    pub fn place(&self) -> u32 {
        self.pc
    }

    /// LLVM instructions executed so far.
    pub fn instructions(&self) -> u64 {
        self.instructions
    }

    /// How deep its calls are nested.
    pub fn call_depth(&self) -> usize {
        self.frames.len()
    }

    /// Where its calls return to, the outermost first, as operations.
    pub fn return_places(&self) -> impl Iterator<Item = u32> {
        // A signal handler returns into the call that it interrupted.
        let calls = self.frames.iter().filter(|frame| frame.kind != FrameKind::Entry);
        calls.map(|frame| frame.return_pc)
    }

    /// Gives it an input that satisfies its constraints, with which it can run.
    pub fn set_assignment(&mut self, assignment: Assignment) {
        self.path.set_assignment(assignment);
    }

    /// Bytes that only this state uses (what it shares with others is not counted).
    pub fn bytes(&self) -> usize {
        size_of::<Self>()
            + size_of_val(&*self.registers)
            + size_of_val(&*self.values)
            + size_of_val(&*self.frames)
            + size_of_val(&*self.objects)
            + self.path.own_bytes()
    }

    /// Replaces all expressions and inputs: the state goes to another worker's table.
    pub fn translate(
        &mut self,
        assignment: Assignment,
        array: &mut dyn FnMut(&Input) -> ArrayId,
        translation: &mut dyn FnMut(ExprId) -> ExprId,
    ) {
        self.path.translate(assignment, array, translation);
        self.translate_contents(translation);
    }
}
