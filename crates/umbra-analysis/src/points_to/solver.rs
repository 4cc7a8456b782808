//! From the program to sets of pointees.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use umbra_ir::{
    BinaryOp, Body, Callee, ConstantId, ConstantValue, FunctionId, Id, Initializer, Intrinsic,
    Operand, Operation, Program, RegisterId, Symbol, Terminator, Type,
};

use super::Use;
use super::allocators::{self, Allocator, copies_memory, entry_parameter, returns_its_argument};
use super::graph::{Event, Graph, LARGE};
use super::integers::Integers;
use super::memory::{Memory, Object, Shift, index};
use super::shifts::Shifts;
use crate::call_graph::CallType;

/// The system call that sets the thread pointer, and the one that maps memory.
const ARCH_PRCTL: u64 = 158;
const MMAP: u64 = 9;

#[derive(Debug)]
pub(super) struct Solver<'a> {
    program: &'a Program,
    pub graph: Graph<Use>,
    pub memory: Memory,
    /// The node of the first register of each function.
    registers: Vec<u32>,
    /// The node of the first result of each function.
    results: Vec<u32>,
    constants: HashMap<ConstantId, u32>,
    calls: Vec<(FunctionId, &'a Operation)>,
    connected: HashSet<(u32, FunctionId)>,
    /// The calls that may reach any of many functions, and how many of these were looked at.
    calls_of_many: Vec<(u32, usize)>,
    allocators: HashMap<FunctionId, Allocator>,
    integers: Integers,
    /// What the machine returns as thread pointer.
    thread: u32,
    unknown: u32,
    passing: u32,
    /// For what a wrapper returned into a register the allocations inside it that it may be.
    pub made: BTreeMap<Allocation, BTreeSet<Allocation>>,
}

/// The register that an allocation, or a wrapper of one, returns into.
pub(super) type Allocation = (FunctionId, RegisterId);

impl<'a> Solver<'a> {
    pub fn new(program: &'a Program) -> Self {
        let (mut graph, mut memory) = (Graph::new(), Memory::default());
        let mut add = |count| graph.add_nodes(count);
        let bodies = program.functions.values().map(|function| function.body.as_ref());
        let registers = bodies.map(|body| add(body.map_or(0, |body| body.registers.len())));
        let registers = registers.collect();
        let results = program.functions.values().map(|function| add(function.results.len()));
        let results = results.collect();
        let thread = add(1);
        let object = memory.object(Object::Unknown, None);
        let unknown = memory.pointee(object, 0, 1);
        if let Some(field) = memory.field(&mut graph, unknown) {
            graph.insert(field, &[unknown]);
        }
        Self {
            program,
            graph,
            memory,
            registers,
            results,
            constants: HashMap::new(),
            calls: Vec::new(),
            connected: HashSet::new(),
            calls_of_many: Vec::new(),
            allocators: allocators::find(program),
            integers: Integers::of(program),
            thread,
            unknown,
            passing: 0,
            made: BTreeMap::new(),
        }
    }

    pub fn solve(&mut self) {
        self.add_globals();
        let program = self.program;
        for (id, function) in program.functions.iter() {
            if let Some(body) = &function.body {
                self.add_body(id, body);
            }
        }
        self.add_start();
        while let Some(event) = self.graph.next() {
            match event {
                Event::Large(set) => self.merge_many(&set),
                Event::Fresh(fresh, uses) => {
                    uses.into_iter().for_each(|at| self.apply(at, &fresh));
                }
            }
        }
    }

    /// The objects of a large set become one.
    fn merge_many(&mut self, set: &[u32]) {
        let is_function = |solver: &Self, pointee: u32| {
            let pointee = solver.memory.pointees[pointee as usize];
            matches!(solver.memory.object_of(pointee), Object::Function(_))
        };
        let functions = set.iter().filter(|&&pointee| is_function(self, pointee)).count();
        for &pointee in set {
            if functions < LARGE / 2 && is_function(self, pointee) {
                continue;
            }
            self.memory.merge(&mut self.graph, pointee);
        }
        for call in 0..self.calls_of_many.len() {
            self.connect_many(call);
        }
    }

