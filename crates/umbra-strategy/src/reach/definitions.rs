//! Code that defines what a branch tests.
//!
//! A branch that no input decides tests values that earlier code has stored. Its condition is followed backwards, through arithmetic,
//! block parameters, arguments, results of calls and loads, to the places where a value comes from: constants are the ends. A store
//! defines a load if both go to the same bytes of the same global or local variable, as far as the code says so itself;
//! what is stored through other pointers is not seen.

use std::collections::{BTreeMap, BTreeSet};

use umbra_ir::{
    BinaryOp, BlockId, Body, Callee, CastOp, ConstantValue, FunctionId, GlobalId, Id, Operand,
    Operation, Predicate, Program, RegisterId, Symbol, Terminator, Type,
};

use super::ways::Goal;

/// Definitions of definitions that are followed.
const DEPTH: u32 = 4;

/// Values that are followed for one branch.
const MOST: usize = 256;

/// Where a value is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Location {
    Global(GlobalId, i64),
    /// A local variable, by the register with its address.
    Local(FunctionId, RegisterId, i64),
}

/// Code that gives a tested value another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Definition {
    /// Where it is.
    pub place: Goal,
    /// Whether the branch goes the wanted way with it, as far as that can be seen.
    pub satisfies: Option<bool>,
}

/// What stores what, of a whole program; made when it is first asked for.
#[derive(Default)]
pub(super) struct Definitions {
    stores: BTreeMap<Location, Vec<(Goal, Operand)>>,
    /// The calls of each function.
    calls: BTreeMap<FunctionId, Vec<(Goal, Vec<Operand>)>>,
    /// The instructions or parameters that registers are assigned by.
    sources: BTreeMap<FunctionId, Vec<Option<Source>>>,
}

/// What assigns a register.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// The instruction of this number.
    Instruction(BlockId, usize),
    /// The parameter of this number.
    Parameter(BlockId, usize),
}

/// The way from a definition to the branch: the registers whose values it decides.
struct Walk<'a> {
    program: &'a Program,
    branch: Goal,
    to: BlockId,
    seen: BTreeSet<(FunctionId, RegisterId)>,
    found: Vec<Definition>,
}

impl Definitions {
    /// Looks through a program.
    pub fn new(program: &Program) -> Self {
        let mut all = Self::default();
        for (function, definition) in program.functions.iter() {
            let Some(body) = &definition.body else { continue };
            let mut sources = vec![None; body.registers.len()];
            for (block, code) in body.blocks.iter() {
                for (number, register) in code.parameters.iter().enumerate() {
                    sources[register.index()] = Some(Source::Parameter(block, number));
                }
                for (number, instruction) in code.instructions.iter().enumerate() {
                    for register in instruction.operation.destinations() {
                        sources[register.index()] = Some(Source::Instruction(block, number));
                    }
                }
            }
            all.sources.insert(function, sources);
            for (block, code) in body.blocks.iter() {
                let place = Goal { function, block };
                for instruction in &code.instructions {
                    match &instruction.operation {
                        Operation::Store { value, address } => {
                            if let Some(location) = all.location(program, function, *address) {
                                all.stores.entry(location).or_default().push((place, *value));
                            }
                        }
                        Operation::Call { callee: Callee::Direct(callee), arguments, .. } => {
                            let arguments = arguments.iter().map(|it| it.operand).collect();
                            all.calls.entry(*callee).or_default().push((place, arguments));
                        }
                        _ => {}
                    }
                }
            }
        }
        all
    }

