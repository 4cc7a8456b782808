//! Lowering: from the IR of a function to operations.
//!
//! One pass over the blocks. Two things are folded into their only users, since a step costs more
//! than the work it does: a comparison into the branch on it, and address arithmetic into the loads
//! and stores through it.

mod arithmetic;
mod calls;
mod control;
mod memory;
mod relation;

pub(crate) use calls::external_call;

use std::collections::HashMap;
use std::sync::Arc;

use umbra_ir::{
    Block, BlockId, Body, Callee, ConstantValue, Edge, FunctionId, Id, Instruction, LocationId,
    Operand, Operation, Program, RegisterId, Symbol, Type,
};

use super::builtin::Builtin;
use super::coalesce::coalesce;
use super::image::Image;
use super::op::{Header, Op, Rare, Slot, Target};
use super::slots::{FrameTooLarge, Slots};

/// Lowers one function into the image.
pub fn lower_function(image: &mut Image, function: FunctionId) {
    let program = Arc::clone(&image.program);
    let Some(body) = &program.functions[function].body else {
        return;
    };
    if body.blocks.is_empty() {
        return;
    }
    image.starts.push((image.ops.len() as u32, function));
    let (ops, headers, sites) = (image.ops.len(), image.headers.len(), image.sites.len());
    let uses = count_uses(body);
    let classes = match returns_twice(&program, body) {
        // A value must stay readable for the second return, whatever ran in between.
        true => body.registers.ids().collect(),
        false => {
            let foldable = foldable_registers(&program, body, &uses);
            coalesce(body, &|register| foldable[register.index()])
        }
    };
    let lowered = Slots::assign(body, &classes).and_then(|slots| {
        let mut lowering = Lowering::new(image, &program, function, body, slots, uses);
        lowering.run()?;
        Ok((lowering.targets[0], lowering.slots.size()))
    });
    let (entry, frame) = lowered.unwrap_or_else(|FrameTooLarge| {
        image.ops.truncate(ops);
        image.locations.truncate(ops);
        image.headers.truncate(headers);
        let name = image.function_name(function);
        let index = image.unsupported.len() as u32;
        image.unsupported.push(format!("function `{name}`, which has too many values"));
        image.headers.push(Header { pc: ops as u32, weight: 1, touches: 0 });
        image.ops.push(Op::Unsupported { index });
        image.locations.push(None);
        (headers as Target, image.functions[function.index()].parameter_words)
    });
    let code = &mut image.functions[function.index()];
    code.entry = Some(entry);
    code.frame = frame;
    // The size is known only now, and the callee's frame starts behind the caller's.
    for site in &mut image.sites[sites..] {
        site.frame = frame;
    }
}

/// A use of a register.
#[derive(Clone, Copy, Default)]
struct Uses {
    all: u32,
    /// As the address of a load or store in the block that defines it.
    addresses: u32,
    /// As the condition of the branch that ends the block that defines it.
    condition: u32,
}

struct Lowering<'a> {
    image: &'a mut Image,
    program: &'a Program,
    function: FunctionId,
    body: &'a Body,
    slots: Slots,
    uses: Vec<Uses>,
    /// For each register whether it is a pointer made into a number.
    addresses: Vec<bool>,
    /// The header of each block.
    targets: Vec<Target>,
    /// Edges that need moves, lowered after all blocks.
    edges: Vec<(Target, &'a Edge, Option<LocationId>)>,
    /// Folded definitions of the current block.
    folded: HashMap<RegisterId, &'a Operation>,
    location: Option<LocationId>,
    /// Where that is in the old version, if it is elsewhere.
    old_location: Option<LocationId>,
    touches: u64,
}

type Lowered<T = ()> = Result<T, FrameTooLarge>;

impl<'a> Lowering<'a> {
    fn new(
        image: &'a mut Image,
        program: &'a Program,
        function: FunctionId,
        body: &'a Body,
        slots: Slots,
        uses: Vec<Uses>,
    ) -> Self {
        let targets = body.blocks.ids().map(|id| (image.headers.len() + id.index()) as u32);
        let targets = targets.collect();
        let empty = Header { pc: 0, weight: 0, touches: 0 };
        image.headers.resize(image.headers.len() + body.blocks.len(), empty);
        Self {
            image,
            program,
            function,
            body,
            slots,
            uses,
            addresses: relation::addresses(program, body),
            targets,
            edges: Vec::new(),
            folded: HashMap::new(),
            location: None,
            old_location: None,
            touches: 0,
        }
    }

    fn run(&mut self) -> Lowered {
        let body = self.body;
        for (id, block) in body.blocks.iter() {
            self.lower_block(id, block)?;
        }
        let mut next = 0;
        while let Some(&(header, edge, location)) = self.edges.get(next) {
            (self.location, self.old_location) = (location, None);
            self.start(header, 0);
            self.lower_edge(edge)?;
            self.finish(header);
            next += 1;
        }
        Ok(())
    }

