//! Threads: how they start, wait, wake each other and end.
//!
//! The libc makes threads of `clone` and lets them meet by `futex`; everything else of pthreads (mutexes, condition variables,
//! `once`, storage of threads) is its code. So these two are all that has to be modelled, together with how a thread ends. A thread
//! runs until it waits, ends or gives way; [`crate::memory`] watches whether what it does depends on the order.
//!
//! While two versions run in one state there is one thread: the others would have to part with them.

use umbra_ir::Type;

use super::calls::Passed;
use super::{Machine, Step, Stop};
use crate::code::Slot;
use crate::environment::Answer;
use crate::memory::{Contents, ObjectKind, Trace, Watch};
use crate::state::FrameKind;
use crate::termination::{ErrorKind, Termination};
use crate::threads::{Identity, Thread, Threads, Wait};

const NANOSLEEP: u64 = 35;
const GETPID: u64 = 39;
const SCHED_YIELD: u64 = 24;
const MUNMAP: u64 = 11;
const EXIT: u64 = 60;
const GETTID: u64 = 186;
const FUTEX: u64 = 202;
const SET_TID_ADDRESS: u64 = 218;
const CLOCK_NANOSLEEP: u64 = 230;

const FUTEX_WAIT: u64 = 0;
const FUTEX_WAKE: u64 = 1;
const FUTEX_REQUEUE: u64 = 3;
/// Bits of a futex operation that say how, not what: of this process, by the clock of the day.
const FUTEX_FLAGS: u64 = 128 | 256;

const EAGAIN: i64 = -11;
const ETIMEDOUT: i64 = -110;

const CLONE_VM: u64 = 0x100;
const CLONE_THREAD: u64 = 0x1_0000;
const CLONE_SETTLS: u64 = 0x8_0000;
const CLONE_PARENT_SETTID: u64 = 0x10_0000;
const CLONE_CHILD_CLEARTID: u64 = 0x20_0000;

const SECOND: u64 = 1_000_000_000;

