//! Global variables, aliases and the lists of constructors.

use std::cmp::Reverse;

use super::layout::Layout;
use super::{Context, Unsupported};
use crate::constant::{ConstantValue, Symbol};
use crate::id::{FunctionId, GlobalId};
use crate::llvm::{Kind, Linkage, TypeKind, Value};
use crate::program::{Alias, Global, Initializer, Relocation};
use crate::types::Type;

/// Initialisers of more bytes than this are refused unless they are all zero.
const MAX_DATA: u64 = 1 << 30;

/// Aggregates in aggregates deeper than this do not come from a compiler.
const MAX_DEPTH: u32 = 256;

/// An initialiser being written.
struct Data {
    bytes: Vec<u8>,
    relocations: Vec<Relocation>,
}

impl<'m> Context<'m> {
    /// Gives every global an id; their contents may refer to each other.
    pub(super) fn declare_globals(&mut self) {
        for value in self.module.globals() {
            let name = value.link_name();
            // Lists for the linker; `llvm.global_ctors` and `llvm.global_dtors` are read apart.
            if name.starts_with("llvm.") {
                continue;
            }
            // A type of unknown size can only be declared, and only its address be taken.
            let layout = value.value_type().and_then(|ty| self.layout.of(ty).ok());
            let (size, align) = layout.map_or((0, 1), |layout| (layout.size, layout.align));
            let global = Global {
                name,
                identity: self.global_identity(value),
                size,
                align: value.alignment().unwrap_or(align),
                constant: value.is_read_only(),
                thread_local: value.is_thread_local(),
                weak: value.linkage() == Linkage::ExternalWeak,
                initializer: Initializer::External,
                old: None,
            };
            let id = self.program.globals.push(global);
            self.symbols.insert(value, Symbol::Global(id));
        }
    }

    /// Fills in the globals' contents.
    pub(super) fn define_globals(&mut self) {
        for value in self.module.globals() {
            if let Some(&Symbol::Global(id)) = self.symbols.get(&value)
                && let Some(initializer) = value.initializer()
            {
                let initializer = self.initializer(id, initializer);
                self.program.globals[id].initializer = initializer;
            }
        }
    }

    fn initializer(&mut self, id: GlobalId, value: Value<'m>) -> Initializer {
        if let Err(Unsupported(reason)) =
            value.ty().map_or(Ok(()), |ty| self.layout.of(ty).map(|_| ()))
        {
            return Initializer::Unsupported(format!("{reason} in a global variable"));
        }
        if matches!(value.kind(), Kind::Zero | Kind::NullPointer | Kind::Undefined) {
            return Initializer::Zero;
        }
        let size = self.program.globals[id].size;
        if size > MAX_DATA {
            return Initializer::Unsupported("a very large initialiser".into());
        }
        let mut data = Data { bytes: vec![0; size as usize], relocations: Vec::new() };
        match self.write(value, 0, &mut data, 0) {
            Err(Unsupported(reason)) => {
                Initializer::Unsupported(format!("{reason} in an initialiser"))
            }
            Ok(()) if data.relocations.is_empty() && data.bytes.iter().all(|&byte| byte == 0) => {
                Initializer::Zero
            }
            Ok(()) => Initializer::Data { bytes: data.bytes, relocations: data.relocations },
        }
    }

