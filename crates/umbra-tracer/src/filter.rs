//! The filter in the kernel that picks the system calls at which the tracer is asked.
//!
//! Calls that are not listed run at full speed. Reading is picked only if a descriptor is a stream,
//! whose bytes can be seen only then; writing only on standard output and error.

use libc::sock_filter;

use crate::trace::calls;

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
/// Steps before the first number is compared.
const START: usize = 3;
/// Arguments that may be a descriptor of output, and the steps that look at one.
const ARGUMENTS: usize = 3;
const LOOK: usize = 4;
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

/// The filter that asks the tracer at calls with paths, and at reading if `streams`.
///
/// The kernel compiles it for each process: it is kept short by two ends for all.
fn program(streams: Streams) -> Vec<sock_filter> {
    let mut asked: Vec<u32> = calls::TABLE.iter().map(|call| call.number as u32).collect();
    asked.extend(calls::SPECIAL.iter().map(|number| *number as u32));
    if streams == Streams::Followed {
        asked.extend(calls::READING.iter().map(|number| *number as u32));
    }
    // Behind the comparisons: an end, the looks at one argument each, the other end.
    let allow = START + asked.len() + calls::OUTPUT.len();
    let look = |argument: usize| allow + 1 + LOOK * argument;
    let ask = look(ARGUMENTS);
    let operation = |code, k| sock_filter { code, jt: 0, jf: 0, k };
    let mut program = vec![
        operation(LOAD, ARCHITECTURE),
        sock_filter { code: EQUAL, jt: 0, jf: (allow - 2) as u8, k: X86_64 },
        operation(LOAD, NUMBER),
    ];
    let jump_if = |program: &mut Vec<sock_filter>, number: u32, place: usize| {
        let jt = (place - program.len() - 1) as u8;
        program.push(sock_filter { code: EQUAL, jt, jf: 0, k: number });
    };
    for number in asked {
        jump_if(&mut program, number, ask);
    }
    for (number, argument) in calls::OUTPUT {
        jump_if(&mut program, *number as u32, look(*argument));
    }
    program.push(operation(END, libc::SECCOMP_RET_ALLOW));
    for argument in 0..ARGUMENTS as u32 {
        // Descriptors have 32 bits, which come first.
        program.push(operation(LOAD, FIRST_ARGUMENT + 8 * argument));
        jump_if(&mut program, 1, ask);
        jump_if(&mut program, 2, ask);
        program.push(operation(END, libc::SECCOMP_RET_ALLOW));
    }
    program.push(operation(END, libc::SECCOMP_RET_TRACE));
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

    /// What the kernel does with a call of x86-64.
    fn asks(program: &[sock_filter], number: u32, arguments: [u32; 3]) -> bool {
        let (mut at, mut word) = (0, 0);
        loop {
            let step = program[at];
            at += 1;
            match (step.code, step.k) {
                (LOAD, ARCHITECTURE) => word = X86_64,
                (LOAD, NUMBER) => word = number,
                (LOAD, offset) => word = arguments[(offset - FIRST_ARGUMENT) as usize / 8],
                (EQUAL, k) => at += usize::from(if word == k { step.jt } else { step.jf }),
                (END, end) => return end == libc::SECCOMP_RET_TRACE,
                (code, _) => panic!("{code}"),
            }
        }
    }

    #[test]
    fn the_filter_asks_at_the_listed_calls_and_no_others() {
        for streams in [Streams::None, Streams::Followed] {
            let program = program(streams);
            assert!(program.len() < 256, "jumps have 8 bits");
            for number in 0..500 {
                let is = |numbers: &[std::ffi::c_long]| numbers.contains(&number);
                let is_reading = streams == Streams::Followed && is(calls::READING);
                let is_listed = calls::by_number(number).is_some() || is(calls::SPECIAL);
                for arguments in [[0; 3], [1, 7, 7], [7, 2, 7], [7, 7, 2], [2, 1, 1], [3, 3, 3]] {
                    let output = calls::output_argument(number);
                    let is_output = output.is_some_and(|at| matches!(arguments[at], 1 | 2));
                    let expected = is_listed || is_reading || is_output;
                    let is_asked = asks(&program, number as u32, arguments);
                    assert_eq!(is_asked, expected, "{streams:?} {number} {arguments:?}");
                }
            }
        }
    }

    #[test]
    fn calls_of_other_architectures_are_allowed() {
        let program = program(Streams::Followed);
        assert_eq!((program[1].code, program[1].k), (EQUAL, X86_64));
        let end = program[2 + usize::from(program[1].jf)];
        assert_eq!((end.code, end.k), (END, libc::SECCOMP_RET_ALLOW));
    }
}
