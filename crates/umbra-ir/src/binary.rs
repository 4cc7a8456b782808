//! The binary form: what the loader's process sends, and what a cache keeps.
//!
//! A header (magic, version, checksum of the rest), then the program in `postcard`'s format, whose
//! reader never allocates more than the input can fill. The checksum finds accidents, not malice;
//! what comes from someone else should be verified too ([`Program::verify`]).

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::program::Program;

const MAGIC: &[u8; 8] = b"umbra-ir";

/// Rises with every change of the IR's types: there is one reader, for one version.
const VERSION: u32 = 3;

const HEADER: usize = MAGIC.len() + 4 + 4;

/// Why bytes are not a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// They are something else.
    NotProgram,
    /// They were written by another version of this crate.
    Version(u32),
    /// They were changed or cut.
    Damaged,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotProgram => f.write_str("not a program in binary form"),
            Self::Version(found) => {
                write!(f, "a program in binary form {found}, not {VERSION}")
            }
            Self::Damaged => f.write_str("a damaged program in binary form"),
        }
    }
}

impl std::error::Error for DecodeError {}

/// Writes a program in binary form.
pub fn encode(program: &Program) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(1 << 20);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&[0; 4]);
    // Only types without a known length can fail, and the IR has none.
    let mut bytes = postcard::to_extend(program, bytes).unwrap_or_default();
    if bytes.len() >= HEADER {
        let sum = crc32fast::hash(&bytes[HEADER..]);
        bytes[HEADER - 4..HEADER].copy_from_slice(&sum.to_le_bytes());
    }
    bytes
}

/// A number for all of a program but the names of its source files: a C file may be compiled beside a temporary one.
/// The same program has the same number in every process of one build of Umbra.
pub fn digest(program: &Program) -> u64 {
    let Program { functions, globals, aliases, constants, locations, files: _, .. } = program;
    let Program { structs, constructors, destructors, merged, .. } = program;
    let code = (functions, globals, aliases, constants, locations);
    let all = (code, structs, constructors, destructors, merged);
    // Only types without a known length can fail, and the IR has none.
    let bytes = postcard::to_extend(&all, Vec::with_capacity(1 << 20)).unwrap_or_default();
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

/// Reads a program in binary form.
pub fn decode(bytes: &[u8]) -> Result<Program, DecodeError> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(DecodeError::NotProgram)?;
    let (version, rest) = rest.split_first_chunk().ok_or(DecodeError::Damaged)?;
    let version = u32::from_le_bytes(*version);
    if version != VERSION {
        return Err(DecodeError::Version(version));
    }
    let (sum, rest) = rest.split_first_chunk().ok_or(DecodeError::Damaged)?;
    if u32::from_le_bytes(*sum) != crc32fast::hash(rest) {
        return Err(DecodeError::Damaged);
    }
    match postcard::take_from_bytes(rest) {
        Ok((program, [])) => Ok(program),
        _ => Err(DecodeError::Damaged),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip_and_damage() {
        let program = Program::default();
        let bytes = encode(&program);
        assert_eq!(decode(&bytes), Ok(program));
        assert_eq!(decode(b"ELF"), Err(DecodeError::NotProgram));
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(decode(&damaged).is_err());
        }
        for length in 0..bytes.len() {
            assert!(decode(&bytes[..length]).is_err());
        }
    }

    #[test]
    fn the_digest_knows_all_but_the_names_of_files() {
        let text = include_str!("../tests/cases/initializers.expected");
        let program = crate::text::parse(text).unwrap();
        let nameless = Program { files: Default::default(), ..program.clone() };
        assert_eq!(digest(&program), digest(&nameless));
        let changed = Program { globals: Default::default(), ..program.clone() };
        assert_ne!(digest(&program), digest(&changed));
    }

    /// With a right checksum the reader itself must be robust, and so must the verifier.
    #[test]
    fn damage_behind_the_checksum() {
        let text = include_str!("../tests/cases/initializers.expected");
        let bytes = encode(&crate::text::parse(text).unwrap());
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..3000 {
            let mut damaged = bytes.clone();
            for _ in 0..3 {
                damaged[random.usize(HEADER..bytes.len())] = random.u8(..);
            }
            let sum = crc32fast::hash(&damaged[HEADER..]);
            damaged[HEADER - 4..HEADER].copy_from_slice(&sum.to_le_bytes());
            if let Ok(program) = decode(&damaged) {
                let _ = program.verify();
            }
        }
    }
}
