//! Terminals as descriptors.

use std::collections::BTreeMap;

use umbra_case::{Case, Descriptor};
use umbra_compare::{Note, Outcome};
use umbra_replay::{Confinement, Limits, Program, Sandbox};
use umbra_words::End;

use crate::support::{compile, confinements, launcher};

fn run(confinement: Confinement, terminals: &[u32], argument: &str) -> Outcome {
    let path = compile("programs/terminal.c", &["-static"]);
    let program = Program::open(path).expect("terminal.c");
    let terminal = |number: &u32| (*number, Descriptor::Terminal);
    let case = Case {
        arguments: vec![argument.into()],
        descriptors: terminals.iter().map(terminal).collect::<BTreeMap<_, _>>(),
        ..Case::default()
    };
    let mut sandbox = Sandbox::start(&launcher(), confinement).expect("a sandbox");
    sandbox.run(&case, &program, &Limits::default()).expect("a run")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The same text is what the engine says of the same program; a test of the command compares them.
const TERMINAL: &str = "character device, 24 rows, 80 columns, settings 4500 5 bf 8a3b, \
                        3 28 127 21 4 0 1 0 17 19 26 0 18 15 23 22";

#[test]
fn a_terminal_is_one_to_the_program() {
    for confinement in confinements() {
        let controlling = match confinement {
            Confinement::Namespaces => "a terminal",
            // It does not let it open a device of the host.
            Confinement::Landlock => "none",
        };
        let outcome = run(confinement, &[0, 1, 2], "");
        let changed = TERMINAL.replace("24 rows, 80", "10 rows, 20").replace("8a3b", "8a33");
        let expected = format!(
            "0: {TERMINAL}\n1: {TERMINAL}\n2: {TERMINAL}\n3: closed\nread 0\nread 0\nread 0\n\
             group 1, session 1\n/dev/tty: {controlling}\nreturns: a\rb\r\nc\n\n0: {changed}\n"
        );
        assert_eq!(text(&outcome.stdout.bytes), expected, "{confinement:?}");
        assert_eq!(text(&outcome.stderr.bytes), "error\n");
        assert_eq!(outcome.end, End::Exited(0));
        let notes = outcome.notes.iter().filter(|note| **note != Note::Root);
        assert_eq!(notes.count(), 0, "{:?}", outcome.notes);
    }
}

#[test]
fn a_program_without_a_terminal_has_none() {
    for confinement in confinements() {
        let shown = text(&run(confinement, &[], "").stdout.bytes);
        assert!(shown.starts_with("0: no terminal\n1: no terminal\n2: no terminal\n"), "{shown}");
        assert!(shown.contains("/dev/tty: none\n"), "{shown}");
        // One among others.
        let shown = text(&run(confinement, &[2], "").stdout.bytes);
        let expected = format!("0: no terminal\n1: no terminal\n2: {TERMINAL}\n");
        assert!(shown.starts_with(&expected), "{shown}");
    }
}

/// The end of the program, whose terminal it is, takes nothing away that it has written.
#[test]
fn all_that_is_written_to_a_terminal_is_kept() {
    let expected: String = (0..5_000).map(|number| format!("line {number}\n")).collect();
    for confinement in confinements() {
        for _ in 0..3 {
            let outcome = run(confinement, &[1], "flood");
            assert!(outcome.stdout.bytes == expected.as_bytes(), "{confinement:?}");
            assert_eq!(outcome.end, End::Exited(0));
        }
    }
}
