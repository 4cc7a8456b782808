//! The descriptors of a case.
//!
//! Suites send output to logs, which are no part of the program's world: 1 and 2 lead to a pipe
//! unless they lead to a file of the tree. Of other descriptors, which shells and makes leave open for
//! themselves, only files of the tree and streams that were read are kept.

use umbra_case::{Access, Case, Device, Stdin};
use umbra_tracer::raw::{Descriptor, Node, Recording, Target};

use super::root::relative;
use super::{Incomplete, Objects};

/// Flags of open(2) on Linux.
const ACCESS_MODE: u32 = 3;
const APPEND: u32 = 0o2000;

/// Adds descriptors to a case whose tree is complete.
pub fn add(
    case: &mut Case,
    recording: &Recording,
    root: &[u8],
    objects: &Objects<'_>,
) -> Result<(), Incomplete> {
    let open = &recording.start.descriptors;
    for number in 0..=2 {
        if open.iter().all(|descriptor| descriptor.number != number) {
            match number {
                0 => case.stdin = Stdin::Closed,
                _ => {
                    case.descriptors.insert(number, umbra_case::Descriptor::Closed);
                }
            }
        }
    }
    for descriptor in open {
        let number = descriptor.number;
        if let Some(file) = file_in_tree(case, descriptor, root) {
            let same = descriptor.same.filter(|other| case.descriptors.contains_key(other));
            let file = same.map_or(file, umbra_case::Descriptor::Same);
            case.descriptors.insert(number, file);
        } else if number == 0 {
            add_input(case, recording, descriptor, objects)?;
        } else if let Some(other) = plain(recording, descriptor)? {
            case.descriptors.insert(number, other);
        }
    }
    Ok(())
}

/// Bytes read from the stream that a descriptor leads to.
fn bytes_read(recording: &Recording, number: u32) -> Vec<u8> {
    let stream = recording.streams.iter().find(|stream| stream.descriptor == number);
    stream.map(|stream| stream.bytes.clone()).unwrap_or_default()
}

fn add_input(
    case: &mut Case,
    recording: &Recording,
    descriptor: &Descriptor,
    objects: &Objects<'_>,
) -> Result<(), Incomplete> {
    match &descriptor.target {
        Target::Null => {}
        Target::Device(minor) => {
            case.descriptors.insert(0, device(*minor, descriptor.flags)?);
        }
        Target::Pipe | Target::Socket => case.stdin = Stdin::Pipe(bytes_read(recording, 0)),
        Target::Terminal => {
            case.descriptors.insert(0, umbra_case::Descriptor::Terminal);
        }
        Target::Nameless(content) if descriptor.offset == 0 => {
            case.stdin = Stdin::File(objects.read(*content)?);
        }
        Target::File(path) if descriptor.offset == 0 => {
            case.stdin = Stdin::File(content_of(recording, path, objects)?);
        }
        Target::Nameless(_) | Target::File(_) | Target::Directory(_) | Target::Other => {
            return Err(Incomplete::Inexpressible);
        }
    }
    Ok(())
}

/// The content of a file that was touched.
fn content_of(
    recording: &Recording,
    path: &[u8],
    objects: &Objects<'_>,
) -> Result<Vec<u8>, Incomplete> {
    let touched = recording.touched.iter().find(|touched| touched.path == path);
    match touched.map(|touched| &touched.node) {
        Some(Node::File(content)) => objects.read(*content),
        _ => Err(Incomplete::Inexpressible),
    }
}

/// A descriptor that is no file of the tree; `None` if it has its default.
fn plain(
    recording: &Recording,
    descriptor: &Descriptor,
) -> Result<Option<umbra_case::Descriptor>, Incomplete> {
    let number = descriptor.number;
    Ok(match (number, &descriptor.target) {
        (1 | 2, Target::Null) => Some(umbra_case::Descriptor::Null),
        (1 | 2, Target::Terminal) => Some(umbra_case::Descriptor::Terminal),
        (_, Target::Device(minor)) => Some(device(*minor, descriptor.flags)?),
        // A device to which writing fails in its own way: a pipe is something else.
        (1 | 2, Target::Other | Target::Directory(_)) => return Err(Incomplete::Inexpressible),
        (1 | 2, _) => None,
        (_, Target::Pipe | Target::Socket) => {
            let bytes = bytes_read(recording, number);
            (!bytes.is_empty()).then_some(umbra_case::Descriptor::Pipe(bytes))
        }
        _ => None,
    })
}

/// A device of the memory driver, by its minor number.
fn device(minor: u32, flags: u32) -> Result<umbra_case::Descriptor, Incomplete> {
    let device = match minor {
        5 => Device::Zero,
        7 => Device::Full,
        8 | 9 => Device::Random,
        _ => return Err(Incomplete::Inexpressible),
    };
    Ok(umbra_case::Descriptor::Device { device, access: access(flags) })
}

