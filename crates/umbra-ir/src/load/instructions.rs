//! Arithmetic, comparisons, conversions, aggregates and terminators.

use super::Unsupported;
use super::functions::{FunctionLoader, Leaves};
use crate::id::ConstantId;
use crate::instruction::{
    BinaryOp, CastOp, Edge, FloatOp, FloatPredicate, Operand, Operation, Predicate, Terminator,
};
use crate::llvm::{IntPredicate, Opcode, RealPredicate, Type as LlvmType, TypeKind, Value};
use crate::types::Type;

fn malformed(what: &str) -> Unsupported {
    Unsupported(format!("a malformed {what}"))
}

impl<'m> FunctionLoader<'_, 'm> {
    /// Translates one instruction; a terminator is returned.
    pub(super) fn instruction(
        &mut self,
        value: Value<'m>,
    ) -> Result<Option<Terminator>, Unsupported> {
        let opcode = value.opcode().ok_or_else(|| malformed("instruction"))?;
        let result = match opcode {
            Opcode::LLVMPHI => return Ok(None),
            Opcode::LLVMRet
            | Opcode::LLVMBr
            | Opcode::LLVMSwitch
            | Opcode::LLVMUnreachable
            | Opcode::LLVMIndirectBr
            | Opcode::LLVMCallBr
            | Opcode::LLVMResume
            | Opcode::LLVMCleanupRet
            | Opcode::LLVMCatchRet
            | Opcode::LLVMCatchSwitch => return self.terminator(value, opcode).map(Some),
            Opcode::LLVMInvoke => {
                let result = self.call(value)?;
                self.values.insert(value, result);
                let normal = value.successors().first().copied();
                let edge = self.edge(normal.ok_or_else(|| malformed("invoke"))?)?;
                return Ok(Some(Terminator::Jump(edge)));
            }
            Opcode::LLVMCall => self.call(value)?,
            Opcode::LLVMAlloca => self.alloca(value)?,
            Opcode::LLVMLoad => self.load(value)?,
            Opcode::LLVMStore => self.store(value)?,
            Opcode::LLVMFence => self.fence(),
            Opcode::LLVMAtomicCmpXchg => self.compare_exchange(value)?,
            Opcode::LLVMAtomicRMW => self.read_modify_write(value)?,
            _ => self.compute(value)?.ok_or_else(|| Unsupported(name_of_opcode(opcode).into()))?,
        };
        self.values.insert(value, result);
        Ok(None)
    }

    /// Computes an instruction without effects or a constant expression; `None` if it is neither.
    pub(super) fn compute(&mut self, value: Value<'m>) -> Result<Option<Leaves>, Unsupported> {
        let Some(opcode) = value.opcode() else {
            return Ok(None);
        };
        if let Some(op) = binary_op(opcode) {
            let emit = |loader: &mut Self, ty, a, b| loader.emit_binary(ty, op, a, b);
            return self.each_two(value, emit).map(Some);
        }
        if let Some(op) = float_op(opcode) {
            let emit = |loader: &mut Self, ty, a, b| loader.float_binary(ty, op, a, b);
            return self.each_two(value, emit).map(Some);
        }
        let leaves = match opcode {
            Opcode::LLVMFNeg => self.each(value, |loader, ty, (_, operand)| {
                let destination = loader.define(ty);
                loader.emit(Operation::FloatNegate { destination, operand });
                Operand::Register(destination)
            })?,
            Opcode::LLVMICmp => self.compare(value)?,
            Opcode::LLVMFCmp => self.float_compare(value)?,
            Opcode::LLVMGetElementPtr => self.offset(value)?,
            Opcode::LLVMSelect => self.select(value)?,
            Opcode::LLVMExtractValue => self.extract_value(value)?,
            Opcode::LLVMInsertValue => self.insert_value(value)?,
            Opcode::LLVMFreeze => {
                let operand = value.operand(0).ok_or_else(|| malformed("freeze"))?;
                self.leaves(operand)?
            }
            _ => match cast_op(opcode) {
                Some(op) => self.cast(value, op)?,
                None => return self.move_lanes(value, opcode),
            },
        };
        Ok(Some(leaves))
    }

    fn float_binary(&mut self, ty: Type, op: FloatOp, left: Operand, right: Operand) -> Operand {
        let destination = self.define(ty);
        self.emit(Operation::FloatBinary { destination, op, left, right });
        Operand::Register(destination)
    }

    fn compare(&mut self, value: Value<'m>) -> Result<Leaves, Unsupported> {
        use IntPredicate as P;
        let predicate = match value.int_predicate().ok_or_else(|| malformed("icmp"))? {
            P::LLVMIntEQ => Predicate::Eq,
            P::LLVMIntNE => Predicate::Ne,
            P::LLVMIntUGT => Predicate::Ugt,
            P::LLVMIntUGE => Predicate::Uge,
            P::LLVMIntULT => Predicate::Ult,
            P::LLVMIntULE => Predicate::Ule,
            P::LLVMIntSGT => Predicate::Sgt,
            P::LLVMIntSGE => Predicate::Sge,
            P::LLVMIntSLT => Predicate::Slt,
            P::LLVMIntSLE => Predicate::Sle,
        };
        self.each_two(value, |loader, _, left, right| loader.emit_compare(predicate, left, right))
    }

    /// Appends an integer comparison.
    pub(super) fn emit_compare(
        &mut self,
        predicate: Predicate,
        left: Operand,
        right: Operand,
    ) -> Operand {
        let destination = self.define(Type::BOOL);
        self.emit(Operation::Compare { destination, predicate, left, right });
        Operand::Register(destination)
    }

    fn float_compare(&mut self, value: Value<'m>) -> Result<Leaves, Unsupported> {
        use RealPredicate as P;
        let predicate = match value.real_predicate().ok_or_else(|| malformed("fcmp"))? {
            P::LLVMRealPredicateFalse => FloatPredicate::False,
            P::LLVMRealOEQ => FloatPredicate::Oeq,
            P::LLVMRealOGT => FloatPredicate::Ogt,
            P::LLVMRealOGE => FloatPredicate::Oge,
            P::LLVMRealOLT => FloatPredicate::Olt,
            P::LLVMRealOLE => FloatPredicate::Ole,
            P::LLVMRealONE => FloatPredicate::One,
            P::LLVMRealORD => FloatPredicate::Ord,
            P::LLVMRealUNO => FloatPredicate::Uno,
            P::LLVMRealUEQ => FloatPredicate::Ueq,
            P::LLVMRealUGT => FloatPredicate::Ugt,
            P::LLVMRealUGE => FloatPredicate::Uge,
            P::LLVMRealULT => FloatPredicate::Ult,
            P::LLVMRealULE => FloatPredicate::Ule,
            P::LLVMRealUNE => FloatPredicate::Une,
            P::LLVMRealPredicateTrue => FloatPredicate::True,
        };
        self.each_two(value, |loader, ty, left, right| {
            let destination = loader.define(ty);
            loader.emit(Operation::FloatCompare { destination, predicate, left, right });
            Operand::Register(destination)
        })
    }

    fn cast(&mut self, value: Value<'m>, op: CastOp) -> Result<Leaves, Unsupported> {
        let source = value.operand(0).ok_or_else(|| malformed("cast"))?;
        if op == CastOp::Bitcast && (Self::is_vector(source) || Self::is_vector(value)) {
            return self.recast_lanes(value);
        }
        self.each(value, |loader, to, (from, operand)| loader.emit_cast(op, operand, from, to))
    }

    /// Appends a conversion, unless it changes nothing.
    pub(super) fn emit_cast(
        &mut self,
        op: CastOp,
        operand: Operand,
        from: Type,
        to: Type,
    ) -> Operand {
        // A bit cast stands for all casts of pointers too, which may change the width.
        let op = match op {
            CastOp::Bitcast if from == to => return operand,
            CastOp::Bitcast if from.bits() > to.bits() => CastOp::Trunc,
            CastOp::Bitcast if from.bits() < to.bits() => CastOp::ZExt,
            op => op,
        };
        let destination = self.define(to);
        self.emit(Operation::Cast { destination, op, operand });
        Operand::Register(destination)
    }

    fn select(&mut self, value: Value<'m>) -> Result<Leaves, Unsupported> {
        if value.operand(0).is_some_and(Self::is_vector) {
            return self.select_lanes(value);
        }
        let ty = value.ty().ok_or_else(|| malformed("select"))?;
        let types = self.context.layout.leaves(ty)?;
        let condition = self.operand(value, 0)?;
        let left = value.operand(1).ok_or_else(|| malformed("select"))?;
        let right = value.operand(2).ok_or_else(|| malformed("select"))?;
        let (left, right) = (self.leaves(left)?, self.leaves(right)?);
        let mut results = Vec::with_capacity(types.len());
        for (leaf, (&left, &right)) in
            types.iter().zip(left.as_slice().iter().zip(right.as_slice()))
        {
            results.push(self.emit_select(leaf.ty, condition, left, right));
        }
        Ok(results.into())
    }

    /// Appends a choice between two scalars.
    pub(super) fn emit_select(
        &mut self,
        ty: Type,
        condition: Operand,
        left: Operand,
        right: Operand,
    ) -> Operand {
        let destination = self.define(ty);
        self.emit(Operation::Select { destination, condition, left, right });
        Operand::Register(destination)
    }

    /// The range of leaves that constant indices select from an aggregate of this type.
    fn leaf_range(
        &mut self,
        ty: LlvmType<'m>,
        indices: &[u32],
    ) -> Result<std::ops::Range<usize>, Unsupported> {
        let (mut ty, mut start) = (ty, 0);
        for &index in indices {
            match ty.kind() {
                TypeKind::Array(_, element) => {
                    start += self.context.layout.leaves(element)?.len() * index as usize;
                    ty = element;
                }
                TypeKind::Struct => {
                    let (fields, _) = ty.fields().ok_or_else(|| malformed("aggregate"))?;
                    for &field in fields.iter().take(index as usize) {
                        start += self.context.layout.leaves(field)?.len();
                    }
                    ty = *fields.get(index as usize).ok_or_else(|| malformed("aggregate"))?;
                }
                _ => return Err(malformed("aggregate")),
            }
        }
        Ok(start..start + self.context.layout.leaves(ty)?.len())
    }

    fn extract_value(&mut self, value: Value<'m>) -> Result<Leaves, Unsupported> {
        let aggregate = value.operand(0).ok_or_else(|| malformed("extractvalue"))?;
        let ty = aggregate.ty().ok_or_else(|| malformed("extractvalue"))?;
        let range = self.leaf_range(ty, &value.aggregate_indices())?;
        let leaves = self.leaves(aggregate)?;
        let part = leaves.as_slice().get(range);
        Ok(part.ok_or_else(|| malformed("extractvalue"))?.to_vec().into())
    }

    fn insert_value(&mut self, value: Value<'m>) -> Result<Leaves, Unsupported> {
        let aggregate = value.operand(0).ok_or_else(|| malformed("insertvalue"))?;
        let part = value.operand(1).ok_or_else(|| malformed("insertvalue"))?;
        let ty = aggregate.ty().ok_or_else(|| malformed("insertvalue"))?;
        let range = self.leaf_range(ty, &value.aggregate_indices())?;
        let mut leaves = self.leaves(aggregate)?.as_slice().to_vec();
        let part = self.leaves(part)?;
        match leaves.get_mut(range) {
            Some(place) if place.len() == part.as_slice().len() => {
                place.copy_from_slice(part.as_slice());
            }
            _ => return Err(malformed("insertvalue")),
        }
        Ok(leaves.into())
    }

    fn terminator(&mut self, value: Value<'m>, opcode: Opcode) -> Result<Terminator, Unsupported> {
        match opcode {
            Opcode::LLVMRet => match value.operand(0) {
                Some(result) => {
                    let leaves = self.leaves(result)?;
                    Ok(Terminator::Return(leaves.as_slice().to_vec()))
                }
                None => Ok(Terminator::Return(Vec::new())),
            },
            Opcode::LLVMBr => match value.successors()[..] {
                [target] => Ok(Terminator::Jump(self.edge(target)?)),
                [then, otherwise] => {
                    let condition = self.operand(value, 0)?;
                    // The last block to be reached is translated next: the one of the condition.
                    let otherwise = self.edge(otherwise)?;
                    let then = self.edge(then)?;
                    Ok(Terminator::Branch { condition, then, otherwise })
                }
                _ => Err(malformed("branch")),
            },
            Opcode::LLVMSwitch => self.switch(value),
            Opcode::LLVMIndirectBr => self.computed_jump(value),
            Opcode::LLVMUnreachable => Ok(Terminator::Unreachable),
            _ => Err(Unsupported(name_of_opcode(opcode).into())),
        }
    }

    fn switch(&mut self, value: Value<'m>) -> Result<Terminator, Unsupported> {
        let on = self.operand(value, 0)?;
        let successors = value.successors();
        let Some((&default, targets)) = successors.split_first() else {
            return Err(malformed("switch"));
        };
        let mut cases: Vec<(ConstantId, Edge)> = Vec::with_capacity(targets.len());
        for (index, &target) in targets.iter().enumerate() {
            // Operands are the value, the default, and a pair for each case.
            match self.operand(value, 2 * index as u32 + 2)? {
                Operand::Constant(constant) => cases.push((constant, self.edge(target)?)),
                Operand::Register(_) => return Err(malformed("switch")),
            }
        }
        Ok(Terminator::Switch { value: on, cases, default: self.edge(default)? })
    }
}

