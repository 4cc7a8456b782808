//! What of an inode is still an expression.
//!
//! The inode has some number in place of it. Whoever needs the number asks [`Fs::known`] first; the
//! call then ends with [`Stop::Undecided`], the expression is decided, and the call starts again
//! from the beginning. So calls ask before they change anything. Setting the attribute replaces the
//! expression.

use super::Fs;
use super::inode::{Data, Directory, Inode, InodeId};
use crate::errno::Errno;
use crate::pipe::Pipe;
use crate::symbolic::{SymbolicKind, SymbolicMetadata};
use crate::system::Stop;
use std::sync::Arc;
use umbra_expr::ExprId;

/// Something of an inode that may be an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Exists,
    Kind,
    Length,
    Permissions,
    Uid,
    Gid,
    Links,
    AccessSeconds,
    AccessNanoseconds,
    ModifySeconds,
    ModifyNanoseconds,
    ChangeSeconds,
    ChangeNanoseconds,
}

impl Field {
    /// In the order in which they are decided when all are: whether it exists, then what it is.
    pub(crate) const ALL: [Field; 13] = [
        Field::Exists,
        Field::Kind,
        Field::Length,
        Field::Permissions,
        Field::Uid,
        Field::Gid,
        Field::Links,
        Field::AccessSeconds,
        Field::AccessNanoseconds,
        Field::ModifySeconds,
        Field::ModifyNanoseconds,
        Field::ChangeSeconds,
        Field::ChangeNanoseconds,
    ];
    pub(crate) const ATIME: [Field; 2] = [Field::AccessSeconds, Field::AccessNanoseconds];
    pub(crate) const MTIME: [Field; 2] = [Field::ModifySeconds, Field::ModifyNanoseconds];
    pub(crate) const CTIME: [Field; 2] = [Field::ChangeSeconds, Field::ChangeNanoseconds];
}

/// The fields of an inode that are expressions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Undecided {
    fields: [Option<ExprId>; Field::ALL.len()],
    /// Directory and name: what goes if it turns out not to exist.
    place: Option<(InodeId, Arc<[u8]>)>,
}

impl Undecided {
    pub(crate) fn new(place: Option<(InodeId, Arc<[u8]>)>) -> Undecided {
        Undecided { fields: [None; Field::ALL.len()], place }
    }

    pub(crate) fn with(mut self, field: Field, expression: Option<ExprId>) -> Undecided {
        self.fields[field as usize] = expression;
        self
    }

    /// Nothing if no field is an expression.
    pub(crate) fn unless_empty(self) -> Option<Undecided> {
        self.fields.iter().any(Option::is_some).then_some(self)
    }

    pub(crate) fn with_metadata(self, metadata: &SymbolicMetadata) -> Undecided {
        let SymbolicMetadata { permissions, uid, gid, nlink, atime, mtime, ctime } = *metadata;
        self.with(Field::Permissions, permissions)
            .with(Field::Uid, uid)
            .with(Field::Gid, gid)
            .with(Field::Links, nlink)
            .with(Field::AccessSeconds, atime.seconds)
            .with(Field::AccessNanoseconds, atime.nanoseconds)
            .with(Field::ModifySeconds, mtime.seconds)
            .with(Field::ModifyNanoseconds, mtime.nanoseconds)
            .with(Field::ChangeSeconds, ctime.seconds)
            .with(Field::ChangeNanoseconds, ctime.nanoseconds)
    }
}

impl Inode {
    /// The expression that a field is, if it is one.
    pub(crate) fn undecided(&self, field: Field) -> Option<ExprId> {
        self.undecided.as_ref()?.fields[field as usize]
    }

    pub(crate) fn has_undecided(&self, fields: &[Field]) -> bool {
        self.undecided.is_some() && fields.iter().any(|field| self.undecided(*field).is_some())
    }

    /// The fields are numbers from now on.
    pub(crate) fn forget(&mut self, fields: &[Field]) {
        if !self.has_undecided(fields) {
            return;
        }
        if let Some(undecided) = &mut self.undecided {
            let undecided = Arc::make_mut(undecided);
            for &field in fields {
                undecided.fields[field as usize] = None;
            }
            if undecided.fields.iter().all(Option::is_none) {
                self.undecided = None;
            }
        }
    }

    /// Makes a field an expression.
    pub(crate) fn set_undecided(&mut self, field: Field, expression: ExprId) {
        let undecided = self.undecided.get_or_insert_with(|| Arc::new(Undecided::new(None)));
        Arc::make_mut(undecided).fields[field as usize] = Some(expression);
    }

