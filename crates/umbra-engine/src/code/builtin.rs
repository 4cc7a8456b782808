//! Functions that the machine supplies instead of the program.

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
    /// `__umbra_syscall(number, a, b, c, d, e, f)`.
    SystemCall,
    /// `__umbra_get_tp()`.
    ThreadPointer,
    /// Does nothing and returns zero.
    Nothing,
}

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
            "__umbra_syscall" => Self::SystemCall,
            "__umbra_get_tp" => Self::ThreadPointer,
            "__malloc_atfork" | "__restore_rt" => Self::Nothing,
            _ => return None,
        })
    }
}
