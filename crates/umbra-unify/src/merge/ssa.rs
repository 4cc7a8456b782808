//! SSA form of a draft.
//!
//! A variable that is live into a block with several predecessors becomes its parameter, undefined
//! where nothing reaches; then parameters whose arguments are all the same are removed until none is left. Dominance
//! never has to be looked at: what one version assigns need not dominate a use in shared code, and the parameters repair that.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use umbra_ir::{Block, BlockId, Body, Edge, Id, Operand, RegisterId, Table, Terminator, Type};

use super::draft::{Draft, DraftEdge, DraftEnd, DraftStep};
use super::target::{Target, map_destinations, map_operands};

/// Puts a tidied draft into SSA form.
pub fn to_ssa(draft: Draft, target: &mut Target<'_>) -> Body {
    let live = liveness(&draft);
    let edges = incoming_edges(&draft);
    let mut builder = Builder {
        registers: Table::new(),
        // A block with one predecessor takes its values over; all others have parameters.
        parameters: live
            .iter()
            .enumerate()
            .map(|(at, live)| match at == 0 || edges[at] == 1 {
                true => Vec::new(),
                false => live.iter().copied().collect(),
            })
            .collect(),
        types: draft.variables.values().copied().collect(),
        edges,
        entry: vec![None; draft.blocks.len()],
        blocks: BTreeMap::new(),
        target,
    };
    builder.run(&draft);
    let Builder { mut registers, mut blocks, .. } = builder;
    remove_trivial(&mut blocks);
    let blocks = number(blocks, &mut registers);
    Body { registers, blocks }
}

/// The variables that are live into each block.
fn liveness(draft: &Draft) -> Vec<BTreeSet<RegisterId>> {
    let mut live: Vec<BTreeSet<RegisterId>> = vec![BTreeSet::new(); draft.blocks.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (at, block) in draft.blocks.iter().enumerate().rev() {
            let mut now: BTreeSet<RegisterId> = BTreeSet::new();
            for edge in block.end.edges() {
                let through = &live[edge.block];
                let assigned = |v: &RegisterId| edge.assignments.iter().any(|(a, _)| a == v);
                now.extend(through.iter().filter(|v| !assigned(v)));
                for (variable, value) in &edge.assignments {
                    if through.contains(variable) {
                        now.extend(read(*value));
                    }
                }
            }
            now.extend(block.end.operands().into_iter().filter_map(read));
            for step in block.steps.iter().rev() {
                match step {
                    DraftStep::Instruction(instruction) => {
                        instruction.operation.destinations().iter().for_each(|d| {
                            now.remove(d);
                        });
                        instruction.operation.visit_operands(&mut |o| now.extend(read(o)));
                    }
                    DraftStep::Assign(assignments) => {
                        let wanted: Vec<Operand> = assignments
                            .iter()
                            .filter(|(variable, _)| now.contains(variable))
                            .map(|(_, value)| *value)
                            .collect();
                        for (variable, _) in assignments {
                            now.remove(variable);
                        }
                        now.extend(wanted.into_iter().filter_map(read));
                    }
                }
            }
            if now != live[at] {
                live[at] = now;
                changed = true;
            }
        }
    }
    live
}

fn read(operand: Operand) -> Option<RegisterId> {
    match operand {
        Operand::Register(variable) => Some(variable),
        Operand::Constant(_) => None,
    }
}

/// How many edges lead to each block.
fn incoming_edges(draft: &Draft) -> Vec<usize> {
    let mut incoming = vec![0; draft.blocks.len()];
    for edge in draft.blocks.iter().flat_map(|block| block.end.edges()) {
        incoming[edge.block] += 1;
    }
    incoming
}

/// What variables are.
type Values = HashMap<RegisterId, Operand>;

struct Builder<'a, 'p> {
    registers: Table<RegisterId, Type>,
    /// The variables that are parameters of each block.
    parameters: Vec<Vec<RegisterId>>,
    types: Vec<Type>,
    /// How many edges lead to each block.
    edges: Vec<usize>,
    /// What variables are at the start of blocks with one predecessor.
    entry: Vec<Option<Values>>,
    blocks: BTreeMap<usize, Block>,
    target: &'a mut Target<'p>,
}

