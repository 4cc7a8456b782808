//! The machine's intrinsics.

use umbra_expr::{Kind, float as numbers};
use umbra_ir::{FloatKind, Intrinsic, Type};

use super::{Machine, Step, float, wide};
use crate::code::Slot;
use crate::memory::ObjectKind;
use crate::state::FrameKind;
use crate::termination::ErrorKind;

/// Offsets behind which clang's `va_arg` takes arguments from the overflow area.
const GP_OFFSET_END: u64 = 48;
const FP_OFFSET_END: u64 = 176;

impl Machine<'_> {
    pub(super) fn intrinsic(
        &mut self,
        intrinsic: Intrinsic,
        ty: Type,
        bits: u32,
        d: &[Slot],
        a: &[Slot],
    ) -> Step {
        match intrinsic {
            Intrinsic::MemoryCopy
            | Intrinsic::MemoryMove
            | Intrinsic::MemorySet
            | Intrinsic::LifetimeStart
            | Intrinsic::LifetimeEnd
            | Intrinsic::StackSave
            | Intrinsic::StackRestore
            | Intrinsic::VaStart
            | Intrinsic::VaCopy
            | Intrinsic::VaEnd
            | Intrinsic::Trap
            | Intrinsic::Synchronize
            | Intrinsic::Volatile
            | Intrinsic::FrameAddress
            | Intrinsic::ReturnAddress => self.memory_intrinsic(intrinsic, d, a),
            _ if ty.bits() > 128 || bits > 128 => {
                Err(self.stop_unsupported(format!("{intrinsic} on more than 128 bits")))
            }
            _ => match ty {
                Type::Float(kind) => {
                    self.float_intrinsic(intrinsic, kind, bits, d, a);
                    Ok(())
                }
                _ => {
                    self.integer_intrinsic(intrinsic, ty, d, a);
                    Ok(())
                }
            },
        }
    }

    fn memory_intrinsic(&mut self, intrinsic: Intrinsic, d: &[Slot], a: &[Slot]) -> Step {
        let window = self.state.window();
        let argument = |index: usize| a.get(index).map_or(0, |&slot| window[slot as usize]);
        let (x, y, z) = (argument(0), argument(1), argument(2));
        if matches!(intrinsic, Intrinsic::MemoryCopy | Intrinsic::MemoryMove | Intrinsic::VaCopy) {
            return self.copy_memory(x, y, if intrinsic == Intrinsic::VaCopy { 24 } else { z });
        }
        if intrinsic == Intrinsic::MemorySet {
            return self.set_memory(x, y as u8, z);
        }
        let memory = &mut self.state.memory;
        let done = match intrinsic {
            Intrinsic::VaStart => {
                let area = self.state.frames.last().map_or(0, |frame| frame.variadic);
                let offsets = GP_OFFSET_END | (FP_OFFSET_END << 32);
                let bytes: Vec<u8> =
                    [offsets, area, 0].iter().flat_map(|word| word.to_le_bytes()).collect();
                memory.write(x, &bytes)
            }
            Intrinsic::LifetimeStart | Intrinsic::LifetimeEnd => {
                // The marker is a promise about a local variable; for anything else it means
                // nothing.
                let local = memory.object(x).is_some_and(|object| {
                    matches!(object.kind, ObjectKind::Local(_)) && object.base == x
                });
                match intrinsic {
                    Intrinsic::LifetimeStart if local => memory.enter_scope(x),
                    Intrinsic::LifetimeEnd if local => memory.leave_scope(x),
                    _ => {}
                }
                Ok(())
            }
            Intrinsic::StackRestore => {
                self.end_objects(x as usize);
                Ok(())
            }
            Intrinsic::FrameAddress | Intrinsic::ReturnAddress => {
                let address = self.caller_address(intrinsic, x)?;
                if let Some(&slot) = d.first() {
                    self.state.window()[slot as usize] = address;
                }
                return Ok(());
            }
            Intrinsic::Trap => return Err(self.error(ErrorKind::Trap, String::new())),
            _ => Ok(()),
        };
        done.map_err(|fault| self.fault(*fault))?;
        if let Some(&slot) = d.first() {
            let value = match intrinsic {
                Intrinsic::StackSave => self.state.objects.len() as u64,
                _ => 0,
            };
            self.state.window()[slot as usize] = value;
        }
        Ok(())
    }

    /// The address of the frame, or where it returns to, `level` calls up. A frame of ours has no address, so an object of no bytes
    /// stands for it; a return address is one in the caller, but no function's.
    fn caller_address(&mut self, intrinsic: Intrinsic, level: u64) -> Step<u64> {
        let depth = self.state.frames.len();
        if intrinsic == Intrinsic::ReturnAddress {
            let caller = usize::try_from(level).ok().and_then(|level| depth.checked_sub(level + 2));
            return Ok(match caller {
                Some(caller) if self.state.frames[caller + 1].kind == FrameKind::Call => {
                    self.image.address_in(self.state.frames[caller].function)
                }
                _ => 0,
            });
        }
        let (Some(frame), 0) = (self.state.frames.last(), level) else {
            return Err(self.stop_unsupported(format!("frame address {level} calls up")));
        };
        let (function, first) = (frame.function, frame.objects as usize);
        let kind = ObjectKind::Frame(function);
        let known = self.state.objects[first..].iter().copied();
        let memory = &self.state.memory;
        match known.into_iter().find(|&at| memory.object(at).is_some_and(|o| o.kind == kind)) {
            Some(address) => Ok(address),
            None => self.stack_object(kind, 0, 16),
        }
    }

    fn integer_intrinsic(&mut self, intrinsic: Intrinsic, ty: Type, d: &[Slot], a: &[Slot]) {
        let bits = ty.bits();
        let x = self.value(a[0], ty);
        let y = a.get(1).map_or(0, |&slot| self.value(slot, ty));
        let z = a.get(2).map_or(0, |&slot| self.value(slot, ty));
        let (sx, sy) = (wide::sign_extend_u128(x, bits), wide::sign_extend_u128(y, bits));
        let all = wide::mask_u128(u128::MAX, bits);
        let minimum = i128::MIN >> (128 - bits);
        let maximum = !minimum;

        // The exact result of checked arithmetic, `None` if not even 128 bits hold it.
        let signed = match intrinsic {
            Intrinsic::SAddOverflow | Intrinsic::SAddSaturate => sx.checked_add(sy),
            Intrinsic::SSubOverflow | Intrinsic::SSubSaturate => sx.checked_sub(sy),
            Intrinsic::SMulOverflow => sx.checked_mul(sy),
            _ => None,
        };
        let signed = signed.filter(|value| (minimum..=maximum).contains(value));
        let unsigned = match intrinsic {
            Intrinsic::UAddOverflow | Intrinsic::UAddSaturate => x.checked_add(y),
            Intrinsic::USubOverflow | Intrinsic::USubSaturate => x.checked_sub(y),
            Intrinsic::UMulOverflow => x.checked_mul(y),
            _ => None,
        };
        let unsigned = unsigned.filter(|&value| value <= all);
        let amount = (z % u128::from(bits)) as u32;
        let value = match intrinsic {
            Intrinsic::SAddOverflow | Intrinsic::UAddOverflow => x.wrapping_add(y),
            Intrinsic::SSubOverflow | Intrinsic::USubOverflow => x.wrapping_sub(y),
            Intrinsic::SMulOverflow | Intrinsic::UMulOverflow => x.wrapping_mul(y),
            Intrinsic::SAddSaturate => {
                signed.unwrap_or(if sx < 0 { minimum } else { maximum }) as u128
            }
            Intrinsic::SSubSaturate => {
                signed.unwrap_or(if sx < 0 { minimum } else { maximum }) as u128
            }
            Intrinsic::UAddSaturate => unsigned.unwrap_or(all),
            Intrinsic::USubSaturate => unsigned.unwrap_or(0),
            Intrinsic::Abs => sx.wrapping_abs() as u128,
            Intrinsic::SMax => sx.max(sy) as u128,
            Intrinsic::SMin => sx.min(sy) as u128,
            Intrinsic::UMax => x.max(y),
            Intrinsic::UMin => x.min(y),
            Intrinsic::PopCount => x.count_ones().into(),
            Intrinsic::LeadingZeros => (x.leading_zeros() + bits - 128).into(),
            Intrinsic::TrailingZeros => x.trailing_zeros().min(bits).into(),
            Intrinsic::ByteSwap => x.swap_bytes() >> (128 - bits),
            Intrinsic::BitReverse => x.reverse_bits() >> (128 - bits),
            Intrinsic::FunnelShiftLeft if amount == 0 => x,
            Intrinsic::FunnelShiftLeft => (x << amount) | (y >> (bits - amount)),
            Intrinsic::FunnelShiftRight if amount == 0 => y,
            Intrinsic::FunnelShiftRight => (x << (bits - amount)) | (y >> amount),
            Intrinsic::PointerMask => x & y,
            _ => 0,
        };
        self.set_value(d[0], ty, value);
        if let Some(&flag) = d.get(1) {
            let overflow = match intrinsic {
                Intrinsic::SAddOverflow | Intrinsic::SSubOverflow | Intrinsic::SMulOverflow => {
                    signed.is_none()
                }
                _ => unsigned.is_none(),
            };
            self.state.window()[flag as usize] = u64::from(overflow);
        }
    }

    fn float_intrinsic(
        &mut self,
        intrinsic: Intrinsic,
        kind: FloatKind,
        bits: u32,
        d: &[Slot],
        a: &[Slot],
    ) {
        let ty = Type::Float(kind);
        let x = self.value(a[0], ty);
        let y = match intrinsic {
            Intrinsic::FloatIsClass => u128::from(self.state.window()[a[1] as usize]),
            _ => a.get(1).map_or(0, |&slot| self.value(slot, ty)),
        };
        let z = a.get(2).map_or(0, |&slot| self.value(slot, ty));
        let sign = 1u128 << (kind.bits() - 1);
        let format = float::format(kind);
        let value = match intrinsic {
            Intrinsic::FloatAbs => float::absolute(kind, x),
            Intrinsic::FloatSqrt => numbers::sqrt(format, x),
            Intrinsic::FloatFloor => numbers::round(Kind::FFloor, format, x),
            Intrinsic::FloatCeil => numbers::round(Kind::FCeil, format, x),
            Intrinsic::FloatTrunc => numbers::round(Kind::FTrunc, format, x),
            Intrinsic::FloatRint => numbers::round(Kind::FRoundEven, format, x),
            Intrinsic::FloatRound => numbers::round(Kind::FRoundAway, format, x),
            Intrinsic::FloatCopySign => (x & !sign) | (y & sign),
            Intrinsic::FloatMinimum => numbers::extremum(format, x, y, false),
            Intrinsic::FloatMaximum => numbers::extremum(format, x, y, true),
            Intrinsic::FloatFusedMultiplyAdd => numbers::fused_multiply_add(format, x, y, z),
            Intrinsic::FloatMultiplyAdd => {
                let product = float::binary(umbra_ir::FloatOp::Mul, kind, x, y);
                float::binary(umbra_ir::FloatOp::Add, kind, product, z)
            }
            Intrinsic::FloatIsClass => u128::from(numbers::is_class(format, x, y as u32)),
            Intrinsic::FloatToSignedSaturate => numbers::saturate(format, x, bits, true),
            Intrinsic::FloatToUnsignedSaturate => numbers::saturate(format, x, bits, false),
            _ => 0,
        };
        let result = match intrinsic {
            Intrinsic::FloatIsClass
            | Intrinsic::FloatToSignedSaturate
            | Intrinsic::FloatToUnsignedSaturate => Type::Integer(bits),
            _ => ty,
        };
        self.set_value(d[0], result, value);
    }
}
