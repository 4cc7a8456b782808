//! LLVM's intrinsics: ours, nothing at all, a value, or a function of the C library.

use super::Unsupported;
use super::functions::{FunctionLoader, Leaves};
use crate::constant::ConstantValue;
use crate::instruction::{BinaryOp, CastOp, Operand, Operation};
use crate::intrinsic::Intrinsic;
use crate::llvm::Value;
use crate::types::{FloatKind, Type};

/// What becomes of an intrinsic.
enum Meaning {
    /// One of ours, with the first so many arguments.
    Machine(Intrinsic, usize),
    /// As `Machine`, and the last of these arguments is a length.
    Memory(Intrinsic),
    /// One of ours, with only this argument.
    Only(Intrinsic, u32),
    /// Nothing.
    Nothing,
    /// Its argument of this number.
    Argument(u32),
    /// A number.
    Number(u64),
    /// All ones, or zero if the second argument is set: the size of an object that is not known.
    ObjectSize,
    /// The function of this name, with the suffix of its precision.
    Library(&'static str),
    /// One lane made of all lanes.
    Reduce(BinaryOp),
}

fn meaning(name: &str) -> Option<Meaning> {
    use Intrinsic as I;
    use Meaning::{Argument, Library, Machine, Memory, Nothing, Number, ObjectSize, Only, Reduce};
    Some(match name {
        "memcpy" | "memcpy.inline" => Memory(I::MemoryCopy),
        "memmove" => Memory(I::MemoryMove),
        "memset" | "memset.inline" => Memory(I::MemorySet),
        "lifetime.start" => Only(I::LifetimeStart, 1),
        "lifetime.end" => Only(I::LifetimeEnd, 1),
        "stacksave" => Machine(I::StackSave, 0),
        "stackrestore" => Machine(I::StackRestore, 1),
        "va_start" => Machine(I::VaStart, 1),
        "va_copy" => Machine(I::VaCopy, 2),
        "va_end" => Machine(I::VaEnd, 1),
        "trap" | "debugtrap" | "ubsantrap" => Machine(I::Trap, 0),
        "sadd.with.overflow" => Machine(I::SAddOverflow, 2),
        "uadd.with.overflow" => Machine(I::UAddOverflow, 2),
        "ssub.with.overflow" => Machine(I::SSubOverflow, 2),
        "usub.with.overflow" => Machine(I::USubOverflow, 2),
        "smul.with.overflow" => Machine(I::SMulOverflow, 2),
        "umul.with.overflow" => Machine(I::UMulOverflow, 2),
        "sadd.sat" => Machine(I::SAddSaturate, 2),
        "uadd.sat" => Machine(I::UAddSaturate, 2),
        "ssub.sat" => Machine(I::SSubSaturate, 2),
        "usub.sat" => Machine(I::USubSaturate, 2),
        // Their second argument allows an undefined result, which is never taken up.
        "abs" => Machine(I::Abs, 1),
        "ctlz" => Machine(I::LeadingZeros, 1),
        "cttz" => Machine(I::TrailingZeros, 1),
        "smax" => Machine(I::SMax, 2),
        "smin" => Machine(I::SMin, 2),
        "umax" => Machine(I::UMax, 2),
        "umin" => Machine(I::UMin, 2),
        "ctpop" => Machine(I::PopCount, 1),
        "bswap" => Machine(I::ByteSwap, 1),
        "bitreverse" => Machine(I::BitReverse, 1),
        "fshl" => Machine(I::FunnelShiftLeft, 3),
        "fshr" => Machine(I::FunnelShiftRight, 3),
        "ptrmask" => Machine(I::PointerMask, 2),
        "fabs" => Machine(I::FloatAbs, 1),
        "sqrt" => Machine(I::FloatSqrt, 1),
        "floor" => Machine(I::FloatFloor, 1),
        "ceil" => Machine(I::FloatCeil, 1),
        "trunc" => Machine(I::FloatTrunc, 1),
        // They differ in the exceptions they raise, and in the rounding mode, which is fixed.
        "rint" | "nearbyint" | "roundeven" => Machine(I::FloatRint, 1),
        "round" => Machine(I::FloatRound, 1),
        "copysign" => Machine(I::FloatCopySign, 2),
        "minnum" => Machine(I::FloatMinimum, 2),
        "maxnum" => Machine(I::FloatMaximum, 2),
        "fma" => Machine(I::FloatFusedMultiplyAdd, 3),
        "fmuladd" => Machine(I::FloatMultiplyAdd, 3),
        "is.fpclass" => Machine(I::FloatIsClass, 2),
        "fptosi.sat" => Machine(I::FloatToSignedSaturate, 1),
        "fptoui.sat" => Machine(I::FloatToUnsignedSaturate, 1),
        "frameaddress" => Machine(I::FrameAddress, 1),
        "returnaddress" => Machine(I::ReturnAddress, 1),
        "assume"
        | "donothing"
        | "sideeffect"
        | "pseudoprobe"
        | "prefetch"
        | "invariant.start"
        | "invariant.end"
        | "experimental.noalias.scope.decl"
        | "var.annotation"
        | "codeview.annotation"
        | "clear_cache"
        | "fake.use" => Nothing,
        "expect"
        | "expect.with.probability"
        | "annotation"
        | "ptr.annotation"
        | "launder.invariant.group"
        | "strip.invariant.group"
        | "ssa.copy"
        | "threadlocal.address"
        | "arithmetic.fence" => Argument(0),
        "is.constant" => Number(0),
        // To nearest, the mode that never changes.
        "get.rounding" => Number(1),
        "objectsize" => ObjectSize,
        "vector.reduce.add" => Reduce(BinaryOp::Add),
        "vector.reduce.mul" => Reduce(BinaryOp::Mul),
        "vector.reduce.and" => Reduce(BinaryOp::And),
        "vector.reduce.or" => Reduce(BinaryOp::Or),
        "vector.reduce.xor" => Reduce(BinaryOp::Xor),
        "sin" | "cos" | "tan" | "asin" | "acos" | "atan" | "sinh" | "cosh" | "tanh" | "exp"
        | "exp2" | "exp10" | "log" | "log2" | "log10" | "pow" | "ldexp" | "lrint" | "llrint"
        | "lround" | "llround" => Library(library_name(name)?),
        _ => return None,
    })
}

fn library_name(name: &str) -> Option<&'static str> {
    const NAMES: [&str; 21] = [
        "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "exp2",
        "exp10", "log", "log2", "log10", "pow", "ldexp", "lrint", "llrint", "lround", "llround",
    ];
    NAMES.into_iter().find(|&known| known == name)
}

