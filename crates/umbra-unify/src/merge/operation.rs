//! Two operations as one: what differs becomes changes, as deep as it goes.

use umbra_ir::{Argument, Callee, Operand, Operation, Predicate, RegisterId, Scaled, Table, Type};

use super::Signatures;
use super::target::{Target, map_destinations};
use crate::normal::{ASSERT_LINE, constant_hash, is_assertion};

/// Makes changes.
pub struct Changes<'a, 'p> {
    pub target: &'a mut Target<'p>,
    pub variables: &'a mut Table<RegisterId, Type>,
    pub signatures: &'a Signatures,
    /// What has to be done before.
    pub out: Vec<Operation>,
    pub count: u64,
}

impl Changes<'_, '_> {
    /// One operand that is `old` in the old version and `new` in the new one.
    pub fn pick(&mut self, old: Operand, new: Operand) -> Operand {
        if self.same(old, new) {
            return new;
        }
        let destination = self.variables.push(self.ty(new));
        self.out.push(Operation::Change { destination, old, new });
        self.count += 1;
        Operand::Register(destination)
    }

    fn same(&self, old: Operand, new: Operand) -> bool {
        match (old, new) {
            (Operand::Constant(a), Operand::Constant(b)) => {
                let token = |symbol| self.target.names.token(symbol);
                let constants = &self.target.program.constants;
                a == b
                    || constant_hash(&constants[a], &token) == constant_hash(&constants[b], &token)
            }
            _ => old == new,
        }
    }

    fn ty(&self, operand: Operand) -> Type {
        match operand {
            Operand::Register(variable) => self.variables[variable],
            Operand::Constant(id) => self.target.program.constants[id].ty,
        }
    }

    /// One operation that is `old` in the old version and `new` in the new one. Both assign the
    /// same variables.
    pub fn merge(&mut self, old: Operation, new: Operation) -> Operation {
        match (old, new) {
            (
                Operation::Binary { op: p, left: l, right: r, .. },
                Operation::Binary { destination, op, left, right },
            ) if p == op => {
                let (left, right) = (self.pick(l, left), self.pick(r, right));
                Operation::Binary { destination, op, left, right }
            }
            (
                Operation::Compare { predicate: p, left: l, right: r, .. },
                Operation::Compare { destination, predicate, left, right },
            ) if self.compares_alike(p, [l, r], predicate, [left, right]) => {
                let symmetric = p == swapped(p);
                let straight =
                    p == predicate && !(symmetric && self.crosses([l, r], [left, right]));
                let (l, r) = if straight { (l, r) } else { (r, l) };
                let (left, right) = (self.pick(l, left), self.pick(r, right));
                Operation::Compare { destination, predicate, left, right }
            }
            (
                Operation::FloatBinary { op: p, left: l, right: r, .. },
                Operation::FloatBinary { destination, op, left, right },
            ) if p == op => {
                let (left, right) = (self.pick(l, left), self.pick(r, right));
                Operation::FloatBinary { destination, op, left, right }
            }
            (
                Operation::FloatCompare { predicate: p, left: l, right: r, .. },
                Operation::FloatCompare { destination, predicate, left, right },
            ) if p == predicate => {
                let (left, right) = (self.pick(l, left), self.pick(r, right));
                Operation::FloatCompare { destination, predicate, left, right }
            }
            (
                Operation::Cast { op: p, operand: o, .. },
                Operation::Cast { destination, op, operand },
            ) if p == op => Operation::Cast { destination, op, operand: self.pick(o, operand) },
            (
                Operation::FloatNegate { operand: o, .. },
                Operation::FloatNegate { destination, operand },
            ) => Operation::FloatNegate { destination, operand: self.pick(o, operand) },
            (Operation::Copy { operand: o, .. }, Operation::Copy { destination, operand }) => {
                Operation::Copy { destination, operand: self.pick(o, operand) }
            }
            (
                Operation::Select { condition: c, left: l, right: r, .. },
                Operation::Select { destination, condition, left, right },
            ) => Operation::Select {
                destination,
                condition: self.pick(c, condition),
                left: self.pick(l, left),
                right: self.pick(r, right),
            },
            (Operation::Load { address: a, .. }, Operation::Load { destination, address }) => {
                Operation::Load { destination, address: self.pick(a, address) }
            }
            (Operation::Store { value: v, address: a }, Operation::Store { value, address }) => {
                Operation::Store { value: self.pick(v, value), address: self.pick(a, address) }
            }
            (
                Operation::Intrinsic { arguments: old, .. },
                Operation::Intrinsic { destinations, intrinsic, arguments },
            ) => {
                let pairs = old.into_iter().zip(arguments);
                let arguments = pairs.map(|(a, b)| self.pick(a, b)).collect();
                Operation::Intrinsic { destinations, intrinsic, arguments }
            }
            (old @ Operation::Offset { .. }, new @ Operation::Offset { .. }) => {
                self.offset(old, new)
            }
            (old @ Operation::Alloca { .. }, new @ Operation::Alloca { .. }) => {
                self.alloca(old, new)
            }
            (old @ Operation::Call { .. }, new @ Operation::Call { .. }) => self.call(old, new),
            (old, new) => self.both(old, new),
        }
    }

