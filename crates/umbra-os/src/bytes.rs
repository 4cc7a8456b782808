//! Bytes on the move: numbers, with expressions among them here and there.
//!
//! The numbers are a plain run of `u8`, so that data without expressions is handled as fast as if
//! there were none; expressions are a sparse list on top.

use std::borrow::Cow;
use std::sync::Arc;
use umbra_engine::{BadAddress, Byte, UserMemory};
use umbra_expr::{ExprId, Expressions};

/// Bytes read, or to be written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Chunk {
    /// One for each byte; zero where there is an expression.
    pub(crate) plain: Vec<u8>,
    /// Expressions by index, in ascending order.
    pub(crate) expressions: Vec<(usize, ExprId)>,
}

impl From<Vec<u8>> for Chunk {
    fn from(plain: Vec<u8>) -> Chunk {
        Chunk { plain, expressions: Vec::new() }
    }
}

impl FromIterator<Byte> for Chunk {
    fn from_iter<T: IntoIterator<Item = Byte>>(bytes: T) -> Chunk {
        let mut chunk = Chunk::default();
        for byte in bytes {
            match byte {
                Byte::Concrete(value) => chunk.plain.push(value),
                Byte::Symbolic(expression) => {
                    chunk.expressions.push((chunk.plain.len(), expression));
                    chunk.plain.push(0);
                }
            }
        }
        chunk
    }
}

impl Chunk {
    pub(crate) fn len(&self) -> usize {
        self.plain.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.plain.is_empty()
    }

    pub(crate) fn truncate(&mut self, length: usize) {
        self.plain.truncate(length);
        self.expressions.retain(|(index, _)| *index < length);
    }

    /// Puts other bytes behind these.
    pub(crate) fn append(&mut self, other: Chunk) {
        let start = self.plain.len();
        self.plain.extend(other.plain);
        let moved = other.expressions.into_iter().map(|(index, found)| (start + index, found));
        self.expressions.extend(moved);
    }

    /// Adds zeros up to a length.
    pub(crate) fn extend_with_zeros(&mut self, length: usize) {
        self.plain.resize(length.max(self.plain.len()), 0);
    }

    /// The first `length` bytes, which need no copy if they are all.
    pub(crate) fn prefix(&self, length: usize) -> Cow<'_, Chunk> {
        if length >= self.len() { Cow::Borrowed(self) } else { Cow::Owned(self.slice(0, length)) }
    }

    /// A copy of up to `length` bytes from `start` on.
    pub(crate) fn slice(&self, start: usize, length: usize) -> Chunk {
        let start = start.min(self.len());
        let end = self.len().min(start.saturating_add(length));
        let from = self.expressions.partition_point(|(index, _)| *index < start);
        let to = self.expressions.partition_point(|(index, _)| *index < end);
        let expressions = &self.expressions[from..to];
        Chunk {
            plain: self.plain[start..end].to_vec(),
            expressions: expressions.iter().map(|&(index, found)| (index - start, found)).collect(),
        }
    }

    /// Puts an expression over the `size` bytes at `at`, the lowest byte first.
    pub(crate) fn put(&mut self, exprs: &mut Expressions, at: usize, size: usize, value: ExprId) {
        let value = resize(exprs, value, size as u32 * 8);
        for index in 0..size {
            let byte = exprs.extract(value, index as u32 * 8, 8);
            match exprs.constant_u64(byte) {
                Some(number) => self.plain[at + index] = number as u8,
                None => {
                    self.plain[at + index] = 0;
                    let place = self.expressions.partition_point(|(other, _)| *other < at + index);
                    self.expressions.insert(place, (at + index, byte));
                }
            }
        }
    }

    fn to_bytes(&self) -> Vec<Byte> {
        let mut bytes: Vec<Byte> = self.plain.iter().map(|&byte| Byte::Concrete(byte)).collect();
        for &(index, expression) in &self.expressions {
            bytes[index] = Byte::Symbolic(expression);
        }
        bytes
    }

    /// Takes bytes out of the program's memory.
    pub(crate) fn load(
        memory: &mut dyn UserMemory,
        address: u64,
        length: usize,
    ) -> Result<Chunk, BadAddress> {
        let mut plain = vec![0; length];
        if memory.read_plain(address, &mut plain)? {
            return Ok(plain.into());
        }
        Ok(memory.read_bytes(address, length)?.into_iter().collect())
    }

    /// Puts the bytes into the program's memory.
    pub(crate) fn store(
        &self,
        memory: &mut dyn UserMemory,
        address: u64,
    ) -> Result<(), BadAddress> {
        if self.expressions.is_empty() {
            memory.write(address, &self.plain)
        } else {
            memory.write_bytes(address, &self.to_bytes())
        }
    }

    pub(crate) fn translate(&mut self, translation: &mut dyn FnMut(ExprId) -> ExprId) {
        for (_, expression) in &mut self.expressions {
            *expression = translation(*expression);
        }
    }

    pub(crate) fn evaluate(&mut self, value: &mut dyn FnMut(ExprId) -> u64) {
        for (index, expression) in self.expressions.drain(..) {
            self.plain[index] = value(expression) as u8;
        }
    }
}

