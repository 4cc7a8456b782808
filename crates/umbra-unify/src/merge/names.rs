//! What the symbols of the old program are called in the unified one.
//!
//! The unified program starts as the new one: everything of that keeps its id. What the old program
//! has alone comes behind.

use std::collections::BTreeMap;

use umbra_ir::{FunctionId, GlobalId, Id, Program, Symbol};

use crate::correspondence::Correspondence;
use crate::pair::Symbols;

/// What symbols are called.
#[derive(Debug)]
pub struct Names {
    symbols: Symbols,
    /// How many functions and globals the new program has.
    new_functions: usize,
    new_globals: usize,
    functions: BTreeMap<FunctionId, FunctionId>,
    globals: BTreeMap<GlobalId, GlobalId>,
}

impl Names {
    /// Names for what was paired, and for what the old program has alone.
    pub fn new(new: &Program, symbols: Symbols, correspondence: &Correspondence) -> Self {
        let mut functions: BTreeMap<FunctionId, FunctionId> =
            correspondence.functions.iter().map(|pair| (pair.old, pair.new)).collect();
        let mut globals: BTreeMap<GlobalId, GlobalId> =
            correspondence.globals.iter().map(|pair| (pair.old, pair.new)).collect();
        let (new_functions, new_globals) = (new.functions.len(), new.globals.len());
        for (id, place) in correspondence.removed_functions.iter().zip(new_functions..) {
            functions.insert(*id, FunctionId::from_index(place));
        }
        for (id, place) in correspondence.removed_globals.iter().zip(new_globals..) {
            globals.insert(*id, GlobalId::from_index(place));
        }
        Self { symbols, new_functions, new_globals, functions, globals }
    }

    /// What was paired.
    pub fn symbols(&self) -> &Symbols {
        &self.symbols
    }

    /// The function that one of the old program is.
    pub fn function(&self, old: FunctionId) -> FunctionId {
        self.functions[&old]
    }

    /// The symbol that one of the old program is.
    pub fn symbol(&self, old: Symbol) -> Symbol {
        match old {
            Symbol::Function(id) => Symbol::Function(self.function(id)),
            Symbol::Global(id) => Symbol::Global(self.globals[&id]),
        }
    }

    /// A word for a symbol of the unified program; equal ones are the same thing.
    pub fn token(&self, symbol: Symbol) -> u64 {
        let is_new = match symbol {
            Symbol::Function(id) => id.index() < self.new_functions,
            Symbol::Global(id) => id.index() < self.new_globals,
        };
        match is_new {
            true => self.symbols.new_token(symbol),
            false => crate::normal::hash(&("removed", symbol)),
        }
    }
}
