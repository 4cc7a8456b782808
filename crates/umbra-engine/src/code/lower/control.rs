//! Terminators, and the moves on the edges between blocks.

use umbra_ir::{Edge, Id, Operand, Operation, Predicate, Terminator};

use super::arithmetic::shift_of;
use super::{Lowered, Lowering};
use crate::code::op::{Op, Slot, SwitchTable, Target};

/// What a parameter of a block becomes.
#[derive(Clone, Copy)]
enum Source {
    Slot(Slot),
    Value(u64),
}

impl<'a> Lowering<'a> {
    pub(super) fn lower_terminator(&mut self, terminator: &'a Terminator) -> Lowered {
        match terminator {
            Terminator::Jump(edge) => self.lower_edge(edge)?,
            Terminator::Branch { condition, then, otherwise } => {
                let (then, otherwise) = (self.target(then), self.target(otherwise));
                self.lower_branch(*condition, then, otherwise)?;
            }
            Terminator::Version { old, new } => {
                let (old, new) = (self.target(old), self.target(new));
                self.emit(Op::Version { old, new });
            }
            Terminator::Switch { value, cases, default } => {
                if self.type_of(*value).words() > 1 {
                    self.emit_unsupported("switch on an integer of more than 64 bits".to_owned());
                    return Ok(());
                }
                let a = self.read(*value)?;
                let default = self.target(default);
                let mut targets: Vec<(u64, Target)> = Vec::new();
                for (constant, edge) in cases {
                    let value = self.immediate(Operand::Constant(*constant)).unwrap_or(0);
                    targets.push((value, self.target(edge)));
                }
                let table = self.image.tables.len() as u32;
                self.image.tables.push(switch_table(targets, default));
                self.emit(Op::Switch { a, table });
            }
            Terminator::Return(operands) => self.lower_return(operands)?,
            Terminator::Unreachable => self.emit(Op::Unreachable),
            Terminator::Unsupported(what) => self.emit_unsupported(what.clone()),
        }
        Ok(())
    }

    fn lower_return(&mut self, operands: &[Operand]) -> Lowered {
        match operands {
            [] => self.emit(Op::ReturnVoid),
            [only] if self.type_of(*only).words() == 1 => {
                let a = self.read(*only)?;
                self.emit(Op::Return { a });
            }
            _ => {
                let mut sources = Vec::new();
                for &operand in operands {
                    let slot = self.read(operand)?;
                    let words = self.type_of(operand).words() as Slot;
                    sources.extend((0..words).map(|word| slot + word));
                }
                let first = self.scratch(sources.len())?;
                for (d, &a) in (first..).zip(&sources) {
                    self.emit(Op::Move { d, a });
                }
                self.emit(Op::ReturnWords { a: first, count: sources.len() as u16 });
            }
        }
        Ok(())
    }

    fn lower_branch(&mut self, condition: Operand, then: Target, otherwise: Target) -> Lowered {
        if let Operand::Register(register) = condition
            && let Some(Operation::Compare { predicate, left, right, .. }) =
                self.folded.get(&register).copied()
        {
            return self.lower_compare_branch(*predicate, *left, *right, then, otherwise);
        }
        let a = self.read(condition)?;
        self.emit(Op::Branch { a, then, otherwise });
        Ok(())
    }

