//! The identity of a case: a hash of what the process starts from.
//!
//! Cases with equal inputs are the same case, whatever is expected of them and wherever they came
//! from. The hash is SHA-256 over a tagged, length-prefixed encoding, which must never change: names
//! of stored cases depend on it. A test pins it.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};
use umbra_text::from_hex;

use crate::{Access, Case, Descriptor, Device, Entry, EntryKind, Settings, Stdin};

/// A hash of the inputs of a case; prints as 64 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CaseId([u8; 32]);

impl CaseId {
    /// The first 12 digits, enough to tell the cases of a project apart.
    pub fn short(&self) -> String {
        let mut text = self.to_string();
        text.truncate(12);
        text
    }
}

/// The text is not 64 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not the identity of a case")]
pub struct NotACaseId;

impl FromStr for CaseId {
    type Err = NotACaseId;

    fn from_str(text: &str) -> Result<Self, NotACaseId> {
        let is_written_so = !text.bytes().any(|byte| byte.is_ascii_uppercase());
        let bytes = from_hex(text).filter(|_| is_written_so).ok_or(NotACaseId)?;
        Ok(Self(bytes.try_into().map_err(|_| NotACaseId)?))
    }
}

impl fmt::Display for CaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl Case {
    /// The identity of the case. Neither `expected` nor `origin` nor the order of `tree` matter.
    pub fn id(&self) -> CaseId {
        let mut encoder = Encoder(Sha256::new());
        encoder.bytes(b"umbra/case/1");
        encoder.bytes(&self.program);
        encoder.list(&self.arguments, |encoder, argument| encoder.bytes(argument));
        encoder.list(&self.environment, |encoder, variable| encoder.bytes(variable));
        encoder.stdin(&self.stdin);
        let mut tree: Vec<&Entry> = self.tree.iter().collect();
        tree.sort_by(|one, other| one.path.cmp(&other.path));
        encoder.list(&tree, |encoder, entry| encoder.entry(entry));
        encoder.settings(&self.settings);
        encoder.list(&self.objects, |encoder, object| {
            encoder.bytes(&object.name);
            encoder.bytes(&object.bytes);
        });
        encoder.additions(self, &tree);
        CaseId(encoder.0.finalize().into())
    }
}

struct Encoder(Sha256);

impl Encoder {
    fn number(&mut self, number: u64) {
        self.0.update(number.to_le_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.update(bytes);
    }

    fn option(&mut self, number: Option<u64>) {
        self.number(number.is_some().into());
        self.number(number.unwrap_or(0));
    }

    fn list<T>(
        &mut self,
        items: impl IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
        item: impl Fn(&mut Self, T),
    ) {
        let items = items.into_iter();
        self.number(items.len() as u64);
        items.for_each(|value| item(self, value));
    }

    fn stdin(&mut self, stdin: &Stdin) {
        self.number(match stdin {
            Stdin::Null => 0,
            Stdin::Closed => 1,
            Stdin::Pipe(_) => 2,
            Stdin::File(_) => 3,
        });
        self.bytes(stdin.bytes().unwrap_or_default());
    }

    fn entry(&mut self, entry: &Entry) {
        self.bytes(&entry.path);
        let (tag, content): (u64, &[u8]) = match &entry.kind {
            EntryKind::File(content) => (0, content),
            EntryKind::Directory => (1, &[]),
            EntryKind::Symlink(target) => (2, target),
            EntryKind::Fifo => (3, &[]),
        };
        self.number(tag);
        self.bytes(content);
        self.number(entry.mode.into());
        self.option(entry.modified.map(|time| time.seconds as u64));
        self.option(entry.modified.map(|time| time.nanoseconds.into()));
    }

    /// What cases did not have at first. Each is only there if it is not the default, so that cases
    /// without it keep their identity.
    fn additions(&mut self, case: &Case, tree: &[&Entry]) {
        if !case.descriptors.is_empty() {
            self.bytes(b"descriptors");
            self.list(&case.descriptors, |encoder, (number, descriptor)| {
                encoder.number((*number).into());
                encoder.descriptor(descriptor);
            });
        }
        for (name, value) in [("root", case.root.as_deref()), ("directory", Some(&*case.directory))]
        {
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                self.bytes(name.as_bytes());
                self.bytes(value);
            }
        }
        if let Some(call) = &case.call {
            self.bytes(b"call");
            self.bytes(call.function.as_bytes());
            self.number(call.number.into());
        }
        let owned = tree.iter().filter_map(|entry| Some((entry, entry.owner?)));
        let owned: Vec<_> = owned.collect();
        if !owned.is_empty() {
            self.bytes(b"owners");
            self.list(owned, |encoder, (entry, owner)| {
                encoder.bytes(&entry.path);
                encoder.number(owner.user.into());
                encoder.number(owner.group.into());
            });
        }
    }

    fn descriptor(&mut self, descriptor: &Descriptor) {
        match descriptor {
            Descriptor::Closed => self.number(0),
            Descriptor::Null => self.number(1),
            Descriptor::Pipe(bytes) => {
                self.number(2);
                self.bytes(bytes);
            }
            Descriptor::File { path, offset, access, append } => {
                self.number(3);
                self.bytes(path);
                self.number(*offset);
                self.access(*access);
                self.number((*append).into());
            }
            Descriptor::Terminal => self.number(4),
            Descriptor::Same(number) => {
                self.number(5);
                self.number((*number).into());
            }
            Descriptor::Device { device, access } => {
                self.number(6);
                self.number(match device {
                    Device::Full => 0,
                    Device::Zero => 1,
                    Device::Random => 2,
                });
                self.access(*access);
            }
        }
    }

