//! Cases from and to the objects of KLEE's model of POSIX.
//!
//! Before `main`, that model makes symbolic what its flags on the command line ask for, always in
//! this order, and always ends with `model_version`:
//!
//! | flag | objects |
//! |---|---|
//! | `--sym-arg N` | `arg00` and so on (`arg0` in old versions): N bytes and a NUL, in place of the flag |
//! | `--sym-args MIN MAX N` | `n_args`, then as many arguments as it says |
//! | `--sym-files COUNT N` | `A-data`, `A-data-stat`, `B-data`, ...: files A, B, ... of N bytes |
//! | `--sym-stdin N` | `stdin`, `stdin-stat` |
//! | `--max-fail N` | `read_fail` and others: which system calls fail |
//! | `--sym-stdout` | `stdout`, `stdout-stat` |
//!
//! So objects up to `model_version` are the model's, and those after it the program's own. Failing
//! system calls and `stdout` have no counterpart in a case; an import names them in the case's
//! origin under `ignored`, since natively such a test may go another way.

use super::{KTest, KTestError};
use crate::{Case, Entry, EntryKind, Object, Stdin, Timestamp};

/// The object that ends those of the model.
const LAST: &[u8] = b"model_version";

/// Flags of the model that are followed by numbers, and how many; all start with one or two hyphens.
const FLAGS: [(&[u8], usize); 7] = [
    (b"sym-files", 2),
    (b"sym-stdin", 1),
    (b"sym-stdout", 0),
    (b"save-all-writes", 0),
    (b"max-fail", 1),
    (b"fd-fail", 0),
    (b"bout-file", 1),
];

/// The parts of the kernel's `struct stat` on x86-64 that matter: its size, and where they lie.
mod stat {
    pub const SIZE: usize = 144;
    pub const INODE: usize = 8;
    pub const LINKS: usize = 16;
    pub const MODE: usize = 24;
    pub const LENGTH: usize = 48;
    pub const BLOCK_SIZE: usize = 56;
    pub const BLOCKS: usize = 64;
    pub const MODIFIED: usize = 88;
    pub const MODIFIED_NANOSECONDS: usize = 96;

    pub const KIND: u32 = 0o170_000;
    pub const PIPE: u32 = 0o010_000;
    pub const TERMINAL: u32 = 0o020_000;
    pub const DIRECTORY: u32 = 0o040_000;
    pub const REGULAR: u32 = 0o100_000;
}

impl KTest {
    /// The case that KLEE generated. The environment is not in the file, so it is empty.
    ///
    /// Without `model_version` the file is not from the model: the command line is taken as it
    /// is, and all objects are the program's own.
    pub fn to_case(&self) -> Case {
        let end = self.objects.iter().position(|object| object.name == LAST);
        let (model, own) = self.objects.split_at(end.map_or(0, |end| end + 1));
        let mut import = Import { model, case: Case::default() };
        import.case.objects = own.to_vec();
        import.case.origin.insert("from".to_owned(), "ktest".to_owned());
        if end.is_some() {
            import.arguments(&self.arguments);
            import.files();
            import.ignored();
        } else {
            import.case.arguments = self.arguments.clone();
        }
        let mut case = import.case;
        if !case.arguments.is_empty() {
            case.program = case.arguments.remove(0);
        }
        case
    }

