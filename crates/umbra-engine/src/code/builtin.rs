//! Functions that the machine supplies instead of the program.

use super::sanitizer::Sanitizer;

/// A function of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builtin {
    /// `malloc(size)`.
    Malloc,
    /// `calloc(count, size)`.
    Calloc,
    /// `realloc(pointer, size)`.
    Realloc,
    /// `free(pointer)`.
    Free,
    /// `aligned_alloc(align, size)`.
    AlignedAlloc,
    /// `malloc_usable_size(pointer)`.
    UsableSize,
    /// `setjmp(buffer)`.
    SetJump,
    /// `sigsetjmp(buffer, save_mask)`.
    SetSignalJump,
    /// `longjmp(buffer, value)`.
    LongJump,
    /// `memcpy(to, from, length)`.
    MemoryCopy,
    /// `memset(to, byte, length)`.
    MemorySet,
    /// `__umbra_syscall(number, a, b, c, d, e, f)`, and where a thread may be cancelled
    /// `__umbra_syscall_cp`.
    SystemCall,
    /// `__umbra_get_tp()`.
    ThreadPointer,
    /// `__clone(function, stack, flags, argument, parent_id, thread_pointer, child_id)`.
    StartThread,
    /// `__unmapself(base, size)`.
    UnmapAndEnd,
    /// Does nothing and returns zero.
    Nothing,
    /// Concerns inputs that are expressions.
    Input(InputCall),
}

/// A function by which a program speaks of its inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputCall {
    /// `klee_make_symbolic(address, size, name)`.
    MakeSymbolic,
    /// `umbra_assume(condition)`.
    Assume,
    /// `klee_assume(condition)`, which is an error where no input of the path meets it.
    AssumePossible,
    /// `klee_is_symbolic(value)`.
    IsSymbolic,
    /// `klee_prefer_cex(object, condition)`.
    Prefer,
    /// `klee_get_value_i32(value)` and its kin.
    GetValue,
    /// `klee_range(begin, end, name)`.
    Range,
    /// `klee_int(name)`.
    Int,
    /// `klee_silent_exit(status)`.
    SilentExit,
    /// `klee_report_error(file, line, message, suffix)`.
    ReportError,
    /// `klee_assert_fail(expression, file, line, function)`.
    AssertFail,
    /// `klee_check_memory_access(address, size)`.
    CheckAccess,
    /// `klee_get_obj_size(pointer)`.
    ObjectSize,
    /// `klee_set_forking(enable)`.
    SetForking,
    /// `klee_define_fixed_object(address, size)`.
    FixedObject,
    /// A check that the compiler has put into the program has failed.
    Sanitizer(Sanitizer),
    /// `klee_abort()`.
    Abort,
    /// `umbra_fail(message)`.
    Fail,
    /// `reach_error()`.
    ReachError,
    /// `__VERIFIER_nondet_int()` and its kin: a number of this many bytes.
    Nondeterministic(u8),
    /// An argument of a function that is run on its own: a number or a pointer of this many bytes.
    Argument(u8),
    /// The object behind an argument that is passed by value.
    Object,
    /// What a function that is run on its own has returned.
    Result,
    /// The pointers that it was called with: what it has left behind them.
    Left,
    /// `__umbra_call_pointer(call, pointer, length, flags, name)`: an argument of a call that may be the
    /// one whose arguments are inputs.
    CallPointer,
}

/// The start of the names of functions that yield the arguments of a function that is run on its
/// own; a number of bytes and the position of the argument follow.
pub const ARGUMENT: &str = "__umbra_argument_";
/// The same for objects that are passed by value.
pub const OBJECT: &str = "__umbra_object_";

/// The function that is told what a function that is run on its own has returned.
pub const RESULT: &str = "__umbra_result";

/// The function that is told, before that, which pointers it was called with.
pub const LEFT: &str = "__umbra_left";

