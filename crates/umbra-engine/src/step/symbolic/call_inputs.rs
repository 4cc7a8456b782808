//! The arguments of a call that is chosen to be an input: what their pointers lead to may be other bytes
//! from here on. Those that are there are the first values, so the path goes on as it would have.
//!
//! Natively the same function takes the bytes from a test case (`umbra-project/libc/call/call.c`, which
//! also has the constants). What can be written stays where it is, as callers may compare addresses. What is
//! constant is copied, and texts get a little more room than they had: natively neither can be done in place.
//! The name of an object says which of the two it is.

use crate::environment::Byte;
use crate::memory::{Contents, ObjectKind};
use crate::step::{Machine, Step, Stop};
use crate::termination::Termination;

/// The call is the chosen one.
const CHOSEN: u64 = 1;

/// What is known of the pointer from its type.
const IS_TEXT: u64 = 2;
const IS_COUNTED: u64 = 4;

/// Bytes that a text may be longer than the one that is there.
const LONGER: usize = 8;

/// More bytes than this behind one pointer stay as they are.
const MOST_BYTES: usize = 1 << 13;

/// What a name begins with if the bytes are a copy of those that the caller passed.
const COPY: &str = "copy of ";

impl Machine<'_> {
    /// `__umbra_call_pointer(call, pointer, length, flags, name)`.
    pub(super) fn call_pointer(&mut self, site: u32) -> Step {
        let call = self.fix_argument(site, 0)? & u64::from(u32::MAX);
        let pointer = self.fix_argument(site, 1)?;
        let replaced = match call {
            CHOSEN => {
                let length = self.fix_argument(site, 2)?;
                let flags = self.fix_argument(site, 3)?;
                let name = self.argument_text(site, 4)?;
                self.bytes_behind(pointer, length as i64, flags, &name)?
            }
            _ => None,
        };
        self.finish_builtin(replaced.unwrap_or(pointer), site);
        Ok(())
    }

    /// Makes inputs of the bytes behind a pointer, in their place or in a copy, whose address it returns.
    fn bytes_behind(
        &mut self,
        pointer: u64,
        length: i64,
        flags: u64,
        name: &str,
    ) -> Step<Option<u64>> {
        let Some((bytes, is_constant)) = self.plain_bytes(pointer, length, flags)? else {
            return Ok(None);
        };
        if !is_constant {
            self.make_inputs(pointer, &bytes, name)?;
            return Ok(None);
        }
        let end = flags & IS_TEXT != 0;
        let is_open = flags & IS_COUNTED == 0 || length <= 0 || (bytes.len() as i64) < length;
        let mut inputs = bytes;
        if end && is_open {
            inputs.resize(inputs.len() + LONGER, 0);
        }
        let size = (inputs.len() + usize::from(end)) as u64;
        let made = self.state.trace(self.state.pc);
        let copy = self.state.memory.allocate(ObjectKind::Heap, size, 16, Contents::Zero, made);
        let copy = copy.ok_or(Stop::end(Termination::Limit("memory")))?;
        self.make_inputs(copy, &inputs, &format!("{COPY}{name}"))?;
        Ok(Some(copy))
    }

    /// The bytes behind a pointer up to their end: that which the number behind it says, that of a
    /// text, or that of the object. Only plain ones can be another test's. Also says whether the
    /// object is constant.
    fn plain_bytes(&self, pointer: u64, length: i64, flags: u64) -> Step<Option<(Vec<u8>, bool)>> {
        let Some(object) = self.state.memory.object(pointer).filter(|object| object.is_alive())
        else {
            return Ok(None);
        };
        if object.twin.is_some() && self.both_run() {
            return Err(Stop::Apart);
        }
        let Some(start) = pointer.checked_sub(object.base).filter(|at| *at < object.size) else {
            return Ok(None);
        };
        let (start, mut end) = (start as usize, object.size as usize);
        let is_counted = flags & IS_COUNTED != 0 && length > 0;
        if is_counted {
            end = end.min(start.saturating_add(length as usize));
        } else if flags & IS_TEXT == 0 {
            return Ok(None);
        }
        let mut bytes = object.plain_bytes(start, end);
        if flags & IS_TEXT != 0 {
            bytes = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
        }
        let fits = bytes.len() <= MOST_BYTES && (!bytes.is_empty() || flags & IS_TEXT != 0);
        Ok(fits.then(|| (bytes.to_vec(), !object.writable)))
    }

    /// Makes bytes of memory inputs, which have these values first.
    fn make_inputs(&mut self, at: u64, bytes: &[u8], name: &str) -> Step {
        if bytes.is_empty() {
            return Ok(());
        }
        let size = bytes.len() as u32;
        let (array, name) = self.input_array(name, size);
        let values: Vec<Byte> = (0..size)
            .map(|offset| Byte::Symbolic(self.shared.expressions.byte(array, offset)))
            .collect();
        let written = self.state.memory.write_bytes(at, &values);
        written.map_err(|fault| self.fault(*fault))?;
        let path = &mut self.state.path;
        if path.assignment().bytes(array).is_empty() {
            let mut assignment = path.assignment().clone();
            assignment.set_bytes(array, bytes);
            path.set_assignment(assignment);
        }
        self.add_input(name, array, size);
        Ok(())
    }
}