    /// The case as a test of KLEE's model, for `klee-replay` and for seeds.
    ///
    /// Only names and lengths that the model can have are possible, see [`KTestError::Tree`].
    /// Environment, settings and folders are left out: the model has no place for them.
    pub fn of_posix(case: &Case) -> Result<Self, KTestError> {
        let mut ktest = Self { arguments: vec![case.program.clone()], ..Self::default() };
        for (index, argument) in case.arguments.iter().enumerate() {
            ktest.flag("--sym-arg", &[argument.len()]);
            let bytes = [argument, &b"\0"[..]].concat();
            ktest.objects.push(Object { name: format!("arg{index:02}").into_bytes(), bytes });
        }
        ktest.put_files(&case.tree)?;
        if let Some(content @ [_, ..]) = case.stdin.bytes() {
            ktest.flag("--sym-stdin", &[content.len()]);
            let kind = match case.stdin {
                Stdin::Pipe(_) => stat::PIPE,
                _ => stat::REGULAR,
            };
            ktest.put_file("stdin", content, kind | 0o644, None);
        }
        ktest.objects.push(Object { name: LAST.to_vec(), bytes: vec![1, 0, 0, 0] });
        ktest.objects.extend_from_slice(&case.objects);
        Ok(ktest)
    }

    fn flag(&mut self, flag: &str, numbers: &[usize]) {
        self.arguments.push(flag.into());
        self.arguments.extend(numbers.iter().map(|number| number.to_string().into_bytes()));
    }

    fn put_files(&mut self, tree: &[Entry]) -> Result<(), KTestError> {
        let mut files: Vec<(&[u8], &Entry, &[u8])> = Vec::new();
        for entry in tree {
            match &entry.kind {
                EntryKind::File(content) => files.push((&entry.path, entry, content)),
                EntryKind::Directory => {}
                EntryKind::Symlink(_) | EntryKind::Fifo => return Err(KTestError::Tree),
            }
        }
        files.sort_by_key(|(path, ..)| *path);
        let Some((_, _, [_, ..])) = files.first() else {
            return if files.is_empty() { Ok(()) } else { Err(KTestError::Tree) };
        };
        let length = files[0].2.len();
        self.flag("--sym-files", &[files.len(), length]);
        for ((path, entry, content), name) in files.into_iter().zip('A'..) {
            if path != name.to_string().as_bytes() || name > 'Z' || content.len() != length {
                return Err(KTestError::Tree);
            }
            let mode = stat::REGULAR | entry.mode;
            self.put_file(&format!("{name}-data"), content, mode, entry.modified);
        }
        Ok(())
    }

    fn put_file(&mut self, name: &str, content: &[u8], mode: u32, modified: Option<Timestamp>) {
        let mut bytes = vec![0; stat::SIZE];
        let mut put = |offset: usize, value: u64| {
            bytes[offset..offset + 8].copy_from_slice(&value.to_le_bytes());
        };
        put(stat::INODE, 1);
        put(stat::LINKS, 1);
        // The user's number, the upper half, is 0.
        put(stat::MODE, mode.into());
        put(stat::LENGTH, content.len() as u64);
        put(stat::BLOCK_SIZE, 4096);
        put(stat::BLOCKS, 8);
        if let Some(time) = modified {
            put(stat::MODIFIED, time.seconds as u64);
            put(stat::MODIFIED_NANOSECONDS, time.nanoseconds.into());
        }
        self.objects.push(Object { name: name.into(), bytes: content.to_vec() });
        self.objects.push(Object { name: format!("{name}-stat").into_bytes(), bytes });
    }
}

struct Import<'a> {
    /// The objects of the model.
    model: &'a [Object],
    case: Case,
}

