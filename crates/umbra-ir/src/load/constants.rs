//! Constants and constant expressions.
//!
//! A constant expression that is a number or an address is folded here. Any other is computed by
//! instructions where it is used (`functions`), or makes an initialiser unsupported (`globals`).

use super::layout::Layout;
use super::{Context, Unsupported};
use crate::constant::{Constant, ConstantValue};
use crate::id::ConstantId;
use crate::instruction::Operand;
use crate::llvm::{Kind, Opcode, Type as LlvmType, TypeKind, Value};
use crate::types::Type;

/// Expressions in expressions deeper than this do not come from a compiler.
const MAX_DEPTH: u32 = 256;

/// Cuts a number to the width of a type and wraps it as that type wants it.
pub(super) fn number(ty: Type, words: &[u64]) -> ConstantValue {
    let mut words: Vec<u64> = words.to_vec();
    words.resize(ty.words(), 0);
    let spare = ty.words() as u32 * 64 - ty.bits();
    if let Some(last) = words.last_mut() {
        *last &= u64::MAX >> spare;
    }
    match words[..] {
        [word] => ConstantValue::Word(word),
        _ => ConstantValue::Words(words.into()),
    }
}

/// The number as a signed 64-bit one, sign-extended from its width or truncated.
pub(super) fn signed(ty: Type, value: &ConstantValue) -> Option<i64> {
    match value {
        ConstantValue::Word(word) => {
            let spare = 64 - ty.bits();
            Some((word << spare) as i64 >> spare)
        }
        ConstantValue::Words(words) => words.first().map(|&word| word as i64),
        ConstantValue::Undefined => Some(0),
        ConstantValue::Address { .. } => None,
    }
}

impl<'m> Context<'m> {
    /// The operand for a constant, adding it to the program if it is new.
    pub(super) fn intern(&mut self, ty: Type, value: ConstantValue) -> Operand {
        Operand::Constant(self.intern_id(ty, value))
    }

    /// The id of a constant, which is added to the program if it is new.
    pub(super) fn intern_id(&mut self, ty: Type, value: ConstantValue) -> ConstantId {
        let constant = Constant { ty, value };
        if let Some(&known) = self.constant_ids.get(&constant) {
            return known;
        }
        let id = self.program.constants.push(constant.clone());
        self.constant_ids.insert(constant, id);
        id
    }

    /// The value of a scalar constant; `None` if only instructions can compute it.
    pub(super) fn fold(
        &mut self,
        value: Value<'m>,
        ty: Type,
    ) -> Result<Option<ConstantValue>, Unsupported> {
        self.fold_nested(value, ty, 0)
    }

    fn fold_nested(
        &mut self,
        value: Value<'m>,
        ty: Type,
        depth: u32,
    ) -> Result<Option<ConstantValue>, Unsupported> {
        if depth > MAX_DEPTH {
            return Err(Unsupported("a deeply nested constant expression".into()));
        }
        let unreadable = || Unsupported("a constant of unknown value".into());
        let folded = match value.kind() {
            Kind::Integer => number(ty, &value.integer_words().ok_or_else(unreadable)?),
            Kind::Float => number(ty, &value.float_words(ty.bits()).ok_or_else(unreadable)?),
            Kind::NullPointer | Kind::Zero => number(ty, &[0]),
            Kind::Undefined => ConstantValue::Undefined,
            Kind::Function | Kind::GlobalVariable => match self.symbols.get(&value) {
                Some(&symbol) => ConstantValue::Address { symbol, offset: 0 },
                None => return Err(Unsupported(format!("address of `{}`", value.name()))),
            },
            Kind::Alias => {
                let aliasee = value.aliasee().ok_or_else(unreadable)?;
                return self.fold_nested(aliasee, ty, depth + 1);
            }
            Kind::Ifunc => return Err(Unsupported(format!("ifunc `{}`", value.name()))),
            Kind::BlockAddress => number(ty, &[self.label(value)?]),
            Kind::Expression => return self.fold_expression(value, ty, depth),
            _ => return Err(Unsupported("a constant of a rare kind".into())),
        };
        Ok(Some(folded))
    }

    fn fold_operand(
        &mut self,
        value: Value<'m>,
        index: u32,
        depth: u32,
    ) -> Result<(Type, Option<ConstantValue>), Unsupported> {
        let operand = value
            .operand(index)
            .ok_or_else(|| Unsupported("a constant expression without operands".into()))?;
        let ty = operand.ty().ok_or_else(|| Unsupported("a constant without type".into()))?;
        let ty = Layout::scalar(ty)?;
        Ok((ty, self.fold_nested(operand, ty, depth + 1)?))
    }

    fn fold_expression(
        &mut self,
        value: Value<'m>,
        ty: Type,
        depth: u32,
    ) -> Result<Option<ConstantValue>, Unsupported> {
        match value.opcode() {
            Some(Opcode::LLVMGetElementPtr) => {
                let (_, base) = self.fold_operand(value, 0, depth)?;
                let offset = self.constant_offset(value, depth)?;
                Ok(base.zip(offset).and_then(|(base, offset)| add(base, offset)))
            }
            Some(
                Opcode::LLVMPtrToInt
                | Opcode::LLVMIntToPtr
                | Opcode::LLVMBitCast
                | Opcode::LLVMAddrSpaceCast
                | Opcode::LLVMTrunc,
            ) => {
                let (_, operand) = self.fold_operand(value, 0, depth)?;
                Ok(operand.and_then(|operand| convert(operand, ty)))
            }
            Some(Opcode::LLVMAdd) => {
                let (_, left) = self.fold_operand(value, 0, depth)?;
                let (_, right) = self.fold_operand(value, 1, depth)?;
                Ok(left.zip(right).and_then(|pair| match pair {
                    (ConstantValue::Word(a), ConstantValue::Word(b)) => {
                        Some(number(ty, &[a.wrapping_add(b)]))
                    }
                    (address, ConstantValue::Word(number))
                    | (ConstantValue::Word(number), address) => add(address, number as i64),
                    _ => None,
                }))
            }
            Some(Opcode::LLVMSub) => {
                let (_, left) = self.fold_operand(value, 0, depth)?;
                let (_, right) = self.fold_operand(value, 1, depth)?;
                Ok(left.zip(right).and_then(|pair| subtract(ty, pair)))
            }
            _ => Ok(None),
        }
    }

