//! A small interpreter of one version of a program: what the engine is compared with.
//!
//! It knows what the programs of `programs/versions` use: one input byte, arithmetic, globals, branches.

use std::collections::HashMap;

use umbra_ir::{
    BinaryOp, BlockId, Body, Callee, CastOp, ConstantValue, Edge, FunctionId, Id, Initializer,
    Operand, Operation, Predicate, Presence, Program, RegisterId, Symbol, Terminator,
};
use umbra_words::Version;

/// Steps after which a version counts as endless.
const MOST_STEPS: u32 = 10_000;

/// What a version does on one input.
#[derive(Debug, PartialEq, Eq)]
pub struct Run {
    /// The strong blocks that it enters, and which way it leaves them.
    pub trace: Vec<(FunctionId, BlockId, usize)>,
    /// What `main` returns; `None` if it fails.
    pub status: Option<u8>,
}

/// Runs a version of a program on an input.
pub fn run(program: &Program, side: Version, input: u8) -> Run {
    let main = program.function("main").expect("there is a main");
    let mut oracle =
        Oracle { program, side, input, trace: Vec::new(), memory: HashMap::new(), steps: 0 };
    oracle.fill_globals();
    let status = oracle.call(main, &[0, 0, 0]);
    Run { trace: oracle.trace, status: status.map(|status| status as u8) }
}

struct Oracle<'a> {
    program: &'a Program,
    side: Version,
    input: u8,
    trace: Vec<(FunctionId, BlockId, usize)>,
    /// The bytes of the globals, each of them as large as it is in the version.
    memory: HashMap<u64, u8>,
    steps: u32,
}

/// Addresses are a number for each symbol in the upper half, so that none is near another.
fn address(symbol: Symbol, offset: i64) -> u64 {
    let number = match symbol {
        Symbol::Global(id) => 2 * id.index() + 2,
        Symbol::Function(id) => 2 * id.index() + 3,
    };
    ((number as u64) << 32).wrapping_add_signed(offset)
}

