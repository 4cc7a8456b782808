//! Scripts on the modelled kernel, through its system calls.

use crate::memory::{BASE, FlatMemory, Symbols};
use crate::script::{Op, Shown};
use crate::sides::{self, Mapping, Side};
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;
use umbra_engine::{Answer, Environment, UserMemory};
use umbra_os::{
    Config, HostLower, Kernel, Lower, SymbolicFile, SymbolicMetadata, SymbolicTime, Timestamp,
};

const PATH_1: u64 = BASE;
const PATH_2: u64 = BASE + 0x2000;
const BUFFER: u64 = BASE + 0x4000;

pub(crate) struct Model {
    root: String,
    pub(crate) kernel: Kernel,
    pub(crate) memory: FlatMemory,
    slots: Vec<i64>,
    mappings: Vec<Mapping>,
    /// Why the path has ended, if it has.
    pub(crate) cut: Option<String>,
}

/// A configuration that sees the host as it is now.
/// Who makes the calls.
pub(crate) struct User {
    pub(crate) uid: u32,
    gid: u32,
    groups: Vec<u32>,
}

impl User {
    /// The one who runs the test, in groups of whatever numbers.
    pub(crate) fn own() -> User {
        let groups = rustix::process::getgroups().unwrap();
        User {
            uid: rustix::process::geteuid().as_raw(),
            gid: rustix::process::getegid().as_raw(),
            groups: groups.into_iter().map(rustix::fs::Gid::as_raw).collect(),
        }
    }

    /// One in a single group of the same number.
    pub(crate) fn numbered(uid: u32) -> User {
        User { uid, gid: uid, groups: vec![uid] }
    }
}

pub(crate) fn config(root: &Path, user: &User) -> Config {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    Config {
        lower: Arc::new(HostLower::new("/")),
        cwd: root.to_owned(),
        uid: user.uid,
        gid: user.gid,
        groups: user.groups.clone(),
        clock: Timestamp::new(now.as_secs() as i64, now.subsec_nanos()),
        ..Config::default()
    }
}

/// The host's file with expressions for all of it that there can be, and some bytes behind its end.
fn symbolic_file(symbols: &mut Symbols, path: &Path) -> SymbolicFile {
    let stat = HostLower::new("/").stat(path).unwrap();
    let mut bytes = std::fs::read(path).unwrap();
    bytes.extend(b"beyond");
    let bytes = bytes.into_iter().map(|byte| symbols.byte(byte)).collect();
    let mut time = |time: Timestamp| SymbolicTime {
        seconds: Some(symbols.number(time.seconds as u64, 64)),
        nanoseconds: Some(symbols.number(time.nanoseconds.into(), 32)),
    };
    let (atime, mtime, ctime) = (time(stat.atime), time(stat.mtime), time(stat.ctime));
    let metadata = SymbolicMetadata {
        permissions: Some(symbols.number((stat.mode & 0o7777).into(), 12)),
        uid: Some(symbols.number(stat.uid.into(), 32)),
        gid: Some(symbols.number(stat.gid.into(), 32)),
        nlink: Some(symbols.number(stat.nlink, 64)),
        atime,
        mtime,
        ctime,
    };
    SymbolicFile {
        path: path.to_owned(),
        bytes,
        length: Some(symbols.number(stat.size, 64)),
        exists: Some(symbols.number(1, 1)),
        kind: Some(symbols.number(0, 8)),
        metadata: Some(metadata),
    }
}

impl Model {
    pub(crate) fn new(root: &Path, user: &User) -> Model {
        Model::with(config(root, user), root, FlatMemory::new())
    }

    /// A model in whose memory everything is an expression, and in whose tree two files are.
    pub(crate) fn symbolic(root: &Path, user: &User) -> Model {
        let mut memory = FlatMemory::new();
        let mut symbols = Symbols::new();
        let mut config = config(root, user);
        for name in ["a", "d/x"] {
            config.symbolic_files.push(symbolic_file(&mut symbols, &root.join(name)));
        }
        memory.symbols = Some(symbols);
        Model::with(config, root, memory)
    }

    fn with(config: Config, root: &Path, memory: FlatMemory) -> Model {
        let kernel = Kernel::new(config).unwrap();
        Model {
            root: root.to_str().unwrap().to_owned(),
            kernel,
            memory,
            slots: vec![-1; 8],
            mappings: vec![Mapping::default(); 4],
            cut: None,
        }
    }