    /// Whether two comparisons are one of other operands, perhaps with its sides exchanged.
    fn compares_alike(
        &self,
        p: Predicate,
        old: [Operand; 2],
        q: Predicate,
        new: [Operand; 2],
    ) -> bool {
        p == q || p == swapped(q) && self.crosses(old, new)
    }

    /// Whether operands are the same crosswise only.
    fn crosses(&self, [l, r]: [Operand; 2], [left, right]: [Operand; 2]) -> bool {
        let straight = self.same(l, left) || self.same(r, right);
        !straight && (self.same(l, right) || self.same(r, left))
    }

    /// Both are computed, and one is taken. They have no effects and cannot fail.
    fn both(&mut self, mut old: Operation, mut new: Operation) -> Operation {
        let Some(&destination) = new.destinations().first() else { return new };
        let ty = self.variables[destination];
        let [a, b] = [self.variables.push(ty), self.variables.push(ty)];
        map_destinations(&mut old, &mut |_| a);
        map_destinations(&mut new, &mut |_| b);
        self.out.extend([old, new]);
        self.count += 1;
        Operation::Change { destination, old: Operand::Register(a), new: Operand::Register(b) }
    }

    fn offset(&mut self, old: Operation, new: Operation) -> Operation {
        let (
            Operation::Offset { base: b, constant: c, indices: i, .. },
            Operation::Offset { destination, base, constant, indices, field },
        ) = (old.clone(), new.clone())
        else {
            return new;
        };
        let alike = i.len() == indices.len()
            && i.iter()
                .zip(&indices)
                .all(|(x, y)| x.scale == y.scale && self.ty(x.index) == self.ty(y.index));
        if !alike {
            return self.both(old, new);
        }
        let base = self.pick(b, base);
        let mut merged: Vec<Scaled> = Vec::new();
        for (x, y) in i.into_iter().zip(indices) {
            merged.push(Scaled { index: self.pick(x.index, y.index), scale: y.scale });
        }
        if c == constant {
            return Operation::Offset { destination, base, constant, indices: merged, field };
        }
        let ty = Type::Integer(64);
        let (before, after) =
            (self.target.number(ty, c as u64), self.target.number(ty, constant as u64));
        let index = self.pick(before, after);
        merged.push(Scaled { index, scale: 1 });
        Operation::Offset { destination, base, constant: 0, indices: merged, field }
    }

