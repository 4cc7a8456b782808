//! Values: constants, globals, functions, arguments and instructions.

use std::ffi::{CStr, c_uint};
use std::marker::PhantomData;
use std::ptr::NonNull;

use llvm_sys::core::{
    LLVMAliasGetAliasee, LLVMConstBitCast, LLVMConstIntGetZExtValue, LLVMCountBasicBlocks,
    LLVMCountParams, LLVMDisposeMessage, LLVMGetAggregateElement, LLVMGetAlignment,
    LLVMGetAsString, LLVMGetEnumAttributeAtIndex, LLVMGetEnumAttributeKindForName,
    LLVMGetEnumAttributeValue, LLVMGetFirstBasicBlock, LLVMGetFirstInstruction, LLVMGetInitializer,
    LLVMGetIntrinsicID, LLVMGetLinkage, LLVMGetNextBasicBlock, LLVMGetNextInstruction,
    LLVMGetNumOperands, LLVMGetOperand, LLVMGetParam, LLVMGetTypeAttributeValue,
    LLVMGetTypeContext, LLVMGetValueKind, LLVMGetValueName2, LLVMGlobalGetValueType,
    LLVMIntTypeInContext, LLVMIntrinsicGetName, LLVMIsAConstant, LLVMIsAGlobalObject,
    LLVMIsAInstruction, LLVMIsAUser, LLVMIsConstantString, LLVMIsDeclaration, LLVMIsGlobalConstant,
    LLVMIsThreadLocal, LLVMPrintValueToString, LLVMTypeOf, LLVMValueAsBasicBlock,
};
use llvm_sys::{LLVMBasicBlock, LLVMLinkage, LLVMOpaqueAttributeRef, LLVMValue, LLVMValueKind};

use super::module::Borrow;
use super::{Type, TypeKind, copy_bytes, copy_string};

/// A value of LLVM's; equal values are equal pointers.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Value<'m> {
    raw: NonNull<LLVMValue>,
    module: Borrow<'m>,
}

/// What a [`Value`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Instruction,
    Function,
    Alias,
    Ifunc,
    GlobalVariable,
    BlockAddress,
    /// A constant expression.
    Expression,
    /// An array or struct of constants.
    Aggregate,
    /// An array of plain numbers.
    DataArray,
    /// Undef or poison.
    Undefined,
    /// All zero, of an aggregate type.
    Zero,
    Integer,
    Float,
    NullPointer,
    InlineAssembly,
    Metadata,
    BasicBlock,
    /// An argument, or a constant of a rare kind.
    Other,
}

/// Who sees a global, as far as it matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Linkage {
    /// Its own module only.
    Local,
    /// Everyone; may be absent.
    ExternalWeak,
    /// Everyone.
    Other,
}

impl<'m> Value<'m> {
    pub(super) fn new(raw: *mut LLVMValue) -> Option<Self> {
        NonNull::new(raw).map(|raw| Self { raw, module: PhantomData })
    }

    pub(super) fn raw(self) -> *mut LLVMValue {
        self.raw.as_ptr()
    }

    /// What the value is.
    pub(crate) fn kind(self) -> Kind {
        use LLVMValueKind as K;
        // SAFETY: the value is live as long as its module. `LLVMGetValueKind` calls everything that
        // it does not know an instruction, hence the second question.
        unsafe {
            match LLVMGetValueKind(self.raw()) {
                K::LLVMInstructionValueKind if LLVMIsAInstruction(self.raw()).is_null() => {
                    Kind::Other
                }
                K::LLVMInstructionValueKind => Kind::Instruction,
                K::LLVMFunctionValueKind => Kind::Function,
                K::LLVMGlobalAliasValueKind => Kind::Alias,
                K::LLVMGlobalIFuncValueKind => Kind::Ifunc,
                K::LLVMGlobalVariableValueKind => Kind::GlobalVariable,
                K::LLVMBlockAddressValueKind => Kind::BlockAddress,
                K::LLVMConstantExprValueKind => Kind::Expression,
                K::LLVMConstantArrayValueKind | K::LLVMConstantStructValueKind => Kind::Aggregate,
                K::LLVMUndefValueValueKind | K::LLVMPoisonValueKind => Kind::Undefined,
                K::LLVMConstantAggregateZeroValueKind => Kind::Zero,
                K::LLVMConstantDataArrayValueKind => Kind::DataArray,
                K::LLVMConstantIntValueKind => Kind::Integer,
                K::LLVMConstantFPValueKind => Kind::Float,
                K::LLVMConstantPointerNullValueKind => Kind::NullPointer,
                K::LLVMInlineAsmValueKind => Kind::InlineAssembly,
                K::LLVMMetadataAsValueValueKind => Kind::Metadata,
                K::LLVMBasicBlockValueKind => Kind::BasicBlock,
                _ => Kind::Other,
            }
        }
    }

