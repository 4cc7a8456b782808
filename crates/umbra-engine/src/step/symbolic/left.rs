//! What a function that is run on its own leaves behind the pointers that it was called with.
//!
//! Whoever calls it can see that, as what it returns. Addresses of objects are not compared: a version that
//! allocates more than the other gets other ones, which means nothing.

use umbra_expr::{ArrayId, ExprId};

use super::lazy::OBJECT_BYTES;
use crate::environment::Byte;
use crate::memory::FaultKind;
use crate::step::{Machine, Step, Stop};

/// Stands for the address of an object.
const SOME_ADDRESS: u64 = 1;

impl Machine<'_> {
    /// The bytes behind the pointers that the call at `site` names, as one value; `None` if all are null.
    ///
    /// Which pointers are null is decided here if the function has not asked, so two versions on the same
    /// inputs have values of the same width.
    pub(super) fn left_behind(&mut self, site: u32) -> Step<Option<ExprId>> {
        let mut left = None;
        for index in 0..self.image.sites[site as usize].words.len() {
            let pointer = self.argument(site, index, 64);
            let words = match self.known_object(pointer) {
                Some(array) => self.words_behind(pointer, Some(array))?,
                None => {
                    let address = self.make_lazy_object(pointer)?;
                    match self.evaluate(address) {
                        0 => Vec::new(),
                        _ => self.words_behind(address, None)?,
                    }
                }
            };
            for word in words {
                left = Some(match left {
                    Some(left) => self.shared.expressions.concat(word, left),
                    None => word,
                });
            }
        }
        Ok(left)
    }

    /// The words of the object behind a pointer. A version that has not made it, as the other has, has left
    /// there what was there, the inputs of this array.
    fn words_behind(&mut self, pointer: ExprId, array: Option<ArrayId>) -> Step<Vec<ExprId>> {
        let address = self.evaluate(pointer);
        let bytes: Vec<ExprId> = match (self.state.memory.cells(address, OBJECT_BYTES), array) {
            (Ok(cells), _) => {
                let bytes = self.shared.bytes(cells).into_iter();
                let expressions = &mut self.shared.expressions;
                let value = |byte: Byte| match byte {
                    Byte::Concrete(value) => expressions.constant(8, value.into()),
                    Byte::Symbolic(value) => value,
                };
                bytes.map(value).collect()
            }
            (Err(fault), _) if fault.kind == FaultKind::Apart => return Err(Stop::Apart),
            (Err(_), Some(array)) => {
                let expressions = &mut self.shared.expressions;
                (0..OBJECT_BYTES as u32).map(|at| expressions.byte(array, at)).collect()
            }
            (Err(_), None) => {
                vec![self.shared.expressions.constant(8, 0); OBJECT_BYTES as usize]
            }
        };
        let words = bytes.chunks(8).map(|bytes| {
            let mut word = bytes[0];
            for &byte in &bytes[1..] {
                word = self.shared.expressions.concat(byte, word);
            }
            self.without_address(word)
        });
        Ok(words.collect())
    }

    /// A word in which the address of an object, of either version, is as good as any other.
    fn without_address(&mut self, word: ExprId) -> ExprId {
        if self.shared.expressions.contains_pair(word) {
            let old = self.shared.expressions.project_old(word);
            let new = self.shared.expressions.project_new(word);
            let sides = (self.without_address(old), self.without_address(new));
            // A pair that stays as it is keeps where it comes from.
            return match sides == (old, new) {
                true => word,
                false => self.shared.expressions.pair(sides.0, sides.1),
            };
        }
        let is_address = |number| {
            let object = self.state.memory.object(number);
            object.is_some_and(|object| object.is_alive() && object.offset(number, 0).is_some())
        };
        match self.shared.expressions.constant_u64(word).is_some_and(is_address) {
            true => self.shared.expressions.constant(64, SOME_ADDRESS),
            false => word,
        }
    }
}
