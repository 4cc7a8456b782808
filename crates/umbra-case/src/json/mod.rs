//! `case.json`: what it looks like, and the way from and to a [`Case`] without its contents.
//!
//! The types here are those of the file; keys are added, never renamed. A key that is not known is
//! ignored. What has its default is left out.

mod values;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use umbra_words::{End, Fault, LimitKind, Place};

use crate::{
    Access, Call, Case, Descriptor, Device, Entry, EntryKind, Expected, Object, Origin, Owner,
    Resource, Settings, Stdin,
};
use values::{Bytes, LimitFile, LimitWord, Octal, ResourceName, TimestampFile};

/// The schema of `case.json`.
pub const SCHEMA: &str = "umbra/case/1";

/// The schema of a case that readers of [`SCHEMA`] would not understand: it predicts that the program
/// hangs or is stopped at a limit.
pub const SCHEMA_2: &str = "umbra/case/2";

/// The schema of a case that is an input of a call inside the program: readers of [`SCHEMA_2`] would
/// run the program without it.
pub const SCHEMA_3: &str = "umbra/case/3";

/// Whether this version of Umbra reads cases of a schema.
pub fn is_known(schema: &str) -> bool {
    [SCHEMA, SCHEMA_2, SCHEMA_3].contains(&schema)
}

/// The oldest schema that says all there is in a case: readers of old know as many as possible.
fn schema_of(case: &Case) -> &'static str {
    match case.expected.end {
        _ if case.call.is_some() => SCHEMA_3,
        Some(End::Hung | End::OverLimit(_)) => SCHEMA_2,
        _ => SCHEMA,
    }
}

/// The file, in the order in which a person wants to read it.
#[derive(Serialize, Deserialize)]
pub struct CaseFile {
    pub schema: String,
    program: Bytes,
    #[serde(default)]
    arguments: Vec<Bytes>,
    #[serde(default)]
    environment: Vec<Bytes>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stdin: Option<StdinFile>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    descriptors: BTreeMap<u32, DescriptorFile>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    root: Option<Bytes>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    directory: Option<Bytes>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tree: Vec<EntryFile>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    umask: Option<Octal>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    user: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    group: Option<u32>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    limits: BTreeMap<ResourceName, LimitFile>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    ignored_signals: Vec<i32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    objects: Vec<ObjectFile>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    call: Option<Call>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expected: Option<ExpectedFile>,
    #[serde(default, skip_serializing_if = "Origin::is_empty")]
    origin: Origin,
}

/// Just enough of the file to see what it is.
#[derive(Deserialize)]
pub struct SchemaFile {
    pub schema: String,
}

/// The null device is the absence of the key.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum StdinFile {
    Closed,
    Pipe,
    File,
}

/// What can be read from a pipe is in the folder `descriptors`, under its number.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum DescriptorFile {
    Closed,
    Null,
    Pipe,
    File {
        path: Bytes,
        #[serde(default, skip_serializing_if = "is_nothing")]
        offset: u64,
        access: AccessFile,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        append: bool,
    },
    Terminal,
    Device {
        name: DeviceFile,
        access: AccessFile,
    },
    Same(u32),
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum DeviceFile {
    Full,
    Zero,
    Random,
}

impl DeviceFile {
    fn of(device: Device) -> Self {
        match device {
            Device::Full => Self::Full,
            Device::Zero => Self::Zero,
            Device::Random => Self::Random,
        }
    }

    fn into_device(self) -> Device {
        match self {
            Self::Full => Device::Full,
            Self::Zero => Device::Zero,
            Self::Random => Device::Random,
        }
    }
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum AccessFile {
    Read,
    Write,
    Both,
}

impl AccessFile {
    fn of(access: Access) -> Self {
        match access {
            Access::Read => Self::Read,
            Access::Write => Self::Write,
            Access::Both => Self::Both,
        }
    }

