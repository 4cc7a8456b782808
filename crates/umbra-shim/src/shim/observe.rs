//! What the shim does: see to it that the process is watched, or count it.

use core::mem::MaybeUninit;

use umbra_shim::{
    BEGINS, HIGHEST_DESCRIPTOR, NOT_EXECUTED, RAW, Slot, TRACER, UNWATCHED, Unwatched, WATCHED,
    names_debugger,
};

use crate::SLOT;
use crate::system;
use crate::text::{Text, number};

/// Limits of which the tracer needs so much: data, stack, address space.
const NEEDED: [(usize, u64); 3] = [(2, 4 << 20), (3, 1 << 20), (9, 4 << 20)];
/// The number of /dev/null.
const NULL_DEVICE: u64 = 0x103;

/// In a process that nothing simulates. The stack is as the kernel has left it.
///
/// # Safety
///
/// On the stack are the number of arguments and their addresses, each that of a string.
pub unsafe extern "C" fn observe(stack: *const usize) {
    let slot = slot();
    let is_watched = match tracer() {
        0 => match start_tracer(&slot) {
            Ok(()) => true,
            Err(reason) => {
                count(&slot, reason);
                false
            }
        },
        // The tracer of a parent process sees this one too.
        tracer if is_ours(tracer) => true,
        _ => {
            count(&slot, Unwatched::Traced);
            false
        }
    };
    if is_watched {
        // SAFETY: the caller's.
        let is_debugging = unsafe { system::arguments(stack) }.any(names_debugger);
        let is_filtered = !is_debugging && install_filter(&slot);
        system::stop(BEGINS, slot.number.into(), is_filtered);
    }
}

/// In a process that valgrind simulates: it is the program as such that is of interest there.
pub extern "C" fn pass() {
    count(&slot(), Unwatched::Traced);
}

fn slot() -> Slot<'static> {
    // Through a pointer that the compiler knows nothing of: it has seen only the empty block.
    Slot::of_block(&core::hint::black_box(&SLOT).0)
}

/// Writes down that nobody watches. There is nobody to tell if this fails.
fn count(slot: &Slot<'_>, reason: Unwatched) {
    let mut path = Text::new();
    path.add(slot.run).add(b"/").add(RAW.as_bytes());
    let numbers = [system::now(), system::process(), slot.number.into(), reason as u64];
    for (number, before) in numbers.into_iter().zip(b"/---".chunks(1)) {
        path.add(before).add_number(number);
    }
    system::make_file(path.add(UNWATCHED.as_bytes()).pointer());
}

/// The process that traces this one, 0 if there is none.
fn tracer() -> u64 {
    const LINE: &[u8] = b"\nTracerPid:\t";
    let mut buffer = [const { MaybeUninit::uninit() }; 1024];
    let status = system::read_file(c"/proc/self/status".as_ptr().cast(), &mut buffer);
    let line = status.windows(LINE.len()).position(|window| window == LINE);
    line.and_then(|start| status.get(start + LINE.len()..)).map_or(0, number)
}

fn is_ours(process: u64) -> bool {
    let mut path = Text::new();
    path.add(b"/proc/").add_number(process).add(b"/comm");
    let mut buffer = [const { MaybeUninit::uninit() }; 16];
    let name = system::read_file(path.pointer(), &mut buffer);
    name.strip_suffix(b"\n") == Some(TRACER.as_bytes())
}

/// Starts the tracer in a process that is nobody's child, and waits until it watches.
fn start_tracer(slot: &Slot<'_>) -> Result<(), Unwatched> {
    let process = system::process();
    let (ready, notify) = system::pipe().ok_or(Unwatched::NoProcess)?;
    // Where only a parent may trace, anyone may for a moment.
    system::control(system::SET_TRACER, usize::MAX);
    let child = system::fork();
    if child == 0 {
        if system::fork() == 0 {
            trace(slot, process, notify);
        }
        system::exit(0);
    }
    system::close(notify);
    let answer = if child > 0 {
        system::wait(child);
        system::read_byte(ready)
    } else {
        0
    };
    system::close(ready);
    system::control(system::SET_TRACER, 0);
    match answer {
        WATCHED => Ok(()),
        NOT_EXECUTED => Err(Unwatched::Limits),
        _ if child < 0 => Err(Unwatched::NoProcess),
        _ => Err(Unwatched::Refused),
    }
}

/// Becomes the tracer.
fn trace(slot: &Slot<'_>, process: u64, notify: usize) {
    system::keep(notify);
    if NEEDED.into_iter().any(|(resource, needed)| system::lift_limit(resource) < needed) {
        return system::write_byte(notify, NOT_EXECUTED);
    }
    let [mut path, mut run, mut traced, mut descriptor] = [(); 4].map(|()| Text::new());
    let words = [
        path.add(slot.run).add(b"/").add(TRACER.as_bytes()).pointer(),
        c"trace".as_ptr().cast(),
        run.add(slot.run).pointer(),
        traced.add_number(process).pointer(),
        descriptor.add_number(notify as u64).pointer(),
        core::ptr::null(),
    ];
    let arguments = words.map(|word| word as usize);
    // SAFETY: strings that are alive here, with a null pointer at the end.
    unsafe { system::execute(path.pointer(), arguments.as_ptr(), [0].as_ptr()) };
    system::write_byte(notify, NOT_EXECUTED);
}

/// Installs the filter that picks the calls for the tracer, if there is to be one. Returns whether
/// there is.
fn install_filter(slot: &Slot<'_>) -> bool {
    const NO_NEW_PRIVILEGES: usize = 38;
    let [without, with] = slot.filters;
    if without.is_empty() {
        return false;
    }
    let filter = if (0..=HIGHEST_DESCRIPTOR as usize).any(is_stream) { with } else { without };
    system::set_filter(filter) || {
        // An ordinary user must give up the gain of privileges by `execve` first.
        system::control(NO_NEW_PRIVILEGES, 1);
        system::set_filter(filter)
    }
}

/// Whether a descriptor is open and what is read from it is gone.
fn is_stream(descriptor: usize) -> bool {
    match system::status(descriptor).map(|(mode, device)| (mode & 0o170_000, device)) {
        Some((0o010_000 | 0o140_000, _)) => true,
        Some((0o020_000, device)) => device != NULL_DEVICE,
        _ => false,
    }
}
