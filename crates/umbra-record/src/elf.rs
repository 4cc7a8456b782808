//! What an executable tells of itself: its block counters, and whether it traces processes.

use object::{Object, ObjectSection, ObjectSymbol};
use umbra_tracer::settings::Counters;

/// The section that `umbra cc` puts the counters in.
const SECTION: &str = "umbra_counters";
/// Counters beyond this are not believed.
const MOST: u64 = 64 << 20;
/// Symbols of programs that trace others, or themselves: a leak check does.
const TRACING: &[&str] = &["ptrace", "__asan_init", "__lsan_init"];

/// Where the counters of an executable are; `None` if it has none or is no such file.
pub fn counters(file: &[u8]) -> Option<Counters> {
    let file = object::File::parse(file).ok()?;
    let section = file.section_by_name(SECTION)?;
    let (address, size) = (section.address(), section.size());
    (size <= MOST).then_some(Counters { address, size, entry: file.entry() })
}

/// Whether a program may trace, as far as its symbols tell.
pub fn traces(file: &[u8]) -> bool {
    let Ok(file) = object::File::parse(file) else { return false };
    let mut symbols = file.symbols().chain(file.dynamic_symbols());
    symbols.any(|symbol| symbol.name().is_ok_and(|name| TRACING.contains(&name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_files_tell_nothing() {
        let mut file = b"\x7fELF\x02\x01".to_vec();
        for length in [6, 0x40] {
            file.resize(length, 0xff);
            assert_eq!((counters(&file), traces(&file)), (None, false));
        }
        assert_eq!((counters(b"#!/bin/sh"), traces(b"#!/bin/sh")), (None, false));
    }
}