    /// The kernel without expressions.
    pub(crate) fn concrete(&self) -> Kernel {
        match &self.memory.symbols {
            Some(symbols) => self.kernel.concrete(|expression| symbols.value(expression)).unwrap(),
            None => self.kernel.clone(),
        }
    }

    pub(crate) fn run(&mut self, op: &Op) -> String {
        let result = match sides::run(self, op) {
            Some(result) => result,
            None => self.try_run(op),
        };
        let text = match result {
            Ok(text) => text,
            Err(errno) => format!("errno {errno}"),
        };
        text.replace(&self.root, "@")
    }

    pub(crate) fn call(&mut self, number: i64, arguments: &[i64]) -> Result<i64, i32> {
        let mut words = [0; 6];
        for (word, argument) in words.iter_mut().zip(arguments) {
            *word = *argument as u64;
        }
        let answer = loop {
            let answer = self.kernel.system_call(&mut self.memory, number as u64, words);
            if !self.memory.wants_repetition() {
                break answer;
            }
        };
        let result = match answer {
            Answer::Return(result) => result,
            // Natively the signals that a script can raise are ignored.
            Answer::Killed(libc::SIGPIPE) => -i64::from(libc::EPIPE),
            Answer::Killed(libc::SIGXFSZ) => -i64::from(libc::EFBIG),
            Answer::Unsupported(why) | Answer::Endless(why) => {
                self.cut = Some(why);
                return Err(0);
            }
            other => panic!("unexpected answer {other:?}"),
        };
        if (-4095..0).contains(&result) { Err(-result as i32) } else { Ok(result) }
    }

    fn put(&mut self, address: u64, text: &str) -> i64 {
        self.memory.write(address, text.as_bytes()).unwrap();
        self.memory.write(address + text.len() as u64, &[0]).unwrap();
        address as i64
    }

    fn open(&mut self, op: &Op, n: usize, number: i64, arguments: &[i64]) -> Result<String, i32> {
        let fd = self.call(number, arguments)?;
        self.set_slot(op.slot(n), fd);
        Ok("opened".into())
    }

    fn set_slot(&mut self, slot: usize, fd: i64) {
        let before = std::mem::replace(&mut self.slots[slot], fd);
        if before >= 0 {
            self.call(libc::SYS_close, &[before]).unwrap();
        }
    }

    fn bytes(&self, result: i64) -> String {
        self.memory.bytes(BUFFER, result as usize).escape_ascii().to_string()
    }

    fn number(&mut self, number: i64, arguments: &[i64]) -> Result<String, i32> {
        Ok(self.call(number, arguments)?.to_string())
    }

