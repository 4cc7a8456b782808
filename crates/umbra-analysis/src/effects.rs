//! Who may write what.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::rc::Rc;

use umbra_ir::{
    BlockPlace, FunctionId, GlobalId, Id, Intrinsic, Operand, Operation, Program, RegisterId, Type,
};

use crate::call_graph::CallGraph;
use crate::points_to::{Object, Pointee, PointsTo};
use crate::precondition::Base;

/// Bytes of an object.
pub(crate) type Bytes = (Object, i64, i64);

/// An instruction: its block and position.
type At = (BlockPlace, usize);

/// A store, or what acts like one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Write {
    pub place: BlockPlace,
    /// Its position in the block.
    pub instruction: usize,
    pointee: Pointee,
    bytes: u32,
}

/// What every function may write.
#[derive(Debug)]
pub(crate) struct Effects<'a> {
    program: &'a Program,
    calls: &'a CallGraph,
    pub pointers: &'a PointsTo<'a>,
    by_object: HashMap<Object, Vec<Write>>,
    /// Functions that may write anything.
    anything: Vec<FunctionId>,
    /// Functions that the machine is given, and may call.
    given: BTreeSet<FunctionId>,
    /// Functions that may run at any moment.
    handlers: Vec<FunctionId>,
    /// For bytes that were asked for: which functions may write them, itself or by a callee.
    known: RefCell<HashMap<Bytes, Rc<Vec<bool>>>>,
}

/// A pointer to more places than this is not followed.
const MAX_POINTEES: usize = 32;

/// Calls by which a program installs signal handlers.
const INSTALLING: [&str; 6] =
    ["signal", "bsd_signal", "sigset", "sigaction", "__sigaction", "__libc_sigaction"];

impl<'a> Effects<'a> {
    pub fn new(program: &'a Program, calls: &'a CallGraph, pointers: &'a PointsTo<'a>) -> Self {
        let mut effects = Self {
            program,
            calls,
            pointers,
            by_object: HashMap::new(),
            anything: Vec::new(),
            given: BTreeSet::new(),
            handlers: Vec::new(),
            known: RefCell::default(),
        };
        for (id, function) in program.functions.iter() {
            for (block, code) in function.body.iter().flat_map(|body| body.blocks.iter()) {
                let place = BlockPlace { function: id, block };
                for (position, instruction) in code.instructions.iter().enumerate() {
                    effects.add((place, position), &instruction.operation);
                }
            }
        }
        let installs = INSTALLING.iter().filter_map(|name| program.function(name));
        if installs.into_iter().any(|function| !calls.callers(function).is_empty()) {
            let may_handle = |id: &FunctionId| {
                let parameters = &program.functions[*id].parameters;
                let types = [Type::Integer(32), Type::Pointer, Type::Pointer];
                calls.is_address_taken(*id)
                    && program.functions[*id].results.is_empty()
                    && matches!(parameters.len(), 1 | 3)
                    && *parameters == types[..parameters.len()]
            };
            effects.handlers = program.functions.ids().filter(may_handle).collect();
        }
        effects
    }

    /// Whether the machine may call a function, as far as its arguments say.
    pub fn is_given(&self, function: FunctionId) -> bool {
        self.given.contains(&function) || self.handlers.contains(&function)
    }

    /// The functions that may be signal handlers.
    pub fn handlers(&self) -> &[FunctionId] {
        &self.handlers
    }

    fn add(&mut self, at: At, operation: &Operation) {
        let id = at.0.function;
        match operation {
            Operation::Store { value, address } => {
                let body = self.program.functions[id].body.as_ref();
                let bytes = body.map_or(8, |b| self.program.type_of(b, *value).store_bytes());
                self.add_write(at, *address, bytes);
            }
            Operation::Intrinsic { intrinsic, arguments, .. } => {
                let writes = matches!(
                    intrinsic,
                    Intrinsic::MemoryCopy
                        | Intrinsic::MemoryMove
                        | Intrinsic::MemorySet
                        | Intrinsic::VaStart
                        | Intrinsic::VaCopy
                        | Intrinsic::VaEnd
                );
                if writes && let Some(&address) = arguments.first() {
                    self.add_write(at, address, u32::MAX);
                }
            }
            Operation::Call { arguments, .. } => {
                let external = |callee: FunctionId| {
                    let name = self.program.functions[callee].name.as_str();
                    self.program.functions[callee].body.is_none() || name.starts_with("mem")
                };
                let Some(body) = &self.program.functions[id].body else { return };
                let callees = self.calls.callees_of_call(self.program, id, body, operation);
                // What the machine does writes where its arguments point to, and one further: system calls
                // take lists of buffers.
                if callees.all().any(external) {
                    for argument in arguments {
                        for pointee in self.pointers.pointees(id, argument.operand) {
                            self.given.extend(self.pointers.functions(pointee));
                            self.add_pointee(at, pointee, u32::MAX);
                            for inner in self.pointers.contents(pointee) {
                                self.add_pointee(at, inner, u32::MAX);
                            }
                        }
                    }
                }
            }
            _ => {}
        }
    }

