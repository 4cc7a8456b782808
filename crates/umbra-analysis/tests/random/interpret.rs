//! Runs of the programs that `generate` writes.

use std::collections::HashMap;

use umbra_analysis::{Base, Source, Step, Variable};
use umbra_ir::{
    BinaryOp, BlockId, BlockPlace, Body, Callee, CastOp, ConstantValue, FunctionId, GlobalId, Id,
    Initializer, Operand, Operation, Predicate, Program, RegisterId, Symbol, Terminator,
};

/// Something that happened in a run.
pub enum Event {
    /// A step was taken.
    Step(Step),
    /// A block was entered; what its function's registers and memory held then.
    Block(BlockPlace, Snapshot),
    /// The call that the last call step made came back.
    Return,
}

/// The values of one moment.
pub struct Snapshot {
    registers: HashMap<RegisterId, u64>,
    memory: Vec<u8>,
}

impl Snapshot {
    /// The value of a variable, if it has one.
    pub fn value(&self, variable: Variable) -> Option<u64> {
        match variable.source {
            Source::Register(register) => self.registers.get(&register).copied(),
            Source::Memory { base, offset, bytes } => {
                let base = match base {
                    Base::Global(global) => address_of(global),
                    Base::Register(register) => *self.registers.get(&register)?,
                };
                Some(load(&self.memory, base.wrapping_add(offset as u64), bytes))
            }
        }
    }
}

const SPACE: u64 = 64;
const STEPS: usize = 300;

fn address_of(global: GlobalId) -> u64 {
    SPACE * (1 + global.index() as u64)
}

fn load(memory: &[u8], address: u64, bytes: u32) -> u64 {
    let contents = (0..u64::from(bytes)).rev().map(|at| memory[(address + at) as usize]);
    contents.fold(0, |word, byte| word << 8 | u64::from(byte))
}

fn cut(value: u64, bits: u32) -> u64 {
    value & (u64::MAX >> (64 - bits))
}

fn signed(value: u64, bits: u32) -> i64 {
    ((value << (64 - bits)) as i64) >> (64 - bits)
}

struct Machine<'a> {
    program: &'a Program,
    memory: Vec<u8>,
    events: Vec<Event>,
    left: usize,
    depth: usize,
    /// Where the last local variable is.
    locals: u64,
}

/// Where what the process starts with is.
const START: u64 = 960;

/// What happens when `main` is called with a number and the address of another one.
pub fn run(program: &Program, number: u64, other: u64) -> Vec<Event> {
    let (memory, events) = (vec![0; 16384], Vec::new());
    let mut machine = Machine { program, memory, events, left: STEPS, depth: 0, locals: 1024 };
    for (id, global) in program.globals.iter() {
        if let Initializer::Data { bytes, relocations } = &global.initializer {
            let start = address_of(id) as usize;
            machine.memory[start..start + bytes.len()].copy_from_slice(bytes);
            for relocation in relocations {
                let Symbol::Global(to) = relocation.symbol else { continue };
                machine.store(address_of(id) + relocation.offset, address_of(to), 8);
            }
        }
    }
    let main = program.function("main").unwrap();
    machine.store(START, other, 4);
    machine.call(main, &[number, START]);
    machine.events
}