    /// A call may reach any of the many functions; those of its type have to do.
    fn connect_many(&mut self, call: usize) {
        let (number, before) = self.calls_of_many[call];
        self.calls_of_many[call].1 = self.memory.many_functions.len();
        let (id, operation) = self.calls[number as usize];
        let Some(body) = &self.program.functions[id].body else { return };
        let ty = CallType::of(self.program, body, operation);
        for at in before..self.memory.many_functions.len() {
            let function = self.memory.many_functions[at];
            if ty.fits(&self.program.functions[function]) {
                self.connect(number, function);
            }
        }
    }

    /// The node of a register.
    pub fn register(&self, function: FunctionId, register: RegisterId) -> u32 {
        self.registers[function.index()] + index(register)
    }

    /// The pointee of a symbol; `None` if pointers to it lead nowhere.
    pub fn symbol(&mut self, symbol: Symbol, offset: i64) -> Option<u32> {
        let object = match symbol {
            Symbol::Function(function) => self.memory.object(Object::Function(function), None),
            Symbol::Global(global) => self.memory.global(self.program, global)?,
        };
        Some(self.memory.pointee(object, offset, 0))
    }

    fn add_globals(&mut self) {
        let program = self.program;
        for (id, global) in program.globals.iter() {
            // All have a number, so that who asks for their address gets an answer.
            self.memory.global(program, id);
            match &global.initializer {
                Initializer::Zero => {}
                Initializer::Data { relocations, .. } => {
                    for relocation in relocations {
                        let value = self.symbol(relocation.symbol, relocation.addend);
                        let place = self.symbol(Symbol::Global(id), relocation.offset as i64);
                        if let (Some(value), Some(place)) = (value, place) {
                            self.fill(place, value);
                        }
                    }
                }
                Initializer::External | Initializer::Unsupported(_) => {
                    let object = self.memory.object(Object::Global(id), Some(global.size));
                    let place = self.memory.pointee(object, 0, 1);
                    self.fill(place, self.unknown);
                }
            }
        }
    }

    /// A pointee lies in memory from the start.
    fn fill(&mut self, place: u32, value: u32) {
        if let Some(field) = self.memory.field(&mut self.graph, place) {
            self.graph.insert(field, &[value]);
        }
    }

    /// What the process starts with points to itself: arguments are pointers to strings.
    fn add_start(&mut self) {
        let object = self.memory.object(Object::Start, None);
        let start = self.memory.pointee(object, 0, 1);
        self.fill(start, start);
        let program = self.program;
        for name in ["_start_c", "main"] {
            let Some(id) = program.function(name) else { continue };
            let Some(body) = &program.functions[id].body else { continue };
            for &parameter in body.blocks.values().next().iter().flat_map(|b| &b.parameters) {
                if body.registers[parameter] == Type::Pointer {
                    self.graph.insert(self.register(id, parameter), &[start]);
                }
            }
            return;
        }
    }

    fn holds(&self, function: FunctionId, body: &Body, register: RegisterId) -> bool {
        self.integers.holds(function, body, register)
    }

    /// The node of an operand; `None` if it cannot lead anywhere.
    fn node(&mut self, function: FunctionId, body: &Body, operand: Operand) -> Option<u32> {
        match operand {
            Operand::Register(register) => self
                .integers
                .holds(function, body, register)
                .then(|| self.register(function, register)),
            Operand::Constant(constant) => {
                if let Some(&node) = self.constants.get(&constant) {
                    return Some(node);
                }
                let ConstantValue::Address { symbol, offset } =
                    self.program.constants[constant].value
                else {
                    return None;
                };
                let pointee = self.symbol(symbol, offset)?;
                let node = self.graph.add_nodes(1);
                self.graph.insert(node, &[pointee]);
                self.constants.insert(constant, node);
                Some(node)
            }
        }
    }

    fn add_body(&mut self, id: FunctionId, body: &'a Body) {
        let shifts = Shifts::of(self.program, body);
        for block in body.blocks.values() {
            for instruction in &block.instructions {
                self.add_operation(id, body, &shifts, &instruction.operation);
            }
            for edge in block.terminator.edges() {
                let parameters = &body.blocks[edge.block].parameters;
                for (&parameter, &argument) in parameters.iter().zip(&edge.arguments) {
                    self.copy(id, body, argument, parameter);
                }
            }
            if let Terminator::Return(operands) = &block.terminator {
                for (result, &operand) in operands.iter().enumerate() {
                    if let Some(node) = self.node(id, body, operand) {
                        self.graph.add_edge(node, self.results[id.index()] + result as u32);
                    }
                }
            }
        }
    }

