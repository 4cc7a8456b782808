//! Which instructions a run passes in changed functions: those of a unified program, run as one version, must be those of
//! that version, in order.
//!
//! The projection proof of `umbra-unify` says this for all inputs; here the engine runs both programs and nothing is
//! believed. The machine runs block by block, so that whoever looks sees each one; the correspondence says which
//! instructions of either version a block of a merged function passes. A check that finds nothing proves nothing: unified
//! programs with exchanged sides must be found out wherever what was exchanged runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context, ensure};
use umbra_engine::{
    Byte, Coverage, Image, Inputs, Limits, Machine, Memory, NoForks, NoSystem, Parked, Shared,
    State, Termination, UninitialisedReads,
};
use umbra_expr::Assignment;
use umbra_ir::{BlockId, FunctionId, Id, Operation, Program, Terminator};
use umbra_os::{Kernel, OutputAction};
use umbra_strategy::World;
use umbra_unify::{Place, Relation, Unified, Version, instructions};

use super::explore::starts;
use super::input::Input;

/// Instructions after which a run is given up; the programs are small.
const MOST: u64 = 2_000_000;

/// A program that is run block by block.
pub struct Runner {
    image: Image,
    unstarted: Parked,
}

/// What a run did.
#[derive(Debug, PartialEq, Eq)]
pub struct Run {
    /// How it ended, with the status if it exited.
    end: String,
    /// What it wrote and where, files included.
    output: Vec<(u32, Vec<u8>)>,
    /// The calls of functions that were asked for, in order, with the blocks that they passed.
    calls: Vec<(FunctionId, Vec<BlockId>)>,
}

impl Runner {
    /// Lowers a program, to be run as one version.
    pub fn new(program: &Program, version: Version) -> Self {
        let limits = Limits::default();
        let mut memory = Memory::new(limits.memory, UninitialisedReads::Zero);
        let image = Image::new(Arc::new(program.clone()), &mut memory, Inputs::Symbolic);
        let mut state = State::new(memory, Box::new(NoSystem), limits);
        if version == Version::Old {
            state.run_old_version(&image);
        }
        let unstarted = state.fork(&image);
        Self { image, unstarted }
    }

    /// Runs the program on an input. Calls of the functions that are asked for are noted.
    pub fn run(
        &self,
        world: &World,
        input: &Input,
        is_wanted: &dyn Fn(FunctionId) -> bool,
    ) -> anyhow::Result<Run> {
        let mut shared = Shared::new(&self.image);
        shared.coverage = Coverage::recording(&self.image);
        let built = world.build(&mut shared.expressions, [0; 4]);
        let mut config = umbra_os::Config::default();
        built.configure(&mut shared.expressions, &mut config);
        let memory = Memory::new(Limits::default().memory, UninitialisedReads::Zero);
        let mut state = State::new(memory, Box::new(NoSystem), Limits::default());
        state.resume(&self.image, self.unstarted.copy());
        state.environment = Box::new(Kernel::new(config)?);
        let start = starts(&built, &shared.expressions)?.into_iter().next();
        let (process, path) = start.context("there is no way to start the program")?;
        let mut assignment = Assignment::new();
        for (name, bytes) in &input.objects {
            let array = shared.expressions.input(name, bytes.len() as u32);
            for (offset, &byte) in (0..).zip(bytes) {
                assignment.set(array, offset, byte);
            }
        }
        let expressions = &shared.expressions;
        state.path =
            umbra_engine::Path::begin(path.origin(), assignment, expressions, &built.constraints);
        let mut calls = Calls::default();
        let mut forks = NoForks;
        let started =
            Machine::new(&self.image, &mut state, &mut shared, &mut forks).start(&process);
        started.map_err(|end| anyhow::anyhow!("it did not start: {}", end.name()))?;
        let termination = loop {
            // A pause at every block, but for those that a call enters with expressions.
            let mut machine = Machine::new(&self.image, &mut state, &mut shared, &mut forks);
            let ended = machine.run(1);
            if let Some(termination) = ended {
                break termination;
            }
            ensure!(state.instructions() < MOST, "it runs for too long");
            let ran = shared.coverage.take_record();
            let last = ran.len().saturating_sub(1);
            for (at, target) in ran.into_iter().enumerate() {
                let Some((function, block)) = self.image.target_block(target) else { continue };
                let is_edge = self.image.block_target(function, block) != Some(target);
                if !is_edge && is_wanted(function) {
                    let number = (at == last).then_some(state.place().1);
                    calls.add(function, block, number);
                }
            }
        };
        let events = Kernel::of(&*state.environment).output();
        let mut values = shared.evaluation(state.path.assignment());
        let end = match (&termination, state.exit_status()) {
            (Termination::Exited(_), Some(status)) => format!("exit {}", values.value_u64(status)),
            (Termination::Exited(status), None) => format!("exit {}", status & 0xff),
            (other, _) => other.name().to_owned(),
        };
        let output = events.into_iter().filter_map(|event| match event.action {
            OutputAction::Write { bytes, .. } => Some((event.sink.0, bytes)),
            OutputAction::Truncate(_) => None,
        });
        let output = output.map(|(sink, bytes)| {
            let bytes = bytes.iter().map(|byte| match byte {
                Byte::Concrete(number) => number,
                Byte::Symbolic(value) => values.value_u64(value) as u8,
            });
            (sink, bytes.collect())
        });
        Ok(Run {
            end,
            output: output.collect(),
            calls: calls.0.into_iter().map(|call| (call.function, call.blocks)).collect(),
        })
    }
}

