//! Which input bytes an expression depends on.
//!
//! A support is a sorted list of ranges of bytes. Neighbouring bytes make one range, so numbers of
//! several bytes and reads of a whole array at an unknown index stay small. Supports are computed
//! when asked for, once per expression, and equal ones are stored once.

use std::collections::HashMap;

use crate::hash::IdMap;
use crate::id::{ArrayId, ExprId};
use crate::kind::Kind;
use crate::table::{Array, Expressions};

/// Adjacent bytes of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolRange {
    /// The input.
    pub array: ArrayId,
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

/// Supports by number, and the number of each expression's support.
#[derive(Clone, Debug, Default)]
pub(crate) struct Supports {
    /// Number zero, the empty one, is there from the first use on.
    lists: Vec<Box<[SymbolRange]>>,
    numbers: HashMap<Box<[SymbolRange]>, u32>,
    unions: IdMap<(u32, u32), u32>,
    /// One more than the number of the support, or zero.
    memo: Vec<u32>,
}

impl Supports {
    fn get(&self, e: ExprId) -> Option<u32> {
        self.memo.get(e.index()).and_then(|&number| number.checked_sub(1))
    }

    fn number(&mut self, ranges: Vec<SymbolRange>) -> u32 {
        if let Some(&number) = self.numbers.get(ranges.as_slice()) {
            return number;
        }
        let number = self.lists.len() as u32;
        self.lists.push(ranges.clone().into());
        self.numbers.insert(ranges.into(), number);
        number
    }

    fn union(&mut self, a: u32, b: u32) -> u32 {
        let (a, b) = (a.min(b), a.max(b));
        if a == b || a == 0 {
            return b;
        }
        if let Some(&number) = self.unions.get(&(a, b)) {
            return number;
        }
        let mut all: Vec<SymbolRange> = Vec::new();
        all.extend_from_slice(&self.lists[a as usize]);
        all.extend_from_slice(&self.lists[b as usize]);
        all.sort_unstable();
        let mut merged: Vec<SymbolRange> = Vec::with_capacity(all.len());
        for range in all {
            match merged.last_mut() {
                Some(last) if last.array == range.array && range.start <= last.end => {
                    last.end = last.end.max(range.end);
                }
                _ => merged.push(range),
            }
        }
        let number = self.number(merged);
        self.unions.insert((a, b), number);
        number
    }
}

impl Expressions {
    /// The input bytes that the expression depends on, sorted, ranges as long as they can be.
    ///
    /// A read at an index that is not constant depends on the whole input.
    pub fn support(&mut self, root: ExprId) -> &[SymbolRange] {
        let number = self.supports.get(root).unwrap_or_else(|| self.find_support(root));
        &self.supports.lists[number as usize]
    }

    /// The number of a support that is not known yet.
    fn find_support(&mut self, root: ExprId) -> u32 {
        let mut supports = std::mem::take(&mut self.supports);
        if supports.lists.is_empty() {
            supports.number(Vec::new());
        }
        if supports.memo.len() <= self.len() {
            supports.memo.resize(self.len() + 1, 0);
        }
        let mut stack = vec![root];
        while let Some(&e) = stack.last() {
            if supports.get(e).is_some() {
                stack.pop();
                continue;
            }
            let operands = self.operands(e);
            let before = stack.len();
            let symbol = self.as_symbol(e);
            if symbol.is_none() {
                stack.extend(operands.iter().filter(|&&operand| supports.get(operand).is_none()));
            }
            if stack.len() > before {
                continue;
            }
            stack.pop();
            let number = if let Some((array, start)) = symbol {
                supports.number(vec![SymbolRange { array, start, end: start + 1 }])
            } else if self.kind(e) == Kind::Array {
                let array = self.array_of(e);
                match self.array(array) {
                    Array::Input { size: 1.., .. } => {
                        let end = self.array(array).size();
                        supports.number(vec![SymbolRange { array, start: 0, end }])
                    }
                    _ => 0,
                }
            } else {
                let numbers = operands.iter().filter_map(|&operand| supports.get(operand));
                let numbers: smallvec::SmallVec<[u32; 3]> = numbers.collect();
                numbers.into_iter().fold(0, |all, number| supports.union(all, number))
            };
            supports.memo[e.index()] = number + 1;
        }
        self.supports = supports;
        self.supports.get(root).expect("the walk ends at the root")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_make_one_range() {
        let mut exprs = Expressions::new();
        let input = exprs.input("in", 8);
        let bytes = [0, 1, 2, 5].map(|offset| exprs.byte(input, offset));
        let mut e = bytes[0];
        for byte in &bytes[1..] {
            e = exprs.concat(*byte, e);
        }
        let range = |start, end| SymbolRange { array: input, start, end };
        assert_eq!(exprs.support(e), [range(0, 3), range(5, 6)]);
        let one = exprs.constant(8, 1);
        assert_eq!(exprs.support(one), []);
    }

    #[test]
    fn an_unknown_index_depends_on_the_whole_input_but_not_on_tables() {
        let mut exprs = Expressions::new();
        let (input, other) = (exprs.input("in", 8), exprs.input("other", 4));
        let table = exprs.table(b"abcdefgh");
        let byte = exprs.byte(other, 2);
        let index = exprs.zext(byte, 64);
        let range = |array, start, end| SymbolRange { array, start, end };
        let start = exprs.array_start(input);
        let read = exprs.read(start, index);
        assert_eq!(exprs.support(read), [range(input, 0, 8), range(other, 2, 3)]);
        let start = exprs.array_start(table);
        let read = exprs.read(start, index);
        assert_eq!(exprs.support(read), [range(other, 2, 3)]);
    }
}
