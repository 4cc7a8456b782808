//! What differs about two instructions that belong together.

use std::collections::HashMap;
use std::fmt;

use umbra_ir::{
    BinaryOp, ConstantValue, Initializer, Operand, Operation, Predicate, Program, RegisterId,
    Symbol, Terminator, Type,
};

use crate::code::{Code, Content, ItemId};
use crate::correspondence::{Alignment, InstructionPair};
use crate::normal::constant_hash;
use crate::pair::Symbols;

/// What differs about two instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DifferenceKind {
    /// A number or an address that stands in the text.
    Constant,
    /// A value that was computed.
    Value,
    /// The operator of a computation.
    Operator,
    /// How two values are compared.
    Predicate,
    /// How a value becomes one of another type.
    Conversion,
    /// How far behind a pointer something lies.
    Offset,
    /// The size of the elements of an array.
    Scale,
    /// The size of a local variable.
    Size,
    /// The arguments of a call, beyond those that both versions pass.
    Arguments,
    /// A branch whose condition is turned around.
    Turned,
}

impl DifferenceKind {
    /// What it is called.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Constant => "constant",
            Self::Value => "value",
            Self::Operator => "operator",
            Self::Predicate => "predicate",
            Self::Conversion => "conversion",
            Self::Offset => "offset",
            Self::Scale => "scale",
            Self::Size => "size",
            Self::Arguments => "arguments",
            Self::Turned => "turned condition",
        }
    }
}

/// A difference, with what it is in either version where that is short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What differs.
    pub kind: DifferenceKind,
    /// In the old version, and in the new one.
    pub sides: Option<(String, String)>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.name())?;
        match &self.sides {
            Some((old, new)) => write!(f, " {old} → {new}"),
            None => Ok(()),
        }
    }
}

/// Two functions whose instructions are compared.
pub struct Kinds<'a> {
    pub old: &'a Code<'a>,
    pub new: &'a Code<'a>,
    symbols: &'a Symbols,
    /// The new register that an old one is.
    registers: HashMap<RegisterId, RegisterId>,
}

impl<'a> Kinds<'a> {
    /// What is known of two functions.
    pub fn new(
        old: &'a Code<'a>,
        new: &'a Code<'a>,
        alignment: &Alignment,
        symbols: &'a Symbols,
    ) -> Self {
        let mut registers: HashMap<RegisterId, RegisterId> =
            alignment.parameters.iter().copied().collect();
        let entry = |code: &Code<'_>| {
            code.body.blocks.values().next().map_or(Vec::new(), |block| block.parameters.clone())
        };
        let right = entry(new);
        for (register, &position) in entry(old).iter().zip(&alignment.old_signature) {
            registers.extend(right.get(position as usize).map(|other| (*register, *other)));
        }
        for pair in &alignment.pairs {
            let items = old.at(pair.old).zip(new.at(pair.new));
            if let Some((a, b)) = items
                && let (Content::Operation(a), Content::Operation(b)) =
                    (old.content(a), new.content(b))
            {
                let others = b.destinations().iter().copied();
                registers.extend(a.destinations().iter().copied().zip(others));
            }
        }
        Self { old, new, symbols, registers }
    }

    /// What differs about two instructions.
    pub fn of(&self, pair: &InstructionPair) -> Vec<Difference> {
        let Some((a, b)) = self.old.at(pair.old).zip(self.new.at(pair.new)) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        if pair.turned {
            found.push(Difference { kind: DifferenceKind::Turned, sides: None });
        }
        self.shapes(a, b, &mut found);
        let (left, right) = (operands(self.old, a), operands(self.new, b));
        if left.len() != right.len() {
            found.push(Difference { kind: DifferenceKind::Arguments, sides: None });
        }
        for (x, y) in left.into_iter().zip(right) {
            found.extend(self.operands(x, y));
        }
        found
    }

    fn shapes(&self, a: ItemId, b: ItemId, found: &mut Vec<Difference>) {
        let (Content::Operation(a), Content::Operation(b)) =
            (self.old.content(a), self.new.content(b))
        else {
            return;
        };
        let mut add = |kind, old: String, new: String| {
            if old != new {
                found.push(Difference { kind, sides: Some((old, new)) });
            }
        };
        match (a, b) {
            (Operation::Binary { op: p, .. }, Operation::Binary { op: q, .. }) => {
                add(DifferenceKind::Operator, operator(*p), operator(*q));
            }
            (Operation::FloatBinary { op: p, .. }, Operation::FloatBinary { op: q, .. }) => {
                add(DifferenceKind::Operator, word(p), word(q));
            }
            (Operation::Compare { predicate: p, .. }, Operation::Compare { predicate: q, .. }) => {
                add(DifferenceKind::Predicate, comparison(*p), comparison(*q));
            }
            (
                Operation::FloatCompare { predicate: p, .. },
                Operation::FloatCompare { predicate: q, .. },
            ) => add(DifferenceKind::Predicate, word(p), word(q)),
            (Operation::Cast { op: p, .. }, Operation::Cast { op: q, .. }) => {
                add(DifferenceKind::Conversion, word(p), word(q));
            }
            (
                Operation::Offset { constant: p, indices: i, .. },
                Operation::Offset { constant: q, indices: j, .. },
            ) => {
                add(DifferenceKind::Offset, p.to_string(), q.to_string());
                for (i, j) in i.iter().zip(j) {
                    add(DifferenceKind::Scale, i.scale.to_string(), j.scale.to_string());
                }
            }
            (Operation::Alloca { size: p, .. }, Operation::Alloca { size: q, .. }) => {
                add(DifferenceKind::Size, p.to_string(), q.to_string());
            }
            _ => {}
        }
    }

    fn operands(&self, old: Operand, new: Operand) -> Option<Difference> {
        match (old, new) {
            (Operand::Register(a), Operand::Register(b)) => (self.registers.get(&a) != Some(&b))
                .then_some(Difference { kind: DifferenceKind::Value, sides: None }),
            (Operand::Constant(a), Operand::Constant(b)) => {
                let (x, y) = (&self.old.program.constants[a], &self.new.program.constants[b]);
                let same = constant_hash(x, &|symbol| self.symbols.old_token(symbol))
                    == constant_hash(y, &|symbol| self.symbols.new_token(symbol));
                let text = |program: &Program, constant: &umbra_ir::Constant| {
                    constant_text(program, constant.ty, &constant.value)
                };
                let sides = text(self.old.program, x).zip(text(self.new.program, y));
                (!same).then_some(Difference { kind: DifferenceKind::Constant, sides })
            }
            _ => Some(Difference { kind: DifferenceKind::Value, sides: None }),
        }
    }
}

