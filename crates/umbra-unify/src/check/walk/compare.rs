//! Whether two operations, or the ends of two blocks, do the same with equal values.

use umbra_ir::{Callee, Edge, Operation, Symbol, Terminator};

use super::super::values::{Classes, Side, Term, Values};
use super::Walk;
use crate::Version;
use crate::normal::{ASSERT_LINE, is_assertion, shape};

impl Walk<'_> {
    /// Compares two operations that do something.
    pub(super) fn compare(
        &mut self,
        a: &Operation,
        b: &Operation,
        values: &[Values; 2],
    ) -> Result<(), String> {
        let zero = |_: Symbol| 0;
        let types = |side: &Side<'_>, operation: &Operation| -> Vec<_> {
            operation.destinations().iter().map(|r| side.body.registers[*r]).collect()
        };
        if types(&self.merged, a) != types(&self.original, b) {
            return Err("results of other types".to_owned());
        }
        if let (
            Operation::Call { callee: p, arguments: x, .. },
            Operation::Call { callee: q, arguments: y, .. },
        ) = (a, b)
        {
            return self.compare_calls(
                (p, x),
                (q, y),
                is_assertion(self.merged.program, a),
                values,
            );
        }
        if let (
            Operation::Alloca { size: s, count: c, align: g, .. },
            Operation::Alloca { size: t, count: d, align: h, .. },
        ) = (a, b)
        {
            let bytes = |side: &Side<'_>,
                         classes: &mut Classes,
                         values: &Values,
                         size: u64,
                         count: &Option<_>| {
                match count {
                    None => (size, None),
                    Some(count) => {
                        let class = side.class(classes, values, *count);
                        match classes.term(class) {
                            Term::Number(_, number) => (size.wrapping_mul(*number), None),
                            _ => (size, Some(class)),
                        }
                    }
                }
            };
            let left = bytes(&self.merged, &mut self.classes, &values[0], *s, c);
            let right = bytes(&self.original, &mut self.classes, &values[1], *t, d);
            return match left == right && g >= h {
                true => Ok(()),
                false => Err("stack objects of other sizes".to_owned()),
            };
        }
        let programs = (self.merged.program, self.original.program);
        if shape(programs.0, a, &zero) != shape(programs.1, b, &zero) {
            return Err("other operations".to_owned());
        }
        let (mut left, mut right) = (Vec::new(), Vec::new());
        a.visit_operands(&mut |operand| left.push(operand));
        b.visit_operands(&mut |operand| right.push(operand));
        for (x, y) in left.into_iter().zip(right) {
            let types = (
                self.merged.program.type_of(self.merged.body, x),
                self.original.program.type_of(self.original.body, y),
            );
            let x = self.merged.class(&mut self.classes, &values[0], x);
            let y = self.original.class(&mut self.classes, &values[1], y);
            if x != y || types.0 != types.1 {
                return Err("other operands".to_owned());
            }
        }
        Ok(())
    }

    fn compare_calls(
        &mut self,
        (p, x): (&Callee, &[umbra_ir::Argument]),
        (q, y): (&Callee, &[umbra_ir::Argument]),
        is_assertion: bool,
        values: &[Values; 2],
    ) -> Result<(), String> {
        let mut positions: Vec<usize> = (0..y.len()).collect();
        let mut may_have_more = false;
        match (p, q) {
            (Callee::Direct(p), Callee::Direct(q)) => {
                let (left, right) = (
                    (self.merged.token)(Symbol::Function(*p)),
                    (self.original.token)(Symbol::Function(*q)),
                );
                if left != right {
                    return Err("other functions are called".to_owned());
                }
                may_have_more = self.original.program.functions[*q].variadic;
                if let Some(signature) = self.signatures.get(*p) {
                    may_have_more = true;
                    if self.merged.version == Version::Old {
                        positions =
                            signature.old.iter().map(|&at| at as usize).take(y.len()).collect();
                    }
                }
            }
            (Callee::Indirect(p), Callee::Indirect(q)) => {
                let left = self.merged.class(&mut self.classes, &values[0], *p);
                let right = self.original.class(&mut self.classes, &values[1], *q);
                if left != right {
                    return Err("other functions are called".to_owned());
                }
            }
            _ => return Err("other functions are called".to_owned()),
        }
        if !may_have_more && x.len() != y.len() {
            return Err("other numbers of arguments".to_owned());
        }
        for (at, (argument, position)) in y.iter().zip(positions).enumerate() {
            if is_assertion && at == ASSERT_LINE {
                continue;
            }
            let Some(given) = x.get(position) else {
                return Err("an argument is missing".to_owned());
            };
            let left = self.merged.class(&mut self.classes, &values[0], given.operand);
            let right = self.original.class(&mut self.classes, &values[1], argument.operand);
            if left != right || given.by_value != argument.by_value {
                return Err(format!("argument {} differs", at + 1));
            }
        }
        Ok(())
    }

    /// Compares terminators. Returns whether the edges of a branch are crossed.
    pub(super) fn compare_ends(
        &mut self,
        a: &Terminator,
        b: &Terminator,
        values: &[Values; 2],
    ) -> Result<bool, String> {
        let mut crossed = false;
        match (a, b) {
            (Terminator::Branch { condition: c, .. }, Terminator::Branch { condition: d, .. }) => {
                let left = self.merged.class(&mut self.classes, &values[0], *c);
                let right = self.original.class(&mut self.classes, &values[1], *d);
                let negated = |classes: &Classes, x, y| *classes.term(x) == Term::Not(y);
                if left != right {
                    crossed =
                        negated(&self.classes, left, right) || negated(&self.classes, right, left);
                    if !crossed {
                        return Err("other conditions".to_owned());
                    }
                }
            }
            (
                Terminator::Switch { value: c, cases: x, .. },
                Terminator::Switch { value: d, cases: y, .. },
            ) => {
                let left = self.merged.class(&mut self.classes, &values[0], *c);
                let right = self.original.class(&mut self.classes, &values[1], *d);
                let cases = |program: &umbra_ir::Program,
                             cases: &[(umbra_ir::ConstantId, Edge)]| {
                    let constants = cases.iter().map(|(id, _)| program.constants[*id].clone());
                    constants.collect::<Vec<_>>()
                };
                if left != right || cases(self.merged.program, x) != cases(self.original.program, y)
                {
                    return Err("other switches".to_owned());
                }
            }
            (Terminator::Return(x), Terminator::Return(y)) => {
                for (x, y) in x.iter().zip(y) {
                    let left = self.merged.class(&mut self.classes, &values[0], *x);
                    let right = self.original.class(&mut self.classes, &values[1], *y);
                    if left != right {
                        return Err("other results".to_owned());
                    }
                }
            }
            (Terminator::Unreachable, Terminator::Unreachable) => {}
            (Terminator::Unsupported(x), Terminator::Unsupported(y)) if x == y => {}
            _ => return Err("other ways on".to_owned()),
        }
        Ok(crossed)
    }
}