    fn alloca(&mut self, old: Operation, new: Operation) -> Operation {
        let (
            Operation::Alloca { size: s, count: c, align: a, .. },
            Operation::Alloca { destination, size, count, align, name },
        ) = (old, new)
        else {
            unreachable!("two allocas")
        };
        let align = a.max(align);
        match (c, count) {
            (Some(c), Some(count)) if s == size => {
                let count = Some(self.pick(c, count));
                Operation::Alloca { destination, size, count, align, name }
            }
            (None, None) if s == size => {
                Operation::Alloca { destination, size, count, align, name }
            }
            (None, None) => {
                let ty = Type::Integer(64);
                let (before, after) = (self.target.number(ty, s), self.target.number(ty, size));
                let count = Some(self.pick(before, after));
                Operation::Alloca { destination, size: 1, count, align, name }
            }
            // Elements of other sizes, and a number of them that is computed.
            (c, count) => {
                let before = self.bytes(s, c);
                let after = self.bytes(size, count);
                let count = Some(self.pick(before, after));
                Operation::Alloca { destination, size: 1, count, align, name }
            }
        }
    }

    /// The bytes of so many elements.
    fn bytes(&mut self, size: u64, count: Option<Operand>) -> Operand {
        let ty = Type::Integer(64);
        let Some(count) = count else { return self.target.number(ty, size) };
        let wide = match self.ty(count) == ty {
            true => count,
            false => {
                let destination = self.variables.push(ty);
                let op = umbra_ir::CastOp::ZExt;
                self.out.push(Operation::Cast { destination, op, operand: count });
                Operand::Register(destination)
            }
        };
        let destination = self.variables.push(ty);
        let right = self.target.number(ty, size);
        let op = umbra_ir::BinaryOp::Mul;
        self.out.push(Operation::Binary { destination, op, left: wide, right });
        Operand::Register(destination)
    }

    fn call(&mut self, old: Operation, new: Operation) -> Operation {
        let is_assertion = is_assertion(&self.target.program, &new);
        let old = self.signatures.old_call(self.target, old);
        let new = self.signatures.new_call(self.target, new);
        let (
            Operation::Call { callee: c, arguments: a, .. },
            Operation::Call { destinations, callee, arguments },
        ) = (old, new)
        else {
            unreachable!("two calls")
        };
        let missing = |signatures: &Signatures, callee: &Callee, version, at| match callee {
            Callee::Direct(id) => signatures.is_missing(*id, version, at),
            Callee::Indirect(_) => false,
        };
        let callee = match (c, callee) {
            (Callee::Indirect(x), Callee::Indirect(y)) => Callee::Indirect(self.pick(x, y)),
            (_, callee) => callee,
        };
        let count = a.len().max(arguments.len());
        let mut merged = Vec::with_capacity(count);
        for at in 0..count {
            let argument = match (a.get(at), arguments.get(at)) {
                // Nobody looks at variable arguments behind those that there are.
                (Some(only), None) | (None, Some(only)) => *only,
                (Some(x), Some(_))
                    if missing(self.signatures, &callee, crate::Version::New, at) =>
                {
                    *x
                }
                (Some(_), Some(y))
                    if missing(self.signatures, &callee, crate::Version::Old, at) =>
                {
                    *y
                }
                (Some(_), Some(y)) if is_assertion && at == ASSERT_LINE => *y,
                (Some(x), Some(y)) => {
                    Argument { operand: self.pick(x.operand, y.operand), by_value: y.by_value }
                }
                (None, None) => continue,
            };
            merged.push(argument);
        }
        Operation::Call { destinations, callee, arguments: merged }
    }
}

fn swapped(predicate: Predicate) -> Predicate {
    match predicate {
        Predicate::Eq | Predicate::Ne => predicate,
        Predicate::Ugt => Predicate::Ult,
        Predicate::Uge => Predicate::Ule,
        Predicate::Ult => Predicate::Ugt,
        Predicate::Ule => Predicate::Uge,
        Predicate::Sgt => Predicate::Slt,
        Predicate::Sge => Predicate::Sle,
        Predicate::Slt => Predicate::Sgt,
        Predicate::Sle => Predicate::Sge,
    }
}
