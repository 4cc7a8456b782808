//! System calls, by number: there is no C library.

use core::arch::asm;
use core::mem::MaybeUninit;

/// Numbers of calls on x86-64.
mod calls {
    pub const READ: usize = 0;
    pub const WRITE: usize = 1;
    pub const OPEN: usize = 2;
    pub const CLOSE: usize = 3;
    pub const FSTAT: usize = 5;
    pub const GETPID: usize = 39;
    pub const CLONE: usize = 56;
    pub const EXECVE: usize = 59;
    pub const KILL: usize = 62;
    pub const WAIT4: usize = 61;
    pub const FCNTL: usize = 72;
    pub const PRCTL: usize = 157;
    pub const CLOCK_GETTIME: usize = 228;
    pub const EXIT_GROUP: usize = 231;
    pub const PIPE2: usize = 293;
    pub const PRLIMIT64: usize = 302;
}

const O_CLOEXEC: usize = 0o2_000_000;
const O_WRONLY_CREAT_EXCL: usize = 0o301;
const INTERRUPTED: isize = -4;
const STOP: usize = 19;
/// `__WALL`: children that send no signal, too.
const ALL: usize = 0x4000_0000;

/// Whoever may trace the process (`PR_SET_PTRACER`).
pub const SET_TRACER: usize = 0x5961_6d61;

/// Calls the kernel; a negative result is an error's number.
///
/// # Safety
///
/// The arguments are what the call expects; memory they lead to is valid for it.
unsafe fn call(number: usize, arguments: [usize; 5]) -> isize {
    let [one, two, three, four, five] = arguments;
    let result;
    // SAFETY: the caller's.
    unsafe {
        asm!("syscall", inlateout("rax") number => result, in("rdi") one, in("rsi") two,
             in("rdx") three, in("r10") four, in("r8") five, out("rcx") _, out("r11") _,
             options(nostack));
    }
    result
}

/// Ends the process.
pub fn exit(status: usize) -> ! {
    loop {
        // SAFETY: does not return.
        unsafe { call(calls::EXIT_GROUP, [status, 0, 0, 0, 0]) };
    }
}

/// This process.
pub fn process() -> u64 {
    // SAFETY: no memory is touched.
    unsafe { call(calls::GETPID, [0; 5]) as u64 }
}

/// The start of the file at a path that ends with a NUL; nothing after an error.
pub fn read_file(path: *const u8, buffer: &mut [MaybeUninit<u8>]) -> &[u8] {
    let (start, size) = (buffer.as_mut_ptr(), buffer.len());
    // SAFETY: the path is a string, the buffer a slice; the descriptor is this function's own. As many
    // bytes as the kernel says are initialised.
    unsafe {
        let file = call(calls::OPEN, [path as usize, O_CLOEXEC, 0, 0, 0]);
        if file < 0 {
            return &[];
        }
        let count = call(calls::READ, [file as usize, start as usize, size, 0, 0]);
        close(file as usize);
        match usize::try_from(count) {
            Ok(count) if count <= size => core::slice::from_raw_parts(start.cast(), count),
            _ => &[],
        }
    }
}

/// Makes an empty file.
pub fn make_file(path: *const u8) {
    // SAFETY: the path is a string; the descriptor is this function's own.
    unsafe {
        let file = call(calls::OPEN, [path as usize, O_WRONLY_CREAT_EXCL | O_CLOEXEC, 0o644, 0, 0]);
        if file >= 0 {
            close(file as usize);
        }
    }
}

/// Closes a descriptor.
pub fn close(descriptor: usize) {
    // SAFETY: no memory is touched.
    unsafe { call(calls::CLOSE, [descriptor, 0, 0, 0, 0]) };
}

/// Writes a byte.
pub fn write_byte(descriptor: usize, byte: u8) {
    // SAFETY: the buffer is one byte.
    unsafe { call(calls::WRITE, [descriptor, (&raw const byte) as usize, 1, 0, 0]) };
}

/// Reads a byte; 0 at the end or after an error.
pub fn read_byte(descriptor: usize) -> u8 {
    let mut byte = 0u8;
    // SAFETY: the buffer is one byte.
    while unsafe { call(calls::READ, [descriptor, (&raw mut byte) as usize, 1, 0, 0]) }
        == INTERRUPTED
    {}
    byte
}

/// Mode and device number of what a descriptor leads to.
pub fn status(descriptor: usize) -> Option<(u32, u64)> {
    // The kernel's structure: the mode is at byte 24, the device at 40.
    let mut status = [0u64; 18];
    // SAFETY: the buffer has the structure's size.
    let result = unsafe { call(calls::FSTAT, [descriptor, status.as_mut_ptr() as usize, 0, 0, 0]) };
    (result == 0).then_some((status[3] as u32, status[5]))
}