    /// The type; `None` only in a damaged module.
    pub(crate) fn ty(self) -> Option<Type<'m>> {
        // SAFETY: any live value has a type.
        Type::new(unsafe { LLVMTypeOf(self.raw()) })
    }

    /// Whether it is a constant of any kind, globals and functions included.
    pub(crate) fn is_constant(self) -> bool {
        // SAFETY: the value is live.
        !unsafe { LLVMIsAConstant(self.raw()) }.is_null()
    }

    /// The name, empty if it has none.
    pub(crate) fn name(self) -> String {
        let mut length = 0;
        // SAFETY: the value is live; the name has `length` bytes.
        unsafe {
            let data = LLVMGetValueName2(self.raw(), &raw mut length);
            copy_string(data, length)
        }
    }

    /// The name that the linker sees: LLVM marks those that must not be changed by a leading byte.
    pub(crate) fn link_name(self) -> String {
        let name = self.name();
        match name.strip_prefix('\u{1}') {
            Some(rest) => rest.to_owned(),
            None => name,
        }
    }

    /// How many operands it has; none unless it is an instruction, a constant or a global.
    pub(crate) fn operand_count(self) -> u32 {
        // SAFETY: operands are asked of users only.
        unsafe {
            if LLVMIsAUser(self.raw()).is_null() {
                return 0;
            }
            u32::try_from(LLVMGetNumOperands(self.raw())).unwrap_or(0)
        }
    }

    /// An operand.
    pub(crate) fn operand(self, index: u32) -> Option<Value<'m>> {
        if index >= self.operand_count() {
            return None;
        }
        // SAFETY: it is a user with more than `index` operands.
        Self::new(unsafe { LLVMGetOperand(self.raw(), index) })
    }

    /// The bits of an integer constant, least significant word first.
    pub(crate) fn integer_words(self) -> Option<Vec<u64>> {
        if self.kind() != Kind::Integer {
            return None;
        }
        let TypeKind::Integer(bits) = self.ty()?.kind() else {
            return None;
        };
        if bits <= 64 {
            // SAFETY: an integer constant of at most 64 bits.
            return Some(vec![unsafe { LLVMConstIntGetZExtValue(self.raw()) }]);
        }
        // The C interface has no other way to wide numbers than their decimal text.
        let text = self.print();
        parse_decimal(text.rsplit(' ').next()?, bits)
    }

    /// The bits of a floating-point constant of this width, least significant word first.
    pub(crate) fn float_words(self, bits: u32) -> Option<Vec<u64>> {
        if self.kind() != Kind::Float {
            return None;
        }
        // SAFETY: a float constant can be cast to an integer of the same width, which the caller
        // takes from its type; LLVM folds this to a number at once.
        let cast = unsafe {
            let integer = LLVMIntTypeInContext(LLVMGetTypeContext(self.ty()?.raw()), bits);
            LLVMConstBitCast(self.raw(), integer)
        };
        Self::new(cast)?.integer_words()
    }

    /// The bytes of an array of 8-bit numbers.
    pub(crate) fn string_bytes(self) -> Option<Vec<u8>> {
        if self.kind() != Kind::DataArray {
            return None;
        }
        let mut length = 0;
        // SAFETY: an array of numbers; LLVM says whether they are bytes and how many.
        unsafe {
            if LLVMIsConstantString(self.raw()) == 0 {
                return None;
            }
            let data = LLVMGetAsString(self.raw(), &raw mut length);
            Some(copy_bytes(data, length))
        }
    }

    /// An element of a constant aggregate.
    pub(crate) fn element(self, index: u32) -> Option<Value<'m>> {
        if !self.is_constant() {
            return None;
        }
        // SAFETY: LLVM answers null for a constant that has no such element.
        Self::new(unsafe { LLVMGetAggregateElement(self.raw(), index) })
    }

    /// What an alias stands for.
    pub(crate) fn aliasee(self) -> Option<Value<'m>> {
        if self.kind() != Kind::Alias {
            return None;
        }
        // SAFETY: it is an alias.
        Self::new(unsafe { LLVMAliasGetAliasee(self.raw()) })
    }

    /// The type of what a global or function is, as opposed to that of its address.
    pub(crate) fn value_type(self) -> Option<Type<'m>> {
        if !matches!(self.kind(), Kind::GlobalVariable | Kind::Function) {
            return None;
        }
        // SAFETY: it is a global.
        Type::new(unsafe { LLVMGlobalGetValueType(self.raw()) })
    }

    /// Who sees a global or function.
    pub(crate) fn linkage(self) -> Linkage {
        if !matches!(self.kind(), Kind::GlobalVariable | Kind::Function) {
            return Linkage::Other;
        }
        // SAFETY: it is a global.
        match unsafe { LLVMGetLinkage(self.raw()) } {
            LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage => Linkage::Local,
            LLVMLinkage::LLVMExternalWeakLinkage => Linkage::ExternalWeak,
            _ => Linkage::Other,
        }
    }

    /// Whether a global or function is defined elsewhere.
    pub(crate) fn is_declaration(self) -> bool {
        // SAFETY: asked of globals only.
        matches!(self.kind(), Kind::GlobalVariable | Kind::Function)
            && unsafe { LLVMIsDeclaration(self.raw()) } != 0
    }

    /// The first contents of a global variable.
    pub(crate) fn initializer(self) -> Option<Value<'m>> {
        if self.kind() != Kind::GlobalVariable || self.is_declaration() {
            return None;
        }
        // SAFETY: a global variable that has one.
        Self::new(unsafe { LLVMGetInitializer(self.raw()) })
    }

    /// Whether a global variable may not be written.
    pub(crate) fn is_read_only(self) -> bool {
        // SAFETY: asked of global variables only.
        self.kind() == Kind::GlobalVariable && unsafe { LLVMIsGlobalConstant(self.raw()) } != 0
    }

    /// Whether a global variable exists once per thread.
    pub(crate) fn is_thread_local(self) -> bool {
        // SAFETY: asked of global variables only.
        self.kind() == Kind::GlobalVariable && unsafe { LLVMIsThreadLocal(self.raw()) } != 0
    }

    /// The explicit alignment of a global or an alloca.
    pub(crate) fn alignment(self) -> Option<u32> {
        let is_alloca = self.opcode() == Some(super::Opcode::LLVMAlloca);
        // SAFETY: asked only of what can have one.
        let align = unsafe {
            if LLVMIsAGlobalObject(self.raw()).is_null() && !is_alloca {
                return None;
            }
            LLVMGetAlignment(self.raw())
        };
        (align != 0).then_some(align)
    }

    /// The name of the intrinsic that a function is, without its types.
    pub(crate) fn intrinsic_name(self) -> Option<String> {
        if self.kind() != Kind::Function {
            return None;
        }
        // SAFETY: it is a function; the name belongs to a table of LLVM's.
        unsafe {
            let id = LLVMGetIntrinsicID(self.raw());
            if id == 0 {
                return None;
            }
            let mut length = 0;
            let data = LLVMIntrinsicGetName(id, &raw mut length);
            Some(copy_string(data, length))
        }
    }

    /// The parameters of a function.
    pub(crate) fn parameters(self) -> Vec<Value<'m>> {
        if self.kind() != Kind::Function {
            return Vec::new();
        }
        // SAFETY: it is a function; the indices are below the number of its parameters.
        unsafe {
            let count = LLVMCountParams(self.raw());
            (0..count).filter_map(|index| Self::new(LLVMGetParam(self.raw(), index))).collect()
        }
    }

    /// The object that a function's parameter points to, if the caller copies it for the callee,
    /// and its alignment.
    pub(crate) fn parameter_by_value(self, index: u32) -> Option<(Type<'m>, Option<u32>)> {
        if self.kind() != Kind::Function {
            return None;
        }
        // SAFETY: it is a function; an attribute that is not there is null.
        by_value(|kind| unsafe { LLVMGetEnumAttributeAtIndex(self.raw(), index + 1, kind) })
    }

    /// The function and the block whose address this is.
    pub(crate) fn label(self) -> Option<(Value<'m>, Block<'m>)> {
        if self.kind() != Kind::BlockAddress {
            return None;
        }
        let block = self.operand(1).filter(|block| block.kind() == Kind::BasicBlock)?;
        // SAFETY: the second operand is a block.
        let block = Block::new(unsafe { LLVMValueAsBasicBlock(block.raw()) })?;
        Some((self.operand(0)?, block))
    }

    /// The blocks of a function.
    pub(crate) fn blocks(self) -> Vec<Block<'m>> {
        if self.kind() != Kind::Function {
            return Vec::new();
        }
        // SAFETY: it is a function, and what it lists are its blocks.
        unsafe {
            let mut blocks = Vec::with_capacity(LLVMCountBasicBlocks(self.raw()) as usize);
            let mut next = Block::new(LLVMGetFirstBasicBlock(self.raw()));
            while let Some(block) = next {
                blocks.push(block);
                next = Block::new(LLVMGetNextBasicBlock(block.raw()));
            }
            blocks
        }
    }

    /// The text of the value.
    pub(crate) fn print(self) -> String {
        // SAFETY: the value is live; the text is ours to free.
        unsafe {
            let text = LLVMPrintValueToString(self.raw());
            if text.is_null() {
                return String::new();
            }
            let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
            LLVMDisposeMessage(text);
            copy
        }
    }
}

