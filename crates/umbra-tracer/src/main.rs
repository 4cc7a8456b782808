//! The entry point, without the standard library's own: that one opens descriptors 0 to 2 if they
//! are closed and ignores SIGPIPE, which the recorded command would inherit.
#![no_main]
#![allow(unsafe_code)]

use std::ffi::{CStr, OsStr, c_char, c_int};
use std::os::unix::ffi::OsStrExt;

/// Called by the C library.
///
/// # Safety
///
/// `arguments` is the vector that the C library passes: `count` strings, then a null pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn main(_count: c_int, arguments: *const *const c_char) -> c_int {
    let mut words = Vec::new();
    // SAFETY: all pointers up to the null pointer are strings that live as long as the process.
    unsafe {
        let mut next = arguments;
        while !(*next).is_null() {
            words.push(OsStr::from_bytes(CStr::from_ptr(*next).to_bytes()));
            next = next.add(1);
        }
    }
    umbra_tracer::main(&words)
}
