//! A program's memory without a program: one flat range.

use umbra_engine::{BadAddress, UserMemory};

pub(crate) const BASE: u64 = 0x10_0000;
const SIZE: usize = 1 << 21;

pub(crate) struct FlatMemory {
    bytes: Vec<u8>,
}

impl FlatMemory {
    pub(crate) fn new() -> FlatMemory {
        FlatMemory { bytes: vec![0; SIZE] }
    }

    fn range(&self, address: u64, length: usize) -> Result<std::ops::Range<usize>, BadAddress> {
        let start = address.checked_sub(BASE).ok_or(BadAddress(address))? as usize;
        let end = start
            .checked_add(length)
            .filter(|end| *end <= self.bytes.len())
            .ok_or(BadAddress(address))?;
        Ok(start..end)
    }

    pub(crate) fn bytes(&self, address: u64, length: usize) -> &[u8] {
        &self.bytes[self.range(address, length).unwrap()]
    }
}

impl UserMemory for FlatMemory {
    fn read(&mut self, address: u64, buffer: &mut [u8]) -> Result<(), BadAddress> {
        let range = self.range(address, buffer.len())?;
        buffer.copy_from_slice(&self.bytes[range]);
        Ok(())
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), BadAddress> {
        let range = self.range(address, bytes.len())?;
        self.bytes[range].copy_from_slice(bytes);
        Ok(())
    }

    fn map(&mut self, length: u64) -> Option<u64> {
        let address = BASE + self.bytes.len() as u64;
        if length > 1 << 24 {
            return None;
        }
        self.bytes.resize(self.bytes.len() + length as usize, 0);
        Some(address)
    }

    fn unmap(&mut self, _address: u64, _length: u64) -> Result<(), BadAddress> {
        Ok(())
    }
}