fn operands(code: &Code<'_>, item: ItemId) -> Vec<Operand> {
    let mut found = Vec::new();
    match code.content(item) {
        Content::Operation(operation) => operation.visit_operands(&mut |o| found.push(o)),
        Content::Terminator(Terminator::Branch { condition, .. }) => found.push(*condition),
        Content::Terminator(Terminator::Switch { value, .. }) => found.push(*value),
        Content::Terminator(Terminator::Return(results)) => found.clone_from(results),
        Content::Terminator(_) => {}
    }
    found
}

/// A name of the IR in small letters.
fn word(value: &impl fmt::Debug) -> String {
    format!("{value:?}").to_lowercase()
}

fn operator(op: BinaryOp) -> String {
    let sign = match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::UDiv => "unsigned /",
        BinaryOp::SDiv => "/",
        BinaryOp::URem => "unsigned %",
        BinaryOp::SRem => "%",
        BinaryOp::Shl => "<<",
        BinaryOp::LShr => "unsigned >>",
        BinaryOp::AShr => ">>",
        BinaryOp::And => "&",
        BinaryOp::Or => "|",
        BinaryOp::Xor => "^",
    };
    sign.to_owned()
}

fn comparison(predicate: Predicate) -> String {
    let sign = match predicate {
        Predicate::Eq => "==",
        Predicate::Ne => "!=",
        Predicate::Ugt => "unsigned >",
        Predicate::Uge => "unsigned >=",
        Predicate::Ult => "unsigned <",
        Predicate::Ule => "unsigned <=",
        Predicate::Sgt => ">",
        Predicate::Sge => ">=",
        Predicate::Slt => "<",
        Predicate::Sle => "<=",
    };
    sign.to_owned()
}

/// Letters of a string that are shown.
const LETTERS: usize = 24;

/// A constant as people write it, if that is short.
fn constant_text(program: &Program, ty: Type, value: &ConstantValue) -> Option<String> {
    match (value, ty) {
        (ConstantValue::Word(word), Type::Integer(bits @ 2..=64)) => {
            let shift = 64 - bits;
            Some(((word << shift).cast_signed() >> shift).to_string())
        }
        (ConstantValue::Word(0), Type::Pointer) => Some("NULL".to_owned()),
        (ConstantValue::Word(word), Type::Integer(_)) => Some(word.to_string()),
        (ConstantValue::Address { symbol: Symbol::Function(id), .. }, _) => {
            Some(program.functions[*id].name.clone())
        }
        (ConstantValue::Address { symbol: Symbol::Global(id), offset: 0 }, _) => {
            let global = &program.globals[*id];
            match (&global.identity, &global.initializer) {
                (Some(identity), _) => Some(identity.name.clone()),
                (None, Initializer::Data { bytes, relocations }) if relocations.is_empty() => {
                    let text = std::str::from_utf8(bytes.strip_suffix(&[0])?).ok()?;
                    let short: String = text.chars().take(LETTERS).collect();
                    let dots = if short.len() < text.len() { "..." } else { "" };
                    Some(format!("{short:?}{dots}"))
                }
                _ => None,
            }
        }
        _ => None,
    }
}
