//! Finding the block counters in an executable: a section of a 64-bit ELF file.

use umbra_shim::settings::Counters;

/// The section that `umbra cc` puts the counters in.
const SECTION: &[u8] = b"umbra_counters";
/// Counters beyond this are not believed.
const MOST: u64 = 64 << 20;

/// Where the counters of an executable are; `None` if it has none or is no such file.
pub fn counters(file: &[u8]) -> Option<Counters> {
    // Magic number, 64 bits, little-endian.
    if !file.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let half = |at: usize| -> Option<usize> {
        Some(u16::from_le_bytes(file.get(at..at.checked_add(2)?)?.try_into().ok()?).into())
    };
    let word = |at: usize| -> Option<usize> {
        let bytes = file.get(at..at.checked_add(4)?)?;
        usize::try_from(u32::from_le_bytes(bytes.try_into().ok()?)).ok()
    };
    let long = |at: usize| -> Option<u64> {
        Some(u64::from_le_bytes(file.get(at..at.checked_add(8)?)?.try_into().ok()?))
    };
    let entry = long(0x18)?;
    let headers = usize::try_from(long(0x28)?).ok()?;
    let (size, count, names) = (half(0x3a)?, half(0x3c)?, half(0x3e)?);
    let header = |index: usize| headers.checked_add(size.checked_mul(index)?);
    let names = usize::try_from(long(header(names)?.checked_add(0x18)?)?).ok()?;
    (0..count).find_map(|index| {
        let header = header(index)?;
        let name = file.get(names.checked_add(word(header)?)?..)?;
        let address = long(header.checked_add(0x10)?)?;
        let size = long(header.checked_add(0x20)?)?;
        let is_named = name.strip_prefix(SECTION)?.first() == Some(&0);
        (is_named && size <= MOST).then_some(Counters { address, size, entry })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_files_have_no_counters() {
        let mut file = b"\x7fELF\x02\x01".to_vec();
        assert_eq!(counters(&file), None);
        file.resize(0x40, 0xff);
        assert_eq!(counters(&file), None);
        assert_eq!(counters(b"#!/bin/sh"), None);
    }
}
