//! One target after the other: tests in other shapes natively, then the engine around the nearest tests.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use umbra_engine::{Image, Inputs, Limits, Memory, UninitialisedReads};
use umbra_expr::Assignment;
use umbra_report::{MetError, ReachInput, ReachProgram, RunFolder, TargetLine};
use umbra_strategy::{Approach, Failure, Goal, Hit, Hunt, HuntStart, Means, Pursuit, Terms, Ways};
use umbra_words::{Mechanism, ReachReason, Sought};

use super::module::Module;
use super::tried::{Runner, Tests, Tried, ran};
use super::words::{USUAL, Vocabulary, with_options, with_word};
use super::{ReachJob, ReachWatch};
use crate::Error;
use crate::diff::seeds::NamedSeed;
use crate::diff::shapes::shapes;
use crate::explore::finding;
use crate::started::Started;

/// Time for one target at most, if nothing is said.
const TARGET: Duration = Duration::from_secs(120);

/// Time for all, if nothing is said.
const ALL: Duration = Duration::from_secs(300);

/// Tests whose other shapes are tried for one target, and how many of these where no time is given.
const EXPANDED: usize = 4;
const SHAPES: usize = 2_000;

/// Tests that are looked at closely to find the nearest ones.
const LOOKED: usize = 64;

/// Words that are tried with a test, those used nearest to the target first.
const WORDS: usize = 24;

/// Tests that the engine follows for one target, and searches that are kept for the next ones.
const SEEDS: usize = 6;

/// The first turn of a search is such a part of what there is for all; each next one is twice as long.
const FIRST_TURN: u32 = 4;

/// Instructions of one path.
const PATH: u64 = 200_000_000;

/// What was found beside targets.
#[derive(Default)]
pub struct Told {
    pub shapes: u64,
    pub instructions: u64,
    pub errors: Vec<MetError>,
    pub unmodelled: BTreeSet<String>,
}

/// What there is for a target.
#[derive(Clone, Copy)]
struct Allowance {
    time: Option<Duration>,
    instructions: Option<u64>,
}

/// A search around a test, kept for other targets.
struct Open<'a> {
    test: usize,
    hunt: Hunt<'a>,
}

/// A search for all targets of a program.
pub struct Reaching<'a> {
    job: &'a ReachJob,
    module: &'a Module,
    vocabulary: Vocabulary,
    runner: Option<Runner<'a>>,
    folder: &'a mut RunFolder,
    watch: &'a ReachWatch<'a>,
    tests: Tests,
    told: Told,
    /// Targets of other programs that share the budget.
    others: usize,
    start: Instant,
}

impl<'a> Reaching<'a> {
    pub fn new(
        job: &'a ReachJob,
        module: &'a Module,
        runner: Option<Runner<'a>>,
        folder: &'a mut RunFolder,
        watch: &'a ReachWatch<'a>,
        others: usize,
    ) -> Self {
        Self {
            others,
            job,
            module,
            vocabulary: Vocabulary::new(&module.program),
            runner,
            folder,
            watch,
            tests: Tests::default(),
            told: Told::default(),
            start: Instant::now(),
        }
    }

    /// The tests that the user gives; they run natively.
    pub fn add_tests(&mut self, tests: Vec<NamedSeed>) {
        (self.watch.doing)("running the tests");
        let tests = tests.into_iter().map(|named| (named.name, named.seed.case().clone()));
        self.tests.add(self.runner.as_ref(), tests.collect(), true, &mut |_| true);
    }

    fn may(&self, mechanism: Mechanism) -> bool {
        self.job.mechanisms.contains(&mechanism)
    }

    fn is_stopped(&self) -> bool {
        self.watch.watched.control.stopped().is_some()
    }

