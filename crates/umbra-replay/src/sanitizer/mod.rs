//! Sanitizers: what they are told, and what they report.

mod report;
mod symbolize;

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

pub use report::parse;
pub use symbolize::Symbolizer;

/// The variables that make sanitizers write reports into `folder` and otherwise leave the program
/// alone. Addresses are turned into places outside of the sandbox.
pub fn options(folder: &Path) -> Vec<Vec<u8>> {
    let common = "symbolize=0:print_stacktrace=1:detect_leaks=0:handle_abort=0:log_path=";
    ["ASAN_OPTIONS=", "UBSAN_OPTIONS="]
        .map(|name| {
            let path = folder.join("report");
            [name.as_bytes(), common.as_bytes(), path.as_os_str().as_bytes()].concat()
        })
        .into()
}