    fn lower_compare_branch(
        &mut self,
        predicate: Predicate,
        left: Operand,
        right: Operand,
        then: Target,
        otherwise: Target,
    ) -> Lowered {
        let shift = shift_of(self.type_of(left));
        let (predicate, left, right) = match left {
            Operand::Constant(_) => (mirror(predicate), right, left),
            Operand::Register(_) => (predicate, left, right),
        };
        let a = self.read(left)?;
        if let Some(value) = self.immediate(right)
            && let Some(op) = immediate_branch(predicate, shift, a, value, then, otherwise)
        {
            self.emit(op);
            return Ok(());
        }
        let b = self.read(right)?;
        self.emit(match predicate {
            Predicate::Eq => Op::BranchEq { a, b, then, otherwise },
            Predicate::Ne => Op::BranchEq { a, b, then: otherwise, otherwise: then },
            Predicate::Ult => Op::BranchUlt { a, b, then, otherwise },
            Predicate::Ugt => Op::BranchUlt { a: b, b: a, then, otherwise },
            Predicate::Ule => Op::BranchUle { a, b, then, otherwise },
            Predicate::Uge => Op::BranchUle { a: b, b: a, then, otherwise },
            Predicate::Slt => Op::BranchSlt { shift, a, b, then, otherwise },
            Predicate::Sgt => Op::BranchSlt { shift, a: b, b: a, then, otherwise },
            Predicate::Sle => Op::BranchSle { shift, a, b, then, otherwise },
            Predicate::Sge => Op::BranchSle { shift, a: b, b: a, then, otherwise },
        });
        Ok(())
    }

    /// The header to enter for an edge: the block itself, or the moves before it.
    fn target(&mut self, edge: &'a Edge) -> Target {
        if edge.arguments.is_empty() {
            return self.targets[edge.block.index()];
        }
        let header = self.image.headers.len() as Target;
        self.image.headers.push(crate::code::op::Header { pc: 0, weight: 0, touches: 0 });
        self.edges.push((header, edge, self.location));
        header
    }

    /// The moves of an edge, then the jump.
    pub(super) fn lower_edge(&mut self, edge: &'a Edge) -> Lowered {
        let to = self.targets[edge.block.index()];
        self.slots.release_scratch();
        let mut moves = self.edge_moves(edge)?;
        self.order_moves(&mut moves)?;
        match moves.pop() {
            None => self.emit(Op::Jump { to }),
            Some(last) => {
                for (d, source) in moves {
                    self.emit_move(d, source);
                }
                match last {
                    (d, Source::Slot(a)) => self.emit(Op::MoveJump { d, a, to }),
                    (d, Source::Value(value)) => {
                        self.emit(Op::Constant { d, value });
                        self.emit(Op::Jump { to });
                    }
                }
            }
        }
        Ok(())
    }

    fn emit_move(&mut self, d: Slot, source: Source) {
        self.emit(match source {
            Source::Slot(a) => Op::Move { d, a },
            Source::Value(value) => Op::Constant { d, value },
        });
    }

    /// What each word of the target's parameters becomes; words that stay are left out.
    fn edge_moves(&mut self, edge: &Edge) -> Lowered<Vec<(Slot, Source)>> {
        let mut moves = Vec::new();
        let parameters = &self.body.blocks[edge.block].parameters;
        for (&parameter, &argument) in parameters.iter().zip(&edge.arguments) {
            let d = self.write(parameter);
            match argument {
                Operand::Constant(_) if self.is_of_thread(argument) => {
                    moves.push((d, Source::Slot(self.read(argument)?)));
                }
                Operand::Constant(id) => {
                    let words = self.image.constant_words(&self.program.constants[id]);
                    moves.extend((d..).zip(words.into_iter().map(Source::Value)));
                }
                Operand::Register(register) => {
                    let a = self.read(argument)?;
                    let words = self.body.registers[register].words() as Slot;
                    let sources = (a..a + words).map(Source::Slot);
                    moves.extend((d..).zip(sources).filter(|_| a != d));
                }
            }
        }
        Ok(moves)
    }

