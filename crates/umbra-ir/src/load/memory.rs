//! Stack objects, loads, stores, address arithmetic and atomics.
//!
//! The machine runs one thread at a time: read-modify-write operations are the sequence that their name says. In front of an
//! atomic access stands `synchronize`, in front of a volatile one `volatile`.

use super::Unsupported;
use super::constants::{GepStep, GepWalk, signed};
use super::functions::{FunctionLoader, Leaves};
use crate::constant::ConstantValue;
use crate::instruction::{BinaryOp, Field, FloatOp, Operand, Operation, Predicate, Scaled};
use crate::intrinsic::Intrinsic;
use crate::llvm::{AtomicOp, Kind, Value};
use crate::types::Type;

fn malformed(what: &str) -> Unsupported {
    Unsupported(format!("a malformed {what}"))
}

impl<'m> FunctionLoader<'_, 'm> {
    pub(super) fn alloca(&mut self, value: Value<'m>) -> Result<Leaves, Unsupported> {
        let ty = value.allocated_type().ok_or_else(|| malformed("alloca"))?;
        let layout = self.context.layout.of(ty)?;
        let number = value.operand(0).ok_or_else(|| malformed("alloca"))?;
        let (size, count) = match (number.kind(), number.integer_words()) {
            (Kind::Integer, Some(words)) => {
                let size = layout.size.checked_mul(words[0]);
                let size = size.filter(|_| words[1..].iter().all(|&word| word == 0));
                (size.ok_or_else(|| malformed("alloca"))?, None)
            }
            _ => (layout.size, Some(self.scalar(number)?)),
        };
        let name = value.name();
        let destination = self.define(Type::Pointer);
        self.emit(Operation::Alloca {
            destination,
            size,
            count,
            align: value.alignment().unwrap_or(layout.align),
            // Clang calls the stack copy of a parameter `x.addr`.
            name: name.strip_suffix(".addr").unwrap_or(&name).to_owned(),
        });
        Ok(destination.into())
    }

    /// The address that lies some bytes after another.
    fn displaced(&mut self, address: Operand, offset: u64) -> Operand {
        if offset == 0 {
            return address;
        }
        let destination = self.define(Type::Pointer);
        self.emit(Operation::Offset {
            destination,
            base: address,
            constant: offset as i64,
            indices: Vec::new(),
            field: None,
        });
        Operand::Register(destination)
    }

    pub(super) fn load(&mut self, value: Value<'m>) -> Result<Leaves, Unsupported> {
        let ty = value.ty().ok_or_else(|| malformed("load"))?;
        let leaves = self.context.layout.leaves_in_memory(ty)?;
        let address = self.operand(value, 0)?;
        self.synchronize(value, address);
        let mut results = Vec::with_capacity(leaves.len());
        for leaf in leaves.iter() {
            let address = self.displaced(address, leaf.offset);
            results.push(self.emit_load(leaf.ty, address));
        }
        Ok(results.into())
    }

    /// Says that an atomic or volatile access follows, if it does.
    fn synchronize(&mut self, access: Value<'m>, address: Operand) {
        let intrinsic = match access.is_atomic() {
            true => Intrinsic::Synchronize,
            false if access.is_volatile() => Intrinsic::Volatile,
            false => return,
        };
        let arguments = vec![address];
        self.emit(Operation::Intrinsic { destinations: Vec::new(), intrinsic, arguments });
    }

    /// A fence orders what comes before it and what comes after it, wherever that is.
    pub(super) fn fence(&mut self) -> Leaves {
        let nowhere = self.context.intern(Type::Pointer, ConstantValue::Word(0));
        self.emit(Operation::Intrinsic {
            destinations: Vec::new(),
            intrinsic: Intrinsic::Synchronize,
            arguments: vec![nowhere],
        });
        Leaves::NONE
    }

    fn emit_load(&mut self, ty: Type, address: Operand) -> Operand {
        let destination = self.define(ty);
        self.emit(Operation::Load { destination, address });
        Operand::Register(destination)
    }

    pub(super) fn store(&mut self, value: Value<'m>) -> Result<Leaves, Unsupported> {
        let stored = value.operand(0).ok_or_else(|| malformed("store"))?;
        let ty = stored.ty().ok_or_else(|| malformed("store"))?;
        let leaves = self.context.layout.leaves_in_memory(ty)?;
        let operands = self.leaves(stored)?;
        let address = self.operand(value, 1)?;
        self.synchronize(value, address);
        for (leaf, &value) in leaves.iter().zip(operands.as_slice()) {
            let address = self.displaced(address, leaf.offset);
            self.emit(Operation::Store { value, address });
        }
        Ok(Leaves::NONE)
    }

    pub(super) fn offset(&mut self, value: Value<'m>) -> Result<Leaves, Unsupported> {
        if Self::scalar_type(value)? != Type::Pointer {
            return Err(malformed("GEP"));
        }
        let base = self.operand(value, 0)?;
        let mut constant = 0i64;
        let mut indices = Vec::new();
        let mut field = None;
        let mut walk = GepWalk::new(value)?;
        while let Some((index, step)) = walk.next(self.context)? {
            match step {
                GepStep::Field { bytes, of, index } => {
                    constant = constant.wrapping_add(bytes);
                    // Clang makes one step for each struct, so there is one at most.
                    let of = self.context.struct_id(of);
                    field = field.or(of.map(|of| Field { of, index }));
                }
                GepStep::Scaled(scale) => {
                    let index = value.operand(index).ok_or_else(|| malformed("GEP"))?;
                    let known = self.constant(index)?;
                    match known.and_then(|(ty, number)| signed(ty, &number)) {
                        Some(number) => {
                            constant = constant.wrapping_add(number.wrapping_mul(scale));
                        }
                        // Steps over nothing move nowhere.
                        None if scale == 0 => {}
                        None => {
                            let index = self.scalar(index)?;
                            indices.push(Scaled { index, scale });
                        }
                    }
                }
            }
        }
        if constant == 0 && indices.is_empty() {
            return Ok(base.into());
        }
        if let (Operand::Constant(id), true) = (base, indices.is_empty())
            && let ConstantValue::Address { symbol, offset } =
                self.context.program.constants[id].value
        {
            let offset = offset.wrapping_add(constant);
            let address = ConstantValue::Address { symbol, offset };
            return Ok(self.context.intern(Type::Pointer, address).into());
        }
        let destination = self.define(Type::Pointer);
        self.emit(Operation::Offset { destination, base, constant, indices, field });
        Ok(destination.into())
    }

    pub(super) fn compare_exchange(&mut self, value: Value<'m>) -> Result<Leaves, Unsupported> {
        let expected = value.operand(1).ok_or_else(|| malformed("cmpxchg"))?;
        let ty = Self::scalar_type(expected)?;
        let address = self.operand(value, 0)?;
        let expected = self.scalar(expected)?;
        let new = self.operand(value, 2)?;
        self.synchronize(value, address);
        let old = self.emit_load(ty, address);
        let equal = self.emit_compare(Predicate::Eq, old, expected);
        // The processor writes in both cases, so a failing exchange of read-only memory traps too.
        let stored = self.emit_select(ty, equal, new, old);
        self.emit(Operation::Store { value: stored, address });
        Ok(vec![old, equal].into())
    }

    pub(super) fn read_modify_write(&mut self, value: Value<'m>) -> Result<Leaves, Unsupported> {
        let ty = Self::scalar_type(value)?;
        let op = value.atomic_op().ok_or_else(|| malformed("atomicrmw"))?;
        let (address, with) = (self.operand(value, 0)?, self.operand(value, 1)?);
        let rare = || Unsupported("an atomic operation of a rare kind".into());
        let step = AtomicStep::of(op).ok_or_else(rare)?;
        self.synchronize(value, address);
        let old = self.emit_load(ty, address);
        let new = match step {
            AtomicStep::Exchange => with,
            AtomicStep::Binary(op) => self.emit_binary(ty, op, old, with),
            AtomicStep::Nand => {
                let both = self.emit_binary(ty, BinaryOp::And, old, with);
                let ones = vec![u64::MAX; ty.words()];
                let ones = super::constants::number(ty, &ones);
                let ones = self.context.intern(ty, ones);
                self.emit_binary(ty, BinaryOp::Xor, both, ones)
            }
            AtomicStep::Choose(predicate) => {
                let keep = self.emit_compare(predicate, old, with);
                self.emit_select(ty, keep, old, with)
            }
            AtomicStep::Float(op) => {
                let destination = self.define(ty);
                self.emit(Operation::FloatBinary { destination, op, left: old, right: with });
                Operand::Register(destination)
            }
            AtomicStep::Intrinsic(intrinsic) => {
                let destination = self.define(ty);
                self.emit(Operation::Intrinsic {
                    destinations: vec![destination],
                    intrinsic,
                    arguments: vec![old, with],
                });
                Operand::Register(destination)
            }
        };
        self.emit(Operation::Store { value: new, address });
        Ok(old.into())
    }

    pub(super) fn emit_binary(
        &mut self,
        ty: Type,
        op: BinaryOp,
        left: Operand,
        right: Operand,
    ) -> Operand {
        let destination = self.define(ty);
        self.emit(Operation::Binary { destination, op, left, right });
        Operand::Register(destination)
    }
}