impl Oracle<'_> {
    fn fill_globals(&mut self) {
        for (id, global) in self.program.globals.iter() {
            let (size, initializer) = match (&global.old, self.side) {
                (Some(old), Version::Old) => (old.size, &old.initializer),
                _ => (global.size, &global.initializer),
            };
            let mut contents = vec![0; size as usize];
            if let Initializer::Data { bytes, relocations } = initializer {
                contents.copy_from_slice(bytes);
                for one in relocations {
                    let at = one.offset as usize;
                    let pointer = address(one.symbol, one.addend).to_le_bytes();
                    contents[at..at + 8].copy_from_slice(&pointer);
                }
            }
            let base = address(Symbol::Global(id), 0);
            self.memory.extend((base..).zip(contents));
        }
    }

    /// What a function returns; `None` if the program fails in it.
    fn call(&mut self, function: FunctionId, arguments: &[u64]) -> Option<u64> {
        let Some(body) = &self.program.functions[function].body else {
            // The one input.
            return Some(self.input.into());
        };
        let mut registers: HashMap<RegisterId, u64> = HashMap::new();
        let entry = BlockId::from_index(0);
        registers
            .extend(body.blocks[entry].parameters.iter().copied().zip(arguments.iter().copied()));
        let mut at = entry;
        loop {
            self.steps += 1;
            assert!(self.steps < MOST_STEPS, "the program does not end");
            let block = &body.blocks[at];
            assert!(block.presence.has(self.side), "{at} is not of the {:?} version", self.side);
            for instruction in &block.instructions {
                let value = self.operation(body, &registers, &instruction.operation)?;
                for &destination in instruction.operation.destinations() {
                    registers.insert(destination, cut(value, body.registers[destination].bits()));
                }
            }
            let value = |operand: Operand| self.value(&registers, operand);
            let (way, edge): (usize, Option<&Edge>) = match &block.terminator {
                Terminator::Jump(edge) => (0, Some(edge)),
                Terminator::Branch { condition, then, otherwise } => match value(*condition) {
                    0 => (1, Some(otherwise)),
                    _ => (0, Some(then)),
                },
                Terminator::Version { old, new } => {
                    (0, Some(if self.side == Version::Old { old } else { new }))
                }
                Terminator::Switch { value: switched, cases, default } => {
                    let number = value(*switched);
                    let is = |case| value(Operand::Constant(case)) == number;
                    match cases.iter().position(|&(case, _)| is(case)) {
                        Some(way) => (way, Some(&cases[way].1)),
                        None => (cases.len(), Some(default)),
                    }
                }
                Terminator::Return(results) => {
                    self.note(function, at, block.presence, 0);
                    return Some(
                        results.first().map_or(0, |&result| self.value(&registers, result)),
                    );
                }
                other => panic!("{other:?}"),
            };
            self.note(function, at, block.presence, way);
            let edge = edge?;
            let arguments: Vec<u64> =
                edge.arguments.iter().map(|&argument| self.value(&registers, argument)).collect();
            at = edge.block;
            registers.extend(body.blocks[at].parameters.iter().copied().zip(arguments));
        }
    }

    fn note(&mut self, function: FunctionId, block: BlockId, presence: Presence, way: usize) {
        if presence == Presence::Strong {
            self.trace.push((function, block, way));
        }
    }

    fn value(&self, registers: &HashMap<RegisterId, u64>, operand: Operand) -> u64 {
        match operand {
            Operand::Register(register) => registers[&register],
            Operand::Constant(id) => match self.program.constants[id].value {
                ConstantValue::Word(word) => word,
                ConstantValue::Address { symbol, offset } => address(symbol, offset),
                _ => 0,
            },
        }
    }

    fn operation(
        &mut self,
        body: &Body,
        registers: &HashMap<RegisterId, u64>,
        operation: &Operation,
    ) -> Option<u64> {
        let value = |operand: &Operand| self.value(registers, *operand);
        let bits = |operand: &Operand| self.program.type_of(body, *operand).bits();
        let signed = |operand: &Operand| {
            let spare = 64 - bits(operand);
            ((value(operand) << spare) as i64) >> spare
        };
        Some(match operation {
            Operation::Binary { op, left, right, .. } => match op {
                BinaryOp::Add => value(left).wrapping_add(value(right)),
                BinaryOp::Sub => value(left).wrapping_sub(value(right)),
                BinaryOp::Mul => value(left).wrapping_mul(value(right)),
                BinaryOp::And => value(left) & value(right),
                BinaryOp::Or => value(left) | value(right),
                BinaryOp::Xor => value(left) ^ value(right),
                BinaryOp::UDiv => value(left).checked_div(value(right))?,
                other => panic!("{other:?}"),
            },
            Operation::Compare { predicate, left, right, .. } => u64::from(match predicate {
                Predicate::Eq => value(left) == value(right),
                Predicate::Ne => value(left) != value(right),
                Predicate::Ult => value(left) < value(right),
                Predicate::Ugt => value(left) > value(right),
                Predicate::Ule => value(left) <= value(right),
                Predicate::Uge => value(left) >= value(right),
                Predicate::Slt => signed(left) < signed(right),
                Predicate::Sgt => signed(left) > signed(right),
                other => panic!("{other:?}"),
            }),
            Operation::Change { old, new, .. } => {
                value(if self.side == Version::Old { old } else { new })
            }
            Operation::Copy { operand, .. } => value(operand),
            Operation::Cast { op: CastOp::ZExt | CastOp::Trunc, operand, .. } => value(operand),
            Operation::Select { condition, left, right, .. } => {
                value(if value(condition) != 0 { left } else { right })
            }
            Operation::Offset { base, constant, indices, .. } => {
                let scaled = indices.iter().map(|one| signed(&one.index).wrapping_mul(one.scale));
                let moved = scaled.fold(*constant, i64::wrapping_add);
                value(base).wrapping_add_signed(moved)
            }
            Operation::Load { destination, address } => {
                let (from, mut loaded) = (value(address), 0);
                for byte in (0..u64::from(body.registers[*destination].bits() / 8)).rev() {
                    loaded = loaded << 8 | u64::from(*self.memory.get(&(from + byte))?);
                }
                loaded
            }
            Operation::Store { value: stored, address } => {
                let (to, stored, bytes) = (value(address), value(stored), bits(stored) / 8);
                for byte in 0..u64::from(bytes) {
                    *self.memory.get_mut(&(to + byte))? = (stored >> (8 * byte)) as u8;
                }
                0
            }
            Operation::Call { callee, arguments, .. } => {
                let arguments: Vec<u64> = arguments.iter().map(|one| value(&one.operand)).collect();
                let called = match callee {
                    Callee::Direct(function) => *function,
                    Callee::Indirect(pointer) => {
                        let number = (value(pointer) >> 32) as usize;
                        FunctionId::from_index((number - 3) / 2)
                    }
                };
                self.call(called, &arguments)?
            }
            other => panic!("{other:?}"),
        })
    }
}

fn cut(value: u64, bits: u32) -> u64 {
    if bits >= 64 { value } else { value & ((1 << bits) - 1) }
}
