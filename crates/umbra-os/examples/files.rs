//! What writing to a file in memory costs, as the file grows.
//!
//! `cargo run --release -p umbra-os --example files`

use std::time::Instant;
use umbra_engine::{Answer, BadAddress, Environment, UserMemory};
use umbra_os::{Config, Kernel};

/// Bytes of one write, and of the file after each step.
const WRITE: usize = 4096;
const STEP: usize = 64 << 20;

/// The name of the file, then what is written.
struct Memory(Vec<u8>);

impl UserMemory for Memory {
    fn read(&mut self, address: u64, buffer: &mut [u8]) -> Result<(), BadAddress> {
        let start = address as usize;
        let bytes = self.0.get(start..start + buffer.len()).ok_or(BadAddress(address))?;
        buffer.copy_from_slice(bytes);
        Ok(())
    }

    fn write(&mut self, _: u64, _: &[u8]) -> Result<(), BadAddress> {
        Ok(())
    }

    fn map(&mut self, _: u64) -> Option<u64> {
        None
    }

    fn unmap(&mut self, _: u64) -> Result<(), BadAddress> {
        Ok(())
    }
}

fn main() {
    let Ok(mut kernel) = Kernel::new(Config::default()) else {
        return;
    };
    let mut memory = Memory(b"/tmp/file\0".to_vec());
    memory.0.resize(2 * WRITE, b'x');
    let mut call = |number: i64, [a, b, c]: [u64; 3]| {
        kernel.system_call(&mut memory, number as u64, [a, b, c, 0, 0, 0])
    };
    let flags = (libc::O_CREAT | libc::O_RDWR) as u64;
    assert_eq!(call(libc::SYS_open, [0, flags, 0o644]), Answer::Return(3));
    for step in 1..=4 {
        let start = Instant::now();
        for _ in 0..STEP / WRITE {
            let written = call(libc::SYS_write, [3, 16, WRITE as u64]);
            assert_eq!(written, Answer::Return(WRITE as i64));
        }
        let time = start.elapsed().as_nanos() as usize / (STEP / WRITE);
        println!("up to {:4} MiB {time:7} ns a write", (step * STEP) >> 20);
    }
}
