//! Strings and buffers in the memory of a stopped process.

use libc::pid_t;

use crate::system;

/// The longest path that the kernel takes, with its NUL.
const LONGEST_PATH: usize = 4096;
const PAGE: u64 = 4096;

/// The string at an address; `None` if it cannot be read or has no end: then the call fails too.
pub fn string(pid: pid_t, address: u64) -> Option<Vec<u8>> {
    let mut string = Vec::new();
    let mut next = address;
    while string.len() < LONGEST_PATH {
        // A read across a page that is not there fails as a whole.
        let length = PAGE - next % PAGE;
        let mut chunk = [0; PAGE as usize];
        let chunk = &mut chunk[..length as usize];
        let count = system::read_memory(pid, next, chunk).ok()?;
        if let Some(end) = chunk[..count].iter().position(|byte| *byte == 0) {
            string.extend_from_slice(&chunk[..end]);
            return Some(string);
        }
        string.extend_from_slice(&chunk[..count]);
        next = next.checked_add(length)?;
    }
    None
}

/// The bytes at an address.
pub fn bytes(pid: pid_t, address: u64, length: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length).ok()?;
    bytes.resize(length, 0);
    (system::read_memory(pid, address, &mut bytes).ok()? == length).then_some(bytes)
}

/// The first `length` bytes of a scattered buffer.
pub fn scattered(pid: pid_t, vector: u64, count: u64, length: usize) -> Option<Vec<u8>> {
    let vector = bytes(pid, vector, usize::try_from(count).ok()?.checked_mul(16)?)?;
    let word = |bytes: &[u8]| u64::from_ne_bytes(bytes.try_into().unwrap_or_default());
    let mut result = Vec::new();
    for entry in vector.chunks_exact(16) {
        let part = (word(&entry[8..]) as usize).min(length - result.len());
        result.extend(bytes(pid, word(&entry[..8]), part)?);
    }
    Some(result)
}
