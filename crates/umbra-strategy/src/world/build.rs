//! From a description of the world to expressions.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::Arc;

use umbra_case::{Call, Stdin};
use umbra_engine::{Byte, Process};
use umbra_expr::{ArrayId, ExprId, Expressions};
use umbra_os::{
    Descriptor, StreamKind, SymbolicFile, SymbolicInput, SymbolicMetadata, SymbolicTime,
};

use super::given::unnamed_file;
use super::{Argument, Data, File, World};

/// Variables that every explored program sees.
const ENVIRONMENT: [&str; 3] = ["PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "TZ=UTC0"];

/// These variables, as a case has them.
pub(super) fn fixed_environment() -> Vec<Vec<u8>> {
    ENVIRONMENT.iter().map(|text| text.as_bytes().to_vec()).collect()
}

/// Where a file's times lie: the years 1970 to 2106, which every file system can hold.
const LATEST: u64 = u32::MAX as u64;
const SECOND: u64 = 1_000_000_000;

/// One way in which the program can be started.
pub struct Start {
    /// Its arguments and environment.
    pub process: Process,
    /// The symbolic arguments among them, by position after the program's name.
    pub(super) arguments: Vec<StartArgument>,
    /// The call inside the program that is its input, if there is one.
    pub(super) call: Option<Call>,
}

/// An argument of a start.
pub(super) enum StartArgument {
    Given(Vec<u8>),
    Symbolic { array: ArrayId, length: u32 },
}

/// A world with its expressions.
pub struct Built {
    pub(super) world: World,
    /// The ways in which the program can be started, those with the fewest arguments first.
    pub starts: Vec<Start>,
    /// What holds from the start.
    pub constraints: Vec<ExprId>,
    pub(super) stdin: Option<BuiltData>,
    pub(super) files: Vec<BuiltFile>,
    pub(super) variables: Vec<(String, ArrayId, u32)>,
}

/// Bytes with their expressions.
pub(super) struct BuiltData {
    pub array: Option<ArrayId>,
    pub size: u32,
    pub length: Option<ArrayId>,
    length_value: Option<ExprId>,
}

/// A file with its expressions.
pub(super) struct BuiltFile {
    pub name: PathBuf,
    pub data: BuiltData,
    pub exists: Option<ArrayId>,
    pub kind: Option<ArrayId>,
    pub permissions: Option<ArrayId>,
    pub modified: Option<ArrayId>,
}

impl World {
    /// Makes the expressions.
    pub fn build(&self, expressions: &mut Expressions, identity: [u32; 4]) -> Built {
        let mut constraints = Vec::new();
        let stdin = self.stdin.map(|data| build_data(expressions, "stdin", data, &mut constraints));
        let files = self.files.iter().enumerate().map(|(index, file)| {
            let name = match &self.base {
                // In a tree a name may be anything, also that of another input.
                Some(_) => format!("file{index}"),
                None => file.name.to_string_lossy().into_owned(),
            };
            build_file(expressions, &name, file, &mut constraints)
        });
        let files = files.collect();
        let variables: Vec<(String, ArrayId, u32)> = self
            .environment
            .iter()
            .map(|variable| {
                let name = format!("env:{}", variable.name);
                (variable.name.clone(), input(expressions, &name, variable.length), variable.length)
            })
            .collect();
        let given = match &self.base {
            Some(case) => case.environment.clone(),
            None => fixed_environment(),
        };
        let is_symbolic = |text: &[u8]| {
            self.environment.iter().any(|v| text.starts_with(format!("{}=", v.name).as_bytes()))
        };
        let mut environment: Vec<Vec<Byte>> = given
            .into_iter()
            .filter(|text| !is_symbolic(text))
            .map(|text| text.into_iter().map(Byte::Concrete).collect())
            .collect();
        for (name, array, length) in &variables {
            let mut text: Vec<Byte> = format!("{name}=").bytes().map(Byte::Concrete).collect();
            text.extend(bytes(expressions, *array, *length));
            environment.push(text);
        }
        let starts = self.starts(expressions, &environment, identity);
        Built { world: self.clone(), starts, constraints, stdin, files, variables }
    }

    /// One start for every call that is an input, if there are any.
    fn starts(
        &self,
        expressions: &mut Expressions,
        environment: &[Vec<Byte>],
        identity: [u32; 4],
    ) -> Vec<Start> {
        if self.calls.is_empty() {
            return self.starts_of_arguments(expressions, environment, identity);
        }
        let starts = self.calls.iter().flat_map(|call| {
            let mut environment = environment.to_vec();
            environment.push(call.variable().into_iter().map(Byte::Concrete).collect());
            let starts = self.starts_of_arguments(expressions, &environment, identity);
            starts.into_iter().map(|start| Start { call: Some(call.clone()), ..start })
        });
        starts.collect()
    }

    /// One start for every combination of how many arguments there are.
    fn starts_of_arguments(
        &self,
        expressions: &mut Expressions,
        environment: &[Vec<Byte>],
        identity: [u32; 4],
    ) -> Vec<Start> {
        let mut counts: Vec<Vec<usize>> = vec![Vec::new()];
        for argument in &self.arguments {
            let range = match argument {
                Argument::Given(_) => 1..=1,
                Argument::Symbolic { minimum, maximum, .. } => *minimum..=*maximum,
            };
            let longer = counts.iter().flat_map(|counts| {
                range.clone().map(move |count| {
                    let mut counts = counts.clone();
                    counts.push(count);
                    counts
                })
            });
            counts = longer.collect();
        }
        counts.sort_by_key(|counts| counts.iter().sum::<usize>());
        let starts = counts.into_iter().map(|counts| {
            let mut arguments = Vec::new();
            for (argument, count) in self.arguments.iter().zip(counts) {
                match argument {
                    Argument::Given(bytes) => {
                        arguments.push(StartArgument::Given(bytes.clone()));
                    }
                    Argument::Symbolic { length, .. } => {
                        for _ in 0..count {
                            let name = format!("arg{}", arguments.len() + 1);
                            let array = input(expressions, &name, *length);
                            arguments.push(StartArgument::Symbolic { array, length: *length });
                        }
                    }
                }
            }
            let mut words: Vec<Vec<Byte>> =
                vec![self.program.iter().copied().map(Byte::Concrete).collect()];
            words.extend(arguments.iter().map(|argument| match argument {
                StartArgument::Given(text) => text.iter().copied().map(Byte::Concrete).collect(),
                StartArgument::Symbolic { array, length } => bytes(expressions, *array, *length),
            }));
            let process = Process { arguments: words, environment: environment.to_vec(), identity };
            Start { process, arguments, call: None }
        });
        starts.collect()
    }
}

impl Built {
    /// Puts standard input and files into the configuration of a kernel.
    pub fn configure(&self, expressions: &mut Expressions, config: &mut umbra_os::Config) {
        let base = self.world.base.as_ref();
        if let Some(data) = &self.stdin {
            let bytes = data.bytes(expressions);
            let kind = match base.map(|case| &case.stdin) {
                Some(Stdin::File(content)) => unnamed_file(content.len()),
                _ => StreamKind::Pipe,
            };
            let input = SymbolicInput { bytes, length: data.length_value };
            config.descriptors[0] = Descriptor::input(kind, Arc::new(input));
        } else if base.is_none() {
            config.descriptors[0] = Descriptor::Null;
        }
        let root = base.map(|case| PathBuf::from(OsStr::from_bytes(case.root())));
        config.symbolic_files = self.files.iter().map(|file| file.symbolic(expressions)).collect();
        if let Some(root) = root {
            config.symbolic_files.iter_mut().for_each(|file| file.path = root.join(&file.path));
        }
    }
}

impl BuiltData {
    fn bytes(&self, expressions: &mut Expressions) -> Vec<Byte> {
        self.array.map_or(Vec::new(), |array| bytes(expressions, array, self.size))
    }
}

impl BuiltFile {
    fn symbolic(&self, expressions: &mut Expressions) -> SymbolicFile {
        let bit = |expressions: &mut Expressions, array: ArrayId| {
            let byte = expressions.byte(array, 0);
            expressions.extract(byte, 0, 1)
        };
        let time = self.modified.map_or(SymbolicTime::default(), |array| SymbolicTime {
            seconds: Some(number(expressions, array, 0, 8)),
            nanoseconds: Some(number(expressions, array, 8, 4)),
        });
        let metadata = self.permissions.map(|array| {
            let bits = number(expressions, array, 0, 2);
            SymbolicMetadata {
                permissions: Some(expressions.extract(bits, 0, 12)),
                mtime: time,
                ..SymbolicMetadata::default()
            }
        });
        SymbolicFile {
            path: self.name.clone(),
            bytes: self.data.bytes(expressions),
            length: self.data.length_value,
            exists: self.exists.map(|array| bit(expressions, array)),
            kind: self.kind.map(|array| expressions.byte(array, 0)),
            metadata,
        }
    }
}

fn build_data(
    expressions: &mut Expressions,
    name: &str,
    data: Data,
    constraints: &mut Vec<ExprId>,
) -> BuiltData {
    let array = (data.size > 0).then(|| input(expressions, name, data.size));
    let length = data.shorter.then(|| input(expressions, &format!("{name}.length"), 4));
    let length_value = length.map(|array| {
        let value = number(expressions, array, 0, 4);
        let value = expressions.zext(value, 64);
        let most = expressions.constant(64, data.size.into());
        constraints.push(expressions.ule(value, most));
        value
    });
    BuiltData { array, size: data.size, length, length_value }
}

fn build_file(
    expressions: &mut Expressions,
    name: &str,
    file: &File,
    constraints: &mut Vec<ExprId>,
) -> BuiltFile {
    let data = build_data(expressions, name, file.data, constraints);
    let exists = file.existence.then(|| input(expressions, &format!("{name}.exists"), 1));
    let kind = file.kind.then(|| {
        let array = input(expressions, &format!("{name}.kind"), 1);
        let (value, end) = (expressions.byte(array, 0), expressions.constant(8, 4));
        // Devices cannot be made by everybody; the other kinds can.
        constraints.push(expressions.ult(value, end));
        array
    });
    let permissions = file.metadata.then(|| input(expressions, &format!("{name}.mode"), 2));
    let modified = file.metadata.then(|| {
        let array = input(expressions, &format!("{name}.mtime"), 12);
        let (seconds, latest) =
            (number(expressions, array, 0, 8), expressions.constant(64, LATEST));
        constraints.push(expressions.ule(seconds, latest));
        let (fraction, second) =
            (number(expressions, array, 8, 4), expressions.constant(32, SECOND));
        constraints.push(expressions.ult(fraction, second));
        array
    });
    BuiltFile { name: file.name.clone(), data, exists, kind, permissions, modified }
}

/// The input of this name; inputs of different sizes are different.
fn input(expressions: &mut Expressions, name: &str, size: u32) -> ArrayId {
    match expressions.find_input(name) {
        Some(array) if expressions.array(array).size() != size => {
            expressions.input(&format!("{name}:{size}"), size)
        }
        _ => expressions.input(name, size),
    }
}

fn bytes(expressions: &mut Expressions, array: ArrayId, size: u32) -> Vec<Byte> {
    (0..size).map(|offset| Byte::Symbolic(expressions.byte(array, offset))).collect()
}

/// `size` bytes from `offset` on, the lowest first.
fn number(expressions: &mut Expressions, array: ArrayId, offset: u32, size: u32) -> ExprId {
    let mut value = expressions.byte(array, offset);
    for index in 1..size {
        let byte = expressions.byte(array, offset + index);
        value = expressions.concat(byte, value);
    }
    value
}
