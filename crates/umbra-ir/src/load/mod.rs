//! The loader: from LLVM bitcode to a [`Program`].
//!
//! One [`Context`] translates one module, by family: types (`layout`), constants, labels, globals,
//! debug information, functions (control flow), instructions, vectors, memory, calls, intrinsics, annotations. What cannot
//! be expressed is an [`Unsupported`] value. Inside a function it becomes the terminator of the
//! block it is met in, in an initialiser it becomes that global's contents: a program with an
//! unsupported part loads, and fails only on the paths that reach the part.

mod annotations;
mod assembly;
mod calls;
mod constants;
mod debug;
mod error;
mod functions;
mod globals;
mod instructions;
mod intrinsics;
mod labels;
mod layout;
mod memory;
mod target;
mod vectors;
mod x86;

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::rc::Rc;

pub use error::{HookError, LoadError};

use crate::constant::{Constant, Symbol};
use crate::id::{ConstantId, FunctionId, StructId};
use crate::instruction::Operand;
use crate::llvm::{
    Block as LlvmBlock, Linkage, Module, ReadError, Type as LlvmType, Unhooked, Value,
};
use crate::program::{Function, Program};
use debug::DebugInfo;
use labels::Labels;
use layout::Layout;

/// Something that the IR cannot express, worded for people: `vector type`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Unsupported(String);

/// The translation of one module.
struct Context<'m> {
    module: &'m Module,
    layout: Layout<'m>,
    debug: DebugInfo<'m>,
    program: Program,
    constant_ids: HashMap<Constant, ConstantId>,
    /// Scalar constants that were met already.
    scalars: HashMap<Value<'m>, Operand>,
    symbols: HashMap<Value<'m>, Symbol>,
    /// Functions by link name.
    function_ids: HashMap<String, FunctionId>,
    /// Functions that are intrinsics, by their name without `llvm.` and types.
    intrinsics: HashMap<Value<'m>, Rc<str>>,
    /// Structs that were met already, and their entry in the program's table.
    structs: HashMap<LlvmType<'m>, Option<StructId>>,
    /// For each function with a body, in order, the blocks of LLVM's that ours are; `None` for those that we made.
    kept: Vec<Vec<Option<LlvmBlock<'m>>>>,
    /// Labels of the functions of which some address was taken.
    labels: HashMap<Value<'m>, Labels<'m>>,
}

/// Loads a bitcode file in this process.
///
/// LLVM may crash on a damaged file, and takes the process with it; `Loader` is for files that are
/// not known to be sound.
pub fn load_bitcode(path: &Path) -> Result<Program, LoadError> {
    let module = read_module(path)?;
    let mut context = Context::new(&module);
    context.load().map_err(|unsupported| unsupported.at(path))?;
    Ok(context.program)
}

/// Writes a copy of a bitcode file in which every block that [`load_bitcode`] keeps notes that it
/// was entered; returns how many there are.
///
/// The notes are bytes of the section [`COUNTERS`](crate::COUNTERS), one for each block of the
/// program in order, that of the first function first.
pub fn count_blocks(input: &Path, output: &Path) -> Result<usize, LoadError> {
    let module = read_module(input)?;
    let mut context = Context::new(&module);
    context.load().map_err(|unsupported| unsupported.at(input))?;
    let blocks: Vec<Option<LlvmBlock>> = context.kept.concat();
    module.count(&blocks);
    module
        .write(output)
        .map_err(|ReadError(reason)| LoadError::Write { path: output.into(), reason })?;
    Ok(blocks.len())
}

/// Writes a copy of a bitcode file in which the calls of these functions go through hooks, which are left
/// undefined (`umbra-project/libc/call/call.c` has them). Of several, those that cannot be hooked are left out.
pub fn hook_calls(input: &Path, output: &Path, functions: &[String]) -> Result<(), HookError> {
    let module = read_module(input)?;
    let (mut hooked, mut first) = (0, None);
    for function in functions {
        match module.hook_calls_of(function) {
            Ok(()) => hooked += 1,
            Err(why) => {
                let function = function.clone();
                first.get_or_insert(match why {
                    Unhooked::Unknown => HookError::Unknown { function },
                    Unhooked::NoTypes => HookError::NoTypes { function },
                    Unhooked::NoBytes => HookError::NoBytes { function },
                });
            }
        }
    }
    if let Some(error) = first.filter(|_| hooked == 0) {
        return Err(error);
    }
    module
        .write(output)
        .map_err(|ReadError(reason)| LoadError::Write { path: output.into(), reason })?;
    Ok(())
}

fn read_module(path: &Path) -> Result<Module, LoadError> {
    let bytes = fs::read(path)
        .map_err(|error| LoadError::Read { path: path.into(), reason: error.to_string() })?;
    if !is_bitcode(&bytes) {
        return Err(LoadError::NotBitcode { path: path.into() });
    }
    let module = Module::read(&bytes)
        .map_err(|ReadError(reason)| LoadError::Damaged { path: path.into(), reason })?;
    target::check(&module)
        .map_err(|target| LoadError::WrongTarget { path: path.into(), target })?;
    Ok(module)
}

impl Unsupported {
    fn at(self, path: &Path) -> LoadError {
        LoadError::Unsupported { path: path.into(), reason: self.0 }
    }
}

/// Whether a file starts as raw or wrapped bitcode does.
fn is_bitcode(bytes: &[u8]) -> bool {
    bytes.starts_with(b"BC\xc0\xde") || bytes.starts_with(&0x0b17_c0de_u32.to_le_bytes())
}

impl<'m> Context<'m> {
    fn new(module: &'m Module) -> Self {
        Self {
            module,
            layout: Layout::default(),
            debug: DebugInfo::default(),
            program: Program::default(),
            constant_ids: HashMap::new(),
            scalars: HashMap::new(),
            symbols: HashMap::new(),
            function_ids: HashMap::new(),
            intrinsics: HashMap::new(),
            structs: HashMap::new(),
            kept: Vec::new(),
            labels: HashMap::new(),
        }
    }

    fn load(&mut self) -> Result<(), Unsupported> {
        self.declare_globals();
        self.declare_functions();
        self.define_globals();
        self.define_aliases();
        self.define_constructors()?;
        self.define_functions();
        self.read_annotations();
        Ok(())
    }

    /// Gives every function an id; their bodies refer to each other.
    fn declare_functions(&mut self) {
        for value in self.module.functions() {
            if let Some(name) = value.intrinsic_name() {
                let name = name.strip_prefix("llvm.").unwrap_or(&name).into();
                self.intrinsics.insert(value, name);
                continue;
            }
            let name = value.link_name();
            // An intrinsic that LLVM itself does not know.
            if let Some(rest) = name.strip_prefix("llvm.") {
                self.intrinsics.insert(value, rest.into());
                continue;
            }
            let function = Function {
                identity: self.function_identity(value),
                parameters: Vec::new(),
                by_value: Vec::new(),
                results: Vec::new(),
                variadic: value.value_type().is_some_and(LlvmType::variadic),
                weak: value.linkage() == Linkage::ExternalWeak,
                old: None,
                body: None,
                name: name.clone(),
            };
            let id = self.program.functions.push(function);
            self.symbols.insert(value, Symbol::Function(id));
            self.function_ids.insert(name, id);
        }
    }

    fn define_functions(&mut self) {
        for value in self.module.functions() {
            if let Some(&Symbol::Function(id)) = self.symbols.get(&value) {
                self.define_function(id, value);
            }
        }
    }
}
