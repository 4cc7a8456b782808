//! The descriptors a process is started with, and what it writes to them.
//!
//! Input is pulled from an [`Input`] when the program reads; it can be read again at any offset,
//! because states that forked before reading each read it on their own. Output is kept as
//! [`OutputEvent`]s until the owner of the kernel drains them: nothing is ever written to the host
//! from here.

use crate::bytes::{Chunk, OutputBytes};
use crate::lower::LowerStat;
use crate::pipe::CAPACITY;
use crate::symbolic::SymbolicInput;
use std::fmt;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};
use umbra_expr::ExprId;

/// A source of bytes that can be read at any offset, again and again.
pub trait Input: Send + Sync {
    /// Reads bytes from `offset` on; 0 at the end. May wait for the host.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;

    /// How many bytes there are, where that is known without waiting.
    fn length(&self) -> Option<u64> {
        None
    }

    /// The bytes, if there are expressions among them. The kernel then takes them over when it is
    /// started and reads nothing from here.
    fn symbolic(&self) -> Option<&SymbolicInput> {
        None
    }
}

impl Input for Vec<u8> {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let rest =
            usize::try_from(offset).ok().and_then(|offset| self.get(offset..)).unwrap_or(&[]);
        let n = rest.len().min(buffer.len());
        buffer[..n].copy_from_slice(&rest[..n]);
        Ok(n)
    }

    fn length(&self) -> Option<u64> {
        Some(self.len() as u64)
    }
}

/// An [`Input`] over a reader, which is read only as far as the program wants and remembered.
pub struct ReaderInput {
    state: Mutex<(Box<dyn Read + Send>, Vec<u8>)>,
}

impl ReaderInput {
    /// Wraps a reader, such as the standard input of the host process.
    pub fn new(reader: impl Read + Send + 'static) -> ReaderInput {
        ReaderInput { state: Mutex::new((Box::new(reader), Vec::new())) }
    }
}

impl Input for ReaderInput {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (reader, bytes) = &mut *state;
        let Ok(offset) = usize::try_from(offset) else {
            return Ok(0);
        };
        while bytes.len() <= offset {
            let mut chunk = vec![0; buffer.len().clamp(1, 1 << 16)];
            match reader.read(&mut chunk) {
                Ok(0) => return Ok(0),
                Ok(n) => bytes.extend_from_slice(&chunk[..n]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        bytes.read_at(offset as u64, buffer)
    }
}

/// What kind of file an inherited descriptor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamKind {
    /// A terminal of this size.
    Terminal {
        /// Rows of text.
        rows: u16,
        /// Columns of text.
        columns: u16,
    },
    /// A pipe.
    Pipe,
    /// A regular file (or anything else) with this `stat`.
    File(LowerStat),
}

/// Identifies a sink in [`OutputEvent`]s; the CLI knows which host descriptor it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SinkId(pub u32);

/// Something that the program did to an inherited descriptor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputEvent {
    /// The sink it was done to.
    pub sink: SinkId,
    /// What was done.
    pub action: OutputAction,
}

/// The kinds of [`OutputEvent`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutputAction {
    /// Bytes were written, at an offset if the sink is a file.
    Write {
        /// Where in the file; `None` for terminals and pipes.
        offset: Option<u64>,
        /// The bytes.
        bytes: OutputBytes,
    },
    /// A file was cut or extended to this length.
    Truncate(u64),
}

/// Where reads of an inherited descriptor come from.
#[derive(Clone)]
pub(crate) enum Source {
    Empty,
    Input(Arc<dyn Input>),
    /// Bytes with expressions among them. How many there are may be undecided, see
    /// [`Field::Length`](crate::fs::undecided::Field).
    Symbolic(Arc<Chunk>),
}

/// The state of an inherited descriptor.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Stream {
    pub(crate) kind: StreamKind,
    pub(crate) source: Source,
    pub(crate) sink: Option<SinkId>,
    /// Bytes taken from a terminal or pipe so far. (A file's position is in the file description.)
    pub(crate) consumed: u64,
    /// The reader at the other end has gone.
    pub(crate) broken: bool,
    /// The size of a file: grows as the program writes.
    pub(crate) size: u64,
}

impl PartialEq for Source {
    /// Inputs of the host are the same if they are one.
    fn eq(&self, other: &Source) -> bool {
        match (self, other) {
            (Source::Empty, Source::Empty) => true,
            (Source::Input(one), Source::Input(other)) => Arc::ptr_eq(one, other),
            (Source::Symbolic(one), Source::Symbolic(other)) => one == other,
            _ => false,
        }
    }
}

impl Eq for Source {}

impl Stream {
    /// Reads up to `want` bytes.
    pub(crate) fn load(&self, offset: u64, want: usize) -> io::Result<Chunk> {
        match &self.source {
            Source::Empty => Ok(Chunk::default()),
            Source::Input(input) => {
                let mut bytes = vec![0; want];
                let n = input.read_at(offset, &mut bytes)?;
                bytes.truncate(n);
                Ok(bytes.into())
            }
            Source::Symbolic(chunk) => {
                let start = usize::try_from(offset).unwrap_or(usize::MAX);
                Ok(chunk.slice(start, want))
            }
        }
    }

    /// The bytes that can be read at most, where that is known.
    pub(crate) fn readable(&self) -> Option<u64> {
        match &self.source {
            Source::Empty => Some(0),
            Source::Input(input) => input.length(),
            Source::Symbolic(chunk) => Some(chunk.len() as u64),
        }
    }

    /// The bytes that wait for a reader at an offset; none where the host's are not known. Who writes
    /// to a pipe has filled it.
    pub(crate) fn waiting(&self, offset: u64) -> u64 {
        let rest = |length: u64| length.saturating_sub(offset);
        match self.kind {
            StreamKind::File(_) => rest(self.size),
            StreamKind::Terminal { .. } => self.readable().map_or(0, rest),
            StreamKind::Pipe => self.readable().map_or(0, rest).min(CAPACITY as u64),
        }
    }

    /// There are only this many bytes to read.
    pub(crate) fn cut(&mut self, length: u64) {
        if let Source::Symbolic(chunk) = &mut self.source {
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            Arc::make_mut(chunk).truncate(length);
            if self.is_file() {
                self.size = self.readable().unwrap_or(self.size);
            }
        }
    }

    pub(crate) fn has_expressions(&self) -> bool {
        matches!(&self.source, Source::Symbolic(chunk) if !chunk.expressions.is_empty())
    }

    /// Replaces every expression.
    pub(crate) fn translate(&mut self, translation: &mut dyn FnMut(ExprId) -> ExprId) {
        if let Source::Symbolic(chunk) = &mut self.source {
            Arc::make_mut(chunk).translate(translation);
        }
    }

    /// Puts numbers in place of all expressions.
    pub(crate) fn evaluate(&mut self, value: &mut dyn FnMut(ExprId) -> u64) {
        if let Source::Symbolic(chunk) = &mut self.source {
            Arc::make_mut(chunk).evaluate(value);
        }
    }

    pub(crate) fn type_bits(&self) -> u32 {
        match &self.kind {
            StreamKind::Terminal { .. } => libc::S_IFCHR,
            StreamKind::Pipe => libc::S_IFIFO,
            StreamKind::File(stat) => stat.mode & libc::S_IFMT,
        }
    }

    pub(crate) fn is_file(&self) -> bool {
        self.type_bits() == libc::S_IFREG
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream")
            .field("kind", &self.kind)
            .field("sink", &self.sink)
            .finish_non_exhaustive()
    }
}
