//! Pairs of connected sockets within a process and its children.
//!
//! Each end is an inode that holds what was sent to it and was not received yet.

use crate::bytes::Chunk;
use crate::fs::inode::InodeId;
use crate::pipe::Pipe;
use std::collections::VecDeque;
use std::sync::Arc;

/// Bytes, with what Linux adds for each message, up to which nobody waits. Linux takes more, but how
/// much more depends on how its buffers were cut.
const ROOM: usize = 64 << 10;
/// What a message takes besides its bytes, at most.
const OVERHEAD: usize = 1 << 10;

/// One end of a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    /// `SOCK_STREAM`, `SOCK_DGRAM` or `SOCK_SEQPACKET`.
    pub(crate) kind: i32,
    pub(crate) peer: InodeId,
    /// What was sent to this end.
    pub(crate) bytes: Pipe,
    /// The lengths of the messages in it.
    messages: Arc<VecDeque<usize>>,
    /// The other end was closed.
    pub(crate) abandoned: bool,
    /// A datagram was refused since then: there is no other end any more.
    pub(crate) alone: bool,
    /// The other end was closed with something in it that nobody had received: the next call fails.
    pub(crate) reset: bool,
    /// Nothing is received here any more, and nothing sent from here.
    pub(crate) no_more: (bool, bool),
}

impl Pair {
    pub(crate) fn new(kind: i32, peer: InodeId) -> Pair {
        Pair {
            kind,
            peer,
            bytes: Pipe::default(),
            messages: Arc::default(),
            abandoned: false,
            alone: false,
            reset: false,
            no_more: (false, false),
        }
    }

    pub(crate) fn is_stream(&self) -> bool {
        self.kind == libc::SOCK_STREAM
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Bytes that the next call can receive.
    pub(crate) fn waiting(&self) -> usize {
        match self.is_stream() {
            true => self.bytes.len(),
            false => self.messages.front().copied().unwrap_or(0),
        }
    }

    /// Whether a message of this length certainly fits.
    pub(crate) fn has_room(&self, length: usize) -> bool {
        self.bytes.len() + length + (self.messages.len() + 1) * OVERHEAD <= ROOM
    }

    pub(crate) fn put(&mut self, message: &Chunk) {
        self.bytes.put(message);
        Arc::make_mut(&mut self.messages).push_back(message.len());
    }

    /// Takes up to `limit` bytes out: of a stream all that there are, otherwise of one message,
    /// whose rest is lost.
    pub(crate) fn take(&mut self, limit: usize) -> Chunk {
        if self.is_stream() {
            let chunk = self.bytes.take(limit);
            self.forget(chunk.len());
            return chunk;
        }
        let Some(length) = Arc::make_mut(&mut self.messages).pop_front() else {
            return Chunk::default();
        };
        let mut chunk = self.bytes.take(length);
        chunk.truncate(limit);
        chunk
    }

    /// So many bytes of a stream were received.
    fn forget(&mut self, mut count: usize) {
        let messages = Arc::make_mut(&mut self.messages);
        while count > 0 {
            let Some(first) = messages.front_mut() else { return };
            let n = count.min(*first);
            *first -= n;
            count -= n;
            if *first == 0 {
                messages.pop_front();
            }
        }
    }
}
