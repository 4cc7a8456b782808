//! Source locations and identities from debug information.

use std::collections::HashMap;
use std::rc::Rc;

use super::Context;
use crate::id::{FileId, LocationId};
use crate::llvm::{Metadata, MetadataKind, Value};
use crate::location::{Identity, Location, SourceFile};

/// Longer chains of scopes and of inlining are cut; a damaged file may even hold a cycle.
const MAX_CHAIN: u32 = 1000;

/// What was read already.
#[derive(Default)]
pub(super) struct DebugInfo<'m> {
    locations: HashMap<Metadata<'m>, Option<LocationId>>,
    location_ids: HashMap<Location, LocationId>,
    scopes: HashMap<Metadata<'m>, Option<Scope>>,
    files: HashMap<Metadata<'m>, Option<FileId>>,
    file_ids: HashMap<SourceFile, FileId>,
}

/// Where a lexical scope lies.
#[derive(Clone)]
struct Scope {
    file: FileId,
    function: Rc<str>,
}

impl<'m> Context<'m> {
    /// Where an instruction comes from.
    pub(super) fn location_of(&mut self, instruction: Value<'m>) -> Option<LocationId> {
        let metadata = instruction.debug_location()?;
        self.location(metadata, 0)
    }

    fn location(&mut self, metadata: Metadata<'m>, depth: u32) -> Option<LocationId> {
        if let Some(&known) = self.debug.locations.get(&metadata) {
            return known;
        }
        let id = self.read_location(metadata, depth);
        self.debug.locations.insert(metadata, id);
        id
    }

    fn read_location(&mut self, metadata: Metadata<'m>, depth: u32) -> Option<LocationId> {
        if depth > MAX_CHAIN {
            return None;
        }
        let (line, column) = metadata.line_and_column()?;
        let scope = self.scope(metadata.location_scope()?)?;
        let inlined_at = match metadata.inlined_at() {
            Some(call) => Some(self.location(call, depth + 1)?),
            None => None,
        };
        let location = Location {
            file: scope.file,
            line,
            column,
            function: scope.function.to_string(),
            inlined_at,
        };
        if let Some(&known) = self.debug.location_ids.get(&location) {
            return Some(known);
        }
        let id = self.program.locations.push(location.clone());
        self.debug.location_ids.insert(location, id);
        Some(id)
    }

    fn scope(&mut self, metadata: Metadata<'m>) -> Option<Scope> {
        if let Some(known) = self.debug.scopes.get(&metadata) {
            return known.clone();
        }
        let scope = self.read_scope(metadata);
        self.debug.scopes.insert(metadata, scope.clone());
        scope
    }

    fn read_scope(&mut self, metadata: Metadata<'m>) -> Option<Scope> {
        let function = self.enclosing_function(metadata)?;
        // A lexical block has a file of its own where code comes out of an included file.
        let file = metadata.file(self.module).or_else(|| function.file(self.module))?;
        Some(Scope {
            file: self.file(file)?,
            function: function.name(self.module).unwrap_or_default().into(),
        })
    }

    fn enclosing_function(&self, scope: Metadata<'m>) -> Option<Metadata<'m>> {
        let mut scope = scope;
        for _ in 0..MAX_CHAIN {
            match scope.kind() {
                MetadataKind::Subprogram => return Some(scope),
                MetadataKind::LexicalBlock => scope = scope.parent(self.module)?,
                _ => return None,
            }
        }
        None
    }

    fn file(&mut self, metadata: Metadata<'m>) -> Option<FileId> {
        if let Some(&known) = self.debug.files.get(&metadata) {
            return known;
        }
        let id = metadata.directory_and_name().map(|(directory, name)| {
            let file = SourceFile { directory, name };
            let program = &mut self.program;
            *self
                .debug
                .file_ids
                .entry(file)
                .or_insert_with_key(|file| program.files.push(file.clone()))
        });
        self.debug.files.insert(metadata, id);
        id
    }

    /// What a defined function is called in the source text.
    pub(super) fn function_identity(&mut self, function: Value<'m>) -> Option<Identity> {
        if function.is_declaration() {
            return None;
        }
        let subprogram = function.subprogram()?;
        self.identity(subprogram, subprogram.unit(self.module), String::new())
    }

    /// What a defined global is called in the source text.
    pub(super) fn global_identity(&mut self, global: Value<'m>) -> Option<Identity> {
        if global.is_declaration() {
            return None;
        }
        let variable = global
            .attached_metadata()
            .into_iter()
            .find_map(|metadata| metadata.global_variable(self.module))?;
        let function =
            variable.parent(self.module).and_then(|scope| self.enclosing_function(scope));
        let unit = function.unwrap_or(variable).unit(self.module);
        let scope = function.and_then(|function| function.name(self.module)).unwrap_or_default();
        self.identity(variable, unit, scope)
    }

    fn identity(
        &mut self,
        described: Metadata<'m>,
        unit: Option<Metadata<'m>>,
        scope: String,
    ) -> Option<Identity> {
        let file = self.file(described.file(self.module)?)?;
        let unit = unit.and_then(|unit| unit.file(self.module)).and_then(|unit| self.file(unit));
        Some(Identity {
            file,
            unit: unit.unwrap_or(file),
            line: described.line(),
            scope,
            name: described.name(self.module)?,
            // Not the linkage: linking a whole program makes every symbol internal.
            local: described.is_local(self.module),
        })
    }

    /// The source name of the variable that a `llvm.dbg.declare` describes, and its address.
    pub(super) fn declared_variable(&self, call: Value<'m>) -> Option<(Value<'m>, String)> {
        let address = call.operand(0)?.wrapped_value()?;
        let variable = call.operand(1)?.as_metadata()?;
        Some((address, variable.name(self.module)?))
    }
}