    /// The bytes that a constant expression's GEP adds to its base, if all indices are numbers.
    fn constant_offset(&mut self, gep: Value<'m>, depth: u32) -> Result<Option<i64>, Unsupported> {
        let mut total = 0i64;
        let mut walk = GepWalk::new(gep)?;
        while let Some((index, step)) = walk.next(self)? {
            total = match step {
                GepStep::Field { bytes, .. } => total.wrapping_add(bytes),
                GepStep::Scaled(scale) => {
                    let (ty, index) = self.fold_operand(gep, index, depth)?;
                    match index.and_then(|index| signed(ty, &index)) {
                        Some(index) => total.wrapping_add(index.wrapping_mul(scale)),
                        None => return Ok(None),
                    }
                }
            };
        }
        Ok(Some(total))
    }
}

/// Adds bytes to an address or a 64-bit number.
fn add(base: ConstantValue, bytes: i64) -> Option<ConstantValue> {
    match base {
        ConstantValue::Word(word) => Some(ConstantValue::Word(word.wrapping_add_signed(bytes))),
        ConstantValue::Address { symbol, offset } => {
            Some(ConstantValue::Address { symbol, offset: offset.wrapping_add(bytes) })
        }
        ConstantValue::Undefined => Some(ConstantValue::Undefined),
        ConstantValue::Words(_) => None,
    }
}

/// Subtracts numbers, a number from an address, or addresses of one symbol.
fn subtract(ty: Type, pair: (ConstantValue, ConstantValue)) -> Option<ConstantValue> {
    match pair {
        (ConstantValue::Word(a), ConstantValue::Word(b)) => Some(number(ty, &[a.wrapping_sub(b)])),
        (address @ ConstantValue::Address { .. }, ConstantValue::Word(number)) => {
            add(address, (number as i64).wrapping_neg())
        }
        (
            ConstantValue::Address { symbol: a, offset },
            ConstantValue::Address { symbol: b, offset: other },
        ) if a == b => Some(number(ty, &[offset.wrapping_sub(other) as u64])),
        _ => None,
    }
}

/// The same bits, cut or extended with zeros, as another type.
fn convert(value: ConstantValue, ty: Type) -> Option<ConstantValue> {
    match value {
        ConstantValue::Word(word) => Some(number(ty, &[word])),
        ConstantValue::Words(words) => Some(number(ty, &words)),
        ConstantValue::Undefined => Some(ConstantValue::Undefined),
        address => matches!(ty, Type::Pointer | Type::Integer(64)).then_some(address),
    }
}

/// Steps through the indices of a GEP, instruction or expression.
pub(super) struct GepWalk<'m> {
    gep: Value<'m>,
    index: u32,
    /// The type that the next index selects from; before the first, what the base points to.
    ty: LlvmType<'m>,
}

/// What one index of a GEP does.
pub(super) enum GepStep<'m> {
    /// Adds these bytes: the index is a struct's field.
    Field { bytes: i64, of: LlvmType<'m>, index: u32 },
    /// Adds the operand times these bytes.
    Scaled(i64),
}

impl<'m> GepWalk<'m> {
    pub(super) fn new(gep: Value<'m>) -> Result<Self, Unsupported> {
        let ty =
            gep.gep_source_type().ok_or_else(|| Unsupported("a GEP without source type".into()))?;
        Ok(Self { gep, index: 1, ty })
    }

    /// The next index: the number of its operand, and its step.
    pub(super) fn next(
        &mut self,
        context: &mut Context<'m>,
    ) -> Result<Option<(u32, GepStep<'m>)>, Unsupported> {
        let index = self.index;
        let Some(operand) = self.gep.operand(index) else {
            return Ok(None);
        };
        self.index += 1;
        if index == 1 {
            let size = context.layout.of(self.ty)?.size;
            return Ok(Some((index, GepStep::Scaled(size as i64))));
        }
        let step = match self.ty.kind() {
            TypeKind::Array(_, element) => {
                self.ty = element;
                GepStep::Scaled(context.layout.of(element)?.size as i64)
            }
            TypeKind::Struct => {
                let out_of_range = || Unsupported("a GEP to a field that is not there".into());
                let field = operand.integer_words().ok_or_else(out_of_range)?;
                let field = usize::try_from(field[0]).map_err(|_| out_of_range())?;
                let layout = context.layout.of(self.ty)?;
                let (fields, _) = self.ty.fields().ok_or_else(out_of_range)?;
                let bytes = *layout.fields.get(field).ok_or_else(out_of_range)? as i64;
                let of = self.ty;
                self.ty = *fields.get(field).ok_or_else(out_of_range)?;
                GepStep::Field { bytes, of, index: field as u32 }
            }
            TypeKind::Vector(..) => return Err(Unsupported("a GEP into a vector".into())),
            _ => return Err(Unsupported("a GEP into a scalar".into())),
        };
        Ok(Some((index, step)))
    }
}