    fn try_run(&mut self, op: &Op) -> Result<String, i32> {
        let cwd = i64::from(libc::AT_FDCWD);
        let fd = |n: usize| self.slots.get(op.slot(n)).copied().unwrap_or(-1);
        let (first, second) = (fd(0), fd(1));
        let path_1 = op.path(0, &self.root.clone());
        let path_2 = op.path(1, &self.root.clone());
        let p1 = self.put(PATH_1, &path_1);
        let p2 = self.put(PATH_2, &path_2);
        let buffer = BUFFER as i64;
        match op.name.as_str() {
            "open" => self.open(
                op,
                0,
                libc::SYS_openat,
                &[cwd, p2, i64::from(op.flags(2)), i64::from(op.octal(3))],
            ),
            "close" => {
                self.slots[op.slot(0)] = -1;
                self.number(libc::SYS_close, &[first])
            }
            "read" => {
                self.call(libc::SYS_read, &[first, buffer, op.number(1)]).map(|n| self.bytes(n))
            }
            "pread" => self
                .call(libc::SYS_pread64, &[first, buffer, op.number(1), op.number(2)])
                .map(|n| self.bytes(n)),
            "write" => self.number(libc::SYS_write, &[first, p2, op.word(1).len() as i64]),
            "pwrite" => {
                self.number(libc::SYS_pwrite64, &[first, p2, op.word(1).len() as i64, op.number(2)])
            }
            "lseek" => {
                let whence = match op.word(2) {
                    "SET" => libc::SEEK_SET,
                    "CUR" => libc::SEEK_CUR,
                    "END" => libc::SEEK_END,
                    "DATA" => libc::SEEK_DATA,
                    _ => libc::SEEK_HOLE,
                };
                self.number(libc::SYS_lseek, &[first, op.number(1), i64::from(whence)])
            }
            "ftruncate" => self.number(libc::SYS_ftruncate, &[first, op.number(1)]),
            "fallocate" => {
                self.number(libc::SYS_fallocate, &[first, op.number(1), op.number(2), op.number(3)])
            }
            "mkdir" => self.number(libc::SYS_mkdirat, &[cwd, p1, i64::from(op.octal(1))]),
            "rmdir" => self.number(libc::SYS_rmdir, &[p1]),
            "unlink" => self.number(libc::SYS_unlink, &[p1]),
            "link" => {
                let flags = if op.word(2) == "follow" { libc::AT_SYMLINK_FOLLOW } else { 0 };
                self.number(libc::SYS_linkat, &[cwd, p1, cwd, p2, i64::from(flags)])
            }
            "symlink" => self.number(libc::SYS_symlink, &[p1, p2]),
            "rename" => {
                let flags = match op.word(2) {
                    "NOREPLACE" => libc::RENAME_NOREPLACE,
                    "EXCHANGE" => libc::RENAME_EXCHANGE,
                    _ => 0,
                };
                self.number(libc::SYS_renameat2, &[cwd, p1, cwd, p2, i64::from(flags)])
            }
            "mknod" => {
                let (kind, device) = match op.word(1) {
                    "fifo" => (libc::S_IFIFO, 0),
                    "sock" => (libc::S_IFSOCK, 0),
                    "chr" => (libc::S_IFCHR, libc::makedev(1, 3)),
                    "dir" => (libc::S_IFDIR, 0),
                    _ => (libc::S_IFREG, 0),
                };
                self.number(libc::SYS_mknod, &[p1, i64::from(kind | op.octal(2)), device as i64])
            }
            "stat" => self.call(libc::SYS_stat, &[p1, buffer]).map(|_| self.shown()),
            "lstat" => self.call(libc::SYS_lstat, &[p1, buffer]).map(|_| self.shown()),
            "fstat" => self.call(libc::SYS_fstat, &[first, buffer]).map(|_| self.shown()),
            "access" => self.number(libc::SYS_access, &[p1, op.number(1)]),
            "chmod" => self.number(libc::SYS_chmod, &[p1, i64::from(op.octal(1))]),
            "fchmod" => self.number(libc::SYS_fchmod, &[first, i64::from(op.octal(1))]),
            "chown" => self.number(libc::SYS_chown, &[p1, op.number(1), op.number(2)]),
            "lchown" => self.number(libc::SYS_lchown, &[p1, op.number(1), op.number(2)]),
            "fchown" => self.number(libc::SYS_fchown, &[first, op.number(1), op.number(2)]),
            "utime" => self.utime(op, p1),
            "readlink" => self.call(libc::SYS_readlink, &[p1, buffer, 4096]).map(|n| {
                String::from_utf8_lossy(self.memory.bytes(BUFFER, n as usize)).into_owned()
            }),
            "list" => self.list(p1),
            "chdir" => self.number(libc::SYS_chdir, &[p1]),
            "dup" => self.open(op, 1, libc::SYS_dup, &[first]),
            "getfl" => {
                Ok(format!("{:o}", self.call(libc::SYS_fcntl, &[first, i64::from(libc::F_GETFL)])?))
            }
            "setfl" => self.number(
                libc::SYS_fcntl,
                &[first, i64::from(libc::F_SETFL), i64::from(op.flags(1))],
            ),
            "copy" => {
                self.number(libc::SYS_copy_file_range, &[first, 0, second, 0, op.number(2), 0])
            }
            "send-apart" => {
                let mut numbers = [0; 2];
                for (number, fd) in numbers.iter_mut().zip([first, second]) {
                    self.call(libc::SYS_fstat, &[fd, buffer])?;
                    *number =
                        u64::from_le_bytes(self.memory.bytes(BUFFER + 8, 8).try_into().unwrap());
                }
                if numbers[0] == numbers[1] {
                    return Ok("same file".into());
                }
                self.number(libc::SYS_sendfile, &[second, first, 0, op.number(2)])
            }
            "send" => self.number(libc::SYS_sendfile, &[second, first, 0, op.number(2)]),
            "pipe" => {
                self.call(libc::SYS_pipe2, &[buffer, i64::from(libc::O_NONBLOCK)])?;
                let ends: Vec<i64> = self
                    .memory
                    .bytes(BUFFER, 8)
                    .chunks(4)
                    .map(|bytes| i64::from(i32::from_le_bytes(bytes.try_into().unwrap())))
                    .collect();
                self.set_slot(op.slot(0), ends[0]);
                self.set_slot(op.slot(1), ends[1]);
                Ok("opened".into())
            }
            "fsync" => self.number(libc::SYS_fsync, &[first]),
            other => panic!("unknown operation {other}"),
        }
    }

