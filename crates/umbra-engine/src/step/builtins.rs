//! The functions that the machine supplies: allocation, setjmp, system calls.

use super::user_memory::CallMemory;
use super::{Machine, Step, Stop};
use crate::code::Builtin;
use crate::environment::Answer;
use crate::memory::{Contents, FaultKind, Life, ObjectKind};
use crate::state::{FRAME_COST, FrameKind};
use crate::termination::{ErrorKind, Termination};

/// `arch_prctl(ARCH_SET_FS, address)` sets a register of the processor, so it is the machine's.
const ARCH_PRCTL: u64 = 158;
const ARCH_SET_FS: u64 = 0x1002;
const SIGABRT: i32 = 6;
const RT_SIGPROCMASK: u64 = 14;
const SIG_SETMASK: u64 = 2;
const FUTEX: u64 = 202;

/// What a jump buffer starts with once it is set.
const JUMP_MAGIC: u64 = 0x756d_6272_616a_6d70;
/// Where in a jump buffer the signal mask is.
const JUMP_MASK: u64 = 32;

/// The machine pauses each time that the program has written so many bytes.
const PAUSE: u64 = 1 << 20;

impl Machine<'_> {
    /// Calls a function of the machine; the program goes on behind the call.
    #[inline(never)]
    pub(super) fn call_builtin(&mut self, builtin: Builtin, site: u32) -> Step {
        let call = &self.image.sites[site as usize];
        let window = self.state.window();
        let mut arguments = [0u64; 7];
        for (argument, word) in arguments.iter_mut().zip(&call.words) {
            *argument = word.get(window);
        }
        let [a, b, c, ..] = arguments;
        // Natively the allocator has a lock, so that threads meet here.
        if self.state.threads.is_some()
            && matches!(builtin, Builtin::Malloc | Builtin::Free)
            && self.gives_way()
        {
            return self.give_way(None);
        }
        if matches!(builtin, Builtin::Free | Builtin::Realloc | Builtin::UsableSize) {
            self.check_common_object(a)?;
        }
        let result = match builtin {
            Builtin::Malloc => self.malloc(a, 16, Contents::Uninitialised)?,
            Builtin::Calloc => match a.checked_mul(b) {
                Some(size) => self.malloc(size, 16, Contents::Zero)?,
                None => 0,
            },
            Builtin::AlignedAlloc => self.malloc(b, a, Contents::Uninitialised)?,
            Builtin::Realloc => self.realloc(a, b)?,
            Builtin::Free => {
                self.free(a)?;
                0
            }
            Builtin::UsableSize => self.state.memory.object(a).map_or(0, |object| object.size),
            Builtin::MemoryCopy => {
                self.copy_memory(a, b, c)?;
                a
            }
            Builtin::MemorySet => {
                self.set_memory(a, b as u8, c)?;
                a
            }
            Builtin::ThreadPointer => self.state.thread_pointer,
            Builtin::Nothing => 0,
            Builtin::SetJump => {
                self.set_jump(a, false, site)?;
                0
            }
            Builtin::SetSignalJump => {
                self.set_jump(a, b as u32 != 0, site)?;
                0
            }
            Builtin::StartThread => return self.begin_thread(arguments, site),
            Builtin::UnmapAndEnd => return self.unmap_and_end(a, b),
            Builtin::LongJump => return self.long_jump(a, b as u32),
            Builtin::Input(call) => return self.input_call(call, site),
            Builtin::SystemCall => {
                let [number, rest @ ..] = arguments;
                return self.system_call(number, rest, site);
            }
        };
        self.finish_builtin(result, site);
        Ok(())
    }

    pub(super) fn finish_builtin(&mut self, result: u64, site: u32) {
        let call = &self.image.sites[site as usize];
        if let (Some(&slot), Some(ty)) = (call.results.first(), call.result_types.first()) {
            self.state.window()[slot as usize] = result & (u64::MAX >> (64 - ty.bits().min(64)));
        }
        self.forget_results(site);
        self.state.pc += 1;
    }

    /// An object that is not the same in both versions cannot be changed in both at once.
    fn check_common_object(&self, address: u64) -> Step {
        let object = self.state.memory.object(address);
        match object.is_some_and(|object| object.twin.is_some()) && self.both_run() {
            true => Err(Stop::Apart),
            false => Ok(()),
        }
    }

    fn malloc(&mut self, size: u64, align: u64, contents: Contents) -> Step<u64> {
        let made = self.state.trace(self.state.pc);
        let align = align.max(16);
        let address = self.state.memory.allocate(ObjectKind::Heap, size, align, contents, made);
        if address.is_none() {
            self.check_memory_known()?;
        }
        Ok(address.unwrap_or(0))
    }

    /// Ends the path if nobody can tell whether the process would have got memory that it was
    /// refused.
    fn check_memory_known(&self) -> Step {
        match self.state.memory.is_unsure() {
            true => Err(self.stop_unsupported("memory close to the limit of the process".into())),
            false => Ok(()),
        }
    }

    fn free(&mut self, address: u64) -> Step {
        if address == 0 {
            return Ok(());
        }
        let ended = self.state.trace(self.state.pc);
        self.state.memory.free(address, ended).map_err(|fault| self.fault(*fault))
    }

    fn realloc(&mut self, address: u64, size: u64) -> Step<u64> {
        if address == 0 {
            return self.malloc(size, 16, Contents::Uninitialised);
        }
        let old = match self.state.memory.object(address) {
            Some(object) if object.base == address && object.life == Life::Alive => object.size,
            // Not the start of a live object: the error is that of freeing it.
            _ => return self.free(address).map(|()| 0),
        };
        let new = self.malloc(size, 16, Contents::Uninitialised)?;
        if new != 0 {
            self.copy_memory(new, address, old.min(size))?;
            self.free(address)?;
        }
        Ok(new)
    }

    /// Notes in the buffer which call this is, where it goes on, and, for `sigsetjmp`, the signal
    /// mask. It takes the room of musl's registers.
    fn set_jump(&mut self, buffer: u64, save_mask: bool, site: u32) -> Step {
        let serial = self.state.frames.last().map_or(0, |frame| frame.serial);
        let place = (u64::from(site) << 32) | u64::from(self.state.pc);
        let words = [JUMP_MAGIC, serial, place, u64::from(save_mask)];
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.state.memory.write(buffer, &bytes).map_err(|fault| self.fault(*fault))?;
        if save_mask {
            self.kernel(RT_SIGPROCMASK, [SIG_SETMASK, 0, buffer + JUMP_MASK, 8, 0, 0])?;
        }
        Ok(())
    }

    /// Returns a second time from the `setjmp` that filled the buffer.
    fn long_jump(&mut self, buffer: u64, value: u32) -> Step {
        let mut words = [0u64; 4];
        for (word, offset) in words.iter_mut().zip([0, 8, 16, 24]) {
            // One version may have filled it alone, or later.
            let bytes = self.read_bytes(buffer + offset, 8)?;
            let value = self.join(&bytes);
            *word = self.fix_expression(value)?;
        }
        let [magic, serial, place, saved_mask] = words;
        if magic != JUMP_MAGIC {
            let detail = "the buffer was not filled by setjmp".to_owned();
            return Err(self.error(ErrorKind::BadLongJump, detail));
        }
        let frames = &self.state.frames;
        let Some(depth) = frames.iter().rposition(|frame| frame.serial == serial) else {
            let detail = "the function that called setjmp has returned".to_owned();
            return Err(self.error(ErrorKind::BadLongJump, detail));
        };
        // Before the jump, since the buffer may be in a frame that it leaves.
        let answer = match saved_mask {
            0 => Answer::Return(0),
            _ => self.kernel(RT_SIGPROCMASK, [SIG_SETMASK, buffer + JUMP_MASK, 0, 8, 0, 0])?,
        };
        while self.state.frames.len() > depth + 1 {
            self.forget_expressions();
            let Some(frame) = self.state.frames.pop() else {
                break;
            };
            self.state.stack_used -= FRAME_COST;
            if frame.kind == FrameKind::Handler {
                self.state.signals.pop();
            }
            self.end_objects(frame.objects as usize);
        }
        self.state.pc = place as u32;
        let (value, site) = (u64::from(value.max(1)), (place >> 32) as u32);
        match answer {
            // Signals that the old mask held back.
            Answer::Interrupted { deliveries, .. } => self.deliver(deliveries, value, site),
            _ => {
                self.finish_builtin(value, site);
                Ok(())
            }
        }
    }

    /// Asks the kernel.
    pub(super) fn kernel(&mut self, number: u64, arguments: [u64; 6]) -> Step<Answer> {
        if self.state.shadow.old_environment.is_some() && self.both_run() {
            return Err(Stop::Apart);
        }
        let trace = self.state.trace(self.state.pc);
        // An object that is not the same in both versions may stop the call in its midst. Then it
        // must not have happened at all, since each version makes it again.
        let before = (self.both_run() && self.state.memory.has_twins())
            .then(|| (self.state.memory.fork(), self.state.environment.fork()));
        loop {
            let mut memory = CallMemory {
                memory: &mut self.state.memory,
                shared: self.shared,
                path: &self.state.path,
                trace,
                image: self.image,
                fault: None,
                partial: false,
                undecided: None,
                differs: false,
            };
            let answer = self.state.environment.system_call(&mut memory, number, arguments);
            let (partial, undecided, fault) = (memory.partial, memory.undecided, memory.fault);
            let differs = memory.differs;
            match (undecided, fault) {
                // Looked at first: what the call asks after it was refused does not matter.
                (_, Some(fault)) if fault.kind == FaultKind::Apart => {
                    if let Some((memory, environment)) = before {
                        self.state.memory.resume(memory);
                        self.state.environment = environment;
                    }
                    self.shared.undone_calls += 1;
                    return Err(Stop::Apart);
                }
                // The call has changed nothing yet: it is made again with the value known.
                (Some(value), _) => {
                    self.note_needed(value);
                    self.fix_expression(value)?;
                }
                (None, Some(fault)) => return Err(self.fault(fault)),
                (None, None) if partial => {
                    let what = "a system call on memory that it may use in part only";
                    return Err(self.stop_unsupported(what.to_owned()));
                }
                (None, None) => {
                    self.check_memory_known()?;
                    if differs {
                        self.note_seen_apart();
                    }
                    return Ok(answer);
                }
            }
        }
    }

    fn system_call(&mut self, number: u64, arguments: [u64; 6], site: u32) -> Step {
        if number == ARCH_PRCTL && arguments[0] == ARCH_SET_FS {
            self.state.thread_pointer = arguments[1];
            self.finish_builtin(0, site);
            return Ok(());
        }
        if let Some(done) = self.thread_call(number, arguments, site) {
            return done;
        }
        let before = self.state.environment.bytes();
        let answer = self.kernel(number, arguments)?;
        // A few instructions can write any number of bytes: whoever limits the run is to look.
        self.paused |= before / PAUSE != self.state.environment.bytes() / PAUSE;
        self.paused |= self.shared.is_alarmed();
        match answer {
            Answer::Return(value) => {
                self.finish_builtin(value as u64, site);
                Ok(())
            }
            Answer::Interrupted { result, deliveries } => {
                self.deliver(deliveries, result as u64, site)
            }
            Answer::Forked(child) => self.begin_child(child, site),
            Answer::Endless(_) if number == FUTEX => Err(self.deadlock()),
            Answer::Endless(what) => self.wait_in_call(what),
            end => self.end_process(end),
        }
    }

    /// The process does not go on after a system call.
    pub(super) fn end_process(&mut self, answer: Answer) -> Step {
        match answer {
            Answer::Exit(status) => Err(Stop::end(Termination::Exited(status))),
            Answer::Killed(SIGABRT) => Err(self.aborted()),
            Answer::Killed(signal) => Err(Stop::end(Termination::Killed(signal))),
            Answer::ChildEnded => self.return_to_parent(),
            Answer::Unsupported(what) | Answer::Endless(what) => Err(self.stop_unsupported(what)),
            Answer::Return(_) | Answer::Interrupted { .. } | Answer::Forked(_) => Ok(()),
        }
    }

    /// The program aborted itself; why, the call stack tells.
    fn aborted(&self) -> Stop {
        let called = |name: &str| {
            self.state
                .frames
                .iter()
                .any(|frame| self.image.program.functions[frame.function].name == name)
        };
        let kind = match called("__assert_fail") {
            true => ErrorKind::AssertionFailure,
            false => ErrorKind::Abort,
        };
        self.error(kind, String::new())
    }
}