impl std::fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Value({:p})", self.raw)
    }
}

/// Reads `byval` and `align` through an accessor of attributes by kind.
pub(super) fn by_value<'m>(
    attribute: impl Fn(c_uint) -> *mut LLVMOpaqueAttributeRef,
) -> Option<(Type<'m>, Option<u32>)> {
    let by_name = |name: &str| {
        // SAFETY: the name has the length given; an unknown one would be kind 0.
        attribute(unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) })
    };
    let byval = by_name("byval");
    if byval.is_null() {
        return None;
    }
    // SAFETY: `byval` holds a type.
    let ty = Type::new(unsafe { LLVMGetTypeAttributeValue(byval) })?;
    let align = by_name("align");
    let align = (!align.is_null()).then(|| {
        // SAFETY: `align` holds a number.
        u32::try_from(unsafe { LLVMGetEnumAttributeValue(align) }).unwrap_or(1)
    });
    Some((ty, align))
}

/// A basic block of LLVM's.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Block<'m> {
    raw: NonNull<LLVMBasicBlock>,
    module: Borrow<'m>,
}

impl<'m> Block<'m> {
    pub(super) fn new(raw: *mut LLVMBasicBlock) -> Option<Self> {
        NonNull::new(raw).map(|raw| Self { raw, module: PhantomData })
    }

