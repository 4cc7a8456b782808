//! Functions on characters in one step.
//!
//! Classes and cases of characters are computed by libc with a branch or two, so that a loop over a
//! string of n characters has 2^n paths without meaning anything by it. Given an expression, these
//! functions yield an expression instead. Their results are those of musl, where true is 1.

use umbra_expr::{ExprId, Expressions};
use umbra_ir::{FunctionId, Id};

use crate::code::CharacterFunction;
use crate::step::{Machine, Step};

impl Machine<'_> {
    /// Calls a function on characters with an expression, if `function` is one. Says whether it did.
    pub(super) fn call_on_character(&mut self, function: FunctionId, site: u32) -> Step<bool> {
        let Some(kind) = self.image.functions[function.index()].character else {
            return Ok(false);
        };
        if self.image.sites[site as usize].words.len() != 1 {
            return Ok(false);
        }
        let character = self.argument(site, 0, 32);
        let result = on_character(&mut self.shared.expressions, kind, character);
        self.finish_input(Some(result), site);
        Ok(true)
    }
}

fn on_character(e: &mut Expressions, kind: CharacterFunction, character: ExprId) -> ExprId {
    match kind {
        CharacterFunction::Class(ranges) => {
            let mut any = e.false_();
            for &(low, high) in ranges {
                let within = in_range(e, character, low, high);
                any = e.or(any, within);
            }
            e.zext(any, 32)
        }
        CharacterFunction::Map { low, high, change } => {
            let within = in_range(e, character, low, high);
            let change = e.constant(32, change);
            let changed = e.xor(character, change);
            e.ite(within, changed, character)
        }
    }
}

fn in_range(e: &mut Expressions, character: ExprId, low: u8, high: u8) -> ExprId {
    let low_constant = e.constant(32, low.into());
    if low == high {
        return e.eq(character, low_constant);
    }
    let distance = e.sub(character, low_constant);
    let length = e.constant(32, u64::from(high - low));
    e.ule(distance, length)
}