    /// Looks for all targets of which nothing is known yet.
    pub fn reach_all(mut self, ways: &Ways<'_>, report: &mut ReachProgram) -> Result<Told, Error> {
        report.tests = self.tests.all().len() as u64;
        let targets = &mut report.targets;
        for target in targets.iter_mut() {
            let test = self.tests.all().iter().find(|test| test.runs(target.target.block));
            if let Some(test) = test {
                target.outcome = Sought::Tested;
                target.reason = None;
                let case = test.name.clone();
                target.inputs =
                    vec![ReachInput { case, confirmed: Some(true), ..ReachInput::default() }];
            }
        }
        for target in targets.iter().filter(|target| target.outcome != Sought::Missed) {
            (self.watch.ended)(target);
        }
        let mut memory = Memory::new(limits(self.job).memory, UninitialisedReads::Zero);
        let image = Image::new(Arc::clone(&self.module.program), &mut memory, Inputs::Symbolic);
        self.watch.watched.guard.set_up();
        let mut hunts = VecDeque::new();
        let mut waiting: Vec<usize> = Vec::new();
        for (index, target) in targets.iter_mut().enumerate() {
            let goal = self.module.goal(target.target.block);
            let Some(goal) = goal.filter(|_| target.outcome == Sought::Missed) else { continue };
            let aim = self.aim(ways, goal);
            let best = self.nearest_tests(&aim, ways, &|_| true, 1).pop();
            target.distance = best.and_then(|best| self.distance(best, &aim, ways));
            waiting.push(index);
        }
        // Where a little effort helps most comes first.
        waiting.sort_by_key(|index| targets[*index].distance.unwrap_or(u32::MAX));
        let all = waiting.len();
        for (at, index) in waiting.into_iter().enumerate() {
            if targets[index].is_run() && targets[index].inputs.len() >= self.job.inputs {
                continue;
            }
            let begun = Instant::now();
            let text = format!("{} of {all}: {}", at + 1, targets[index].place());
            (self.watch.doing)(&text);
            let allowance = self.allowance(all - at);
            let goals = self.open_goals(&image, targets);
            let Some(goal) = self.module.goal(targets[index].target.block) else { continue };
            let aim = self.aim(ways, goal);
            let mut pursuit =
                Target { index, aim, allowance, begun, goals, unknown: 0, is_open: false };
            if self.may(Mechanism::Options) && self.runner.is_some() {
                self.try_shapes(&mut pursuit, targets, ways)?;
            }
            self.hunt(&mut pursuit, targets, (&image, &mut memory, ways), &mut hunts)?;
            let target = &mut targets[index];
            target.seconds = begun.elapsed().as_secs_f64();
            (self.watch.ended)(target);
        }
        for open in &hunts {
            self.told.instructions += open.hunt.statistics().instructions;
        }
        self.watch.watched.guard.over();
        Ok(self.told)
    }

    /// Targets of which more inputs are wanted: by number, as coverage names them.
    fn open_goals(&self, image: &Image, targets: &[TargetLine]) -> BTreeMap<u32, u32> {
        let open = targets.iter().filter(|target| {
            let is_open = matches!(target.outcome, Sought::Missed | Sought::Reached);
            is_open && target.inputs.len() < self.job.inputs
        });
        let goals = open.filter_map(|target| {
            let Goal { function, block } = self.module.goal(target.target.block)?;
            Some((target.target.block, image.block_target(function, block)?))
        });
        goals.collect()
    }

    /// What is known of a target without running anything.
    fn aim(&self, ways: &Ways<'_>, goal: Goal) -> Aim {
        let approach = ways.to(goal);
        let blocks = self.module.goals().iter();
        Aim { to: blocks.map(|from| ways.distance(&approach, *from)).collect(), approach }
    }

    /// How far a test is from a target, without what is of no use for it.
    fn distance(&self, test: usize, aim: &Aim, ways: &Ways<'_>) -> Option<u32> {
        let test = &self.tests.all()[test];
        let blocks = || test.ran.iter().filter_map(|block| self.module.goal(*block));
        let ran = test.steps.get_or_init(|| ways.ran(blocks()));
        match ran {
            Some(ran) => ways.nearest(&aim.approach, ran),
            None => nearest(test, &aim.to),
        }
    }

