//! Programs with two versions as a merger would write them, explored as both and as either.
//!
//! Each asks for one byte. On every value of it the engine must say what an interpreter of one version
//! at a time says: that the versions part (they pass other strong blocks, or leave them another way),
//! that only what they return differs, or neither. The lines of comments in a program say on how many
//! values, and whether divergences at weak places are forgotten:
//!
//! ```text
//! # control 3, data 10
//! # forgets
//! ```

mod oracle;

use std::collections::BTreeMap;
use std::path::Path as FilePath;
use std::sync::Arc;

use umbra_engine::{
    Image, Inputs, Limits as StateLimits, Lockstep, Memory, Mode, NoSystem, Path, Process, Shared,
    State, Termination, UninitialisedReads,
};
use umbra_expr::{Assignment, ExprId};
use umbra_ir::Program;
use umbra_strategy::{Config, Observer, PathEnd, Worker};
use umbra_words::Version;

use super::setting::parse;

/// What a path says of the inputs that take it.
struct Ended {
    constraints: Vec<ExprId>,
    /// The byte that the program asked for.
    input: Option<umbra_expr::ArrayId>,
    parted: bool,
    failed: bool,
    /// What `main` returned in each version, the old one first.
    status: [Status; 2],
}

/// A number, or an expression of which a version sees its side.
#[derive(Clone, Copy)]
struct Status(u8, Option<ExprId>);

#[derive(Default)]
struct Told(Vec<Ended>);

impl Observer for Told {
    fn path_ended(&mut self, end: PathEnd<'_>) {
        // The old version behind a split says nothing of how they parted.
        if end.state.new_end().is_some() {
            return;
        }
        let status = |termination: &Termination, expression| match termination {
            Termination::Exited(status) => Some(Status(*status as u8, expression)),
            Termination::Error(_) => None,
            other => panic!("a path ended by {other:?}"),
        };
        let new = status(&end.termination, end.state.exit_status());
        let old = match end.state.old_end() {
            Some(old) => status(&old.termination, old.exit_status),
            None => new,
        };
        self.0.push(Ended {
            constraints: end.state.path.constraints().to_vec(),
            input: end.state.path.inputs().to_vec().first().map(|input| input.array),
            parted: end.state.divergence().is_some(),
            failed: new.is_none(),
            status: [old, new].map(|status| status.unwrap_or(Status(0, None))),
        });
    }
}

/// What was found, and what was counted.
struct Explored {
    paths: Vec<Ended>,
    shared: Shared,
    lockstep: Lockstep,
}

fn explore(program: &Arc<Program>, mode: Mode) -> Explored {
    let limits = StateLimits { alone: 5_000, ..StateLimits::default() };
    let mut memory = Memory::new(limits.memory, UninitialisedReads::Zero);
    let image = Image::new(Arc::clone(program), &mut memory, Inputs::Symbolic);
    let mut shared = Shared::new(&image);
    let mut state = State::new(memory, Box::new(NoSystem), limits);
    match mode {
        Mode::Both => state.run_both_versions(&image, &mut shared),
        Mode::Old => state.run_old_version(&image),
        Mode::New => {}
    }
    let mut worker = Worker::new(&image, shared, state, Config::default());
    let mut told = Told::default();
    worker.start(&Process::default(), Path::new(Assignment::new()), &mut told);
    assert!(worker.explore(&mut told).is_none(), "all is explored");
    let (lockstep, expressions) =
        (worker.statistics().lockstep, worker.shared().expressions.clone());
    let mut shared = Shared::new(&image);
    shared.expressions = expressions;
    Explored { paths: told.0, shared, lockstep }
}

/// What a program does on an input: whether the versions part, and what each returns (nothing if it fails).
type Verdict = (bool, Option<u8>, Option<u8>);

impl Explored {
    fn verdict(&mut self, input: u8) -> Verdict {
        let mut found = Vec::new();
        for path in &self.paths {
            let mut assignment = Assignment::new();
            if let Some(array) = path.input {
                assignment.set(array, 0, input);
            }
            let expressions = &mut self.shared.expressions;
            let [old, new] = path.status;
            let projected = [
                old.1.map(|old| expressions.project_old(old)),
                new.1.map(|new| expressions.project_new(new)),
            ];
            let mut values = self.shared.evaluation(&assignment);
            let mut value = |known: u8, side: Option<ExprId>| {
                side.map_or(known, |side| values.value_u64(side) as u8)
            };
            let sides = [value(old.0, projected[0]), value(new.0, projected[1])];
            let mut values = self.shared.evaluation(&assignment);
            if path.constraints.iter().all(|&constraint| values.is_true(constraint)) {
                let [old, new] = sides.map(|side| (!path.failed).then_some(side));
                found.push((path.parted, old, new));
            }
        }
        let [verdict] = found[..] else { panic!("{input} takes {} paths", found.len()) };
        verdict
    }
}

fn check(text: &str) {
    let program = Arc::new(parse(text));
    let [mut both, mut old, mut new] =
        [Mode::Both, Mode::Old, Mode::New].map(|mode| explore(&program, mode));
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for input in 0..=255 {
        let [before, after] = Version::BOTH.map(|side| oracle::run(&program, side, input));
        assert_eq!(old.verdict(input).2, before.status, "the old version on {input}");
        assert_eq!(new.verdict(input).2, after.status, "the new version on {input}");
        let parts =
            before.trace != after.trace || before.status.is_some() != after.status.is_some();
        let (parted, old_status, new_status) = both.verdict(input);
        assert_eq!(parted, parts, "whether the versions part on {input}");
        assert_eq!(new_status, after.status, "the new one of both on {input}");
        if !parts {
            assert_eq!(old_status, before.status, "the old one of both on {input}");
        }
        *counts
            .entry(if parts {
                "control"
            } else if before.status != after.status {
                "data"
            } else {
                "same"
            })
            .or_default() += 1;
    }
    let count = |name: &str| counts.get(name).copied().unwrap_or(0);
    let said = format!("# control {}, data {}", count("control"), count("data"));
    assert!(text.lines().any(|line| line == said), "it is: {said}");
    let forgets = text.lines().any(|line| line == "# forgets");
    assert_eq!(both.lockstep.forgotten_count() > 0, forgets, "{:?}", both.lockstep);
    assert!(both.lockstep.both > 0, "nothing ran together: {:?}", both.lockstep);
}

#[test]
fn programs_are_as_the_oracle_says() {
    let folder = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("tests/strategy/programs/versions");
    let mut failures = Vec::new();
    let mut names: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    assert!(names.len() > 10);
    for name in names {
        let text = std::fs::read_to_string(&name).unwrap();
        if let Err(panic) = std::panic::catch_unwind(|| check(&text)) {
            let message = panic.downcast_ref::<String>().map(String::as_str);
            let message = message.or(panic.downcast_ref::<&str>().copied());
            failures.push(format!("{}: {}", name.display(), message.unwrap_or("a panic")));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