/// Calls as they come to be known: each has its function, its number once that is known, and its blocks.
#[derive(Default)]
struct Calls(Vec<Call>);

struct Call {
    function: FunctionId,
    number: Option<u64>,
    blocks: Vec<BlockId>,
}

impl Calls {
    /// A block runs, in the call of this number. Where that is not known, it is the first block of a call, or has no
    /// instructions.
    fn add(&mut self, function: FunctionId, block: BlockId, number: Option<u64>) {
        if block.index() == 0 {
            return self.0.push(Call { function, number, blocks: vec![block] });
        }
        let Some(number) = number else { return };
        let mut calls = self.0.iter_mut().rev().filter(|call| call.function == function);
        if let Some(call) = calls.find(|call| call.number.is_none_or(|known| known == number)) {
            call.number = Some(number);
            call.blocks.push(block);
        }
    }
}

/// Functions of either version that are changed, with their instructions by block.
type Instructions = BTreeMap<FunctionId, Vec<Vec<Place>>>;

/// Two programs and the one that they became, to be run on inputs.
pub struct Passage<'a> {
    unified: &'a Unified,
    /// The changed functions of either version, and what they are in the unified program.
    changed: [BTreeMap<FunctionId, FunctionId>; 2],
    instructions: [Instructions; 2],
    plain: [Runner; 2],
    merged: [Runner; 2],
    /// The same with something exchanged.
    mutants: Vec<(Exchange, [Runner; 2])>,
}

/// What is exchanged in a mutant of a unified program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exchange {
    /// The sides of all changes.
    Changes,
    /// The ways of all version branches.
    Branches,
}

/// What was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    /// Runs of a version that were the same.
    pub runs: usize,
    /// Instructions in changed functions.
    pub instructions: usize,
    /// Runs of mutants that had to be found out, and were.
    pub caught: usize,
}

impl std::ops::AddAssign for Passed {
    fn add_assign(&mut self, other: Self) {
        self.runs += other.runs;
        self.instructions += other.instructions;
        self.caught += other.caught;
    }
}

const VERSIONS: [Version; 2] = [Version::Old, Version::New];

impl<'a> Passage<'a> {
    /// Of two programs and what [`umbra_unify::unify`] made of them.
    pub fn new(old: &Program, new: &Program, unified: &'a Unified) -> Self {
        let changed = unified.correspondence.functions.iter();
        let changed: Vec<(FunctionId, FunctionId)> = changed
            .filter(|pair| matches!(pair.relation, Relation::Changed(_)))
            .map(|pair| (pair.old, pair.new))
            .collect();
        let of = |program: &Program, ids: &mut dyn Iterator<Item = FunctionId>| {
            let bodies = ids.filter_map(|id| Some((id, program.functions[id].body.as_ref()?)));
            bodies.map(|(id, body)| (id, instructions(program, body))).collect::<Instructions>()
        };
        let instructions = [
            of(old, &mut changed.iter().map(|pair| pair.0)),
            of(new, &mut changed.iter().map(|pair| pair.1)),
        ];
        let both = |program: &Program| VERSIONS.map(|version| Runner::new(program, version));
        let mutants = [Exchange::Changes, Exchange::Branches]
            .map(|exchange| (exchange, both(&exchanged(&unified.program, exchange))));
        Self {
            unified,
            changed: [
                changed.iter().copied().collect(),
                changed.iter().map(|p| (p.1, p.1)).collect(),
            ],
            instructions,
            plain: [Runner::new(old, Version::New), Runner::new(new, Version::New)],
            merged: both(&unified.program),
            mutants: mutants.into(),
        }
    }

