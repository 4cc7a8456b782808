//! The kernel of one modelled process, as its users see it.

use crate::bytes::OutputBytes;
use crate::calls::Execution;
use crate::config::{Config, Error};
use crate::content::PAGE;
use crate::errno::Errno;
use crate::stream::{OutputEvent, SinkId};
use crate::system::{System, UnsupportedCall};
use crate::time::Timestamp;
use crate::tree::{TreeEntry, TreeId};
use std::any::Any;
use std::path::Path;
use std::sync::Arc;
use umbra_engine::{Answer, Byte, Environment, SignalDelivery, ThreadSignals, UserMemory};
use umbra_expr::ExprId;

/// The state behind the system call boundary. Clones do not see each other's changes; making one
/// costs a reference count, and the first change afterwards some hundred bytes.
#[derive(Clone)]
pub struct Kernel {
    system: Arc<System>,
}

impl Kernel {
    /// The kernel of a state: the engine does not know which world its programs run in, and there
    /// is no other one that makes system calls.
    ///
    /// # Panics
    ///
    /// In a state that was given another environment.
    pub fn of(environment: &dyn Environment) -> &Self {
        let environment: &dyn Any = environment;
        environment.downcast_ref().expect("programs run in this kernel")
    }

    /// The same, to change it.
    ///
    /// # Panics
    ///
    /// As [`Kernel::of`].
    pub fn of_mut(environment: &mut dyn Environment) -> &mut Self {
        let environment: &mut dyn Any = environment;
        environment.downcast_mut().expect("programs run in this kernel")
    }

    /// Starts a process in the world that `config` describes.
    pub fn new(config: Config) -> Result<Kernel, Error> {
        Ok(Kernel { system: Arc::new(System::new(config)?) })
    }

    fn system_mut(&mut self) -> &mut System {
        Arc::make_mut(&mut self.system)
    }

    /// What the program did to its inherited descriptors since the last time, in order.
    pub fn drain_output(&mut self) -> Vec<OutputEvent> {
        self.system_mut().drain_output()
    }

    /// What was not drained yet.
    pub fn output(&self) -> Vec<OutputEvent> {
        self.system.output()
    }

    /// How many bytes of output were not drained yet.
    pub fn output_bytes(&self) -> u64 {
        self.system.output_bytes
    }

    /// Tells the kernel that nobody reads this sink any more: writing to it now raises `SIGPIPE`.
    pub fn close_sink(&mut self, sink: SinkId) {
        self.system_mut().close_sink(sink);
    }

    /// The calls that were refused or only partly modelled, for the summary of a run.
    pub fn unsupported_calls(&self) -> Vec<UnsupportedCall> {
        self.system.unsupported_calls()
    }

    /// What another program was to get, if the path has ended with `execve`; `None` also if that
    /// has expressions.
    pub fn execution(&self) -> Option<&Execution> {
        self.system.execution.as_deref()
    }

    /// The base of thread-local storage that the program set (`arch_prctl`).
    pub fn thread_pointer(&self) -> u64 {
        self.system.process.thread_pointer
    }

    /// The time of day in the model.
    pub fn now(&self) -> Timestamp {
        self.system.clock.now()
    }

    /// This kernel with a number in place of every expression: what it is under one assignment.
    ///
    /// The tree of the result can be walked, read and exported like that of a program that ran on
    /// numbers only.
    pub fn concrete(&self, mut value: impl FnMut(ExprId) -> u64) -> Result<Kernel, Error> {
        let mut kernel = self.clone();
        kernel.system_mut().evaluate(&mut value)?;
        Ok(kernel)
    }

    /// Whether a file has an expression, in its contents or attributes, that meets a condition.
    pub fn any_file_expression(&self, mut condition: impl FnMut(ExprId) -> bool) -> bool {
        self.system.fs.any_expression(&mut condition)
    }

    /// Whether all files are those of another kernel, with the same expressions in them. "No" may be
    /// wrong, where a file was written and made again.
    pub fn has_files_of(&self, other: &Kernel) -> bool {
        self.system.fs.is_like(&other.system.fs)
    }