impl<'m> FunctionLoader<'_, 'm> {
    /// Translates a call of an intrinsic, named without `llvm.` and its types.
    pub(super) fn intrinsic(&mut self, call: Value<'m>, name: &str) -> Result<Leaves, Unsupported> {
        let unknown = || Unsupported(format!("intrinsic `llvm.{name}`"));
        if let Some(name) = name.strip_prefix("x86.") {
            return self.x86(call, name);
        }
        match meaning(name).ok_or_else(unknown)? {
            Meaning::Machine(intrinsic, count) if Self::is_vector(call) => {
                self.each_intrinsic(call, intrinsic, count as u32)
            }
            Meaning::Machine(intrinsic, count) => {
                let arguments = self.first_arguments(call, count)?;
                self.emit_intrinsic(call, intrinsic, arguments)
            }
            Meaning::Memory(intrinsic) => {
                let mut arguments = self.first_arguments(call, 3)?;
                let length = call.operand(2).ok_or_else(unknown)?;
                let ty = Self::scalar_type(length)?;
                arguments[2] = self.emit_cast(CastOp::Bitcast, arguments[2], ty, Type::Integer(64));
                self.emit_intrinsic(call, intrinsic, arguments)
            }
            Meaning::Only(intrinsic, index) => {
                let argument = self.operand(call, index)?;
                self.emit_intrinsic(call, intrinsic, vec![argument])
            }
            Meaning::Nothing => {
                // Some return a token value that only their partner reads.
                let ty = call.ty().ok_or_else(unknown)?;
                let types = self.context.layout.leaves(ty)?;
                let values: Vec<Operand> = types
                    .iter()
                    .map(|leaf| self.context.intern(leaf.ty, ConstantValue::Undefined))
                    .collect();
                Ok(values.into())
            }
            Meaning::Argument(index) => {
                let argument = call.operand(index).ok_or_else(unknown)?;
                self.leaves(argument)
            }
            Meaning::Number(number) => {
                let ty = Self::scalar_type(call)?;
                Ok(self.number(ty, number).into())
            }
            Meaning::ObjectSize => {
                let minimum = call.operand(1).and_then(Value::integer_words);
                let minimum = minimum.ok_or_else(unknown)?[0] != 0;
                let ty = Self::scalar_type(call)?;
                Ok(self.number(ty, if minimum { 0 } else { u64::MAX }).into())
            }
            Meaning::Library(base) => self.library_call(call, base),
            Meaning::Reduce(op) => {
                let lanes = self.lanes_of(call, 0)?.into_iter();
                let sum =
                    lanes.reduce(|(ty, sum), (_, lane)| (ty, self.emit_binary(ty, op, sum, lane)));
                Ok(sum.ok_or_else(unknown)?.1.into())
            }
        }
    }

    /// An intrinsic that is done lane by lane. An argument that is no vector is the same for all.
    fn each_intrinsic(
        &mut self,
        call: Value<'m>,
        intrinsic: Intrinsic,
        count: u32,
    ) -> Result<Leaves, Unsupported> {
        let arguments: Vec<_> =
            (0..count).map(|index| self.lanes_of(call, index)).collect::<Result<_, _>>()?;
        let destinations = self.results(call)?;
        for (lane, &destination) in destinations.iter().enumerate() {
            let of_lane =
                |all: &Vec<(Type, Operand)>| all.get(lane).or(all.last()).map(|all| all.1);
            let arguments = arguments.iter().filter_map(of_lane).collect();
            self.emit(Operation::Intrinsic {
                destinations: vec![destination],
                intrinsic,
                arguments,
            });
        }
        Ok(destinations.into_iter().map(Operand::Register).collect::<Vec<_>>().into())
    }

    fn first_arguments(
        &mut self,
        call: Value<'m>,
        count: usize,
    ) -> Result<Vec<Operand>, Unsupported> {
        (0..count as u32).map(|index| self.operand(call, index)).collect()
    }

    fn emit_intrinsic(
        &mut self,
        call: Value<'m>,
        intrinsic: Intrinsic,
        arguments: Vec<Operand>,
    ) -> Result<Leaves, Unsupported> {
        let destinations = self.results(call)?;
        let leaves: Vec<Operand> = destinations.iter().map(|&r| Operand::Register(r)).collect();
        self.emit(Operation::Intrinsic { destinations, intrinsic, arguments });
        Ok(leaves.into())
    }

    /// These appear when the program does not want `errno` set; the function is the same.
    fn library_call(&mut self, call: Value<'m>, base: &str) -> Result<Leaves, Unsupported> {
        let argument = call.operand(0);
        let argument =
            argument.ok_or_else(|| Unsupported(format!("intrinsic `llvm.{base}` of nothing")))?;
        let suffix = match Self::scalar_type(argument)? {
            Type::Float(FloatKind::Single) => "f",
            Type::Float(FloatKind::Double) => "",
            Type::Float(FloatKind::X87) => "l",
            ty => return Err(Unsupported(format!("intrinsic `llvm.{base}` of type {ty}"))),
        };
        let name = format!("{base}{suffix}");
        let Some(&function) = self.context.function_ids.get(&name) else {
            return Err(Unsupported(format!(
                "intrinsic `llvm.{base}` without a function `{name}`"
            )));
        };
        let count = call.arguments().len();
        let arguments = self.first_arguments(call, count)?;
        self.call_function(call, function, arguments)
    }
}