    pub(crate) fn has_expressions(&self) -> bool {
        self.undecided.is_some()
            || match &self.data {
                Data::Regular(content) => content.has_expressions(),
                Data::Pipe(pipe) => pipe.has_expressions(),
                Data::Pair(pair) => pair.bytes.has_expressions(),
                Data::Stream(stream) => stream.has_expressions(),
                _ => false,
            }
    }

    /// Whether an expression of a file meets a condition. Of what flows through a pipe nothing is
    /// known here; streams come from outside.
    fn any_expression(&self, condition: &mut dyn FnMut(ExprId) -> bool) -> bool {
        let fields = self.undecided.iter().flat_map(|undecided| undecided.fields);
        fields.flatten().any(&mut *condition)
            || match &self.data {
                Data::Regular(content) => content.expressions().any(condition),
                Data::Pipe(pipe) => pipe.has_expressions(),
                Data::Pair(pair) => pair.bytes.has_expressions(),
                _ => false,
            }
    }

    /// Replaces every expression.
    pub(crate) fn translate(&mut self, translation: &mut dyn FnMut(ExprId) -> ExprId) {
        if let Some(undecided) = &mut self.undecided {
            for expression in Arc::make_mut(undecided).fields.iter_mut().flatten() {
                *expression = translation(*expression);
            }
        }
        match &mut self.data {
            Data::Regular(content) => content.translate(translation),
            Data::Pipe(pipe) => pipe.translate(translation),
            Data::Pair(pair) => pair.bytes.translate(translation),
            Data::Stream(stream) => stream.translate(translation),
            _ => {}
        }
    }
}

impl Fs {
    /// Insists that fields are numbers.
    pub(crate) fn known(&self, id: InodeId, fields: &[Field]) -> Result<(), Stop> {
        let node = self.node(id);
        if node.undecided.is_none() {
            return Ok(());
        }
        match fields.iter().find(|field| node.undecided(**field).is_some()) {
            Some(field) => Err(Stop::Undecided(id, *field)),
            None => Ok(()),
        }
    }

    /// Insists on knowing whether a name that leads to this inode is really there, and what it is.
    /// (Other names of a file exist for themselves.)
    pub(crate) fn known_to_exist(
        &self,
        dir: InodeId,
        name: &[u8],
        id: InodeId,
    ) -> Result<(), Stop> {
        let Some(undecided) = &self.node(id).undecided else {
            return Ok(());
        };
        if undecided.place.as_ref().is_some_and(|place| place.0 == dir && *place.1 == *name) {
            self.known(id, &[Field::Exists])?;
        }
        self.known(id, &[Field::Kind])
    }

    /// Insists on knowing of every name in `dir` whether it is there.
    pub(crate) fn known_entries(&self, dir: InodeId) -> Result<(), Stop> {
        if !self.has_open_names {
            return Ok(());
        }
        let slots = self.node(dir).directory().map(|directory| &directory.slots);
        for (name, slot) in slots.iter().flat_map(|slots| slots.iter()) {
            if let Some(slot) = slot {
                self.known_to_exist(dir, name, slot.inode)?;
            }
        }
        Ok(())
    }

    /// Insists on knowing what of `dir` is a directory: each adds to the links of `dir`.
    pub(crate) fn known_subdirectories(&self, dir: InodeId) -> Result<(), Stop> {
        if !self.has_open_names {
            return Ok(());
        }
        let slots = self.node(dir).directory().map(|directory| &directory.slots);
        for (name, slot) in slots.iter().flat_map(|slots| slots.iter()) {
            if let Some(slot) = slot
                && self.node(slot.inode).undecided(Field::Kind).is_some()
            {
                self.known_to_exist(dir, name, slot.inode)?;
            }
        }
        Ok(())
    }

    /// A field was decided.
    pub(crate) fn settle(&mut self, id: InodeId, field: Field, value: u64) -> Result<(), Errno> {
        match field {
            Field::Exists if value & 1 == 0 => {
                self.never_existed(id);
                return Ok(());
            }
            Field::Kind => self.become_kind(id, SymbolicKind::from_number(value)),
            Field::Length => self.cut(id, value)?,
            _ => {}
        }
        let node = self.node_mut(id);
        match field {
            Field::Exists | Field::Kind | Field::Length => {}
            Field::Permissions => node.permissions = value as u32 & 0o7777,
            Field::Uid => node.uid = value as u32,
            Field::Gid => node.gid = value as u32,
            Field::Links => node.nlink = value,
            Field::AccessSeconds => node.atime.seconds = value as i64,
            Field::AccessNanoseconds => node.atime.nanoseconds = value as u32,
            Field::ModifySeconds => node.mtime.seconds = value as i64,
            Field::ModifyNanoseconds => node.mtime.nanoseconds = value as u32,
            Field::ChangeSeconds => node.ctime.seconds = value as i64,
            Field::ChangeNanoseconds => node.ctime.nanoseconds = value as u32,
        }
        node.forget(&[field]);
        Ok(())
    }

