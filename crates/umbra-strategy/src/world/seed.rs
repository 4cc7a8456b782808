//! A given input, around which others are looked for.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use umbra_case::{Case, EntryKind, Stdin};
use umbra_expr::{Assignment, Expressions};

use super::build::{Built, StartArgument, fixed_environment};
use super::{Argument, Data, File, World};

/// Bytes of files that may be others, all files together: each is an expression.
const MOST_FILE_BYTES: usize = 1 << 18;

/// A given input: a test case, of which the bytes of arguments, standard input and files may be
/// others, at their length. Everything else stays as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seed {
    case: Case,
    /// Positions in the tree of files whose bytes may be others.
    files: Vec<usize>,
    fixed_files: u64,
}

impl Seed {
    /// Starts from a test case.
    pub fn of_case(case: Case) -> Self {
        let (mut files, mut fixed_files, mut room) = (Vec::new(), 0, MOST_FILE_BYTES);
        for (index, entry) in case.tree.iter().enumerate() {
            let EntryKind::File(bytes) = &entry.kind else { continue };
            match room.checked_sub(bytes.len()) {
                _ if bytes.is_empty() => {}
                Some(left) => {
                    files.push(index);
                    room = left;
                }
                None => fixed_files += 1,
            }
        }
        Self { case, files, fixed_files }
    }

    /// Starts from a command line, in the small fixed root.
    pub fn of_words(program: Vec<u8>, arguments: Vec<Vec<u8>>, stdin: Option<Vec<u8>>) -> Self {
        Self::of_case(Case {
            program,
            arguments,
            environment: fixed_environment(),
            stdin: stdin.map_or(Stdin::Null, Stdin::Pipe),
            ..Case::default()
        })
    }

    /// The same with values for what the program makes symbolic itself; what is not said is zero.
    pub fn with_objects(mut self, objects: Vec<umbra_case::Object>) -> Self {
        self.case.objects = objects;
        self
    }

    /// The test case.
    pub fn case(&self) -> &Case {
        &self.case
    }

    /// Files that are too large to vary.
    pub fn fixed_files(&self) -> u64 {
        self.fixed_files
    }

    /// The world in which every byte of the seed may be another, at its length.
    ///
    /// Where it is the input of a call inside the program, only that is another: what the program starts
    /// from stays as it is, and it makes the input itself.
    pub fn world(&self) -> World {
        let case = &self.case;
        if let Some(call) = &case.call {
            return World {
                program: case.program.clone(),
                arguments: case.arguments.iter().cloned().map(Argument::Given).collect(),
                base: Some(case.clone()),
                calls: vec![call.clone()],
                ..World::default()
            };
        }
        let arguments = case.arguments.iter().map(|text| match text.len() {
            // There is no byte that could be another.
            0 => Argument::Given(Vec::new()),
            length => Argument::Symbolic { minimum: 1, maximum: 1, length: length as u32 },
        });
        let data = |bytes: &[u8]| Data { size: bytes.len() as u32, shorter: false };
        World {
            program: case.program.clone(),
            arguments: arguments.collect(),
            stdin: self.stdin().map(data),
            files: self
                .files()
                .map(|(name, bytes)| File { name, data: data(bytes), ..File::default() })
                .collect(),
            base: Some(case.clone()),
            ..World::default()
        }
    }

    /// Standard input, unless descriptor 0 is something else.
    fn stdin(&self) -> Option<&[u8]> {
        self.case.stdin.bytes().filter(|_| !self.case.descriptors.contains_key(&0))
    }

    /// The files whose bytes may be others.
    fn files(&self) -> impl Iterator<Item = (PathBuf, &[u8])> {
        self.files.iter().filter_map(|&index| match &self.case.tree[index] {
            umbra_case::Entry { path, kind: EntryKind::File(bytes), .. } => {
                Some((PathBuf::from(OsStr::from_bytes(path)), bytes.as_slice()))
            }
            _ => None,
        })
    }
}

impl Built {
    /// The seed as an assignment of this world, which must be the seed's own.
    pub fn assignment(&self, expressions: &mut Expressions, seed: &Seed) -> Assignment {
        let mut assignment = Assignment::new();
        let starts = self.starts.iter().flat_map(|start| &start.arguments);
        for (argument, text) in starts.zip(&seed.case.arguments) {
            if let StartArgument::Symbolic { array, .. } = argument {
                assignment.set_bytes(*array, text);
            }
        }
        let stdin = self.stdin.as_ref().and_then(|data| data.array);
        if let (Some(array), Some(bytes)) = (stdin, seed.stdin()) {
            assignment.set_bytes(array, bytes);
        }
        for (file, (_, bytes)) in self.files.iter().zip(seed.files()) {
            if let Some(array) = file.data.array {
                assignment.set_bytes(array, bytes);
            }
        }
        let objects = &seed.case.objects;
        for (index, object) in objects.iter().enumerate() {
            let (name, size) = (String::from_utf8_lossy(&object.name), object.bytes.len());
            // As the machine names them: the second of one name has the number 1.
            let number = match objects[..index].iter().filter(|o| o.name == object.name).count() {
                0 => String::new(),
                number => format!("#{number}"),
            };
            let array = expressions.input(&format!("{name}{number}:{size}"), size as u32);
            assignment.set_bytes(array, &object.bytes);
        }
        assignment
    }
}

#[cfg(test)]
mod tests {
    use umbra_case::Entry;
    use umbra_engine::Process;
    use umbra_os::Kernel;

    use super::super::given::given;
    use super::*;

    #[test]
    fn a_seed_keeps_what_cannot_be_another() {
        let case = Case {
            program: b"p".to_vec(),
            arguments: vec![b"-x".to_vec(), Vec::new()],
            environment: vec![b"NAME=value".to_vec()],
            stdin: Stdin::File(b"in".to_vec()),
            directory: b"d".to_vec(),
            tree: vec![
                Entry { mode: 0o600, ..Entry::file("d/e/f", "abc") },
                Entry::file("empty", ""),
                Entry::symlink("l", "d/e/f"),
                Entry::file("large", vec![0; MOST_FILE_BYTES]),
            ],
            settings: umbra_case::Settings { umask: 0o077, ..Default::default() },
            ..Case::default()
        };
        let seed = Seed::of_case(case.clone());
        assert_eq!(seed.fixed_files(), 1);
        let world = seed.world();
        assert_eq!(world.files.len(), 1);
        let mut expressions = Expressions::new();
        let built = world.build(&mut expressions, [1000; 4]);
        let Process { environment, .. } = &built.starts[0].process;
        assert_eq!(environment.len(), 1);
        let (mut config, _) = given(&case);
        built.configure(&mut expressions, &mut config);
        assert_eq!(config.symbolic_files[0].path, PathBuf::from("/home/user/d/e/f"));
        assert_eq!(config.umask, 0o077);
        // The file is there already, with its mode; only its bytes are expressions.
        let mut kernel = Kernel::new(config).expect("the case can start");
        let entries = kernel.walk_tree(std::path::Path::new("/home/user/d/e")).expect("a folder");
        assert!(entries.iter().any(|entry| entry.stat.mode == 0o100_600), "{entries:?}");
        let assignment = built.assignment(&mut expressions, &seed);
        let array = built.files[0].data.array.expect("it has bytes");
        assert_eq!([0, 1, 2].map(|at| assignment.get(array, at)), *b"abc");
    }
}
