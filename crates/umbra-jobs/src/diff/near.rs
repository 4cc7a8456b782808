//! Near tests: the own path of each, then what the new version does where the versions part.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context;
use umbra_engine::{Coverage, Image, Path};
use umbra_ir::Program;
use umbra_report::{RunFolder, SeedCounts};
use umbra_strategy::{Config, FollowLimits, PointBudget, Search, Terrain, Worker};

use umbra_words::Phase;

use super::collect::{Collector, Found, Teller};
use super::confirm::Versions;
use super::cover::{self, Choice};
use super::pairs::Parted;
use super::seeds::{self, NamedSeed, Seeds};
use super::setup::{Setup, strategy};
use super::summary::{Compared, Explored, summarise};
use crate::{DiffJob, Near, Watched};

/// How long all of it takes at most, if nothing is said.
const TIME: Duration = Duration::from_secs(300);

/// How long the states of one point run before it is the next one's turn.
const TURN: Duration = Duration::from_secs(1);
const TURN_INSTRUCTIONS: u64 = 2_000_000;

/// Follows tests and explores from where the versions part.
pub fn explore(
    job: &DiffJob,
    near: &Near,
    program: Program,
    versions: &Result<Versions, String>,
    watched: &Watched<'_>,
    folder: RunFolder,
) -> anyhow::Result<Compared> {
    let Seeds { all: seeds, other_programs } = seeds::find(job, &near.tests)?;
    let program = Arc::new(program);
    let first = seeds.first().context("no test to start from: give arguments or --case")?;
    let Setup { image, .. } = Setup::new(job, Arc::clone(&program), &first.seed.world())?;
    let choice = cover::choose(job, near.choice, versions, &image, &seeds);
    watched.guard.set_up();
    let start = Instant::now();
    let coverage = Coverage::new(&image);
    let mut following = Following {
        job,
        near,
        program,
        watched,
        folder: Some(folder),
        explored: Explored::new(coverage),
    };
    let followed = following.follow_all(&seeds, &choice)?;
    let mut explored = following.explored;
    for (named, reached) in seeds.iter().zip(choice.reached) {
        explored.add_test(&named.name, reached);
    }
    let mut compared = summarise(job, &first.seed.world(), &image, explored)?;
    compared.summary.execute_s = start.elapsed().as_secs_f64();
    let out_of_time = (choice.order.len() - followed) as u64;
    if out_of_time > 0 {
        let left_out = &mut compared.summary.left_out;
        left_out.insert("tests that were not followed".to_owned(), out_of_time);
    }
    compared.summary.seeds = SeedCounts {
        given: seeds.len() as u64 + other_programs,
        other_programs,
        followed: followed as u64,
        out_of_time,
        choice: choice.text,
    };
    Ok(compared)
}

/// What comes of one test after the other.
struct Following<'a> {
    job: &'a DiffJob,
    near: &'a Near,
    program: Arc<Program>,
    watched: &'a Watched<'a>,
    /// Where test cases go; a test that is followed has it meanwhile.
    folder: Option<RunFolder>,
    explored: Explored,
}

