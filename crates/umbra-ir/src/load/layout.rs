//! Sizes, alignments and scalar leaves of types, as the x86-64 System V ABI lays them out.
//!
//! LLVM can be asked for these too, but through a library that pulls in its code generator. The
//! rules are few, and `target` makes sure that the module is written for them.

use std::collections::HashMap;
use std::rc::Rc;

use super::{Context, Unsupported};
use crate::id::StructId;
use crate::llvm::{Type as LlvmType, TypeKind};
use crate::program::Struct;
use crate::types::{FloatKind, Type};

/// First-class aggregates of more scalars than this are not split.
const MAX_LEAVES: usize = 4096;

/// Vectors of more lanes than this are not split.
const MAX_LANES: u32 = 256;

/// Structs in structs deeper than this do not come from a compiler.
const MAX_DEPTH: u32 = 256;

/// Where a type lies in memory.
#[derive(Debug)]
pub(super) struct TypeLayout {
    /// Bytes from one array element to the next.
    pub(super) size: u64,
    /// Alignment of an object.
    pub(super) align: u32,
    /// Offsets of a struct's fields.
    pub(super) fields: Vec<u64>,
}

/// A scalar of an aggregate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Leaf {
    pub(super) ty: Type,
    /// Bytes from the start of the aggregate.
    pub(super) offset: u64,
}

/// Answers questions about types, once each.
#[derive(Default)]
pub(super) struct Layout<'m> {
    types: HashMap<LlvmType<'m>, Rc<TypeLayout>>,
    leaves: HashMap<LlvmType<'m>, Rc<[Leaf]>>,
}

fn too_large() -> Unsupported {
    Unsupported("a type of more than 2^64 bytes".into())
}

impl<'m> Context<'m> {
    /// The entry of a struct that has a name in the program's table.
    pub(super) fn struct_id(&mut self, ty: LlvmType<'m>) -> Option<StructId> {
        if let Some(&known) = self.structs.get(&ty) {
            return known;
        }
        let id = ty.struct_name().and_then(|name| {
            let layout = self.layout.of(ty).ok()?;
            let name = source_name(&name).to_owned();
            let described = Struct { name, size: layout.size, offsets: layout.fields.clone() };
            let structs = &mut self.program.structs;
            let known = structs.iter().find(|(_, known)| **known == described).map(|(id, _)| id);
            Some(known.unwrap_or_else(|| structs.push(described)))
        });
        self.structs.insert(ty, id);
        id
    }
}

/// The tag of a struct by LLVM's name of it: `struct.point.12` is `point`.
fn source_name(name: &str) -> &str {
    let name = name.strip_prefix("struct.").or(name.strip_prefix("union.")).unwrap_or(name);
    match name.rsplit_once('.') {
        Some((tag, number)) if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => {
            tag
        }
        _ => name,
    }
}

impl<'m> Layout<'m> {
    /// The register type of a scalar.
    pub(super) fn scalar(ty: LlvmType<'m>) -> Result<Type, Unsupported> {
        match ty.kind() {
            TypeKind::Integer(bits) => Ok(Type::Integer(bits)),
            TypeKind::Half => Ok(Type::Float(FloatKind::Half)),
            TypeKind::Float => Ok(Type::Float(FloatKind::Single)),
            TypeKind::Double => Ok(Type::Float(FloatKind::Double)),
            TypeKind::X87 => Ok(Type::Float(FloatKind::X87)),
            // Segment registers and pointers of other sizes; the other spaces are the flat one.
            TypeKind::Pointer(space @ (256..=258 | 270..=272)) => {
                Err(Unsupported(format!("address space {space}")))
            }
            TypeKind::Pointer(_) => Ok(Type::Pointer),
            TypeKind::Vector(..) => Err(Unsupported("vector type".into())),
            TypeKind::Struct | TypeKind::Array(..) => {
                Err(Unsupported("aggregate where a scalar is expected".into()))
            }
            TypeKind::Void => Err(Unsupported("void where a scalar is expected".into())),
            TypeKind::Function => Err(Unsupported("function where a scalar is expected".into())),
            TypeKind::Other(name) => Err(Unsupported(format!("type {name}"))),
        }
    }

    /// Size and alignment of a type.
    pub(super) fn of(&mut self, ty: LlvmType<'m>) -> Result<Rc<TypeLayout>, Unsupported> {
        self.of_nested(ty, 0)
    }

    fn of_nested(&mut self, ty: LlvmType<'m>, depth: u32) -> Result<Rc<TypeLayout>, Unsupported> {
        if let Some(known) = self.types.get(&ty) {
            return Ok(Rc::clone(known));
        }
        if depth > MAX_DEPTH {
            return Err(Unsupported("a deeply nested type".into()));
        }
        let layout = match ty.kind() {
            TypeKind::Struct => self.of_struct(ty, depth)?,
            TypeKind::Array(count, element) => {
                let element = self.of_nested(element, depth + 1)?;
                TypeLayout {
                    size: element.size.checked_mul(count).ok_or_else(too_large)?,
                    align: element.align,
                    fields: Vec::new(),
                }
            }
            TypeKind::Vector(count, element) => {
                let bits = u64::from(Self::scalar(element)?.bits()) * u64::from(count);
                let align = bits.div_ceil(8).next_power_of_two();
                TypeLayout {
                    size: align,
                    align: u32::try_from(align).map_err(|_| too_large())?,
                    fields: Vec::new(),
                }
            }
            _ => {
                let scalar = Self::scalar(ty)?;
                let align = scalar_align(scalar);
                TypeLayout {
                    size: u64::from(scalar.store_bytes()).next_multiple_of(u64::from(align)),
                    align,
                    fields: Vec::new(),
                }
            }
        };
        let layout = Rc::new(layout);
        self.types.insert(ty, Rc::clone(&layout));
        Ok(layout)
    }

