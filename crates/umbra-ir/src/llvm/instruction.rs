//! What the instructions, and constant expressions of the same shape, hold beyond operands.

use std::slice;

use llvm_sys::LLVMAtomicOrdering;
use llvm_sys::core::{
    LLVMCountIncoming, LLVMGetAllocatedType, LLVMGetAtomicRMWBinOp, LLVMGetCallSiteEnumAttribute,
    LLVMGetCalledFunctionType, LLVMGetCalledValue, LLVMGetConstOpcode, LLVMGetFCmpPredicate,
    LLVMGetGEPSourceElementType, LLVMGetICmpPredicate, LLVMGetIncomingBlock, LLVMGetIncomingValue,
    LLVMGetIndices, LLVMGetInlineAsmAsmString, LLVMGetInlineAsmConstraintString,
    LLVMGetInstructionOpcode, LLVMGetMaskValue, LLVMGetNumArgOperands, LLVMGetNumIndices,
    LLVMGetNumMaskElements, LLVMGetNumSuccessors, LLVMGetOrdering, LLVMGetSuccessor,
    LLVMGetVolatile, LLVMIsATerminatorInst,
};

use super::value::by_value;
use super::{AtomicOp, Block, IntPredicate, Kind, Opcode, RealPredicate, Type, Value, copy_string};

impl<'m> Value<'m> {
    /// The operation of an instruction or constant expression.
    pub(crate) fn opcode(self) -> Option<Opcode> {
        match self.kind() {
            // SAFETY: an instruction.
            Kind::Instruction => Some(unsafe { LLVMGetInstructionOpcode(self.raw()) }),
            // SAFETY: a constant expression.
            Kind::Expression => Some(unsafe { LLVMGetConstOpcode(self.raw()) }),
            _ => None,
        }
    }

    fn is(self, opcode: Opcode) -> bool {
        self.opcode() == Some(opcode)
    }

    fn is_call(self) -> bool {
        let calls = [Opcode::LLVMCall, Opcode::LLVMInvoke, Opcode::LLVMCallBr];
        self.opcode().is_some_and(|opcode| calls.contains(&opcode))
    }