    fn utime(&mut self, op: &Op, path: i64) -> Result<String, i32> {
        for n in 1..3u64 {
            let (seconds, nanoseconds) = match op.word(n as usize) {
                "now" => (0, libc::UTIME_NOW),
                "omit" => (0, libc::UTIME_OMIT),
                word => (word.parse().unwrap(), 0),
            };
            let at = BUFFER + (n - 1) * 16;
            self.memory.write(at, &i64::to_le_bytes(seconds)).unwrap();
            self.memory.write(at + 8, &nanoseconds.to_le_bytes()).unwrap();
        }
        let nofollow = i64::from(libc::AT_SYMLINK_NOFOLLOW);
        self.number(
            libc::SYS_utimensat,
            &[i64::from(libc::AT_FDCWD), path, BUFFER as i64, nofollow],
        )
    }

    fn list(&mut self, path: i64) -> Result<String, i32> {
        let flags = i64::from(libc::O_RDONLY | libc::O_DIRECTORY);
        let fd = self.call(libc::SYS_open, &[path, flags, 0])?;
        let mut names = Vec::new();
        loop {
            let n = match self.call(libc::SYS_getdents64, &[fd, BUFFER as i64, 200]) {
                Ok(0) => break,
                Ok(n) => n,
                // A directory that was removed is at its end, for those who read with the C
                // library.
                Err(libc::ENOENT) => break,
                Err(errno) => return Err(errno),
            };
            let bytes = self.memory.bytes(BUFFER, n as usize);
            let mut at = 0;
            while at < bytes.len() {
                let length = u16::from_le_bytes([bytes[at + 16], bytes[at + 17]]) as usize;
                let name = bytes[at + 19..at + length].split(|byte| *byte == 0).next().unwrap();
                let kind = match bytes[at + 18] {
                    libc::DT_REG => "RegularFile",
                    libc::DT_DIR => "Directory",
                    libc::DT_LNK => "Symlink",
                    libc::DT_FIFO => "Fifo",
                    libc::DT_SOCK => "Socket",
                    libc::DT_CHR => "CharacterDevice",
                    _ => "other",
                };
                names.push(format!("{}:{kind}", String::from_utf8_lossy(name)));
                at += length;
            }
        }
        self.call(libc::SYS_close, &[fd])?;
        names.sort();
        Ok(names.join(" "))
    }

    /// The `struct stat` in the buffer.
    fn shown(&self) -> String {
        let bytes = self.memory.bytes(BUFFER, 144);
        let long = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
        let int = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        Shown {
            nlink: long(16),
            mode: int(24),
            uid: int(28),
            gid: int(32),
            rdev: long(40),
            size: long(48),
            blksize: long(56),
            blocks: long(64),
            atime: long(72) as i64,
            mtime: long(88) as i64,
        }
        .to_string()
    }
}

impl Side for Model {
    fn system_call(&mut self, number: i64, words: &[i64]) -> Result<i64, i32> {
        self.call(number, words)
    }

    fn place(&mut self, place: usize, bytes: &[u8]) -> i64 {
        let at = [BUFFER, PATH_1][place];
        self.memory.write(at, bytes).unwrap();
        at as i64
    }

    fn placed(&mut self, place: usize, length: usize) -> Vec<u8> {
        self.memory.bytes([BUFFER, PATH_1][place], length).to_vec()
    }

    fn descriptor(&self, slot: usize) -> i64 {
        self.slots[slot]
    }

    fn set_descriptor(&mut self, slot: usize, fd: i64) {
        self.set_slot(slot, fd);
    }

    fn mapping(&mut self, slot: usize) -> &mut Mapping {
        &mut self.mappings[slot]
    }

    fn unmap(&mut self, address: i64, length: i64) -> Result<i64, i32> {
        self.call(libc::SYS_munmap, &[address, length])
    }
}
