//! The normal form of a function: what it does, without what means nothing.
//!
//! A stream of words in which registers are numbered by first appearance, constants are values,
//! symbols are whatever the caller says they are, and locations, link names, names of local
//! variables and the line numbers of assertions are left out. Two functions with equal streams do the same,
//! provided that symbols with equal words do. A hash of the stream serves as a key.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use umbra_ir::{
    Argument, Body, Callee, Constant, ConstantValue, Edge, Function, Id, Operand, Operation,
    Program, RegisterId, Symbol, Terminator, Type,
};

/// The function that reports a failed assertion; its third argument is a line number.
pub const ASSERT_FAIL: &str = "__assert_fail";
/// The position of that argument.
pub const ASSERT_LINE: usize = 2;

/// A hash that is the same in every run.
pub fn hash(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// What stands for a symbol in a stream.
pub type Token<'a> = &'a dyn Fn(Symbol) -> u64;

/// The normal form of a function.
pub fn normal_form(program: &Program, function: &Function, token: Token<'_>) -> Vec<u64> {
    let mut words = Words { program, token, out: Vec::new(), registers: HashMap::new() };
    words.types(&function.parameters);
    words.types(&function.results);
    words.out.push(u64::from(function.variadic));
    for (index, by_value) in &function.by_value {
        words.out.extend([u64::from(*index), by_value.size, u64::from(by_value.align)]);
    }
    match &function.body {
        Some(body) => words.body(body),
        None => words.out.push(u64::from(function.weak)),
    }
    words.out
}

/// Whether a call reports a failed assertion.
pub fn is_assertion(program: &Program, operation: &Operation) -> bool {
    matches!(operation, Operation::Call { callee: Callee::Direct(callee), .. }
        if program.functions[*callee].name == ASSERT_FAIL)
}

/// What a constant is.
pub fn constant_hash(constant: &Constant, token: Token<'_>) -> u64 {
    match &constant.value {
        ConstantValue::Address { symbol, offset } => {
            hash(&("address", constant.ty, token(*symbol), offset))
        }
        value => hash(&("value", constant.ty, value)),
    }
}

struct Words<'a> {
    program: &'a Program,
    token: Token<'a>,
    out: Vec<u64>,
    registers: HashMap<RegisterId, u64>,
}

impl Words<'_> {
    fn types(&mut self, types: &[Type]) {
        self.out.push(types.len() as u64);
        self.out.extend(types.iter().map(hash));
    }

    fn register(&mut self, register: RegisterId) {
        let next = self.registers.len() as u64;
        let number = *self.registers.entry(register).or_insert(next);
        self.out.push(number);
    }

    fn define(&mut self, body: &Body, register: RegisterId) {
        self.register(register);
        self.out.push(hash(&body.registers[register]));
    }

    fn operand(&mut self, operand: Operand) {
        match operand {
            Operand::Register(register) => {
                self.out.push(1);
                self.register(register);
            }
            Operand::Constant(id) => {
                let word = constant_hash(&self.program.constants[id], self.token);
                self.out.extend([2, word]);
            }
        }
    }

    fn body(&mut self, body: &Body) {
        for block in body.blocks.values() {
            self.out.push(block.parameters.len() as u64);
            block.parameters.iter().for_each(|&register| self.define(body, register));
            for instruction in &block.instructions {
                self.operation(body, &instruction.operation);
            }
            self.terminator(&block.terminator);
        }
    }

    fn operation(&mut self, body: &Body, operation: &Operation) {
        self.out.push(shape(self.program, operation, self.token));
        operation.visit_destinations(&mut |register| self.define(body, register));
        if let Operation::Call { callee, arguments, .. } = operation {
            if let Callee::Indirect(address) = callee {
                self.operand(*address);
            }
            let masked = is_assertion(self.program, operation).then_some(ASSERT_LINE);
            for (index, Argument { operand, .. }) in arguments.iter().enumerate() {
                if Some(index) != masked {
                    self.operand(*operand);
                }
            }
        } else {
            operation.visit_operands(&mut |operand| self.operand(operand));
        }
    }

    fn edge(&mut self, edge: &Edge) {
        self.out.push(edge.block.index() as u64);
        edge.arguments.iter().for_each(|argument| self.operand(*argument));
    }

    fn terminator(&mut self, terminator: &Terminator) {
        self.out.push(terminator_shape(self.program, terminator));
        match terminator {
            Terminator::Branch { condition, .. } => self.operand(*condition),
            Terminator::Switch { value, .. } => self.operand(*value),
            Terminator::Return(results) => {
                results.iter().for_each(|result| self.operand(*result));
            }
            _ => {}
        }
        for edge in terminator.edges() {
            self.edge(edge);
        }
    }
}

/// All of an operation but its registers and operands: what must be the same for two of them to be
/// equal.
pub fn shape(program: &Program, operation: &Operation, token: Token<'_>) -> u64 {
    let function = |id| token(Symbol::Function(id));
    match operation {
        Operation::Binary { op, .. } => hash(&("binary", op)),
        Operation::Compare { predicate, .. } => hash(&("compare", predicate)),
        Operation::FloatBinary { op, .. } => hash(&("float", op)),
        Operation::FloatNegate { .. } => hash("negate"),
        Operation::FloatCompare { predicate, .. } => hash(&("fcompare", predicate)),
        Operation::Cast { op, .. } => hash(&("cast", op)),
        Operation::Select { .. } => hash("select"),
        Operation::Copy { .. } => hash("copy"),
        Operation::Change { .. } => hash("change"),
        Operation::Offset { constant, indices, .. } => {
            let scales: Vec<i64> = indices.iter().map(|scaled| scaled.scale).collect();
            hash(&("offset", constant, scales))
        }
        Operation::Load { .. } => hash("load"),
        Operation::Store { .. } => hash("store"),
        Operation::Alloca { size, count, align, .. } => {
            hash(&("alloca", size, count.is_some(), align))
        }
        Operation::Call { callee, arguments, .. } => {
            let callee = match callee {
                // A call of a function whose signature changed is not the same call.
                Callee::Direct(id) => Some((function(*id), &program.functions[*id].parameters)),
                Callee::Indirect(_) => None,
            };
            let by_value: Vec<_> =
                arguments.iter().map(|a| a.by_value.map(|by| (by.size, by.align))).collect();
            hash(&("call", callee, by_value))
        }
        Operation::Intrinsic { intrinsic, arguments, .. } => {
            hash(&("intrinsic", intrinsic, arguments.len()))
        }
    }
}

/// All of a terminator but its operands and edges.
pub fn terminator_shape(program: &Program, terminator: &Terminator) -> u64 {
    match terminator {
        Terminator::Jump(_) => hash("jump"),
        Terminator::Branch { .. } => hash("branch"),
        Terminator::Switch { cases, .. } => {
            let cases: Vec<_> = cases.iter().map(|(id, _)| &program.constants[*id]).collect();
            hash(&("switch", cases))
        }
        Terminator::Version { .. } => hash("version"),
        Terminator::Return(results) => hash(&("return", results.len())),
        Terminator::Unreachable => hash("unreachable"),
        Terminator::Unsupported(reason) => hash(&("unsupported", reason)),
    }
}
