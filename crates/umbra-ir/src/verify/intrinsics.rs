//! The types that intrinsics take and yield.

use crate::intrinsic::Intrinsic;
use crate::types::Type;

/// A type, or a constraint on one.
#[derive(Clone, Copy)]
enum Class {
    Exactly(Type),
    /// Any integer.
    AnyInteger,
    /// An integer, the same wherever this occurs in the signature.
    Integer,
    /// A float, the same wherever this occurs in the signature.
    Float,
}

/// Whether an intrinsic can have arguments and results of these types.
pub(super) fn accepts(intrinsic: Intrinsic, arguments: &[Type], results: &[Type]) -> bool {
    use Class::{AnyInteger, Exactly, Float, Integer};
    use Intrinsic as I;
    const PTR: Class = Exactly(Type::Pointer);
    const BOOL: Class = Exactly(Type::BOOL);
    const BYTE: Class = Exactly(Type::Integer(8));
    const I32: Class = Exactly(Type::Integer(32));
    const I64: Class = Exactly(Type::Integer(64));
    let (takes, yields): (&[Class], &[Class]) = match intrinsic {
        I::MemoryCopy | I::MemoryMove => (&[PTR, PTR, I64], &[]),
        I::MemorySet => (&[PTR, BYTE, I64], &[]),
        I::LifetimeStart
        | I::LifetimeEnd
        | I::StackRestore
        | I::Synchronize
        | I::Volatile
        | I::VaStart
        | I::VaEnd => (&[PTR], &[]),
        I::StackSave => (&[], &[PTR]),
        I::VaCopy => (&[PTR, PTR], &[]),
        I::Trap => (&[], &[]),
        I::SAddOverflow
        | I::UAddOverflow
        | I::SSubOverflow
        | I::USubOverflow
        | I::SMulOverflow
        | I::UMulOverflow => (&[Integer, Integer], &[Integer, BOOL]),
        I::SAddSaturate
        | I::UAddSaturate
        | I::SSubSaturate
        | I::USubSaturate
        | I::SMax
        | I::SMin
        | I::UMax
        | I::UMin => (&[Integer, Integer], &[Integer]),
        I::Abs | I::PopCount | I::LeadingZeros | I::TrailingZeros | I::ByteSwap | I::BitReverse => {
            (&[Integer], &[Integer])
        }
        I::FunnelShiftLeft | I::FunnelShiftRight => (&[Integer, Integer, Integer], &[Integer]),
        I::PointerMask => (&[PTR, AnyInteger], &[PTR]),
        I::FloatAbs
        | I::FloatSqrt
        | I::FloatFloor
        | I::FloatCeil
        | I::FloatTrunc
        | I::FloatRint
        | I::FloatRound => (&[Float], &[Float]),
        I::FloatCopySign | I::FloatMinimum | I::FloatMaximum => (&[Float, Float], &[Float]),
        I::FloatFusedMultiplyAdd | I::FloatMultiplyAdd => (&[Float, Float, Float], &[Float]),
        I::FloatIsClass => (&[Float, I32], &[BOOL]),
        I::FloatToSignedSaturate | I::FloatToUnsignedSaturate => (&[Float], &[AnyInteger]),
        I::FrameAddress | I::ReturnAddress => (&[I32], &[PTR]),
    };
    let (mut integer, mut float) = (None, None);
    let mut fits = |class: Class, ty: Type| match class {
        Exactly(wanted) => ty == wanted,
        AnyInteger => matches!(ty, Type::Integer(_)),
        Integer => matches!(ty, Type::Integer(_)) && *integer.get_or_insert(ty) == ty,
        Float => matches!(ty, Type::Float(_)) && *float.get_or_insert(ty) == ty,
    };
    takes.len() == arguments.len()
        && yields.len() == results.len()
        && takes
            .iter()
            .zip(arguments)
            .chain(yields.iter().zip(results))
            .all(|(&class, &ty)| fits(class, ty))
}
