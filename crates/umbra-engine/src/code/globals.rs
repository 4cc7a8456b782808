//! Globals: where they are, and what they hold when the program starts.
//!
//! A global that is not the same in both versions is one object with room for either. Memory starts as
//! the new version has it; what the old one has instead is kept until somebody runs that ([`OldGlobal`]).

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use umbra_ir::{Global, GlobalId, Id, Initializer};

use super::image::{Image, Place, function_address};
use crate::memory::{Memory, ObjectKind};

/// What a global is in the old version.
#[derive(Clone, Debug)]
pub(crate) struct OldGlobal {
    pub global: GlobalId,
    pub address: u64,
    pub writable: bool,
    /// Its contents, which say its size.
    pub bytes: Vec<u8>,
}

impl Image {
    /// Gives every global an object, and the arrays of constructors and destructors, which the
    /// linker makes in a native program.
    pub(super) fn place_globals(&mut self, memory: &mut Memory) {
        let program = Arc::clone(&self.program);
        let mut arrays = HashMap::new();
        // The libc goes through the destructors from the last one to the first.
        let destructors = program.destructors.iter().rev().copied().collect();
        for (prefix, functions) in
            [("__init_array", &program.constructors), ("__fini_array", &destructors)]
        {
            let size = 8 * functions.len() as u64;
            let base = memory.add_global(ObjectKind::Startup, 16, size);
            for (index, &function) in functions.iter().enumerate() {
                let bytes = function_address(function).to_le_bytes();
                memory.write(base + 8 * index as u64, &bytes).expect("the array was made to fit");
            }
            arrays.insert(format!("{prefix}_start"), base);
            arrays.insert(format!("{prefix}_end"), base + size);
        }
        let mut literals = HashMap::new();
        for (id, global) in program.globals.iter() {
            let external = matches!(global.initializer, Initializer::External);
            let (size, align) = room(global);
            let mut add = |size| memory.add_global(ObjectKind::Global(id), align.into(), size);
            let address = match (arrays.get(&global.name), literal(global)) {
                (Some(&address), _) if external => address,
                _ if external && global.weak => 0,
                (_, Some(bytes)) => *literals.entry(bytes).or_insert_with(|| add(size)),
                // A null pointer of the allocator, which is ours and has no locks.
                _ if external && global.name == "__bump_lockptr" => add(8),
                _ => add(if external { 0 } else { size }),
            };
            self.globals.push(address);
        }
    }

    /// Writes the contents of globals, which are those of the new version.
    pub(super) fn fill_globals(&mut self, memory: &mut Memory) {
        let program = Arc::clone(&self.program);
        let mut filled = HashSet::new();
        for (id, global) in program.globals.iter() {
            let base = self.globals[id.index()];
            if literal(global).is_some() && !filled.insert(base) {
                continue;
            }
            if let Some(bytes) = self.contents(global.size, &global.initializer) {
                memory.write(base, &bytes).expect("the object was made to fit");
            }
            if global.constant && base != 0 && !matches!(global.initializer, Initializer::External)
            {
                memory.make_constant(base);
            }
            let Some(old) = &global.old else { continue };
            memory.set_global_size(base, global.size);
            let bytes = self.contents(old.size, &old.initializer);
            let bytes = bytes.unwrap_or_else(|| vec![0; old.size as usize]);
            let (address, writable) = (base, !old.constant);
            self.old_globals.push(OldGlobal { global: id, address, writable, bytes });
        }
    }

    /// What a global holds when the program starts.
    pub(crate) fn initial(&self, global: GlobalId) -> Vec<u8> {
        let global = &self.program.globals[global];
        let bytes = self.contents(global.size, &global.initializer);
        bytes.unwrap_or_else(|| vec![0; global.size as usize])
    }

    /// The bytes of an initialiser that has some.
    fn contents(&self, size: u64, initializer: &Initializer) -> Option<Vec<u8>> {
        let Initializer::Data { bytes, relocations } = initializer else { return None };
        let mut bytes = bytes.clone();
        for relocation in relocations {
            let address = self.symbol_address(relocation.symbol);
            let address = address.wrapping_add(relocation.addend as u64);
            let at = relocation.offset as usize;
            if let Some(place) = bytes.get_mut(at..at + 8) {
                place.copy_from_slice(&address.to_le_bytes());
            }
        }
        bytes.truncate(size as usize);
        Some(bytes)
    }

    /// Where a global is defined.
    pub(super) fn global_place(&self, global: GlobalId) -> Place {
        let global = &self.program.globals[global];
        match &global.identity {
            Some(identity) => Place {
                function: identity.name.clone(),
                file: self.program.files[identity.file].name.clone(),
                line: identity.line,
                column: 0,
            },
            None => {
                Place { function: global.name.clone(), file: String::new(), line: 0, column: 0 }
            }
        }
    }
}

/// Size and alignment that suffice for both versions.
pub(super) fn room(global: &Global) -> (u64, u32) {
    match &global.old {
        Some(old) => (global.size.max(old.size), global.align.max(old.align)),
        None => (global.size, global.align),
    }
}

/// The bytes of a string literal. Equal ones are one object, as linkers make it, and programs do
/// compare their addresses.
fn literal(global: &Global) -> Option<&[u8]> {
    match &global.initializer {
        Initializer::Data { bytes, relocations }
            if global.constant
                && global.old.is_none()
                && global.align == 1
                && global.name.starts_with(".str")
                && relocations.is_empty()
                && matches!(bytes.split_last(), Some((0, text)) if !text.contains(&0)) =>
        {
            Some(bytes)
        }
        _ => None,
    }
}
