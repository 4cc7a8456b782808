//! Values while a merged body and its original are walked side by side.
//!
//! A value is a number ([`Class`]); equal numbers are equal values. Operations without effects are
//! terms over the classes of their operands, in a form that does not see the ways in which the merger writes them.

use std::collections::HashMap;

use umbra_ir::{
    BinaryOp, Body, Constant, ConstantValue, Operand, Operation, Predicate, Program, RegisterId,
    Symbol, Type,
};

use crate::Version;
use crate::align::may_fail;
use crate::normal::{constant_hash, hash};

/// A class of equal values.
pub type Class = u32;

/// What a class is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// A constant, by its hash.
    Constant(u64),
    /// A small number, for what is computed from constants.
    Number(Type, u64),
    /// A local variable that the entry makes, by its place in the original.
    Local(u64),
    /// Something that is the same on both sides, whatever it is.
    Opaque(u64),
    /// The negation of a condition.
    Not(Class),
    /// An operation without effects.
    Pure(Vec<u64>),
}

/// All classes.
#[derive(Default)]
pub struct Classes {
    numbers: HashMap<Term, Class>,
    terms: Vec<Term>,
}

impl Classes {
    /// The class of a term.
    pub fn of(&mut self, term: Term) -> Class {
        let terms = &mut self.terms;
        *self.numbers.entry(term).or_insert_with_key(|term| {
            terms.push(term.clone());
            (terms.len() - 1) as Class
        })
    }

    /// What a class is.
    pub fn term(&self, class: Class) -> &Term {
        &self.terms[class as usize]
    }

    /// Whether a class means the same wherever it is used.
    pub fn is_stable(&self, class: Class) -> bool {
        matches!(self.term(class), Term::Constant(_) | Term::Number(..) | Term::Local(_))
    }

    /// What a class is the negation of, and whether it is one.
    pub fn without_not(&self, class: Class) -> (Class, bool) {
        match self.term(class) {
            Term::Not(inner) => (*inner, true),
            _ => (class, false),
        }
    }

    /// The negation of a class.
    pub fn not(&mut self, class: Class) -> Class {
        match self.term(class) {
            Term::Not(inner) => *inner,
            _ => self.of(Term::Not(class)),
        }
    }
}

/// A body, and what its constants mean.
pub struct Side<'a> {
    pub program: &'a Program,
    pub body: &'a Body,
    /// The word of a symbol; the same on both sides for the same thing.
    pub token: &'a dyn Fn(Symbol) -> u64,
    /// The side that changes are resolved to.
    pub version: Version,
}

/// The classes of registers.
pub type Values = HashMap<RegisterId, Class>;

impl Side<'_> {
    /// The class of an operand.
    pub fn class(&self, classes: &mut Classes, values: &Values, operand: Operand) -> Class {
        match operand {
            Operand::Constant(id) => self.constant(classes, &self.program.constants[id]),
            // What nothing assigned is undefined.
            Operand::Register(register) => match values.get(&register) {
                Some(class) => *class,
                None => {
                    let ty = self.body.registers[register];
                    self.constant(classes, &Constant { ty, value: ConstantValue::Undefined })
                }
            },
        }
    }

    fn constant(&self, classes: &mut Classes, constant: &Constant) -> Class {
        let term = match &constant.value {
            ConstantValue::Word(word) => Term::Number(constant.ty, *word),
            _ => Term::Constant(constant_hash(constant, self.token)),
        };
        classes.of(term)
    }

    /// The class of the result of an operation without effects; nothing for any other operation.
    pub fn pure(
        &self,
        classes: &mut Classes,
        values: &Values,
        operation: &Operation,
    ) -> Option<Class> {
        let mut class = |operand: &Operand| self.class(classes, values, *operand);
        let result = operation.destinations().first().map(|r| self.body.registers[*r]);
        let word = |ty: Option<Type>| hash(&ty);
        let term = match operation {
            Operation::Copy { operand, .. } => return Some(class(operand)),
            Operation::Change { old, new, .. } => {
                return Some(match self.version {
                    Version::Old => class(old),
                    Version::New => class(new),
                });
            }
            Operation::Binary { op, .. } if may_fail(*op) => return None,
            Operation::Binary { op, left, right, .. } => {
                let (mut l, mut r) = (class(left), class(right));
                if *op == BinaryOp::Xor && result == Some(Type::BOOL) {
                    let one = classes.of(Term::Number(Type::BOOL, 1));
                    if r == one {
                        return Some(classes.not(l));
                    }
                }
                let commutes = matches!(
                    op,
                    BinaryOp::Add | BinaryOp::Mul | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor
                );
                if commutes && r < l {
                    (l, r) = (r, l);
                }
                vec![hash(&("binary", op)), word(result), l.into(), r.into()]
            }
            Operation::Compare { predicate, left, right, .. } => {
                let (mut l, mut r) = (class(left), class(right));
                let mut predicate = *predicate;
                let turned = match predicate {
                    Predicate::Ugt => Some(Predicate::Ult),
                    Predicate::Uge => Some(Predicate::Ule),
                    Predicate::Sgt => Some(Predicate::Slt),
                    Predicate::Sge => Some(Predicate::Sle),
                    Predicate::Eq | Predicate::Ne if r < l => Some(predicate),
                    _ => None,
                };
                if let Some(turned) = turned {
                    (predicate, l, r) = (turned, r, l);
                }
                vec![hash(&("compare", predicate)), l.into(), r.into()]
            }
            Operation::FloatBinary { op, left, right, .. } => {
                vec![hash(&("float", op)), word(result), class(left).into(), class(right).into()]
            }
            Operation::FloatNegate { operand, .. } => {
                vec![hash("negate"), word(result), class(operand).into()]
            }
            Operation::FloatCompare { predicate, left, right, .. } => {
                vec![hash(&("fcompare", predicate)), class(left).into(), class(right).into()]
            }
            Operation::Cast { op, operand, .. } => {
                vec![hash(&("cast", op)), word(result), class(operand).into()]
            }
            Operation::Select { condition, left, right, .. } => {
                let operands = [condition, left, right].map(|o| u64::from(class(o)));
                vec![hash("select"), operands[0], operands[1], operands[2]]
            }
            Operation::Offset { base, constant, indices, .. } => {
                let base = class(base);
                let mut sum = *constant;
                let mut words = Vec::new();
                for scaled in indices {
                    let index = self.class(classes, values, scaled.index);
                    match classes.term(index) {
                        Term::Number(ty, word) if ty.bits() <= 64 => {
                            let shift = 64 - ty.bits();
                            let index = ((word << shift) as i64) >> shift;
                            sum = sum.wrapping_add(index.wrapping_mul(scaled.scale));
                        }
                        _ => words.extend([u64::from(index), scaled.scale as u64]),
                    }
                }
                let mut all = vec![hash("offset"), u64::from(base), sum as u64];
                all.extend(words);
                all
            }
            Operation::Load { .. }
            | Operation::Store { .. }
            | Operation::Alloca { .. }
            | Operation::Call { .. }
            | Operation::Intrinsic { .. } => return None,
        };
        Some(classes.of(Term::Pure(term)))
    }
}