impl Builtin {
    /// The builtin for an external function of this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Some(match name {
            "malloc" | "__libc_malloc" | "__libc_malloc_impl" => Self::Malloc,
            "calloc" | "__libc_calloc" => Self::Calloc,
            "realloc" | "__libc_realloc" => Self::Realloc,
            "free" | "__libc_free" | "cfree" => Self::Free,
            "aligned_alloc" | "memalign" => Self::AlignedAlloc,
            "malloc_usable_size" => Self::UsableSize,
            "setjmp" | "_setjmp" | "__setjmp" => Self::SetJump,
            "sigsetjmp" | "__sigsetjmp" => Self::SetSignalJump,
            "longjmp" | "_longjmp" | "siglongjmp" => Self::LongJump,
            "memcpy" | "memmove" | "__umbra_memcpy" | "__umbra_memmove" => Self::MemoryCopy,
            "memset" | "__umbra_memset" => Self::MemorySet,
            "__umbra_syscall" | "__umbra_syscall_cp" => Self::SystemCall,
            "__umbra_get_tp" => Self::ThreadPointer,
            "__clone" => Self::StartThread,
            "__unmapself" => Self::UnmapAndEnd,
            "__malloc_atfork" | "__restore_rt" => Self::Nothing,
            _ => return InputCall::by_name(name),
        })
    }
}

impl InputCall {
    /// Whether it makes a new input.
    pub fn makes_input(self) -> bool {
        match self {
            Self::MakeSymbolic
            | Self::Range
            | Self::Int
            | Self::Nondeterministic(_)
            | Self::Argument(_)
            | Self::Object
            | Self::CallPointer => true,
            Self::Assume
            | Self::AssumePossible
            | Self::AssertFail
            | Self::CheckAccess
            | Self::ObjectSize
            | Self::SetForking
            | Self::FixedObject
            | Self::Sanitizer(_)
            | Self::IsSymbolic
            | Self::Prefer
            | Self::GetValue
            | Self::SilentExit
            | Self::ReportError
            | Self::Abort
            | Self::Fail
            | Self::Result
            | Self::Left
            | Self::ReachError => false,
        }
    }

    /// Whether a function of this name is the machine's even where the program brings a body: libc
    /// has one, for native runs.
    pub fn overrides(name: &str) -> Option<Builtin> {
        if let Some(check) = Self::checks(name) {
            return Some(check);
        }
        Some(Builtin::Input(match name {
            "klee_make_symbolic" | "umbra_symbolic" => Self::MakeSymbolic,
            "klee_assume" => Self::AssumePossible,
            "umbra_assume" | "__VERIFIER_assume" => Self::Assume,
            "klee_set_forking" => Self::SetForking,
            "klee_is_symbolic" | "umbra_is_symbolic" => Self::IsSymbolic,
            "klee_prefer_cex" | "klee_posix_prefer_cex" => Self::Prefer,
            "klee_get_valuef" | "klee_get_valued" | "klee_get_valuel" | "klee_get_valuell"
            | "klee_get_value_i32" | "klee_get_value_i64" => Self::GetValue,
            "klee_silent_exit" => Self::SilentExit,
            "klee_report_error" => Self::ReportError,
            "klee_abort" => Self::Abort,
            "umbra_fail" => Self::Fail,
            "__umbra_call_pointer" => Self::CallPointer,
            "klee_is_replay" => return Some(Builtin::Nothing),
            _ => return None,
        }))
    }

    /// The same in a run on given inputs too: natively these can do less than the machine.
    pub fn checks(name: &str) -> Option<Builtin> {
        Some(Builtin::Input(match name {
            "klee_assert_fail" => Self::AssertFail,
            "klee_check_memory_access" => Self::CheckAccess,
            "klee_get_obj_size" => Self::ObjectSize,
            "klee_define_fixed_object" => Self::FixedObject,
            _ => Self::Sanitizer(Sanitizer::by_name(name)?),
        }))
    }

