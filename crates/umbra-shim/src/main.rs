//! The entry point, without the standard library's own: that one opens descriptors 0 to 2 if they
//! are closed and ignores SIGPIPE, which the real program would inherit.
#![no_main]
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int};

/// Called by the C library.
///
/// # Safety
///
/// `arguments` is the vector that the C library passes: `count` strings, then a null pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn main(_count: c_int, arguments: *const *const c_char) -> c_int {
    // SAFETY: the C library passes a vector that ends with a null pointer and outlives the call.
    unsafe { umbra_shim::main(arguments) }
}
