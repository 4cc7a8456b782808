//! Native runs of tests on both versions, and of tests in other shapes, as many as there is time for.
//!
//! A native run takes a millisecond or two, so much can be tried before anything is followed. First come the shapes that are
//! the likeliest ([`shapes`], and whatever the changes name, in every place), then steps that are drawn by lot ([`Moves`]). A shape
//! that runs code which nothing before has run, or comes to a change in a way of its own, is a test like the others from then on:
//! further steps start from it. What the versions do differently is kept, a few of each kind.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::convert::Infallible;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

use umbra_case::{Case, CaseId};
use umbra_compare::{Blocks, Judgement, Outcome, judge};
use umbra_engine::Image;
use umbra_ir::Program;
use umbra_replay::Run;
use umbra_strategy::Seed;
use umbra_words::{Class, End};

use super::confirm::Versions;
use super::seeds::NamedSeed;
use super::shapes::lexicon::Lexicon;
use super::shapes::moves::{Moves, near_words};
use super::shapes::{options, shapes, with_options};
use super::touched::{Touched, touched};

/// Shapes that run before the time is looked at: few, since each may hang.
const BATCH: usize = 8;

/// Tests with which options of the program are tried, and how many for each shape of each test.
const WITH_OPTIONS: usize = 2;
const OPTIONS_AT_A_TIME: usize = 6;

/// Shapes of each kind of difference that are kept.
const OF_A_KIND: usize = 2;

/// Kinds of differences that are kept: beyond, they tell nothing apart.
const KINDS: usize = 64;

/// Shapes that are kept because they go a way of their own.
const KEPT: usize = 1024;

/// The latest of these, from which every other step starts.
const LATEST: usize = 32;

/// Draws of what is known after which there is nothing more to draw.
const TRIES: usize = 1000;

/// Runs without anything new after which there is nothing more to find.
const STALE: usize = 2000;

/// The lots that are drawn.
const LOTS: u64 = 16;

/// What native runs of a test show.
#[derive(Clone, Default)]
pub struct Shown {
    /// The changes that it reaches, as coverage names their blocks.
    pub reached: BTreeSet<u32>,
    /// How much there is to follow: blocks that ran, bytes that may be others.
    pub cost: (usize, u64),
    /// A number for the blocks that ran, in the old version and in the new one.
    pub ways: [u64; 2],
    /// What the versions do differently, without its data.
    pub kinds: Vec<String>,
    /// What that means, if it is known for sure.
    pub class: Option<Class>,
}

impl Shown {
    /// Whether the versions do something else.
    pub fn differs(&self) -> bool {
        !self.kinds.is_empty()
    }
}

/// Both versions, and where their changes are.
pub struct Runner<'a> {
    versions: &'a Versions,
    changes: Vec<Touched>,
}

/// What runs of both versions came to.
struct Ran {
    shown: Shown,
    /// The blocks that ran in the old version, then in the new one.
    blocks: [Vec<usize>; 2],
}

impl<'a> Runner<'a> {
    /// An error is the reason why their runs tell nothing.
    pub fn new(versions: &'a Versions, image: &Image) -> Result<Self, String> {
        let (changes, blocks) = touched(image);
        // The old version first, as `touched` has it.
        for (program, blocks) in [&versions.old, &versions.new].into_iter().zip(blocks) {
            if program.blocks() != Some(blocks as u64) {
                return Err("the executable has no block counters for this module".to_owned());
            }
        }
        Ok(Self { versions, changes })
    }

    /// Runs cases on both versions; `None` for those that did not run. Quick runs have little time each.
    fn run(&self, cases: &[&Case], is_quick: bool) -> Vec<Option<Ran>> {
        let Versions { native, quick, old, new } = self.versions;
        let both = |case| [Run { case, program: old }, Run { case, program: new }];
        let runs: Vec<Run<'_>> = cases.iter().flat_map(|case| both(case)).collect();
        let mut outcomes = if is_quick { quick } else { native }.run_all(&runs).into_iter();
        let mut next = || outcomes.next().and_then(Result::ok);
        let ran = cases.iter().map(|case| {
            // Both are taken out before either is looked at.
            let (old, new) = (next(), next());
            Some(self.shown(case, old?, new?))
        });
        ran.collect()
    }