    fn lower_block(&mut self, id: BlockId, block: &'a Block) -> Lowered {
        let header = self.targets[id.index()];
        self.start(header, block.weight);
        self.folded.clear();
        for instruction in &block.instructions {
            self.location = instruction.location;
            self.old_location = instruction.old_location;
            self.lower_relation(&instruction.operation)?;
            if let Some(register) = foldable(self.program, self.body, &self.uses, instruction) {
                self.folded.insert(register, &instruction.operation);
                continue;
            }
            self.slots.release_scratch();
            self.lower_operation(&instruction.operation)?;
        }
        (self.location, self.old_location) = (block.location, block.old_location);
        self.slots.release_scratch();
        self.lower_terminator(&block.terminator)?;
        self.finish(header);
        Ok(())
    }

    fn start(&mut self, header: Target, weight: u32) {
        let pc = self.image.ops.len() as u32;
        self.image.headers[header as usize] = Header { pc, weight, touches: 0 };
        self.touches = 0;
    }

    fn finish(&mut self, header: Target) {
        self.image.headers[header as usize].touches = self.touches;
    }

    fn lower_operation(&mut self, operation: &'a Operation) -> Lowered {
        match operation {
            Operation::Binary { destination, op, left, right } => {
                self.lower_binary(*destination, *op, *left, *right)
            }
            Operation::Compare { destination, predicate, left, right } => {
                self.lower_compare(*destination, *predicate, *left, *right)
            }
            Operation::FloatBinary { destination, op, left, right } => {
                self.lower_float(*destination, *op, *left, *right)
            }
            Operation::FloatNegate { destination, operand } => {
                let Type::Float(kind) = self.type_of(*operand) else {
                    return Ok(());
                };
                let a = self.read(*operand)?;
                let d = self.write(*destination);
                self.emit_rare(Rare::FloatNegate { kind, d, a });
                Ok(())
            }
            Operation::FloatCompare { destination, predicate, left, right } => {
                let Type::Float(kind) = self.type_of(*left) else {
                    return Ok(());
                };
                let (a, b) = (self.read(*left)?, self.read(*right)?);
                let d = self.write(*destination);
                self.emit(Op::FloatCompare { predicate: *predicate, kind, d, a, b });
                Ok(())
            }
            Operation::Cast { destination, op, operand } => {
                self.lower_cast(*destination, *op, *operand)
            }
            Operation::Select { destination, condition, left, right } => {
                self.lower_select(*destination, *condition, *left, *right)
            }
            Operation::Copy { destination, operand } => self.lower_copy(*destination, *operand),
            Operation::Change { destination, old, new } => {
                self.lower_change(*destination, *old, *new)
            }
            Operation::Offset { destination, base, constant, indices, .. } => {
                self.lower_offset(*destination, *base, *constant, indices)
            }
            Operation::Load { destination, address } => self.lower_load(*destination, *address),
            Operation::Store { value, address } => self.lower_store(*value, *address),
            Operation::Alloca { destination, size, count, align, name } => {
                self.lower_alloca(*destination, *size, *count, *align, name)
            }
            Operation::Call { destinations, callee, arguments } => {
                self.lower_call(destinations, *callee, arguments)
            }
            Operation::Intrinsic { destinations, intrinsic, arguments } => {
                self.lower_intrinsic(destinations, *intrinsic, arguments)
            }
        }
    }

    fn type_of(&self, operand: Operand) -> Type {
        self.program.type_of(self.body, operand)
    }

    /// The value of a constant operand of at most 64 bits.
    fn immediate(&self, operand: Operand) -> Option<u64> {
        let Operand::Constant(id) = operand else {
            return None;
        };
        let constant = &self.program.constants[id];
        (constant.ty.words() == 1 && !self.is_of_thread(operand))
            .then(|| self.image.constant_words(constant)[0])
    }

    /// Whether it is the address of a variable that each thread has for itself.
    fn is_of_thread(&self, operand: Operand) -> bool {
        let Operand::Constant(id) = operand else { return false };
        match self.program.constants[id].value {
            ConstantValue::Address { symbol: Symbol::Global(global), .. } => {
                self.program.globals[global].thread_local
            }
            _ => false,
        }
    }