fn binary_op(opcode: Opcode) -> Option<BinaryOp> {
    Some(match opcode {
        Opcode::LLVMAdd => BinaryOp::Add,
        Opcode::LLVMSub => BinaryOp::Sub,
        Opcode::LLVMMul => BinaryOp::Mul,
        Opcode::LLVMUDiv => BinaryOp::UDiv,
        Opcode::LLVMSDiv => BinaryOp::SDiv,
        Opcode::LLVMURem => BinaryOp::URem,
        Opcode::LLVMSRem => BinaryOp::SRem,
        Opcode::LLVMShl => BinaryOp::Shl,
        Opcode::LLVMLShr => BinaryOp::LShr,
        Opcode::LLVMAShr => BinaryOp::AShr,
        Opcode::LLVMAnd => BinaryOp::And,
        Opcode::LLVMOr => BinaryOp::Or,
        Opcode::LLVMXor => BinaryOp::Xor,
        _ => return None,
    })
}

fn float_op(opcode: Opcode) -> Option<FloatOp> {
    Some(match opcode {
        Opcode::LLVMFAdd => FloatOp::Add,
        Opcode::LLVMFSub => FloatOp::Sub,
        Opcode::LLVMFMul => FloatOp::Mul,
        Opcode::LLVMFDiv => FloatOp::Div,
        Opcode::LLVMFRem => FloatOp::Rem,
        _ => return None,
    })
}

