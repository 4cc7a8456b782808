//! Rebuilding expressions with something changed: substitution, projection, moving between tables.
//!
//! All walks keep their own stack: expressions can be deeper than the thread's stack allows.

use crate::hash::IdMap;
use crate::id::{ArrayId, ExprId};
use crate::kind::Kind;
use crate::table::{Array, Expressions};

impl Expressions {
    /// Builds `root` again bottom-up; `replace` says what an expression becomes without looking at
    /// its operands, or nothing.
    pub(crate) fn rebuild(
        &mut self,
        root: ExprId,
        memo: &mut IdMap<ExprId, ExprId>,
        replace: impl Fn(&Self, ExprId) -> Option<ExprId>,
    ) -> ExprId {
        let mut stack = vec![root];
        while let Some(&e) = stack.last() {
            if memo.contains_key(&e) {
                stack.pop();
                continue;
            }
            if let Some(replaced) = replace(self, e) {
                memo.insert(e, replaced);
                stack.pop();
                continue;
            }
            let operands = self.operands(e);
            let before = stack.len();
            stack.extend(operands.iter().filter(|operand| !memo.contains_key(operand)));
            if stack.len() > before {
                continue;
            }
            stack.pop();
            let mut changed = operands;
            for operand in changed.iter_mut() {
                *operand = memo[operand];
            }
            let result = if *changed == *operands {
                e
            } else {
                let shape = self.shape(e);
                self.build(shape.kind, shape.width, shape.extra, &changed)
            };
            memo.insert(e, result);
        }
        memo[&root]
    }

    /// The expression with some of its parts replaced by others of the same width, all at once.
    pub fn substitute(
        &mut self,
        e: ExprId,
        replacements: impl IntoIterator<Item = (ExprId, ExprId)>,
    ) -> ExprId {
        let mut memo: IdMap<ExprId, ExprId> = replacements.into_iter().collect();
        self.rebuild(e, &mut memo, |_, _| None)
    }

    /// The expression of another table, built in this one.
    ///
    /// Inputs are matched by name, tables by content.
    pub fn import(&mut self, other: &Expressions, e: ExprId) -> ExprId {
        Importer::new(other).import(self, e)
    }

    fn import_array(&mut self, array: &Array) -> ArrayId {
        match array {
            Array::Input { name, size } => self.input(name, *size),
            Array::Table(bytes) => self.table(bytes),
        }
    }
}

/// Moves several expressions from one table to another; what they share is moved once.
pub struct Importer<'a> {
    source: &'a Expressions,
    memo: IdMap<ExprId, ExprId>,
}

impl<'a> Importer<'a> {
    /// Nothing moved yet.
    pub fn new(source: &'a Expressions) -> Self {
        Self { source, memo: IdMap::default() }
    }

    /// Where an expression of the source has been built, if it was.
    pub fn imported(&self, e: ExprId) -> Option<ExprId> {
        self.memo.get(&e).copied()
    }

    /// The expression of the source, built in `target`, which is the same in all calls.
    pub fn import(&mut self, target: &mut Expressions, root: ExprId) -> ExprId {
        let mut stack = vec![root];
        while let Some(&e) = stack.last() {
            if self.memo.contains_key(&e) {
                stack.pop();
                continue;
            }
            let operands = self.source.operands(e);
            let before = stack.len();
            stack.extend(operands.iter().filter(|operand| !self.memo.contains_key(operand)));
            if stack.len() > before {
                continue;
            }
            stack.pop();
            let result = match self.source.kind(e) {
                Kind::Constant => {
                    let value = self.source.constant_bits(e).expect("a constant has a value");
                    target.constant_of(&value)
                }
                Kind::Array => {
                    let array = target.import_array(self.source.array(self.source.array_of(e)));
                    target.array_start(array)
                }
                _ => {
                    let shape = self.source.shape(e);
                    let mut moved = operands;
                    for operand in moved.iter_mut() {
                        *operand = self.memo[operand];
                    }
                    target.build(shape.kind, shape.width, shape.extra, &moved)
                }
            };
            self.memo.insert(e, result);
        }
        self.memo[&root]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn substitution_replaces_all_at_once() {
        let mut exprs = Expressions::new();
        let input = exprs.input("in", 2);
        let (x, y) = (exprs.byte(input, 0), exprs.byte(input, 1));
        let product = exprs.udiv(x, y);
        let swapped = exprs.substitute(product, [(x, y), (y, x)]);
        assert_eq!(swapped, exprs.udiv(y, x));
    }

    #[test]
    fn deep_expressions_move_without_recursion() {
        let mut exprs = Expressions::new();
        let input = exprs.input("in", 200);
        let mut e = exprs.byte(input, 0);
        for round in 0..100_000 {
            let byte = exprs.byte(input, round % 200);
            e = exprs.udiv(e, byte);
        }
        let mut other = Expressions::new();
        let there = other.import(&exprs, e);
        assert_eq!(exprs.import(&other, there), e);
        assert_eq!(exprs.depth(e), u32::from(u16::MAX));
    }
}