/// What an `atomicrmw` stores, from the old value and its operand.
enum AtomicStep {
    Exchange,
    Binary(BinaryOp),
    Nand,
    /// The old value if this holds, else the operand.
    Choose(Predicate),
    Float(FloatOp),
    Intrinsic(Intrinsic),
}

impl AtomicStep {
    fn of(op: AtomicOp) -> Option<Self> {
        use AtomicOp as A;
        Some(match op {
            A::LLVMAtomicRMWBinOpXchg => Self::Exchange,
            A::LLVMAtomicRMWBinOpAdd => Self::Binary(BinaryOp::Add),
            A::LLVMAtomicRMWBinOpSub => Self::Binary(BinaryOp::Sub),
            A::LLVMAtomicRMWBinOpAnd => Self::Binary(BinaryOp::And),
            A::LLVMAtomicRMWBinOpOr => Self::Binary(BinaryOp::Or),
            A::LLVMAtomicRMWBinOpXor => Self::Binary(BinaryOp::Xor),
            A::LLVMAtomicRMWBinOpNand => Self::Nand,
            A::LLVMAtomicRMWBinOpMax => Self::Choose(Predicate::Sgt),
            A::LLVMAtomicRMWBinOpMin => Self::Choose(Predicate::Sle),
            A::LLVMAtomicRMWBinOpUMax => Self::Choose(Predicate::Ugt),
            A::LLVMAtomicRMWBinOpUMin => Self::Choose(Predicate::Ule),
            A::LLVMAtomicRMWBinOpFAdd => Self::Float(FloatOp::Add),
            A::LLVMAtomicRMWBinOpFSub => Self::Float(FloatOp::Sub),
            A::LLVMAtomicRMWBinOpFMax => Self::Intrinsic(Intrinsic::FloatMaximum),
            A::LLVMAtomicRMWBinOpFMin => Self::Intrinsic(Intrinsic::FloatMinimum),
            A::LLVMAtomicRMWBinOpUIncWrap | A::LLVMAtomicRMWBinOpUDecWrap => return None,
        })
    }
}
