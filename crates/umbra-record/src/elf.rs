//! What an executable tells of itself: its block counters, and whether it starts other programs.

use object::{Object, ObjectSection, ObjectSymbol};
use umbra_watch::settings::{Counters, Following};

/// The section that `umbra cc` puts the counters in.
const SECTION: &str = "umbra_counters";
/// Counters beyond this are not believed.
const MOST: u64 = 64 << 20;
/// Functions of C libraries by which a program is executed. All others of the kind call one of them,
/// so that a static program has its symbol.
const EXECUTING: &[&str] = &[
    "execve",
    "execveat",
    "fexecve",
    "execv",
    "execvp",
    "execvpe",
    "execl",
    "execlp",
    "execle",
    "posix_spawn",
    "posix_spawnp",
    "system",
    "popen",
];

/// Where the counters of an executable are; `None` if it has none or is no such file.
pub fn counters(file: &[u8]) -> Option<Counters> {
    let file = object::File::parse(file).ok()?;
    let section = file.section_by_name(SECTION)?;
    let (address, size) = (section.address(), section.size());
    (size <= MOST).then_some(Counters { address, size, entry: file.entry() })
}

/// How the calls of a program are to be seen. What is no executable, or has no symbols, may start
/// anything.
pub fn following(file: &[u8]) -> Following {
    let Ok(file) = object::File::parse(file) else { return Following::EachCall };
    let mut symbols = file.symbols().chain(file.dynamic_symbols()).peekable();
    let is_known = symbols.peek().is_some();
    let executes = symbols.any(|symbol| symbol.name().is_ok_and(|name| EXECUTING.contains(&name)));
    match is_known && !executes {
        true => Following::Filter,
        false => Following::EachCall,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_files_have_no_counters_and_may_start_anything() {
        let mut file = b"\x7fELF\x02\x01".to_vec();
        for length in [6, 0x40] {
            file.resize(length, 0xff);
            assert_eq!(counters(&file), None);
            assert_eq!(following(&file), Following::EachCall);
        }
        assert_eq!(counters(b"#!/bin/sh"), None);
        assert_eq!(following(b"#!/bin/sh"), Following::EachCall);
    }
}