    /// Puts simultaneous moves into an order in which no word is overwritten before it is read;
    /// a cycle goes through scratch space.
    fn order_moves(&mut self, moves: &mut Vec<(Slot, Source)>) -> Lowered {
        let mut pending = std::mem::take(moves);
        let mut readers = std::collections::HashMap::<Slot, usize>::new();
        for (_, source) in &pending {
            if let Source::Slot(a) = source {
                *readers.entry(*a).or_default() += 1;
            }
        }
        while !pending.is_empty() {
            let before = pending.len();
            pending.retain(|&(d, source)| {
                if readers.get(&d).is_some_and(|&count| count > 0) {
                    return true;
                }
                if let Source::Slot(a) = source {
                    *readers.entry(a).or_default() -= 1;
                }
                moves.push((d, source));
                false
            });
            if pending.len() == before {
                // Every target is still to be read: keep the first one aside.
                let blocked = pending[0].0;
                let aside = self.scratch(1)?;
                moves.push((aside, Source::Slot(blocked)));
                for (_, source) in &mut pending {
                    if matches!(source, Source::Slot(a) if *a == blocked) {
                        *source = Source::Slot(aside);
                    }
                }
                let moved = readers.remove(&blocked).unwrap_or(0);
                readers.insert(aside, moved);
            }
        }
        Ok(())
    }
}

/// The predicate with its operands exchanged.
fn mirror(predicate: Predicate) -> Predicate {
    match predicate {
        Predicate::Eq | Predicate::Ne => predicate,
        Predicate::Ugt => Predicate::Ult,
        Predicate::Uge => Predicate::Ule,
        Predicate::Ult => Predicate::Ugt,
        Predicate::Ule => Predicate::Uge,
        Predicate::Sgt => Predicate::Slt,
        Predicate::Sge => Predicate::Sle,
        Predicate::Slt => Predicate::Sgt,
        Predicate::Sle => Predicate::Sge,
    }
}

/// The branch on a comparison with a constant that fits the operation.
fn immediate_branch(
    predicate: Predicate,
    shift: u8,
    a: Slot,
    value: u64,
    then: Target,
    otherwise: Target,
) -> Option<Op> {
    let unsigned = u32::try_from(value).ok();
    let signed = i32::try_from(((value << shift) as i64) >> shift).ok();
    let (t, o) = (then, otherwise);
    Some(match predicate {
        Predicate::Eq => Op::BranchEqImm { a, value: unsigned?, then: t, otherwise: o },
        Predicate::Ne => Op::BranchEqImm { a, value: unsigned?, then: o, otherwise: t },
        Predicate::Ult => Op::BranchUltImm { a, value: unsigned?, then: t, otherwise: o },
        Predicate::Uge => Op::BranchUltImm { a, value: unsigned?, then: o, otherwise: t },
        Predicate::Ugt => Op::BranchUgtImm { a, value: unsigned?, then: t, otherwise: o },
        Predicate::Ule => Op::BranchUgtImm { a, value: unsigned?, then: o, otherwise: t },
        Predicate::Slt => Op::BranchSltImm { shift, a, value: signed?, then: t, otherwise: o },
        Predicate::Sge => Op::BranchSltImm { shift, a, value: signed?, then: o, otherwise: t },
        Predicate::Sgt => Op::BranchSgtImm { shift, a, value: signed?, then: t, otherwise: o },
        Predicate::Sle => Op::BranchSgtImm { shift, a, value: signed?, then: o, otherwise: t },
    })
}

/// A jump table where the values are close together, else a sorted list.
fn switch_table(mut cases: Vec<(u64, Target)>, default: Target) -> SwitchTable {
    // The first of equal cases counts; a stable sort keeps it first.
    cases.sort_by_key(|case| case.0);
    cases.dedup_by_key(|case| case.0);
    let (Some(first), Some(last)) = (cases.first(), cases.last()) else {
        return SwitchTable::Sparse { cases, default };
    };
    let (first, span) = (first.0, last.0 - first.0);
    if span / 4 > cases.len() as u64 + 8 {
        return SwitchTable::Sparse { cases, default };
    }
    let mut targets = vec![default; span as usize + 1];
    for (value, target) in cases {
        targets[(value - first) as usize] = target;
    }
    SwitchTable::Dense { first, targets, default }
}
