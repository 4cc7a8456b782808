//! What the process that asks has open is not for programs: not by its number, nor by any path that a
//! case can name.

use std::fs::{self, File};
use std::os::fd::AsRawFd;

use rustix::io::{FdFlags, fcntl_dupfd_cloexec, fcntl_setfd};
use umbra_case::{Case, Entry};
use umbra_replay::{Confinement, Limits, Program, Sandbox};

use crate::support::{compile, confinements, launcher};

/// A folder of the host, open in every process that this one starts.
fn leak(folder: &std::path::Path) -> std::os::fd::OwnedFd {
    // At a number that no other test has.
    let leaked = fcntl_dupfd_cloexec(File::open(folder).expect("a folder"), 700).expect("a copy");
    fcntl_setfd(&leaked, FdFlags::empty()).expect("a descriptor that is inherited");
    leaked
}

#[test]
fn no_descriptor_is_inherited() {
    let folder = tempfile::tempdir_in("/tmp").expect("a folder");
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o777);
    fs::set_permissions(folder.path(), open).expect("an open folder");
    let leaked = leak(folder.path());
    let number = leaked.as_raw_fd();
    let program = Program::open(compile("hostile/files.c", &["-static"])).expect("files.c");
    for confinement in confinements() {
        let mut sandbox = Sandbox::start(&launcher(), confinement).expect("a sandbox");
        let mut run = |case: Case| sandbox.run(&case, &program, &Limits::default()).map(drop);
        for place in ["self", "1", "2", "thread-self"] {
            for operation in ["create", "mkdir", "symlink"] {
                let arguments = [operation.to_owned(), format!("/proc/{place}/fd/{number}")];
                let arguments = arguments.map(String::into_bytes).to_vec();
                run(Case { program: b"files".to_vec(), arguments, ..Case::default() })
                    .expect("a run");
            }
        }
        for root in ["/dev/fd", "/proc/self/fd", "/proc/1/fd"] {
            let case = Case {
                root: Some(format!("{root}/{number}/tree").into_bytes()),
                tree: vec![Entry::file("file", "content")],
                ..Case::default()
            };
            // In namespaces that is no place for a tree; under Landlock it stands elsewhere anyway.
            assert_eq!(run(case).is_err(), confinement == Confinement::Namespaces, "{root}");
        }
        let case = Case {
            root: Some(b"/dev".to_vec()),
            tree: vec![Entry::file(format!("fd/{number}/file"), "content")],
            ..Case::default()
        };
        assert_eq!(run(case).is_err(), confinement == Confinement::Namespaces);
        let left = fs::read_dir(folder.path()).expect("the folder").count();
        assert_eq!(left, 0, "{confinement:?}");
    }
}

/// A file of the tree may have the name that input had while it was being made.
#[test]
fn input_is_not_in_the_way_of_the_tree() {
    let program = Program::open(compile("programs/probe.c", &["-static"])).expect("probe.c");
    let mut sandbox = Sandbox::start(&launcher(), Confinement::Namespaces).expect("a sandbox");
    let case = Case {
        program: b"probe".to_vec(),
        root: Some(b"/tmp".to_vec()),
        stdin: umbra_case::Stdin::File(b"standard input".to_vec()),
        tree: vec![Entry::file("input", "of the tree"), Entry::symlink("link", "/dev/stderr")],
        ..Case::default()
    };
    let outcome = sandbox.run(&case, &program, &Limits::default()).expect("a run");
    let names: Vec<&[u8]> = outcome.tree.0.iter().map(|entry| &*entry.path).collect();
    assert_eq!(names, [&b"."[..], b"input", b"link"]);
}
