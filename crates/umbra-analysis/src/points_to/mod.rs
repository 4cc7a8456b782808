//! What pointers point to.
//!
//! An inclusion-based analysis after Andersen ("Program Analysis and Specialization for the C
//! Programming Language", PhD thesis, 1994), flow- and context-insensitive, with fields told apart by
//! their offset as in Pearce, Kelly and Hankin ("Efficient field-sensitive pointer analysis of C",
//! TOPLAS 30, 2007). Elements of an array are one; a structure whose array is indexed is folded by the
//! size of the elements. Each call of an allocator, or of a function that only passes on what an
//! allocator returned, makes an object of its own.
//!
//! What a set of very many objects leads to becomes one ([`Object::Many`], [`Object::ManyFunctions`]), as in an
//! analysis by unification, so that the cost does not grow much faster than the program.
//!
//! The sets hold whatever a register can point to, as long as a pointer
//! - goes through memory as a whole, not byte by byte (the machine's `memcpy` is known);
//! - is not computed but by adding, subtracting and masking;
//! - stays inside its object when it is moved by a constant;
//! - does not pass through the operating system (but for the thread pointer).
//!
//! What the machine returns and we do not know points to [`Object::Unknown`].

mod allocators;
mod graph;
mod integers;
mod memory;
mod shifts;
mod solver;

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use umbra_ir::{Callee, ConstantValue, FunctionId, Operand, Operation, Program, RegisterId};

pub use memory::{Object, Pointee};

use memory::Shift;
use solver::Solver;

/// What follows from what a node points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// What lies there flows to a node.
    Load(u32),
    /// A node flows to what lies there.
    Store(u32),
    /// A node points to the same, moved.
    Shift(u32, Shift),
    /// What lies there is copied to the object of a pointee.
    CopyFrom(u32),
    /// The object of a pointee is copied there.
    CopyTo(u32),
    /// A list of variable arguments begins there, which are behind this pointee.
    Fill(u32),
    /// It is called.
    Call(u32),
}

/// What the registers of a program point to.
#[derive(Debug)]
pub struct PointsTo<'a> {
    program: &'a Program,
    solver: Solver<'a>,
    /// By function and register of the callee's address.
    callees: HashMap<(FunctionId, RegisterId), Targets>,
}

/// The functions that an indirect call may reach.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Targets {
    functions: Vec<FunctionId>,
    /// And perhaps others.
    unknown: bool,
}

impl<'a> PointsTo<'a> {
    /// What the registers of a program point to.
    pub fn new(program: &'a Program) -> Self {
        let mut solver = Solver::new(program);
        solver.solve();
        let mut found = Self { program, solver, callees: HashMap::new() };
        found.find_callees();
        found
    }

    fn find_callees(&mut self) {
        for (id, function) in self.program.functions.iter() {
            for block in function.body.iter().flat_map(|body| body.blocks.values()) {
                for instruction in &block.instructions {
                    if let Operation::Call { callee: Callee::Indirect(address), .. } =
                        &instruction.operation
                        && let Operand::Register(register) = *address
                    {
                        let mut targets = Targets::default();
                        for pointee in self.of_register(id, register) {
                            targets.functions.extend(self.functions(pointee));
                            targets.unknown |= self.object(pointee) == Object::Unknown;
                        }
                        targets.functions.sort_unstable();
                        targets.functions.dedup();
                        self.callees.insert((id, register), targets);
                    }
                }
            }
        }
    }

    fn of_register(
        &self,
        function: FunctionId,
        register: RegisterId,
    ) -> impl Iterator<Item = Pointee> {
        let node = self.solver.register(function, register);
        let pointees = &self.solver.memory.pointees;
        self.solver.graph.set(node).iter().map(|&pointee| pointees[pointee as usize])
    }

    /// Where an operand of a function may point to. Constants that nobody writes are left out.
    pub fn pointees(&self, function: FunctionId, operand: Operand) -> Vec<Pointee> {
        match operand {
            Operand::Register(register) => self.of_register(function, register).collect(),
            Operand::Constant(constant) => match self.program.constants[constant].value {
                ConstantValue::Address { symbol, offset } => {
                    self.solver.memory.symbol(symbol, offset).into_iter().collect()
                }
                _ => Vec::new(),
            },
        }
    }

    /// Where what lies at a pointee may point to.
    pub fn contents(&self, pointee: Pointee) -> Vec<Pointee> {
        let fields = self.solver.memory.fields_of(pointee);
        let sets = fields.flat_map(|node| self.solver.graph.set(node));
        sets.map(|&inner| self.solver.memory.pointees[inner as usize]).collect()
    }

    /// The object that a pointee is in.
    pub fn object(&self, pointee: Pointee) -> Object {
        self.solver.memory.object_of(pointee)
    }

    /// The functions that a pointee stands for.
    pub fn functions(&self, pointee: Pointee) -> Vec<FunctionId> {
        match self.object(pointee) {
            Object::Function(function) => vec![function],
            Object::ManyFunctions => self.solver.memory.many_functions.clone(),
            _ => Vec::new(),
        }
    }

    /// Whether a store of some bytes to a pointee may change some bytes of an object.
    pub fn may_overlap(
        &self,
        pointee: Pointee,
        bytes: u32,
        object: Object,
        range: Range<i64>,
    ) -> bool {
        match self.object(pointee) {
            Object::Unknown => true,
            Object::Many => self.solver.memory.is_one_of_many(object),
            other if other != object => false,
            _ if pointee.step == 0 => {
                pointee.offset < range.end && range.start < pointee.offset + i64::from(bytes)
            }
            _ => {
                // How far the next step below the end of the range reaches into it.
                let behind = (range.end - 1 - pointee.offset).rem_euclid(pointee.step as i64);
                range.end - 1 - behind + i64::from(bytes) > range.start
            }
        }
    }

    /// The objects that stand for an object while the functions run that made it.
    pub fn inner_objects(&self, object: Object) -> Vec<Object> {
        let Object::Heap(function, register) = object else { return Vec::new() };
        let (mut found, mut open) = (BTreeSet::new(), vec![(function, register)]);
        while let Some(at) = open.pop() {
            let inner = self.solver.made.get(&at).into_iter().flatten();
            open.extend(inner.filter(|inner| found.insert(**inner)));
        }
        found.into_iter().map(|(function, register)| Object::Heap(function, register)).collect()
    }

    /// Whether pointers to many objects may lead to an object.
    pub fn is_one_of_many(&self, object: Object) -> bool {
        self.solver.memory.is_one_of_many(object)
    }

    /// The functions that the callee's address of an indirect call points to, in the order of their
    /// ids, and whether there may be others.
    pub fn callees(&self, function: FunctionId, address: Operand) -> (&[FunctionId], bool) {
        let Operand::Register(register) = address else { return (&[], true) };
        match self.callees.get(&(function, register)) {
            Some(targets) => (&targets.functions, targets.unknown || targets.functions.is_empty()),
            None => (&[], true),
        }
    }

    /// What the analysis cost, in elements of sets that it moved.
    pub fn work(&self) -> u64 {
        self.solver.graph.work
    }
}
