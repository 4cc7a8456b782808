//! Integers that hold pointers.
//!
//! Sizes and counters are as wide as pointers. If whatever lies beside a pointer in memory could be
//! one, everything would soon point to everything. So an integer counts as a pointer only if a cast
//! says so at one end at least: it was made from a pointer and is made one again or is stored, or it
//! was loaded and is made a pointer.

use umbra_ir::{
    Body, Callee, FunctionId, Id, Operand, Operation, Program, RegisterId, Terminator, Type,
};

use super::allocators::entry_parameter;

/// Which integer registers of a program may hold pointers.
#[derive(Clone, Debug)]
pub(super) struct Integers {
    /// The number of the first register of each function.
    first: Vec<u32>,
    holds: Vec<bool>,
}

#[derive(Default)]
struct Search {
    /// Where values go: from, to.
    edges: Vec<(u32, u32)>,
    made: Vec<u32>,
    loaded: Vec<u32>,
    used: Vec<u32>,
    stored: Vec<u32>,
}

impl Integers {
    pub fn of(program: &Program) -> Self {
        let (mut first, mut count) = (Vec::new(), 0);
        for function in program.functions.values() {
            first.push(count as u32);
            count += function.body.as_ref().map_or(0, |body| body.registers.len());
        }
        let mut found = Self { first, holds: Vec::new() };
        let mut search = Search::default();
        for (id, function) in program.functions.iter() {
            if let Some(body) = &function.body {
                found.look(program, id, body, &mut search);
            }
        }
        let forth = adjacency(count, search.edges.iter().copied());
        let back = adjacency(count, search.edges.iter().map(|&(from, to)| (to, from)));
        let [made, loaded] = [search.made, search.loaded].map(|from| reach(&forth, from));
        let [used, stored] = [search.used, search.stored].map(|from| reach(&back, from));
        found.holds = (0..count)
            .map(|at| made[at] && (used[at] || stored[at]) || loaded[at] && used[at])
            .collect();
        found
    }

    /// Whether a register may hold a pointer.
    pub fn holds(&self, function: FunctionId, body: &Body, register: RegisterId) -> bool {
        match body.registers[register] {
            Type::Pointer => true,
            Type::Integer(64..) => self.holds[self.number(function, register) as usize],
            _ => false,
        }
    }

    fn number(&self, function: FunctionId, register: RegisterId) -> u32 {
        self.first[function.index()] + register.index() as u32
    }

    fn look(&self, program: &Program, id: FunctionId, body: &Body, search: &mut Search) {
        let wide = |register: RegisterId| matches!(body.registers[register], Type::Integer(64..));
        let pointer = |operand| program.type_of(body, operand) == Type::Pointer;
        // The number of an operand that is a wide integer in a register.
        let number = |operand: Operand| match operand {
            Operand::Register(register) => wide(register).then(|| self.number(id, register)),
            Operand::Constant(_) => None,
        };
        let flow = |search: &mut Search, from: Operand, to: RegisterId| {
            if wide(to) {
                let to = self.number(id, to);
                match number(from) {
                    Some(from) => search.edges.push((from, to)),
                    None if pointer(from) => search.made.push(to),
                    None => {}
                }
            } else if body.registers[to] == Type::Pointer {
                search.used.extend(number(from));
            }
        };
        for block in body.blocks.values() {
            for instruction in &block.instructions {
                match &instruction.operation {
                    Operation::Copy { destination, operand }
                    | Operation::Cast { destination, operand, .. } => {
                        flow(search, *operand, *destination);
                    }
                    Operation::Binary { destination, left, right, .. }
                    | Operation::Select { destination, left, right, .. }
                    | Operation::Change { destination, old: left, new: right } => {
                        flow(search, *left, *destination);
                        flow(search, *right, *destination);
                    }
                    Operation::Load { destination, .. } if wide(*destination) => {
                        search.loaded.push(self.number(id, *destination));
                    }
                    Operation::Store { value, .. } => search.stored.extend(number(*value)),
                    Operation::Call { destinations, callee, arguments } => {
                        let callee_body = match callee {
                            Callee::Direct(callee) => program.functions[*callee]
                                .body
                                .as_ref()
                                .map(|callee_body| (*callee, callee_body)),
                            Callee::Indirect(_) => None,
                        };
                        let Some((callee, callee_body)) = callee_body else {
                            // Nobody knows what is done with them.
                            let to = destinations.iter().filter(|to| wide(**to));
                            search.made.extend(to.map(|&to| self.number(id, to)));
                            search.used.extend(arguments.iter().filter_map(|a| number(a.operand)));
                            continue;
                        };
                        for (position, argument) in arguments.iter().enumerate() {
                            let parameter = entry_parameter(callee_body, position);
                            match (parameter, number(argument.operand)) {
                                (None, Some(from)) => search.stored.push(from),
                                (Some(parameter), from) => {
                                    let ty = callee_body.registers[parameter];
                                    let to = self.number(callee, parameter);
                                    match (ty, from) {
                                        (Type::Integer(64..), Some(from)) => {
                                            search.edges.push((from, to));
                                        }
                                        (Type::Integer(64..), None)
                                            if pointer(argument.operand) =>
                                        {
                                            search.made.push(to);
                                        }
                                        (Type::Pointer, Some(from)) => search.used.push(from),
                                        _ => {}
                                    }
                                }
                                (None, None) => {}
                            }
                        }
                        for other in callee_body.blocks.values() {
                            let Terminator::Return(results) = &other.terminator else { continue };
                            for (&to, result) in destinations.iter().zip(results) {
                                let Operand::Register(from) = *result else { continue };
                                let from_number = self.number(callee, from);
                                match (callee_body.registers[from], body.registers[to]) {
                                    (Type::Integer(64..), Type::Integer(64..)) => {
                                        search.edges.push((from_number, self.number(id, to)));
                                    }
                                    (Type::Pointer, Type::Integer(64..)) => {
                                        search.made.push(self.number(id, to));
                                    }
                                    (Type::Integer(64..), Type::Pointer) => {
                                        search.used.push(from_number);
                                    }
                                    _ => {}
                                }
                            }
                        }
                    }
                    _ => {}
                }
            }
            for edge in block.terminator.edges() {
                let parameters = &body.blocks[edge.block].parameters;
                for (&parameter, &argument) in parameters.iter().zip(&edge.arguments) {
                    flow(search, argument, parameter);
                }
            }
        }
    }
}

/// The edges of a graph by where they come from.
fn adjacency(count: usize, edges: impl Iterator<Item = (u32, u32)>) -> Vec<Vec<u32>> {
    let mut lists = vec![Vec::new(); count];
    edges.for_each(|(from, to)| lists[from as usize].push(to));
    lists
}

/// Whether each node can be reached from one of some nodes.
fn reach(successors: &[Vec<u32>], from: Vec<u32>) -> Vec<bool> {
    let mut reached = vec![false; successors.len()];
    let mut open = from;
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut reached[node as usize], true) {
            open.extend_from_slice(&successors[node as usize]);
        }
    }
    reached
}