    pub(super) fn raw(self) -> *mut LLVMBasicBlock {
        self.raw.as_ptr()
    }

    /// The instructions in order.
    pub(crate) fn instructions(self) -> impl Iterator<Item = Value<'m>> {
        // SAFETY: the block is live, and what it lists are its instructions.
        let first = unsafe { LLVMGetFirstInstruction(self.raw()) };
        std::iter::successors(Value::new(first), |instruction| {
            // SAFETY: an instruction of this block.
            Value::new(unsafe { LLVMGetNextInstruction(instruction.raw()) })
        })
    }
}

/// The two's complement of a decimal number in `bits` bits.
fn parse_decimal(text: &str, bits: u32) -> Option<Vec<u64>> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let mut words = vec![0u64; bits.div_ceil(64) as usize];
    for digit in digits.chars() {
        let mut carry = u128::from(digit.to_digit(10)?);
        for word in &mut words {
            carry += u128::from(*word) * 10;
            *word = carry as u64;
            carry >>= 64;
        }
    }
    if negative {
        let mut carry = true;
        for word in &mut words {
            (*word, carry) = (!*word).overflowing_add(u64::from(carry));
        }
    }
    if !bits.is_multiple_of(64) {
        *words.last_mut()? &= (1 << (bits % 64)) - 1;
    }
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::parse_decimal;

    #[test]
    fn wide_numbers() {
        assert_eq!(parse_decimal("1267650600228229401496703205383", 128), Some(vec![7, 1 << 36]));
        assert_eq!(parse_decimal("-1", 65), Some(vec![u64::MAX, 1]));
        assert_eq!(parse_decimal("-18446744073709551616", 65), Some(vec![0, 1]));
        assert_eq!(parse_decimal("12x", 65), None);
    }
}
