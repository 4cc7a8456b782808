//! The first instructions of the process, and the last ones before the program's own.
//!
//! The program must find its stack as the kernel has left it, with zeros below: so the shim has a
//! stack of its own, which is gone when the program begins.
//!
//! A suite may run its programs in valgrind, which runs the shim as well. It would remark on a second
//! stack. So the shim asks first, with the instructions that valgrind knows and that do nothing
//! elsewhere, and goes on to the program there.

/// Bytes of the shim's own stack.
const STACK: usize = 64 << 10;

core::arch::global_asm!(
    ".globl umbra_start",
    ".type umbra_start, @function",
    "umbra_start:",
    "mov r12, rsp",
    "mov r13, rdx",
    // A frame for the request: its number (is this valgrind?) and five arguments.
    "sub rsp, 48",
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
    "mov qword ptr [rsp], 0",
    "mov rsp, r12",
    "test rdx, rdx",
    "jnz 2f",
    // mmap(0, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    "xor edi, edi",
    "mov esi, {stack}",
    "mov edx, 3",
    "mov r10d, 0x22",
    "mov r8, -1",
    "xor r9d, r9d",
    "mov eax, 9",
    "syscall",
    "cmp rax, -4095",
    "jae 3f",
    "mov r15, rax",
    "lea rsp, [rax + {stack}]",
    "mov rdi, r12",
    "call {observe}",
    "mov rsp, r12",
    // munmap
    "mov rdi, r15",
    "mov esi, {stack}",
    "mov eax, 11",
    "syscall",
    "jmp 3f",
    "2:",
    "call {pass}",
    "3:",
    // To the program, with the registers as the kernel or the dynamic loader has set them.
    "mov rsp, r12",
    "mov rdx, r13",
    "lea rax, [rip + {slot}]",
    "add rax, [rax + {entry}]",
    "xor ecx, ecx",
    "xor ebx, ebx",
    "xor ebp, ebp",
    "xor esi, esi",
    "xor edi, edi",
    "xor r8d, r8d",
    "xor r9d, r9d",
    "xor r10d, r10d",
    "xor r11d, r11d",
    "xor r12d, r12d",
    "xor r13d, r13d",
    "xor r14d, r14d",
    "xor r15d, r15d",
    "jmp rax",
    stack = const STACK,
    observe = sym super::observe::observe,
    pass = sym super::observe::pass,
    slot = sym super::SLOT,
    entry = const umbra_shim::ENTRY,
);
