//! Functions that return new memory.
//!
//! If all memory that a program asks for through `xmalloc` were one object, everything on the heap
//! would point to everything. So a function that only passes on what an allocation returned counts
//! as one itself, and each of its calls makes an object of its own.

use std::collections::{HashMap, HashSet};

use umbra_ir::{
    Body, Callee, ConstantValue, FunctionId, Id, Intrinsic, Operand, Operation, Program,
    RegisterId, Terminator,
};

/// A function that returns new memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Allocator {
    /// The parameter whose object may be returned as well, as in `realloc`.
    pub resized: Option<u32>,
    /// The parameters whose product is the size.
    pub size: Vec<u32>,
    /// The registers of allocations inside it whose contents the new object has.
    pub inner: Vec<(FunctionId, RegisterId)>,
}

/// Functions that return their first argument.
pub(super) fn returns_its_argument(name: &str) -> bool {
    copies_memory(name) || matches!(name, "memset" | "__umbra_memset")
}

/// Functions that copy memory as their three arguments say.
pub(super) fn copies_memory(name: &str) -> bool {
    matches!(name, "memcpy" | "memmove" | "__umbra_memcpy" | "__umbra_memmove")
}

/// The functions that return new memory: the machine's own, and those that pass it on.
pub(super) fn find(program: &Program) -> HashMap<FunctionId, Allocator> {
    let mut found = HashMap::new();
    for (id, function) in program.functions.iter() {
        let (resized, size): (_, &[u32]) = match function.name.as_str() {
            "malloc" => (None, &[0]),
            "calloc" => (None, &[0, 1]),
            "realloc" => (Some(0), &[1]),
            "aligned_alloc" | "memalign" => (None, &[1]),
            _ => continue,
        };
        found.insert(id, Allocator { resized, size: size.to_vec(), inner: Vec::new() });
    }
    // A wrapper of a wrapper is found in a later round.
    loop {
        let before = found.len();
        for (id, function) in program.functions.iter() {
            let Some(body) = &function.body else { continue };
            if !found.contains_key(&id)
                && let Some(allocator) = wrapper(program, id, body, &found)
            {
                found.insert(id, allocator);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// What a function is if it returns nothing but new memory, and keeps no pointer to it.
fn wrapper(
    program: &Program,
    id: FunctionId,
    body: &Body,
    known: &HashMap<FunctionId, Allocator>,
) -> Option<Allocator> {
    let sources = Sources::of(program, body);
    let mut open = Vec::new();
    for block in body.blocks.values() {
        let Terminator::Return(operands) = &block.terminator else { continue };
        let &[operand] = operands.as_slice() else { return None };
        open.push(operand);
    }
    let mut allocator = Allocator { resized: None, size: Vec::new(), inner: Vec::new() };
    // Of several allocations, or of one of another size, the size is not known.
    let mut size = None;
    let mut seen = HashSet::new();
    while let Some(operand) = open.pop() {
        let register = match operand {
            Operand::Register(register) => register,
            Operand::Constant(constant) => match program.constants[constant].value {
                ConstantValue::Address { .. } => return None,
                _ => continue,
            },
        };
        if !seen.insert(register) {
            continue;
        }
        match sources.of.get(&register)? {
            Source::Operands(operands) => open.extend(operands),
            Source::Call(callee, arguments) => {
                let inner = known.get(callee)?;
                if let Some(resized) = inner.resized {
                    let parameter = parameter(body, &sources, *arguments.get(resized as usize)?)?;
                    if allocator.resized.is_some_and(|other| other != parameter) {
                        return None;
                    }
                    allocator.resized = Some(parameter);
                }
                let factors = inner
                    .size
                    .iter()
                    .map(|&factor| parameter(body, &sources, *arguments.get(factor as usize)?));
                let factors = factors.collect::<Option<Vec<u32>>>().unwrap_or_default();
                if size.get_or_insert_with(|| factors.clone()) != &factors {
                    size = Some(Vec::new());
                }
                allocator.inner.push((id, register));
            }
        }
    }
    allocator.size = size.unwrap_or_default();
    let kept = allocator.inner.is_empty() || escapes(program, body, &seen, known);
    (!kept).then_some(allocator)
}

/// Where the value of a register comes from.
enum Source {
    /// It is one of these.
    Operands(Vec<Operand>),
    /// A known function returned it.
    Call(FunctionId, Vec<Operand>),
}

struct Sources {
    of: HashMap<RegisterId, Source>,
}

impl Sources {
    fn of(program: &Program, body: &Body) -> Self {
        let mut of = HashMap::new();
        for block in body.blocks.values() {
            for edge in block.terminator.edges() {
                let parameters = &body.blocks[edge.block].parameters;
                for (&parameter, &argument) in parameters.iter().zip(&edge.arguments) {
                    let source = of.entry(parameter).or_insert(Source::Operands(Vec::new()));
                    if let Source::Operands(operands) = source {
                        operands.push(argument);
                    }
                }
            }
            for instruction in &block.instructions {
                match &instruction.operation {
                    Operation::Copy { destination, operand }
                    | Operation::Cast { destination, operand, .. } => {
                        of.insert(*destination, Source::Operands(vec![*operand]));
                    }
                    Operation::Select { destination, left, right, .. } => {
                        of.insert(*destination, Source::Operands(vec![*left, *right]));
                    }
                    Operation::Call { destinations, callee: Callee::Direct(callee), arguments } => {
                        let &[destination] = destinations.as_slice() else { continue };
                        let operands: Vec<_> = arguments.iter().map(|a| a.operand).collect();
                        let source = match returns_its_argument(&program.functions[*callee].name) {
                            true => Source::Operands(operands.into_iter().take(1).collect()),
                            false => Source::Call(*callee, operands),
                        };
                        of.insert(destination, source);
                    }
                    _ => {}
                }
            }
        }
        Self { of }
    }
}

/// The parameter that an operand is a copy of.
fn parameter(body: &Body, sources: &Sources, operand: Operand) -> Option<u32> {
    let entry = &body.blocks.values().next()?.parameters;
    let mut operand = operand;
    // Longer chains of copies do not occur.
    for _ in 0..8 {
        let Operand::Register(register) = operand else { return None };
        if let Some(index) = entry.iter().position(|&parameter| parameter == register) {
            return Some(index as u32);
        }
        match sources.of.get(&register)? {
            Source::Operands(operands) if operands.len() == 1 => operand = operands[0],
            _ => return None,
        }
    }
    None
}

/// Whether new memory in these registers may become known to others than the caller.
fn escapes(
    program: &Program,
    body: &Body,
    registers: &HashSet<RegisterId>,
    known: &HashMap<FunctionId, Allocator>,
) -> bool {
    let entry = body.blocks.values().next().map_or(&[][..], |block| &block.parameters);
    let holds = |operand: &Operand| match operand {
        // A parameter is the caller's anyway.
        Operand::Register(register) => registers.contains(register) && !entry.contains(register),
        Operand::Constant(_) => false,
    };
    body.blocks.values().flat_map(|block| &block.instructions).any(|instruction| {
        match &instruction.operation {
            Operation::Store { value, .. } => holds(value),
            Operation::Call { callee, arguments, .. } => {
                let harmless = match callee {
                    Callee::Direct(callee) => {
                        let name = program.functions[*callee].name.as_str();
                        returns_its_argument(name) || name == "free" || known.contains_key(callee)
                    }
                    Callee::Indirect(_) => false,
                };
                !harmless && arguments.iter().any(|argument| holds(&argument.operand))
            }
            Operation::Offset { base, destination, .. } => {
                // A pointer into the memory may go anywhere, but the ends of strings are common.
                holds(base) && !only_addresses(body, *destination)
            }
            Operation::Binary { left, right, .. } => holds(left) || holds(right),
            Operation::Intrinsic { intrinsic, arguments, .. } => {
                let copies = matches!(
                    intrinsic,
                    Intrinsic::MemoryCopy | Intrinsic::MemoryMove | Intrinsic::MemorySet
                );
                !copies && arguments.iter().any(holds)
            }
            _ => false,
        }
    })
}

/// Whether a register is used for nothing but the address of loads and stores.
fn only_addresses(body: &Body, register: RegisterId) -> bool {
    let is = |operand: Operand| operand == Operand::Register(register);
    body.blocks.values().all(|block| {
        let mut used = false;
        block.terminator.visit_operands(&mut |operand| used |= is(operand));
        for instruction in &block.instructions {
            match &instruction.operation {
                Operation::Load { .. } => {}
                Operation::Store { value, .. } => used |= is(*value),
                other => other.visit_operands(&mut |operand| used |= is(operand)),
            }
        }
        !used
    })
}

/// The register of a parameter.
pub(super) fn entry_parameter(body: &Body, index: usize) -> Option<RegisterId> {
    body.blocks.get(umbra_ir::BlockId::from_index(0))?.parameters.get(index).copied()
}
