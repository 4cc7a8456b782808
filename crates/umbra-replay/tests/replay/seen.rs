//! What a program sees of its case, and what is seen of the program.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use umbra_case::{
    Access, Case, Descriptor, Device, Entry, Owner, Resource, Settings, Stdin, Timestamp,
};
use umbra_compare::{Content, Note, Outcome, TreeCut, TreeKind};
use umbra_replay::{Confinement, Error, Limits, Sandbox};
use umbra_words::{End, LimitKind};

use crate::support::{confinements, launcher, probe};

fn case(questions: &[&str]) -> Case {
    Case {
        program: b"some/where/probe".to_vec(),
        arguments: questions.iter().map(|question| question.as_bytes().to_vec()).collect(),
        ..Case::default()
    }
}

fn run_with(confinement: Confinement, case: &Case, limits: &Limits) -> Result<Outcome, Error> {
    Sandbox::start(&launcher(), confinement)?.run(case, &probe(), limits)
}

fn run(case: &Case) -> Outcome {
    run_with(Confinement::Namespaces, case, &Limits::default()).expect("a run")
}

/// Standard output of a run, and that nothing else is out of the ordinary.
fn seen(case: &Case) -> String {
    let outcome = run(case);
    assert_eq!(outcome.end, End::Exited(0));
    assert_eq!(outcome.notes, []);
    String::from_utf8(outcome.stdout.bytes).expect("text")
}

/// The tree as lines: mode, what it is, path.
fn tree(outcome: &Outcome) -> Vec<String> {
    let line = |entry: &umbra_compare::TreeEntry| {
        let kind = match &entry.kind {
            TreeKind::File(Content::Bytes(bytes)) => String::from_utf8_lossy(bytes).into_owned(),
            TreeKind::File(Content::Hash { length, hash }) => format!("{length} {:02x}", hash[0]),
            TreeKind::File(Content::Unread { length }) => format!("{length} unread"),
            TreeKind::Symlink(target) => format!("-> {}", String::from_utf8_lossy(target)),
            other => format!("{other:?}"),
        };
        let path = String::from_utf8_lossy(&entry.path).into_owned();
        format!("{:o} {path} {:?} {}", entry.mode, kind, entry.links)
    };
    outcome.tree.0.iter().map(line).collect()
}

#[test]
fn a_program_sees_the_synthetic_root_only() {
    let case = case(&[
        "ls=/",
        "ls=/bin",
        "ls=/dev",
        "ls=/etc",
        "ls=/home",
        "stat=/tmp",
        "stat=/home",
        "pid",
        "host",
    ]);
    let text = seen(&case);
    let expected = "ls /: bin dev etc home proc root sbin tmp usr var\n\
        ls /bin: probe\n\
        ls /dev: fd full null random stderr stdin stdout tty urandom zero\n\
        ls /etc: group passwd\n\
        ls /home: user\n\
        stat /tmp: 41777 1000:1000 0 0.000000000\n\
        stat /home: 40755 1000:1000 0 0.000000000\n\
        pid: 2 1 sid 2\n\
        host: umbra\n";
    assert_eq!(text.replace(" tty", ""), expected.replace(" tty", ""));
}

#[test]
fn arguments_environment_and_settings_are_those_of_the_case() {
    let case = Case {
        environment: vec![b"B=2".to_vec(), b"A=\xff".to_vec()],
        settings: Settings {
            umask: 0o077,
            user: Some(0),
            group: Some(7),
            limits: BTreeMap::from([
                (Resource::Stack, Some(1 << 20)),
                (Resource::OpenFiles, Some(64)),
            ]),
            ignored_signals: BTreeSet::from([1, 34]),
        },
        ..case(&["argv0", "ids", "umask", "ignored", "limits", "cwd", "env"])
    };
    let outcome = run(&case);
    let mut expected = b"argv0: some/where/probe\nids: 0 0 7 7\numask: 077\nignored: 1\nignored: 34\n\
        limit as: 2147483648\nlimit core: 1\nlimit cpu: 10\nlimit fsize: 268435456\nlimit nofile: 64\n\
        limit stack: 1048576\ncwd: /home/user\nenv: B=2\nenv: A=".to_vec();
    expected.extend(b"\xff\n");
    assert_eq!(String::from_utf8_lossy(&outcome.stdout.bytes), String::from_utf8_lossy(&expected));
}

