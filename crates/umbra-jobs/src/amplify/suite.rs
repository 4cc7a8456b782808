//! All tests together: each at distance 0, then each at 1, and so on, in one budget.
//!
//! Every worker has tests of its own. What two tests have in common is done once ([`Book`]), whoever comes first. Tests that
//! newly cover much are explored first. What a test leaves to explore is kept as long as there is room; otherwise it is
//! followed again when its turn comes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use umbra_engine::{Image, Inputs, Limits, Memory, UninitialisedReads};
use umbra_ir::{FunctionId, Id, Program};
use umbra_strategy::{
    AmplifyCounts, AmplifyLimits, Config, Search, Sensitive, Statistics, Stopped, WORKER_STACK,
};

use super::AmplifyJob;
use super::book::Book;
use super::test::{OpenTest, concrete_time};
use crate::diff::NamedSeed;
use crate::{Error, Watched, own};

/// How long all of it takes, if nothing is said.
const TIME: Duration = Duration::from_secs(300);

/// The least that a test may take at one distance.
const LEAST: Duration = Duration::from_millis(200);

/// A test may take so many times its equal share of what is left, since most need less.
const MORE: u32 = 4;

/// What all tests of one worker have in common.
pub struct Common<'a> {
    pub job: &'a AmplifyJob,
    pub book: &'a Mutex<Book>,
    /// For each test the bytes by which it was moved.
    pub moved: &'a [u64],
    pub watched: &'a Watched<'a>,
    pub worker: usize,
}

impl Common<'_> {
    /// The limits of each state.
    pub fn state_limits(&self) -> Limits {
        Limits { memory: self.job.limits.memory_mib << 20, ..Limits::default() }
    }
}

/// What the tests came to.
#[derive(Default)]
pub struct Amplified {
    /// Tests that were followed to their end.
    pub followed: u64,
    /// Moves that were.
    pub moves: u64,
    /// Tests that were not, or not begun.
    pub cut: u64,
    /// Tests that go wrong as they are.
    pub failing: u64,
    /// What was counted on their paths.
    pub counts: AmplifyCounts,
    /// Lines at which was asked.
    pub lines: std::collections::BTreeSet<(String, u32)>,
    pub statistics: Statistics,
    /// By distance: how many tests it was done for, and how many points.
    pub distances: BTreeMap<u32, (u64, u64)>,
    /// Seconds with all bytes given, of tests of which that is known, and the same with symbolic ones.
    pub concrete: (f64, f64),
    /// For each of these how many times as long it took.
    pub ratios: Vec<f64>,
    /// Why not everything was done.
    pub stopped: Option<Stopped>,
}

impl Amplified {
    fn add(&mut self, other: Self) {
        self.followed += other.followed;
        self.moves += other.moves;
        self.cut += other.cut;
        self.failing += other.failing;
        self.add_counts(&other.counts);
        self.lines.extend(other.lines);
        self.statistics.merge(&other.statistics);
        for (distance, (tests, points)) in other.distances {
            let known = self.distances.entry(distance).or_default();
            *known = (known.0 + tests, known.1 + points);
        }
        self.concrete.0 += other.concrete.0;
        self.concrete.1 += other.concrete.1;
        self.ratios.extend(other.ratios);
        self.stopped = self.stopped.or(other.stopped);
    }

    fn add_counts(&mut self, counts: &AmplifyCounts) {
        let all = &mut self.counts;
        for (mine, theirs) in [
            (&mut all.checks, counts.checks),
            (&mut all.safe, counts.safe),
            (&mut all.failing, counts.failing),
            (&mut all.unknown, counts.unknown),
            (&mut all.repeated, counts.repeated),
            (&mut all.thinned, counts.thinned),
            (&mut all.branches, counts.branches),
            (&mut all.forgotten, counts.forgotten),
            (&mut all.explored, counts.explored),
            (&mut all.instructions, counts.instructions),
        ] {
            *mine += theirs;
        }
        all.followed += counts.followed;
        all.solving += counts.solving;
    }
}

