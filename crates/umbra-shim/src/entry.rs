//! The first instructions of the shim, before the C library's.
//!
//! A suite may run its programs in valgrind, which loads the file it is given: the shim. What the C
//! library does at its start is not clean in valgrind's eyes, and would be reported as the program's
//! error. So the shim asks for valgrind first, with the instructions that valgrind knows and that do
//! nothing elsewhere; inside valgrind it becomes its successor at once: a second shim, which runs
//! natively, or if valgrind follows that too, the real program.
//!
//! The linker is told to enter here (`--entry=umbra_start`) in the build for use. Other builds, those
//! of tests, have the usual entry.
#![allow(unsafe_code)]

std::arch::global_asm!(
    ".globl umbra_start",
    ".type umbra_start, @function",
    "umbra_start:",
    // A frame for the request: its number (is this valgrind?) and five arguments.
    "mov r12, rsp",
    "mov r13, rdx",
    "sub rsp, 64",
    "mov qword ptr [rsp], 0x1001",
    "mov qword ptr [rsp + 8], 0",
    "mov qword ptr [rsp + 16], 0",
    "mov qword ptr [rsp + 24], 0",
    "mov qword ptr [rsp + 32], 0",
    "mov qword ptr [rsp + 40], 0",
    "mov rax, rsp",
    "xor edx, edx",
    "rol rdi, 3",
    "rol rdi, 13",
    "rol rdi, 61",
    "rol rdi, 51",
    "xchg rbx, rbx",
    "mov rsp, r12",
    "test rdx, rdx",
    "jnz 2f",
    "mov rdx, r13",
    "jmp _start",
    "2:",
    // execve(successor, arguments, environment): both vectors are on the stack.
    "lea rdi, [rip + {slot} + {successor}]",
    "mov rcx, [rsp]",
    "lea rsi, [rsp + 8]",
    "lea rdx, [rsp + 8*rcx + 16]",
    "mov eax, 59",
    "syscall",
    // It failed: end as shells do when a program is missing.
    "mov edi, 127",
    "mov eax, 231",
    "syscall",
    "hlt",
    slot = sym crate::slot::SECTION,
    successor = const crate::slot::SUCCESSOR,
);