    fn add_write(&mut self, at: At, address: Operand, bytes: u32) {
        let id = at.0.function;
        let pointees = self.pointers.pointees(id, address);
        let constant = matches!(address, Operand::Constant(_));
        if pointees.is_empty() && !constant {
            self.anything.push(id);
        }
        for pointee in pointees {
            self.add_pointee(at, pointee, bytes);
        }
    }

    fn add_pointee(&mut self, (place, instruction): At, pointee: Pointee, bytes: u32) {
        match self.pointers.object(pointee) {
            Object::Unknown => self.anything.push(place.function),
            object => {
                let write = Write { place, instruction, pointee, bytes };
                self.by_object.entry(object).or_default().push(write);
            }
        }
    }

    /// The bytes that a variable may stand for; `None` if they are too many to look at.
    pub fn bytes(
        &self,
        function: FunctionId,
        base: Base,
        offset: i64,
        bytes: u32,
    ) -> Option<Vec<Bytes>> {
        let end = offset.checked_add(i64::from(bytes))?;
        match base {
            Base::Global(global) => Some(vec![(Object::Global(global), offset, end)]),
            Base::Register(register) => self.bytes_of_register(function, register, offset, end),
        }
    }

    fn bytes_of_register(
        &self,
        function: FunctionId,
        register: RegisterId,
        offset: i64,
        end: i64,
    ) -> Option<Vec<Bytes>> {
        let pointees = self.pointers.pointees(function, Operand::Register(register));
        if pointees.is_empty() || pointees.len() > MAX_POINTEES {
            return None;
        }
        let of = |pointee: Pointee| match self.pointers.object(pointee) {
            Object::Unknown | Object::Many => None,
            object if pointee.step == 0 => {
                Some((object, pointee.offset + offset, pointee.offset + end))
            }
            object => Some((object, 0, i64::from(u32::MAX))),
        };
        pointees.into_iter().map(of).collect()
    }

    /// Whether a store through an address may change some bytes.
    pub fn may_store(
        &self,
        function: FunctionId,
        address: Operand,
        bytes: u32,
        to: &[Bytes],
    ) -> bool {
        let pointees = self.pointers.pointees(function, address);
        // An address constant without a pointee is that of something nobody writes.
        (pointees.is_empty() && matches!(address, Operand::Register(_)))
            || pointees.iter().any(|&pointee| {
                to.iter().any(|&(object, start, end)| {
                    self.pointers.may_overlap(pointee, bytes, object, start..end)
                })
            })
    }

    /// Whether what the machine does with some arguments may change some bytes.
    pub fn may_pass(&self, function: FunctionId, arguments: &[Operand], to: &[Bytes]) -> bool {
        let overlaps = |pointee: Pointee| {
            to.iter().any(|&(object, start, end)| {
                self.pointers.may_overlap(pointee, u32::MAX, object, start..end)
            })
        };
        let pointees = |&operand: &Operand| self.pointers.pointees(function, operand);
        arguments.iter().flat_map(pointees).any(|pointee| {
            overlaps(pointee) || self.pointers.contents(pointee).into_iter().any(overlaps)
        })
    }

    /// Whether a function, or one that it calls, may change some bytes.
    pub fn may_write(&self, function: FunctionId, to: &[Bytes]) -> bool {
        to.iter().any(|&bytes| self.writers(bytes)[function.index()])
    }

    /// Whether some bytes may change at any moment.
    pub fn is_volatile(&self, to: &[Bytes]) -> bool {
        self.handlers.iter().any(|&handler| self.may_write(handler, to))
    }

    /// For each function whether it may write some bytes, itself or by a callee.
    fn writers(&self, bytes: Bytes) -> Rc<Vec<bool>> {
        if let Some(known) = self.known.borrow().get(&bytes) {
            return Rc::clone(known);
        }
        let overlapping = self.writes_to(bytes);
        let mut open: Vec<FunctionId> = overlapping.map(|write| write.place.function).collect();
        open.extend(&self.anything);
        let found = Rc::new(self.callers_of(open));
        self.known.borrow_mut().insert(bytes, Rc::clone(&found));
        found
    }

    /// Whether some bytes of a global are never written.
    pub fn keeps_first_contents(&self, global: GlobalId, offset: i64, bytes: u32) -> bool {
        let place = (Object::Global(global), offset, offset.saturating_add(i64::from(bytes)));
        self.program.globals[global].constant
            || self.anything.is_empty() && self.writes_to(place).next().is_none()
    }

    /// What may change some bytes, but for what may change anything.
    pub fn writes_to(&self, (object, start, end): Bytes) -> impl Iterator<Item = Write> {
        let range: Range<i64> = start..end;
        let own = self.by_object.get(&object).into_iter().flatten();
        let many = self.by_object.get(&Object::Many).into_iter().flatten();
        own.chain(many).copied().filter(move |write| {
            self.pointers.may_overlap(write.pointee, write.bytes, object, range.clone())
        })
    }

    /// Some functions, and all that may call them, directly or not.
    pub fn callers_of(&self, functions: Vec<FunctionId>) -> Vec<bool> {
        let mut found = vec![false; self.program.functions.len()];
        let mut open = functions;
        while let Some(function) = open.pop() {
            if !std::mem::replace(&mut found[function.index()], true) {
                open.extend_from_slice(self.calls.callers(function));
            }
        }
        found
    }
}
