//! Two versions in one executable, the objects of a case, programs beside each other.

use std::collections::BTreeMap;

use umbra_case::{Case, Entry, Object, Origin};
use umbra_compare::{Content, TreeKind};
use umbra_replay::{Confinement, Limits, Program, Sandbox, Siblings};

use crate::support::{compile, confinements, launcher, probe};

fn program(version: &str) -> Program {
    let path = compile("programs/versions.c", &["-static", &format!("-DVERSION={version}")]);
    Program::open(path).expect("versions.c")
}

#[test]
fn a_copy_of_the_new_version_is_the_old_one() {
    let new = program("1");
    let old = new.old_version().expect("it has an old version");
    assert!(old.old_version().is_none(), "there is nothing before the old version");
    assert!(program("0").old_version().is_none(), "it is the old version");
    let objects = vec![Object { name: b"x".to_vec(), bytes: vec![1, 2] }];
    for confinement in confinements() {
        let mut sandbox = Sandbox::start(&launcher(), confinement).expect("a sandbox");
        for (program, number) in [(&old, 0), (&new, 1)] {
            for (objects, shown) in [(Vec::new(), "none"), (objects.clone(), "KTEST")] {
                // A variable of the case does not lead elsewhere.
                let environment = match objects.is_empty() {
                    true => Vec::new(),
                    false => vec![b"KTEST_FILE=/nowhere".to_vec()],
                };
                let case = Case { objects, environment, ..Case::default() };
                let outcome = sandbox.run(&case, program, &Limits::default()).expect("a run");
                let text = String::from_utf8_lossy(&outcome.stdout.bytes).into_owned();
                assert_eq!(text, format!("version {number}, objects {shown}\n"), "{confinement:?}");
                assert!(outcome.tree.0.iter().all(|entry| entry.path == b"."));
            }
        }
    }
}

#[test]
fn a_sibling_counts_as_what_was_recorded_unless_it_is_changed() {
    let sibling = program("0");
    let size = std::fs::metadata(sibling.path()).expect("versions.c").len();
    let siblings = Siblings::from(BTreeMap::from([("other".to_owned(), sibling)]));
    let with = probe().with_siblings(&siblings);
    let case = |argument: &str| Case {
        arguments: vec![argument.into()],
        tree: ["bin/other", "other"].map(|path| Entry::file(path, "recorded")).to_vec(),
        origin: Origin::from([(Case::PROGRAMS.to_owned(), "bin/other".to_owned())]),
        ..Case::default()
    };
    let mut sandbox = Sandbox::start(&launcher(), Confinement::Namespaces).expect("a sandbox");
    for (program, argument, shown, left) in [
        (&with, "stat=bin/other", format!("{size} 0.0"), "recorded"),
        // Not one that was recorded as a program, whatever it is called.
        (&with, "stat=other", "8 0.0".to_owned(), "recorded"),
        (&probe(), "stat=bin/other", "8 0.0".to_owned(), "recorded"),
        (&with, "write=bin/other", String::new(), "new\n"),
    ] {
        let outcome = sandbox.run(&case(argument), program, &Limits::default()).expect("a run");
        let text = String::from_utf8_lossy(&outcome.stdout.bytes).into_owned();
        assert!(text.contains(&shown), "{argument}: {text}");
        let found = outcome.tree.0.iter().find(|entry| entry.path == b"bin/other");
        let expected = TreeKind::File(Content::of(left.into()));
        assert_eq!(found.map(|entry| &entry.kind), Some(&expected), "{argument}");
    }
}