#[test]
fn the_tree_is_the_cases() {
    let case = Case {
        root: Some(b"/srv/some where".to_vec()),
        directory: b"sub/empty".to_vec(),
        tree: vec![
            Entry {
                modified: Some(Timestamp { seconds: 1_000_000_000, nanoseconds: 5 }),
                mode: 0o640,
                ..Entry::file("a", "content")
            },
            Entry { mode: 0o4555, ..Entry::directory("closed") },
            Entry::file("closed/in", "x"),
            Entry::symlink("link", "../nowhere"),
            Entry::fifo("pipe"),
            Entry::file("sub/file", ""),
        ],
        ..case(&[
            "cwd",
            "stat=../../a",
            "stat=../../closed",
            "stat=../../closed/in",
            "link=../../link",
            "stat=../../pipe",
            "stat=../file",
            "stat=..",
            "cat=../../a",
        ])
    };
    let expected = "cwd: /srv/some where/sub/empty\n\
        stat ../../a: 100640 1000:1000 7 1000000000.000000005\n\
        stat ../../closed: 44555 1000:1000 0 0.000000000\n\
        stat ../../closed/in: 100644 1000:1000 1 0.000000000\n\
        link: ../nowhere\n\
        stat ../../pipe: 10644 1000:1000 0 0.000000000\n\
        stat ../file: 100644 1000:1000 0 0.000000000\n\
        stat ..: 40755 1000:1000 0 0.000000000\n\
        content";
    assert_eq!(seen(&case), expected);
}

#[test]
fn standard_input_is_of_the_kind_that_the_case_says() {
    let long = b"0123456789".repeat(20_000);
    for (stdin, kind, content) in [
        (Stdin::Null, "fd 0: char rw 0\n", &b""[..]),
        (Stdin::Closed, "", b"cat: Bad file descriptor\n"),
        (Stdin::Pipe(long.clone()), "fd 0: pipe r -1\n", &long),
        (Stdin::File(b"abc".to_vec()), "fd 0: file r 0\n", b"abc"),
    ] {
        let case = Case { stdin, ..case(&["fds", "cat=-"]) };
        let outcome = run(&case);
        let mut expected = format!("{kind}fd 1: pipe w -1\nfd 2: pipe w -1\n").into_bytes();
        expected.extend(content);
        assert!(outcome.stdout.bytes == expected, "{kind}");
        assert_eq!(outcome.notes, []);
    }
}