/// Amplifies tests of one program, with several workers. Those that were moved by some bytes are tests in other shapes.
pub fn amplify(
    job: &AmplifyJob,
    program: &Arc<Program>,
    (seeds, moved, book): (&[NamedSeed], &[u64], &Mutex<Book>),
    watched: &Watched<'_>,
) -> Result<Amplified, Error> {
    let workers = job.strategy.workers.get().min(seeds.len().max(1));
    let start = Instant::now();
    let time = watched.budget.exploring().unwrap_or(TIME);
    let work = |worker: usize| {
        let common = Common { job, book, moved, watched, worker };
        let tests = (worker..seeds.len()).step_by(workers);
        let tests = tests.map(|position| (position, &seeds[position])).collect();
        Suite { common, tests, start, time, workers }.run(Arc::clone(program))
    };
    let parts = std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for worker in 1..workers {
            let thread = std::thread::Builder::new().stack_size(WORKER_STACK);
            threads.push((worker, thread.spawn_scoped(scope, move || work(worker))));
        }
        let mut parts = vec![work(0)];
        for (worker, thread) in threads {
            parts.push(match thread {
                Ok(thread) => {
                    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                }
                // The system has no more threads, so it is done here.
                Err(_) => work(worker),
            });
        }
        parts
    });
    let mut all = Amplified::default();
    for part in parts {
        all.add(part?);
    }
    Ok(all)
}

/// The tests of one worker.
struct Suite<'a> {
    common: Common<'a>,
    tests: Vec<(usize, &'a NamedSeed)>,
    start: Instant,
    time: Duration,
    workers: usize,
}

/// Where a test stands.
enum Place<'a> {
    /// It was not followed yet.
    New,
    /// What is left of it is kept.
    Open(Box<OpenTest<'a>>),
    /// What was left of it took too much room: it is followed again.
    Dropped,
    /// Nothing is left.
    Over,
}

impl<'a> Suite<'a> {
    fn run(self, program: Arc<Program>) -> Result<Amplified, Error> {
        let mut memory = Memory::new(self.common.state_limits().memory, UninitialisedReads::Zero);
        let image = Image::new(program, &mut memory, Inputs::Symbolic);
        let own = own_functions(&image);
        let sensitive = Sensitive::new(&image, &|function| own[function.index()]);
        Running {
            places: self.tests.iter().map(|_| Place::New).collect(),
            order: (0..self.tests.len()).collect(),
            ran: vec![Vec::new(); self.tests.len()],
            asked: self.common.watched.control.asked(),
            suite: &self,
            image: &image,
            memory,
            sensitive,
            limits: self.limits(),
            done: Amplified::default(),
        }
        .run()
    }

    fn limits(&self) -> AmplifyLimits {
        let job = self.common.job;
        let usual = AmplifyLimits::default();
        AmplifyLimits {
            points: if job.distance == Some(0) { 0 } else { usual.points },
            instructions: job.limits.path_instructions.unwrap_or(usual.instructions),
            states: job.limits.states.unwrap_or(usual.states),
            point_time: (!job.strategy.deterministic).then_some(job.point_time),
            which: job.checks(),
            ..usual
        }
    }

    /// How the worker of one test works.
    fn config(&self) -> Config {
        let job = self.common.job;
        let mut limits = job.limits.strategy(self.common.watched);
        limits.time = None;
        limits.memory = limits.memory.map(|memory| memory / self.workers);
        let config = Config {
            limits,
            drain: None,
            search: Search::breadth_first(),
            solver: job.limits.solver(),
            ..Config::default()
        };
        if job.strategy.deterministic { config.deterministic() } else { config }
    }

    /// Time that is left.
    fn left(&self) -> Duration {
        self.time.saturating_sub(self.start.elapsed())
    }

    fn is_timed(&self) -> bool {
        !self.common.job.strategy.deterministic
    }

    /// Why nothing more is begun, if so.
    fn stopped(&self) -> Option<Stopped> {
        let control = self.common.watched.control.inner().stopped();
        control.or((self.is_timed() && self.left().is_zero()).then_some(Stopped::Time))
    }

    /// Whether the tests in other shapes have had their part of the time: a quarter.
    fn is_late_for_moves(&self) -> bool {
        self.is_timed() && self.left() < self.time / 4 * 3
    }

