//! Comparisons of strings in one step.
//!
//! A loop that compares symbolic strings byte by byte forks at every byte, and a program that tries
//! its argument against a list of words does so for every word. When a comparison function of libc
//! comes to a symbolic byte, it is therefore taken back and its result is built as one expression.
//! The function has changed nothing until then, and its arguments are still in the caller's frame.

use umbra_expr::ExprId;
use umbra_ir::Id;

use crate::code::{Comparison, Word};
use crate::environment::Byte;
use crate::memory::{Access, AccessKind};
use crate::state::FrameKind;
use crate::step::{Machine, Step};

/// Strings longer than this are compared by the program itself.
const MAX_LENGTH: usize = 4096;

impl Machine<'_> {
    /// If the current call is a comparison, ends it with its result as one expression. Says whether
    /// it did.
    pub(super) fn compare_in_one_step(&mut self) -> Step<bool> {
        let Some(frame) = self.state.frames.last() else { return Ok(false) };
        let function = frame.function;
        let Some(comparison) = self.image.functions[function.index()].comparison else {
            return Ok(false);
        };
        let depth = self.state.frames.len();
        if frame.kind != FrameKind::Call || depth < 2 {
            return Ok(false);
        }
        let caller = self.state.frames[depth - 2].base as usize;
        let call = &self.image.sites[frame.site as usize];
        let mut arguments = [0; 3];
        for (argument, word) in arguments.iter_mut().zip(&call.words) {
            if let Word::Slot(slot) = word
                && self.state.values[caller + *slot as usize].is_some()
            {
                return Ok(false);
            }
            *argument = word.get(&self.state.registers[caller..]);
        }
        let Some(result) = self.comparison(comparison, arguments) else {
            return Ok(false);
        };
        self.forget_expressions();
        let site = self.state.frames.last().map_or(0, |frame| frame.site);
        self.return_words(&[0])?;
        if let Some(&slot) = self.image.sites[site as usize].results.first() {
            self.put(slot, result);
        }
        Ok(true)
    }

    /// The result of a comparison; `None` if it may leave one of the objects, which only the function
    /// itself can find out properly.
    fn comparison(&mut self, comparison: Comparison, arguments: [u64; 3]) -> Option<ExprId> {
        let [left, right, bound] = arguments;
        let bound = if comparison.bounded { bound } else { u64::MAX };
        let mut steps: Vec<(ExprId, ExprId, ExprId)> = Vec::new();
        let mut index = 0;
        let zero = self.shared.expressions.constant(32, 0);
        let mut tail = zero;
        while index < bound {
            if steps.len() >= MAX_LENGTH {
                return None;
            }
            let (a, b) = (self.byte_at(left, index)?, self.byte_at(right, index)?);
            let (x, y) = (self.folded(comparison, a), self.folded(comparison, b));
            let expressions = &mut self.shared.expressions;
            let equal = expressions.eq(x, y);
            let (wide_x, wide_y) = (expressions.zext(x, 32), expressions.zext(y, 32));
            let difference = expressions.sub(wide_x, wide_y);
            let nul = expressions.constant(8, 0);
            let ends = match comparison.terminated {
                true => expressions.eq(a, nul),
                false => expressions.false_(),
            };
            index += 1;
            if expressions.constant_u64(equal) == Some(0) {
                tail = difference;
                break;
            }
            if expressions.constant_u64(ends) == Some(1) {
                tail = difference;
                break;
            }
            // The other string may be the one that ends: then the bytes differ, or both end here.
            let other_ends = match comparison.terminated {
                true => expressions.eq(b, nul),
                false => expressions.false_(),
            };
            let last = expressions.constant_u64(other_ends) == Some(1);
            steps.push((equal, ends, difference));
            if last {
                break;
            }
        }
        let mut result = tail;
        for (equal, ends, difference) in steps.into_iter().rev() {
            let expressions = &mut self.shared.expressions;
            let rest = expressions.ite(ends, zero, result);
            result = expressions.ite(equal, rest, difference);
        }
        Some(result)
    }

    fn byte_at(&mut self, address: u64, index: u64) -> Option<ExprId> {
        let address = address.wrapping_add(index);
        let access = Access { kind: AccessKind::Read, address, size: 1 };
        self.state.memory.check(access).ok()?;
        let bytes: Vec<Byte> = self.read_bytes(address, 1).ok()?;
        Some(self.byte_expression(bytes[0]))
    }

    /// The byte as it is compared.
    fn folded(&mut self, comparison: Comparison, byte: ExprId) -> ExprId {
        if !comparison.folded {
            return byte;
        }
        let expressions = &mut self.shared.expressions;
        let (low, high) =
            (expressions.constant(8, u64::from(b'A')), expressions.constant(8, u64::from(b'Z')));
        let (above, below) = (expressions.ule(low, byte), expressions.ule(byte, high));
        let upper = expressions.and(above, below);
        let bit = expressions.constant(8, 0x20);
        let lower = expressions.or(byte, bit);
        expressions.ite(upper, lower, byte)
    }
}
