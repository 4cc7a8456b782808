//! How a program starts, and how it ends when its first function returns.

use umbra_ir::Type;

use super::calls::Passed;
use super::{Machine, Step, Stop};
use crate::environment::Byte;
use crate::memory::{Contents, ObjectKind};
use crate::state::{FRAME_COST, FrameKind};
use crate::termination::Termination;

/// What a process starts with.
#[derive(Clone, Debug, Default)]
pub struct Process {
    /// The arguments, the program's name first.
    pub arguments: Vec<Vec<Byte>>,
    /// The environment, `NAME=VALUE` each.
    pub environment: Vec<Vec<Byte>>,
    /// Real and effective user and group, as the kernel tells them at the start.
    pub identity: [u32; 4],
}

/// Numbers as bytes of the program.
fn concrete(bytes: &[u8]) -> Vec<Byte> {
    bytes.iter().copied().map(Byte::Concrete).collect()
}

impl Process {
    /// A process with these arguments and this environment, all of them numbers.
    pub fn concrete(arguments: &[Vec<u8>], environment: &[Vec<u8>], identity: [u32; 4]) -> Self {
        let strings = |strings: &[Vec<u8>]| strings.iter().map(|string| concrete(string)).collect();
        Self { arguments: strings(arguments), environment: strings(environment), identity }
    }
}

/// Entries of the auxiliary vector, from the kernel's `auxvec.h`.
mod auxiliary {
    pub const END: u64 = 0;
    pub const PAGE_SIZE: u64 = 6;
    pub const UID: u64 = 11;
    pub const EUID: u64 = 12;
    pub const GID: u64 = 13;
    pub const EGID: u64 = 14;
    pub const SECURE: u64 = 23;
}

impl Machine<'_> {
    /// Puts the first call on the stack: libc's entry, or `main` of a program without one.
    pub fn start(&mut self, process: &Process) -> Result<(), Termination> {
        let started = self.start_process(process).map_err(Stop::into_termination);
        self.count_instructions();
        started
    }

    fn start_process(&mut self, process: &Process) -> Step {
        let mut words = vec![process.arguments.len() as u64];
        for strings in [&process.arguments, &process.environment] {
            for string in strings {
                words.push(self.startup_string(string)?);
            }
            words.push(0);
        }
        let [uid, euid, gid, egid] = process.identity.map(u64::from);
        words.extend([auxiliary::PAGE_SIZE, 4096, auxiliary::SECURE, 0]);
        words.extend([auxiliary::UID, uid, auxiliary::EUID, euid]);
        words.extend([auxiliary::GID, gid, auxiliary::EGID, egid, auxiliary::END, 0]);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let block = self.startup_object(&concrete(&bytes))?;

        let pointer = |value| Passed::word(value, Type::Pointer);
        let program = &self.image.program;
        let (function, arguments) = if let Some(entry) = program.function("_start_c") {
            (entry, vec![pointer(block)])
        } else if let Some(main) = program.function("main") {
            let count = Passed::word(words[0], Type::Integer(32));
            let environment = block + 8 * (process.arguments.len() as u64 + 2);
            (main, vec![count, pointer(block + 8), pointer(environment)])
        } else {
            return Err(self.stop_unsupported("a program without `main`".to_owned()));
        };
        self.push_frame(function, &arguments, FrameKind::Entry, 0, 0, 0)
    }

    fn startup_string(&mut self, string: &[Byte]) -> Step<u64> {
        let mut bytes = string.to_vec();
        bytes.push(Byte::Concrete(0));
        self.startup_object(&bytes)
    }

    fn startup_object(&mut self, bytes: &[Byte]) -> Step<u64> {
        let (kind, size) = (ObjectKind::Startup, bytes.len() as u64);
        let made = Default::default();
        let memory = &mut self.state.memory;
        let Some(address) = memory.allocate(kind, size, 16, Contents::Zero, made) else {
            return Err(Stop::end(Termination::Limit("memory")));
        };
        memory.write_bytes(address, bytes).map_err(|fault| self.fault(*fault))?;
        Ok(address)
    }

    /// A function that the machine called has returned.
    #[cold]
    #[inline(never)]
    pub(super) fn return_to_machine(&mut self, value: u64) -> Step {
        self.forget_expressions();
        let Some(frame) = self.state.frames.pop() else {
            return Err(self.stop_unsupported("return without a call".to_owned()));
        };
        self.end_objects(frame.objects as usize);
        self.state.stack_used -= FRAME_COST;
        match frame.kind {
            FrameKind::Handler => self.handler_returned(),
            FrameKind::Thread => self.end_thread(),
            FrameKind::Entry | FrameKind::Call => {
                Err(Stop::end(Termination::Exited((value & 0xff) as i32)))
            }
        }
    }
}