    /// The type that a GEP's first index steps over.
    pub(crate) fn gep_source_type(self) -> Option<Type<'m>> {
        if !self.is(Opcode::LLVMGetElementPtr) {
            return None;
        }
        // SAFETY: a GEP instruction or expression.
        Type::new(unsafe { LLVMGetGEPSourceElementType(self.raw()) })
    }

    /// The type of an alloca's element.
    pub(crate) fn allocated_type(self) -> Option<Type<'m>> {
        if !self.is(Opcode::LLVMAlloca) {
            return None;
        }
        // SAFETY: an alloca.
        Type::new(unsafe { LLVMGetAllocatedType(self.raw()) })
    }

    /// The predicate of an integer comparison.
    pub(crate) fn int_predicate(self) -> Option<IntPredicate> {
        // SAFETY: an integer comparison.
        self.is(Opcode::LLVMICmp).then(|| unsafe { LLVMGetICmpPredicate(self.raw()) })
    }

    /// The predicate of a float comparison.
    pub(crate) fn real_predicate(self) -> Option<RealPredicate> {
        // SAFETY: a float comparison.
        self.is(Opcode::LLVMFCmp).then(|| unsafe { LLVMGetFCmpPredicate(self.raw()) })
    }

    /// The operation of an `atomicrmw`.
    pub(crate) fn atomic_op(self) -> Option<AtomicOp> {
        // SAFETY: an `atomicrmw`.
        self.is(Opcode::LLVMAtomicRMW).then(|| unsafe { LLVMGetAtomicRMWBinOp(self.raw()) })
    }

    /// Whether it is an atomic access to memory.
    pub(crate) fn is_atomic(self) -> bool {
        if self.is(Opcode::LLVMAtomicCmpXchg) || self.is(Opcode::LLVMAtomicRMW) {
            return true;
        }
        let plain = LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic;
        // SAFETY: a load or a store.
        self.is_load_or_store() && unsafe { LLVMGetOrdering(self.raw()) } != plain
    }

    /// Whether it is a load or store that must happen as it is written.
    pub(crate) fn is_volatile(self) -> bool {
        // SAFETY: a load or a store.
        self.is_load_or_store() && unsafe { LLVMGetVolatile(self.raw()) } != 0
    }

    fn is_load_or_store(self) -> bool {
        self.is(Opcode::LLVMLoad) || self.is(Opcode::LLVMStore)
    }

    /// The constant indices of `extractvalue` and `insertvalue`.
    pub(crate) fn aggregate_indices(self) -> Vec<u32> {
        if !self.is(Opcode::LLVMExtractValue) && !self.is(Opcode::LLVMInsertValue) {
            return Vec::new();
        }
        // SAFETY: one of the two; LLVM owns an array of that many indices.
        unsafe {
            let count = LLVMGetNumIndices(self.raw());
            let indices = LLVMGetIndices(self.raw());
            if indices.is_null() {
                return Vec::new();
            }
            slice::from_raw_parts(indices, count as usize).to_vec()
        }
    }

    /// What a phi takes from which predecessor.
    pub(crate) fn incoming(self) -> Vec<(Block<'m>, Value<'m>)> {
        if !self.is(Opcode::LLVMPHI) {
            return Vec::new();
        }
        // SAFETY: a phi; the indices are below the number of its entries.
        unsafe {
            (0..LLVMCountIncoming(self.raw()))
                .filter_map(|index| {
                    let block = Block::new(LLVMGetIncomingBlock(self.raw(), index))?;
                    let value = Value::new(LLVMGetIncomingValue(self.raw(), index))?;
                    Some((block, value))
                })
                .collect()
        }
    }

    /// The lanes that a shuffle chooses from both of its vectors; `None` where any will do.
    pub(crate) fn shuffle_mask(self) -> Vec<Option<usize>> {
        if self.opcode() != Some(Opcode::LLVMShuffleVector) {
            return Vec::new();
        }
        // SAFETY: it is a shuffle; lanes are asked below their number.
        unsafe {
            (0..LLVMGetNumMaskElements(self.raw()))
                .map(|lane| usize::try_from(LLVMGetMaskValue(self.raw(), lane)).ok())
                .collect()
        }
    }

    /// The blocks that a terminator leads to; a switch's default comes first.
    pub(crate) fn successors(self) -> Vec<Block<'m>> {
        // SAFETY: the value is live; successors are asked of terminators only, below their number.
        unsafe {
            if LLVMIsATerminatorInst(self.raw()).is_null() {
                return Vec::new();
            }
            (0..LLVMGetNumSuccessors(self.raw()))
                .filter_map(|index| Block::new(LLVMGetSuccessor(self.raw(), index)))
                .collect()
        }
    }

    /// What a call calls.
    pub(crate) fn called_value(self) -> Option<Value<'m>> {
        if !self.is_call() {
            return None;
        }
        // SAFETY: a call.
        Value::new(unsafe { LLVMGetCalledValue(self.raw()) })
    }

    /// The type of function that a call says it calls.
    pub(crate) fn called_type(self) -> Option<Type<'m>> {
        // SAFETY: a call.
        self.is_call()
            .then(|| Type::new(unsafe { LLVMGetCalledFunctionType(self.raw()) }))
            .flatten()
    }

    /// The arguments of a call.
    pub(crate) fn arguments(self) -> Vec<Value<'m>> {
        if !self.is_call() {
            return Vec::new();
        }
        // SAFETY: a call. Its arguments are its first operands.
        let count = unsafe { LLVMGetNumArgOperands(self.raw()) };
        (0..count).filter_map(|index| self.operand(index)).collect()
    }

    /// The object that a call's argument points to, if it is copied for the callee, and its
    /// alignment.
    pub(crate) fn argument_by_value(self, index: u32) -> Option<(Type<'m>, Option<u32>)> {
        if !self.is_call() {
            return None;
        }
        // SAFETY: a call; an attribute that is not there is null.
        by_value(|kind| unsafe { LLVMGetCallSiteEnumAttribute(self.raw(), index + 1, kind) })
    }

    /// The text and the constraints of inline assembly.
    pub(crate) fn inline_assembly(self) -> Option<(String, String)> {
        if self.kind() != Kind::InlineAssembly {
            return None;
        }
        let (mut text_length, mut constraints_length) = (0, 0);
        // SAFETY: inline assembly; the strings have the lengths given.
        unsafe {
            let text = LLVMGetInlineAsmAsmString(self.raw(), &raw mut text_length);
            let text = copy_string(text, text_length);
            let constraints =
                LLVMGetInlineAsmConstraintString(self.raw(), &raw mut constraints_length);
            Some((text, copy_string(constraints, constraints_length)))
        }
    }
}
