//! Operations that are the same system calls on both sides: memory, counters, pairs of sockets,
//! several buffers at once.
//!
//! Memory is looked at and changed through a pipe, so that a page that may not be used is an error of
//! the call and not the end of the process. Pages that were unmapped are only looked at and stored to
//! again: their addresses may be somebody else's by then.

use crate::script::Op;
use std::collections::BTreeSet;

pub(crate) const PAGE: i64 = 4096;

/// A mapping of a script, with the pages that it has lost.
#[derive(Clone, Default)]
pub(crate) struct Mapping {
    pub(crate) address: i64,
    pub(crate) length: i64,
    pub(crate) gone: BTreeSet<i64>,
}

/// One side of a script.
pub(crate) trait Side {
    fn system_call(&mut self, number: i64, words: &[i64]) -> Result<i64, i32>;
    /// Puts bytes to one of two places.
    fn place(&mut self, place: usize, bytes: &[u8]) -> i64;
    fn placed(&mut self, place: usize, length: usize) -> Vec<u8>;
    fn descriptor(&self, slot: usize) -> i64;
    fn set_descriptor(&mut self, slot: usize, fd: i64);
    fn mapping(&mut self, slot: usize) -> &mut Mapping;
    /// Takes pages away. On the host nobody else may get their addresses, so they are replaced by pages
    /// that cannot be used.
    fn unmap(&mut self, address: i64, length: i64) -> Result<i64, i32>;
}

/// Operations that a path may end at, or behind.
pub(crate) const NAMES: [&str; 5] = ["map", "event", "timer", "memfd", "pair"];

/// Carries out an operation; `None` if it is not one of these.
pub(crate) fn run(side: &mut impl Side, op: &Op) -> Option<Result<String, i32>> {
    Some(match op.name.as_str() {
        "map" => map(side, op),
        "unmap" => unmap(side, op),
        "protect" => over_pages(side, op, libc::SYS_mprotect, op.number(3)),
        "msync" => over_pages(side, op, libc::SYS_msync, op.number(3)),
        "store" => store(side, op),
        "load" => load(side, op),
        "event" => {
            let flags = op.number(2) | i64::from(libc::O_NONBLOCK);
            opened(side, op, libc::SYS_eventfd2, &[op.number(1), flags])
        }
        "add" => {
            let at = side.place(0, &op.number(1).to_le_bytes());
            let fd = side.descriptor(op.slot(0));
            number(side, libc::SYS_write, &[fd, at, 8])
        }
        "timer" => {
            let flags = i64::from(libc::TFD_NONBLOCK);
            opened(side, op, libc::SYS_timerfd_create, &[libc::CLOCK_MONOTONIC.into(), flags])
        }
        "arm" => arm(side, op),
        "memfd" => {
            let name = side.place(0, b"name\0");
            opened(side, op, libc::SYS_memfd_create, &[name, 0])
        }
        "pair" => pair(side, op),
        "readv" | "preadv" => read_vector(side, op),
        "writev" | "pwritev" => write_vector(side, op),
        _ => return None,
    })
}

fn number(side: &mut impl Side, call: i64, words: &[i64]) -> Result<String, i32> {
    Ok(side.system_call(call, words)?.to_string())
}

fn opened(side: &mut impl Side, op: &Op, call: i64, words: &[i64]) -> Result<String, i32> {
    let fd = side.system_call(call, words)?;
    side.set_descriptor(op.slot(0), fd);
    Ok("opened".into())
}

fn map(side: &mut impl Side, op: &Op) -> Result<String, i32> {
    let slot = op.slot(0);
    let anonymous = op.word(1) == "-";
    let fd = if anonymous { -1 } else { side.descriptor(op.slot(1)) };
    let kind = if op.word(5) == "shared" { libc::MAP_SHARED } else { libc::MAP_PRIVATE };
    let flags = kind | if anonymous { libc::MAP_ANONYMOUS } else { 0 };
    let (length, offset, protection) = (op.number(2), op.number(3), op.number(4));
    let before = std::mem::take(side.mapping(slot));
    if before.length > 0 {
        side.system_call(libc::SYS_munmap, &[before.address, before.length])?;
    }
    let words = [0, length, protection, flags.into(), fd, offset];
    let address = side.system_call(libc::SYS_mmap, &words)?;
    let length = (length + PAGE - 1) / PAGE * PAGE;
    *side.mapping(slot) = Mapping { address, length, gone: BTreeSet::new() };
    Ok("mapped".into())
}

/// The address of an operation's pages and their numbers; `None` if it has none.
fn pages(side: &mut impl Side, op: &Op) -> Option<(i64, i64, Vec<i64>)> {
    let mapping = side.mapping(op.slot(0));
    let (offset, length) = (op.number(1) * PAGE, op.number(2) * PAGE);
    let inside = length > 0 && offset + length <= mapping.length;
    let numbers = (offset / PAGE..(offset + length) / PAGE).collect();
    inside.then_some((mapping.address + offset, length, numbers))
}

fn unmap(side: &mut impl Side, op: &Op) -> Result<String, i32> {
    let Some((address, length, numbers)) = pages(side, op) else { return Ok("outside".into()) };
    if numbers.iter().any(|page| side.mapping(op.slot(0)).gone.contains(page)) {
        return Ok("gone".into());
    }
    side.unmap(address, length)?;
    side.mapping(op.slot(0)).gone.extend(numbers);
    Ok("unmapped".into())
}

