//! What a person sees: whole folders, as text.
//!
//! `BLESS=1` rewrites the expectations.

use std::fs;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::Path;

use umbra_case::{
    Access, Case, Descriptor, Entry, Expected, Object, Owner, Resource, Settings, Stdin, Timestamp,
};
use umbra_words::{End, Fault, Place};

/// Every file below a folder: its path, what it is, what it holds.
fn listing(root: &Path, folder: &Path, text: &mut String) {
    let mut paths: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        let shown = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
        let metadata = fs::symlink_metadata(&path).unwrap();
        let executable = metadata.permissions().mode() & 0o100 != 0;
        if metadata.is_dir() {
            *text += &format!("==== {shown}/\n");
            listing(root, &path, text);
        } else if metadata.is_symlink() {
            *text += &format!("==== {shown} -> {}\n", fs::read_link(&path).unwrap().display());
        } else if metadata.file_type().is_fifo() {
            *text += &format!("==== {shown} (pipe)\n");
        } else {
            let note = if executable { " (executable)" } else { "" };
            let content = fs::read(&path).unwrap();
            *text += &format!("==== {shown}{note}\n");
            match String::from_utf8(content) {
                Ok(content) if !content.contains('\0') => *text += &content,
                Ok(content) => *text += &format!("{content:?}\n"),
                Err(error) => *text += &format!("{}\n", error.as_bytes().escape_ascii()),
            }
            if !text.ends_with('\n') {
                *text += "\n";
            }
        }
    }
}

fn check(name: &str, case: &Case) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("case");
    case.write(&path).unwrap();
    let mut text = String::new();
    listing(&path, &path, &mut text);
    let golden = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/cases/golden")
        .join(format!("{name}.txt"));
    if std::env::var_os("BLESS").is_some() {
        fs::write(&golden, &text).unwrap();
    }
    let expected = fs::read_to_string(&golden).unwrap_or_default();
    let difference = text.lines().zip(expected.lines()).position(|(one, other)| one != other);
    assert!(
        text == expected,
        "{name} differs from line {difference:?}; \
         accept with BLESS=1 cargo test -p umbra-case --test cases golden\n{text}"
    );
}

#[test]
fn an_ordinary_case() {
    check(
        "ordinary",
        &Case {
            program: b"cut".to_vec(),
            arguments: [&b"-d"[..], b":", b"-f2", b"passwd"].map(<[u8]>::to_vec).into(),
            environment: vec![b"LANG=C.UTF-8".to_vec()],
            tree: vec![Entry::file("passwd", "root:x:0\n")],
            expected: Expected {
                end: Some(End::Exited(0)),
                stdout: Some(b"x\n".to_vec()),
                stderr: Some(Vec::new()),
                tree: Some(b"passwd: file 0644 9 0f\n".to_vec()),
            },
            origin: [("run", "0001"), ("path", "17")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into(),
            ..Case::default()
        },
    );
}

#[test]
fn a_case_with_everything() {
    let time = Timestamp { seconds: 1_600_000_000, nanoseconds: 500_000_000 };
    let owner = Some(Owner { user: 0, group: 4 });
    check(
        "everything",
        &Case {
            program: b"./it's".to_vec(),
            arguments: vec![
                b"".to_vec(),
                b"a\nb\n".to_vec(),
                b"-\xff%".to_vec(),
                b"$HOME".to_vec(),
            ],
            environment: vec![b"A=1".to_vec(), b"B=\x01".to_vec()],
            stdin: Stdin::Pipe(b"line\n\0\n".to_vec()),
            descriptors: [
                (1, Descriptor::Closed),
                (3, Descriptor::Pipe(b"three".to_vec())),
                (
                    4,
                    Descriptor::File {
                        path: b"d/secret".to_vec(),
                        offset: 1,
                        access: Access::Both,
                        append: false,
                    },
                ),
                (5, Descriptor::Same(4)),
            ]
            .into(),
            root: Some(b"/srv/here".to_vec()),
            directory: b"d".to_vec(),
            tree: vec![
                Entry { mode: 0o555, modified: Some(time), ..Entry::directory("d") },
                Entry { mode: 0, modified: Some(time), owner, ..Entry::file("d/secret", "s") },
                Entry { modified: Some(time), ..Entry::symlink("link", "d/secret") },
                Entry::fifo("pipe"),
                Entry::file(*b"tab\there", "x"),
            ],
            settings: Settings {
                umask: 0o027,
                user: Some(1000),
                group: Some(100),
                limits: [(Resource::OpenFiles, Some(16)), (Resource::Core, None)].into(),
                ignored_signals: [1, 13].into(),
            },
            objects: vec![
                Object { name: b"n".to_vec(), bytes: 5_u32.to_le_bytes().to_vec() },
                Object { name: b"word".to_vec(), bytes: b"word".to_vec() },
            ],
            call: None,
            expected: Expected {
                end: Some(End::Error(Box::new(Fault {
                    kind: "out-of-bounds-write".to_owned(),
                    place: Place { file: "src/it.c".to_owned(), line: 12 },
                    message: "write of 1 byte, 0 bytes after the end".to_owned(),
                    stack: vec!["fill at src/it.c:12".to_owned(), "main at src/it.c:40".to_owned()],
                }))),
                stdout: Some(b"partial".to_vec()),
                stderr: None,
                tree: None,
            },
            origin: [("seed".to_owned(), "tests/basic".to_owned())].into(),
        },
    );
}