impl Builder<'_, '_> {
    fn run(&mut self, draft: &Draft) {
        // The parameters of a block have their registers before any edge to it is made.
        let own: Vec<Vec<RegisterId>> = (0..draft.blocks.len())
            .map(|at| {
                let variables = match at {
                    0 => draft.parameters.clone(),
                    _ => self.parameters[at].clone(),
                };
                variables.iter().map(|v| self.registers.push(self.types[v.index()])).collect()
            })
            .collect();
        let mut waiting: Vec<usize> =
            (0..draft.blocks.len()).rev().filter(|&at| at == 0 || self.edges[at] != 1).collect();
        while let Some(at) = waiting.pop() {
            let variables = match at {
                0 => &draft.parameters,
                _ => &self.parameters[at],
            };
            let values: Values = match self.entry[at].take() {
                Some(values) => values,
                None => variables
                    .iter()
                    .copied()
                    .zip(own[at].iter().map(|r| Operand::Register(*r)))
                    .collect(),
            };
            self.block(draft, at, own[at].clone(), values, &mut waiting);
        }
    }

    fn block(
        &mut self,
        draft: &Draft,
        at: usize,
        parameters: Vec<RegisterId>,
        mut values: Values,
        waiting: &mut Vec<usize>,
    ) {
        let block = &draft.blocks[at];
        let mut instructions = Vec::new();
        for step in &block.steps {
            match step {
                DraftStep::Instruction(instruction) => {
                    let mut instruction = instruction.clone();
                    map_operands(&mut instruction.operation, &mut |o| self.value(&values, o));
                    map_destinations(&mut instruction.operation, &mut |variable| {
                        let register = self.registers.push(self.types[variable.index()]);
                        values.insert(variable, Operand::Register(register));
                        register
                    });
                    instructions.push(instruction);
                }
                DraftStep::Assign(assignments) => values = self.assigned(&values, assignments),
            }
        }
        let mut edges = Vec::new();
        for edge in block.end.edges() {
            edges.push(self.edge(edge, &values, waiting));
        }
        let mut edges = edges.into_iter();
        let mut next = || edges.next().expect("as many edges as the draft has");
        let terminator = match &block.end {
            DraftEnd::Jump(_) => Terminator::Jump(next()),
            DraftEnd::Branch { condition, .. } => Terminator::Branch {
                condition: self.value(&values, *condition),
                then: next(),
                otherwise: next(),
            },
            DraftEnd::Switch { value, cases, .. } => Terminator::Switch {
                value: self.value(&values, *value),
                cases: cases.iter().map(|(constant, _)| (*constant, next())).collect(),
                default: next(),
            },
            DraftEnd::Version { .. } => Terminator::Version { old: next(), new: next() },
            DraftEnd::Return(results) => {
                Terminator::Return(results.iter().map(|r| self.value(&values, *r)).collect())
            }
            DraftEnd::Unreachable => Terminator::Unreachable,
            DraftEnd::Unsupported(reason) => Terminator::Unsupported(reason.clone()),
        };
        let done = Block {
            presence: block.presence,
            parameters,
            instructions,
            terminator,
            location: block.location,
            old_location: block.old_location,
            weight: block.weight.max(1),
        };
        self.blocks.insert(at, done);
    }

    fn edge(&mut self, edge: &DraftEdge, values: &Values, waiting: &mut Vec<usize>) -> Edge {
        let block = BlockId::from_index(edge.block);
        if self.edges[edge.block] == 1 {
            self.entry[edge.block] = Some(self.assigned(values, &edge.assignments));
            waiting.push(edge.block);
            return Edge { block, arguments: Vec::new() };
        }
        let parameters = self.parameters[edge.block].clone();
        let arguments = parameters.into_iter().map(|variable| {
            let assigned = edge.assignments.iter().find(|(a, _)| *a == variable);
            let operand = assigned.map_or(Operand::Register(variable), |(_, value)| *value);
            self.value(values, operand)
        });
        Edge { block, arguments: arguments.collect() }
    }

    fn assigned(&mut self, values: &Values, assignments: &[(RegisterId, Operand)]) -> Values {
        let mut after = values.clone();
        for (variable, operand) in assignments {
            let value = self.value(values, *operand);
            after.insert(*variable, value);
        }
        after
    }

    fn value(&mut self, values: &Values, operand: Operand) -> Operand {
        match operand {
            Operand::Constant(_) => operand,
            Operand::Register(variable) => match values.get(&variable) {
                Some(value) => *value,
                None => self.target.undefined(self.types[variable.index()]),
            },
        }
    }
}

