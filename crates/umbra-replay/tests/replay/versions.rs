//! Two versions in one executable, and the objects of a case.

use umbra_case::{Case, Object};
use umbra_replay::{Confinement, Limits, Program, Sandbox};

use crate::support::{compile, launcher};

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
    for confinement in [Confinement::Namespaces, Confinement::Landlock] {
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
