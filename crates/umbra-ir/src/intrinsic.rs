//! Operations of the machine that look like calls.
//!
//! LLVM has hundreds of intrinsics; this is the list of those that C programs reach. The width of
//! an integer or float intrinsic is that of its first destination or argument.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

macro_rules! define_intrinsics {
    ($($(#[$doc:meta])* $name:ident $text:literal;)*) => {
        /// An operation of the machine.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum Intrinsic {
            $($(#[$doc])* $name,)*
        }

        impl Intrinsic {
            /// Every intrinsic.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The name in the text form.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

define_intrinsics! {
    /// `(to, from, length)`; the ranges do not overlap or are equal.
    MemoryCopy "memcpy";
    /// `(to, from, length)`; the ranges may overlap.
    MemoryMove "memmove";
    /// `(to, byte, length)`.
    MemorySet "memset";
    /// `(address)`: the stack object comes into scope, uninitialised.
    LifetimeStart "lifetime.start";
    /// `(address)`: the stack object goes out of scope.
    LifetimeEnd "lifetime.end";
    /// `() -> ptr`.
    StackSave "stack.save";
    /// `(ptr)`: ends the stack objects made since.
    StackRestore "stack.restore";
    /// `(va_list)`.
    VaStart "va.start";
    /// `(to, from)`.
    VaCopy "va.copy";
    /// `(va_list)`.
    VaEnd "va.end";
    /// `(address)`: what follows is an atomic access there, or, with a null address, a fence.
    Synchronize "synchronize";
    /// `(address)`: what follows is a volatile access there.
    Volatile "volatile";
    /// `()`: an abnormal end.
    Trap "trap";
    /// `(a, b) -> (iN, i1)`.
    SAddOverflow "sadd.overflow";
    /// `(a, b) -> (iN, i1)`.
    UAddOverflow "uadd.overflow";
    /// `(a, b) -> (iN, i1)`.
    SSubOverflow "ssub.overflow";
    /// `(a, b) -> (iN, i1)`.
    USubOverflow "usub.overflow";
    /// `(a, b) -> (iN, i1)`.
    SMulOverflow "smul.overflow";
    /// `(a, b) -> (iN, i1)`.
    UMulOverflow "umul.overflow";
    /// `(a, b) -> iN`.
    SAddSaturate "sadd.sat";
    /// `(a, b) -> iN`.
    UAddSaturate "uadd.sat";
    /// `(a, b) -> iN`.
    SSubSaturate "ssub.sat";
    /// `(a, b) -> iN`.
    USubSaturate "usub.sat";
    /// `(a) -> iN`; the most negative number stays.
    Abs "abs";
    /// `(a, b) -> iN`.
    SMax "smax";
    /// `(a, b) -> iN`.
    SMin "smin";
    /// `(a, b) -> iN`.
    UMax "umax";
    /// `(a, b) -> iN`.
    UMin "umin";
    /// `(a) -> iN`.
    PopCount "ctpop";
    /// `(a) -> iN`; the width for zero.
    LeadingZeros "ctlz";
    /// `(a) -> iN`; the width for zero.
    TrailingZeros "cttz";
    /// `(a) -> iN`.
    ByteSwap "bswap";
    /// `(a) -> iN`.
    BitReverse "bitreverse";
    /// `(high, low, amount) -> iN`.
    FunnelShiftLeft "fshl";
    /// `(high, low, amount) -> iN`.
    FunnelShiftRight "fshr";
    /// `(pointer, mask) -> ptr`.
    PointerMask "ptrmask";
    /// `(a) -> fN`.
    FloatAbs "fabs";
    /// `(a) -> fN`.
    FloatSqrt "sqrt";
    /// `(a) -> fN`.
    FloatFloor "floor";
    /// `(a) -> fN`.
    FloatCeil "ceil";
    /// `(a) -> fN`.
    FloatTrunc "trunc";
    /// `(a) -> fN`; to nearest, ties to even.
    FloatRint "rint";
    /// `(a) -> fN`; to nearest, ties away from zero.
    FloatRound "round";
    /// `(magnitude, sign) -> fN`.
    FloatCopySign "copysign";
    /// `(a, b) -> fN`; a NaN loses.
    FloatMinimum "minnum";
    /// `(a, b) -> fN`; a NaN loses.
    FloatMaximum "maxnum";
    /// `(a, b, c) -> fN`: `a * b + c`, rounded once.
    FloatFusedMultiplyAdd "fma";
    /// `(a, b, c) -> fN`: `a * b + c`, rounded twice.
    FloatMultiplyAdd "fmuladd";
    /// `(a, classes: i32) -> i1`: LLVM's `is.fpclass` with its mask of classes.
    FloatIsClass "is.fpclass";
    /// `(a) -> iN`; out of range goes to the nearest end, a NaN to zero.
    FloatToSignedSaturate "fptosi.sat";
    /// `(a) -> iN`; out of range goes to the nearest end, a NaN to zero.
    FloatToUnsignedSaturate "fptoui.sat";
    /// `(level: i32) -> ptr`: an address that stands for the frame so many calls up.
    FrameAddress "frameaddress";
    /// `(level: i32) -> ptr`: an address in the function that the call so many calls up returns to.
    ReturnAddress "returnaddress";
}

impl fmt::Display for Intrinsic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is not an intrinsic's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownIntrinsic(pub String);

impl FromStr for Intrinsic {
    type Err = UnknownIntrinsic;

    fn from_str(text: &str) -> Result<Self, UnknownIntrinsic> {
        let found = Self::ALL.iter().find(|intrinsic| intrinsic.name() == text);
        found.copied().ok_or_else(|| UnknownIntrinsic(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_read_back() {
        for &intrinsic in Intrinsic::ALL {
            assert_eq!(intrinsic.name().parse(), Ok(intrinsic));
        }
        assert_eq!("nop".parse::<Intrinsic>(), Err(UnknownIntrinsic("nop".into())));
    }
}
