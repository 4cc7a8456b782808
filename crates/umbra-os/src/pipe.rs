//! Pipes and FIFOs of one process.
//!
//! With nobody else to fill or drain it, a pipe that would block blocks for ever; the calls say so.

use crate::bytes::Chunk;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use umbra_expr::ExprId;

/// Bytes a pipe holds before a writer would wait.
pub(crate) const CAPACITY: usize = 65536;

/// The state of a pipe; shared by named and unnamed ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pipe {
    bytes: Arc<VecDeque<u8>>,
    /// Expressions by position, counted from the first byte that was ever put in.
    expressions: Option<Arc<BTreeMap<u64, ExprId>>>,
    /// Bytes that were taken out so far.
    taken: u64,
    pub(crate) readers: u32,
    pub(crate) writers: u32,
    /// It stands for a watch of files.
    pub(crate) is_watch: bool,
}

impl Pipe {
    /// A pipe that somebody outside holds open for writing.
    pub(crate) fn held_open() -> Pipe {
        Pipe { writers: 1, is_watch: true, ..Pipe::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn space(&self) -> usize {
        CAPACITY - self.bytes.len()
    }

    /// Takes up to `limit` bytes out.
    pub(crate) fn take(&mut self, limit: usize) -> Chunk {
        let n = limit.min(self.bytes.len());
        let plain: Vec<u8> = Arc::make_mut(&mut self.bytes).drain(..n).collect();
        let mut chunk = Chunk::from(plain);
        let (start, end) = (self.taken, self.taken + n as u64);
        if let Some(expressions) = self.expressions.take() {
            let mut gone = Arc::unwrap_or_clone(expressions);
            let left = gone.split_off(&end);
            chunk.expressions =
                gone.into_iter().map(|(at, found)| ((at - start) as usize, found)).collect();
            self.expressions = (!left.is_empty()).then(|| Arc::new(left));
        }
        self.taken = end;
        chunk
    }

    /// Puts in as much as there is space for.
    pub(crate) fn put(&mut self, chunk: &Chunk) -> usize {
        let n = chunk.len().min(self.space());
        let start = self.taken + self.bytes.len() as u64;
        Arc::make_mut(&mut self.bytes).extend(&chunk.plain[..n]);
        for &(at, expression) in chunk.expressions.iter().take_while(|(at, _)| *at < n) {
            let expressions = Arc::make_mut(self.expressions.get_or_insert_default());
            expressions.insert(start + at as u64, expression);
        }
        n
    }

    /// Puts back what was taken and could not be delivered.
    pub(crate) fn restore(&mut self, chunk: &Chunk) {
        let bytes = Arc::make_mut(&mut self.bytes);
        for &byte in chunk.plain.iter().rev() {
            bytes.push_front(byte);
        }
        self.taken -= chunk.len() as u64;
        for &(at, expression) in &chunk.expressions {
            let expressions = Arc::make_mut(self.expressions.get_or_insert_default());
            expressions.insert(self.taken + at as u64, expression);
        }
    }

    /// Both ends were closed: a FIFO forgets what nobody read.
    pub(crate) fn forget(&mut self) {
        (self.bytes, self.expressions) = (Arc::default(), None);
    }

    pub(crate) fn has_expressions(&self) -> bool {
        self.expressions.is_some()
    }

    /// Replaces every expression.
    pub(crate) fn translate(&mut self, translation: &mut dyn FnMut(ExprId) -> ExprId) {
        if let Some(expressions) = &mut self.expressions {
            for expression in Arc::make_mut(expressions).values_mut() {
                *expression = translation(*expression);
            }
        }
    }

    /// Puts numbers in place of all expressions.
    pub(crate) fn evaluate(&mut self, value: &mut dyn FnMut(ExprId) -> u64) {
        let Some(expressions) = self.expressions.take() else {
            return;
        };
        let bytes = Arc::make_mut(&mut self.bytes);
        for (&at, &expression) in expressions.iter() {
            bytes[(at - self.taken) as usize] = value(expression) as u8;
        }
    }
}
