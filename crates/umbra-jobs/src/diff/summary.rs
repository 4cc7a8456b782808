//! What a comparison came to.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use umbra_engine::{Coverage, Image, Lockstep, Unrelated};
use umbra_report::{ApartLine, ChangeLine, DiffSummary, LockstepCounts, TestsTogether};
use umbra_strategy::{Argument, Data, Statistics, Stopped, World};
use umbra_text::Show;
use umbra_words::Place;

use super::collect::Found;
use super::ledger::{Group, Ledger};
use crate::explore::undefined;
use crate::{DiffJob, Error};

/// What a comparison came to, before anything ran natively.
pub struct Compared {
    /// All but the divergences.
    pub summary: DiffSummary,
    pub groups: Vec<Group>,
}

/// What one test came to.
#[derive(Clone, Serialize, Deserialize)]
pub struct Part {
    pub found: Found,
    pub stopped: Option<Stopped>,
    pub statistics: Statistics,
    pub unrelated: Unrelated,
    /// The changes that ran on its own path, as coverage names their blocks.
    pub reached: BTreeSet<u32>,
    /// The changes that ran on any.
    pub covered: BTreeSet<u32>,
}

/// What exploring came to, before it is summed up.
pub struct Explored {
    pub found: Found,
    pub stopped: Option<Stopped>,
    pub statistics: Statistics,
    /// Pointers to different objects that were ordered or subtracted, in either version.
    pub unrelated: Unrelated,
    pub coverage: Coverage,
    /// The changes that each test reaches on its own path, as coverage names their blocks.
    pub tests: BTreeMap<String, BTreeSet<u32>>,
}

impl Explored {
    /// Nothing yet.
    pub fn new(coverage: Coverage) -> Self {
        Self {
            found: Found::default(),
            stopped: None,
            statistics: Statistics::default(),
            unrelated: Unrelated::default(),
            coverage,
            tests: BTreeMap::new(),
        }
    }

    /// Adds what a test has come to; tests are added in their order.
    pub fn add(&mut self, name: &str, part: Part) {
        let Part { found, stopped, statistics, unrelated, reached, covered } = part;
        self.found.merge(found);
        self.stopped = self.stopped.or(stopped);
        self.statistics.merge(&statistics);
        self.unrelated.merge(&unrelated);
        covered.into_iter().for_each(|target| self.coverage.add(target));
        self.add_test(name, reached);
    }

    /// Adds changes that a test reaches.
    pub fn add_test(&mut self, name: &str, reached: BTreeSet<u32>) {
        self.tests.entry(name.to_owned()).or_default().extend(reached);
    }
}

/// Sums up what was found, when nothing more comes into the ledger.
pub fn summarise(
    job: &DiffJob,
    world: &World,
    image: &Image,
    explored: Explored,
    ledger: Ledger,
) -> Result<Compared, Error> {
    let Explored { found, stopped, statistics, unrelated, coverage, tests } = explored;
    let groups = ledger.close()?;
    let mut left_out = found.left_out;
    let Statistics { dropped, unknown, failures, open_pairs, .. } = &statistics;
    // All that was not followed may be a path, but for what is one of the old version on a diff path.
    let open: u64 = dropped.values().chain(unknown.values()).chain(failures.values()).sum();
    let open = open.saturating_sub(open_pairs.values().sum());
    for (what, count) in failures {
        *left_out.entry(format!("solver failed: {what}")).or_default() += count;
    }
    for (what, count) in dropped {
        *left_out.entry(format!("limit on {what}")).or_default() += count;
    }
    for (reason, count) in unknown {
        *left_out.entry(format!("solver: {reason}")).or_default() += count;
    }
    if let Some(stopped) = stopped {
        left_out.entry(format!("stopped by {}", stopped.name())).or_insert(1);
    }
    let changes = image.changes().into_iter().map(|(place, target)| {
        let place = Place { file: place.file, line: place.line };
        let tests = tests.iter().filter(|(_, reached)| reached.contains(&target));
        let tests: Vec<String> = tests.map(|(name, _)| name.clone()).collect();
        ChangeLine {
            reached: coverage.is_covered(target) || !tests.is_empty(),
            tests,
            paired: found.paired.contains(&place),
            diverged: groups.iter().any(|group| group.line.changes.contains(&place)),
            place,
        }
    });
    let mut all: Vec<ChangeLine> = Vec::new();
    for change in changes {
        match all.iter_mut().find(|known| known.place == change.place) {
            Some(known) => {
                known.reached |= change.reached;
                known.tests.extend(change.tests);
                known.tests.sort();
                known.tests.dedup();
            }
            None => all.push(change),
        }
    }
    let summary = DiffSummary {
        all_paths: job.is_complete(),
        same: found.same,
        diff: found.diff,
        cut: found.cut + open,
        pairs: found.pairs,
        path_set: statistics.path_set,
        pruned: statistics.pruned,
        left_out,
        undefined: undefined(&unrelated, image),
        bounds: bounds(job, world),
        changes: all,
        lockstep: lockstep(image, &statistics),
        instructions: statistics.instructions,
        queries: statistics.queries,
        solver_s: statistics.solver_time.as_secs_f64(),
        ..DiffSummary::default()
    };
    Ok(Compared { summary, groups })
}

