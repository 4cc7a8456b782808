//! The verifier: is a program well-formed?
//!
//! The engine relies on what is checked here and does not check it again.
//!
//! Tables:
//! - every id is one that its table handed out;
//! - no two constants, locations or files are equal;
//! - integer types have at least one bit; a constant is a `Word` exactly if its type has at most 64
//!   bits, and has no bits above its type's width; an `Address` has a pointer's type or `i64`;
//! - a location is inlined at one that comes before it in the table, so chains end;
//! - contents of a global have its size; relocations lie within it, rise and do not overlap;
//! - alignments are powers of two;
//! - a global that is not the same in both versions is defined in both;
//! - merged blocks are blocks.
//!
//! Functions:
//! - there is an entry block, its parameters are the function's, and no edge leads to it;
//! - a parameter passed by value is a pointer;
//! - every register is assigned at most once, by an instruction or as a block parameter;
//! - operands have the types that the operation wants, and a destination the type it yields;
//! - an edge has one operand for each parameter of its target, of the same type;
//! - `Return` has the function's results;
//! - a block that the entry reaches is in the versions that reach it, and in no other;
//! - the positions of the old version's parameters are those of parameters, each once;
//! - in blocks that the entry reaches, the assignment of a register dominates its uses.
//!
//! Not checked, because C programs break it: that a call agrees with its callee in number and types
//! of arguments and results.

mod body;
mod intrinsics;

use std::collections::HashSet;
use std::fmt;
use std::hash::Hash;

use crate::constant::{ConstantValue, Symbol};
use crate::id::{BlockId, FunctionId};
use crate::instruction::ByValue;
use crate::location::Identity;
use crate::program::{Function, Initializer, Program};
use crate::types::Type;