/// A pipe whose ends are closed by `execve`: the end to read, the end to write.
pub fn pipe() -> Option<(usize, usize)> {
    let mut ends = [0u32; 2];
    // SAFETY: the kernel writes two numbers.
    let result = unsafe { call(calls::PIPE2, [ends.as_mut_ptr() as usize, O_CLOEXEC, 0, 0, 0]) };
    (result == 0).then_some((ends[0] as usize, ends[1] as usize))
}

/// A descriptor stays open at `execve`.
pub fn keep(descriptor: usize) {
    const SET_FLAGS: usize = 2;
    // SAFETY: no memory is touched.
    unsafe { call(calls::FCNTL, [descriptor, SET_FLAGS, 0, 0, 0]) };
}

/// A child that sends no signal when it ends. 0 in the child, negative if there is none.
pub fn fork() -> isize {
    // SAFETY: without flags this is fork(2), and the process has one thread.
    unsafe { call(calls::CLONE, [0; 5]) }
}

/// Waits until a child has ended.
pub fn wait(child: isize) {
    // SAFETY: nothing is written.
    while unsafe { call(calls::WAIT4, [child as usize, 0, ALL, 0, 0]) } == INTERRUPTED {}
}

/// Lifts a limit of this process as far as it may; returns how far that is.
pub fn lift_limit(resource: usize) -> u64 {
    let mut limit = [u64::MAX; 2];
    // SAFETY: soft and hard limit are two numbers, which are read or written.
    unsafe {
        if call(calls::PRLIMIT64, [0, resource, limit.as_ptr() as usize, 0, 0]) != 0
            && call(calls::PRLIMIT64, [0, resource, 0, limit.as_mut_ptr() as usize, 0]) == 0
        {
            limit[0] = limit[1];
            call(calls::PRLIMIT64, [0, resource, limit.as_ptr() as usize, 0, 0]);
        }
    }
    limit[0]
}

/// A `prctl` whose arguments are plain numbers.
pub fn control(option: usize, argument: usize) {
    // SAFETY: only options without pointers are used with this function.
    unsafe { call(calls::PRCTL, [option, argument, 0, 0, 0]) };
}

/// Installs a filter, 8 bytes each step, for the calls of this process and its children.
pub fn set_filter(steps: &[u8]) -> bool {
    const SECCOMP: usize = 22;
    const FILTER: usize = 2;
    #[repr(C)]
    struct Program {
        length: u16,
        steps: *const u8,
    }
    let program = Program { length: (steps.len() / 8) as u16, steps: steps.as_ptr() };
    // SAFETY: the structure describes a slice that is alive during the call; the kernel copies it.
    unsafe { call(calls::PRCTL, [SECCOMP, FILTER, (&raw const program) as usize, 0, 0]) == 0 }
}

/// Nanoseconds since 1970.
pub fn now() -> u64 {
    let mut time = [0u64; 2];
    // SAFETY: the kernel writes two numbers.
    unsafe { call(calls::CLOCK_GETTIME, [0, time.as_mut_ptr() as usize, 0, 0, 0]) };
    time[0].wrapping_mul(1_000_000_000).wrapping_add(time[1])
}

/// Becomes another program. Returns only if that fails.
///
/// # Safety
///
/// The path is a string; both vectors are of strings and end with a null pointer.
pub unsafe fn execute(path: *const u8, arguments: *const usize, environment: *const usize) {
    // SAFETY: the caller's.
    unsafe { call(calls::EXECVE, [path as usize, arguments as usize, environment as usize, 0, 0]) };
}

/// The arguments of the process.
///
/// # Safety
///
/// On the stack are the number of arguments and their addresses, each that of a string.
pub unsafe fn arguments(stack: *const usize) -> impl Iterator<Item = &'static [u8]> {
    // SAFETY: the caller's; the strings live as long as the process.
    unsafe {
        let addresses = core::slice::from_raw_parts(stack.add(1).cast(), *stack);
        addresses.iter().map(|address| string(*address))
    }
}

/// The bytes of a string before its NUL.
///
/// # Safety
///
/// The address is that of a string that lives as long as the process.
unsafe fn string(address: *const u8) -> &'static [u8] {
    let mut length = 0;
    // SAFETY: the caller's.
    unsafe {
        while *address.add(length) != 0 {
            length += 1;
        }
        core::slice::from_raw_parts(address, length)
    }
}

/// Stops for the tracer, which sees numbers in registers and lets go on.
pub fn stop(what: u64, number: u64, is_filtered: bool) {
    // SAFETY: the signal is suppressed by the tracer, and does no harm if it is not.
    unsafe {
        asm!("syscall", inlateout("rax") calls::KILL => _, in("rdi") process(), in("rsi") STOP,
             in("r8") what, in("r9") number, in("r10") u64::from(is_filtered), out("rcx") _,
             out("r11") _, options(nostack));
    }
}