    /// The time of one of so many tests.
    fn share(&self, tests: usize) -> Option<Duration> {
        if !self.is_timed() {
            return None;
        }
        let left = self.left();
        let share = (left / tests.max(1) as u32 * MORE).max(LEAST).min(left);
        Some(self.common.job.test_time.map_or(share, |most| most.min(share)))
    }
}

/// A worker at work.
struct Running<'s, 'a> {
    suite: &'s Suite<'a>,
    image: &'s Image,
    memory: Memory,
    sensitive: Sensitive,
    limits: AmplifyLimits,
    places: Vec<Place<'s>>,
    /// Tests in the order in which they are explored.
    order: Vec<usize>,
    /// What each test ran.
    ran: Vec<Vec<bool>>,
    /// How often memory was asked for so far.
    asked: u64,
    done: Amplified,
}

impl<'s, 'a: 's> Running<'s, 'a> {
    fn run(mut self) -> Result<Amplified, Error> {
        let most = self.suite.common.job.distance.unwrap_or(u32::MAX);
        for distance in 0..=most {
            let mut any = false;
            let order = self.order.clone();
            for (index, &test) in order.iter().enumerate() {
                if matches!(self.places[test], Place::Over) {
                    continue;
                }
                if let Some(stopped) = self.suite.stopped() {
                    self.done.stopped.get_or_insert(stopped);
                    break;
                }
                if distance == 0 && self.is_move(test) && self.suite.is_late_for_moves() {
                    self.places[test] = Place::Over;
                    continue;
                }
                any = true;
                let time = self.suite.share(order.len() - index);
                self.step(test, distance, time)?;
            }
            if !any || self.done.stopped.is_some() {
                break;
            }
            if distance == 0 {
                self.put_in_order();
            }
        }
        let is_new = |test: &usize| matches!(self.places[*test], Place::New);
        let new = (0..self.places.len()).filter(|test| is_new(test) && !self.is_move(*test));
        self.done.cut += new.count() as u64;
        for place in std::mem::take(&mut self.places) {
            if let Place::Open(test) = place {
                self.done.statistics.merge(&test.statistics());
            }
        }
        Ok(self.done)
    }

    fn is_move(&self, test: usize) -> bool {
        self.suite.common.moved[self.suite.tests[test].0] > 0
    }

    /// One test at one distance.
    fn step(&mut self, test: usize, distance: u32, time: Option<Duration>) -> Result<(), Error> {
        let begun = Instant::now();
        let place = std::mem::replace(&mut self.places[test], Place::Over);
        let is_new = matches!(place, Place::New);
        let mut open = match place {
            Place::Open(open) => open,
            Place::Over => return Ok(()),
            Place::New | Place::Dropped => self.follow(test, time)?,
        };
        if is_new {
            self.followed(test, &open);
        }
        if distance > 0 {
            let before = open.route.counts.explored;
            let at = (distance, self.suite.common.job.bound(distance));
            let left = time.map(|time| time.saturating_sub(begun.elapsed()));
            let what = (&self.sensitive, &self.limits);
            let stopped = open.explore(&self.suite.common, at, what, left);
            let points = open.route.counts.explored - before;
            let known = self.done.distances.entry(distance).or_default();
            *known = (known.0 + u64::from(stopped.is_none()), known.1 + points);
            if let Some(stopped) = stopped {
                let what = format!("tests not explored at distance {distance}: {}", stopped.name());
                self.book().leave_out(what);
            } else if points == 0 {
                // Further away there is nothing either.
                self.done.statistics.merge(&open.statistics());
                return Ok(());
            }
        }
        if open.route.is_empty() {
            self.done.statistics.merge(&open.statistics());
            return Ok(());
        }
        self.places[test] = Place::Open(open);
        self.make_room(test);
        Ok(())
    }

    fn book(&self) -> std::sync::MutexGuard<'_, Book> {
        self.suite.common.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn follow(&mut self, test: usize, time: Option<Duration>) -> Result<Box<OpenTest<'s>>, Error> {
        let limits = AmplifyLimits { check_time: time.map(|time| time / 2), ..self.limits.clone() };
        let open = OpenTest::follow(
            &self.suite.common,
            self.suite.tests[test],
            (self.image, &mut self.memory),
            (&self.sensitive, &limits),
            (self.suite.config(), time),
        )?;
        Ok(Box::new(open))
    }

    /// A test was followed for the first time.
    fn followed(&mut self, test: usize, open: &OpenTest<'_>) {
        let counts = &open.route.counts;
        for &place in &counts.places {
            let line = self.image.place_of_operation(place);
            self.done.lines.extend(line.map(|place| (place.file, place.line)));
        }
        self.done.add_counts(counts);
        let is_move = self.is_move(test);
        let known = self.done.distances.entry(0).or_default();
        match open.route.stopped {
            _ if is_move => self.done.moves += 1,
            None => {
                self.done.followed += 1;
                known.0 += 1;
            }
            Some(_) => self.done.cut += 1,
        }
        let is_error =
            |end: &umbra_engine::Termination| matches!(end, umbra_engine::Termination::Error(_));
        self.done.failing += u64::from(!is_move && open.end.as_ref().is_some_and(is_error));
        self.ran[test].clone_from(&open.route.ran);
        let most = counts.followed * 2 + LEAST;
        let case = self.suite.tests[test].1.seed.case();
        let limits = self.suite.common.state_limits();
        if open.route.stopped.is_none()
            && let Some(time) = concrete_time(self.image, &mut self.memory, case, (limits, most))
        {
            let (concrete, followed) = (time.as_secs_f64(), counts.followed.as_secs_f64());
            self.done.concrete.0 += concrete;
            self.done.concrete.1 += followed;
            self.done.ratios.push(followed / concrete.max(f64::MIN_POSITIVE));
        }
    }

    /// The test that runs most of what none before it runs is next.
    fn put_in_order(&mut self) {
        let mut covered = vec![false; self.ran.iter().map(Vec::len).max().unwrap_or(0)];
        let mut rest: Vec<usize> = (0..self.ran.len()).collect();
        let mut order = Vec::new();
        while !rest.is_empty() {
            let new = |test: &usize| {
                let ran = self.ran[*test].iter().zip(&covered);
                ran.filter(|(ran, covered)| **ran && !**covered).count()
            };
            let Some(best) = (0..rest.len()).max_by_key(|&at| (new(&rest[at]), usize::MAX - at))
            else {
                break;
            };
            if new(&rest[best]) == 0 {
                // Of these, tests come before what was made of them.
                rest.sort_by_key(|test| (self.is_move(*test), *test));
                order.append(&mut rest);
                break;
            }
            let test = rest.remove(best);
            for (covered, ran) in covered.iter_mut().zip(&self.ran[test]) {
                *covered |= ran;
            }
            order.push(test);
        }
        self.order = order;
        self.ran = Vec::new();
    }

    /// What is left of this test is not kept if there is no room; nor that of any other, if the process takes too much: pages that
    /// states have in common are not counted here.
    fn make_room(&mut self, test: usize) {
        let bytes = |place: &Place<'_>| match place {
            Place::Open(open) => open.bytes(),
            _ => 0,
        };
        let asked = self.suite.common.watched.control.asked();
        let is_asked = asked != std::mem::replace(&mut self.asked, asked);
        let most = self.suite.common.watched.budget.memory as usize / 4 / self.suite.workers;
        let all: usize = self.places.iter().map(bytes).sum();
        for (at, place) in self.places.iter_mut().enumerate() {
            if (is_asked || at == test && all > most) && matches!(place, Place::Open(_)) {
                let open = std::mem::replace(place, Place::Dropped);
                if let Place::Open(open) = open {
                    self.done.statistics.merge(&open.statistics());
                }
            }
        }
    }
}

/// For each function whether it is the program's own.
fn own_functions(image: &Image) -> Vec<bool> {
    let program = &image.program;
    let is_own = |id: FunctionId| {
        let identity = program.functions[id].identity.as_ref();
        identity.is_some_and(|identity| own::is_own(&program.files[identity.file].path()))
    };
    program.functions.ids().map(is_own).collect()
}
