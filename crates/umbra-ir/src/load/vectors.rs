//! Vectors, lane by lane.
//!
//! A vector is its lanes: the operations on each are those of a scalar. What moves lanes about only moves operands.
//! Memory has no packed bits, so vectors of single bits are values only.

use super::Unsupported;
use super::constants::signed;
use super::functions::{FunctionLoader, Leaves};
use crate::constant::ConstantValue;
use crate::instruction::{BinaryOp, CastOp, Operand, Predicate};
use crate::llvm::{Opcode, TypeKind, Value};
use crate::types::Type;

fn malformed() -> Unsupported {
    Unsupported("a malformed operation on vectors".into())
}

/// A scalar and its type.
type Lane = (Type, Operand);

impl<'m> FunctionLoader<'_, 'm> {
    /// Whether a value is a vector.
    pub(super) fn is_vector(value: Value<'m>) -> bool {
        value.ty().is_some_and(|ty| matches!(ty.kind(), TypeKind::Vector(..)))
    }

    /// The lanes of a vector; of a scalar, itself.
    fn lanes(&mut self, value: Value<'m>) -> Result<Vec<Lane>, Unsupported> {
        let types = self.context.layout.leaves(value.ty().ok_or_else(malformed)?)?;
        let operands = self.leaves(value)?;
        Ok(types.iter().map(|leaf| leaf.ty).zip(operands.as_slice().iter().copied()).collect())
    }

    /// The lanes of an operand.
    pub(super) fn lanes_of(
        &mut self,
        value: Value<'m>,
        index: u32,
    ) -> Result<Vec<Lane>, Unsupported> {
        self.lanes(value.operand(index).ok_or_else(malformed)?)
    }

    /// An operation on each lane of one operand; `emit` gets the type of the result too.
    pub(super) fn each(
        &mut self,
        value: Value<'m>,
        mut emit: impl FnMut(&mut Self, Type, Lane) -> Operand,
    ) -> Result<Leaves, Unsupported> {
        let operand = value.operand(0).ok_or_else(malformed)?;
        if !Self::is_vector(operand) {
            let (ty, from) = (Self::scalar_type(value)?, Self::scalar_type(operand)?);
            let operand = self.scalar(operand)?;
            return Ok(emit(self, ty, (from, operand)).into());
        }
        let results = self.context.layout.leaves(value.ty().ok_or_else(malformed)?)?;
        let lanes = self.lanes(operand)?;
        let all = results.iter().zip(lanes).map(|(result, lane)| emit(self, result.ty, lane));
        Ok(all.collect::<Vec<_>>().into())
    }

    /// An operation on each two lanes of two operands; `emit` gets the type of the result too.
    pub(super) fn each_two(
        &mut self,
        value: Value<'m>,
        mut emit: impl FnMut(&mut Self, Type, Operand, Operand) -> Operand,
    ) -> Result<Leaves, Unsupported> {
        if !value.operand(0).is_some_and(Self::is_vector) {
            let ty = Self::scalar_type(value)?;
            let (left, right) = (self.operand(value, 0)?, self.operand(value, 1)?);
            return Ok(emit(self, ty, left, right).into());
        }
        let results = self.context.layout.leaves(value.ty().ok_or_else(malformed)?)?;
        let (left, right) = (self.lanes_of(value, 0)?, self.lanes_of(value, 1)?);
        let lanes = left.into_iter().zip(right);
        let all = results.iter().zip(lanes);
        let all = all.map(|(result, ((_, left), (_, right)))| emit(self, result.ty, left, right));
        Ok(all.collect::<Vec<_>>().into())
    }

    /// What only moves lanes; `None` if it is something else.
    pub(super) fn move_lanes(
        &mut self,
        value: Value<'m>,
        opcode: Opcode,
    ) -> Result<Option<Leaves>, Unsupported> {
        Ok(Some(match opcode {
            Opcode::LLVMExtractElement => self.extract_lane(value)?,
            Opcode::LLVMInsertElement => self.insert_lane(value)?,
            Opcode::LLVMShuffleVector => self.shuffle(value)?,
            _ => return Ok(None),
        }))
    }

    /// The number of a lane, if it is known.
    fn lane_number(&mut self, index: Value<'m>) -> Result<Option<usize>, Unsupported> {
        let known = self.constant(index)?;
        let number = known.and_then(|(ty, number)| signed(ty, &number));
        Ok(number.and_then(|number| usize::try_from(number).ok()))
    }

    /// Whether a lane is the one that is meant.
    fn is_lane(&mut self, index: Value<'m>, lane: usize) -> Result<Operand, Unsupported> {
        let ty = Self::scalar_type(index)?;
        let (index, lane) = (self.scalar(index)?, self.number(ty, lane as u64));
        Ok(self.emit_compare(Predicate::Eq, index, lane))
    }

    fn extract_lane(&mut self, value: Value<'m>) -> Result<Leaves, Unsupported> {
        let lanes = self.lanes_of(value, 0)?;
        let index = value.operand(1).ok_or_else(malformed)?;
        if let Some(&(_, lane)) = self.lane_number(index)?.and_then(|number| lanes.get(number)) {
            return Ok(lane.into());
        }
        let mut found = lanes.first().ok_or_else(malformed)?.1;
        for (number, &(ty, lane)) in lanes.iter().enumerate().skip(1) {
            let is_meant = self.is_lane(index, number)?;
            found = self.emit_select(ty, is_meant, lane, found);
        }
        Ok(found.into())
    }

    fn insert_lane(&mut self, value: Value<'m>) -> Result<Leaves, Unsupported> {
        let lanes = self.lanes_of(value, 0)?;
        let new = self.operand(value, 1)?;
        let index = value.operand(2).ok_or_else(malformed)?;
        let known = self.lane_number(index)?;
        let mut results = Vec::with_capacity(lanes.len());
        for (number, (ty, lane)) in lanes.into_iter().enumerate() {
            results.push(match known {
                Some(known) if known == number => new,
                Some(_) => lane,
                None => {
                    let is_meant = self.is_lane(index, number)?;
                    self.emit_select(ty, is_meant, new, lane)
                }
            });
        }
        Ok(results.into())
    }

    fn shuffle(&mut self, value: Value<'m>) -> Result<Leaves, Unsupported> {
        let (mut lanes, second) = (self.lanes_of(value, 0)?, self.lanes_of(value, 1)?);
        let ty = lanes.first().ok_or_else(malformed)?.0;
        lanes.extend(second);
        let undefined = self.context.intern(ty, ConstantValue::Undefined);
        let mask = value.shuffle_mask().into_iter();
        let chosen = mask.map(|lane| lane.and_then(|lane| lanes.get(lane)));
        let chosen = chosen.map(|lane| lane.map_or(undefined, |&(_, lane)| lane));
        Ok(chosen.collect::<Vec<_>>().into())
    }

    /// A choice by a vector of conditions, lane by lane.
    pub(super) fn select_lanes(&mut self, value: Value<'m>) -> Result<Leaves, Unsupported> {
        let conditions = self.lanes_of(value, 0)?;
        let (left, right) = (self.lanes_of(value, 1)?, self.lanes_of(value, 2)?);
        let lanes = conditions.into_iter().zip(left.into_iter().zip(right));
        let all = lanes.map(|((_, condition), ((ty, left), (_, right)))| {
            self.emit_select(ty, condition, left, right)
        });
        Ok(all.collect::<Vec<_>>().into())
    }

    /// The same bits as lanes of another size. The first lane has the lowest bits.
    pub(super) fn recast_lanes(&mut self, value: Value<'m>) -> Result<Leaves, Unsupported> {
        let results = self.context.layout.leaves(value.ty().ok_or_else(malformed)?)?;
        let lanes = self.lanes_of(value, 0)?;
        let from = lanes.first().ok_or_else(malformed)?.0.bits();
        let to = results.first().ok_or_else(malformed)?.ty.bits();
        let whole: Vec<Operand> = lanes
            .into_iter()
            .map(|(ty, lane)| self.emit_cast(CastOp::Bitcast, lane, ty, Type::Integer(from)))
            .collect();
        let whole = match (from % to, to % from) {
            (0, _) => self.split_lanes(&whole, from, to),
            (_, 0) => self.join_lanes(&whole, from, to),
            _ => return Err(Unsupported("vectors of odd sizes".into())),
        };
        if whole.len() != results.len() {
            return Err(malformed());
        }
        let lanes = results.iter().zip(whole).map(|(result, lane)| {
            self.emit_cast(CastOp::Bitcast, lane, Type::Integer(to), result.ty)
        });
        Ok(lanes.collect::<Vec<_>>().into())
    }

    fn split_lanes(&mut self, lanes: &[Operand], from: u32, to: u32) -> Vec<Operand> {
        let (wide, narrow) = (Type::Integer(from), Type::Integer(to));
        let mut parts = Vec::new();
        for &lane in lanes {
            for shift in (0..from).step_by(to as usize) {
                let amount = self.number(wide, u64::from(shift));
                let lane = match shift {
                    0 => lane,
                    _ => self.emit_binary(wide, BinaryOp::LShr, lane, amount),
                };
                parts.push(self.emit_cast(CastOp::Bitcast, lane, wide, narrow));
            }
        }
        parts
    }

    fn join_lanes(&mut self, lanes: &[Operand], from: u32, to: u32) -> Vec<Operand> {
        let (narrow, wide) = (Type::Integer(from), Type::Integer(to));
        let mut joined = Vec::new();
        for group in lanes.chunks((to / from) as usize) {
            let mut sum = self.number(wide, 0);
            for (&lane, shift) in group.iter().zip((0..to).step_by(from as usize)) {
                let lane = self.emit_cast(CastOp::ZExt, lane, narrow, wide);
                let amount = self.number(wide, u64::from(shift));
                let lane = match shift {
                    0 => lane,
                    _ => self.emit_binary(wide, BinaryOp::Shl, lane, amount),
                };
                sum =
                    if shift == 0 { lane } else { self.emit_binary(wide, BinaryOp::Or, sum, lane) };
            }
            joined.push(sum);
        }
        joined
    }
}
