//! Reading arguments from, and writing results to, the program's memory.

use crate::errno::Errno;
use crate::time::{SECOND, Timestamp};
use umbra_engine::UserMemory;

/// The longest path, its NUL included.
pub(crate) const PATH_MAX: usize = 4096;
/// The most elements of a vector of buffers.
const IOV_MAX: u64 = 1024;
/// The most bytes that one call transfers.
pub(crate) const MAX_TRANSFER: u64 = 0x7fff_f000;

pub(crate) fn array<const N: usize>(
    memory: &mut dyn UserMemory,
    address: u64,
) -> Result<[u8; N], Errno> {
    let mut bytes = [0; N];
    memory.read(address, &mut bytes)?;
    Ok(bytes)
}

pub(crate) fn u32_at(memory: &mut dyn UserMemory, address: u64) -> Result<u32, Errno> {
    Ok(u32::from_le_bytes(array(memory, address)?))
}

pub(crate) fn u64_at(memory: &mut dyn UserMemory, address: u64) -> Result<u64, Errno> {
    Ok(u64::from_le_bytes(array(memory, address)?))
}

pub(crate) fn put(memory: &mut dyn UserMemory, address: u64, bytes: &[u8]) -> Result<(), Errno> {
    Ok(memory.write(address, bytes)?)
}

/// Writes unless the program did not want it.
pub(crate) fn put_optional(
    memory: &mut dyn UserMemory,
    address: u64,
    bytes: &[u8],
) -> Result<(), Errno> {
    if address == 0 { Ok(()) } else { put(memory, address, bytes) }
}

/// A `struct timespec`, as it is.
pub(crate) fn timespec(memory: &mut dyn UserMemory, address: u64) -> Result<(i64, i64), Errno> {
    Ok((u64_at(memory, address)? as i64, u64_at(memory, address.wrapping_add(8))? as i64))
}

/// A `struct timespec` that says how long, in nanoseconds.
pub(crate) fn duration(memory: &mut dyn UserMemory, address: u64) -> Result<u64, Errno> {
    let (seconds, nanoseconds) = timespec(memory, address)?;
    nanoseconds_of(seconds, nanoseconds)
}

pub(crate) fn nanoseconds_of(seconds: i64, nanoseconds: i64) -> Result<u64, Errno> {
    if seconds < 0 || !(0..SECOND as i64).contains(&nanoseconds) {
        return Err(Errno::EINVAL);
    }
    Ok((seconds as u64).saturating_mul(SECOND).saturating_add(nanoseconds as u64))
}

pub(crate) fn encode_timespec(time: Timestamp) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&time.seconds.to_le_bytes());
    bytes[8..].copy_from_slice(&u64::from(time.nanoseconds).to_le_bytes());
    bytes
}

pub(crate) fn encode_words(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A vector of buffers: address and length of each, cut to what one call may transfer.
pub(crate) fn iovec(
    memory: &mut dyn UserMemory,
    address: u64,
    count: u64,
) -> Result<Vec<(u64, u64)>, Errno> {
    if count > IOV_MAX {
        return Err(Errno::EINVAL);
    }
    let mut buffers = Vec::with_capacity(count as usize);
    let mut total = 0u64;
    for index in 0..count {
        let at = address.wrapping_add(index * 16);
        let (base, length) = (u64_at(memory, at)?, u64_at(memory, at.wrapping_add(8))?);
        if (length as i64) < 0 {
            return Err(Errno::EINVAL);
        }
        let length = length.min(MAX_TRANSFER - total);
        total += length;
        buffers.push((base, length));
    }
    Ok(buffers)
}
