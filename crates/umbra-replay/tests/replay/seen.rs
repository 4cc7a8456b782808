//! What a program sees of its case, and what is seen of the program.

use umbra_case::{Case, Entry, Settings, Stdin};
use umbra_replay::{Confinement, Limits, Outcome, Sandbox};

use crate::support::{launcher, probe};

fn case(questions: &[&str]) -> Case {
    Case {
        program: b"some/where/probe".to_vec(),
        arguments: questions.iter().map(|question| question.as_bytes().to_vec()).collect(),
        ..Case::default()
    }
}

fn run(confinement: Confinement, case: &Case) -> Outcome {
    let mut sandbox = Sandbox::start(&launcher(), confinement).expect("a sandbox");
    sandbox.run(case, &probe(), &Limits::default()).expect("a run")
}

fn text(outcome: &Outcome) -> String {
    String::from_utf8_lossy(&outcome.stdout.bytes).into_owned()
}

#[test]
fn a_program_sees_the_root_of_the_sandbox_only() {
    let questions = [
        "ls=/",
        "ls=/bin",
        "ls=/dev",
        "ls=/etc",
        "ls=/home",
        "ls=/proc/self/fd",
        "pid",
        "host",
        "ids",
        "cwd",
        "argv0",
        "env",
        "fds",
        "umask",
        "ignored",
        "limits",
        "cat=/proc/self/mountinfo",
    ];
    let case = Case {
        tree: vec![Entry::file("x", "1")],
        stdin: Stdin::Null,
        settings: Settings::default(),
        ..case(&questions)
    };
    println!("{:#?}", run(Confinement::Namespaces, &case));
    let outcome = run(Confinement::Namespaces, &case);
    println!("{}", text(&outcome));
    assert_eq!(text(&outcome), "");
}
