//! Programs in text form, explored without an operating system.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use umbra_engine::{
    Image, Inputs, Limits as StateLimits, Memory, NoSystem, Path, Process, Shared, State,
    Termination, UninitialisedReads,
};
use umbra_expr::Assignment;
use umbra_ir::Program;
use umbra_strategy::{Config, Exploration, Journal, Observer, Outcome, PathEnd, Snapshot, explore};

/// Small programs.
pub const TREE: &str = include_str!("programs/tree.ir");
pub const DIGITS: &str = include_str!("programs/digits.ir");
pub const SIZES: &str = include_str!("programs/sizes.ir");
pub const ENDLESS: &str = include_str!("programs/endless.ir");
pub const HARD: &str = include_str!("programs/hard.ir");
pub const POINTS: &str = include_str!("programs/points.ir");
pub const ROUNDS: &str = include_str!("programs/rounds.ir");
pub const STEERED: &str = include_str!("programs/steered.ir");
pub const AROUND: &str = include_str!("programs/around.ir");
pub const LEADING: &str = include_str!("programs/leading.ir");
pub const ASSUMED: &str = include_str!("programs/assumed.ir");
pub const INDEPENDENT: &str = include_str!("programs/independent.ir");

/// How paths ended, in order, in words that do not depend on the input that was chosen.
#[derive(Default)]
pub struct Ends(pub Vec<String>);

impl Observer for Ends {
    fn path_ended(&mut self, end: PathEnd<'_>) {
        self.0.push(describe(end));
    }
}

/// How a path ended, in words that do not depend on the input that was chosen.
pub fn describe(end: PathEnd<'_>) -> String {
    let path = &end.state.path;
    // The input must take the path, whoever found it.
    let assignment = path.assignment().clone();
    let constraints = path.constraints().to_vec();
    let mut values = end.shared.evaluation(&assignment);
    let holds = constraints.iter().all(|&constraint| values.is_true(constraint));
    let how = match &end.termination {
        Termination::Exited(status) => format!("exited {status}"),
        Termination::Error(report) => format!("error {}", report.kind),
        other => other.name().to_owned(),
    };
    // A path is excluded because its own input does not meet an assumption.
    let expected = holds || end.termination == Termination::Excluded;
    if expected { how } else { format!("{how} with a wrong input") }
}

/// Reads a program; in these files lines that start with `#` are comments.
pub fn parse(text: &str) -> Program {
    let code: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    umbra_ir::parse(&code.join("\n")).expect("the text is right")
}

/// Explores a program.
pub fn run(text: &str, workers: usize, configure: impl Fn() -> Config + Sync) -> Outcome<Ends> {
    observe(text, workers, configure, Ends::default)
}

/// Counts paths without looking at them.
#[derive(Default)]
pub struct Count(pub u64);

impl Observer for Count {
    fn path_ended(&mut self, _: PathEnd<'_>) {
        self.0 += 1;
    }
}

/// Explores a program with observers of a kind.
pub fn observe<O: Observer + Send>(
    text: &str,
    workers: usize,
    configure: impl Fn() -> Config + Sync,
    observer: impl Fn() -> O + Sync,
) -> Outcome<O> {
    go_on(text, workers, configure, observer, (None, None))
}

/// Explores a program, or the rest of it, with a journal.
pub fn go_on<O: Observer + Send>(
    text: &str,
    workers: usize,
    configure: impl Fn() -> Config + Sync,
    observer: impl Fn() -> O + Sync,
    (journal, snapshot): (Option<&dyn Journal>, Option<Snapshot>),
) -> Outcome<O> {
    let limits = StateLimits::default();
    let mut memory = Memory::new(limits.memory, UninitialisedReads::Zero);
    let image = Image::new(Arc::new(parse(text)), &mut memory, Inputs::Symbolic);
    let shared = Shared::new(&image);
    let state = State::new(memory, Box::new(NoSystem), limits);
    let paths = vec![(Process::default(), Path::new(Assignment::new()))];
    let exploration =
        Exploration { journal, snapshot, ..Exploration::new(&image, shared, state, paths) };
    let workers = NonZeroUsize::new(workers).expect("there is a worker");
    explore(exploration, workers, |_| configure(), |_| observer())
}

/// How many paths of all workers ended in each way.
pub fn counts(outcome: &Outcome<Ends>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for end in outcome.observers.iter().flat_map(|ends| &ends.0) {
        *counts.entry(end.clone()).or_default() += 1;
    }
    counts
}
