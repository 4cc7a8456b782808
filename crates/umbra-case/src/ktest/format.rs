//! The bytes of a `.ktest` file: a magic word, a version, then lists with their length in front.
//! All numbers are 32 bits, big-endian. Versions 1 to 3 are read, version 3 is written.
//!
//! Nothing is allocated by a count in the file before the bytes it counts have been seen, so a
//! damaged file cannot ask for more memory than it has bytes.

use std::path::Path;

use super::KTest;
use crate::{Error, Object};

/// What the file starts with; `BOUT\n` in the oldest ones.
const MAGIC: &[u8; 5] = b"KTEST";
const OLD_MAGIC: &[u8; 5] = b"BOUT\n";

/// The newest version, which is the one written.
const VERSION: u32 = 3;

/// Why some bytes are no `.ktest` file, or no file can be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KTestError {
    /// It starts with something else than a `.ktest` file does.
    #[error("it does not start as a .ktest file does")]
    Magic,
    /// Its version is not known.
    #[error("it has version {version}, and only 1 to {VERSION} are known")]
    Version {
        /// The version.
        version: u32,
    },
    /// It ends before it should.
    #[error("it ends at byte {offset}, inside {what}")]
    Truncated {
        /// What was being read.
        what: &'static str,
        /// The length of the file.
        offset: usize,
    },
    /// It goes on after its end.
    #[error("it goes on after its last object, which ends at byte {offset}")]
    Trailing {
        /// Where it should end.
        offset: usize,
    },
    /// A case's tree is not one that KLEE's model can have.
    #[error("KLEE's model has only files named A, B, C and so on, all of one length and not empty")]
    Tree,
    /// Something is too long for the format, which counts in 32 bits.
    #[error("{what} is too long for a .ktest file")]
    TooLong {
        /// What.
        what: &'static str,
    },
}

impl KTest {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let bytes = std::fs::read(path).map_err(Error::io("read", path))?;
        Self::decode(&bytes).map_err(|source| Error::KTest { path: path.to_owned(), source })
    }

    /// Reads the bytes of a file.
    pub fn decode(bytes: &[u8]) -> Result<Self, KTestError> {
        let mut reader = Reader { bytes, offset: 0 };
        let magic = reader.take(MAGIC.len(), "the magic word")?;
        if magic != MAGIC && magic != OLD_MAGIC {
            return Err(KTestError::Magic);
        }
        let version = reader.number("the version")?;
        if !(1..=VERSION).contains(&version) {
            return Err(KTestError::Version { version });
        }
        let mut ktest = Self::default();
        for _ in 0..reader.number("the number of arguments")? {
            ktest.arguments.push(reader.block("an argument")?);
        }
        if version >= 2 {
            ktest.symbolic_arguments = reader.number("the number of symbolic arguments")?;
            ktest.symbolic_argument_length = reader.number("the length of symbolic arguments")?;
        }
        for _ in 0..reader.number("the number of objects")? {
            let name = reader.block("an object's name")?;
            ktest.objects.push(Object { name, bytes: reader.block("an object")? });
        }
        match reader.offset == bytes.len() {
            true => Ok(ktest),
            false => Err(KTestError::Trailing { offset: reader.offset }),
        }
    }

    /// The bytes of the file.
    pub fn encode(&self) -> Result<Vec<u8>, KTestError> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_be_bytes());
        put_length(&mut bytes, self.arguments.len(), "the list of arguments")?;
        for argument in &self.arguments {
            put_block(&mut bytes, argument, "an argument")?;
        }
        bytes.extend(self.symbolic_arguments.to_be_bytes());
        bytes.extend(self.symbolic_argument_length.to_be_bytes());
        put_length(&mut bytes, self.objects.len(), "the list of objects")?;
        for object in &self.objects {
            put_block(&mut bytes, &object.name, "an object's name")?;
            put_block(&mut bytes, &object.bytes, "an object")?;
        }
        Ok(bytes)
    }
}

fn put_length(bytes: &mut Vec<u8>, length: usize, what: &'static str) -> Result<(), KTestError> {
    let length = u32::try_from(length).map_err(|_| KTestError::TooLong { what })?;
    bytes.extend(length.to_be_bytes());
    Ok(())
}

fn put_block(bytes: &mut Vec<u8>, block: &[u8], what: &'static str) -> Result<(), KTestError> {
    put_length(bytes, block.len(), what)?;
    bytes.extend(block);
    Ok(())
}

struct Reader<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize, what: &'static str) -> Result<&'a [u8], KTestError> {
        let rest = &self.bytes[self.offset..];
        let Some((taken, _)) = rest.split_at_checked(length) else {
            return Err(KTestError::Truncated { what, offset: self.bytes.len() });
        };
        self.offset += length;
        Ok(taken)
    }

    fn number(&mut self, what: &'static str) -> Result<u32, KTestError> {
        let mut number = [0; 4];
        number.copy_from_slice(self.take(4, what)?);
        Ok(u32::from_be_bytes(number))
    }

    fn block(&mut self, what: &'static str) -> Result<Vec<u8>, KTestError> {
        let length = self.number(what)? as usize;
        self.take(length, what).map(<[u8]>::to_vec)
    }
}
