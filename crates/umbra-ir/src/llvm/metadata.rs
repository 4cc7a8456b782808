//! Debug information.
//!
//! The C interface has accessors for some of it. The rest is reached through the operands of the
//! metadata nodes, whose order is fixed by LLVM's classes.

use std::ffi::c_uint;
use std::marker::PhantomData;
use std::ptr::{self, NonNull};

use llvm_sys::LLVMOpaqueMetadata;
use llvm_sys::core::{
    LLVMDisposeValueMetadataEntries, LLVMGetMDNodeNumOperands, LLVMGetMDNodeOperands,
    LLVMGetMDString, LLVMGlobalCopyAllMetadata, LLVMIsAMDNode, LLVMIsAMDString,
    LLVMMetadataAsValue, LLVMValueAsMetadata, LLVMValueMetadataEntriesGetMetadata,
};
use llvm_sys::debuginfo::{
    LLVMDIFileGetDirectory, LLVMDIFileGetFilename, LLVMDILocationGetColumn,
    LLVMDILocationGetInlinedAt, LLVMDILocationGetLine, LLVMDILocationGetScope,
    LLVMDISubprogramGetLine, LLVMDIVariableGetLine, LLVMGetMetadataKind, LLVMGetSubprogram,
    LLVMInstructionGetDebugLoc, LLVMMetadataKind,
};

use super::module::Borrow;
use super::{Kind, Module, Value, copy_string};

/// A piece of metadata; equal pieces are equal pointers.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Metadata<'m> {
    raw: NonNull<LLVMOpaqueMetadata>,
    module: Borrow<'m>,
}

/// The kinds of metadata that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MetadataKind {
    Location,
    File,
    Subprogram,
    LexicalBlock,
    GlobalVariableExpression,
    GlobalVariable,
    LocalVariable,
    Unit,
    Other,
}

impl<'m> Metadata<'m> {
    fn new(raw: *mut LLVMOpaqueMetadata) -> Option<Self> {
        NonNull::new(raw).map(|raw| Self { raw, module: PhantomData })
    }

    pub(super) fn raw(self) -> *mut LLVMOpaqueMetadata {
        self.raw.as_ptr()
    }

    /// What it is.
    pub(crate) fn kind(self) -> MetadataKind {
        use LLVMMetadataKind as K;
        // SAFETY: the metadata is live as long as its module.
        match unsafe { LLVMGetMetadataKind(self.raw()) } {
            K::LLVMDILocationMetadataKind => MetadataKind::Location,
            K::LLVMDIFileMetadataKind => MetadataKind::File,
            K::LLVMDISubprogramMetadataKind => MetadataKind::Subprogram,
            K::LLVMDILexicalBlockMetadataKind | K::LLVMDILexicalBlockFileMetadataKind => {
                MetadataKind::LexicalBlock
            }
            K::LLVMDIGlobalVariableExpressionMetadataKind => MetadataKind::GlobalVariableExpression,
            K::LLVMDIGlobalVariableMetadataKind => MetadataKind::GlobalVariable,
            K::LLVMDILocalVariableMetadataKind => MetadataKind::LocalVariable,
            K::LLVMDICompileUnitMetadataKind => MetadataKind::Unit,
            _ => MetadataKind::Other,
        }
    }

    fn is(self, kind: MetadataKind) -> bool {
        self.kind() == kind
    }

