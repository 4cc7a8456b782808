//! The filter in the kernel that picks the system calls at which the watcher is asked.
//!
//! Calls that are not listed run at full speed. Reading is picked only if a descriptor is a stream,
//! whose bytes can be seen only then; writing only on standard output and error.

use libc::sock_filter;

use crate::watch::calls;

/// BPF: load a word of the call's description.
const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
/// BPF: jump if equal to a constant.
const EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
/// BPF: end with a constant.
const END: u16 = (libc::BPF_RET | libc::BPF_K) as u16;
/// Offsets in the call's description.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const FIRST_ARGUMENT: u32 = 16;
/// The architecture whose numbers are listed.
const X86_64: u32 = 0xc000_003e;

/// The filter as the kernel takes it, 8 bytes each step.
pub fn bytes(streams: Streams) -> Vec<u8> {
    let step = |step: sock_filter| {
        let [low, high] = step.code.to_ne_bytes();
        let [one, two, three, four] = step.k.to_ne_bytes();
        [low, high, step.jt, step.jf, one, two, three, four]
    };
    program(streams).into_iter().flat_map(step).collect()
}

/// The filter that asks the watcher at calls with paths, and at reading if `streams`.
fn program(streams: Streams) -> Vec<sock_filter> {
    let mut numbers: Vec<u32> = calls::TABLE.iter().map(|call| call.number as u32).collect();
    numbers.extend(calls::SPECIAL.iter().map(|number| *number as u32));
    if streams == Streams::Followed {
        numbers.extend(calls::READING.iter().map(|number| *number as u32));
    }
    let operation = |code, k| sock_filter { code, jt: 0, jf: 0, k };
    let unless_equal = |k| sock_filter { code: EQUAL, jt: 0, jf: 1, k };
    let mut program = vec![
        operation(LOAD, ARCHITECTURE),
        sock_filter { code: EQUAL, jt: 1, jf: 0, k: X86_64 },
        operation(END, libc::SECCOMP_RET_ALLOW),
        operation(LOAD, NUMBER),
    ];
    for number in numbers {
        program.extend([unless_equal(number), operation(END, libc::SECCOMP_RET_TRACE)]);
    }
    for (number, argument) in calls::OUTPUT {
        program.extend([
            sock_filter { code: EQUAL, jt: 0, jf: 5, k: *number as u32 },
            // Descriptors have 32 bits, which come first.
            operation(LOAD, FIRST_ARGUMENT + 8 * *argument as u32),
            sock_filter { code: EQUAL, jt: 1, jf: 0, k: 1 },
            unless_equal(2),
            operation(END, libc::SECCOMP_RET_TRACE),
            operation(END, libc::SECCOMP_RET_ALLOW),
        ]);
    }
    program.push(operation(END, libc::SECCOMP_RET_ALLOW));
    program
}

/// Whether reading is to be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Streams {
    /// There is a stream among the descriptors.
    Followed,
    /// There is none.
    None,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filter_fits_the_kernel_and_reading_is_optional() {
        let without = program(Streams::None);
        let with = program(Streams::Followed);
        assert_eq!(with.len() - without.len(), 2 * calls::READING.len());
        assert!(with.len() < libc::BPF_MAXINSNS as usize);
        let reads = |program: &[sock_filter]| {
            program.iter().any(|step| step.code == EQUAL && step.k == libc::SYS_read as u32)
        };
        assert!(reads(&with) && !reads(&without));
    }
}
