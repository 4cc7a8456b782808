//! States that are written in one process and go on in another.
//!
//! A program is explored up to a random moment. Some of the states that wait then are written to a file, and
//! another process makes them again from it. Where they stand, what they hold, and how they end on their
//! input must be the same in both, bit for bit.
//!
//! Left out: words of registers, most of which nobody reads any more (the others show in how a state ends);
//! what a searcher knows of a state (how long it has run nothing new), since that is of the run and
//! not of the state; the ends of states whose input has yet to be found, since another solver
//! may find another input. The states themselves are compared.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use anyhow::ensure;
use serde::{Deserialize, Serialize};
use umbra_engine::{
    Image, Inputs, Limits, Machine, Memory, NoForks, Parked, Shared, State, UninitialisedReads,
};
use umbra_expr::{Array, Assignment, ExprId, Expressions, Kind};
use umbra_ir::Program;
use umbra_os::{Kernel, OutputAction};
use umbra_strategy::{Built, Config, Observer, PathEnd, SavedState, Search, Worker, World};

use super::explore::{Manner, load, starts};

/// The argument with which the test executable makes states again.
pub const REMAKE: &str = "__remake";

/// Instructions after which a state that is followed to its end is given up.
const LONGEST: u64 = 3_000_000;

/// A program, and what it is started with.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Subject {
    /// Its bitcode.
    pub bitcode: PathBuf,
    /// Its inputs, as after `--sym`.
    pub inputs: Vec<String>,
    /// Whether it has two versions, both of which run.
    pub both: bool,
    /// The bitcode of its old version, if that is a program of its own.
    pub old: Option<PathBuf>,
}

impl Subject {
    fn program(&self, umbra: &Path) -> anyhow::Result<Arc<Program>> {
        let new = load(umbra, &self.bitcode)?;
        let Some(old) = &self.old else { return Ok(new) };
        let unified = umbra_unify::unify(&*load(umbra, old)?, &new, &|_, _| None)?;
        Ok(Arc::new(unified.program))
    }
}

/// What is the same of a state in all processes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Looks {
    /// Of all that it consists of.
    digest: u64,
    /// How it ends on its input, if that is known: how, what it wrote, what it consists of then.
    end: Option<(String, String, u64)>,
}

/// The states of one moment, on their way to another process.
#[derive(Serialize, Deserialize)]
struct Letter {
    umbra: PathBuf,
    subject: Subject,
    states: Vec<SavedState>,
}

/// All that a program needs to run.
struct Room {
    image: Image,
    built: Built,
}

impl Room {
    fn new(program: Arc<Program>, subject: &Subject) -> anyhow::Result<(Self, Shared, State)> {
        let limits = Limits::default();
        let mut memory = Memory::new(limits.memory, UninitialisedReads::Zero);
        let image = Image::new(program, &mut memory, Inputs::Symbolic);
        let mut shared = Shared::new(&image);
        let name = subject.bitcode.file_stem().unwrap_or_default();
        let mut world = World { program: name.as_encoded_bytes().to_vec(), ..World::default() };
        for input in &subject.inputs {
            world.add(input)?;
        }
        let built = world.build(&mut shared.expressions, [0; 4]);
        let mut config = umbra_os::Config::default();
        built.configure(&mut shared.expressions, &mut config);
        let mut state = State::new(memory, Box::new(Kernel::new(config)?), limits);
        if subject.both {
            state.run_both_versions(&image, &mut shared);
        }
        Ok((Self { image, built }, shared, state))
    }

    /// What is the same of states in all processes.
    fn looks(&self, mut shared: Shared, states: &[(Parked, bool)]) -> anyhow::Result<Vec<Looks>> {
        let mut digests = Digests::default();
        let limits = Limits::default();
        let mut looks = Vec::new();
        for (parked, solved) in states {
            let digest = parked.digest(&mut |value| digests.of(&mut shared, value));
            let end = solved.then(|| -> anyhow::Result<_> {
                let memory = Memory::new(limits.memory, UninitialisedReads::Zero);
                let kernel = Kernel::new(umbra_os::Config::default())?;
                let mut state = State::new(memory, Box::new(kernel), limits);
                state.resume(&self.image, parked.copy());
                let mut forks = NoForks;
                let mut machine = Machine::new(&self.image, &mut state, &mut shared, &mut forks);
                let ended = machine.run(LONGEST);
                let end = ended.map_or_else(|| "goes on".to_owned(), |end| format!("{end:?}"));
                let output = output(&state, &mut shared);
                let parked = state.fork(&self.image);
                let digest = parked.digest(&mut |value| digests.of(&mut shared, value));
                Ok((end, output, digest))
            });
            looks.push(Looks { digest, end: end.transpose()? });
        }
        Ok(looks)
    }
}

/// Nobody is told how paths end.
struct Nobody;