    /// The first slot of an operand; a constant is put into scratch space.
    fn read(&mut self, operand: Operand) -> Lowered<Slot> {
        match operand {
            Operand::Register(register) => {
                let slot = self.slots.of(register);
                self.touch(slot, self.body.registers[register].words());
                Ok(slot)
            }
            Operand::Constant(id) => {
                let words = self.image.constant_words(&self.program.constants[id]);
                let slot = self.scratch(words.len())?;
                if self.is_of_thread(operand) {
                    self.emit(Op::ThreadLocal { d: slot, address: words[0] });
                    return Ok(slot);
                }
                for (index, value) in words.into_iter().enumerate() {
                    self.emit(Op::Constant { d: slot + index as Slot, value });
                }
                Ok(slot)
            }
        }
    }

    /// The first slot of a register that is assigned now.
    fn write(&mut self, register: RegisterId) -> Slot {
        let slot = self.slots.of(register);
        self.touch(slot, self.body.registers[register].words());
        slot
    }

    /// Slots for the current instruction only.
    fn scratch(&mut self, words: usize) -> Lowered<Slot> {
        let slot = self.slots.scratch(words)?;
        self.touch(slot, words);
        Ok(slot)
    }

    fn touch(&mut self, slot: Slot, words: usize) {
        for word in 0..words {
            self.touches |= 1 << ((slot as usize + word) % 64);
        }
    }

    fn emit(&mut self, op: Op) {
        if let Some(old) = self.old_location {
            self.image.old_locations.insert(self.image.ops.len() as u32, old);
        }
        self.image.ops.push(op);
        self.image.locations.push(self.location);
    }

    fn emit_rare(&mut self, rare: Rare) {
        let index = self.image.rares.len() as u32;
        self.image.rares.push(rare);
        self.emit(Op::Rare { index });
    }

    fn emit_unsupported(&mut self, what: String) {
        let index = self.image.unsupported.len() as u32;
        self.image.unsupported.push(what);
        self.emit(Op::Unsupported { index });
    }
}

/// Counts how often, and how, each register is read.
fn count_uses(body: &Body) -> Vec<Uses> {
    let mut uses = vec![Uses::default(); body.registers.len()];
    let mut defined_in = vec![None; body.registers.len()];
    for (id, block) in body.blocks.iter() {
        for instruction in &block.instructions {
            let operation = &instruction.operation;
            operation.visit_operands(&mut |operand| {
                if let Operand::Register(register) = operand {
                    uses[register.index()].all += 1;
                }
            });
            if let Operation::Load { address, .. } | Operation::Store { address, .. } = operation
                && let Operand::Register(register) = address
                && defined_in[register.index()] == Some(id)
            {
                uses[register.index()].addresses += 1;
            }
            operation.visit_destinations(&mut |register| defined_in[register.index()] = Some(id));
        }
        block.terminator.visit_operands(&mut |operand| {
            if let Operand::Register(register) = operand {
                uses[register.index()].all += 1;
            }
        });
        if let umbra_ir::Terminator::Branch { condition: Operand::Register(register), .. } =
            block.terminator
            && defined_in[register.index()] == Some(id)
        {
            uses[register.index()].condition += 1;
        }
    }
    uses
}

/// Whether each register's definition is taken over by its users.
fn foldable_registers(program: &Program, body: &Body, uses: &[Uses]) -> Vec<bool> {
    let mut folded = vec![false; body.registers.len()];
    for block in body.blocks.values() {
        for instruction in &block.instructions {
            if let Some(register) = foldable(program, body, uses, instruction) {
                folded[register.index()] = true;
            }
        }
    }
    folded
}

/// Whether a call in the body may return a second time.
fn returns_twice(program: &Program, body: &Body) -> bool {
    let mut instructions = body.blocks.values().flat_map(|block| &block.instructions);
    instructions.any(|instruction| match &instruction.operation {
        Operation::Call { callee: Callee::Direct(function), .. } => {
            let builtin = Builtin::by_name(&program.functions[*function].name);
            matches!(builtin, Some(Builtin::SetJump | Builtin::SetSignalJump))
        }
        _ => false,
    })
}

/// The register of an instruction that its users take over.
fn foldable(
    program: &Program,
    body: &Body,
    uses: &[Uses],
    instruction: &Instruction,
) -> Option<RegisterId> {
    match &instruction.operation {
        Operation::Compare { destination, left, .. } => {
            let uses = uses[destination.index()];
            let narrow = program.type_of(body, *left).words() == 1;
            (narrow && uses.all == 1 && uses.condition == 1).then_some(*destination)
        }
        Operation::Offset { destination, constant, indices, .. } => {
            let uses = uses[destination.index()];
            let simple = match indices.as_slice() {
                [] => true,
                [only] => {
                    i32::try_from(only.scale).is_ok()
                        && i32::try_from(*constant).is_ok()
                        && program.type_of(body, only.index).bits() == 64
                }
                _ => false,
            };
            (simple && uses.all == uses.addresses && uses.all <= 2).then_some(*destination)
        }
        _ => None,
    }
}
