//! The ends of blocks: branches, switches and returns of one version or of both.

use umbra_ir::{Instruction, Operand, Operation, Terminator, Type};

use super::super::draft::{DraftEdge, DraftEnd, DraftStep};
use super::{Builder, Node};
use crate::Version;
use crate::code::{Code, Content, ItemId, Step};

impl<'a> Builder<'a, '_> {
    /// The end of the block of a node that is a terminator.
    pub(super) fn end(&mut self, node: Node) -> (Vec<DraftStep>, DraftEnd) {
        let terminator = |code: &Code<'a>, item: Option<ItemId>| match code.content(item?) {
            Content::Terminator(terminator) => Some(terminator),
            Content::Operation(_) => None,
        };
        let old = terminator(self.old, node.old);
        let new = terminator(self.new, node.new);
        let mut steps = Vec::new();
        let operands = |terminator: &Terminator| match terminator {
            Terminator::Branch { condition, .. } => vec![*condition],
            Terminator::Switch { value, .. } => vec![*value],
            Terminator::Return(results) => results.clone(),
            _ => Vec::new(),
        };
        let left: Option<Vec<Operand>> = old.map(|terminator| {
            operands(terminator).into_iter().map(|o| self.operand(Version::Old, o)).collect()
        });
        let mut right: Option<Vec<Operand>> = new.map(|terminator| {
            operands(terminator).into_iter().map(|o| self.operand(Version::New, o)).collect()
        });
        let mut new_steps: Vec<Option<Step>> = node
            .new
            .map_or(Vec::new(), |item| self.new.steps(item).into_iter().map(Some).collect());
        let mut old_steps: Vec<Option<Step>> = node
            .old
            .map_or(Vec::new(), |item| self.old.steps(item).into_iter().map(Some).collect());
        if node.turned {
            new_steps.reverse();
            right = right.map(|right| {
                let negated = self.variable(Type::BOOL);
                let operation = Operation::Binary {
                    destination: negated,
                    op: umbra_ir::BinaryOp::Xor,
                    left: right[0],
                    right: self.target.number(Type::BOOL, 1),
                };
                steps.push(operation);
                vec![Operand::Register(negated)]
            });
        }
        let values: Vec<Operand> = match (left, right) {
            (Some(left), Some(right)) => {
                let pairs = left.into_iter().zip(right);
                let (values, out) =
                    self.with_changes(|changes| pairs.map(|(a, b)| changes.pick(a, b)).collect());
                steps.extend(out);
                values
            }
            (left, right) => left.or(right).unwrap_or_default(),
        };
        let count = old_steps.len().max(new_steps.len());
        old_steps.resize(count, None);
        new_steps.resize(count, None);
        let edges: Vec<DraftEdge> =
            old_steps.into_iter().zip(new_steps).map(|(old, new)| self.edge(old, new)).collect();
        let (location, old_location) = self.locations(node);
        let cases = match (new, old) {
            (Some(Terminator::Switch { cases, .. }), _) => {
                cases.iter().map(|(constant, _)| *constant).collect()
            }
            (None, Some(Terminator::Switch { cases, .. })) => {
                cases.iter().map(|(constant, _)| self.target.old_constant(*constant)).collect()
            }
            _ => Vec::new(),
        };
        let mut edges = edges.into_iter();
        let mut next = || edges.next().unwrap_or(DraftEdge { block: 0, assignments: Vec::new() });
        let end = match new.or(old) {
            Some(Terminator::Jump(_)) => DraftEnd::Jump(next()),
            Some(Terminator::Branch { .. }) => {
                DraftEnd::Branch { condition: values[0], then: next(), otherwise: next() }
            }
            Some(Terminator::Switch { .. }) => DraftEnd::Switch {
                value: values[0],
                cases: cases.into_iter().map(|constant| (constant, next())).collect(),
                default: next(),
            },
            Some(Terminator::Version { .. }) => DraftEnd::Version { old: next(), new: next() },
            Some(Terminator::Return(_)) => DraftEnd::Return(values),
            Some(Terminator::Unsupported(reason)) => DraftEnd::Unsupported(reason.clone()),
            Some(Terminator::Unreachable) | None => DraftEnd::Unreachable,
        };
        let instruction =
            |operation| DraftStep::Instruction(Instruction { operation, location, old_location });
        (steps.into_iter().map(instruction).collect(), end)
    }
}
