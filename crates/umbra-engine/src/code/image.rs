//! The image: a program lowered to operations, with its globals laid out.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use umbra_ir::{
    BlockId, Constant, ConstantValue, Function, FunctionId, GlobalId, Id, LocationId, Presence,
    Program, Symbol, Type,
};
use umbra_words::Version;

use super::builtin::{Builtin, CharacterFunction, Comparison, InputCall};
use super::globals::{OldGlobal, room};
use super::live::Livenesses;
use super::lower;
use super::op::{CallSite, Header, Local, Op, Rare, Signature, SwitchTable, Target};
use crate::lockstep::GLOBAL_CHANGE;
use crate::memory::{FUNCTIONS, Memory};

/// Bytes between the addresses of two functions, and before the first.
const FUNCTION_STEP: u64 = 16;

/// What a function is to the machine.
#[derive(Clone, Debug)]
pub struct FunctionCode {
    /// The entry block; `None` if the program does not define the function.
    pub entry: Option<Target>,
    /// Words of a frame.
    pub frame: u32,
    /// Words of the parameters.
    pub parameter_words: u32,
    /// Interned parameter types, or that calls need more than copying words.
    pub signature: Signature,
    /// The machine's own version.
    pub builtin: Option<Builtin>,
    /// How it compares its arguments, if that is what it does.
    pub comparison: Option<Comparison>,
    /// What it does with its only argument, if that is a character.
    pub character: Option<CharacterFunction>,
    /// It is the libc's: a difference in how it goes is none of the program.
    pub library: bool,
}

/// A program ready to run; shared by all states.
pub struct Image {
    /// What was lowered.
    pub program: Arc<Program>,
    pub(crate) ops: Vec<Op>,
    pub(crate) locations: Vec<Option<LocationId>>,
    /// Where operations are in the text of the old version, if they are elsewhere.
    pub(crate) old_locations: HashMap<u32, LocationId>,
    pub(crate) headers: Vec<Header>,
    pub(crate) sites: Vec<CallSite>,
    pub(crate) tables: Vec<SwitchTable>,
    pub(crate) rares: Vec<Rare>,
    pub(crate) locals: Vec<Local>,
    pub(crate) unsupported: Vec<String>,
    pub(crate) functions: Vec<FunctionCode>,
    /// The first operation of each function, rising, to find the function of an operation.
    pub(crate) starts: Vec<(u32, FunctionId)>,
    pub(crate) globals: Vec<u64>,
    /// The globals that are not the same in both versions.
    pub(crate) old_globals: Vec<OldGlobal>,
    pub(crate) signatures: HashMap<Vec<Type>, Signature>,
    pub(crate) livenesses: Livenesses,
    /// In which versions each target is that is a block.
    pub(crate) presence: Vec<Option<Presence>>,
    /// Where the ways of each function come together, of those that somebody has asked for.
    pub(crate) rejoins: Vec<OnceLock<Vec<Option<BlockId>>>>,
}

/// A place in the source text, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The function's source name.
    pub function: String,
    /// The file, as the compiler was given it; empty if unknown.
    pub file: String,
    /// The line; 0 if unknown.
    pub line: u32,
    /// The column; 0 if unknown.
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.function)?;
        match (self.file.as_str(), self.line, self.column) {
            ("", ..) => Ok(()),
            (file, 0, _) => write!(f, " at {file}"),
            (file, line, 0) => write!(f, " at {file}:{line}"),
            (file, line, column) => write!(f, " at {file}:{line}:{column}"),
        }
    }
}

/// What the functions are by which a program speaks of its inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inputs {
    /// Those of libc: they read a test case.
    Given,
    /// Those of the machine: they make expressions.
    Symbolic,
}

/// Bytes of native code that one operation becomes at most, on average.
const NATIVE_OP: u64 = 16;

impl Image {
    /// The most bytes that the native program takes, code and variables.
    pub(crate) fn native_bytes(&self) -> u64 {
        let globals: u64 = self.program.globals.values().map(|global| room(global).0).sum();
        globals + self.ops.len() as u64 * NATIVE_OP
    }

