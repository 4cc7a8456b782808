//! Paths in the program's memory, whose bytes may be expressions.
//!
//! What a path means depends on every byte of it, but usually only a few of the strings that it
//! could be mean something. So, once the length is known, it is asked for each of these whether the
//! path is equal to it; only if it is none of them are the bytes themselves decided, eight at a
//! time. Nothing is lost: each question divides all values in two, and every value is on one side.
//!
//! A call that only looks for a file does the same for all names that no file has: it fails. So such
//! a name is not decided at all.
//!
//! The length comes first, byte by byte, because what lies behind the first NUL may not be readable
//! at all. Where the program has looked for the end of the string itself, that is known already.

use crate::bytes::Chunk;
use crate::errno::Errno;
use crate::symbolic_files::decide;
use crate::system::System;
use crate::user::PATH_MAX;
use umbra_engine::{Byte, UserMemory};

/// The most entries of the working directory that are tried.
const MAX_ENTRIES: usize = 16;

impl System {
    /// A path; the empty one is for the caller to judge.
    pub(crate) fn path(
        &mut self,
        memory: &mut dyn UserMemory,
        address: u64,
    ) -> Result<Vec<u8>, Errno> {
        if memory.expressions().is_none() {
            return memory.read_c_string(address, PATH_MAX)?.ok_or(Errno::ENAMETOOLONG);
        }
        let text = read_text(memory, address)?;
        if text.expressions.is_empty() {
            return Ok(text.plain);
        }
        for candidate in self.likely_paths() {
            if is_equal(memory, &text, &candidate)? {
                return Ok(candidate);
            }
        }
        decide_bytes(memory, text)
    }

    /// A path that a call looks for and does not make: if no file is there, any name that no file
    /// has may be returned instead.
    pub(crate) fn existing_path(
        &mut self,
        memory: &mut dyn UserMemory,
        dirfd: i32,
        address: u64,
    ) -> Result<Vec<u8>, Errno> {
        if memory.expressions().is_none() || dirfd != libc::AT_FDCWD {
            return self.path(memory, address);
        }
        let text = read_text(memory, address)?;
        if text.expressions.is_empty() {
            return Ok(text.plain);
        }
        let candidates = self.likely_paths();
        for candidate in &candidates {
            if is_equal(memory, &text, candidate)? {
                return Ok(candidate.clone());
            }
        }
        let all = self.fs.some_names(self.process.cwd, MAX_ENTRIES + 1).len() <= MAX_ENTRIES;
        if !all || has_slash(memory, &text)? {
            return decide_bytes(memory, text);
        }
        let mut bytes = text.plain;
        for (index, expression) in text.expressions {
            bytes[index] = memory.sample(expression)? as u8;
        }
        Ok(bytes)
    }

    /// The paths that a program may well mean.
    fn likely_paths(&mut self) -> Vec<Vec<u8>> {
        let mut paths: Vec<Vec<u8>> = Vec::new();
        let mut below = self.path_of_directory(self.process.cwd).unwrap_or_default();
        if below != b"/" {
            below.push(b'/');
        }
        for path in self.symbolic_paths.iter() {
            paths.extend(path.strip_prefix(&*below).map(<[u8]>::to_vec));
            paths.push(path.to_vec());
        }
        paths.extend([".", "..", "/"].map(|path| path.as_bytes().to_vec()));
        paths.extend(self.fs.some_names(self.process.cwd, MAX_ENTRIES));
        paths
    }
}

/// The bytes up to the first NUL.
fn read_text(memory: &mut dyn UserMemory, address: u64) -> Result<Chunk, Errno> {
    let mut text = Chunk::default();
    for offset in 0..PATH_MAX as u64 {
        let at = address.wrapping_add(offset);
        let mut byte = [0];
        if memory.read_plain(at, &mut byte)? {
            if byte == [0] {
                return Ok(text);
            }
            text.plain.push(byte[0]);
            continue;
        }
        for byte in memory.read_bytes(at, 1)? {
            let Byte::Symbolic(expression) = byte else {
                return Err(Errno::EFAULT);
            };
            let exprs = memory.expressions().ok_or(Errno::EFAULT)?;
            let zero = exprs.constant(8, 0);
            let end = exprs.eq(expression, zero);
            if decide(memory, end)? == 1 {
                return Ok(text);
            }
            text.expressions.push((text.plain.len(), expression));
            text.plain.push(0);
        }
    }
    Err(Errno::ENAMETOOLONG)
}

fn is_equal(memory: &mut dyn UserMemory, text: &Chunk, candidate: &[u8]) -> Result<bool, Errno> {
    if text.len() != candidate.len() {
        return Ok(false);
    }
    let exprs = memory.expressions().ok_or(Errno::EFAULT)?;
    let mut condition = exprs.true_();
    let mut expressions = text.expressions.iter().peekable();
    for (index, (&byte, &wanted)) in text.plain.iter().zip(candidate).enumerate() {
        match expressions.next_if(|(at, _)| *at == index) {
            Some(&(_, expression)) => {
                let wanted = exprs.constant(8, u64::from(wanted));
                let same = exprs.eq(expression, wanted);
                condition = exprs.and(condition, same);
            }
            None if byte != wanted => return Ok(false),
            None => {}
        }
    }
    Ok(decide(memory, condition)? == 1)
}

/// Whether the text is more than a name.
fn has_slash(memory: &mut dyn UserMemory, text: &Chunk) -> Result<bool, Errno> {
    if text.plain.contains(&b'/') {
        return Ok(true);
    }
    let exprs = memory.expressions().ok_or(Errno::EFAULT)?;
    let slash = exprs.constant(8, u64::from(b'/'));
    let mut any = exprs.false_();
    for &(_, expression) in &text.expressions {
        let here = exprs.eq(expression, slash);
        any = exprs.or(any, here);
    }
    Ok(decide(memory, any)? == 1)
}

fn decide_bytes(memory: &mut dyn UserMemory, text: Chunk) -> Result<Vec<u8>, Errno> {
    let mut bytes = text.plain;
    for group in text.expressions.chunks(8) {
        let exprs = memory.expressions().ok_or(Errno::EFAULT)?;
        let mut parts = group.iter().map(|(_, expression)| *expression);
        let first = parts.next().ok_or(Errno::EFAULT)?;
        let packed = parts.fold(first, |low, high| exprs.concat(high, low));
        let value = decide(memory, packed)?.to_le_bytes();
        for ((index, _), value) in group.iter().zip(value) {
            bytes[*index] = value;
        }
    }
    Ok(bytes)
}
