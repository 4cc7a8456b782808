//! Block counters, read when the program ends, however it ends.

use std::time::Duration;

use umbra_case::Case;
use umbra_compare::Note;
use umbra_replay::{Confinement, Limits, Program, Sandbox};
use umbra_words::End;

use crate::support::{compile, confinements, launcher, probe};

#[test]
fn counters_are_read_however_a_program_ends() {
    let path = compile("programs/counted.c", &["-static", "-no-pie"]);
    let program = Program::open(path).expect("counted.c");
    assert_eq!(program.blocks(), Some(5));
    for confinement in confinements() {
        let mut sandbox = Sandbox::start(&launcher(), confinement).expect("a sandbox");
        for (argument, end, blocks) in [
            ("", End::Exited(0), Some(vec![0, 2])),
            ("fork", End::Exited(0), Some(vec![0, 1, 2])),
            ("abort", End::Killed(6), Some(vec![0])),
            ("kill", End::Killed(9), Some(vec![0])),
            ("stop", End::Exited(0), Some(vec![0, 2])),
            ("hang", End::Hung, Some(vec![0, 4])),
            // The memory is another image's by then.
            ("exec", End::Exited(0), None),
        ] {
            if confinement == Confinement::Landlock && argument == "exec" {
                continue; // There is no /proc/self/exe to be seen.
            }
            let case = Case {
                program: b"counted".to_vec(),
                arguments: vec![argument.into()],
                ..Case::default()
            };
            let limits = Limits { wall: Duration::from_secs(2), ..Limits::default() };
            let outcome = sandbox.run(&case, &program, &limits).expect("a run");
            assert_eq!(outcome.end, end, "{argument}");
            let ran = outcome.blocks.as_ref().map(|blocks| blocks.ran().collect::<Vec<_>>());
            assert_eq!(ran, blocks, "{argument} {confinement:?}");
            assert_eq!(outcome.notes.contains(&Note::NoCounters), blocks.is_none(), "{argument}");
        }
    }
}

#[test]
fn a_program_with_counters_that_cannot_start_says_why() {
    let path = compile("programs/counted.c", &["-static", "-no-pie"]);
    let program = Program::open(path).expect("counted.c");
    for confinement in confinements() {
        let mut sandbox = Sandbox::start(&launcher(), confinement).expect("a sandbox");
        let case = Case { arguments: vec![vec![b'x'; 200_000]], ..Case::default() };
        let error = sandbox.run(&case, &program, &Limits::default()).expect_err("too long");
        assert!(error.to_string().contains("Argument list too long"), "{confinement:?}: {error}");
    }
}

#[test]
fn a_program_without_counters_has_none() {
    let program = probe();
    assert_eq!(program.blocks(), None);
    let mut sandbox = Sandbox::start(&launcher(), Confinement::Namespaces).expect("a sandbox");
    let outcome = sandbox.run(&Case::default(), &program, &Limits::default()).expect("a run");
    assert_eq!(outcome.blocks, None);
    assert_eq!(outcome.notes, []);
}