    fn as_value(self, module: &'m Module) -> Option<Value<'m>> {
        // SAFETY: the metadata belongs to the module's context.
        Value::new(unsafe { LLVMMetadataAsValue(module.context(), self.raw()) })
    }

    /// The operands of a node.
    fn operands(self, module: &'m Module) -> Vec<Option<Value<'m>>> {
        let Some(value) = self.as_value(module) else {
            return Vec::new();
        };
        // SAFETY: operands are asked of nodes only, into an array of their number.
        unsafe {
            if LLVMIsAMDNode(value.raw()).is_null() {
                return Vec::new();
            }
            let count = LLVMGetMDNodeNumOperands(value.raw()) as usize;
            let mut operands = vec![ptr::null_mut(); count];
            LLVMGetMDNodeOperands(value.raw(), operands.as_mut_ptr());
            operands.into_iter().map(Value::new).collect()
        }
    }

    fn operand(self, module: &'m Module, index: usize) -> Option<Value<'m>> {
        self.operands(module).get(index).copied().flatten()
    }

    /// An operand that is metadata itself.
    pub(super) fn operand_metadata(self, module: &'m Module, index: usize) -> Option<Metadata<'m>> {
        self.operand(module, index)?.as_metadata()
    }

    /// All operands, as far as they are metadata themselves.
    pub(super) fn operands_metadata(self, module: &'m Module) -> Vec<Option<Metadata<'m>>> {
        let operands = self.operands(module).into_iter();
        operands.map(|operand| operand.and_then(Value::as_metadata)).collect()
    }

    /// The node as LLVM writes it: the C interface has no accessor for tags and encodings. Without a
    /// module to number its operands in, a node prints by itself, so this is cheap.
    pub(super) fn text(self, module: &'m Module) -> String {
        self.as_value(module).map_or_else(String::new, Value::print)
    }

    /// Line and column of a location.
    pub(crate) fn line_and_column(self) -> Option<(u32, u32)> {
        // SAFETY: a location.
        self.is(MetadataKind::Location).then(|| unsafe {
            (LLVMDILocationGetLine(self.raw()), LLVMDILocationGetColumn(self.raw()))
        })
    }

    /// The scope that a location is in.
    pub(crate) fn location_scope(self) -> Option<Metadata<'m>> {
        if !self.is(MetadataKind::Location) {
            return None;
        }
        // SAFETY: a location.
        Self::new(unsafe { LLVMDILocationGetScope(self.raw()) })
    }

    /// Where the function that a location is in was inlined.
    pub(crate) fn inlined_at(self) -> Option<Metadata<'m>> {
        if !self.is(MetadataKind::Location) {
            return None;
        }
        // SAFETY: a location.
        Self::new(unsafe { LLVMDILocationGetInlinedAt(self.raw()) })
    }

    /// The file of a unit, a function, a lexical block or a variable.
    pub(crate) fn file(self, module: &'m Module) -> Option<Metadata<'m>> {
        let index = match self.kind() {
            MetadataKind::Unit | MetadataKind::Subprogram | MetadataKind::LexicalBlock => 0,
            MetadataKind::GlobalVariable | MetadataKind::LocalVariable => 2,
            _ => return None,
        };
        let file = self.operand(module, index)?.as_metadata()?;
        file.is(MetadataKind::File).then_some(file)
    }

    /// The translation unit of a function, or of a variable that is in none.
    pub(crate) fn unit(self, module: &'m Module) -> Option<Metadata<'m>> {
        let index = match self.kind() {
            MetadataKind::Subprogram => 5,
            MetadataKind::GlobalVariable => 0,
            _ => return None,
        };
        let unit = self.operand(module, index)?.as_metadata()?;
        unit.is(MetadataKind::Unit).then_some(unit)
    }

    /// What encloses a function, a lexical block or a variable.
    pub(crate) fn parent(self, module: &'m Module) -> Option<Metadata<'m>> {
        let index = match self.kind() {
            MetadataKind::Subprogram | MetadataKind::LexicalBlock => 1,
            MetadataKind::GlobalVariable | MetadataKind::LocalVariable => 0,
            _ => return None,
        };
        self.operand(module, index)?.as_metadata()
    }

    /// The source name of a function or variable.
    pub(crate) fn name(self, module: &'m Module) -> Option<String> {
        let index = match self.kind() {
            MetadataKind::Subprogram => 2,
            MetadataKind::GlobalVariable | MetadataKind::LocalVariable => 1,
            _ => return None,
        };
        self.operand(module, index)?.metadata_string()
    }

    /// The line of a function or variable.
    pub(crate) fn line(self) -> u32 {
        match self.kind() {
            // SAFETY: a function.
            MetadataKind::Subprogram => unsafe { LLVMDISubprogramGetLine(self.raw()) },
            // SAFETY: a variable.
            MetadataKind::GlobalVariable | MetadataKind::LocalVariable => unsafe {
                LLVMDIVariableGetLine(self.raw())
            },
            _ => 0,
        }
    }

    /// Whether a function or variable is visible in its own file only, in the source text.
    pub(crate) fn is_local(self, module: &'m Module) -> bool {
        // The C interface has no accessor for this flag. Without a module to number its operands
        // in, a node prints by itself, so this is cheap.
        let flag = match self.kind() {
            MetadataKind::Subprogram => "DISPFlagLocalToUnit",
            MetadataKind::GlobalVariable => "isLocal: true",
            _ => return false,
        };
        self.as_value(module).is_some_and(|value| value.print().contains(flag))
    }

    /// The variable of a global variable's description.
    pub(crate) fn global_variable(self, module: &'m Module) -> Option<Metadata<'m>> {
        if !self.is(MetadataKind::GlobalVariableExpression) {
            return None;
        }
        let variable = self.operand(module, 0)?.as_metadata()?;
        variable.is(MetadataKind::GlobalVariable).then_some(variable)
    }

    /// Directory and name of a file.
    pub(crate) fn directory_and_name(self) -> Option<(String, String)> {
        if !self.is(MetadataKind::File) {
            return None;
        }
        let mut length: c_uint = 0;
        // SAFETY: a file; the strings have the lengths given.
        unsafe {
            let directory = LLVMDIFileGetDirectory(self.raw(), &raw mut length);
            let directory = copy_string(directory, length as usize);
            let name = LLVMDIFileGetFilename(self.raw(), &raw mut length);
            Some((directory, copy_string(name, length as usize)))
        }
    }
}

impl<'m> Value<'m> {
    /// The metadata that an operand wraps.
    pub(crate) fn as_metadata(self) -> Option<Metadata<'m>> {
        if self.kind() != Kind::Metadata {
            return None;
        }
        // SAFETY: wrapped metadata.
        Metadata::new(unsafe { LLVMValueAsMetadata(self.raw()) })
    }

    fn metadata_string(self) -> Option<String> {
        let mut length: c_uint = 0;
        // SAFETY: the text is asked of strings only, and has the length given.
        unsafe {
            if LLVMIsAMDString(self.raw()).is_null() {
                return None;
            }
            let text = LLVMGetMDString(self.raw(), &raw mut length);
            Some(copy_string(text, length as usize))
        }
    }

    /// The value that an argument of a debug intrinsic wraps.
    pub(crate) fn wrapped_value(self) -> Option<Value<'m>> {
        use LLVMMetadataKind as K;
        let metadata = self.as_metadata()?;
        // SAFETY: metadata that wraps one value; LLVM stores that value into the array of one.
        unsafe {
            match LLVMGetMetadataKind(metadata.raw()) {
                K::LLVMConstantAsMetadataMetadataKind | K::LLVMLocalAsMetadataMetadataKind => {
                    let mut value = ptr::null_mut();
                    LLVMGetMDNodeOperands(self.raw(), &raw mut value);
                    Value::new(value)
                }
                _ => None,
            }
        }
    }

    /// The source location of an instruction.
    pub(crate) fn debug_location(self) -> Option<Metadata<'m>> {
        if self.kind() != Kind::Instruction {
            return None;
        }
        // SAFETY: an instruction.
        Metadata::new(unsafe { LLVMInstructionGetDebugLoc(self.raw()) })
    }

    /// The description of a function.
    pub(crate) fn subprogram(self) -> Option<Metadata<'m>> {
        if self.kind() != Kind::Function {
            return None;
        }
        // SAFETY: a function.
        Metadata::new(unsafe { LLVMGetSubprogram(self.raw()) })
    }

    /// The metadata attached to a global variable.
    pub(crate) fn attached_metadata(self) -> Vec<Metadata<'m>> {
        if self.kind() != Kind::GlobalVariable {
            return Vec::new();
        }
        let mut count = 0;
        // SAFETY: a global; LLVM returns an array of `count` entries that is ours to free.
        unsafe {
            let entries = LLVMGlobalCopyAllMetadata(self.raw(), &raw mut count);
            if entries.is_null() {
                return Vec::new();
            }
            let count = c_uint::try_from(count).unwrap_or(0);
            let metadata = (0..count)
                .filter_map(|i| Metadata::new(LLVMValueMetadataEntriesGetMetadata(entries, i)))
                .collect();
            LLVMDisposeValueMetadataEntries(entries);
            metadata
        }
    }
}