    /// The nearest tests, of those that are equally near the one that was given, of those the smallest. What is of no use for a
    /// target makes a test farther, so only those are looked at closely that may be among the nearest.
    fn nearest_tests(
        &self,
        aim: &Aim,
        ways: &Ways<'_>,
        is_wanted: &dyn Fn(&Tried) -> bool,
        count: usize,
    ) -> Vec<usize> {
        let all = self.tests.all();
        let key = |index: usize, distance: Option<u32>, is_exact: bool| {
            let test = &all[index];
            let bytes = test.seed.case().input_bytes();
            Reverse((distance.unwrap_or(u32::MAX), is_exact, !test.is_given, bytes, index))
        };
        let wanted = (0..all.len()).filter(|index| is_wanted(&all[*index]));
        let mut waiting: BinaryHeap<_> =
            wanted.map(|index| key(index, nearest(&all[index], &aim.to), false)).collect();
        let (mut found, mut looked, mut ways_taken) = (Vec::new(), 0, BTreeSet::new());
        while let Some(Reverse((_, is_exact, _, _, index))) = waiting.pop() {
            if is_exact || looked >= LOOKED {
                // Tests that run the same are one.
                if all[index].ran.is_empty() || ways_taken.insert(&all[index].ran) {
                    found.push(index);
                }
                if found.len() >= count {
                    break;
                }
                continue;
            }
            looked += 1;
            waiting.push(key(index, self.distance(index, aim, ways), true));
        }
        found
    }

    /// What one of so many targets may take.
    fn allowance(&self, left: usize) -> Allowance {
        if self.job.target_instructions.is_some() || self.job.strategy.deterministic {
            let instructions = self.job.target_instructions.or(Some(PATH / 10));
            return Allowance { time: None, instructions };
        }
        let all = self.watch.watched.budget.exploring();
        let all = all.unwrap_or_else(|| ALL.saturating_sub(self.start.elapsed()));
        let share = all / (left + self.others).max(1) as u32;
        let most = self.job.target_time.unwrap_or(TARGET.min(share * 2));
        Allowance { time: Some(most.min(all)), instructions: None }
    }

    /// Tries the nearest tests in other shapes, natively.
    fn try_shapes(
        &mut self,
        pursuit: &mut Target,
        targets: &mut [TargetLine],
        ways: &Ways<'_>,
    ) -> Result<(), Error> {
        let runner = self.runner.take();
        let mut tried = 0;
        for _ in 0..EXPANDED {
            if self.is_stopped() || self.is_done(pursuit, targets) {
                break;
            }
            let best = self.nearest_tests(&pursuit.aim, ways, &|test| !test.is_expanded, 1).pop();
            let Some(best) = best else { break };
            let shapes = self.shapes_of(&self.tests.all()[best], &pursuit.aim.to);
            self.tests.expand(best);
            let before = self.tests.all().len();
            let mut looked = before;
            let block = targets[pursuit.index].target.block;
            let is_late = pursuit.late(4);
            let mut goes_on = |tests: &Tests| {
                let new = &tests.all()[looked..];
                looked = tests.all().len();
                !new.iter().any(|test| test.runs(block)) && !is_late()
            };
            tried += self.tests.add(runner.as_ref(), shapes, false, &mut goes_on);
            for index in before..self.tests.all().len() {
                self.take_shape(index, targets)?;
            }
            if tried >= SHAPES || pursuit.late(4)() {
                break;
            }
        }
        self.told.shapes += tried as u64;
        self.runner = runner;
        Ok(())
    }

    /// A test in other shapes, those that are likely to come nearer first.
    fn shapes_of(&self, test: &Tried, to: &[Option<u32>]) -> Vec<(String, umbra_case::Case)> {
        let case = test.seed.case();
        let named = |shapes: Vec<(String, umbra_case::Case)>| {
            shapes.into_iter().map(|(what, case)| (format!("{}, {what}", test.name), case))
        };
        let mut words: Vec<(u32, &[u8])> = self
            .vocabulary
            .words
            .iter()
            .map(|word| {
                let users =
                    word.users.iter().filter_map(|user| to[self.module.number(*user) as usize]);
                (users.min().unwrap_or(u32::MAX), &word.text[..])
            })
            .collect();
        words.sort_unstable();
        let own = words.into_iter().take(WORDS).map(|(_, word)| word);
        let words = own.chain(USUAL).flat_map(|word| with_word(case, word));
        named(shapes(case))
            .chain(named(with_options(case, &self.vocabulary)))
            .chain(named(words.collect()))
            .collect()
    }