    /// Writes a constant at an offset; offsets rise from call to call.
    fn write(
        &mut self,
        value: Value<'m>,
        offset: u64,
        data: &mut Data,
        depth: u32,
    ) -> Result<(), Unsupported> {
        if depth > MAX_DEPTH {
            return Err(Unsupported("a deeply nested constant".into()));
        }
        if matches!(value.kind(), Kind::Zero | Kind::Undefined | Kind::NullPointer) {
            return Ok(());
        }
        let untyped = || Unsupported("a constant without type".into());
        let ty = value.ty().ok_or_else(untyped)?;
        match ty.kind() {
            TypeKind::Array(count, element) => {
                if let Some(bytes) = value.string_bytes() {
                    return data.put(offset, &bytes);
                }
                let step = self.layout.of(element)?.size;
                for index in 0..count {
                    let item = u32::try_from(index).ok().and_then(|i| value.element(i));
                    let item = item.ok_or_else(|| Unsupported("an array cut short".into()))?;
                    self.write(item, offset + index * step, data, depth + 1)?;
                }
                Ok(())
            }
            TypeKind::Vector(..) => {
                let lanes = self.layout.leaves_in_memory(ty)?;
                for (index, lane) in (0..).zip(lanes.iter()) {
                    let item = value.element(index);
                    let item = item.ok_or_else(|| Unsupported("a vector cut short".into()))?;
                    self.write(item, offset + lane.offset, data, depth + 1)?;
                }
                Ok(())
            }
            TypeKind::Struct => {
                let layout = self.layout.of(ty)?;
                for (index, at) in layout.fields.iter().enumerate() {
                    let item = value
                        .element(index as u32)
                        .ok_or_else(|| Unsupported("a struct cut short".into()))?;
                    self.write(item, offset + at, data, depth + 1)?;
                }
                Ok(())
            }
            _ => {
                let ty = Layout::scalar(ty)?;
                match self.fold(value, ty)? {
                    Some(constant) => data.put_scalar(offset, ty, &constant),
                    None => Err(Unsupported(
                        "a constant expression that is neither a number nor an address".into(),
                    )),
                }
            }
        }
    }

    /// Reads the aliases. One that is no address is left out: using it is an error by itself.
    pub(super) fn define_aliases(&mut self) {
        for value in self.module.aliases() {
            if let Ok(Some(ConstantValue::Address { symbol, offset })) =
                self.fold(value, Type::Pointer)
            {
                self.program.aliases.push(Alias { name: value.link_name(), symbol, offset });
            }
        }
    }

    /// Reads the functions to call before `main` and at exit.
    pub(super) fn define_constructors(&mut self) -> Result<(), Unsupported> {
        for value in self.module.globals() {
            match value.name().as_str() {
                "llvm.global_ctors" => {
                    let mut list = self.prioritized(value)?;
                    list.sort_by_key(|&(priority, _)| priority);
                    self.program.constructors = list.into_iter().map(|(_, id)| id).collect();
                }
                // Destructors run in the opposite order of constructors.
                "llvm.global_dtors" => {
                    let mut list = self.prioritized(value)?;
                    list.reverse();
                    list.sort_by_key(|&(priority, _)| Reverse(priority));
                    self.program.destructors = list.into_iter().map(|(_, id)| id).collect();
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn prioritized(&mut self, list: Value<'m>) -> Result<Vec<(u64, FunctionId)>, Unsupported> {
        let mut functions = Vec::new();
        let Some(entries) = list.initializer() else {
            return Ok(functions);
        };
        for index in 0.. {
            let Some(entry) = entries.element(index) else {
                break;
            };
            let priority = entry.element(0).and_then(Value::integer_words);
            let priority = priority.map_or(u64::from(u16::MAX), |words| words[0]);
            let function = match entry.element(1) {
                Some(function) => self.fold(function, Type::Pointer)?,
                None => None,
            };
            match function {
                Some(ConstantValue::Address { symbol: Symbol::Function(id), offset: 0 }) => {
                    functions.push((priority, id));
                }
                // A null function ends nothing and calls nothing.
                Some(ConstantValue::Word(0)) => {}
                _ => return Err(Unsupported("a constructor that is no function".into())),
            }
        }
        Ok(functions)
    }
}

impl Data {
    fn put(&mut self, offset: u64, bytes: &[u8]) -> Result<(), Unsupported> {
        let start = offset as usize;
        let place = self.bytes.get_mut(start..start + bytes.len());
        place
            .ok_or_else(|| Unsupported("an initialiser longer than its global".into()))?
            .copy_from_slice(bytes);
        Ok(())
    }

    fn put_scalar(
        &mut self,
        offset: u64,
        ty: Type,
        constant: &ConstantValue,
    ) -> Result<(), Unsupported> {
        let words = match constant {
            ConstantValue::Word(word) => vec![*word],
            ConstantValue::Words(words) => words.to_vec(),
            ConstantValue::Undefined => vec![],
            &ConstantValue::Address { symbol, offset: addend } => {
                self.relocations.push(Relocation { offset, symbol, addend });
                // Also checks that the address lies within the global.
                return self.put(offset, &[0; 8]);
            }
        };
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let length = bytes.len().min(ty.store_bytes() as usize);
        self.put(offset, &bytes[..length])
    }
}