    fn source<'a>(
        &self,
        program: &'a Program,
        function: FunctionId,
        operand: Operand,
    ) -> Option<(&'a Body, Source)> {
        let Operand::Register(register) = operand else { return None };
        let body = program.functions[function].body.as_ref()?;
        Some((body, (*self.sources.get(&function)?.get(register.index())?)?))
    }

    /// The bytes that an address leads to, if the code says so itself.
    fn location(
        &self,
        program: &Program,
        function: FunctionId,
        address: Operand,
    ) -> Option<Location> {
        let (mut address, mut offset) = (address, 0i64);
        loop {
            match address {
                Operand::Constant(id) => match program.constants[id].value {
                    ConstantValue::Address { symbol: Symbol::Global(global), offset: more } => {
                        return Some(Location::Global(global, more.wrapping_add(offset)));
                    }
                    _ => return None,
                },
                Operand::Register(register) => {
                    let (body, source) = self.source(program, function, address)?;
                    let Source::Instruction(block, number) = source else { return None };
                    match &body.blocks[block].instructions[number].operation {
                        Operation::Offset { base, constant, indices, .. } if indices.is_empty() => {
                            offset = offset.wrapping_add(*constant);
                            address = *base;
                        }
                        Operation::Copy { operand, .. } => address = *operand,
                        Operation::Alloca { .. } => {
                            return Some(Location::Local(function, register, offset));
                        }
                        _ => return None,
                    }
                }
            }
        }
    }

    /// What can make a branch go to a block, those first that are seen to, and those last that are seen not to.
    pub fn of_branch(&self, program: &Program, branch: Goal, to: BlockId) -> Vec<Definition> {
        let Some(body) = &program.functions[branch.function].body else { return Vec::new() };
        let condition = match &body.blocks[branch.block].terminator {
            Terminator::Branch { condition, .. } => *condition,
            Terminator::Switch { value, .. } => *value,
            _ => return Vec::new(),
        };
        let (seen, found) = (BTreeSet::new(), Vec::new());
        let mut walk = Walk { program, branch, to, seen, found };
        self.follow(&mut walk, branch.function, condition, condition, DEPTH);
        let mut found = walk.found;
        let rank = |it: &Definition| {
            [Some(true), None, Some(false)].iter().position(|known| *known == it.satisfies)
        };
        found.sort_by_key(rank);
        let mut seen = BTreeSet::new();
        found.retain(|it| seen.insert(it.place));
        found
    }

    /// Follows an operand back. `root` is what the branch tests, or what has its value from another place.
    fn follow(
        &self,
        walk: &mut Walk<'_>,
        function: FunctionId,
        operand: Operand,
        root: Operand,
        depth: u32,
    ) {
        let Operand::Register(register) = operand else { return };
        if walk.found.len() >= MOST || !walk.seen.insert((function, register)) {
            return;
        }
        let Some((body, source)) = self.source(walk.program, function, operand) else { return };
        let (block, number) = match source {
            Source::Instruction(block, number) => (block, number),
            Source::Parameter(block, number) if block.index() == 0 => {
                for (place, arguments) in self.calls.get(&function).into_iter().flatten() {
                    if let Some(value) = arguments.get(number) {
                        self.define(walk, *place, (function, register, *value), root, depth);
                    }
                }
                return;
            }
            Source::Parameter(block, number) => {
                for (before, code) in body.blocks.iter() {
                    for edge in code.terminator.edges().into_iter().filter(|it| it.block == block) {
                        let place = Goal { function, block: before };
                        let value = edge.arguments[number];
                        self.define(walk, place, (function, register, value), root, depth);
                    }
                }
                return;
            }
        };
        match &body.blocks[block].instructions[number].operation {
            Operation::Load { address, .. } => {
                let Some(location) = self.location(walk.program, function, *address) else {
                    return;
                };
                for (place, value) in self.stores.get(&location).into_iter().flatten() {
                    self.define(walk, *place, (function, register, *value), root, depth);
                }
            }
            Operation::Call { callee: Callee::Direct(callee), .. } => {
                let Some(body) = &walk.program.functions[*callee].body else { return };
                for (block, code) in body.blocks.iter() {
                    if let Terminator::Return(values) = &code.terminator
                        && let Some(value) = values.first()
                    {
                        let place = Goal { function: *callee, block };
                        self.define(walk, place, (function, register, *value), root, depth);
                    }
                }
            }
            operation => {
                let mut operands = Vec::new();
                operation.visit_operands(&mut |it| operands.push(it));
                for operand in operands {
                    self.follow(walk, function, operand, root, depth);
                }
            }
        }
    }

    /// A register of a function may get a value at a place.
    fn define(
        &self,
        walk: &mut Walk<'_>,
        place: Goal,
        (function, register, value): (FunctionId, RegisterId, Operand),
        root: Operand,
        depth: u32,
    ) {
        let constant = self.evaluate(walk.program, place.function, value, None, 0);
        let is_branch = function == walk.branch.function;
        let satisfies = constant.filter(|_| is_branch).and_then(|constant| {
            let known = Some((register, constant));
            let tested = self.evaluate(walk.program, function, root, known, 0)?;
            Some(goes(walk.program, walk.branch, tested)? == walk.to)
        });
        walk.found.push(Definition { place, satisfies });
        if constant.is_none() && depth > 0 {
            self.follow(walk, place.function, value, root, depth - 1);
        }
    }

    /// The value of an operand, if it is known once a register is.
    fn evaluate(
        &self,
        program: &Program,
        function: FunctionId,
        operand: Operand,
        known: Option<(RegisterId, u64)>,
        depth: u32,
    ) -> Option<u64> {
        let register = match operand {
            Operand::Constant(id) => {
                return match &program.constants[id].value {
                    ConstantValue::Word(word) => Some(*word),
                    _ => None,
                };
            }
            Operand::Register(register) => register,
        };
        if let Some((known, value)) = known
            && known == register
        {
            return Some(value);
        }
        if depth > 16 {
            return None;
        }
        let (body, source) = self.source(program, function, operand)?;
        let Source::Instruction(block, number) = source else { return None };
        let value = |operand: Operand| self.evaluate(program, function, operand, known, depth + 1);
        let bits = |operand: Operand| width(operand_type(program, body, operand));
        let own = width(body.registers[register])?;
        let result = match &body.blocks[block].instructions[number].operation {
            Operation::Copy { operand, .. } => value(*operand)?,
            Operation::Cast {
                op: CastOp::Trunc | CastOp::ZExt | CastOp::Bitcast, operand, ..
            } => value(*operand)?,
            Operation::Cast { op: CastOp::SExt, operand, .. } => {
                signed(value(*operand)?, bits(*operand)?) as u64
            }
            Operation::Binary { op, left, right, .. } => {
                let (left, right) = (value(*left)?, value(*right)?);
                match op {
                    BinaryOp::Add => left.wrapping_add(right),
                    BinaryOp::Sub => left.wrapping_sub(right),
                    BinaryOp::And => left & right,
                    BinaryOp::Or => left | right,
                    BinaryOp::Xor => left ^ right,
                    _ => return None,
                }
            }
            Operation::Compare { predicate, left, right, .. } => {
                let width = bits(*left)?;
                u64::from(compare(*predicate, value(*left)?, value(*right)?, width))
            }
            _ => return None,
        };
        Some(if own >= 64 { result } else { result & ((1 << own) - 1) })
    }
}