fn over_pages(side: &mut impl Side, op: &Op, call: i64, last: i64) -> Result<String, i32> {
    let Some((address, length, numbers)) = pages(side, op) else { return Ok("outside".into()) };
    if numbers.iter().any(|page| side.mapping(op.slot(0)).gone.contains(page)) {
        return Ok("gone".into());
    }
    number(side, call, &[address, length, last])
}

/// An address in a mapping, with room for some bytes on its page.
fn address(side: &mut impl Side, op: &Op, length: i64) -> Option<i64> {
    let mapping = side.mapping(op.slot(0));
    let offset = op.number(1);
    let inside = offset + length <= mapping.length && offset % PAGE + length <= PAGE;
    inside.then_some(mapping.address + offset)
}

/// A pipe for one transfer.
fn pipe(side: &mut impl Side) -> Result<[i64; 2], i32> {
    let at = side.place(1, &[0; 8]);
    side.system_call(libc::SYS_pipe2, &[at, 0])?;
    let bytes = side.placed(1, 8);
    let end = |n: usize| i64::from(i32::from_le_bytes(bytes[n..n + 4].try_into().unwrap()));
    Ok([end(0), end(4)])
}

fn close(side: &mut impl Side, ends: [i64; 2]) {
    for fd in ends {
        side.system_call(libc::SYS_close, &[fd]).unwrap();
    }
}

fn store(side: &mut impl Side, op: &Op) -> Result<String, i32> {
    let text = op.word(2).as_bytes().to_vec();
    let length = text.len() as i64;
    let Some(address) = address(side, op, length) else { return Ok("outside".into()) };
    let ends = pipe(side)?;
    let from = side.place(0, &text);
    side.system_call(libc::SYS_write, &[ends[1], from, length]).unwrap();
    let result = number(side, libc::SYS_read, &[ends[0], address, length]);
    close(side, ends);
    result
}

fn load(side: &mut impl Side, op: &Op) -> Result<String, i32> {
    let length = op.number(2).max(1);
    let Some(address) = address(side, op, length) else { return Ok("outside".into()) };
    let ends = pipe(side)?;
    let result = side.system_call(libc::SYS_write, &[ends[1], address, length]);
    let shown = result.map(|n| {
        let to = side.place(0, &[0; 64]);
        side.system_call(libc::SYS_read, &[ends[0], to, n]).unwrap();
        side.placed(0, n as usize).escape_ascii().to_string()
    });
    close(side, ends);
    shown
}

/// Far in the future or not at all: what is left of it then is not looked at.
fn arm(side: &mut impl Side, op: &Op) -> Result<String, i32> {
    let words = [0, 0, op.number(1), 0];
    let bytes: Vec<u8> = words.iter().flat_map(|word: &i64| word.to_le_bytes()).collect();
    let at = side.place(0, &bytes);
    let fd = side.descriptor(op.slot(0));
    number(side, libc::SYS_timerfd_settime, &[fd, 0, at, 0])
}

fn pair(side: &mut impl Side, op: &Op) -> Result<String, i32> {
    let kind = match op.word(2) {
        "stream" => libc::SOCK_STREAM,
        "dgram" => libc::SOCK_DGRAM,
        _ => libc::SOCK_SEQPACKET,
    };
    let at = side.place(1, &[0; 8]);
    let kind = i64::from(kind | libc::SOCK_NONBLOCK);
    side.system_call(libc::SYS_socketpair, &[libc::AF_UNIX.into(), kind, 0, at])?;
    let bytes = side.placed(1, 8);
    for (n, slot) in [op.slot(0), op.slot(1)].into_iter().enumerate() {
        let fd = i32::from_le_bytes(bytes[n * 4..n * 4 + 4].try_into().unwrap());
        side.set_descriptor(slot, fd.into());
    }
    Ok("opened".into())
}

/// The address of two buffers at the first place, which share the bytes that follow them.
fn vector(side: &mut impl Side, first: &[u8], second: &[u8]) -> i64 {
    const BUFFERS: usize = 32;
    let at = side.place(0, &[]);
    let mut bytes = Vec::new();
    let start = at + BUFFERS as i64;
    for word in [start, first.len() as i64, start + first.len() as i64, second.len() as i64] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(first);
    bytes.extend(second);
    side.place(0, &bytes)
}

fn read_vector(side: &mut impl Side, op: &Op) -> Result<String, i32> {
    let (one, two) = (op.number(1) as usize, op.number(2) as usize);
    let at = vector(side, &vec![0; one], &vec![0; two]);
    let fd = side.descriptor(op.slot(0));
    let n = match op.name.as_str() {
        "readv" => side.system_call(libc::SYS_readv, &[fd, at, 2])?,
        _ => side.system_call(libc::SYS_preadv, &[fd, at, 2, op.number(3), 0])?,
    };
    let bytes = side.placed(0, 32 + one + two);
    Ok(format!("{n} {}", bytes[32..].escape_ascii()))
}

fn write_vector(side: &mut impl Side, op: &Op) -> Result<String, i32> {
    let at = vector(side, op.word(1).as_bytes(), op.word(2).as_bytes());
    let fd = side.descriptor(op.slot(0));
    match op.name.as_str() {
        "writev" => number(side, libc::SYS_writev, &[fd, at, 2]),
        _ => number(side, libc::SYS_pwritev, &[fd, at, 2, op.number(3), 0]),
    }
}