    fn of_struct(&mut self, ty: LlvmType<'m>, depth: u32) -> Result<TypeLayout, Unsupported> {
        let (fields, packed) =
            ty.fields().ok_or_else(|| Unsupported("a struct of unknown contents".into()))?;
        let (mut end, mut align) = (0u64, 1u32);
        let mut offsets = Vec::with_capacity(fields.len());
        for field in fields {
            let field = self.of_nested(field, depth + 1)?;
            if !packed {
                end = end.checked_next_multiple_of(u64::from(field.align)).ok_or_else(too_large)?;
                align = align.max(field.align);
            }
            offsets.push(end);
            end = end.checked_add(field.size).ok_or_else(too_large)?;
        }
        Ok(TypeLayout {
            size: end.checked_next_multiple_of(u64::from(align)).ok_or_else(too_large)?,
            align,
            fields: offsets,
        })
    }

    /// The scalars of a type, in order: one of a scalar, none of void.
    pub(super) fn leaves(&mut self, ty: LlvmType<'m>) -> Result<Rc<[Leaf]>, Unsupported> {
        if let Some(known) = self.leaves.get(&ty) {
            return Ok(Rc::clone(known));
        }
        let mut leaves = Vec::new();
        if ty.kind() != TypeKind::Void {
            self.collect_leaves(ty, 0, &mut leaves)?;
        }
        let leaves: Rc<[Leaf]> = leaves.into();
        self.leaves.insert(ty, Rc::clone(&leaves));
        Ok(leaves)
    }

    /// The same for a value that is read or written.
    pub(super) fn leaves_in_memory(&mut self, ty: LlvmType<'m>) -> Result<Rc<[Leaf]>, Unsupported> {
        match ty.kind() {
            TypeKind::Vector(_, element) if Self::scalar(element)? == Type::BOOL => {
                Err(Unsupported("a vector of single bits in memory".into()))
            }
            _ => self.leaves(ty),
        }
    }

    fn collect_leaves(
        &mut self,
        ty: LlvmType<'m>,
        offset: u64,
        leaves: &mut Vec<Leaf>,
    ) -> Result<(), Unsupported> {
        let layout = match ty.kind() {
            // Also refuses types that are nested too deep for the recursion below.
            TypeKind::Struct | TypeKind::Array(..) => self.of(ty)?,
            TypeKind::Vector(count, element) => return lanes(count, element, offset, leaves),
            _ => {
                leaves.push(Leaf { ty: Self::scalar(ty)?, offset });
                return Ok(());
            }
        };
        match ty.kind() {
            TypeKind::Array(count, element) => {
                let step = self.of(element)?.size;
                if count > MAX_LEAVES as u64 {
                    return Err(Unsupported("a large array as a value".into()));
                }
                for index in 0..count {
                    self.collect_leaves(element, offset + index * step, leaves)?;
                    if leaves.len() > MAX_LEAVES {
                        return Err(Unsupported("a large aggregate as a value".into()));
                    }
                    // An array of empty structs may be long; none of its elements is a leaf.
                    if leaves.is_empty() {
                        break;
                    }
                }
            }
            _ => {
                let fields = ty.fields().map(|(fields, _)| fields).unwrap_or_default();
                for (field, at) in fields.into_iter().zip(&layout.fields) {
                    self.collect_leaves(field, offset + at, leaves)?;
                    if leaves.len() > MAX_LEAVES {
                        return Err(Unsupported("a large aggregate as a value".into()));
                    }
                }
            }
        }
        Ok(())
    }
}

/// The lanes of a vector.
fn lanes(
    count: u32,
    element: LlvmType<'_>,
    offset: u64,
    leaves: &mut Vec<Leaf>,
) -> Result<(), Unsupported> {
    let ty = Layout::scalar(element)?;
    let bytes = u64::from(ty.bits() / 8);
    // Lanes of other sizes are packed more tightly than leaves can say. Conditions, which are, never come to memory.
    if !matches!(ty.bits(), 1 | 8 | 16 | 32 | 64 | 128) || !(1..=MAX_LANES).contains(&count) {
        return Err(Unsupported(format!("a vector of {count} {ty}")));
    }
    let lanes = (0..u64::from(count)).map(|lane| offset + lane * bytes);
    leaves.extend(lanes.map(|offset| Leaf { ty, offset }));
    Ok(())
}

fn scalar_align(ty: Type) -> u32 {
    match ty {
        Type::Pointer => 8,
        // An integer is aligned as the next one that the data layout names, at most as an i128.
        Type::Integer(bits) => bits.div_ceil(8).next_power_of_two().clamp(1, 16),
        Type::Float(FloatKind::Half) => 2,
        Type::Float(FloatKind::Single) => 4,
        Type::Float(FloatKind::Double) => 8,
        Type::Float(FloatKind::X87) => 16,
    }
}
