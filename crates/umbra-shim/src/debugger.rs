//! Whether a program is about to start a debugger, as far as its arguments tell.
//!
//! A process has one tracer, and the filter by which ours sees calls stays in all that a process
//! starts. So where a debugger is in sight, there must be no filter.

/// Programs that trace others, with spaces between: a list of strings would be a list of addresses,
/// which nobody fills in for the shim.
const NAMES: &[u8] = b"gdb gdbserver lldb ltrace rr strace";

/// Whether an argument has the name of a debugger in it: its path, or a command line for a shell.
pub fn names_debugger(argument: &[u8]) -> bool {
    let is_between = |byte: &u8| !byte.is_ascii_alphanumeric() && *byte != b'_';
    // Byte by byte: there is no memcmp.
    let is_name = |word: &[u8]| NAMES.split(|byte| *byte == b' ').any(|name| name.iter().eq(word));
    argument.split(is_between).any(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_debuggers_are_words_of_arguments() {
        for (argument, is_debugger) in [
            ("strace", true),
            ("/usr/bin/gdb-multiarch", true),
            ("exec strace -f ./cut", true),
            ("rr", true),
            ("error", false),
            ("strace_log", false),
            ("", false),
            ("./cut", false),
        ] {
            assert_eq!(names_debugger(argument.as_bytes()), is_debugger, "{argument}");
        }
    }
}