fn operand_type(program: &Program, body: &Body, operand: Operand) -> Type {
    match operand {
        Operand::Register(register) => body.registers[register],
        Operand::Constant(id) => program.constants[id].ty,
    }
}

/// The bits of a number that fits into a word.
fn width(ty: Type) -> Option<u32> {
    match ty {
        Type::Integer(bits) if bits <= 64 => Some(bits),
        Type::Pointer => Some(64),
        _ => None,
    }
}

fn signed(value: u64, bits: u32) -> i64 {
    let shift = 64 - bits.clamp(1, 64);
    (value << shift) as i64 >> shift
}

fn compare(predicate: Predicate, left: u64, right: u64, bits: u32) -> bool {
    let (a, b) = (signed(left, bits), signed(right, bits));
    match predicate {
        Predicate::Eq => left == right,
        Predicate::Ne => left != right,
        Predicate::Ugt => left > right,
        Predicate::Uge => left >= right,
        Predicate::Ult => left < right,
        Predicate::Ule => left <= right,
        Predicate::Sgt => a > b,
        Predicate::Sge => a >= b,
        Predicate::Slt => a < b,
        Predicate::Sle => a <= b,
    }
}

/// Where a branch goes with this value.
fn goes(program: &Program, branch: Goal, value: u64) -> Option<BlockId> {
    let body = program.functions[branch.function].body.as_ref()?;
    match &body.blocks[branch.block].terminator {
        Terminator::Branch { then, otherwise, .. } => {
            Some(if value & 1 == 1 { then.block } else { otherwise.block })
        }
        Terminator::Switch { cases, default, .. } => {
            let case = cases.iter().find(|(id, _)| {
                matches!(program.constants[*id].value, ConstantValue::Word(word) if word == value)
            });
            Some(case.map_or(default.block, |(_, edge)| edge.block))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `main` tests a global that two blocks of `set` store to, one of them a copy of another global.
    const PROGRAM: &str = "
        g0 @mode: 4 align 4 = zero 4
        g1 @wanted: 4 align 4 = zero 4
        fn0 @main() {
        bb0 weight 1:
          r0: i32 = load ptr g0@mode
          r1: i1 = icmp eq r0, i32 2
          branch r1, bb1(), bb2()
        bb1 weight 1:
          return
        bb2 weight 1:
          return
        }
        fn1 @set(r0: i1) {
        bb0 weight 1:
          branch r0, bb1(), bb2()
        bb1 weight 1:
          store i32 2, ptr g0@mode
          store i32 1, ptr g1@wanted
          jump bb3()
        bb2 weight 1:
          store i32 7, ptr g0@mode
          jump bb3()
        bb3 weight 1:
          r1: i32 = load ptr g1@wanted
          store r1, ptr g0@mode
          return
        }";

    #[test]
    fn stores_that_satisfy_the_branch_come_first() {
        let Ok(program) = umbra_ir::parse(PROGRAM) else {
            panic!("{:?}", umbra_ir::parse(PROGRAM))
        };
        let definitions = Definitions::new(&program);
        let main = program.function("main").expect("it is there");
        let set = program.function("set").expect("it is there");
        let branch = Goal { function: main, block: BlockId::from_index(0) };
        let found = definitions.of_branch(&program, branch, BlockId::from_index(1));
        let found: Vec<(usize, Option<bool>)> = found
            .iter()
            .map(|it| {
                assert_eq!(it.place.function, set);
                (it.place.block.index(), it.satisfies)
            })
            .collect();
        assert_eq!(found, [(1, Some(true)), (3, None), (2, Some(false))]);
    }
}
