//! Hooks at the calls of functions, in the functions themselves: what it is called with goes through
//! functions of ours (`umbra-project/libc/call/call.c`), and so does what it returns.
//!
//! What the bytes behind a pointer are is known from the debug information only: pointers have no
//! types in LLVM. A pointer to characters leads to a text; if a number follows it whose name says that
//! it is a length, to so many bytes; one to `void` leads to bytes if a number follows that is not said to
//! be something else; all others are left alone.

use std::ffi::{CStr, CString};
use std::ptr;

use llvm_sys::LLVMLinkage::{LLVMExternalLinkage, LLVMInternalLinkage};
use llvm_sys::LLVMOpcode;
use llvm_sys::LLVMTypeKind as TypeKind;
use llvm_sys::core::{
    LLVMAddFunction, LLVMAddGlobal, LLVMBuildBitCast, LLVMBuildCall2, LLVMBuildGlobalStringPtr,
    LLVMBuildPtrToInt, LLVMBuildSExt, LLVMBuildZExt, LLVMConstInt, LLVMConstNull,
    LLVMCreateBuilderInContext, LLVMDisposeBuilder, LLVMFunctionType, LLVMGetBasicBlockTerminator,
    LLVMGetEntryBasicBlock, LLVMGetEnumAttributeAtIndex, LLVMGetEnumAttributeKindForName,
    LLVMGetFirstInstruction, LLVMGetInstructionOpcode, LLVMGetIntTypeWidth, LLVMGetNamedFunction,
    LLVMGetNamedGlobal, LLVMGetNextInstruction, LLVMGetNumOperands, LLVMGetOperand,
    LLVMGetTypeKind, LLVMInt32TypeInContext, LLVMInt64TypeInContext, LLVMIsAAllocaInst,
    LLVMPointerTypeInContext, LLVMPositionBuilderBefore, LLVMReplaceAllUsesWith,
    LLVMSetCurrentDebugLocation2, LLVMSetInitializer, LLVMSetLinkage, LLVMSetOperand, LLVMTypeOf,
    LLVMVoidTypeInContext,
};
use llvm_sys::debuginfo::LLVMDIBuilderCreateDebugLocation;
use llvm_sys::prelude::{LLVMBuilderRef, LLVMMetadataRef, LLVMTypeRef, LLVMValueRef};

use super::{Metadata, Module, Value};

/// What is known of a pointer from its type; `call.c` has the same.
const IS_CONSTANT: u64 = 1;
const IS_TEXT: u64 = 2;
const IS_COUNTED: u64 = 4;

/// What a parameter is, by its type in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Points {
    /// To characters.
    Text { is_constant: bool },
    /// To unsigned characters: a text for parsers, or bytes if they are counted.
    Octets { is_constant: bool },
    /// To anything.
    Bytes { is_constant: bool },
    /// It is a number.
    Number,
    /// Something else.
    Other,
}

/// Why the calls of a function cannot be hooked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unhooked {
    /// The module does not define it.
    Unknown,
    /// Nothing is known of its parameters.
    NoTypes,
    /// It has no parameter that leads to bytes.
    NoBytes,
}

/// The functions of `call.c`.
struct Hooks {
    begin: (LLVMTypeRef, LLVMValueRef),
    pointer: (LLVMTypeRef, LLVMValueRef),
    number: (LLVMTypeRef, LLVMValueRef),
    made: (LLVMTypeRef, LLVMValueRef),
    returned: (LLVMTypeRef, LLVMValueRef),
}

