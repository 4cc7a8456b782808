//! Pipes and FIFOs of one process.
//!
//! With nobody else to fill or drain it, a pipe that would block blocks for ever; the calls say so.

use std::collections::VecDeque;
use std::sync::Arc;

/// Bytes a pipe holds before a writer would wait.
pub(crate) const CAPACITY: usize = 65536;

/// The state of a pipe; shared by named and unnamed ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pipe {
    bytes: Arc<VecDeque<u8>>,
    pub(crate) readers: u32,
    pub(crate) writers: u32,
}

impl Pipe {
    /// A pipe that somebody outside holds open for writing.
    pub(crate) fn held_open() -> Pipe {
        Pipe { writers: 1, ..Pipe::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn space(&self) -> usize {
        CAPACITY - self.bytes.len()
    }

    /// Takes up to `limit` bytes out.
    pub(crate) fn take(&mut self, limit: usize) -> Vec<u8> {
        let n = limit.min(self.bytes.len());
        Arc::make_mut(&mut self.bytes).drain(..n).collect()
    }

    /// Puts in as much as there is space for.
    pub(crate) fn put(&mut self, bytes: &[u8]) -> usize {
        let n = bytes.len().min(self.space());
        Arc::make_mut(&mut self.bytes).extend(&bytes[..n]);
        n
    }

    /// Both ends were closed: a FIFO forgets what nobody read.
    pub(crate) fn forget(&mut self) {
        self.bytes = Arc::default();
    }
}