    /// A test in another shape may run targets, which it has natively done already.
    fn take_shape(&mut self, index: usize, targets: &mut [TargetLine]) -> Result<(), Error> {
        let test = &self.tests.all()[index];
        let wanted = |target: &&mut TargetLine| {
            let is_open = matches!(target.outcome, Sought::Missed | Sought::Reached);
            is_open && target.inputs.len() < self.job.inputs && test.runs(target.target.block)
        };
        let found: Vec<&mut TargetLine> = targets.iter_mut().filter(wanted).collect();
        if found.is_empty() {
            return Ok(());
        }
        let case = self.folder.write_case(test.seed.case())?.name;
        let (seed, mechanisms) = (test.name.clone(), vec![Mechanism::Options]);
        let input = ReachInput { case, seed, mechanisms, confirmed: Some(true) };
        for target in found {
            target.outcome = Sought::Reached;
            target.reason = None;
            target.inputs.push(input.clone());
        }
        Ok(())
    }

    fn is_done(&self, pursuit: &Target, targets: &[TargetLine]) -> bool {
        let target = &targets[pursuit.index];
        target.is_run() && target.inputs.len() >= self.job.inputs
    }

    /// The tests that are followed for a target: the nearest ones, and among them some that were given.
    fn seeds(&self, aim: &Aim, ways: &Ways<'_>) -> Vec<usize> {
        let mut seeds = self.nearest_tests(aim, ways, &|_| true, SEEDS);
        let given = self.nearest_tests(aim, ways, &|test| test.is_given, SEEDS / 2);
        let new: Vec<usize> = given.into_iter().filter(|test| !seeds.contains(test)).collect();
        seeds.truncate(SEEDS - new.len());
        seeds.extend(new);
        seeds
    }

    /// Has the engine look around the nearest tests, in turns that grow.
    fn hunt<'b>(
        &mut self,
        pursuit: &mut Target,
        targets: &mut [TargetLine],
        (image, memory, ways): (&'b Image, &mut Memory, &'b Ways<'b>),
        hunts: &mut VecDeque<Open<'b>>,
    ) -> Result<(), Error> {
        let engine = [
            Mechanism::Greedy,
            Mechanism::Regeneration,
            Mechanism::Switching,
            Mechanism::Exploration,
        ];
        if !engine.iter().any(|mechanism| self.may(*mechanism)) {
            return self.give_up(pursuit, targets, false);
        }
        let Some(goal) = self.module.goal(targets[pursuit.index].target.block) else {
            return Ok(());
        };
        let seeds = self.seeds(&pursuit.aim, ways);
        let mut waiting: VecDeque<usize> = seeds.iter().copied().collect();
        let (mut turns, mut complete) = (0u32, BTreeSet::new());
        while let Some(test) = waiting.pop_front() {
            if self.is_done(pursuit, targets) {
                return Ok(());
            }
            if self.is_stopped() || pursuit.is_over() {
                pursuit.is_open = true;
                break;
            }
            let round = turns / seeds.len() as u32;
            let turn = pursuit.turn(seeds.len() as u32, round);
            turns += 1;
            let place = hunts.iter().position(|open| open.test == test);
            let mut open = match place.and_then(|place| hunts.remove(place)) {
                Some(open) => open,
                None => {
                    Open { test, hunt: self.begin(test, (image, memory, ways), pursuit, turn)? }
                }
            };
            let before = open.hunt.statistics().instructions;
            self.take(&mut open, targets, pursuit)?;
            open.hunt.set_goals(self.open_goals(image, targets).into_values().collect());
            let end = open.hunt.seek(goal, turn.time, turn.instructions);
            self.take(&mut open, targets, pursuit)?;
            pursuit.used(open.hunt.statistics().instructions - before);
            match end {
                Pursuit::Reached if self.is_done(pursuit, targets) => {}
                Pursuit::NothingLeft => {
                    if open.hunt.is_complete() {
                        complete.insert(test);
                    }
                }
                Pursuit::Reached | Pursuit::Stopped(_) => waiting.push_back(test),
            }
            pursuit.unknown += open.hunt.statistics().unknown.values().sum::<u64>();
            self.told.unmodelled.extend(open.hunt.unmodelled().iter().cloned());
            hunts.push_back(open);
            if hunts.len() > SEEDS {
                let old = hunts.pop_front();
                self.told.instructions += old.map_or(0, |open| open.hunt.statistics().instructions);
            }
        }
        let all = !pursuit.is_open && complete.len() == seeds.len() && !seeds.is_empty();
        self.give_up(pursuit, targets, all)
    }

