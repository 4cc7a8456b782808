//! Types.

use std::ffi::CStr;
use std::marker::PhantomData;
use std::ptr::NonNull;

use llvm_sys::core::{
    LLVMCountStructElementTypes, LLVMGetArrayLength2, LLVMGetElementType, LLVMGetIntTypeWidth,
    LLVMGetPointerAddressSpace, LLVMGetReturnType, LLVMGetStructName, LLVMGetTypeKind,
    LLVMGetVectorSize, LLVMIsFunctionVarArg, LLVMIsOpaqueStruct, LLVMIsPackedStruct,
    LLVMStructGetTypeAtIndex,
};
use llvm_sys::{LLVMType, LLVMTypeKind};

use super::module::Borrow;

/// A type of LLVM's; equal types are equal pointers.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Type<'m> {
    raw: NonNull<LLVMType>,
    module: Borrow<'m>,
}

/// What a [`Type`] is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TypeKind<'m> {
    Void,
    Half,
    Float,
    Double,
    X87,
    /// An integer of this many bits.
    Integer(u32),
    /// A pointer into this address space.
    Pointer(u32),
    Struct,
    /// An array of this many elements.
    Array(u64, Type<'m>),
    /// A vector of this many elements.
    Vector(u32, Type<'m>),
    Function,
    /// Anything else, by a name for people.
    Other(&'static str),
}

impl<'m> Type<'m> {
    pub(super) fn new(raw: *mut LLVMType) -> Option<Self> {
        NonNull::new(raw).map(|raw| Self { raw, module: PhantomData })
    }

    pub(super) fn raw(self) -> *mut LLVMType {
        self.raw.as_ptr()
    }

    /// What the type is.
    pub(crate) fn kind(self) -> TypeKind<'m> {
        use LLVMTypeKind as K;
        let raw = self.raw();
        // SAFETY: the type is live as long as its module; each accessor is called on its own kind
        // only.
        unsafe {
            match LLVMGetTypeKind(raw) {
                K::LLVMVoidTypeKind => TypeKind::Void,
                K::LLVMHalfTypeKind => TypeKind::Half,
                K::LLVMFloatTypeKind => TypeKind::Float,
                K::LLVMDoubleTypeKind => TypeKind::Double,
                K::LLVMX86_FP80TypeKind => TypeKind::X87,
                K::LLVMIntegerTypeKind => TypeKind::Integer(LLVMGetIntTypeWidth(raw)),
                K::LLVMPointerTypeKind => TypeKind::Pointer(LLVMGetPointerAddressSpace(raw)),
                K::LLVMStructTypeKind => TypeKind::Struct,
                K::LLVMArrayTypeKind => match Self::new(LLVMGetElementType(raw)) {
                    Some(element) => TypeKind::Array(LLVMGetArrayLength2(raw), element),
                    None => TypeKind::Other("array of nothing"),
                },
                K::LLVMVectorTypeKind => match Self::new(LLVMGetElementType(raw)) {
                    Some(element) => TypeKind::Vector(LLVMGetVectorSize(raw), element),
                    None => TypeKind::Other("vector of nothing"),
                },
                K::LLVMFunctionTypeKind => TypeKind::Function,
                K::LLVMFP128TypeKind => TypeKind::Other("fp128"),
                K::LLVMPPC_FP128TypeKind => TypeKind::Other("ppc_fp128"),
                K::LLVMLabelTypeKind => TypeKind::Other("label"),
                K::LLVMMetadataTypeKind => TypeKind::Other("metadata"),
                K::LLVMX86_MMXTypeKind => TypeKind::Other("x86_mmx"),
                K::LLVMTokenTypeKind => TypeKind::Other("token"),
                K::LLVMScalableVectorTypeKind => TypeKind::Other("scalable vector"),
                K::LLVMBFloatTypeKind => TypeKind::Other("bfloat"),
                K::LLVMX86_AMXTypeKind => TypeKind::Other("x86_amx"),
                K::LLVMTargetExtTypeKind => TypeKind::Other("target extension type"),
            }
        }
    }

    /// The fields of a struct, and whether it is packed; `None` for a type that is none, or opaque.
    pub(crate) fn fields(self) -> Option<(Vec<Type<'m>>, bool)> {
        if self.kind() != TypeKind::Struct {
            return None;
        }
        let raw = self.raw();
        // SAFETY: it is a struct; the indices are below the number of its fields.
        unsafe {
            if LLVMIsOpaqueStruct(raw) != 0 {
                return None;
            }
            let count = LLVMCountStructElementTypes(raw);
            let fields = (0..count).filter_map(|i| Self::new(LLVMStructGetTypeAtIndex(raw, i)));
            Some((fields.collect(), LLVMIsPackedStruct(raw) != 0))
        }
    }

    /// The name of a struct, if it has one.
    pub(crate) fn struct_name(self) -> Option<String> {
        if self.kind() != TypeKind::Struct {
            return None;
        }
        // SAFETY: it is a struct; its name is a C string that lives as long as the type, or null.
        unsafe {
            let name = LLVMGetStructName(self.raw());
            (!name.is_null()).then(|| CStr::from_ptr(name).to_string_lossy().into_owned())
        }
    }

    /// What a function of this type returns.
    pub(crate) fn result(self) -> Option<Type<'m>> {
        // SAFETY: it is a function type.
        (self.kind() == TypeKind::Function)
            .then(|| Self::new(unsafe { LLVMGetReturnType(self.raw()) }))
            .flatten()
    }

    /// Whether a function of this type takes more arguments than it has parameters.
    pub(crate) fn variadic(self) -> bool {
        // SAFETY: it is a function type.
        self.kind() == TypeKind::Function && unsafe { LLVMIsFunctionVarArg(self.raw()) } != 0
    }
}

impl std::fmt::Debug for Type<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Type({:p})", self.raw)
    }
}
