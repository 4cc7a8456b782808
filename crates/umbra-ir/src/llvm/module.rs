//! Contexts and modules.

use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_void};
use std::marker::PhantomData;
use std::ptr;

use llvm_sys::bit_reader::LLVMParseBitcodeInContext2;
use llvm_sys::core::{
    LLVMContextCreate, LLVMContextDispose, LLVMContextSetDiagnosticHandler,
    LLVMCreateMemoryBufferWithMemoryRangeCopy, LLVMDisposeMemoryBuffer, LLVMDisposeMessage,
    LLVMDisposeModule, LLVMGetDataLayoutStr, LLVMGetDiagInfoDescription, LLVMGetDiagInfoSeverity,
    LLVMGetFirstFunction, LLVMGetFirstGlobal, LLVMGetFirstGlobalAlias, LLVMGetNextFunction,
    LLVMGetNextGlobal, LLVMGetNextGlobalAlias, LLVMGetTarget, LLVMSetIsNewDbgInfoFormat,
};
use llvm_sys::prelude::{
    LLVMContextRef, LLVMDiagnosticInfoRef, LLVMMemoryBufferRef, LLVMModuleRef,
};
use llvm_sys::{LLVMDiagnosticSeverity, LLVMModule, LLVMValue};

use super::Value;

/// LLVM's reason for not reading a file.
#[derive(Debug)]
pub(crate) struct ReadError(pub(crate) String);

/// A module and the context that owns its types and constants.
pub(crate) struct Module {
    context: LLVMContextRef,
    module: LLVMModuleRef,
}

/// Collects LLVM's complaints instead of letting it print them and exit.
extern "C" fn collect_diagnostic(info: LLVMDiagnosticInfoRef, messages: *mut c_void) {
    // SAFETY: LLVM passes a live diagnostic and the pointer registered in `read`, which points to
    // a `RefCell` that lives until the handler is removed. The description is ours to free.
    unsafe {
        if LLVMGetDiagInfoSeverity(info) != LLVMDiagnosticSeverity::LLVMDSError {
            return;
        }
        let description = LLVMGetDiagInfoDescription(info);
        if description.is_null() {
            return;
        }
        let text = CStr::from_ptr(description).to_string_lossy().into_owned();
        LLVMDisposeMessage(description);
        let messages = &*messages.cast::<RefCell<Vec<String>>>();
        messages.borrow_mut().push(text);
    }
}

impl Module {
    /// Reads bitcode.
    pub(crate) fn read(bitcode: &[u8]) -> Result<Self, ReadError> {
        let messages = RefCell::new(Vec::<String>::new());
        let handler_data: *const RefCell<Vec<String>> = &raw const messages;
        // SAFETY: the buffer is a copy, so it may outlive `bitcode`; the name is a literal. The
        // context is fresh. The handler's data outlives the handler, which is removed below. On
        // failure LLVM leaves `module` untouched, and we dispose of the context once.
        unsafe {
            let context = LLVMContextCreate();
            LLVMContextSetDiagnosticHandler(
                context,
                Some(collect_diagnostic),
                handler_data.cast_mut().cast(),
            );
            let buffer: LLVMMemoryBufferRef = LLVMCreateMemoryBufferWithMemoryRangeCopy(
                bitcode.as_ptr().cast::<c_char>(),
                bitcode.len(),
                c"bitcode".as_ptr(),
            );
            let mut module: *mut LLVMModule = ptr::null_mut();
            let failed = LLVMParseBitcodeInContext2(context, buffer, &raw mut module);
            LLVMDisposeMemoryBuffer(buffer);
            LLVMContextSetDiagnosticHandler(context, Some(ignore_diagnostic), ptr::null_mut());
            if failed != 0 || module.is_null() {
                LLVMContextDispose(context);
                return Err(ReadError(messages.into_inner().join("; ")));
            }
            // Variables are described by debug records, which the C interface cannot read, or by
            // calls of `llvm.dbg.*`, which it can.
            LLVMSetIsNewDbgInfoFormat(module, 0);
            Ok(Self { context, module })
        }
    }

    pub(super) fn context(&self) -> LLVMContextRef {
        self.context
    }

    pub(super) fn raw(&self) -> LLVMModuleRef {
        self.module
    }

    /// The target triple.
    pub(crate) fn triple(&self) -> String {
        // SAFETY: the module is live; LLVM returns a C string that it owns.
        unsafe { copy_c_string(LLVMGetTarget(self.module)) }
    }

    /// The data layout's description.
    pub(crate) fn data_layout(&self) -> String {
        // SAFETY: the module is live; LLVM returns a C string that it owns.
        unsafe { copy_c_string(LLVMGetDataLayoutStr(self.module)) }
    }

    /// All functions, declared ones too.
    pub(crate) fn functions(&self) -> impl Iterator<Item = Value<'_>> {
        // SAFETY: the module is live, and so is each function of it.
        let first = unsafe { LLVMGetFirstFunction(self.module) };
        self.chain(first, |value| {
            // SAFETY: `chain` passes what the two functions here returned: functions.
            unsafe { LLVMGetNextFunction(value) }
        })
    }

    /// All global variables, declared ones too.
    pub(crate) fn globals(&self) -> impl Iterator<Item = Value<'_>> {
        // SAFETY: as in `functions`.
        let first = unsafe { LLVMGetFirstGlobal(self.module) };
        self.chain(first, |value| {
            // SAFETY: as in `functions`.
            unsafe { LLVMGetNextGlobal(value) }
        })
    }

    /// All aliases.
    pub(crate) fn aliases(&self) -> impl Iterator<Item = Value<'_>> {
        // SAFETY: as in `functions`.
        let first = unsafe { LLVMGetFirstGlobalAlias(self.module) };
        self.chain(first, |value| {
            // SAFETY: as in `functions`.
            unsafe { LLVMGetNextGlobalAlias(value) }
        })
    }

    fn chain(
        &self,
        first: *mut LLVMValue,
        next: impl Fn(*mut LLVMValue) -> *mut LLVMValue,
    ) -> impl Iterator<Item = Value<'_>> {
        std::iter::successors(Value::new(first), move |value| Value::new(next(value.raw())))
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: both are live and owned; the module goes before its context.
        unsafe {
            LLVMDisposeModule(self.module);
            LLVMContextDispose(self.context);
        }
    }
}

/// Warnings while a module is being walked are of no use to anyone.
extern "C" fn ignore_diagnostic(_: LLVMDiagnosticInfoRef, _: *mut c_void) {}

/// Copies a C string that LLVM owns.
///
/// # Safety
///
/// `text` is null or a C string.
unsafe fn copy_c_string(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: not null, and a C string by the caller's contract.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// Ties a view to the module it came from.
pub(super) type Borrow<'m> = PhantomData<&'m Module>;