    /// All objects at and below `root` as the program would see them: parents first, names in order
    /// of bytes.
    ///
    /// Fails where there are expressions instead of attributes; see [`Kernel::concrete`].
    pub fn walk_tree(&mut self, root: &Path) -> Result<Vec<TreeEntry>, Error> {
        self.system_mut().walk_tree(root)
    }

    /// Reads from a regular file of the tree; 0 at its end. Fails where bytes are expressions; see
    /// [`Kernel::concrete`] and [`Kernel::read_file_bytes`].
    pub fn read_file(&self, id: TreeId, offset: u64, buffer: &mut [u8]) -> Result<usize, Errno> {
        self.system.read_file(id, offset, buffer)
    }

    /// Reads up to `length` bytes from a regular file of the tree, expressions included. A file that
    /// nobody has looked at here, but in a copy, is `ENOENT`: it is as it was in the lower layer.
    pub fn read_file_bytes(
        &self,
        id: TreeId,
        offset: u64,
        length: usize,
    ) -> Result<OutputBytes, Errno> {
        self.system.read_file_bytes(id, offset, length)
    }

    /// The next stretch of data in a file from `offset` on; `None` if only a hole is left.
    pub fn next_data(&self, id: TreeId, offset: u64) -> Option<(u64, u64)> {
        self.system.next_data(id, offset)
    }
}

impl Environment for Kernel {
    fn system_call(
        &mut self,
        memory: &mut dyn UserMemory,
        number: u64,
        arguments: [u64; 6],
    ) -> Answer {
        self.system_mut().call(memory, number, arguments)
    }

    fn handler_returned(&mut self, delivery: &SignalDelivery) -> Answer {
        let system = self.system_mut();
        system.signals.mask = delivery.saved_mask;
        let answer = system.deliver_signals(0);
        system.end_child(answer)
    }

    fn thread_signals(&self) -> ThreadSignals {
        self.system.signals.of_thread()
    }

    fn enter_thread(&mut self, thread: i32, signals: ThreadSignals) {
        let system = self.system_mut();
        system.process.thread = thread;
        system.process.has_threads = true;
        system.signals.enter_thread(signals);
    }

    fn elapsed(&self) -> u64 {
        self.system.clock.elapsed
    }

    fn advance(&mut self, deadline: u64) {
        let system = self.system_mut();
        // A signal in between is delivered with the next system call.
        while system.sleep_until(deadline) && system.clock.elapsed < deadline {
            system.advance_to(deadline);
        }
    }

    fn fork(&self) -> Box<dyn Environment> {
        Box::new(self.clone())
    }

    fn is_same(&self, other: &dyn Environment) -> bool {
        let other: &dyn Any = other;
        let other: Option<&Self> = other.downcast_ref();
        other.is_some_and(|other| Arc::ptr_eq(&self.system, &other.system))
    }

    fn joined(
        &self,
        old: &dyn Environment,
        pair: &mut dyn FnMut(Byte, Byte) -> Byte,
    ) -> Option<Box<dyn Environment>> {
        let other: &dyn Any = old;
        let other: &Self = other.downcast_ref()?;
        if Arc::ptr_eq(&self.system, &other.system) {
            return Some(self.fork());
        }
        let system = Arc::new(self.system.joined(&other.system, pair)?);
        Some(Box::new(Kernel { system }))
    }

    fn differs_outside(
        &self,
        old: &dyn Environment,
        same: &mut dyn FnMut(Byte, Byte) -> bool,
    ) -> bool {
        let old: &dyn Any = old;
        let old: Option<&Self> = old.downcast_ref();
        old.is_some_and(|old| self.system.differs_outside(&old.system, same))
    }

    fn bytes(&self) -> u64 {
        self.system.output_bytes + self.system.fs.pages * PAGE
    }

    fn translate(&mut self, translation: &mut dyn FnMut(ExprId) -> ExprId) {
        self.system_mut().translate(translation);
    }
}