    /// The file was not there all the time: its name goes without a trace.
    fn never_existed(&mut self, id: InodeId) {
        let place = self.node(id).undecided.as_ref().and_then(|undecided| undecided.place.clone());
        if let Some((dir, name)) = place {
            let node = self.node(dir);
            let (mtime, ctime) = (node.mtime, node.ctime);
            let undecided = node.undecided.clone();
            self.remove_name(dir, &name, mtime);
            let node = self.node_mut(dir);
            (node.ctime, node.undecided) = (ctime, undecided);
        }
        let node = self.node_mut(id);
        node.nlink = node.nlink.saturating_sub(1);
        match &mut node.undecided {
            // The lower layer has the file under other names, too.
            Some(undecided) if node.nlink > 0 => {
                Arc::make_mut(undecided).place = None;
                node.forget(&[Field::Exists]);
            }
            undecided => *undecided = None,
        }
        self.reclaim(id);
    }

    fn become_kind(&mut self, id: InodeId, kind: SymbolicKind) {
        let undecided = self.node(id).undecided.clone();
        let place = undecided.and_then(|undecided| undecided.place.clone());
        let data = match (kind, place) {
            (SymbolicKind::Regular, _) | (SymbolicKind::Directory, None) => return,
            (SymbolicKind::Directory, Some((dir, name))) => {
                self.count_subdirectory(dir, 1);
                let counted = self.node(dir).nlink != 1;
                let node = self.node_mut(id);
                // The links of a directory are those of its subdirectories and its own two, and
                // whoever may read a new one may usually enter it.
                node.nlink = if counted { 2 } else { 1 };
                node.permissions |= (node.permissions & 0o444) >> 2;
                node.forget(&[Field::Links]);
                Data::Directory(Directory::new(dir, &name))
            }
            (SymbolicKind::Symlink, _) => {
                self.node_mut(id).set_permissions(0o777);
                Data::Symlink(b"/nonexistent".as_slice().into())
            }
            (SymbolicKind::Fifo, _) => Data::Pipe(Pipe::default()),
            (SymbolicKind::CharacterDevice, _) => {
                self.node_mut(id).rdev = libc::makedev(1, 3);
                Data::Character
            }
        };
        if let Data::Regular(content) = &self.node(id).data {
            self.pages = self.pages.saturating_sub(content.resident());
        }
        let node = self.node_mut(id);
        node.data = data;
        node.forget(&[Field::Length]);
    }

    /// Only the first `length` bytes were ever there.
    fn cut(&mut self, id: InodeId, length: u64) -> Result<(), Errno> {
        if let Data::Stream(stream) = &mut self.node_mut(id).data {
            stream.cut(length);
            return Ok(());
        }
        self.edit(
            id,
            |_| 0,
            |content, _| {
                content.truncate(length.min(content.size()));
                Ok(())
            },
        )
        .map_err(Stop::errno)
    }

    /// Replaces every expression.
    pub(crate) fn translate(&mut self, translation: &mut dyn FnMut(ExprId) -> ExprId) {
        for id in self.symbolic_inodes() {
            self.node_mut(id).translate(translation);
        }
    }

    /// Puts numbers in place of all expressions.
    pub(crate) fn evaluate(&mut self, value: &mut dyn FnMut(ExprId) -> u64) -> Result<(), Errno> {
        let lower = Arc::clone(&self.lower);
        for id in self.symbolic_inodes() {
            for field in Field::ALL {
                if let Some(expression) = self.node(id).undecided(field) {
                    self.settle(id, field, value(expression))?;
                }
            }
            match &mut self.node_mut(id).data {
                Data::Regular(content) => content.evaluate(&*lower, value)?,
                Data::Pipe(pipe) => pipe.evaluate(value),
                Data::Pair(pair) => pair.bytes.evaluate(value),
                Data::Stream(stream) => stream.evaluate(value),
                _ => {}
            }
        }
        Ok(())
    }

    /// Whether an expression in contents or attributes meets a condition.
    pub(crate) fn any_expression(&self, condition: &mut dyn FnMut(ExprId) -> bool) -> bool {
        let mut nodes = self.table.iter().filter(|(_, node)| node.has_expressions());
        nodes.any(|(_, node)| node.any_expression(condition))
    }

    fn symbolic_inodes(&self) -> Vec<InodeId> {
        let symbolic = self.table.iter().filter(|(_, node)| node.has_expressions());
        symbolic.map(|(id, _)| InodeId(id)).collect()
    }
}