    fn into_access(self) -> Access {
        match self {
            Self::Read => Access::Read,
            Self::Write => Access::Write,
            Self::Both => Access::Both,
        }
    }
}

#[derive(Serialize, Deserialize)]
struct EntryFile {
    path: Bytes,
    kind: KindFile,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    target: Option<Bytes>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mode: Option<Octal>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    modified: Option<TimestampFile>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    owner: Option<OwnerFile>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
struct OwnerFile {
    user: u32,
    group: u32,
}

#[derive(Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum KindFile {
    File,
    Directory,
    Symlink,
    Fifo,
}

#[derive(Serialize, Deserialize)]
struct ObjectFile {
    name: Bytes,
    bytes: Bytes,
}

#[derive(Serialize, Deserialize)]
struct ExpectedFile {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    end: Option<EndFile>,
    /// The files below `expected/` that there are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    streams: Vec<StreamFile>,
}

#[derive(Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum StreamFile {
    Stdout,
    Stderr,
    Tree,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum EndFile {
    Exited(i32),
    Killed(i32),
    Hung,
    OverLimit(LimitKind),
    Error(ErrorFile),
    Cut { reason: String },
}

#[derive(Serialize, Deserialize)]
struct ErrorFile {
    kind: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    file: String,
    #[serde(default, skip_serializing_if = "is_zero")]
    line: u32,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    message: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    stack: Vec<String>,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

fn is_nothing(number: &u64) -> bool {
    *number == 0
}

impl CaseFile {
    /// The file of a case.
    pub fn of(case: &Case) -> Self {
        let list = |items: &[Vec<u8>]| items.iter().cloned().map(Bytes).collect();
        let settings = &case.settings;
        Self {
            schema: schema_of(case).to_owned(),
            program: Bytes(case.program.clone()),
            arguments: list(&case.arguments),
            environment: list(&case.environment),
            stdin: match case.stdin {
                Stdin::Null => None,
                Stdin::Closed => Some(StdinFile::Closed),
                Stdin::Pipe(_) => Some(StdinFile::Pipe),
                Stdin::File(_) => Some(StdinFile::File),
            },
            descriptors: case.descriptors.iter().map(DescriptorFile::of).collect(),
            root: case.root.clone().map(Bytes),
            directory: (!case.directory.is_empty()).then(|| Bytes(case.directory.clone())),
            tree: case.tree.iter().map(EntryFile::of).collect(),
            umask: (settings.umask != Settings::DEFAULT_UMASK).then_some(Octal(settings.umask)),
            user: settings.user,
            group: settings.group,
            limits: settings.limits.iter().map(limit_file).collect(),
            ignored_signals: settings.ignored_signals.iter().copied().collect(),
            objects: case.objects.iter().map(ObjectFile::of).collect(),
            call: case.call.clone(),
            expected: ExpectedFile::of(&case.expected),
            origin: case.origin.clone(),
        }
    }

    /// The case; `content` gives what lies beside the file, by path below the case's folder.
    pub fn into_case<E>(
        self,
        mut content: impl FnMut(&[u8]) -> Result<Vec<u8>, E>,
    ) -> Result<Case, E> {
        let list = |items: Vec<Bytes>| items.into_iter().map(|bytes| bytes.0).collect();
        Ok(Case {
            program: self.program.0,
            arguments: list(self.arguments),
            environment: list(self.environment),
            stdin: match self.stdin {
                None => Stdin::Null,
                Some(StdinFile::Closed) => Stdin::Closed,
                Some(StdinFile::Pipe) => Stdin::Pipe(content(b"stdin")?),
                Some(StdinFile::File) => Stdin::File(content(b"stdin")?),
            },
            descriptors: self
                .descriptors
                .into_iter()
                .map(|(number, file)| Ok((number, file.into_descriptor(number, &mut content)?)))
                .collect::<Result<_, E>>()?,
            root: self.root.map(|bytes| bytes.0),
            directory: self.directory.map_or(vec![], |bytes| bytes.0),
            tree: self
                .tree
                .into_iter()
                .map(|entry| entry.into_entry(&mut content))
                .collect::<Result<_, E>>()?,
            settings: Settings {
                umask: self.umask.map_or(Settings::DEFAULT_UMASK, |umask| umask.0),
                user: self.user,
                group: self.group,
                limits: self.limits.into_iter().map(limit).collect(),
                ignored_signals: self.ignored_signals.into_iter().collect(),
            },
            objects: self.objects.into_iter().map(ObjectFile::into_object).collect(),
            call: self.call,
            expected: match self.expected {
                None => Expected::default(),
                Some(expected) => expected.into_expected(content)?,
            },
            origin: self.origin,
        })
    }
}

fn limit_file((resource, value): (&Resource, &Option<u64>)) -> (ResourceName, LimitFile) {
    let value = value.map_or(LimitFile::Word(LimitWord::Unlimited), LimitFile::Value);
    (ResourceName(*resource), value)
}

fn limit((name, value): (ResourceName, LimitFile)) -> (Resource, Option<u64>) {
    match value {
        LimitFile::Value(value) => (name.0, Some(value)),
        LimitFile::Word(LimitWord::Unlimited) => (name.0, None),
    }
}

impl DescriptorFile {
    fn of((number, descriptor): (&u32, &Descriptor)) -> (u32, Self) {
        let file = match descriptor {
            Descriptor::Closed => Self::Closed,
            Descriptor::Null => Self::Null,
            Descriptor::Pipe(_) => Self::Pipe,
            Descriptor::File { path, offset, access, append } => Self::File {
                path: Bytes(path.clone()),
                offset: *offset,
                access: AccessFile::of(*access),
                append: *append,
            },
            Descriptor::Terminal => Self::Terminal,
            Descriptor::Device { device, access } => {
                Self::Device { name: DeviceFile::of(*device), access: AccessFile::of(*access) }
            }
            Descriptor::Same(other) => Self::Same(*other),
        };
        (*number, file)
    }