    fn copy(&mut self, id: FunctionId, body: &Body, from: Operand, to: RegisterId) {
        if let Some(node) = self.node(id, body, from).filter(|_| self.holds(id, body, to)) {
            self.graph.add_edge(node, self.register(id, to));
        }
    }

    fn add_use(&mut self, node: u32, at: Use) {
        let old = self.graph.add_use(node, at);
        if !old.is_empty() {
            self.apply(at, &old);
        }
    }

    fn add_shift(
        &mut self,
        id: FunctionId,
        body: &Body,
        from: Operand,
        to: RegisterId,
        shift: Shift,
    ) {
        if shift == (Shift { constant: 0, step: 0 }) {
            return self.copy(id, body, from, to);
        }
        if let Some(node) = self.node(id, body, from).filter(|_| self.holds(id, body, to)) {
            self.add_use(node, Use::Shift(self.register(id, to), shift));
        }
    }

    fn add_operation(
        &mut self,
        id: FunctionId,
        body: &'a Body,
        shifts: &Shifts,
        operation: &'a Operation,
    ) {
        match operation {
            Operation::Copy { destination, operand }
            | Operation::Cast { destination, operand, .. } => {
                self.copy(id, body, *operand, *destination);
            }
            Operation::Select { destination, left, right, .. }
            | Operation::Change { destination, old: left, new: right } => {
                self.copy(id, body, *left, *destination);
                self.copy(id, body, *right, *destination);
            }
            Operation::Offset { destination, base, .. } => {
                let shift = shifts.of_offset(operation);
                self.add_shift(id, body, *base, *destination, shift);
            }
            Operation::Binary { destination, op, left, right } => {
                if matches!(
                    op,
                    BinaryOp::Add | BinaryOp::Sub | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor
                ) {
                    self.add_shift(id, body, *left, *destination, Shift::ANYWHERE);
                    self.add_shift(id, body, *right, *destination, Shift::ANYWHERE);
                }
            }
            Operation::Load { destination, address } => {
                if self.holds(id, body, *destination)
                    && let Some(node) = self.node(id, body, *address)
                {
                    self.add_use(node, Use::Load(self.register(id, *destination)));
                }
            }
            Operation::Store { value, address } => {
                if let Some(value) = self.node(id, body, *value)
                    && let Some(node) = self.node(id, body, *address)
                {
                    self.add_use(node, Use::Store(value));
                }
            }
            Operation::Alloca { destination, size, count, .. } => {
                let size = count.is_none().then_some(*size);
                self.add_object(id, *destination, Object::Local(id, *destination), size);
            }
            Operation::Call { callee, .. } => self.add_call(id, body, operation, *callee),
            Operation::Intrinsic { intrinsic, arguments, destinations } => {
                self.add_intrinsic(id, body, *intrinsic, arguments, destinations);
            }
            Operation::Compare { .. }
            | Operation::FloatBinary { .. }
            | Operation::FloatNegate { .. }
            | Operation::FloatCompare { .. } => {}
        }
    }

    /// A register holds the address of a new object.
    fn add_object(
        &mut self,
        id: FunctionId,
        register: RegisterId,
        object: Object,
        size: Option<u64>,
    ) -> u32 {
        let object = self.memory.object(object, size);
        let pointee = self.memory.pointee(object, 0, 0);
        self.graph.insert(self.register(id, register), &[pointee]);
        pointee
    }