impl Module {
    /// Hooks the calls of a function.
    pub(crate) fn hook_calls_of(&self, name: &str) -> Result<(), Unhooked> {
        let is_it = |function: &Value<'_>| {
            let subprogram = function.subprogram();
            !function.is_declaration()
                && (function.link_name() == name
                    || subprogram.and_then(|found| found.name(self)).as_deref() == Some(name))
        };
        let function = self.functions().find(is_it).ok_or(Unhooked::Unknown)?;
        let parameters = self.points(function).ok_or(Unhooked::NoTypes)?;
        let names: Vec<String> = function.parameters().iter().map(|value| value.name()).collect();
        let counts = |index: usize| {
            parameters.get(index + 1) == Some(&Points::Number)
                && is_length(parameters[index], &names[index + 1])
        };
        let counted: Vec<bool> = (0..parameters.len()).map(counts).collect();
        let leads_to_bytes = |(points, counted): (&Points, &bool)| match points {
            Points::Text { .. } | Points::Octets { .. } => true,
            Points::Bytes { .. } => *counted,
            Points::Number | Points::Other => false,
        };
        if !parameters.iter().zip(&counted).any(leads_to_bytes) {
            return Err(Unhooked::NoBytes);
        }
        // SAFETY: everything is of this module, which is live and not shared.
        unsafe {
            let environment = LLVMGetNamedGlobal(self.raw(), c"__environ".as_ptr());
            if !environment.is_null() {
                LLVMSetLinkage(environment, LLVMExternalLinkage);
            }
            self.hook(name, (&parameters, &counted), function);
        }
        Ok(())
    }

    /// What the parameters of a function are, if its debug information has as many.
    fn points(&self, function: Value<'_>) -> Option<Vec<Points>> {
        let signature = function.subprogram()?.operand_metadata(self, 4)?;
        let types = signature.operand_metadata(self, 3)?.operands_metadata(self);
        let parameters = function.parameters();
        // A result in memory is a parameter of its own.
        let hidden = usize::from(self.returns_in_memory(function));
        // `...` is an entry without a type, the last one.
        let named = types.len().saturating_sub(1);
        let is_variadic = named == parameters.len() + 1 - hidden && types.last() == Some(&None);
        if named + hidden != parameters.len() && !is_variadic {
            return None;
        }
        let of = |index: usize| match index.checked_sub(hidden) {
            Some(index) => self.points_to(types.get(index + 1).copied().flatten()),
            None => Points::Other,
        };
        Some((0..parameters.len()).map(of).collect())
    }

    fn returns_in_memory(&self, function: Value<'_>) -> bool {
        // SAFETY: a function of this module; the first parameter has the index 1.
        unsafe {
            let sret = LLVMGetEnumAttributeKindForName(c"sret".as_ptr(), 4);
            !function.parameters().is_empty()
                && !LLVMGetEnumAttributeAtIndex(function.raw(), 1, sret).is_null()
        }
    }

    fn points_to(&self, ty: Option<Metadata<'_>>) -> Points {
        let (ty, _) = self.plain(ty);
        let Some(ty) = ty else { return Points::Other };
        let text = ty.text(self);
        if text.contains("DIBasicType(") {
            let is_number = text.contains("DW_ATE_signed") || text.contains("DW_ATE_unsigned");
            return if is_number { Points::Number } else { Points::Other };
        }
        if text.contains("DW_TAG_enumeration_type") {
            return Points::Number;
        }
        if !text.contains("DW_TAG_pointer_type") {
            return Points::Other;
        }
        let (target, is_constant) = self.plain(ty.operand_metadata(self, 3));
        match target {
            None => Points::Bytes { is_constant },
            Some(target) => {
                let text = target.text(self);
                let is_base = text.contains("DIBasicType(") && text.contains("size: 8,");
                match is_base {
                    true if text.contains("name: \"char\"") => Points::Text { is_constant },
                    true => Points::Octets { is_constant },
                    false => Points::Other,
                }
            }
        }
    }

    /// A type without its names and qualifiers, and whether it is constant.
    fn plain<'m>(&'m self, ty: Option<Metadata<'m>>) -> (Option<Metadata<'m>>, bool) {
        let (mut ty, mut is_constant) = (ty, false);
        // A chain of names ends; a damaged one does not.
        for _ in 0..64 {
            let Some(current) = ty else { break };
            let text = current.text(self);
            let is = |tag: &str| text.contains(tag);
            is_constant |= is("DW_TAG_const_type");
            let qualifies = ["typedef", "const_type", "volatile_type", "restrict_type"];
            if !qualifies.iter().any(|tag| is(&format!("DW_TAG_{tag}"))) {
                break;
            }
            ty = current.operand_metadata(self, 3);
        }
        (ty, is_constant)
    }

    /// Puts the hooks at the beginning and at each end of a function.
    ///
    /// # Safety
    ///
    /// `view` is a function of this module, with a body and these parameters.
    unsafe fn hook(
        &self,
        name: &str,
        (parameters, counted): (&[Points], &[bool]),
        view: Value<'_>,
    ) {
        // SAFETY: values and types are of this context and live; instructions of this function.
        unsafe {
            let hooks = self.hooks();
            let builder = LLVMCreateBuilderInContext(self.context());
            let mut first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(view.raw()));
            while !LLVMIsAAllocaInst(first).is_null() {
                first = LLVMGetNextInstruction(first);
            }
            LLVMPositionBuilderBefore(builder, first);
            LLVMSetCurrentDebugLocation2(builder, self.beginning(view));
            let shown = self.string(builder, name);
            let word = LLVMInt64TypeInContext(self.context());
            let calls = LLVMAddGlobal(self.raw(), word, c"__umbra_calls".as_ptr());
            LLVMSetInitializer(calls, LLVMConstNull(word));
            LLVMSetLinkage(calls, LLVMInternalLinkage);
            let begin = call(builder, hooks.begin, &mut [shown, calls]);
            let int = LLVMInt32TypeInContext(self.context());
            let values: Vec<LLVMValueRef> =
                view.parameters().iter().map(|value| value.raw()).collect();
            for (index, (&value, points)) in values.iter().zip(parameters).enumerate() {
                let counted = match counted[index] {
                    true => self.as_word(builder, values[index + 1]),
                    false => None,
                };
                let (text, is_constant) = match points {
                    Points::Text { is_constant } => (IS_TEXT, *is_constant),
                    Points::Octets { is_constant } if counted.is_none() => (IS_TEXT, *is_constant),
                    Points::Octets { is_constant } | Points::Bytes { is_constant } => {
                        (0, *is_constant)
                    }
                    Points::Other if is_pointer(value) => {
                        let input = self.string(builder, "");
                        let (length, flags) = (LLVMConstInt(word, 0, 0), LLVMConstInt(int, 0, 0));
                        call(builder, hooks.pointer, &mut [begin, value, length, flags, input]);
                        continue;
                    }
                    Points::Number | Points::Other => {
                        let number = self.as_word(builder, value);
                        let number = number.unwrap_or_else(|| LLVMConstInt(word, 0, 0));
                        call(builder, hooks.number, &mut [begin, number]);
                        continue;
                    }
                };
                let flags = text
                    | if is_constant { IS_CONSTANT } else { 0 }
                    | if counted.is_some() { IS_COUNTED } else { 0 };
                let length = counted.unwrap_or_else(|| LLVMConstInt(word, 0, 0));
                let input = self.string(builder, &format!("{name} argument {}", index + 1));
                let flags = LLVMConstInt(int, flags, 0);
                let hooked =
                    call(builder, hooks.pointer, &mut [begin, value, length, flags, input]);
                LLVMReplaceAllUsesWith(value, hooked);
                // All but this one.
                LLVMSetOperand(hooked, 1, value);
            }
            call(builder, hooks.made, &mut [begin]);
            for block in view.blocks() {
                let end = LLVMGetBasicBlockTerminator(block.raw());
                if end.is_null()
                    || LLVMGetInstructionOpcode(end) != LLVMOpcode::LLVMRet
                    || LLVMGetNumOperands(end) == 0
                {
                    continue;
                }
                LLVMPositionBuilderBefore(builder, end);
                let value = LLVMGetOperand(end, 0);
                let ty = LLVMTypeOf(value);
                let (value, bits) = match LLVMGetTypeKind(ty) {
                    TypeKind::LLVMPointerTypeKind => {
                        (LLVMBuildPtrToInt(builder, value, word, c"".as_ptr()), 0)
                    }
                    TypeKind::LLVMIntegerTypeKind if LLVMGetIntTypeWidth(ty) <= 64 => {
                        let bits = LLVMGetIntTypeWidth(ty);
                        (LLVMBuildZExt(builder, value, word, c"".as_ptr()), bits)
                    }
                    TypeKind::LLVMDoubleTypeKind => {
                        (LLVMBuildBitCast(builder, value, word, c"".as_ptr()), 64)
                    }
                    _ => continue,
                };
                let bits = LLVMConstInt(int, bits.into(), 0);
                call(builder, hooks.returned, &mut [begin, value, bits, shown]);
            }
            LLVMDisposeBuilder(builder);
        }
    }

    /// The line that a function begins at, as a location: LLVM takes a function with debug information
    /// for damaged in which a call has none.
    ///
    /// # Safety
    ///
    /// The function is one of this module.
    unsafe fn beginning(&self, function: Value<'_>) -> LLVMMetadataRef {
        let Some(subprogram) = function.subprogram() else { return ptr::null_mut() };
        let (scope, none) = (subprogram.raw(), ptr::null_mut());
        // SAFETY: the scope is that of a function of this module.
        unsafe {
            LLVMDIBuilderCreateDebugLocation(self.context(), subprogram.line(), 0, scope, none)
        }
    }

    /// Declares the functions of `call.c`.
    ///
    /// # Safety
    ///
    /// The module is not shared.
    unsafe fn hooks(&self) -> Hooks {
        // SAFETY: types of this context, functions of this module.
        unsafe {
            let context = self.context();
            let pointer = LLVMPointerTypeInContext(context, 0);
            let (int, word) = (LLVMInt32TypeInContext(context), LLVMInt64TypeInContext(context));
            let nothing = LLVMVoidTypeInContext(context);
            let declare = |name: &CStr, result, mut parameters: Vec<LLVMTypeRef>| {
                let count = parameters.len() as u32;
                let ty = LLVMFunctionType(result, parameters.as_mut_ptr(), count, 0);
                let found = LLVMGetNamedFunction(self.raw(), name.as_ptr());
                let function = match found.is_null() {
                    true => LLVMAddFunction(self.raw(), name.as_ptr(), ty),
                    false => found,
                };
                (ty, function)
            };
            Hooks {
                begin: declare(c"__umbra_call", int, vec![pointer, pointer]),
                pointer: declare(
                    c"__umbra_call_pointer",
                    pointer,
                    vec![int, pointer, word, int, pointer],
                ),
                number: declare(c"__umbra_call_number", nothing, vec![int, word]),
                made: declare(c"__umbra_call_made", nothing, vec![int]),
                returned: declare(c"__umbra_call_returned", nothing, vec![int, word, int, pointer]),
            }
        }
    }

    /// A number as a word with its sign.
    ///
    /// # Safety
    ///
    /// The builder stands in the function that `value` is in.
    unsafe fn as_word(&self, builder: LLVMBuilderRef, value: LLVMValueRef) -> Option<LLVMValueRef> {
        // SAFETY: the width is asked of integers only.
        unsafe {
            let ty = LLVMTypeOf(value);
            let is_number = LLVMGetTypeKind(ty) == TypeKind::LLVMIntegerTypeKind;
            (is_number && LLVMGetIntTypeWidth(ty) <= 64).then(|| {
                let word = LLVMInt64TypeInContext(self.context());
                LLVMBuildSExt(builder, value, word, c"".as_ptr())
            })
        }
    }

    /// The address of a string.
    ///
    /// # Safety
    ///
    /// The builder stands in a function of this module.
    unsafe fn string(&self, builder: LLVMBuilderRef, text: &str) -> LLVMValueRef {
        let text = CString::new(text).unwrap_or_default();
        // SAFETY: C strings; LLVM copies them.
        unsafe { LLVMBuildGlobalStringPtr(builder, text.as_ptr(), c"__umbra_call_name".as_ptr()) }
    }
}

/// Whether a number of this name, behind a pointer, says how many bytes there are. Flags and the like follow
/// texts, too.
fn is_length(points: Points, name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    match points {
        Points::Bytes { .. } => !has(&["flag", "mode", "opt", "type", "level"]),
        _ => {
            has(&["len", "siz", "count", "num", "byte", "max", "cap", "room", "avail"])
                || ["n", "l", "sz", "nb", "s"].contains(&&*name)
        }
    }
}

/// # Safety
///
/// The value is live.
unsafe fn is_pointer(value: LLVMValueRef) -> bool {
    // SAFETY: every value has a type.
    unsafe { LLVMGetTypeKind(LLVMTypeOf(value)) == TypeKind::LLVMPointerTypeKind }
}

/// # Safety
///
/// The arguments fit the function.
unsafe fn call(
    builder: LLVMBuilderRef,
    (ty, function): (LLVMTypeRef, LLVMValueRef),
    arguments: &mut [LLVMValueRef],
) -> LLVMValueRef {
    let (first, count) = (arguments.as_mut_ptr(), arguments.len() as u32);
    // SAFETY: live values, as many as said.
    unsafe { LLVMBuildCall2(builder, ty, function, first, count, c"".as_ptr()) }
}
