//! The place in the shim that says what it stands for.
//!
//! A block of fixed size, empty in the built binary, that [`Slot::write`] fills in a copy of it.
//! Numbers are little-endian, paths end with a NUL.

/// Bytes of the block.
pub const SIZE: usize = 16 << 10;
/// Where the distance from the block to the program's own entry point is.
pub const ENTRY: usize = 16;
const NUMBER: usize = 24;
const LENGTHS: usize = 28;
const RUN: usize = 32;
const REAL: usize = RUN + PATH;
const FILTERS: usize = REAL + PATH;
/// Bytes of a path with its NUL, as the kernel has it.
const PATH: usize = 4096;
/// Bytes of a filter.
const FILTER: usize = (SIZE - FILTERS) / 2;
/// Starts the block. Written backwards here, so that it occurs only once in a file.
const REVERSED_MAGIC: [u8; 16] = *b"\x02tols-mihs-arbmu";

/// What a shim stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot<'a> {
    /// The folder of the recording.
    pub run: &'a [u8],
    /// The program's number in the settings.
    pub number: u32,
    /// The program's own file.
    pub real: &'a [u8],
    /// From the slot to the program's own entry point.
    pub entry: i64,
    /// Filters for a process without and with streams among its descriptors, as the kernel takes
    /// them: 8 bytes each step. Empty if the tracer is to see every call.
    pub filters: [&'a [u8]; 2],
}

/// Why a copy of the shim cannot be patched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchError {
    /// There is no slot.
    NoSlot,
    /// Something is too long for it.
    TooLong,
}

/// The block as it is in the built binary.
pub const fn empty() -> [u8; SIZE] {
    let mut block = [0; SIZE];
    let mut index = 0;
    while index < REVERSED_MAGIC.len() {
        block[index] = REVERSED_MAGIC[REVERSED_MAGIC.len() - 1 - index];
        index += 1;
    }
    block
}

impl<'a> Slot<'a> {
    /// What a block says. A block that was not filled stands for nothing: its paths are empty.
    pub fn of_block(block: &'a [u8; SIZE]) -> Self {
        let number = |at: usize| {
            u32::from_le_bytes([block[at], block[at + 1], block[at + 2], block[at + 3]])
        };
        let length = |index: usize| {
            let at = LENGTHS + 2 * index;
            usize::from(u16::from_le_bytes([block[at], block[at + 1]])).min(FILTER)
        };
        let entry = u64::from(number(ENTRY)) | u64::from(number(ENTRY + 4)) << 32;
        Self {
            run: path(&block[RUN..REAL]),
            number: number(NUMBER),
            real: path(&block[REAL..FILTERS]),
            entry: entry as i64,
            filters: [
                block[FILTERS..FILTERS + FILTER].get(..length(0)).unwrap_or_default(),
                block[FILTERS + FILTER..FILTERS + 2 * FILTER].get(..length(1)).unwrap_or_default(),
            ],
        }
    }

    /// What the shim in an executable's file stands for; `None` if there is none.
    pub fn of_file(file: &'a [u8]) -> Option<Self> {
        let block = file.get(Self::position(file)?..)?.first_chunk()?;
        Some(Self::of_block(block)).filter(|slot| !slot.run.is_empty())
    }

    /// Fills the block in a copy of the shim.
    pub fn write(&self, file: &mut [u8]) -> Result<(), PatchError> {
        let start = Self::position(file).ok_or(PatchError::NoSlot)?;
        let block = file.get_mut(start..start + SIZE).ok_or(PatchError::NoSlot)?;
        let is_long = |path: &[u8]| path.len() >= PATH;
        if is_long(self.run)
            || is_long(self.real)
            || self.filters.iter().any(|filter| filter.len() > FILTER)
        {
            return Err(PatchError::TooLong);
        }
        let mut put = |at: usize, bytes: &[u8]| block[at..at + bytes.len()].copy_from_slice(bytes);
        put(ENTRY, &self.entry.to_le_bytes());
        put(NUMBER, &self.number.to_le_bytes());
        put(RUN, self.run);
        put(REAL, self.real);
        for (index, filter) in self.filters.iter().enumerate() {
            put(LENGTHS + 2 * index, &(filter.len() as u16).to_le_bytes());
            put(FILTERS + FILTER * index, filter);
        }
        Ok(())
    }

    /// Where the block is in a file.
    pub fn position(file: &[u8]) -> Option<usize> {
        let mut magic = REVERSED_MAGIC;
        magic.reverse();
        let start = file.windows(magic.len()).position(|window| window == magic)?;
        (file.len() - start >= SIZE).then_some(start)
    }
}

/// The path at the start of a field.
fn path(field: &[u8]) -> &[u8] {
    let length = field.iter().position(|byte| *byte == 0).unwrap_or(0);
    field.get(..length).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOT: Slot<'_> = Slot {
        run: b"/run",
        number: 3,
        real: b"/real/3/x",
        entry: -77,
        filters: [&[1; 8], &[2; 16]],
    };

    #[test]
    fn a_patched_file_says_what_it_stands_for() {
        let mut file = vec![7; 100];
        file.extend_from_slice(&empty());
        file.extend_from_slice(&[9; 10]);
        assert_eq!(Slot::of_file(&file), None);
        assert_eq!(SLOT.write(&mut file), Ok(()));
        assert_eq!(Slot::of_file(&file), Some(SLOT));
        assert_eq!(file[100 + ENTRY..][..8], (-77i64).to_le_bytes());
        assert_eq!((&file[..100], &file[100 + SIZE..]), (&[7; 100][..], &[9; 10][..]));
    }

    #[test]
    fn what_is_no_shim_is_not_patched() {
        let long = Slot { run: &[b'x'; PATH], ..SLOT };
        assert_eq!(SLOT.write(&mut [1, 2, 3]), Err(PatchError::NoSlot));
        assert_eq!(long.write(&mut empty()), Err(PatchError::TooLong));
        let filter = [0; FILTER + 8];
        let large = Slot { filters: [&filter, &[]], ..SLOT };
        assert_eq!(large.write(&mut empty()), Err(PatchError::TooLong));
        assert_eq!(Slot::of_file(b"no shim"), None);
    }
}