    fn add_intrinsic(
        &mut self,
        id: FunctionId,
        body: &Body,
        intrinsic: Intrinsic,
        arguments: &[Operand],
        destinations: &[RegisterId],
    ) {
        match (intrinsic, arguments, destinations) {
            (Intrinsic::MemoryCopy | Intrinsic::MemoryMove, &[to, from, length], _) => {
                let length = self.number(length);
                self.add_copy(id, body, to, from, length);
            }
            (Intrinsic::VaCopy, &[to, from], _) => self.add_copy(id, body, to, from, None),
            (Intrinsic::VaStart, &[list], _) => {
                if let Some(node) = self.node(id, body, list) {
                    let object = self.memory.object(Object::Variadic(id), None);
                    let arguments = self.memory.pointee(object, 0, 1);
                    self.add_use(node, Use::Fill(arguments));
                }
            }
            (Intrinsic::PointerMask, &[pointer, _], &[destination]) => {
                self.add_shift(id, body, pointer, destination, Shift::ANYWHERE);
            }
            (
                Intrinsic::UMax | Intrinsic::UMin | Intrinsic::SMax | Intrinsic::SMin,
                &[left, right],
                &[destination],
            ) => {
                self.copy(id, body, left, destination);
                self.copy(id, body, right, destination);
            }
            _ => {}
        }
    }

    fn number(&self, operand: Operand) -> Option<u64> {
        let Operand::Constant(constant) = operand else { return None };
        match self.program.constants[constant].value {
            ConstantValue::Word(word) => Some(word),
            _ => None,
        }
    }

    /// Memory is copied, by way of an object of its own: from and to may be many.
    fn add_copy(
        &mut self,
        id: FunctionId,
        body: &Body,
        to: Operand,
        from: Operand,
        length: Option<u64>,
    ) {
        if length.is_some_and(|length| length < 8) {
            return;
        }
        if let (Some(from), Some(to)) = (self.node(id, body, from), self.node(id, body, to)) {
            let object = self.memory.object(Object::Passing(self.passing), length);
            self.passing += 1;
            let middle = self.memory.pointee(object, 0, 0);
            self.add_use(from, Use::CopyFrom(middle));
            self.add_use(to, Use::CopyTo(middle));
        }
    }

    fn add_call(&mut self, id: FunctionId, body: &'a Body, call: &'a Operation, callee: Callee) {
        let number = self.calls.len() as u32;
        self.calls.push((id, call));
        match callee {
            Callee::Direct(callee) => self.connect(number, callee),
            Callee::Indirect(address) => {
                if let Some(node) = self.node(id, body, address) {
                    self.add_use(node, Use::Call(number));
                }
            }
        }
    }

    /// A call may reach a function.
    fn connect(&mut self, number: u32, callee: FunctionId) {
        if !self.connected.insert((number, callee)) {
            return;
        }
        let program = self.program;
        let (id, call) = self.calls[number as usize];
        let Operation::Call { destinations, arguments, .. } = call else { return };
        let Some(body) = &program.functions[id].body else { return };
        let argument = |index: usize| arguments.get(index).map(|argument| argument.operand);
        let destination = destinations.first().copied();
        let name = program.functions[callee].name.as_str();
        if returns_its_argument(name) {
            if let (true, Some(to), Some(from)) = (copies_memory(name), argument(0), argument(1)) {
                let length = argument(2).and_then(|length| self.number(length));
                self.add_copy(id, body, to, from, length);
            }
            if let (Some(destination), Some(to)) = (destination, argument(0)) {
                self.copy(id, body, to, destination);
            }
        } else if let Some(allocator) = self.allocators.get(&callee).cloned() {
            let Some(destination) = destination else { return self.enter(number, callee) };
            let factors =
                allocator.size.iter().map(|&index| self.number(argument(index as usize)?));
            let factors: Option<Vec<u64>> = factors.collect();
            let size =
                factors.and_then(|factors| factors.into_iter().try_fold(1, u64::checked_mul));
            let object = Object::Heap(id, destination);
            let new = self.add_object(id, destination, object, size);
            if let Some(old) = allocator.resized.and_then(|index| argument(index as usize)) {
                self.copy(id, body, old, destination);
            }
            for (function, register) in allocator.inner {
                let made = self.made.entry((id, destination)).or_default();
                made.insert((function, register));
                let inner = self.memory.object(Object::Heap(function, register), None);
                let inner = self.memory.pointee(inner, 0, 0);
                self.memory.link(&mut self.graph, inner, new, None);
            }
            self.enter(number, callee);
        } else if program.functions[callee].body.is_some() {
            self.enter(number, callee);
            for (result, &destination) in destinations.iter().enumerate() {
                if self.holds(id, body, destination)
                    && result < program.functions[callee].results.len()
                {
                    let node = self.results[callee.index()] + result as u32;
                    self.graph.add_edge(node, self.register(id, destination));
                }
            }
        } else if let Some(destination) = destination {
            self.add_external(id, body, name, destination, &argument);
        }
        if name == "__umbra_syscall"
            && argument(0).and_then(|number| self.number(number)) == Some(ARCH_PRCTL)
            && let Some(pointer) = argument(2).and_then(|pointer| self.node(id, body, pointer))
        {
            self.graph.add_edge(pointer, self.thread);
        }
    }