    /// Says why a target was not reached.
    fn give_up(
        &mut self,
        pursuit: &Target,
        targets: &mut [TargetLine],
        is_exhausted: bool,
    ) -> Result<(), Error> {
        let target = &mut targets[pursuit.index];
        if target.is_run() {
            return Ok(());
        }
        let given = self.tests.all().iter().filter(|test| test.is_given).count();
        let (reason, detail) = match target.reason {
            Some(ReachReason::NotConfirmed) => (ReachReason::NotConfirmed, String::new()),
            _ if is_exhausted && given <= SEEDS / 2 => {
                target.outcome = Sought::Exhausted;
                (
                    ReachReason::AllPaths,
                    "arguments, input and files as long as those of the tests".to_owned(),
                )
            }
            _ if self.runner.is_some() && target.distance.is_none() => {
                (ReachReason::NoSeed, String::new())
            }
            _ if !self.told.unmodelled.is_empty() => {
                let calls: Vec<&str> = self.told.unmodelled.iter().map(String::as_str).collect();
                (ReachReason::Environment, calls.join(", "))
            }
            _ if pursuit.is_open => (ReachReason::Budget, String::new()),
            _ if pursuit.unknown > 0 => (ReachReason::Solver, String::new()),
            _ => (ReachReason::NothingLeft, String::new()),
        };
        (target.reason, target.detail) = (Some(reason), detail);
        Ok(())
    }

    /// Follows a test.
    fn begin<'b>(
        &mut self,
        test: usize,
        (image, memory, ways): (&'b Image, &mut Memory, &'b Ways<'b>),
        pursuit: &Target,
        turn: Allowance,
    ) -> Result<Hunt<'b>, Error> {
        let tried = &self.tests.all()[test];
        let world = tried.seed.world();
        let started = Started::new(limits(self.job), image, memory, &world)?;
        let Started { mut shared, state, built } = started;
        let seed: Assignment = built.assignment(&mut shared.expressions, &tried.seed);
        let process = built.starts[0].process.clone();
        let mut limits = self.job.limits.strategy(&self.watch.watched);
        limits.memory = limits.memory.map(|memory| memory / (SEEDS + 1));
        limits.path_instructions.get_or_insert(PATH);
        let mut solver = self.job.limits.solver();
        if self.job.strategy.deterministic || self.job.target_instructions.is_some() {
            solver.limits.conflicts.get_or_insert(5_000);
            solver.limits.work.get_or_insert(20_000_000);
            (solver.limits.time, solver.limits.run_time) = (None, None);
        }
        let means: Means = (!tried.is_given).then_some(Mechanism::Options).into_iter().collect();
        let terms = Terms { limits, solver, mechanisms: self.job.mechanisms.clone(), means };
        let goals = pursuit.goals.values().copied().collect();
        let start = HuntStart { state, shared, built, seed };
        let mut hunt = Hunt::new(image, ways, start, terms, goals);
        hunt.follow(&process, turn.time, turn.instructions);
        Ok(hunt)
    }

    /// Takes what a search has found: every input runs natively before it counts.
    fn take(
        &mut self,
        open: &mut Open<'_>,
        targets: &mut [TargetLine],
        pursuit: &Target,
    ) -> Result<(), Error> {
        let seed = self.tests.all()[open.test].name.clone();
        for Hit { goals, case, means } in open.hunt.take_hits() {
            let outcome = self.runner.as_ref().and_then(|runner| runner.run(&case));
            let ran = outcome.as_ref().map(ran);
            let mut written = None;
            for target in targets.iter_mut() {
                let block = target.target.block;
                let is_meant = pursuit.goals.get(&block).is_some_and(|goal| goals.contains(goal));
                let confirmed = ran.as_ref().map(|ran| ran.binary_search(&block).is_ok());
                let is_hit = confirmed.unwrap_or(is_meant);
                let is_open = matches!(target.outcome, Sought::Missed | Sought::Reached);
                if !is_open || !is_meant && !is_hit || target.inputs.len() >= self.job.inputs {
                    continue;
                }
                if !is_hit {
                    if target.outcome == Sought::Missed {
                        target.reason = Some(ReachReason::NotConfirmed);
                    }
                    continue;
                }
                let name = match &written {
                    Some(name) => String::clone(name),
                    None => self.folder.write_case(&case)?.name,
                };
                written = Some(name.clone());
                (target.outcome, target.reason) = (Sought::Reached, None);
                target.inputs.push(ReachInput {
                    case: name,
                    seed: seed.clone(),
                    mechanisms: means.list(),
                    confirmed,
                });
            }
        }
        for failure in open.hunt.take_failures() {
            self.failure(failure, targets, pursuit)?;
        }
        Ok(())
    }

    /// An error that was met: where it is, seen from the targets.
    fn failure(
        &mut self,
        failure: Failure,
        targets: &[TargetLine],
        pursuit: &Target,
    ) -> Result<(), Error> {
        let Failure { report, case, goals } = failure;
        let mut finding = finding(&report);
        let known = self.told.errors.iter().any(|known| {
            known.finding.place == finding.place && known.finding.kind == finding.kind
        });
        if known {
            return Ok(());
        }
        let lines = || targets.iter().flat_map(|target| &target.target.lines);
        let is_same_file = |one: &str, other: &str| {
            Path::new(one).ends_with(other) || Path::new(other).ends_with(one)
        };
        let is_in = lines().any(|line| {
            line.line == finding.place.line && is_same_file(&line.file, &finding.place.file)
        });
        let has_run = pursuit.goals.values().any(|goal| goals.contains(goal));
        let nearness = match (is_in, has_run) {
            (true, _) => "target",
            (false, true) => "near",
            (false, false) => "elsewhere",
        };
        let outcome = self.runner.as_ref().and_then(|runner| runner.run(&case));
        let native = outcome.map(|outcome| outcome.end.to_string());
        finding.input_bytes = case.input_bytes();
        finding.case = Some(self.folder.write_case(&case)?.name);
        let nearness = nearness.to_owned();
        self.told.errors.push(MetError { finding, nearness, native });
        Ok(())
    }
}