    /// Runs everything on an input.
    pub fn check(&self, world: &World, input: &Input) -> anyhow::Result<Passed> {
        let mut passed = Passed::default();
        let mut plain = Vec::new();
        for (side, runner) in self.plain.iter().enumerate() {
            let run = runner.run(world, input, &|id| self.changed[side].contains_key(&id))?;
            plain.push(run);
        }
        let differ = plain[0].output != plain[1].output || plain[0].end != plain[1].end;
        let mut merged = Vec::new();
        for runner in &self.merged {
            merged.push(self.run_merged(runner, world, input)?);
        }
        let own = [0, 1].map(|side| self.runs_own(&merged[side], side));
        let mut globals = self.unified.correspondence.globals.iter();
        let by_changes = differ && own == [false; 2] && globals.all(|pair| pair.equal);
        for (side, run) in merged.iter().enumerate() {
            passed.instructions += self
                .compare(&plain[side], run, side)
                .with_context(|| format!("as the {:?} version on {input:?}", VERSIONS[side]))?;
            passed.runs += 1;
            for (exchange, runners) in &self.mutants {
                let must = match exchange {
                    Exchange::Branches => own[side],
                    Exchange::Changes => by_changes,
                };
                if !must {
                    continue;
                }
                let mutant = self.run_merged(&runners[side], world, input);
                let caught = mutant.and_then(|run| self.compare(&plain[side], &run, side)).is_err();
                ensure!(caught, "with {exchange:?} exchanged nothing is found on {input:?}");
                passed.caught += 1;
            }
        }
        Ok(passed)
    }

    fn run_merged(&self, runner: &Runner, world: &World, input: &Input) -> anyhow::Result<Run> {
        runner.run(world, input, &|id| self.changed[1].contains_key(&id))
    }

    /// Whether a run of the unified program passes code that only its own version has.
    fn runs_own(&self, run: &Run, side: usize) -> bool {
        let blocks = run.calls.iter().flat_map(|(function, blocks)| {
            blocks.iter().filter_map(|&block| self.unified.passed(*function, block))
        });
        blocks.flatten().any(|place| place[1 - side].is_none())
    }

    /// Compares a run of a version with one of the unified program as that version. Says how many instructions
    /// were compared.
    fn compare(&self, plain: &Run, merged: &Run, side: usize) -> anyhow::Result<usize> {
        ensure!(plain.end == merged.end, "it ends with {}, not {}", merged.end, plain.end);
        ensure!(plain.output == merged.output, "it writes something else");
        ensure!(
            plain.calls.len() == merged.calls.len(),
            "calls are {:?}, not {:?}",
            merged.calls,
            plain.calls
        );
        let mut count = 0;
        for ((function, blocks), (other, passed)) in plain.calls.iter().zip(&merged.calls) {
            ensure!(self.changed[side].get(function) == Some(other), "another function is called");
            let of_block = &self.instructions[side][function];
            let expected = blocks.iter().flat_map(|&block| &of_block[block.index()]);
            let mut actual: Vec<Place> = Vec::new();
            for &block in passed {
                let places =
                    self.unified.passed(*other, block).context("a block without places")?;
                for place in places {
                    actual.push(place[side].context("an instruction of the other version runs")?);
                }
            }
            let expected: Vec<Place> = expected.copied().collect();
            ensure!(expected == actual, "it passes {actual:?}, not {expected:?}");
            count += actual.len();
        }
        Ok(count)
    }
}

/// A unified program with something exchanged.
fn exchanged(program: &Program, exchange: Exchange) -> Program {
    let mut program = program.clone();
    for (_, function) in program.functions.iter_mut() {
        let Some(body) = &mut function.body else { continue };
        for (_, block) in body.blocks.iter_mut() {
            match exchange {
                Exchange::Changes => {
                    for instruction in &mut block.instructions {
                        if let Operation::Change { old, new, .. } = &mut instruction.operation {
                            std::mem::swap(old, new);
                        }
                    }
                }
                Exchange::Branches => {
                    if let Terminator::Version { old, new } = &mut block.terminator {
                        std::mem::swap(old, new);
                    }
                }
            }
        }
    }
    program
}