    /// What a function of the machine returns.
    fn add_external(
        &mut self,
        id: FunctionId,
        body: &Body,
        name: &str,
        destination: RegisterId,
        argument: &dyn Fn(usize) -> Option<Operand>,
    ) {
        let node = self.register(id, destination);
        match name {
            "__umbra_get_tp" => self.graph.add_edge(self.thread, node),
            "__umbra_syscall"
                if argument(0).and_then(|number| self.number(number)) == Some(MMAP) =>
            {
                self.add_object(id, destination, Object::Heap(id, destination), None);
            }
            _ if body.registers[destination] == Type::Pointer => {
                self.graph.insert(node, &[self.unknown]);
            }
            _ => {}
        }
    }

    /// Arguments become parameters.
    fn enter(&mut self, number: u32, callee: FunctionId) {
        let program = self.program;
        let (id, call) = self.calls[number as usize];
        let Operation::Call { arguments, .. } = call else { return };
        let Some(body) = &program.functions[id].body else { return };
        let Some(callee_body) = &program.functions[callee].body else { return };
        for (position, argument) in arguments.iter().enumerate() {
            let Some(node) = self.node(id, body, argument.operand) else { continue };
            let Some(parameter) = entry_parameter(callee_body, position) else {
                if program.functions[callee].variadic {
                    let object = self.memory.object(Object::Variadic(callee), None);
                    let place = self.memory.pointee(object, 0, 1);
                    if let Some(field) = self.memory.field(&mut self.graph, place) {
                        self.graph.add_edge(node, field);
                    }
                }
                continue;
            };
            if !self.holds(callee, callee_body, parameter) {
                continue;
            }
            match argument.by_value {
                None => self.graph.add_edge(node, self.register(callee, parameter)),
                Some(copy) => {
                    let object = Object::Copy(callee, position as u32);
                    let to = self.add_object(callee, parameter, object, Some(copy.size));
                    self.add_use(node, Use::CopyFrom(to));
                }
            }
        }
    }

    /// Does what follows from new pointees.
    fn apply(&mut self, at: Use, fresh: &[u32]) {
        if let Use::Shift(to, shift) = at {
            let moved = fresh.iter().filter_map(|&pointee| self.memory.shift(pointee, shift));
            let mut moved: Vec<u32> = moved.collect();
            moved.sort_unstable();
            moved.dedup();
            return self.graph.insert(to, &moved);
        }
        for &pointee in fresh {
            match at {
                Use::Load(to) => {
                    if let Some(field) = self.memory.field(&mut self.graph, pointee) {
                        self.graph.add_edge(field, to);
                    }
                }
                Use::Store(from) => {
                    if let Some(field) = self.memory.field(&mut self.graph, pointee) {
                        self.graph.add_edge(from, field);
                    }
                }
                Use::Shift(..) => {}
                Use::CopyFrom(middle) => {
                    let length = self.memory.size_of(self.memory.pointees[middle as usize]);
                    self.memory.link(&mut self.graph, pointee, middle, length);
                }
                Use::CopyTo(middle) => {
                    self.memory.link(&mut self.graph, middle, pointee, None);
                }
                Use::Fill(value) => {
                    // A list of arguments has its two pointers behind two counters.
                    for offset in [8, 16] {
                        let shift = Shift { constant: offset, step: 0 };
                        if let Some(place) = self.memory.shift(pointee, shift) {
                            self.fill(place, value);
                        }
                    }
                }
                Use::Call(number) => {
                    let pointee = self.memory.pointees[pointee as usize];
                    match self.memory.object_of(pointee) {
                        Object::Function(callee) => self.connect(number, callee),
                        Object::ManyFunctions => {
                            let call = self.calls_of_many.len();
                            self.calls_of_many.push((number, 0));
                            self.connect_many(call);
                        }
                        _ => {}
                    }
                }
            }
        }
    }
}