fn access(flags: u32) -> Access {
    match flags & ACCESS_MODE {
        0 => Access::Read,
        1 => Access::Write,
        _ => Access::Both,
    }
}

fn file_in_tree(
    case: &Case,
    descriptor: &Descriptor,
    root: &[u8],
) -> Option<umbra_case::Descriptor> {
    let path = match &descriptor.target {
        Target::File(path) => path,
        // As after `< .`, which suites try: reading fails.
        Target::Directory(path) if descriptor.offset == 0 => path,
        _ => return None,
    };
    let path = match relative(path, root)? {
        b"" => b".",
        path => path,
    };
    case.tree.iter().find(|entry| entry.path == path)?;
    let access = access(descriptor.flags);
    let append = descriptor.flags & APPEND != 0;
    let offset = descriptor.offset;
    Some(umbra_case::Descriptor::File { path: path.to_vec(), offset, access, append })
}

#[cfg(test)]
mod tests {
    use super::*;
    use umbra_case::Entry;
    use umbra_tracer::raw::{Attributes, Content, Interest, Stream, Touched};

    fn open(number: u32, target: Target, flags: u32) -> Descriptor {
        Descriptor { number, target, flags, offset: 3, same: None }
    }

    fn descriptors(open: Vec<Descriptor>) -> Result<Case, Incomplete> {
        let mut recording = Recording::default();
        recording.start.descriptors = open;
        recording.streams = vec![
            Stream { descriptor: 0, bytes: b"in".to_vec() },
            Stream { descriptor: 7, bytes: b"seven".to_vec() },
        ];
        recording.touched = vec![Touched {
            path: b"/logs/in".to_vec(),
            node: Node::File(Content::Unread(2)),
            attributes: Attributes::default(),
            interest: Interest::Content,
            times: false,
            place: None,
            named: false,
        }];
        let mut case = Case { tree: vec![Entry::file("f", "x")], ..Case::default() };
        add(&mut case, &recording, b"/r", &Objects(std::path::Path::new("/")))?;
        Ok(case)
    }

    #[test]
    fn devices_that_every_system_has_are_kept() {
        let open = vec![
            open(0, Target::Device(5), 0),
            open(1, Target::Device(7), 1),
            open(2, Target::Null, 2),
        ];
        let device = |device, access| umbra_case::Descriptor::Device { device, access };
        let expected = [
            (0, device(Device::Zero, Access::Read)),
            (1, device(Device::Full, Access::Write)),
            (2, umbra_case::Descriptor::Null),
        ];
        assert_eq!(descriptors(open).unwrap().descriptors, expected.into_iter().collect());
    }

    #[test]
    fn a_file_outside_the_tree_is_read_by_its_descriptor() {
        let file = |path: &str, offset| {
            let target = Target::File(path.as_bytes().to_vec());
            descriptors(vec![Descriptor { offset, ..open(0, target, 0) }])
        };
        assert_eq!(file("/logs/in", 0).unwrap().stdin, Stdin::File(vec![0; 2]));
        assert_eq!(file("/logs/in", 1), Err(Incomplete::Inexpressible));
        assert_eq!(file("/logs/other", 0), Err(Incomplete::Inexpressible));
    }

    #[test]
    fn what_is_not_open_is_closed() {
        let case = descriptors(vec![]).unwrap();
        assert_eq!(case.stdin, Stdin::Closed);
        assert_eq!(case.descriptors.keys().copied().collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn files_of_the_tree_and_streams_are_kept_and_logs_are_not() {
        let file = || Target::File(b"/r/f".to_vec());
        let log = || Target::File(b"/logs/l".to_vec());
        let mut same = open(2, file(), APPEND | 1);
        same.same = Some(1);
        let case = descriptors(vec![
            open(0, Target::Pipe, 0),
            open(1, file(), APPEND | 1),
            same,
            open(5, log(), 1),
            open(7, Target::Pipe, 0),
            open(8, Target::Pipe, 0),
        ])
        .unwrap();
        assert_eq!(case.stdin, Stdin::Pipe(b"in".to_vec()));
        let written = umbra_case::Descriptor::File {
            path: b"f".to_vec(),
            offset: 3,
            access: Access::Write,
            append: true,
        };
        let expected = [
            (1, written),
            (2, umbra_case::Descriptor::Same(1)),
            (7, umbra_case::Descriptor::Pipe(b"seven".to_vec())),
        ];
        assert_eq!(case.descriptors, expected.into_iter().collect());
        let memory = Target::Device(1);
        for strange in [open(0, log(), 0), open(1, Target::Other, 1), open(2, memory, 2)] {
            assert_eq!(descriptors(vec![strange]), Err(Incomplete::Inexpressible));
        }
    }
}