#[test]
fn other_descriptors_are_those_of_the_case() {
    let file =
        |offset, access, append| Descriptor::File { path: b"f".to_vec(), offset, access, append };
    let case = Case {
        stdin: Stdin::Pipe(b"unused".to_vec()),
        descriptors: BTreeMap::from([
            (0, file(2, Access::Read, false)),
            (2, Descriptor::Same(1)),
            (3, Descriptor::Pipe(b"three".to_vec())),
            (4, Descriptor::Null),
            (7, file(1, Access::Both, false)),
            (200, file(0, Access::Write, true)),
        ]),
        tree: vec![Entry::file("f", "0123456789")],
        ..case(&["fds", "cat=-", "err=to stderr", "put=200", "put=7"])
    };
    let outcome = run(&case);
    let expected = "fd 0: file r 2\nfd 1: pipe w -1\nfd 2: pipe w -1\nfd 3: pipe r -1\n\
        fd 4: char rw 0\nfd 7: file rw 1\nfd 200: file wa 0\n23456789to stderr\n";
    assert_eq!(String::from_utf8_lossy(&outcome.stdout.bytes), expected);
    assert_eq!(outcome.stderr.bytes, b"");
    assert_eq!(tree(&outcome)[1], r#"644 f "0put\n56789put\n" 1"#);
}

#[test]
fn devices_are_given_in_every_sandbox() {
    let device = |device, access| Descriptor::Device { device, access };
    let case = Case {
        descriptors: BTreeMap::from([
            (3, device(Device::Full, Access::Write)),
            (4, device(Device::Zero, Access::Both)),
            (5, device(Device::Random, Access::Read)),
        ]),
        ..case(&["put=3", "put=4", "put=5"])
    };
    for confinement in confinements() {
        let outcome = run_with(confinement, &case, &Limits::default()).expect("a run");
        let text = String::from_utf8_lossy(&outcome.stdout.bytes).into_owned();
        assert_eq!(text, "put: No space left on device\nput: Bad file descriptor\n");
    }
}

#[test]
fn what_a_program_leaves_is_read_back() {
    let case = Case {
        tree: vec![Entry::file("a", "1"), Entry::file("gone", "2"), Entry::directory("d")],
        ..case(&[
            "write=a",
            "rm=gone",
            "write=d/new",
            "mkdir=e",
            "symlink=s",
            "mkfifo=p",
            "hardlink=h",
            "big=2",
            "chmod0=d",
        ])
    };
    let outcome = run(&case);
    let expected = [
        r#"755 . "Directory" 1"#,
        r#"644 a "new\n" 2"#,
        r#"644 big "2097152 56" 1"#,
        r#"0 d "Directory" 1"#,
        r#"644 d/new "new\n" 1"#,
        r#"755 e "Directory" 1"#,
        r#"644 h "new\n" 2"#,
        r#"644 p "Fifo" 1"#,
        r#"777 s "-> target" 1"#,
    ];
    assert_eq!(tree(&outcome), expected);
    assert_eq!(outcome.notes, []);
}

#[test]
fn every_end_is_told() {
    let usual = Limits::default();
    let short = Limits { wall: Duration::from_millis(300), ..Limits::default() };
    let cpu = Limits { cpu: Duration::from_secs(1), ..Limits::default() };
    let output = Limits { output: 3, ..Limits::default() };
    let size = Limits { file_size: 1 << 20, ..Limits::default() };
    for (question, limits, end) in [
        ("exit=0", &usual, End::Exited(0)),
        ("exit=255", &usual, End::Exited(255)),
        ("raise=6", &usual, End::Killed(6)),
        ("raise=9", &usual, End::Killed(9)),
        ("raise=40", &usual, End::Killed(40)),
        ("sleep=60000", &short, End::Hung),
        ("spin", &cpu, End::Hung),
        ("spin-deaf", &cpu, End::Hung),
        ("out=123456", &output, End::OverLimit(LimitKind::Output)),
        ("big=2", &size, End::OverLimit(LimitKind::FileSize)),
    ] {
        for confinement in confinements() {
            let case = case(&[question, "sleep=5000"]);
            let outcome = run_with(confinement, &case, limits).expect("a run");
            assert_eq!(outcome.end, end, "{question} {confinement:?}");
        }
    }
}

#[test]
fn output_is_cut_at_its_limit() {
    let limits = Limits { output: 3, ..Limits::default() };
    let case = case(&["out=123456", "sleep=5000"]);
    let outcome = run_with(Confinement::Namespaces, &case, &limits).expect("a run");
    assert_eq!((&*outcome.stdout.bytes, outcome.stdout.cut), (&b"123"[..], true));
    assert!(!outcome.stderr.cut);
}

#[test]
fn processes_that_are_left_may_finish_but_not_stay() {
    for (late, output, note) in
        [("background=20", &b"late\n"[..], None), ("background=60000", b"", Some(()))]
    {
        for confinement in confinements() {
            let outcome = run_with(confinement, &case(&[late]), &Limits::default()).expect("a run");
            assert_eq!(outcome.end, End::Exited(0));
            assert_eq!(outcome.stdout.bytes, output, "{confinement:?}");
            let survivors = outcome.notes.contains(&Note::Survivors { count: 1 });
            assert_eq!(survivors, note.is_some(), "{:?}", outcome.notes);
        }
    }
}

#[test]
fn a_cut_tree_says_so() {
    let entries = Limits { tree_entries: 2, ..Limits::default() };
    let bytes = Limits { tree_bytes: 10, ..Limits::default() };
    for (limits, cut, last) in [
        (&entries, TreeCut::Entries, r#"644 a "new\n" 1"#),
        (&bytes, TreeCut::Bytes, r#"644 big "1048576 unread" 1"#),
    ] {
        let case = case(&["write=a", "big=1"]);
        let outcome = run_with(Confinement::Namespaces, &case, limits).expect("a run");
        assert_eq!(outcome.notes, [Note::TreeCut(cut)]);
        if cut == TreeCut::Bytes {
            assert_eq!(tree(&outcome).last().map(String::as_str), Some(last));
        } else {
            assert_eq!(outcome.tree.0.len(), 2);
        }
    }
}

#[test]
fn what_cannot_be_had_is_noted() {
    let owner = Some(Owner { user: 5, group: 5 });
    let case = Case {
        tree: vec![Entry { owner, ..Entry::file("theirs", "") }],
        settings: Settings {
            limits: BTreeMap::from([(Resource::FileSize, Some(1 << 40))]),
            ..Settings::default()
        },
        ..case(&[])
    };
    let expected =
        [Note::Owner { path: b"theirs".to_vec() }, Note::Limit { name: "fsize".to_owned() }];
    assert_eq!(run(&case).notes, expected);
    for confinement in confinements() {
        let outcome = run_with(confinement, &Case::default(), &Limits::default()).expect("a run");
        let is_noted = outcome.notes == [Note::Root];
        assert_eq!(is_noted, confinement == Confinement::Landlock, "{:?}", outcome.notes);
    }
}

#[test]
fn what_cannot_start_is_an_error() {
    let too_long = Case { arguments: vec![vec![b'x'; 200_000]], ..Case::default() };
    let error = run_with(Confinement::Namespaces, &too_long, &Limits::default());
    let text = error.expect_err("an argument that is too long").to_string();
    assert_eq!(
        text,
        "cannot run the case: cannot execute the program: Argument list too long (os error 7)"
    );
    let invalid = Case { arguments: vec![b"\0".to_vec()], ..Case::default() };
    let error = run_with(Confinement::Namespaces, &invalid, &Limits::default());
    assert!(matches!(error, Err(Error::Case(_))));
}

#[test]
fn runs_do_not_see_each_other() {
    for confinement in confinements() {
        let mut sandbox = Sandbox::start(&launcher(), confinement).expect("a sandbox");
        let mut run = |questions: &[&str]| {
            sandbox.run(&case(questions), &probe(), &Limits::default()).expect("a run")
        };
        let first = run(&["write=left", "mkdir=closed", "chmod0=closed"]);
        assert_eq!(tree(&first).len(), 3);
        let second = run(&["ls=."]);
        assert_eq!(String::from_utf8_lossy(&second.stdout.bytes), "ls .:\n");
        assert_eq!(tree(&second).len(), 1);
    }
}