/// What the versions did together.
fn lockstep(image: &Image, statistics: &Statistics) -> LockstepCounts {
    let counted = &statistics.lockstep;
    let forgotten = counted.forgotten_places(image).into_iter();
    LockstepCounts {
        both: counted.both,
        old: counted.old,
        new: counted.new,
        behind: counted.behind,
        share: counted.share(),
        partings: counted.partings,
        settled: counted.settled,
        forgotten: forgotten
            .map(|(place, count)| (Place { file: place.file, line: place.line }, count))
            .collect(),
        listed: false,
        tests: on_tests(image, &statistics.tests),
    }
}

/// What the versions did together on the paths of the tests.
fn on_tests(image: &Image, counted: &Lockstep) -> TestsTogether {
    let apart = counted.apart_places(image).into_iter().map(|(place, apart)| ApartLine {
        file: place.file,
        line: place.line,
        count: apart.times,
        instructions: apart.instructions,
    });
    TestsTogether {
        both: counted.both,
        old: counted.old,
        new: counted.new,
        share: counted.share(),
        apart: apart.collect(),
    }
}

/// What an answer holds for.
fn bounds(job: &DiffJob, world: &World) -> Vec<String> {
    let mut bounds = Vec::new();
    if let Some(function) = &job.subject.function {
        bounds.push(format!("function {function}, pointers to at most 8 objects of 64 bytes"));
        bounds.push(
            "compared: what it returns, prints, and leaves in files and behind its pointers; not compared: addresses and other memory"
                .to_owned(),
        );
    }
    if world.is_symbolic() {
        bounds.extend(described(world));
    } else if job.subject.function.is_none() {
        bounds.push("inputs that the program makes symbolic itself, and no others".to_owned());
    }
    bounds.push(format!("a version runs alone for at most {} instructions", job.max_alone));
    bounds
}

/// The symbolic inputs in words.
fn described(world: &World) -> Vec<String> {
    let size = |data: &Data| match data.shorter {
        true => format!("at most {} bytes", data.size),
        false => format!("{} bytes", data.size),
    };
    let mut inputs = Vec::new();
    for argument in &world.arguments {
        if let Argument::Symbolic { minimum, maximum, length } = argument {
            inputs.push(format!("{minimum} to {maximum} arguments of at most {length} bytes"));
        }
    }
    inputs.extend(world.stdin.iter().map(|data| format!("standard input of {}", size(data))));
    for file in &world.files {
        inputs.push(format!("file {} of {}", file.name.shown(), size(&file.data)));
    }
    for variable in &world.environment {
        let (name, length) = (&variable.name, variable.length);
        inputs.push(format!("variable {name} of at most {length} bytes"));
    }
    inputs
}
