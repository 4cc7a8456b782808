//! Which source files are the program's own.

use std::path::Path;

/// Whether a file belongs to the program, and not to libc or the system's headers.
pub fn is_own(file: &Path) -> bool {
    // The libc is compiled under this name, wherever its source lies.
    !file.starts_with("musl") && !file.starts_with("/usr/include") && !file.starts_with("/usr/lib")
}
