//! What the aligner knows of an item: what it may be paired with, and what it looks like.

use umbra_ir::{BinaryOp, Callee, CastOp, Operand, Operation, Program, Symbol, Terminator, Type};

use crate::code::{Code, Content, Definition, ItemId};
use crate::normal::{constant_hash, hash, shape, terminator_shape};

/// Operands of operands are looked at this deep.
const DEPTH: u32 = 3;

/// What is known of one item.
#[derive(Clone, Debug)]
pub struct Features {
    /// Items can be one only if these are equal.
    pub kind: u64,
    /// Types of the arguments that a variadic call passes beyond those of the function.
    pub variable: Vec<Type>,
    /// The operation and, to some depth, what its operands are made of.
    pub looks: u64,
    /// How much it is worth to pair it.
    pub worth: i32,
}

/// The features of all items of a function.
pub fn features(code: &Code<'_>, token: &dyn Fn(Symbol) -> u64) -> Vec<Features> {
    code.ids()
        .map(|item| {
            let (kind, variable) = kind(code, item, token);
            let looks = looks(code, item, token, DEPTH);
            Features { kind, variable, looks, worth: worth(code, item) }
        })
        .collect()
}

fn worth(code: &Code<'_>, item: ItemId) -> i32 {
    match code.content(item) {
        Content::Operation(operation) => match operation {
            Operation::Call { .. } => 10,
            Operation::Store { .. } | Operation::Intrinsic { .. } => 4,
            Operation::Load { .. } | Operation::Alloca { .. } => 3,
            _ => 2,
        },
        Content::Terminator(terminator) => match terminator {
            Terminator::Switch { .. } => 8,
            _ => 4,
        },
    }
}

/// What must be the same, and the types of variable arguments.
fn kind(code: &Code<'_>, item: ItemId, token: &dyn Fn(Symbol) -> u64) -> (u64, Vec<Type>) {
    let program = code.program;
    let operation = match code.content(item) {
        Content::Terminator(terminator @ Terminator::Switch { value, .. }) => {
            let word = terminator_shape(program, terminator);
            return (hash(&(word, code.ty(*value))), Vec::new());
        }
        Content::Terminator(terminator) => {
            return (terminator_shape(program, terminator), Vec::new());
        }
        Content::Operation(operation) => operation,
    };
    let ty = |operand: &Operand| code.ty(*operand);
    let result = operation.destinations().first().map(|&register| code.body.registers[register]);
    let word = match operation {
        // A division can fail, so both are not computed where one is wanted.
        Operation::Binary { op, .. } => hash(&("binary", may_fail(*op).then_some(*op), result)),
        Operation::Compare { left, .. } => hash(&("compare", ty(left))),
        Operation::FloatBinary { .. } => hash(&("float", result)),
        Operation::FloatCompare { left, .. } => hash(&("fcompare", ty(left))),
        Operation::Cast { op, operand, .. } => {
            let op = match op {
                CastOp::ZExt | CastOp::SExt => CastOp::ZExt,
                CastOp::FpToUi | CastOp::FpToSi => CastOp::FpToSi,
                CastOp::UiToFp | CastOp::SiToFp => CastOp::SiToFp,
                other => *other,
            };
            hash(&("cast", op, ty(operand), result))
        }
        Operation::FloatNegate { .. } | Operation::Select { .. } | Operation::Copy { .. } => {
            hash(&(shape(program, operation, token), result))
        }
        Operation::Change { .. } => hash(&("change", result)),
        Operation::Offset { .. } => hash("offset"),
        Operation::Load { .. } => hash(&("load", result)),
        Operation::Store { value, .. } => hash(&("store", ty(value))),
        Operation::Alloca { count, .. } => hash(&("alloca", count.as_ref().map(ty))),
        Operation::Call { destinations, callee, arguments } => {
            let results: Vec<_> = destinations.iter().map(|&r| code.body.registers[r]).collect();
            let types: Vec<_> = arguments.iter().map(|argument| ty(&argument.operand)).collect();
            return call_kind(program, callee, &types, &results, token);
        }
        Operation::Intrinsic { intrinsic, arguments, .. } => {
            let types: Vec<_> = arguments.iter().map(ty).collect();
            hash(&("intrinsic", intrinsic, types, result))
        }
    };
    (word, Vec::new())
}

fn call_kind(
    program: &Program,
    callee: &Callee,
    arguments: &[Type],
    results: &[Type],
    token: &dyn Fn(Symbol) -> u64,
) -> (u64, Vec<Type>) {
    let Callee::Direct(id) = callee else {
        return (hash(&("indirect", arguments, results)), Vec::new());
    };
    let function = &program.functions[*id];
    let fixed = function.parameters.len();
    let callee = token(Symbol::Function(*id));
    match arguments.get(..fixed) {
        Some(given) if given == function.parameters => {
            (hash(&("call", callee, results)), arguments[fixed..].to_vec())
        }
        // A call that does not fit its function (old C): only its like.
        _ => (hash(&("odd call", callee, arguments, results)), Vec::new()),
    }
}

/// Whether an operation can fail.
pub fn may_fail(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem)
}

fn looks(code: &Code<'_>, item: ItemId, token: &dyn Fn(Symbol) -> u64, depth: u32) -> u64 {
    let mut words = Vec::new();
    let mut operand = |operand: Operand| words.push(operand_looks(code, operand, token, depth));
    match code.content(item) {
        Content::Operation(operation) => {
            operation.visit_operands(&mut operand);
            let name = match operation {
                Operation::Alloca { name, .. } => name.as_str(),
                _ => "",
            };
            hash(&(shape(code.program, operation, token), name, words))
        }
        Content::Terminator(terminator) => {
            match terminator {
                Terminator::Branch { condition, .. } => operand(*condition),
                Terminator::Switch { value, .. } => operand(*value),
                Terminator::Return(results) => results.iter().for_each(|&result| operand(result)),
                _ => {}
            }
            hash(&(terminator_shape(code.program, terminator), words))
        }
    }
}

fn operand_looks(
    code: &Code<'_>,
    operand: Operand,
    token: &dyn Fn(Symbol) -> u64,
    depth: u32,
) -> u64 {
    match operand {
        Operand::Constant(id) => constant_hash(&code.program.constants[id], token),
        Operand::Register(register) => match code.definition(register) {
            Some(Definition::Item(item)) if depth > 0 => looks(code, item, token, depth - 1),
            Some(Definition::Parameter(block, position)) if umbra_ir::Id::index(block) == 0 => {
                hash(&("argument", position))
            }
            _ => hash(&("register", code.body.registers[register])),
        },
    }
}