impl Following<'_> {
    /// Follows tests as long as there is time, which those that are left share equally. Says how
    /// many were followed.
    fn follow_all(&mut self, seeds: &[NamedSeed], choice: &Choice) -> anyhow::Result<usize> {
        let start = Instant::now();
        // What it took to choose tests counts where a time was given.
        let time = self.watched.budget.exploring().unwrap_or(TIME);
        for (position, &index) in choice.order.iter().enumerate() {
            let left = time.saturating_sub(start.elapsed());
            let is_late = !self.job.strategy.deterministic && left.is_zero();
            if is_late || self.watched.control.stopped().is_some() {
                return Ok(position);
            }
            let share = left / (choice.order.len() - position) as u32;
            let share = self.near.seed_time.map_or(share, |most| most.min(left));
            self.follow(&seeds[index], share)?;
        }
        Ok(choice.order.len())
    }

    /// Follows one test.
    fn follow(&mut self, named: &NamedSeed, time: Duration) -> anyhow::Result<()> {
        let job = self.job;
        let setup = Setup::new(job, Arc::clone(&self.program), &named.seed.world())?;
        let Setup { image, mut shared, state, built } = setup;
        let mut config: Config = strategy(job, self.watched, Search::depth_first());
        if !job.strategy.deterministic {
            config.limits.time = Some(time);
        }
        let input = built.assignment(&mut shared.expressions, &named.seed);
        let path = Path::begin(0, input.clone(), &shared.expressions, &built.constraints);
        let collector = Mutex::new(Collector {
            image: &image,
            built: &built,
            function: job.subject.function.as_deref(),
            folder: self.folder.take().context("the folder of the run is in use")?,
            tests_per_place: job.tests_per_place,
            phase: Phase::Seed,
            seed: Some(input),
            seed_name: Some(&named.name),
            found: std::mem::take(&mut self.explored.found),
            parted: Parted::default(),
        });
        let mut teller = Teller::new(&collector);
        let mut worker = Worker::new(&image, shared, state, config);
        let process = &built.starts.first().context("the test has a start")?.process;
        let beside = FollowLimits { sides: self.near.sides, inputs: self.near.followed };
        let points = worker.follow(process, path, beside, &mut teller);
        let covered = worker.shared().coverage.clone();
        teller.collector().phase = Phase::Bounded;
        let mut known = self.explored.coverage.clone();
        known.merge(&covered);
        let (search, terrain) = self.search(&image, &known);
        let budget = self.budget();
        let stopped =
            worker.explore_points(points, &budget, &search, terrain.as_ref(), &mut teller);
        let mut collector = collector.into_inner().unwrap_or_else(PoisonError::into_inner);
        collector.finish(&worker.statistics(), stopped.is_some());
        let Collector { folder, found, .. } = collector;
        self.folder = Some(folder);
        self.add(&image, named, found, &covered);
        let explored = &mut self.explored;
        explored.stopped = explored.stopped.or(stopped).or_else(|| worker.limit_reached());
        explored.statistics.merge(&worker.statistics());
        explored.coverage.merge(&worker.shared().coverage);
        if self.watched.control.stopped().is_some() {
            worker.abandon();
        }
        Ok(())
    }

    /// Adds what a test has shown.
    fn add(&mut self, image: &Image, named: &NamedSeed, found: Found, covered: &Coverage) {
        self.explored.found = found;
        let targets = image.changes().into_iter().map(|(_, target)| target);
        let reached: BTreeSet<u32> = targets.filter(|target| covered.is_covered(*target)).collect();
        self.explored.add_test(&named.name, reached);
        if named.seed.fixed_files() > 0 {
            let what = "files of tests that are too large to be others".to_owned();
            *self.explored.found.left_out.entry(what).or_default() += named.seed.fixed_files();
        }
    }

    /// How the new version is explored from a point: breadth-first; if there are changes that have
    /// not been reached, every other turn is for the state that is likely to reach one soon.
    fn search(&self, image: &Image, known: &Coverage) -> (Search, Option<Arc<Terrain>>) {
        if let Some(search) = &self.job.strategy.search {
            return (search.search(), None);
        }
        let targets = image.changes().into_iter().map(|(_, target)| target);
        let unreached: Vec<u32> = targets.filter(|target| !known.is_covered(*target)).collect();
        if unreached.is_empty() {
            return (Search::breadth_first(), None);
        }
        (Search::steered(), Some(Arc::new(Terrain::to_blocks(image, &unreached))))
    }

    fn budget(&self) -> PointBudget {
        let has_clock = !self.job.strategy.deterministic;
        PointBudget {
            time: has_clock.then_some(self.near.point_time),
            instructions: self.near.point_instructions,
            turn_time: has_clock.then_some(TURN),
            turn_instructions: TURN_INSTRUCTIONS,
        }
    }
}