impl Observer for Nobody {
    fn path_ended(&mut self, _: PathEnd<'_>) {}
}

/// Explores a program up to a moment, given in instructions, and sends at most `count` of the states that wait
/// then to another process, which is `command`. Returns how many were compared.
pub fn check(
    command: &Path,
    umbra: &Path,
    subject: &Subject,
    moment: u64,
    count: usize,
) -> anyhow::Result<usize> {
    let program = subject.program(umbra)?;
    let (room, shared, state) = Room::new(program, subject)?;
    let manner = Manner::number(moment);
    let mut config = Config { search: manner.search, seed: manner.seed, ..Config::default() };
    config.limits.instructions = Some(moment);
    let paths = starts(&room.built, &shared.expressions)?;
    let mut worker = Worker::new(&room.image, shared, state, config);
    for (process, path) in paths {
        worker.start(&process, path, &mut Nobody);
    }
    worker.explore(&mut Nobody);
    let saved = worker.save();
    let (shared, waiting) = worker.into_waiting();
    ensure!(saved.len() == waiting.len(), "not all states were written");
    let step = saved.len().div_ceil(count).max(1);
    let (states, waiting): (Vec<SavedState>, Vec<Parked>) =
        saved.into_iter().zip(waiting).step_by(step).unzip();
    let solved = states.iter().map(|state| !state.is_unsolved());
    let waiting: Vec<(Parked, bool)> = waiting.into_iter().zip(solved).collect();
    let stayed = room.looks(shared, &waiting)?;

    let letter = Letter { umbra: umbra.to_owned(), subject: subject.clone(), states };
    let file = tempfile::NamedTempFile::new()?;
    serde_json::to_writer(&file, &letter)?;
    let output = Command::new(command).arg(REMAKE).arg(file.path()).output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "states were not made again: {errors}");
    let remade: Vec<Looks> = serde_json::from_slice(&output.stdout)?;
    ensure!(stayed.len() == remade.len(), "{} states, {} made again", stayed.len(), remade.len());
    for ((stayed, remade), state) in stayed.iter().zip(&remade).zip(&letter.states) {
        ensure!(stayed == remade, "{stayed:?}\n{remade:?}\n{state:?}");
    }
    Ok(stayed.len())
}

/// Makes the states of a letter again, in a process of its own, and prints what they look like.
pub fn remake(letter: &Path) -> anyhow::Result<()> {
    let Letter { umbra, subject, states } = serde_json::from_slice(&std::fs::read(letter)?)?;
    let program = subject.program(&umbra)?;
    let (room, shared, state) = Room::new(program, &subject)?;
    // One after the other: the order in which they wait is the worker's.
    let config = Config { search: Search::breadth_first(), ..Config::default() };
    let starts = starts(&room.built, &shared.expressions)?;
    let mut worker = Worker::new(&room.image, shared, state, config);
    worker.remake(&states, &starts)?;
    let again = worker.save();
    for (state, again) in states.iter().zip(&again) {
        ensure!(state == again, "written again:\n{state:?}\n{again:?}");
    }
    let (shared, waiting) = worker.into_waiting();
    let solved = states.iter().map(|state| !state.is_unsolved());
    let waiting: Vec<(Parked, bool)> = waiting.into_iter().zip(solved).collect();
    println!("{}", serde_json::to_string(&room.looks(shared, &waiting)?)?);
    Ok(())
}

/// What a state has written, on its input.
fn output(state: &State, shared: &mut Shared) -> String {
    let kernel = Kernel::of(&*state.environment);
    let mut text = String::new();
    let mut values = shared.evaluation(state.path.assignment());
    for event in kernel.output() {
        if let OutputAction::Write { bytes, .. } = event.action {
            let bytes = bytes.values(|value| values.value_u64(value) as u8);
            text += &format!("{}:{} ", event.sink.0, bytes.escape_ascii());
        }
    }
    text
}

/// Inputs on which expressions are compared.
const SAMPLES: u64 = 8;

/// Numbers for expressions that do not depend on the process: what they are on a few inputs. The order in
/// which expressions are made decides how they are written, and that is another one in each process.
#[derive(Default)]
struct Digests {
    known: HashMap<ExprId, u64>,
    samples: Vec<Assignment>,
    /// How many arrays there were for the samples.
    arrays: usize,
}

impl Digests {
    fn of(&mut self, shared: &mut Shared, value: ExprId) -> u64 {
        self.draw(&shared.expressions);
        if let Some(&known) = self.known.get(&value) {
            return known;
        }
        let (kind, width) = (shared.expressions.kind(value), shared.expressions.width(value));
        let mut hasher = DefaultHasher::new();
        width.hash(&mut hasher);
        // An array is compared by what is read from it.
        if !matches!(kind, Kind::Array | Kind::Update) {
            let expressions = &mut shared.expressions;
            let mut parts = Vec::new();
            for side in [expressions.project_old(value), expressions.project_new(value)] {
                let words = (0..width).step_by(64);
                parts
                    .extend(words.map(|low| expressions.extract(side, low, (width - low).min(64))));
            }
            for sample in &self.samples {
                let mut values = shared.evaluation(sample);
                parts.iter().for_each(|&part| values.value_u64(part).hash(&mut hasher));
            }
        }
        let digest = hasher.finish();
        self.known.insert(value, digest);
        digest
    }

    /// Draws a byte for each byte of each input, by its name.
    fn draw(&mut self, expressions: &Expressions) {
        let arrays = expressions.arrays().count();
        if arrays == self.arrays {
            return;
        }
        *self = Self { arrays, ..Self::default() };
        for sample in 0..SAMPLES {
            let mut assignment = Assignment::new();
            for (array, contents) in expressions.arrays() {
                let Array::Input { name, size } = contents else { continue };
                let byte = |offset: u32| hash(&(sample, name, offset)) as u8;
                assignment.set_bytes(array, &(0..*size).map(byte).collect::<Vec<u8>>());
            }
            self.samples.push(assignment);
        }
    }
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