    fn shown(&self, case: &Case, old: Outcome, new: Outcome) -> Ran {
        let Ok(judgement) = judge(old, new, |_, _| Ok::<_, Infallible>(Vec::new()));
        let mut shown = Shown { kinds: kinds(&judgement), ..Shown::default() };
        let outcomes = [&judgement.old, &judgement.new];
        let blocks = outcomes
            .map(|outcome| -> Vec<usize> { outcome.blocks.iter().flat_map(Blocks::ran).collect() });
        for (version, ran) in blocks.iter().enumerate() {
            shown.cost.0 = shown.cost.0.max(ran.len());
            let mut way = DefaultHasher::new();
            ran.hash(&mut way);
            shown.ways[version] = if ran.is_empty() { 0 } else { way.finish() };
            let is_run = |block: &usize| ran.binary_search(block).is_ok();
            let reached = self.changes.iter().filter(|it| it.blocks[version].iter().any(is_run));
            shown.reached.extend(reached.map(|it| it.target));
        }
        shown.cost.1 = case.input_bytes();
        Ran { shown, blocks }
    }

    /// Runs all tests. Also says how many did not run.
    pub fn run_tests(&self, tests: &[NamedSeed], time: Duration) -> (Vec<Shown>, usize) {
        let start = Instant::now();
        let (mut shown, mut not_run) = (Vec::new(), 0);
        for batch in tests.chunks(8 * BATCH) {
            if start.elapsed() >= time {
                not_run += batch.len();
                shown.extend(batch.iter().map(|_| Shown::default()));
                continue;
            }
            let cases: Vec<&Case> = batch.iter().map(|named| named.seed.case()).collect();
            for ran in self.run(&cases, false) {
                not_run += usize::from(ran.is_none());
                shown.push(ran.map(|ran| ran.shown).unwrap_or_default());
            }
        }
        (shown, not_run)
    }

    /// What the versions do differently on a case in every run, and what that means. What does not end has had little time.
    fn surely(&self, case: &Case) -> Option<(Vec<String>, Class)> {
        let judged = self.versions.quick.judge_all(&[self.versions.trial(case)]);
        let judgement = judged.into_iter().next()?.ok()?;
        let is_cut = |outcome: &Outcome| matches!(outcome.end, End::Hung | End::OverLimit(_));
        let class = match is_cut(&judgement.old) || is_cut(&judgement.new) {
            true => Class::ToJudge,
            false => judgement.class,
        };
        (!judgement.class.is_silent()).then(|| (kinds(&judgement), class))
    }
}

fn kinds(judgement: &Judgement) -> Vec<String> {
    let mut kinds = judgement.kinds();
    if !kinds.is_empty() {
        kinds.push(judgement.class.name().to_owned());
    }
    kinds
}