    fn into_descriptor<E>(
        self,
        number: u32,
        content: &mut impl FnMut(&[u8]) -> Result<Vec<u8>, E>,
    ) -> Result<Descriptor, E> {
        Ok(match self {
            Self::Closed => Descriptor::Closed,
            Self::Null => Descriptor::Null,
            Self::Pipe => Descriptor::Pipe(content(format!("descriptors/{number}").as_bytes())?),
            Self::File { path, offset, access, append } => {
                Descriptor::File { path: path.0, offset, access: access.into_access(), append }
            }
            Self::Terminal => Descriptor::Terminal,
            Self::Device { name, access } => {
                Descriptor::Device { device: name.into_device(), access: access.into_access() }
            }
            Self::Same(other) => Descriptor::Same(other),
        })
    }
}

impl EntryFile {
    fn of(entry: &Entry) -> Self {
        let (kind, target) = match &entry.kind {
            EntryKind::File(_) => (KindFile::File, None),
            EntryKind::Directory => (KindFile::Directory, None),
            EntryKind::Symlink(target) => (KindFile::Symlink, Some(Bytes(target.clone()))),
            EntryKind::Fifo => (KindFile::Fifo, None),
        };
        let is_default = entry.mode == entry.kind.default_mode();
        Self {
            path: Bytes(entry.path.clone()),
            kind,
            target,
            mode: (!is_default).then_some(Octal(entry.mode)),
            modified: entry.modified.map(TimestampFile),
            owner: entry.owner.map(|Owner { user, group }| OwnerFile { user, group }),
        }
    }

    fn into_entry<E>(
        self,
        content: &mut impl FnMut(&[u8]) -> Result<Vec<u8>, E>,
    ) -> Result<Entry, E> {
        let kind = match self.kind {
            KindFile::File => EntryKind::File(content(&[b"files/", &*self.path.0].concat())?),
            KindFile::Directory => EntryKind::Directory,
            // A link without a target is refused when the whole case is checked.
            KindFile::Symlink => EntryKind::Symlink(self.target.map_or(vec![], |bytes| bytes.0)),
            KindFile::Fifo => EntryKind::Fifo,
        };
        let mode = self.mode.map_or(kind.default_mode(), |mode| mode.0);
        let owner = self.owner.map(|OwnerFile { user, group }| Owner { user, group });
        let modified = self.modified.map(|time| time.0);
        Ok(Entry { path: self.path.0, kind, mode, modified, owner })
    }
}

impl ObjectFile {
    fn of(object: &Object) -> Self {
        Self { name: Bytes(object.name.clone()), bytes: Bytes(object.bytes.clone()) }
    }

    fn into_object(self) -> Object {
        Object { name: self.name.0, bytes: self.bytes.0 }
    }
}

impl ExpectedFile {
    fn of(expected: &Expected) -> Option<Self> {
        let streams = [
            expected.stdout.as_ref().map(|_| StreamFile::Stdout),
            expected.stderr.as_ref().map(|_| StreamFile::Stderr),
            expected.tree.as_ref().map(|_| StreamFile::Tree),
        ];
        let file = Self {
            end: expected.end.as_ref().map(EndFile::of),
            streams: streams.into_iter().flatten().collect(),
        };
        (file.end.is_some() || !file.streams.is_empty()).then_some(file)
    }

    fn into_expected<E>(
        self,
        mut content: impl FnMut(&[u8]) -> Result<Vec<u8>, E>,
    ) -> Result<Expected, E> {
        let mut stream = |stream, path| match self.streams.contains(&stream) {
            true => content(path).map(Some),
            false => Ok(None),
        };
        Ok(Expected {
            stdout: stream(StreamFile::Stdout, b"expected/stdout")?,
            stderr: stream(StreamFile::Stderr, b"expected/stderr")?,
            tree: stream(StreamFile::Tree, b"expected/tree")?,
            end: self.end.map(EndFile::into_end),
        })
    }
}

impl EndFile {
    fn of(end: &End) -> Self {
        match end {
            End::Exited(status) => Self::Exited(*status),
            End::Killed(signal) => Self::Killed(*signal),
            End::Hung => Self::Hung,
            End::OverLimit(limit) => Self::OverLimit(*limit),
            End::Cut { reason } => Self::Cut { reason: reason.clone() },
            End::Error(error) => Self::Error(ErrorFile {
                kind: error.kind.clone(),
                file: error.place.file.clone(),
                line: error.place.line,
                message: error.message.clone(),
                stack: error.stack.clone(),
            }),
        }
    }

    fn into_end(self) -> End {
        match self {
            Self::Exited(status) => End::Exited(status),
            Self::Killed(signal) => End::Killed(signal),
            Self::Hung => End::Hung,
            Self::OverLimit(limit) => End::OverLimit(limit),
            Self::Cut { reason } => End::Cut { reason },
            Self::Error(ErrorFile { kind, file, line, message, stack }) => {
                let place = Place { file, line };
                End::Error(Box::new(Fault { kind, place, message, stack }))
            }
        }
    }
}
