//! The binding to LLVM: just enough of its C interface to read a module, and to add counters and hooks.
//!
//! Everything here is a thin view of what LLVM holds; the translation into our own IR is safe code
//! in `load`. The views ([`Type`], [`Value`], [`Block`], [`Metadata`]) borrow their [`Module`], so
//! none outlives it. LLVM's accessors are undefined on a value of the wrong kind; each method here
//! asks for the kind first and answers `None` (or an empty list) for any other.
//!
//! LLVM itself trusts its input: a damaged file can crash its reader. That is why loading runs in a
//! child process (see `child`); nothing here can prevent it.

#![allow(unsafe_code, reason = "LLVM is a C library; this folder is the only one that calls it")]

mod calls;
mod counters;
mod instruction;
mod metadata;
mod module;
mod ty;
mod value;

pub(crate) use calls::Unhooked;
pub use counters::COUNTERS;
pub(crate) use llvm_sys::{
    LLVMAtomicRMWBinOp as AtomicOp, LLVMIntPredicate as IntPredicate, LLVMOpcode as Opcode,
    LLVMRealPredicate as RealPredicate,
};
pub(crate) use metadata::{Metadata, MetadataKind};
pub(crate) use module::{Module, ReadError};
pub(crate) use ty::{Type, TypeKind};
pub(crate) use value::{Block, Kind, Linkage, Value};

use std::slice;

/// Copies a string that LLVM owns; bytes that are not UTF-8 are replaced.
///
/// # Safety
///
/// `data` is null or points to `length` readable bytes.
unsafe fn copy_string(data: *const libc_char, length: usize) -> String {
    // SAFETY: the caller's contract is that of `copy_bytes`.
    String::from_utf8_lossy(&unsafe { copy_bytes(data, length) }).into_owned()
}

/// Copies bytes that LLVM owns.
///
/// # Safety
///
/// `data` is null or points to `length` readable bytes.
unsafe fn copy_bytes(data: *const libc_char, length: usize) -> Vec<u8> {
    if data.is_null() || length == 0 {
        return Vec::new();
    }
    // SAFETY: not null, and readable for `length` bytes by the caller's contract.
    unsafe { slice::from_raw_parts(data.cast::<u8>(), length) }.to_vec()
}

#[allow(non_camel_case_types, reason = "C's own name for it")]
type libc_char = std::ffi::c_char;