/// Tests in other shapes on which something shows, in the order in which they were tried: what the versions do differently,
/// and ways of their own. `shown` is what the tests show; `tell` hears at once of what the versions do differently.
/// Also says how many were tried.
pub fn look(
    runner: &Runner<'_>,
    program: &Program,
    tests: &[NamedSeed],
    shown: &[Shown],
    time: Duration,
    tell: &mut dyn FnMut(&NamedSeed, &Shown),
) -> (Vec<(NamedSeed, Shown)>, u64) {
    let start = Instant::now();
    let lexicon = Lexicon::new(program);
    let cases: Vec<&Case> = tests.iter().map(|test| test.seed.case()).collect();
    let mut draw = Draw::new(&lexicon, tests, &cases, shown);
    let mut likely = likely(program, tests, &lexicon);
    let mut known: BTreeSet<CaseId> = cases.iter().map(|case| case.id()).collect();
    let mut news = News::default();
    // What the tests themselves run is nothing new.
    for batch in cases.chunks(8 * BATCH) {
        if start.elapsed() < time / 2 {
            for ran in runner.run(batch, true).iter().flatten() {
                news.is_new(ran);
            }
        }
    }
    let mut kept: Vec<(NamedSeed, Shown)> = Vec::new();
    let (mut stale, mut tried) = (0, 0);
    while start.elapsed() < time && (stale < STALE || !likely.is_empty()) {
        let mut batch: Vec<(String, Case)> = Vec::new();
        for _ in 0..TRIES {
            let next = match batch.len() % 2 {
                0 => likely.pop_front().or_else(|| draw.next(&kept)),
                _ => draw.next(&kept),
            };
            batch.extend(next.filter(|(_, case)| known.insert(case.id())));
            if batch.len() == BATCH {
                break;
            }
        }
        if batch.is_empty() {
            break;
        }
        let cases: Vec<&Case> = batch.iter().map(|(_, case)| case).collect();
        tried += cases.len() as u64;
        let ran = runner.run(&cases, true);
        for ((name, case), ran) in batch.into_iter().zip(ran) {
            let Some(mut ran) = ran else { continue };
            let tells = news.tells(&mut ran.shown, || runner.surely(&case));
            let is_new = news.is_new(&ran) && kept.len() < KEPT;
            if !tells && !is_new {
                stale += 1;
                continue;
            }
            stale = 0;
            let named = NamedSeed { name, seed: Seed::of_case(case) };
            if tells {
                tell(&named, &ran.shown);
            }
            kept.push((named, ran.shown));
        }
    }
    (kept, tried)
}

/// What was seen so far.
#[derive(Default)]
struct News {
    /// Blocks of both versions.
    blocks: [Vec<bool>; 2],
    ways: BTreeSet<[u64; 2]>,
    /// How often each kind of difference was seen; those that chance makes as if often.
    kinds: BTreeMap<Vec<String>, usize>,
}

impl News {
    /// Whether it runs what nothing before has run, or comes to a change in a way of its own.
    fn is_new(&mut self, ran: &Ran) -> bool {
        let mut is_new = false;
        for (seen, ran) in self.blocks.iter_mut().zip(&ran.blocks) {
            seen.resize(seen.len().max(ran.last().map_or(0, |last| last + 1)), false);
            for block in ran {
                is_new |= !std::mem::replace(&mut seen[*block], true);
            }
        }
        let own_way = self.ways.insert(ran.shown.ways);
        is_new || (own_way && !ran.shown.reached.is_empty())
    }

    /// Whether it shows a difference that was not seen often; what differs for sure is asked only then.
    fn tells(
        &mut self,
        shown: &mut Shown,
        surely: impl FnOnce() -> Option<(Vec<String>, Class)>,
    ) -> bool {
        if !shown.differs() {
            return false;
        }
        let is_full = self.kinds.len() >= KINDS;
        let seen = self.kinds.get(&shown.kinds).copied().unwrap_or(0);
        if seen >= OF_A_KIND || (is_full && seen == 0) {
            return false;
        }
        let sure = surely();
        let count = if sure.is_none() { OF_A_KIND } else { 1 };
        let (sure, class) = sure.unzip();
        shown.class = class;
        let kinds = std::mem::replace(&mut shown.kinds, sure.unwrap_or_default());
        *self.kinds.entry(kinds).or_default() += count;
        shown.differs()
    }
}

/// Steps that are drawn by lot, from the tests and from what was kept.
struct Draw<'a> {
    moves: Moves<'a>,
    tests: &'a [NamedSeed],
    /// Positions of those that come to a change, or of all.
    reaching: Vec<usize>,
}