impl Machine<'_> {
    /// `__clone(function, stack, flags, argument, parent_id, thread_pointer, child_id)`: a new thread.
    pub(super) fn begin_thread(&mut self, arguments: [u64; 7], site: u32) -> Step {
        let [function, _, flags, argument, parent_id, thread_pointer, child_id] = arguments;
        if self.both_run() || self.state.is_alone() {
            return Err(self.stop_unsupported("clone: a second thread of two versions".to_owned()));
        }
        if flags & (CLONE_VM | CLONE_THREAD) != CLONE_VM | CLONE_THREAD {
            let what = "clone: a process that shares its parent's memory";
            return Err(self.stop_unsupported(what.to_owned()));
        }
        if !self.state.parents.is_empty() {
            return Err(self.stop_unsupported("clone: a thread of a child process".to_owned()));
        }
        let Some(entry) = self.image.function_at(function) else {
            let detail = format!("the function of a thread is {function:#x}, which is none");
            return Err(self.error(ErrorKind::BadFunctionPointer, detail));
        };
        if self.state.threads.is_none() {
            let Answer::Return(id) = self.kernel(GETPID, [0; 6])? else {
                return Err(self.stop_unsupported("clone: a process without a number".to_owned()));
            };
            let clear = self.state.clear_address;
            let running = Identity { number: 0, id: id as i32, clear };
            self.state.threads = Some(Box::new(Threads::new(running, self.state.limits.schedule)));
            self.state.memory.begin_watch();
        }
        let threads = self.state.threads.as_mut().expect("there are threads");
        let id = threads.next_id;
        threads.next_id += 1;
        if flags & CLONE_PARENT_SETTID != 0 {
            // The new thread finds it there.
            let written = self.state.memory.write(parent_id, &id.to_le_bytes());
            written.map_err(|fault| self.fault(*fault))?;
        }
        let number = self.state.memory.watch().map_or(0, Watch::start);
        let clear = if flags & CLONE_CHILD_CLEARTID != 0 { child_id } else { 0 };
        let parent_pointer = self.state.thread_pointer;
        self.finish_builtin(id as u64, site);
        let parent = self.state.take_context(self.image);
        let passed = [Passed::word(argument, Type::Pointer)];
        self.push_frame(entry, &passed, FrameKind::Thread, 0, 0, 0)?;
        self.state.thread_pointer =
            if flags & CLONE_SETTLS != 0 { thread_pointer } else { parent_pointer };
        let context = self.state.take_context(self.image);
        self.state.enter_context(&parent);
        let mask = self.state.environment.thread_signals();
        let identity = Identity { number, id, clear };
        let (locals, wait, result) = (Vec::new(), Wait::Ready, None);
        let thread = Thread { identity, context, mask, locals, wait, result };
        let threads = self.state.threads.as_mut().expect("there are threads");
        threads.others.push_back(thread);
        match self.state.limits.schedule {
            crate::threads::Schedule::RoundRobin => Ok(()),
            _ => self.give_way(None),
        }
    }

    /// A system call that concerns threads, if this is one: none of them reaches the kernel.
    pub(super) fn thread_call(
        &mut self,
        number: u64,
        arguments: [u64; 6],
        site: u32,
    ) -> Option<Step> {
        if number == SET_TID_ADDRESS {
            match &mut self.state.threads {
                Some(threads) => threads.running.clear = arguments[0],
                None => self.state.clear_address = arguments[0],
            }
        }
        let id = self.state.threads.as_ref()?.running.id;
        match number {
            GETTID | SET_TID_ADDRESS => {
                self.finish_builtin(id as u64, site);
                Some(Ok(()))
            }
            EXIT => Some(self.end_thread()),
            FUTEX => self.futex(arguments, site),
            SCHED_YIELD => {
                self.finish_builtin(0, site);
                Some(self.give_way(None))
            }
            // A time of the day, or absolute, is the kernel's.
            NANOSLEEP => Some(self.sleep(arguments[0], site)),
            CLOCK_NANOSLEEP if arguments[1] == 0 => Some(self.sleep(arguments[2], site)),
            _ => None,
        }
    }

    /// `__unmapself(base, size)`: the thread ends, and what was mapped for it goes.
    pub(super) fn unmap_and_end(&mut self, base: u64, size: u64) -> Step {
        self.kernel(MUNMAP, [base, size, 0, 0, 0, 0])?;
        self.end_thread()
    }

    /// The running thread ends.
    pub(super) fn end_thread(&mut self) -> Step {
        let Some(threads) = &self.state.threads else {
            return Err(Stop::end(Termination::Exited(0)));
        };
        let clear = threads.running.clear;
        if clear != 0 {
            if let Some(watch) = self.state.memory.watch() {
                watch.synchronize(clear);
            }
            let written = self.state.memory.write(clear, &[0; 4]);
            written.map_err(|fault| self.fault(*fault))?;
            self.wake(clear, 1);
        }
        self.end_objects(0);
        drop(self.state.take_context(self.image));
        let threads = self.state.threads.as_mut().expect("there are threads");
        if threads.others.is_empty() {
            return Err(Stop::end(Termination::Exited(0)));
        }
        let Some(next) = self.next_thread()? else { return Err(self.deadlock()) };
        self.enter_thread(next);
        self.settle_threads();
        Ok(())
    }

    /// With one thread left that knows what all others have done, the process is like one that never had another.
    fn settle_threads(&mut self) {
        let Some(threads) = &self.state.threads else { return };
        if threads.others.is_empty() && self.state.memory.end_watch() {
            self.state.clear_address = threads.running.clear;
            self.state.threads = None;
        }
    }

    /// An atomic access is about to be made: others may run before it.
    pub(super) fn synchronize(&mut self, address: u64) -> Step {
        if self.state.threads.is_none() {
            self.state.pc += 1;
            return Ok(());
        }
        if self.gives_way() {
            return self.give_way(None);
        }
        if let Some(watch) = self.state.memory.watch() {
            watch.synchronize(address);
        }
        self.state.pc += 1;
        // After a join or the last lock there may be nobody left to watch.
        self.settle_threads();
        Ok(())
    }

    /// The address of a variable that each thread has for itself: made when a thread first asks.
    pub(super) fn thread_local(&mut self, d: Slot, first: u64) -> Step {
        let mut address = first;
        if let Some(threads) = &self.state.threads
            && threads.running.number != 0
        {
            let object = self.state.memory.object(first);
            let Some((base, kind)) = object.map(|object| (object.base, object.kind)) else {
                return Err(self.stop_unsupported("a variable of a thread without a place".into()));
            };
            let known = threads.locals.iter().find(|(of, _)| *of == base);
            let own = match known {
                Some(&(_, own)) => own,
                None => self.make_local(base, kind)?,
            };
            address = own + (first - base);
        }
        self.state.window()[d as usize] = address;
        self.state.pc += 1;
        Ok(())
    }

    fn make_local(&mut self, base: u64, kind: ObjectKind) -> Step<u64> {
        let ObjectKind::Global(global) = kind else {
            return Err(self.stop_unsupported("a variable of a thread that is no global".into()));
        };
        let bytes = self.image.initial(global);
        let align = self.image.program.globals[global].align.into();
        let memory = &mut self.state.memory;
        let made =
            memory.allocate(kind, bytes.len() as u64, align, Contents::Zero, Trace::default());
        let Some(own) = made else { return Err(Stop::end(Termination::Limit("memory"))) };
        memory.write(own, &bytes).map_err(|fault| self.fault(*fault))?;
        if let Some(threads) = &mut self.state.threads {
            threads.locals.push((base, own));
        }
        Ok(own)
    }

    /// Whether others run before the operation at which the running thread stands; it does it when it goes on.
    pub(super) fn gives_way(&mut self) -> bool {
        let schedule = self.state.limits.schedule;
        let Some(threads) = &mut self.state.threads else { return false };
        let gives_way = !std::mem::take(&mut threads.has_yielded) && threads.gives_way(schedule);
        threads.has_yielded = gives_way;
        gives_way
    }

    /// Lets another thread run, if one can; `result` is what the system call returns at which the running one stands.
    pub(super) fn give_way(&mut self, result: Option<(u32, i64)>) -> Step {
        self.stand_aside(Wait::Ready, result)
    }

    fn sleep(&mut self, duration: u64, site: u32) -> Step {
        let duration = self.read_time(duration)?;
        let deadline = self.state.environment.elapsed().saturating_add(duration);
        self.stand_aside(Wait::Time(deadline), Some((site, 0)))
    }

    fn futex(&mut self, arguments: [u64; 6], site: u32) -> Option<Step> {
        let [address, operation, value, timeout, second, _] = arguments;
        match operation & !FUTEX_FLAGS {
            FUTEX_WAIT => Some(self.wait_at(address, value as u32, timeout, site)),
            FUTEX_WAKE => {
                let woken = self.wake(address, value as i32);
                self.finish_builtin(woken, site);
                Some(Ok(()))
            }
            FUTEX_REQUEUE => {
                let woken = self.wake(address, value as i32);
                let moved = self.requeue(address, second, timeout as i32);
                self.finish_builtin(woken + moved, site);
                Some(Ok(()))
            }
            _ => None,
        }
    }

    fn wait_at(&mut self, address: u64, value: u32, timeout: u64, site: u32) -> Step {
        if let Some(watch) = self.state.memory.watch() {
            watch.synchronize(address);
        }
        let bytes = self.read_bytes(address, 4)?;
        let held = self.join(&bytes);
        if self.fix_expression(held)? as u32 != value {
            self.finish_builtin(EAGAIN as u64, site);
            return Ok(());
        }
        let deadline = match timeout {
            0 => None,
            _ => {
                let duration = self.read_time(timeout)?;
                Some(self.state.environment.elapsed().saturating_add(duration))
            }
        };
        self.stand_aside(Wait::Futex { address, deadline }, Some((site, 0)))
    }

    /// The nanoseconds of a `timespec`.
    fn read_time(&mut self, address: u64) -> Step<u64> {
        let mut parts = [0; 2];
        for (part, offset) in parts.iter_mut().zip([0, 8]) {
            let bytes = self.read_bytes(address + offset, 8)?;
            let value = self.join(&bytes);
            *part = self.fix_expression(value)?;
        }
        Ok(parts[0].saturating_mul(SECOND).saturating_add(parts[1]))
    }

    /// Wakes up to `most` threads that wait at an address, those first that have waited longest.
    fn wake(&mut self, address: u64, most: i32) -> u64 {
        let mut woken = Vec::new();
        let Some(threads) = &mut self.state.threads else { return 0 };
        for thread in &mut threads.others {
            let waits = matches!(thread.wait, Wait::Futex { address: at, .. } if at == address);
            if waits && (woken.len() as i64) < i64::from(most) {
                thread.wait = Wait::Ready;
                woken.push(thread.identity.number);
            }
        }
        if let Some(watch) = self.state.memory.watch() {
            woken.iter().for_each(|&thread| watch.wake(thread));
        }
        woken.len() as u64
    }

    fn requeue(&mut self, from: u64, to: u64, most: i32) -> u64 {
        let mut moved = 0;
        let Some(threads) = &mut self.state.threads else { return 0 };
        for thread in &mut threads.others {
            if let Wait::Futex { address, .. } = &mut thread.wait
                && *address == from
                && moved < i64::from(most)
            {
                *address = to;
                moved += 1;
            }
        }
        moved as u64
    }

    /// A system call that would wait for ever lets others run, which may end that; then it is made again.
    pub(super) fn wait_in_call(&mut self, what: String) -> Step {
        let Some(threads) = &mut self.state.threads else {
            return Err(self.stop_unsupported(what));
        };
        threads.stalled += 1;
        self.stand_aside(Wait::Call, None)
    }

    /// The running thread waits, and the next one runs: perhaps the same, if all that it waits for is time.
    fn stand_aside(&mut self, wait: Wait, result: Option<(u32, i64)>) -> Step {
        let mask = self.state.environment.thread_signals();
        let threads = self.state.threads.as_ref().expect("there are threads");
        let alone = threads.others.is_empty();
        if alone && wait == Wait::Ready {
            return Ok(());
        }
        let identity = threads.running;
        let stack = (self.state.pc, self.state.frames.clone());
        let context = self.state.take_context(self.image);
        let threads = self.state.threads.as_mut().expect("there are threads");
        let locals = std::mem::take(&mut threads.locals);
        let thread = Thread { identity, context, mask, locals, wait, result };
        threads.others.push_back(thread);
        let next = self.next_thread();
        if let Ok(Some(next)) = next {
            self.enter_thread(next);
            return Ok(());
        }
        // The report is about the thread that waits last.
        (self.state.pc, self.state.frames) = stack;
        next?;
        Err(self.deadlock())
    }

    pub(super) fn deadlock(&self) -> Stop {
        let count = self.state.threads.as_ref().map_or(1, |threads| threads.others.len());
        let detail = match count {
            1 => "the only thread waits for ever".to_owned(),
            _ => format!("all {count} threads wait for each other"),
        };
        self.error(ErrorKind::Deadlock, detail)
    }

    /// The thread that runs next. If none can, time goes on until one does; `None` if that does not help.
    fn next_thread(&mut self) -> Step<Option<usize>> {
        let schedule = self.state.limits.schedule;
        loop {
            let threads = self.state.threads.as_mut().expect("there are threads");
            let now = self.state.environment.elapsed();
            for thread in &mut threads.others {
                match thread.wait {
                    Wait::Time(deadline) if deadline <= now => thread.wait = Wait::Ready,
                    Wait::Futex { deadline: Some(deadline), .. } if deadline <= now => {
                        thread.wait = Wait::Ready;
                        thread.result = thread.result.map(|(site, _)| (site, ETIMEDOUT));
                    }
                    _ => {}
                }
            }
            if let Some(next) = threads.choose(schedule) {
                return Ok(Some(next));
            }
            // One that waits in a call tries again before time goes on.
            let calls = threads.others.iter().position(|thread| thread.wait == Wait::Call);
            if let Some(next) = calls.filter(|_| threads.stalled <= threads.others.len()) {
                return Ok(Some(next));
            }
            match threads.next_deadline() {
                Some(deadline) => {
                    threads.stalled = 0;
                    self.state.environment.advance(deadline);
                }
                None if calls.is_some() => {
                    let what = "system calls in which all threads wait for ever";
                    return Err(self.stop_unsupported(what.to_owned()));
                }
                None => return Ok(None),
            }
        }
    }

    /// The thread at this place among the others runs from here on; the one before has been put away.
    fn enter_thread(&mut self, at: usize) {
        let threads = self.state.threads.as_mut().expect("there are threads");
        let thread = threads.others.remove(at).expect("it is there");
        threads.quiet = 0;
        if thread.wait == Wait::Ready {
            threads.stalled = 0;
        }
        threads.running = thread.identity;
        threads.locals = thread.locals;
        // Only the thread that has just given way stands in front of its atomic access.
        threads.has_yielded = true;
        self.state.environment.enter_thread(thread.identity.id, thread.mask);
        self.state.enter_context(&thread.context);
        if let Some(watch) = self.state.memory.watch() {
            watch.enter(thread.identity.number);
        }
        if let Some((site, result)) = thread.result {
            self.finish_builtin(result as u64, site);
        }
    }
}