    /// The call for a function that has no body at all.
    fn by_name(name: &str) -> Option<Builtin> {
        Self::overrides(name).or_else(|| {
            Some(Builtin::Input(match name {
                "klee_range" => Self::Range,
                "klee_int" => Self::Int,
                "reach_error" | "__VERIFIER_error" => Self::ReachError,
                "klee_open_merge" | "klee_close_merge" | "klee_warning" | "klee_warning_once"
                | "klee_print_expr" | "klee_print_range" | "klee_stack_trace"
                | "klee_mark_global" => return Some(Builtin::Nothing),
                RESULT => Self::Result,
                LEFT => Self::Left,
                _ if name.starts_with(OBJECT) => Self::Object,
                _ if name.starts_with(ARGUMENT) => {
                    let bytes = name[ARGUMENT.len()..].split('_').next()?;
                    Self::Argument(bytes.parse().ok()?)
                }
                _ => Self::Nondeterministic(nondeterministic_bytes(
                    name.strip_prefix("__VERIFIER_nondet_")?,
                )?),
            }))
        })
    }
}

/// Bytes of a type, by the name that verification competitions give it.
fn nondeterministic_bytes(name: &str) -> Option<u8> {
    Some(match name {
        "bool" | "_Bool" | "char" | "uchar" | "u8" => 1,
        "short" | "ushort" | "u16" => 2,
        "int" | "uint" | "unsigned" | "unsigned_int" | "u32" | "float" => 4,
        "long" | "ulong" | "longlong" | "ulonglong" | "size_t" | "pointer" | "loff_t"
        | "sector_t" | "u64" | "double" | "unsigned_long" => 8,
        _ => return None,
    })
}

/// How a function compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// Strings end at a NUL.
    pub terminated: bool,
    /// The third argument is the number of bytes.
    pub bounded: bool,
    /// Letters are equal to those of the other case.
    pub folded: bool,
}

impl Comparison {
    /// The comparison that a function of this name makes.
    pub fn by_name(name: &str) -> Option<Self> {
        let (terminated, bounded, folded) = match name {
            "strcmp" | "strcoll" => (true, false, false),
            "strncmp" => (true, true, false),
            "strcasecmp" => (true, false, true),
            "strncasecmp" => (true, true, true),
            "memcmp" | "bcmp" => (false, true, false),
            _ => return None,
        };
        Some(Self { terminated, bounded, folded })
    }
}

/// What a function of libc does with a character, which is its only argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CharacterFunction {
    /// Says whether it is in one of these ranges.
    Class(&'static [(u8, u8)]),
    /// Flips bits of it if it is in this range.
    Map {
        /// The first character of the range.
        low: u8,
        /// The last character of the range.
        high: u8,
        /// The bits.
        change: u64,
    },
}

impl CharacterFunction {
    /// What a function of this name does.
    pub fn by_name(name: &str) -> Option<Self> {
        Some(match name {
            "isalnum" => Self::Class(&[(b'0', b'9'), (b'A', b'Z'), (b'a', b'z')]),
            "isblank" => Self::Class(&[(b' ', b' '), (b'\t', b'\t')]),
            "iscntrl" => Self::Class(&[(0, 0x1f), (0x7f, 0x7f)]),
            "ispunct" => Self::Class(&[(b'!', b'/'), (b':', b'@'), (b'[', b'`'), (b'{', b'~')]),
            "isspace" | "__isspace" => Self::Class(&[(b' ', b' '), (b'\t', b'\r')]),
            "isxdigit" => Self::Class(&[(b'0', b'9'), (b'A', b'F'), (b'a', b'f')]),
            "tolower" => Self::Map { low: b'A', high: b'Z', change: 0x20 },
            "toupper" => Self::Map { low: b'a', high: b'z', change: 0x20 },
            _ => return None,
        })
    }
}
