//! Programs, functions, blocks and globals.

use serde::{Deserialize, Serialize};

use crate::constant::{Constant, Symbol};
use crate::id::{
    BlockId, ConstantId, FileId, FunctionId, GlobalId, LocationId, RegisterId, StructId, Table,
};
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
    /// The structs whose fields [`Operation::Offset`](crate::Operation::Offset) names; no two are equal.
    pub structs: Table<StructId, Struct>,
    /// Functions to call before `main`, in order.
    pub constructors: Vec<FunctionId>,
    /// Functions to call at exit, in order.
    pub destructors: Vec<FunctionId>,
    /// Where the blocks of two programs are that were merged into this one.
    pub merged: Option<Box<Merged>>,
}

/// Where the blocks of two programs are in the one that both were merged into.
///
/// A program's blocks are numbered through all its functions, in order: so are the native counters of
/// its executable ([`count_blocks`](crate::count_blocks)). A block is where its instructions are, which may be
/// several blocks, and none if it has no instruction of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Merged {
    /// The blocks of the old program.
    pub old: Vec<Vec<BlockPlace>>,
    /// The blocks of the new program.
    pub new: Vec<Vec<BlockPlace>>,
}

/// A block of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BlockPlace {
    /// Its function.
    pub function: FunctionId,
    /// The block.
    pub block: BlockId,
}

/// A struct of the source text, as it lies in memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Struct {
    /// Its tag, without what the linker appended to it.
    pub name: String,
    /// Bytes from one element of an array to the next.
    pub size: u64,
    /// Where its fields start.
    pub offsets: Vec<u64>,
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
    /// What it is in the old version, where that is something else.
    pub old: Option<Box<OldFunction>>,
    /// What it does; `None` for an external function.
    pub body: Option<Body>,
}

/// What a function with two signatures or names is in the old version.
///
/// Its parameters are those of the new version, then those that only the old one has. A version does
/// not read the parameters that it does not have; its calls pass undefined values for them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OldFunction {
    /// The link name.
    pub name: String,
    /// The name in the source text.
    pub identity: Option<Identity>,
    /// Where the parameters of the old version are among the function's, in order.
    pub parameters: Vec<u32>,
    /// How many of the function's parameters, from the first on, are the new version's.
    pub new_parameters: u32,
}

/// The code of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Body {
    /// The types of all registers.
    pub registers: Table<RegisterId, Type>,
    /// All blocks; the first one is the entry, and its parameters are the function's.
    pub blocks: Table<BlockId, Block>,
}

/// In which versions a block is, and what it says of them that both have come to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Presence {
    /// In both, where they do the same: versions that come to different strong blocks have parted.
    #[default]
    Strong,
    /// In both, but it holds changes, or only leads the versions their own ways. Versions that go
    /// different ways from here may still do the same.
    Weak,
    /// In the old version only.
    Old,
    /// In the new version only.
    New,
}

impl Presence {
    /// Whether both versions have the block.
    pub fn is_shared(self) -> bool {
        matches!(self, Self::Strong | Self::Weak)
    }
}

/// A basic block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// In which versions it is.
    pub presence: Presence,
    /// Registers that every edge to this block assigns.
    pub parameters: Vec<RegisterId>,
    /// What the block does.
    pub instructions: Vec<Instruction>,
    /// Where it goes.
    pub terminator: Terminator,
    /// Where the terminator comes from: in the new version, unless the block is the old one's.
    pub location: Option<LocationId>,
    /// Where the terminator is in the old version, if both have it and that is another place.
    pub old_location: Option<LocationId>,
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
    /// What it is in the old version, where that is something else. Both are one object, defined in
    /// both, and thread-local or weak in both or in neither.
    pub old: Option<Box<OldGlobal>>,
}

/// What a global is in the old version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OldGlobal {
    /// The link name.
    pub name: String,
    /// The name in the source text.
    pub identity: Option<Identity>,
    /// Bytes it occupies.
    pub size: u64,
    /// Alignment of its address.
    pub align: u32,
    /// May not be written.
    pub constant: bool,
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