impl Machine<'_> {
    fn store(&mut self, address: u64, value: u64, bytes: u32) {
        for at in 0..u64::from(bytes) {
            self.memory[(address + at) as usize] = (value >> (8 * at)) as u8;
        }
    }

    /// The result; `None` if the run ended inside.
    fn call(&mut self, function: FunctionId, arguments: &[u64]) -> Option<u64> {
        self.depth += 1;
        if self.depth > 20 {
            return None;
        }
        let body = self.program.functions[function].body.as_ref()?;
        let mut registers: HashMap<RegisterId, u64> = HashMap::new();
        let mut block = BlockId::from_index(0);
        registers.extend(body.blocks[block].parameters.iter().copied().zip(arguments.to_vec()));
        loop {
            self.left = self.left.checked_sub(1)?;
            let place = BlockPlace { function, block };
            let snapshot = Snapshot { registers: registers.clone(), memory: self.memory.clone() };
            self.events.push(Event::Block(place, snapshot));
            let code = &body.blocks[block];
            for instruction in &code.instructions {
                self.execute(place, body, &mut registers, &instruction.operation)?;
            }
            let value = |operand| self.value(&registers, operand);
            let edges = code.terminator.edges();
            let edge = match &code.terminator {
                Terminator::Jump(edge) => edge,
                Terminator::Branch { condition, .. } => edges[usize::from(value(*condition) == 0)],
                Terminator::Switch { value: tested, cases, .. } => {
                    let number = value(*tested);
                    let found = cases
                        .iter()
                        .position(|(case, _)| value(Operand::Constant(*case)) == number);
                    edges[found.unwrap_or(cases.len())]
                }
                Terminator::Return(results) => {
                    let result = value(results[0]);
                    self.depth -= 1;
                    return Some(result);
                }
                _ => return None,
            };
            let values: Vec<u64> = edge.arguments.iter().map(|&operand| value(operand)).collect();
            registers.extend(body.blocks[edge.block].parameters.iter().copied().zip(values));
            self.events.push(Event::Step(Step::Jump { function, from: block, to: edge.block }));
            block = edge.block;
        }
    }

    fn value(&self, registers: &HashMap<RegisterId, u64>, operand: Operand) -> u64 {
        match operand {
            Operand::Register(register) => registers[&register],
            Operand::Constant(constant) => match self.program.constants[constant].value {
                ConstantValue::Word(word) => word,
                ConstantValue::Address { symbol: Symbol::Global(global), offset } => {
                    address_of(global).wrapping_add(offset as u64)
                }
                _ => 0,
            },
        }
    }

    fn execute(
        &mut self,
        place: BlockPlace,
        body: &Body,
        registers: &mut HashMap<RegisterId, u64>,
        operation: &Operation,
    ) -> Option<()> {
        let bits = |operand| self.program.type_of(body, operand).bits();
        let value = |operand| self.value(registers, operand);
        let result = match operation {
            Operation::Binary { op, left, right, .. } => {
                let (one, two) = (value(*left), value(*right));
                let result = match op {
                    BinaryOp::Add => one.wrapping_add(two),
                    BinaryOp::Sub => one.wrapping_sub(two),
                    BinaryOp::And => one & two,
                    _ => one ^ two,
                };
                cut(result, bits(*left))
            }
            Operation::Compare { predicate, left, right, .. } => {
                let (one, two, bits) = (value(*left), value(*right), bits(*left));
                u64::from(match predicate {
                    Predicate::Eq => one == two,
                    Predicate::Ne => one != two,
                    Predicate::Slt => signed(one, bits) < signed(two, bits),
                    Predicate::Sgt => signed(one, bits) > signed(two, bits),
                    Predicate::Ult => one < two,
                    _ => one >= two,
                })
            }
            Operation::Cast { destination, op, operand } => {
                let to = body.registers[*destination].bits();
                match op {
                    CastOp::SExt => cut(signed(value(*operand), bits(*operand)) as u64, to),
                    _ => cut(value(*operand), to),
                }
            }
            Operation::Select { condition, left, right, .. } => {
                if value(*condition) != 0 {
                    value(*left)
                } else {
                    value(*right)
                }
            }
            Operation::Load { destination, address } => {
                let ty = body.registers[*destination];
                cut(load(&self.memory, value(*address), ty.store_bytes()), ty.bits())
            }
            Operation::Store { value: stored, address } => {
                let bytes = self.program.type_of(body, *stored).store_bytes();
                let (address, stored) = (value(*address), value(*stored));
                self.store(address, stored, bytes);
                return Some(());
            }
            Operation::Alloca { .. } => {
                self.locals += 8;
                self.locals
            }
            Operation::Call { callee: Callee::Direct(callee), arguments, .. } => {
                let arguments: Vec<u64> =
                    arguments.iter().map(|argument| value(argument.operand)).collect();
                self.events.push(Event::Step(Step::Call { from: place, to: *callee }));
                let result = self.call(*callee, &arguments)?;
                self.events.push(Event::Return);
                result
            }
            _ => return None,
        };
        registers.insert(operation.destinations()[0], result);
        Some(())
    }
}
