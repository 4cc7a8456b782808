//! Reading the block counters out of a process.

use libc::pid_t;

use super::process;
use crate::settings::Counters;
use crate::system;

/// The entry in the auxiliary vector that holds the program's entry point.
const AT_ENTRY: u64 = 9;

/// The counters of a stopped process.
pub fn read(pid: pid_t, counters: &Counters) -> Option<Vec<u8>> {
    let vector = process::told(pid, "auxv");
    let words: Vec<u64> = vector
        .chunks_exact(8)
        .map(|word| u64::from_ne_bytes(word.try_into().unwrap_or_default()))
        .collect();
    let entry = words.chunks_exact(2).find(|pair| pair[0] == AT_ENTRY)?[1];
    // A position-independent program was moved as a whole.
    let address = counters.address.wrapping_add(entry.wrapping_sub(counters.entry));
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(counters.size).ok()?).ok()?;
    bytes.resize(counters.size as usize, 0);
    let count = system::read_memory(pid, address, &mut bytes).ok()?;
    (count == bytes.len()).then_some(bytes)
}