/// An expression cut, or extended with zeros, to `width` bits.
pub(crate) fn resize(exprs: &mut Expressions, expression: ExprId, width: u32) -> ExprId {
    if exprs.width(expression) > width {
        exprs.extract(expression, 0, width)
    } else {
        exprs.zext(expression, width)
    }
}

/// Bytes that the program wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutputBytes {
    /// Numbers only.
    Plain(Arc<[u8]>),
    /// Some of them are expressions.
    Mixed(Arc<[Byte]>),
}

impl From<&Chunk> for OutputBytes {
    fn from(chunk: &Chunk) -> OutputBytes {
        if chunk.expressions.is_empty() {
            OutputBytes::Plain(chunk.plain.as_slice().into())
        } else {
            OutputBytes::Mixed(chunk.to_bytes().into())
        }
    }
}

impl FromIterator<Byte> for OutputBytes {
    fn from_iter<T: IntoIterator<Item = Byte>>(bytes: T) -> OutputBytes {
        let bytes: Vec<Byte> = bytes.into_iter().collect();
        let plain: Option<Vec<u8>> = bytes.iter().map(|byte| byte.concrete()).collect();
        match plain {
            Some(plain) => OutputBytes::Plain(plain.into()),
            None => OutputBytes::Mixed(bytes.into()),
        }
    }
}

impl OutputBytes {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            OutputBytes::Plain(bytes) => bytes.len(),
            OutputBytes::Mixed(bytes) => bytes.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes, if all of them are numbers.
    pub fn plain(&self) -> Option<&[u8]> {
        match self {
            OutputBytes::Plain(bytes) => Some(bytes),
            OutputBytes::Mixed(_) => None,
        }
    }

    /// Each byte.
    pub fn iter(&self) -> impl Iterator<Item = Byte> + '_ {
        (0..self.len()).map(|index| match self {
            OutputBytes::Plain(bytes) => Byte::Concrete(bytes[index]),
            OutputBytes::Mixed(bytes) => bytes[index],
        })
    }

    /// The numbers that the bytes are when `value` says what each expression is.
    pub fn values(&self, mut value: impl FnMut(ExprId) -> u8) -> Vec<u8> {
        let number = |byte| match byte {
            Byte::Concrete(number) => number,
            Byte::Symbolic(expression) => value(expression),
        };
        match self {
            OutputBytes::Plain(bytes) => bytes.to_vec(),
            OutputBytes::Mixed(_) => self.iter().map(number).collect(),
        }
    }

    /// The same with every expression replaced.
    pub(crate) fn translated(&self, translation: &mut dyn FnMut(ExprId) -> ExprId) -> OutputBytes {
        let replace = |byte| match byte {
            Byte::Symbolic(expression) => Byte::Symbolic(translation(expression)),
            concrete => concrete,
        };
        OutputBytes::Mixed(self.iter().map(replace).collect())
    }
}
