//! The place in the shim's executable that says what it stands for.
//!
//! A section of fixed size, empty in the built binary, that [`Slot::patch`] fills in a copy of the
//! file. Not a trailer behind the file: `strip` and `install -s`, which tests run, would drop it.
#![allow(unsafe_code)]

use serde::{Deserialize, Serialize};

/// What a shim does, and where it finds the rest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Slot {
    /// Stands for a program.
    Program {
        /// The folder of the recording.
        run: Vec<u8>,
        /// The real program's number in the settings.
        number: u32,
        /// The real program.
        real: Vec<u8>,
        /// What takes over inside valgrind; see the module `entry`.
        successor: Vec<u8>,
    },
    /// Runs the recorded command and adopts what it leaves behind.
    Supervisor {
        /// The folder of the recording.
        run: Vec<u8>,
    },
}

/// Starts the section. Written backwards here, so that it occurs only once in the file.
const REVERSED_MAGIC: [u8; 16] = *b"\x01tols-mihs-arbmu";
const SIZE: usize = 16 << 10;
/// Where the path of the successor is in the section, with a NUL at its end.
pub(crate) const SUCCESSOR: usize = 12 << 10;
/// The magic, then the length of the content.
const HEADER: usize = REVERSED_MAGIC.len() + 4;

/// The section itself.
#[used]
#[unsafe(link_section = ".umbra_slot")]
pub(crate) static SECTION: [u8; SIZE] = {
    let mut bytes = [0; SIZE];
    let mut index = 0;
    while index < REVERSED_MAGIC.len() {
        bytes[index] = REVERSED_MAGIC[REVERSED_MAGIC.len() - 1 - index];
        index += 1;
    }
    bytes
};

/// Why a copy of the shim cannot be patched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchError {
    /// The file is no shim.
    NoSlot,
    /// The paths are too long for the slot.
    TooLong,
}

impl Slot {
    /// The slot of the running executable; `None` if it was not patched.
    pub fn of_this_process() -> Option<Self> {
        // SAFETY: a plain array of bytes. Volatile, since the compiler only knows the empty slot.
        let bytes: [u8; SIZE] = unsafe { std::ptr::read_volatile(&raw const SECTION) };
        Self::parse(&bytes)
    }

    /// The slot of an executable's file; `None` if it is no patched shim.
    pub fn of_file(file: &[u8]) -> Option<Self> {
        Self::parse(&file[find(file)?..])
    }

    /// Fills the slot in a copy of the shim's file.
    pub fn patch(&self, file: &mut [u8]) -> Result<(), PatchError> {
        let start = find(file).ok_or(PatchError::NoSlot)?;
        let content = postcard::to_allocvec(self).map_err(|_| PatchError::TooLong)?;
        let successor = match self {
            Self::Program { successor, .. } => &successor[..],
            Self::Supervisor { .. } => b"",
        };
        if content.len() > SUCCESSOR - HEADER || successor.len() >= SIZE - SUCCESSOR {
            return Err(PatchError::TooLong);
        }
        file[start + SUCCESSOR..][..successor.len()].copy_from_slice(successor);
        let slot = &mut file[start + REVERSED_MAGIC.len()..start + SUCCESSOR];
        let length = u32::try_from(content.len()).map_err(|_| PatchError::TooLong)?;
        slot[..4].copy_from_slice(&length.to_le_bytes());
        slot[4..4 + content.len()].copy_from_slice(&content);
        Ok(())
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let length = bytes.get(REVERSED_MAGIC.len()..HEADER)?;
        let length = u32::from_le_bytes(length.try_into().ok()?) as usize;
        if length == 0 {
            return None;
        }
        postcard::from_bytes(bytes.get(HEADER..HEADER.checked_add(length)?)?).ok()
    }
}

fn find(file: &[u8]) -> Option<usize> {
    let mut magic = REVERSED_MAGIC;
    magic.reverse();
    let start = file.windows(magic.len()).position(|window| window == magic)?;
    (file.len() - start >= SIZE).then_some(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patched_file_says_what_it_stands_for() {
        let mut file = vec![7; 100];
        file.extend_from_slice(&SECTION);
        file.extend_from_slice(&[9; 10]);
        assert_eq!(Slot::of_file(&file), None);
        let (run, real, successor) = (b"/run".to_vec(), b"/real/3/x".to_vec(), b"/next".to_vec());
        let slot = Slot::Program { run, number: 3, real, successor };
        assert_eq!(slot.patch(&mut file), Ok(()));
        assert_eq!(Slot::of_file(&file), Some(slot));
        assert_eq!(&file[100 + SUCCESSOR..][..6], b"/next\0");
        assert_eq!((&file[..100], &file[100 + SIZE..]), (&[7; 100][..], &[9; 10][..]));
    }

    #[test]
    fn what_is_no_shim_is_not_patched() {
        let slot = Slot::Supervisor { run: vec![b'x'; SIZE] };
        assert_eq!(slot.patch(&mut [1, 2, 3]), Err(PatchError::NoSlot));
        assert_eq!(slot.patch(&mut SECTION.clone()), Err(PatchError::TooLong));
        assert_eq!(Slot::of_file(b"no shim"), None);
        assert_eq!(Slot::of_this_process(), None);
    }
}