impl Import<'_> {
    fn object(&self, name: &[u8]) -> Option<&[u8]> {
        self.model.iter().find(|object| object.name == name).map(|object| &*object.bytes)
    }

    /// The command line with its flags replaced by what they made.
    fn arguments(&mut self, words: &[Vec<u8>]) {
        let mut symbolic = self.model.iter().filter(|object| is_argument(&object.name));
        let mut counts = self.model.iter().filter(|object| object.name == b"n_args");
        let mut arguments = Vec::new();
        let mut rest = words;
        while let [word, after @ ..] = rest {
            rest = after;
            let flag = word.strip_prefix(b"-").map(|flag| flag.strip_prefix(b"-").unwrap_or(flag));
            match (flag, after) {
                (Some(b"sym-arg"), [_, after @ ..]) => {
                    rest = after;
                    arguments.extend(symbolic.next().map(string));
                }
                (Some(b"sym-args"), [_, most, _, after @ ..]) => {
                    rest = after;
                    // A damaged count asks for no more than the flag allows.
                    let count =
                        counts.next().map_or(0, |object| little_endian(&object.bytes, 0, 4));
                    let count = count.min(number(most)) as usize;
                    arguments.extend(symbolic.by_ref().take(count).map(string));
                }
                (Some(flag), _) => match FLAGS.iter().find(|(name, _)| *name == flag) {
                    Some((_, numbers)) => rest = after.get(*numbers..).unwrap_or_default(),
                    None => arguments.push(word.clone()),
                },
                (None, _) => arguments.push(word.clone()),
            }
        }
        // Whatever the command line was: an argument that was made is an input.
        arguments.extend(symbolic.map(string));
        self.case.arguments = arguments;
    }

    fn files(&mut self) {
        for name in b'A'..=b'Z' {
            let object = [&[name], &b"-data"[..]].concat();
            let Some(content) = self.object(&object) else { continue };
            let mut entry = Entry::file([name], content);
            if let Some(bytes) = self.object(&[&*object, b"-stat"].concat()) {
                set_attributes(&mut entry, bytes);
            }
            self.case.tree.push(entry);
        }
        let Some(content) = self.object(b"stdin").map(<[u8]>::to_vec) else { return };
        let mode = self.object(b"stdin-stat").map(|bytes| mode(bytes) & stat::KIND);
        self.case.stdin = match mode {
            None | Some(stat::PIPE | stat::TERMINAL) => Stdin::Pipe(content),
            Some(_) => Stdin::File(content),
        };
    }

    fn ignored(&mut self) {
        let is_ignored = |name: &[u8]| name.ends_with(b"_fail") || name.starts_with(b"stdout");
        let names = self.model.iter().map(|object| &object.name).filter(|name| is_ignored(name));
        let names: Vec<_> = names.map(|name| String::from_utf8_lossy(name)).collect();
        if !names.is_empty() {
            self.case.origin.insert("ignored".to_owned(), names.join(" "));
        }
    }
}

/// `arg0`, `arg00`. Old versions of KLEE counted on from 9 in ASCII, so the rest may be anything.
fn is_argument(name: &[u8]) -> bool {
    name.starts_with(b"arg") && matches!(name.len(), 4 | 5)
}

/// The C string that an object holds.
fn string(object: &Object) -> Vec<u8> {
    object.bytes.split(|byte| *byte == 0).next().unwrap_or_default().to_vec()
}

fn number(word: &[u8]) -> u64 {
    std::str::from_utf8(word).ok().and_then(|word| word.parse().ok()).unwrap_or(0)
}

/// A number in an object; what lies beyond its end is 0.
fn little_endian(bytes: &[u8], offset: usize, size: usize) -> u64 {
    let bytes = bytes.iter().skip(offset).take(size).rev();
    bytes.fold(0, |number, byte| number << 8 | u64::from(*byte))
}

fn mode(stat: &[u8]) -> u32 {
    little_endian(stat, stat::MODE, 4) as u32
}

/// Sets what a `struct stat` says of a file. A solver chose its bytes, so they may make no sense.
fn set_attributes(entry: &mut Entry, bytes: &[u8]) {
    let mode = mode(bytes);
    match mode & stat::KIND {
        stat::DIRECTORY => entry.kind = EntryKind::Directory,
        stat::PIPE => entry.kind = EntryKind::Fifo,
        _ => {}
    }
    entry.mode = mode & 0o7777;
    let seconds = little_endian(bytes, stat::MODIFIED, 8) as i64;
    let nanoseconds = little_endian(bytes, stat::MODIFIED_NANOSECONDS, 8);
    let nanoseconds = if nanoseconds < 1_000_000_000 { nanoseconds as u32 } else { 0 };
    entry.modified = Some(Timestamp { seconds, nanoseconds });
}