impl<'a> Draw<'a> {
    fn new(
        lexicon: &'a Lexicon,
        tests: &'a [NamedSeed],
        cases: &'a [&'a Case],
        shown: &[Shown],
    ) -> Self {
        let mut reaching: Vec<usize> =
            (0..tests.len()).filter(|index| !shown[*index].reached.is_empty()).collect();
        if reaching.is_empty() {
            reaching = (0..tests.len()).collect();
        }
        Self { moves: Moves::new(lexicon, cases, LOTS), tests, reaching }
    }

    fn next(&mut self, kept: &[(NamedSeed, Shown)]) -> Option<(String, Case)> {
        let latest = &kept[kept.len().saturating_sub(LATEST)..];
        let base = match self.moves.below(8) {
            0..=1 => &self.tests[self.moves.below(self.tests.len())],
            2..=4 if !latest.is_empty() => &latest[self.moves.below(latest.len())].0,
            5 if !kept.is_empty() => &kept[self.moves.below(kept.len())].0,
            _ => &self.tests[self.reaching[self.moves.below(self.reaching.len())]],
        };
        let (mut name, mut case) = (base.name.clone(), base.seed.case().clone());
        let steps = [1, 1, 1, 2, 2, 3][self.moves.below(6)];
        for _ in 0..steps {
            if let Some((what, other)) = self.moves.step(&case) {
                name = format!("{name}, {what}");
                case = other;
            }
        }
        Some((name, case))
    }
}

/// The likeliest shapes: one of each test, then the next one of each. The program's options, of which there may be many, are
/// tried with the smallest tests, and several at a time.
fn likely(program: &Program, tests: &[NamedSeed], lexicon: &Lexicon) -> VecDeque<(String, Case)> {
    let mut smallest: Vec<&NamedSeed> = tests.iter().collect();
    smallest.sort_by_key(|test| test.seed.case().input_bytes());
    smallest.truncate(WITH_OPTIONS);
    let options = options(program);
    let named = |test: &NamedSeed, shapes: Vec<(String, Case)>| -> VecDeque<(String, Case)> {
        shapes.into_iter().map(|(what, case)| (format!("{}, {what}", test.name), case)).collect()
    };
    let with_options =
        smallest.into_iter().flat_map(|test| named(test, with_options(test.seed.case(), &options)));
    let mut with_options: VecDeque<(String, Case)> = with_options.collect();
    let mut by_test: Vec<[VecDeque<(String, Case)>; 2]> = tests
        .iter()
        .map(|test| {
            let case = test.seed.case();
            [named(test, shapes(case)), named(test, near_words(case, lexicon))]
        })
        .collect();
    let mut all = VecDeque::new();
    loop {
        let before = all.len();
        for [shapes, words] in &mut by_test {
            all.extend(shapes.pop_front());
            all.extend(words.drain(..words.len().min(4)));
        }
        all.extend(with_options.drain(..OPTIONS_AT_A_TIME.min(with_options.len())));
        if all.len() == before {
            return all;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ran(blocks: &[usize], reached: &[u32]) -> Ran {
        let mut way = DefaultHasher::new();
        blocks.hash(&mut way);
        let shown = Shown {
            reached: reached.iter().copied().collect(),
            ways: [way.finish(); 2],
            ..Shown::default()
        };
        Ran { shown, blocks: [blocks.to_vec(), blocks.to_vec()] }
    }

    #[test]
    fn what_runs_something_new_or_comes_to_a_change_anew_is_kept() {
        let mut news = News::default();
        assert!(news.is_new(&ran(&[1, 2], &[])));
        assert!(!news.is_new(&ran(&[1, 2], &[7])), "the very same way");
        assert!(!news.is_new(&ran(&[1], &[])), "nothing new, and no change");
        assert!(news.is_new(&ran(&[2], &[7])), "a change, in a way of its own");
        assert!(news.is_new(&ran(&[9], &[])));
    }

    #[test]
    fn differences_of_a_kind_are_kept_a_few_times_and_those_of_chance_never() {
        let mut news = News::default();
        let mut tells = |kind: &str, is_sure: bool| {
            let kinds = vec![kind.to_owned()];
            let mut shown = Shown { kinds: kinds.clone(), ..Shown::default() };
            news.tells(&mut shown, || is_sure.then_some((kinds, Class::OutputDifference)))
        };
        assert_eq!([0; 4].map(|_| tells("end", true)), [true, true, false, false]);
        assert!(!tells("time", false) && !tells("time", true), "once by chance, always by chance");
        assert!(tells("stderr", true));
        let mut nothing = Shown::default();
        assert!(!news.tells(&mut nothing, || unreachable!("nothing differs")));
    }
}
