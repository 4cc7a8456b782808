//! Notes in a module of which blocks are entered.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use llvm_sys::LLVMAttributeFunctionIndex;
use llvm_sys::LLVMLinkage::LLVMInternalLinkage;
use llvm_sys::bit_writer::LLVMWriteBitcodeToFile;
use llvm_sys::core::{
    LLVMAddGlobal, LLVMArrayType2, LLVMBuildStore, LLVMConstInBoundsGEP2, LLVMConstInt,
    LLVMConstNull, LLVMCreateBuilderInContext, LLVMDisposeBuilder, LLVMGetBasicBlockParent,
    LLVMGetEnumAttributeAtIndex, LLVMGetEnumAttributeKindForName, LLVMInt8TypeInContext,
    LLVMInt64TypeInContext, LLVMIsAPHINode, LLVMPositionBuilderBefore, LLVMSetInitializer,
    LLVMSetLinkage, LLVMSetSection, LLVMSetVolatile,
};
use llvm_sys::prelude::{LLVMBuilderRef, LLVMTypeRef, LLVMValueRef};

use super::{Block, Module, ReadError};

/// The section of an executable that holds a byte for each block of its program.
pub const COUNTERS: &str = "umbra_counters";

/// [`COUNTERS`] for C. No symbol may have this name, since that of the section is one.
const SECTION: &std::ffi::CStr = c"umbra_counters";

impl Module {
    /// Lets every block set a byte of its own when it is entered. A byte without a block stays zero.
    pub(crate) fn count(&self, blocks: &[Option<Block<'_>>]) {
        if blocks.is_empty() {
            return;
        }
        // SAFETY: context and module are live; the types are of this context, the global of this
        // module, and the blocks borrow a module, of which there is but one in each context.
        unsafe {
            let byte = LLVMInt8TypeInContext(self.context());
            let array = LLVMArrayType2(byte, blocks.len() as u64);
            let counters = LLVMAddGlobal(self.raw(), array, c"__umbra_counters".as_ptr());
            LLVMSetInitializer(counters, LLVMConstNull(array));
            LLVMSetLinkage(counters, LLVMInternalLinkage);
            LLVMSetSection(counters, SECTION.as_ptr());
            let builder = LLVMCreateBuilderInContext(self.context());
            for (index, block) in blocks.iter().enumerate() {
                if let Some(block) = block {
                    self.note(builder, *block, array, counters, index as u64);
                }
            }
            LLVMDisposeBuilder(builder);
        }
    }

    /// Puts the store in front of the block's first instruction that is no phi.
    ///
    /// # Safety
    ///
    /// `array` and `counters` are type and address of the notes in this module.
    unsafe fn note(
        &self,
        builder: LLVMBuilderRef,
        block: Block<'_>,
        array: LLVMTypeRef,
        counters: LLVMValueRef,
        index: u64,
    ) {
        // SAFETY: all values are live and of this module; an instruction comes from its block.
        unsafe {
            // A function without prologue is assembly, and nothing else may be in it.
            let naked = LLVMGetEnumAttributeKindForName(c"naked".as_ptr(), 5);
            let function = LLVMGetBasicBlockParent(block.raw());
            let of_function = LLVMAttributeFunctionIndex;
            if !LLVMGetEnumAttributeAtIndex(function, of_function, naked).is_null() {
                return;
            }
            let is_phi = |raw: LLVMValueRef| !LLVMIsAPHINode(raw).is_null();
            let Some(first) = block.instructions().find(|value| !is_phi(value.raw())) else {
                return;
            };
            LLVMPositionBuilderBefore(builder, first.raw());
            let (byte, word) =
                (LLVMInt8TypeInContext(self.context()), LLVMInt64TypeInContext(self.context()));
            let mut indices = [LLVMConstInt(word, 0, 0), LLVMConstInt(word, index, 0)];
            let place = LLVMConstInBoundsGEP2(array, counters, indices.as_mut_ptr(), 2);
            let store = LLVMBuildStore(builder, LLVMConstInt(byte, 1, 0), place);
            // Kept where it is: a loop may never be left.
            LLVMSetVolatile(store, 1);
        }
    }

    /// Writes the module as bitcode.
    pub(crate) fn write(&self, path: &Path) -> Result<(), ReadError> {
        let name = CString::new(path.as_os_str().as_bytes())
            .map_err(|_| ReadError("its name has a NUL byte".into()))?;
        // SAFETY: the module is live, the name a C string.
        match unsafe { LLVMWriteBitcodeToFile(self.raw(), name.as_ptr()) } {
            0 => Ok(()),
            _ => Err(ReadError(std::io::Error::last_os_error().to_string())),
        }
    }
}