fn cast_op(opcode: Opcode) -> Option<CastOp> {
    Some(match opcode {
        Opcode::LLVMTrunc => CastOp::Trunc,
        Opcode::LLVMZExt => CastOp::ZExt,
        Opcode::LLVMSExt => CastOp::SExt,
        Opcode::LLVMFPToUI => CastOp::FpToUi,
        Opcode::LLVMFPToSI => CastOp::FpToSi,
        Opcode::LLVMUIToFP => CastOp::UiToFp,
        Opcode::LLVMSIToFP => CastOp::SiToFp,
        Opcode::LLVMFPTrunc => CastOp::FpTrunc,
        Opcode::LLVMFPExt => CastOp::FpExt,
        Opcode::LLVMPtrToInt
        | Opcode::LLVMIntToPtr
        | Opcode::LLVMBitCast
        | Opcode::LLVMAddrSpaceCast => CastOp::Bitcast,
        _ => return None,
    })
}

fn name_of_opcode(opcode: Opcode) -> &'static str {
    match opcode {
        Opcode::LLVMCallBr => "inline assembly that jumps",
        Opcode::LLVMVAArg => "va_arg instruction",
        Opcode::LLVMLandingPad
        | Opcode::LLVMResume
        | Opcode::LLVMCleanupRet
        | Opcode::LLVMCatchRet
        | Opcode::LLVMCatchPad
        | Opcode::LLVMCleanupPad
        | Opcode::LLVMCatchSwitch => "exception handling",
        _ => "an instruction of a rare kind",
    }
}