/// A rule that a program breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyError {
    /// The function, unless it is about the program's tables.
    pub function: Option<FunctionId>,
    /// The block, if it is about one.
    pub block: Option<BlockId>,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(function) = self.function {
            write!(f, "{function} ")?;
        }
        if let Some(block) = self.block {
            write!(f, "{block} ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for VerifyError {}

/// More errors than this are not collected: they follow from the first ones.
const MAX_ERRORS: usize = 100;

impl Program {
    /// Checks all invariants of the IR (see the list in the source of this module).
    pub fn verify(&self) -> Result<(), Vec<VerifyError>> {
        let mut errors = Errors::default();
        self.verify_tables(&mut errors);
        self.verify_globals(&mut errors);
        // The bodies' checks look types up; without sound tables they could not.
        if errors.list.is_empty() {
            for (id, function) in self.functions.iter() {
                errors.function = Some(id);
                errors.block = None;
                self.verify_signature(function, &mut errors);
                if let Some(body) = &function.body {
                    body::verify(self, function, body, &mut errors);
                }
            }
        }
        if errors.list.is_empty() { Ok(()) } else { Err(errors.list) }
    }

    fn verify_tables(&self, errors: &mut Errors) {
        for (id, constant) in self.constants.iter() {
            errors.check(sound_type(constant.ty), || format!("{id} has no bits"));
            let bits = constant.ty.bits();
            let right = match &constant.value {
                ConstantValue::Word(word) => bits <= 64 && (bits == 64 || word >> bits == 0),
                ConstantValue::Words(words) => {
                    let spare = (words.len() * 64).saturating_sub(bits as usize);
                    bits > 64
                        && words.len() == constant.ty.words()
                        && words.last().is_some_and(|last| last.leading_zeros() as usize >= spare)
                }
                ConstantValue::Address { symbol, .. } => {
                    self.has_symbol(*symbol)
                        && matches!(constant.ty, Type::Pointer | Type::Integer(64))
                }
                ConstantValue::Undefined => true,
            };
            errors.check(right, || format!("{id} does not have its type's shape"));
        }
        errors.check(unique(self.constants.values()), || "two constants are equal".into());
        errors.check(unique(self.locations.values()), || "two locations are equal".into());
        errors.check(unique(self.files.values()), || "two files are equal".into());
        for (id, location) in self.locations.iter() {
            errors.check(self.files.get(location.file).is_some(), || format!("{id} is in no file"));
            errors.check(location.inlined_at.is_none_or(|at| at < id), || {
                format!("{id} is inlined at a later location")
            });
        }
        for id in self.constructors.iter().chain(&self.destructors) {
            errors.check(self.functions.get(*id).is_some(), || {
                format!("constructor {id} is no function")
            });
        }
        errors.check(unique(self.structs.values()), || "two structs are equal".into());
        let merged = self.merged.iter().flat_map(|merged| merged.old.iter().chain(&merged.new));
        for place in merged.flatten() {
            let body = self.functions.get(place.function).and_then(|one| one.body.as_ref());
            let known = body.is_some_and(|body| body.blocks.get(place.block).is_some());
            errors.check(known, || format!("{} {} is merged", place.function, place.block));
        }
        for alias in &self.aliases {
            errors.check(self.has_symbol(alias.symbol), || {
                format!("alias `{}` is of nothing", alias.name)
            });
        }
    }

    fn verify_globals(&self, errors: &mut Errors) {
        for (id, global) in self.globals.iter() {
            errors.check(global.align.is_power_of_two(), || {
                format!("{id} has an alignment of {}", global.align)
            });
            errors.check(self.sound_identity(global.identity.as_ref()), || {
                format!("{id} is in no file")
            });
            errors.check(self.sound_contents(global.size, &global.initializer), || {
                format!("{id} has contents of another size")
            });
            let Some(old) = &global.old else { continue };
            errors.check(old.align.is_power_of_two(), || {
                format!("{id} had an alignment of {}", old.align)
            });
            errors.check(self.sound_identity(old.identity.as_ref()), || {
                format!("{id} was in no file")
            });
            errors.check(self.sound_contents(old.size, &old.initializer), || {
                format!("{id} had contents of another size")
            });
            let external = |contents: &Initializer| matches!(contents, Initializer::External);
            errors.check(!external(&global.initializer) && !external(&old.initializer), || {
                format!("{id} is not defined in both versions")
            });
        }
    }

    fn sound_contents(&self, size: u64, initializer: &Initializer) -> bool {
        let Initializer::Data { bytes, relocations } = initializer else {
            return true;
        };
        let mut end = 0;
        let sound = relocations.iter().all(|relocation| {
            let rises = relocation.offset >= end;
            end = relocation.offset.saturating_add(8);
            rises && end <= size && self.has_symbol(relocation.symbol)
        });
        sound && bytes.len() as u64 == size
    }

    fn verify_signature(&self, function: &Function, errors: &mut Errors) {
        errors.check(self.sound_identity(function.identity.as_ref()), || {
            "the function is in no file".into()
        });
        if let Some(old) = &function.old {
            errors.check(self.sound_identity(old.identity.as_ref()), || {
                "the function was in no file".into()
            });
            let count = function.parameters.len();
            let sound = unique(old.parameters.iter())
                && old.parameters.iter().all(|&at| (at as usize) < count)
                && old.new_parameters as usize <= count;
            errors.check(sound, || "the old version's parameters are none of its".into());
        }
        let types = function.parameters.iter().chain(&function.results);
        errors.check(types.copied().all(sound_type), || "a parameter or result has no bits".into());
        for &(index, by_value) in &function.by_value {
            let parameter = function.parameters.get(index as usize);
            errors.check(parameter == Some(&Type::Pointer), || {
                format!("parameter {index} is passed by value and no pointer")
            });
            errors.check(sound_by_value(by_value), || {
                format!("parameter {index} has an alignment of {}", by_value.align)
            });
        }
    }

    fn sound_identity(&self, identity: Option<&Identity>) -> bool {
        let known = |file| self.files.get(file).is_some();
        identity.is_none_or(|identity| known(identity.file) && known(identity.unit))
    }

    fn has_symbol(&self, symbol: Symbol) -> bool {
        match symbol {
            Symbol::Function(id) => self.functions.get(id).is_some(),
            Symbol::Global(id) => self.globals.get(id).is_some(),
        }
    }
}

fn sound_type(ty: Type) -> bool {
    ty.bits() > 0
}

fn sound_by_value(by_value: ByValue) -> bool {
    by_value.align.is_power_of_two()
}

fn unique<T: Eq + Hash>(items: std::slice::Iter<'_, T>) -> bool {
    let mut seen = HashSet::with_capacity(items.len());
    items.into_iter().all(|item| seen.insert(item))
}

/// The errors found so far, and where we are.
#[derive(Default)]
struct Errors {
    list: Vec<VerifyError>,
    function: Option<FunctionId>,
    block: Option<BlockId>,
}

impl Errors {
    /// Records an error unless the rule holds.
    fn check(&mut self, holds: bool, message: impl FnOnce() -> String) {
        if !holds && self.list.len() < MAX_ERRORS {
            self.list.push(VerifyError {
                function: self.function,
                block: self.block,
                message: message(),
            });
        }
    }
}