    /// Lays out the globals of `program` in `memory`, which must be empty, and lowers its code.
    pub fn new(program: Arc<Program>, memory: &mut Memory, inputs: Inputs) -> Self {
        let mut image = Self {
            ops: vec![Op::Unreachable],
            locations: vec![None],
            old_locations: HashMap::new(),
            headers: Vec::new(),
            sites: Vec::new(),
            tables: Vec::new(),
            rares: Vec::new(),
            locals: Vec::new(),
            unsupported: Vec::new(),
            functions: Vec::new(),
            starts: Vec::new(),
            globals: Vec::new(),
            old_globals: Vec::new(),
            signatures: HashMap::new(),
            livenesses: Livenesses::new(program.functions.len()),
            rejoins: program.functions.iter().map(|_| OnceLock::new()).collect(),
            presence: Vec::new(),
            program: Arc::clone(&program),
        };
        image.place_globals(memory);
        for function in program.functions.values() {
            let builtin = match function.body {
                None => Builtin::by_name(&function.name),
                Some(_) if inputs == Inputs::Symbolic => InputCall::overrides(&function.name),
                Some(_) => InputCall::checks(&function.name),
            };
            let signature = match function.variadic {
                true => Signature::SPECIAL_FUNCTION,
                false => image.intern_signature(function.parameters.clone()),
            };
            let parameter_words = function.parameters.iter().map(|ty| ty.words() as u32).sum();
            let entry = None;
            image.functions.push(FunctionCode {
                entry,
                frame: 0,
                parameter_words,
                signature,
                builtin,
                comparison: Comparison::by_name(&function.name),
                character: character_function(&program, function),
                library: is_library(&program, function),
            });
        }
        // Addresses of functions depend on which of them exist, so contents come after those.
        image.fill_globals(memory);
        for function in program.functions.ids() {
            lower::lower_function(&mut image, function);
        }
        image.find_presence();
        image
    }

    pub(crate) fn intern_signature(&mut self, types: Vec<Type>) -> Signature {
        let next = Signature(self.signatures.len() as u32);
        *self.signatures.entry(types).or_insert(next)
    }

    /// The address of a global.
    pub fn global_address(&self, global: GlobalId) -> u64 {
        self.globals[global.index()]
    }

    pub(super) fn symbol_address(&self, symbol: Symbol) -> u64 {
        match symbol {
            Symbol::Global(global) => self.globals[global.index()],
            Symbol::Function(function) => {
                let definition = &self.program.functions[function];
                let absent = definition.body.is_none()
                    && definition.weak
                    && self.functions[function.index()].builtin.is_none();
                if absent { 0 } else { function_address(function) }
            }
        }
    }

    /// The words of a constant.
    pub(crate) fn constant_words(&self, constant: &Constant) -> Vec<u64> {
        match &constant.value {
            ConstantValue::Word(word) => vec![*word],
            ConstantValue::Words(words) => words.to_vec(),
            ConstantValue::Undefined => vec![0; constant.ty.words()],
            ConstantValue::Address { symbol, offset } => {
                vec![self.symbol_address(*symbol).wrapping_add(*offset as u64)]
            }
        }
    }

    /// Whether the program asks for inputs itself, beside those that it is given from outside.
    pub fn asks_for_inputs(&self) -> bool {
        let asks = |builtin| matches!(builtin, Some(Builtin::Input(call)) if call.makes_input());
        self.functions.iter().any(|function| asks(function.builtin))
    }

    /// The function at this address.
    pub(crate) fn function_at(&self, address: u64) -> Option<FunctionId> {
        let offset = address.checked_sub(FUNCTIONS.start + FUNCTION_STEP)?;
        let index = (offset / FUNCTION_STEP) as usize;
        let exact = offset % FUNCTION_STEP == 0 && index < self.functions.len();
        exact.then(|| FunctionId::from_index(index))
    }

    /// An address in the code of a function, but not its own.
    pub(crate) fn address_in(&self, function: FunctionId) -> u64 {
        function_address(function) + FUNCTION_STEP / 2
    }

