//! Programs, functions, blocks and globals.

use serde::{Deserialize, Serialize};

use crate::constant::{Constant, Symbol};
use crate::id::{BlockId, ConstantId, FileId, FunctionId, GlobalId, LocationId, RegisterId, Table};
use crate::instruction::{ByValue, Instruction, Operand, Terminator};
use crate::location::{Identity, Location, SourceFile};
use crate::types::Type;

/// A whole program: everything the machine needs to run it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// All functions, defined and external.
    pub functions: Table<FunctionId, Function>,
    /// All global variables, defined and external.
    pub globals: Table<GlobalId, Global>,
    /// Other names of symbols.
    pub aliases: Vec<Alias>,
    /// All constants that instructions use; no two are equal.
    pub constants: Table<ConstantId, Constant>,
    /// All source locations; no two are equal.
    pub locations: Table<LocationId, Location>,
    /// All source files; no two are equal.
    pub files: Table<FileId, SourceFile>,
    /// Functions to call before `main`, in order.
    pub constructors: Vec<FunctionId>,
    /// Functions to call at exit, in order.
    pub destructors: Vec<FunctionId>,
}

/// Another name of a symbol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alias {
    /// The other name.
    pub name: String,
    /// What it names.
    pub symbol: Symbol,
    /// Bytes from the symbol's address.
    pub offset: i64,
}

/// A function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// The link name.
    pub name: String,
    /// The name in the source text, where debug information has one.
    pub identity: Option<Identity>,
    /// Types of the fixed parameters.
    pub parameters: Vec<Type>,
    /// Objects that the caller copies for the callee, by index of the parameter.
    pub by_value: Vec<(u32, ByValue)>,
    /// Types of the results: none, one, or the leaves of an aggregate.
    pub results: Vec<Type>,
    /// Takes more arguments than `parameters`.
    pub variadic: bool,
    /// An external function that may be absent; its address is then null.
    pub weak: bool,
    /// What it does; `None` for an external function.
    pub body: Option<Body>,
}

/// The code of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Body {
    /// The types of all registers.
    pub registers: Table<RegisterId, Type>,
    /// All blocks; the first one is the entry, and its parameters are the function's.
    pub blocks: Table<BlockId, Block>,
}

/// A basic block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// Registers that every edge to this block assigns.
    pub parameters: Vec<RegisterId>,
    /// What the block does.
    pub instructions: Vec<Instruction>,
    /// Where it goes.
    pub terminator: Terminator,
    /// Where the terminator comes from.
    pub location: Option<LocationId>,
    /// How many LLVM instructions the block stands for, the unit of all instruction counts.
    pub weight: u32,
}

/// A global variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Global {
    /// The link name.
    pub name: String,
    /// The name in the source text, where debug information has one.
    pub identity: Option<Identity>,
    /// Bytes it occupies.
    pub size: u64,
    /// Alignment of its address.
    pub align: u32,
    /// May not be written.
    pub constant: bool,
    /// One per thread.
    pub thread_local: bool,
    /// An external global that may be absent; its address is then null.
    pub weak: bool,
    /// Its first contents.
    pub initializer: Initializer,
}

/// The first contents of a global.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Initializer {
    /// Defined elsewhere.
    External,
    /// All zero.
    Zero,
    /// These bytes, `size` of them, with addresses filled in.
    Data {
        /// The bytes; zero where an address goes.
        bytes: Vec<u8>,
        /// The addresses, by rising offset.
        relocations: Vec<Relocation>,
    },
    /// Something the loader cannot express: the first access ends the path.
    Unsupported(String),
}

/// An eight-byte address in an initialiser.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relocation {
    /// Where it goes.
    pub offset: u64,
    /// What it points to.
    pub symbol: Symbol,
    /// Bytes to add.
    pub addend: i64,
}

impl Program {
    /// The function of this link name, aliases included.
    pub fn function(&self, name: &str) -> Option<FunctionId> {
        let direct = self.functions.iter().find(|(_, function)| function.name == name);
        direct.map(|(id, _)| id).or_else(|| {
            self.aliases.iter().find(|alias| alias.name == name).and_then(|alias| {
                match alias.symbol {
                    Symbol::Function(id) if alias.offset == 0 => Some(id),
                    _ => None,
                }
            })
        })
    }

    /// The type of an operand of `body`.
    pub fn type_of(&self, body: &Body, operand: Operand) -> Type {
        match operand {
            Operand::Register(register) => body.registers[register],
            Operand::Constant(constant) => self.constants[constant].ty,
        }
    }
}
