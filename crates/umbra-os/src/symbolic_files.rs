//! Expressions in the system: putting the configured ones in, and deciding them.

use crate::bytes::{Chunk, resize};
use crate::config::Error;
use crate::errno::Errno;
use crate::fs::inode::{Data, InodeId};
use crate::fs::path::Last;
use crate::fs::undecided::{Field, Undecided};
use crate::identity::Credentials;
use crate::symbolic::SymbolicFile;
use crate::system::{Stop, System};
use crate::time::Timestamp;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;
use umbra_engine::{BadAddress, UserMemory};
use umbra_expr::{ExprId, Expressions};

/// Seconds after which an access time is moved in any case.
const DAY: i64 = 86_400;

impl System {
    /// Makes the files that the configuration wants.
    pub(crate) fn make_symbolic_files(&mut self) -> Result<(), Error> {
        let config = Arc::clone(&self.config);
        let mut paths = Vec::with_capacity(config.symbolic_files.len());
        // The last one that is made is listed first: they are listed as they were given.
        for file in config.symbolic_files.iter().rev() {
            let path = self
                .make_symbolic_file(file)
                .map_err(|stop| Error::SymbolicFile(file.path.clone(), stop.errno()))?;
            paths.push(path);
        }
        paths.reverse();
        self.symbolic_paths = paths.into();
        Ok(())
    }

    /// Makes one file and returns its absolute path.
    fn make_symbolic_file(&mut self, file: &SymbolicFile) -> Result<Arc<[u8]>, Stop> {
        let path = file.path.as_os_str().as_bytes();
        // Whoever the process runs as, its world may be anywhere.
        let who = Credentials::new(0, 0, &[]);
        let parent = self.parent_as(who, libc::AT_FDCWD, path)?;
        let (dir, Last::Name(name)) = (parent.dir, parent.last) else {
            return Err(Errno::EEXIST.into());
        };
        let inode = match self.lookup(dir, &name)? {
            Some(found) if matches!(self.fs.node(found).data, Data::Regular(_)) => found,
            Some(_) => return Err(Errno::EEXIST.into()),
            None => {
                let node = self.fs.node(dir);
                let times = (node.mtime, node.ctime);
                let made = self.make_node(dir, &name, 0o644, Data::Regular(Default::default()))?;
                let node = self.fs.node_mut(dir);
                (node.mtime, node.ctime) = times;
                made
            }
        };
        let chunk: Chunk = file.bytes.iter().copied().collect();
        self.fs.edit(
            inode,
            |content| content.pages_needed(0, chunk.len() as u64),
            |content, lower| {
                content.truncate(0);
                content.store(lower, 0, &chunk)
            },
        )?;
        let undecided = Undecided::new(Some((dir, name.as_slice().into())))
            .with(Field::Exists, file.exists)
            .with(Field::Kind, file.kind)
            .with(Field::Length, file.length)
            .with_metadata(&file.metadata.unwrap_or_default());
        self.fs.has_open_names |= file.exists.is_some() || file.kind.is_some();
        self.fs.node_mut(inode).undecided = undecided.unless_empty().map(Arc::new);
        let mut absolute = self.path_of_directory(dir).ok_or(Errno::ENOENT)?;
        if absolute != b"/" {
            absolute.push(b'/');
        }
        absolute.extend_from_slice(&name);
        Ok(absolute.into())
    }

    /// Decides a field of an inode.
    pub(crate) fn decide_field(
        &mut self,
        memory: &mut dyn UserMemory,
        inode: InodeId,
        field: Field,
    ) -> Result<(), Stop> {
        if let Some(expression) = self.fs.node(inode).undecided(field) {
            let value = decide(memory, expression)?;
            self.fs.settle(inode, field, value)?;
        }
        Ok(())
    }

    /// Decides as much of the length of a file as a read of `length` bytes at `offset` depends on.
    pub(crate) fn decide_end(
        &mut self,
        memory: &mut dyn UserMemory,
        inode: InodeId,
        offset: u64,
        length: u64,
    ) -> Result<(), Stop> {
        let node = self.fs.node(inode);
        let Some(expression) = node.undecided(Field::Length) else {
            return Ok(());
        };
        let most = match &node.data {
            Data::Regular(content) => content.size(),
            Data::Stream(stream) => stream.readable().unwrap_or(0),
            _ => 0,
        };
        if length == 0 || offset >= most {
            return Ok(());
        }
        // A read that the longest file would satisfy needs to know only whether this one does.
        let end = offset.saturating_add(length);
        if end < most {
            let exprs = memory.expressions().ok_or(Errno::EFAULT)?;
            let (end, size) = (exprs.constant(64, end), resize(exprs, expression, 64));
            let enough = exprs.ule(end, size);
            if decide(memory, enough)? == 1 {
                return Ok(());
            }
        }
        Err(Stop::Undecided(inode, Field::Length))
    }

    /// Moves the access times that are, or depend on, expressions: the rule of `relatime` again,
    /// as an expression.
    pub(crate) fn touch_symbolic(&mut self, memory: &mut dyn UserMemory) {
        let now = self.clock.now();
        for inode in std::mem::take(&mut self.accessed) {
            let Some(exprs) = memory.expressions() else {
                return;
            };
            let node = self.fs.node(inode);
            let mut part = |field, number: u64| match node.undecided(field) {
                Some(found) => resize(exprs, found, 64),
                None => exprs.constant(64, number),
            };
            let mut time = |[seconds, nanoseconds]: [Field; 2], time: Timestamp| {
                [part(seconds, time.seconds as u64), part(nanoseconds, u64::from(time.nanoseconds))]
            };
            let atime = time(Field::ATIME, node.atime);
            let (mtime, ctime) = (time(Field::MTIME, node.mtime), time(Field::CTIME, node.ctime));
            let mut constant = |seconds: i64| {
                [exprs.constant(64, seconds as u64), exprs.constant(64, u64::from(now.nanoseconds))]
            };
            let (yesterday, today) =
                (constant(now.seconds.saturating_sub(DAY)), constant(now.seconds));
            let mut stale = exprs.false_();
            for other in [mtime, ctime, yesterday] {
                let before = at_most(exprs, atime, other);
                stale = exprs.or(stale, before);
            }
            let new = [0, 1].map(|part| exprs.ite(stale, today[part], atime[part]));
            let numbers = new.map(|part| exprs.constant_u64(part));
            let node = self.fs.node_mut(inode);
            node.set_atime(Timestamp::new(
                numbers[0].unwrap_or_default() as i64,
                numbers[1].unwrap_or_default() as u32,
            ));
            for ((field, new), number) in Field::ATIME.into_iter().zip(new).zip(numbers) {
                if number.is_none() {
                    node.set_undecided(field, new);
                }
            }
        }
    }
}

/// The value of an expression; that of a constant is not asked for.
pub(crate) fn decide(memory: &mut dyn UserMemory, expression: ExprId) -> Result<u64, BadAddress> {
    match memory.expressions().and_then(|exprs| exprs.constant_u64(expression)) {
        Some(value) => Ok(value),
        None => memory.decide(expression),
    }
}

/// `one <= two` of points in time.
fn at_most(exprs: &mut Expressions, one: [ExprId; 2], two: [ExprId; 2]) -> ExprId {
    let before = exprs.slt(one[0], two[0]);
    let same = exprs.eq(one[0], two[0]);
    let within = exprs.ule(one[1], two[1]);
    let within = exprs.and(same, within);
    exprs.or(before, within)
}
