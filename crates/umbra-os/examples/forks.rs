//! What a fork of the kernel costs: time and memory, with many of them alive.
//!
//! `cargo run --release -p umbra-os --example forks`

use std::time::Instant;
use umbra_engine::{Answer, BadAddress, Environment, UserMemory};
use umbra_os::{Config, Kernel};

const FORKS: usize = 100_000;

/// A few bytes that every address leads to.
struct Page([u8; 64]);

impl UserMemory for Page {
    fn read(&mut self, address: u64, buffer: &mut [u8]) -> Result<(), BadAddress> {
        for (offset, byte) in buffer.iter_mut().enumerate() {
            *byte = *self.0.get(address as usize + offset).ok_or(BadAddress(address))?;
        }
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

/// Bytes of memory that this process has.
fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    statm.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0) * 4096
}

fn call(kernel: &mut dyn Environment, number: i64, [a, b, c]: [u64; 3]) -> Answer {
    let mut memory = Page(*b"/tmp/file\0-------------------------------------------xxxxxxxxxxx");
    kernel.system_call(&mut memory, number as u64, [a, b, c, 0, 0, 0])
}

/// Does `step` and tells what it took for each of the forks.
fn measure(what: &str, step: impl FnOnce()) {
    let (before, start) = (resident(), Instant::now());
    step();
    let time = start.elapsed().as_nanos() as usize / FORKS;
    let bytes = resident().saturating_sub(before) / FORKS;
    println!("{what:32} {time:6} ns {bytes:6} bytes");
}

fn main() {
    let Ok(mut kernel) = Kernel::new(Config::default()) else {
        return;
    };
    let flags = (libc::O_CREAT | libc::O_RDWR) as u64;
    assert_eq!(call(&mut kernel, libc::SYS_open, [0, flags, 0o644]), Answer::Return(3));
    for _ in 0..100 {
        assert_eq!(call(&mut kernel, libc::SYS_write, [3, 0, 60]), Answer::Return(60));
        assert_eq!(call(&mut kernel, libc::SYS_write, [1, 0, 20]), Answer::Return(20));
    }
    println!("a kernel itself has {} bytes", size_of::<Kernel>());
    let mut forks: Vec<Box<dyn Environment>> = Vec::with_capacity(FORKS);
    measure("fork", || forks.extend((0..FORKS).map(|_| kernel.fork())));
    for (what, number, fd) in [
        ("first write to standard output", libc::SYS_write, 1),
        ("second write to standard output", libc::SYS_write, 1),
        ("first write to a file", libc::SYS_write, 3),
        ("second write to a file", libc::SYS_write, 3),
    ] {
        measure(what, || {
            for fork in &mut forks {
                assert_eq!(call(&mut **fork, number, [fd, 0, 20]), Answer::Return(20));
            }
        });
    }
    measure("drop", || forks.clear());
}