    /// Whether a call needs no more than copying the words of its arguments.
    #[inline]
    pub(crate) fn is_plain_call(&self, function: FunctionId, site: u32) -> bool {
        let code = &self.functions[function.index()];
        code.entry.is_some() && code.signature == self.sites[site as usize].signature
    }

    /// The function that an operation belongs to.
    pub(crate) fn function_of(&self, pc: u32) -> FunctionId {
        let after = self.starts.partition_point(|&(start, _)| start <= pc);
        self.starts[after.saturating_sub(1)].1
    }

    /// The source name of a function.
    pub(crate) fn function_name(&self, function: FunctionId) -> String {
        let function = &self.program.functions[function];
        function.identity.as_ref().map_or(&function.name, |identity| &identity.name).clone()
    }

    /// The location of an operation. The compiler gives none to some; then it is that of the
    /// nearest operation of the same block, or of a jump to the block.
    fn location(&self, pc: u32) -> Option<LocationId> {
        if let Some(location) = self.locations[pc as usize] {
            return Some(location);
        }
        let starts = self.headers.iter().map(|header| header.pc);
        let start = starts.clone().filter(|&start| start <= pc).max()?;
        let end = starts.filter(|&start| start > pc).min();
        let end = end.map_or(self.ops.len(), |end| end as usize);
        let block = &self.locations[start as usize..end];
        let (before, after) = block.split_at((pc - start) as usize);
        let before = before.iter().rev().find_map(|&location| location);
        before.or_else(|| after.iter().find_map(|&location| location)).or_else(|| {
            let jumps = self.ops.iter().zip(&self.locations).filter(|(op, _)| match op {
                Op::Jump { to } | Op::MoveJump { to, .. } => self.headers[*to as usize].pc == start,
                _ => false,
            });
            jumps.filter_map(|(_, &location)| location).next()
        })
    }

    /// Where an operation comes from: the innermost place first, then where it was inlined. Of one that
    /// both versions have, it is the place in the new one. A change may also be a global.
    pub(crate) fn places(&self, pc: u32) -> Vec<Place> {
        self.places_in(pc, Version::New)
    }

    /// The innermost place that an operation comes from; `None` if it is not known.
    pub fn place_of_operation(&self, pc: u32) -> Option<Place> {
        self.places(pc).into_iter().next().filter(|place| place.line > 0)
    }

    /// The same in the text of either version.
    pub(crate) fn places_in(&self, pc: u32, version: Version) -> Vec<Place> {
        if let Some(global) = pc.checked_sub(GLOBAL_CHANGE) {
            return vec![self.global_place(GlobalId::from_index(global as usize))];
        }
        let mut places = Vec::new();
        let old = self.old_locations.get(&pc).copied().filter(|_| version == Version::Old);
        let mut next = old.or_else(|| self.location(pc));
        while let Some(id) = next {
            let location = &self.program.locations[id];
            places.push(Place {
                function: location.function.clone(),
                file: self.program.files[location.file].name.clone(),
                line: location.line,
                column: location.column,
            });
            next = location.inlined_at;
        }
        if places.is_empty() {
            let function = self.function_name(self.function_of(pc));
            places.push(Place { function, file: String::new(), line: 0, column: 0 });
        }
        places
    }
}

pub(super) fn function_address(function: FunctionId) -> u64 {
    FUNCTIONS.start + FUNCTION_STEP * (function.index() as u64 + 1)
}

/// Whether a function is the libc's, which is compiled under this name wherever its source lies.
fn is_library(program: &Program, function: &Function) -> bool {
    let identity = function.identity.as_ref();
    identity.is_some_and(|identity| program.files[identity.file].path().starts_with("musl"))
}

/// What a function does with a character, if it is libc's and not one of the program that happens
/// to have the name.
fn character_function(program: &Program, function: &Function) -> Option<CharacterFunction> {
    let takes_one = function.parameters == [Type::Integer(32)] && function.results.len() == 1;
    let identity = function.identity.as_ref()?;
    let file = program.files[identity.file].path();
    let is_libc = file.starts_with("musl") || identity.name.starts_with("__");
    CharacterFunction::by_name(&identity.name).filter(|_| takes_one && is_libc)
}