/// What is known of a target without running anything.
struct Aim {
    approach: Approach,
    /// How far each block is from it, by number.
    to: Vec<Option<u32>>,
}

/// A target that is looked for.
struct Target {
    index: usize,
    aim: Aim,
    allowance: Allowance,
    begun: Instant,
    /// All targets that are of interest: by number, as coverage names them.
    goals: BTreeMap<u32, u32>,
    /// Questions that the solver left open.
    unknown: u64,
    /// Something was left to try.
    is_open: bool,
}

impl Target {
    /// Whether such a part of the time is used up.
    fn late(&self, part: u32) -> impl Fn() -> bool + use<> {
        let (begun, time) = (self.begun, self.allowance.time);
        move || time.is_some_and(|time| begun.elapsed() >= time / part)
    }

    fn is_over(&self) -> bool {
        self.late(1)() || self.allowance.instructions == Some(0)
    }

    /// What one of so many searches gets at once.
    fn turn(&self, seeds: u32, round: u32) -> Allowance {
        let parts = (seeds * FIRST_TURN) >> round.min(8);
        let left = self.allowance.time.map(|time| time.saturating_sub(self.begun.elapsed()));
        let time =
            self.allowance.time.zip(left).map(|(time, left)| (time / parts.max(1)).min(left));
        let instructions =
            self.allowance.instructions.map(|all| (all / u64::from(parts.max(1))).max(1));
        Allowance { time, instructions }
    }

    fn used(&mut self, instructions: u64) {
        if let Some(left) = &mut self.allowance.instructions {
            *left = left.saturating_sub(instructions.max(1));
        }
    }
}

/// How far the nearest block that a test runs is from a target.
fn nearest(test: &Tried, to: &[Option<u32>]) -> Option<u32> {
    test.ran.iter().filter_map(|block| *to.get(*block as usize)?).min()
}

fn limits(job: &ReachJob) -> Limits {
    Limits { memory: job.limits.memory_mib << 20, ..Limits::default() }
}