/// Removes parameters whose arguments are all the same value, or the parameter itself.
fn remove_trivial(blocks: &mut BTreeMap<usize, Block>) {
    let mut replaced: HashMap<RegisterId, Operand> = HashMap::new();
    let resolve = |replaced: &HashMap<RegisterId, Operand>, operand: Operand| {
        let mut operand = operand;
        while let Operand::Register(register) = operand {
            match replaced.get(&register) {
                Some(next) => operand = *next,
                None => break,
            }
        }
        operand
    };
    loop {
        let mut incoming: HashMap<usize, Vec<Option<Candidate>>> = HashMap::new();
        for block in blocks.values() {
            for edge in block.terminator.edges() {
                let to = edge.block.index();
                let parameters = &blocks[&to].parameters;
                let candidates = incoming.entry(to).or_insert_with(|| vec![None; parameters.len()]);
                for ((parameter, argument), candidate) in
                    parameters.iter().zip(&edge.arguments).zip(candidates)
                {
                    let argument = resolve(&replaced, *argument);
                    if argument == Operand::Register(*parameter) {
                        continue;
                    }
                    *candidate = match candidate.take() {
                        None => Some(Candidate::One(argument)),
                        Some(Candidate::One(known)) if known == argument => {
                            Some(Candidate::One(known))
                        }
                        _ => Some(Candidate::Many),
                    };
                }
            }
        }
        let before = replaced.len();
        for (to, candidates) in &incoming {
            for (parameter, candidate) in blocks[to].parameters.iter().zip(candidates) {
                if let Some(Candidate::One(value)) = candidate
                    && !replaced.contains_key(parameter)
                {
                    // Another one may have been replaced by this one in the same sweep.
                    let value = resolve(&replaced, *value);
                    if value != Operand::Register(*parameter) {
                        replaced.insert(*parameter, value);
                    }
                }
            }
        }
        if replaced.len() == before {
            break;
        }
        drop_replaced(blocks, &replaced);
    }
    for block in blocks.values_mut() {
        for instruction in &mut block.instructions {
            map_operands(&mut instruction.operation, &mut |o| resolve(&replaced, o));
        }
        map_terminator(&mut block.terminator, &mut |o| resolve(&replaced, o));
    }
}

#[derive(Clone, Copy, Debug)]
enum Candidate {
    One(Operand),
    Many,
}

/// Takes replaced parameters off their blocks, and their arguments off the edges.
fn drop_replaced(blocks: &mut BTreeMap<usize, Block>, replaced: &HashMap<RegisterId, Operand>) {
    let kept: HashMap<usize, Vec<bool>> = blocks
        .iter()
        .map(|(at, block)| {
            (*at, block.parameters.iter().map(|p| !replaced.contains_key(p)).collect())
        })
        .collect();
    for (at, block) in blocks.iter_mut() {
        let mut keep = kept[at].iter();
        // The entry's parameters are the function's; nothing leads to it.
        block.parameters.retain(|_| *keep.next().unwrap_or(&true));
        for edge in block.terminator.edges_mut() {
            let mut keep = kept[&edge.block.index()].iter();
            edge.arguments.retain(|_| *keep.next().unwrap_or(&true));
        }
    }
}

/// Replaces all operands of a terminator.
pub fn map_terminator(terminator: &mut Terminator, map: &mut dyn FnMut(Operand) -> Operand) {
    match terminator {
        Terminator::Branch { condition, .. } => *condition = map(*condition),
        Terminator::Switch { value, .. } => *value = map(*value),
        Terminator::Return(results) => results.iter_mut().for_each(|r| *r = map(*r)),
        _ => {}
    }
    for edge in terminator.edges_mut() {
        edge.arguments.iter_mut().for_each(|argument| *argument = map(*argument));
    }
}

/// Blocks in order, and registers that are still assigned numbered anew.
fn number(
    blocks: BTreeMap<usize, Block>,
    registers: &mut Table<RegisterId, Type>,
) -> Table<BlockId, Block> {
    let mut numbers: HashMap<RegisterId, RegisterId> = HashMap::new();
    let mut used = Table::new();
    let mut blocks: Vec<Block> = blocks.into_values().collect();
    for block in &blocks {
        let assigned = block.parameters.iter().copied().chain(
            block.instructions.iter().flat_map(|i| i.operation.destinations().iter().copied()),
        );
        for register in assigned {
            numbers.insert(register, used.push(registers[register]));
        }
    }
    let renamed = |operand: Operand| match operand {
        Operand::Register(register) => Operand::Register(numbers[&register]),
        Operand::Constant(_) => operand,
    };
    for block in &mut blocks {
        block.parameters.iter_mut().for_each(|parameter| *parameter = numbers[parameter]);
        for instruction in &mut block.instructions {
            map_operands(&mut instruction.operation, &mut |o| renamed(o));
            map_destinations(&mut instruction.operation, &mut |register| numbers[&register]);
        }
        map_terminator(&mut block.terminator, &mut |o| renamed(o));
    }
    *registers = used;
    blocks.into_iter().collect()
}