    fn access(&mut self, access: Access) {
        self.number(match access {
            Access::Read => 0,
            Access::Write => 1,
            Access::Both => 2,
        });
    }

    fn settings(&mut self, settings: &Settings) {
        self.number(settings.umask.into());
        self.option(settings.user.map(u64::from));
        self.option(settings.group.map(u64::from));
        self.list(&settings.limits, |encoder, (resource, value)| {
            encoder.bytes(resource.name().as_bytes());
            encoder.option(*value);
        });
        self.list(&settings.ignored_signals, |encoder, signal| encoder.number(*signal as u64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Expected, Object, Owner, Timestamp};
    use umbra_words::End;

    fn case() -> Case {
        Case {
            program: b"cut".to_vec(),
            arguments: vec![b"-d".to_vec(), b":".to_vec()],
            environment: vec![b"LANG=C".to_vec()],
            stdin: Stdin::Pipe(b"a:b\n".to_vec()),
            tree: vec![Entry::file("x", "content"), Entry::directory("d")],
            ..Case::default()
        }
    }

    /// The values were computed from the encoding by another program.
    #[test]
    fn identities_stay_as_they_are() {
        assert_eq!(case().id().short(), "4d059cb2c2af");
        assert_eq!(
            Case::default().id().to_string(),
            "0627f393047f1f07ad9e9cb3cea5fb590e00d065f578ed513e0e5484a03d8825"
        );
    }

    fn insert(case: &mut Case, descriptor: Descriptor) {
        case.descriptors.insert(3, descriptor);
    }

    fn device(device: Device, access: Access) -> Descriptor {
        Descriptor::Device { device, access }
    }

    fn file(offset: u64, access: Access, append: bool) -> Descriptor {
        Descriptor::File { path: b"x".to_vec(), offset, access, append }
    }

    #[test]
    fn every_input_counts() {
        let change = |change: fn(&mut Case)| {
            let mut changed = case();
            change(&mut changed);
            changed.id()
        };
        let mut ids = vec![
            case().id(),
            change(|case| case.program = b"cu".to_vec()),
            change(|case| case.arguments = vec![b"-d:".to_vec()]),
            change(|case| case.arguments = vec![b"-d:".to_vec(), vec![]]),
            change(|case| case.environment.clear()),
            change(|case| case.stdin = Stdin::File(b"a:b\n".to_vec())),
            change(|case| case.stdin = Stdin::Null),
            change(|case| case.stdin = Stdin::Closed),
            change(|case| case.tree[0] = Entry::symlink("x", "content")),
            change(|case| case.tree[0].mode = 0o600),
            change(|case| {
                case.tree[0].modified = Some(Timestamp { seconds: 0, nanoseconds: 0 });
            }),
            change(|case| case.settings.umask = 0),
            change(|case| case.settings.user = Some(0)),
            change(|case| case.settings.group = Some(0)),
            change(|case| {
                case.settings.limits.insert(crate::Resource::Core, None);
            }),
            change(|case| {
                case.settings.ignored_signals.insert(13);
            }),
            change(|case| case.objects.push(Object { name: vec![], bytes: vec![] })),
            change(|case| case.root = Some(b"/a".to_vec())),
            change(|case| case.directory = b"d".to_vec()),
            change(|case| case.tree[0].owner = Some(Owner { user: 1, group: 2 })),
            change(|case| case.tree[1].owner = Some(Owner { user: 1, group: 2 })),
            change(|case| insert(case, Descriptor::Closed)),
            change(|case| insert(case, Descriptor::Null)),
            change(|case| insert(case, Descriptor::Pipe(vec![]))),
            change(|case| insert(case, Descriptor::Terminal)),
            change(|case| insert(case, Descriptor::Same(1))),
            change(|case| insert(case, file(0, Access::Read, false))),
            change(|case| insert(case, file(1, Access::Read, false))),
            change(|case| insert(case, file(0, Access::Both, false))),
            change(|case| insert(case, file(0, Access::Read, true))),
            change(|case| insert(case, device(Device::Full, Access::Write))),
            change(|case| insert(case, device(Device::Full, Access::Both))),
            change(|case| insert(case, device(Device::Zero, Access::Write))),
            change(|case| insert(case, device(Device::Random, Access::Write))),
        ];
        let count = ids.len();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), count);
    }

    #[test]
    fn identities_parse_back() {
        let id = case().id();
        assert_eq!(id.to_string().parse(), Ok(id));
        for text in ["", "4d059cb2c2af", &id.to_string().to_uppercase(), &"g".repeat(64)] {
            assert_eq!(text.parse::<CaseId>(), Err(NotACaseId), "{text}");
        }
    }

    #[test]
    fn predictions_provenance_and_the_order_of_the_tree_do_not_count() {
        let mut changed = case();
        changed.expected = Expected { end: Some(End::Exited(1)), ..Expected::default() };
        changed.origin.insert("run".into(), "0001".into());
        changed.tree.reverse();
        assert_eq!(changed.id(), case().id());
    }
}
