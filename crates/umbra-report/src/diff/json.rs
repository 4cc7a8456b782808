//! The object of `umbra diff --json`; docs/json.md has its keys.

use std::collections::BTreeMap;

use serde::Serialize;
use umbra_words::Version;

use super::{
    ApartLine, ChangeLine, DiffSummary, DivergenceLine, LockstepCounts, NativeLine, PathLine,
    PathWay, UnificationCounts, place_text,
};
use crate::json::{UndefinedObject, undefined_objects};

#[derive(Serialize)]
pub(super) struct DiffObject<'a> {
    schema: &'static str,
    command: &'static str,
    exit: u8,
    complete: bool,
    equivalent: bool,
    same_outputs: bool,
    paths: PathsObject,
    pairs: PathsObject,
    pruned: u64,
    divergences: Vec<DivergenceObject<'a>>,
    changes: Vec<ChangeObject<'a>>,
    seeds: SeedsObject<'a>,
    replay: ReplayObject<'a>,
    left_out: &'a BTreeMap<String, u64>,
    undefined: Vec<UndefinedObject<'a>>,
    bounds: &'a [String],
    lockstep: LockstepObject<'a>,
    unification: Option<&'a UnificationCounts>,
    instructions: u64,
    queries: u64,
    solver_s: f64,
    wall_s: f64,
    execute_s: f64,
    replay_s: f64,
    cpu_s: f64,
    peak_mib: f64,
}

#[derive(Serialize)]
struct LockstepObject<'a> {
    both: u64,
    old: u64,
    new: u64,
    behind: u64,
    share: f64,
    partings: u64,
    settled: u64,
    forgotten: Vec<ForgottenObject<'a>>,
    tests: TestsObject<'a>,
}

#[derive(Serialize)]
struct TestsObject<'a> {
    both: u64,
    old: u64,
    new: u64,
    share: f64,
    apart: &'a [ApartLine],
}

#[derive(Serialize)]
struct ForgottenObject<'a> {
    file: &'a str,
    line: u32,
    count: u64,
}

#[derive(Serialize)]
struct PathsObject {
    same: u64,
    diff: u64,
    cut: u64,
}

#[derive(Serialize)]
struct DivergenceObject<'a> {
    kind: &'static str,
    file: Option<&'a str>,
    line: Option<u32>,
    class: &'static str,
    proved: bool,
    native: Option<&'static str>,
    confirmed: bool,
    differences: Vec<DifferenceObject<'a>>,
    no_answer: Option<&'a str>,
    cluster: usize,
    detail: &'a str,
    phase: &'static str,
    changes: Vec<String>,
    stack: &'a [String],
    path: Vec<BranchObject<'a>>,
    path_left_out: u64,
    count: u64,
    case: Option<&'a str>,
    more_cases: &'a [String],
    call: Option<&'a str>,
}

#[derive(Serialize)]
struct BranchObject<'a> {
    function: &'a str,
    file: Option<&'a str>,
    line: Option<u32>,
    column: Option<u32>,
    to_line: Option<u32>,
    to_column: Option<u32>,
    into: Option<&'a str>,
    within: Option<&'a str>,
    version: &'a str,
    times: u64,
}

#[derive(Serialize)]
struct DifferenceObject<'a> {
    channel: &'a str,
    r#where: &'a str,
    old: &'a str,
    new: &'a str,
}

#[derive(Serialize)]
struct ChangeObject<'a> {
    file: &'a str,
    line: u32,
    reached: bool,
    tests: &'a [String],
    paired: bool,
    diverged: bool,
}

#[derive(Serialize)]
struct SeedsObject<'a> {
    given: u64,
    other_programs: u64,
    followed: u64,
    shapes: u64,
    tried: u64,
    out_of_time: u64,
    choice: &'a str,
    parted: &'a [String],
}

#[derive(Serialize)]
struct ReplayObject<'a> {
    replayed: u64,
    not_replayed: u64,
    reason: Option<&'a str>,
}

impl DiffSummary {
    /// The summary as one line of JSON, without a newline.
    pub fn to_json(&self) -> String {
        // Plain numbers, strings and lists: this cannot fail.
        serde_json::to_string(&self.object()).expect("plain data is JSON")
    }

    /// The object of the summary.
    pub(super) fn object(&self) -> DiffObject<'_> {
        let divergences = self.divergences.iter().enumerate();
        let (seeds, replay) = (&self.seeds, &self.replay);
        DiffObject {
            schema: "umbra/1",
            command: "diff",
            exit: self.exit,
            complete: self.is_complete(),
            equivalent: self.is_equivalent(),
            same_outputs: self.has_same_outputs(),
            paths: PathsObject { same: self.same, diff: self.diff, cut: self.cut },
            pairs: PathsObject {
                same: self.pairs.same,
                diff: self.pairs.diff,
                cut: self.pairs.cut,
            },
            pruned: self.pruned,
            divergences: divergences.map(|(index, line)| divergence(index + 1, line)).collect(),
            changes: self.changes.iter().map(change).collect(),
            seeds: SeedsObject {
                given: seeds.given,
                other_programs: seeds.other_programs,
                followed: seeds.followed,
                shapes: seeds.shapes,
                tried: seeds.tried,
                out_of_time: seeds.out_of_time,
                choice: &seeds.choice,
                parted: &seeds.parted,
            },
            replay: ReplayObject {
                replayed: replay.replayed,
                not_replayed: replay.not_replayed,
                reason: replay.reason.as_deref(),
            },
            left_out: &self.left_out,
            undefined: undefined_objects(&self.undefined),
            bounds: &self.bounds,
            lockstep: lockstep(&self.lockstep),
            unification: self.unification.as_ref(),
            instructions: self.instructions,
            queries: self.queries,
            solver_s: self.solver_s,
            wall_s: self.wall_s,
            execute_s: self.execute_s,
            replay_s: self.replay_s,
            cpu_s: self.cpu_s,
            peak_mib: self.peak_mib,
        }
    }
}

fn lockstep(counts: &LockstepCounts) -> LockstepObject<'_> {
    let forgotten = counts.forgotten.iter().map(|(place, count)| ForgottenObject {
        file: &place.file,
        line: place.line,
        count: *count,
    });
    let tests = &counts.tests;
    LockstepObject {
        both: counts.both,
        old: counts.old,
        new: counts.new,
        behind: counts.behind,
        share: counts.share,
        partings: counts.partings,
        settled: counts.settled,
        forgotten: forgotten.collect(),
        tests: TestsObject {
            both: tests.both,
            old: tests.old,
            new: tests.new,
            share: tests.share,
            apart: &tests.apart,
        },
    }
}

fn divergence(cluster: usize, line: &DivergenceLine) -> DivergenceObject<'_> {
    let place = &line.place;
    let (native, differences, no_answer) = match &line.native {
        NativeLine::NotRun => (None, &[][..], None),
        NativeLine::NoAnswer(reason) => (None, &[][..], Some(reason.as_str())),
        NativeLine::Judged { class, differences } => (Some(class.name()), &**differences, None),
    };
    let differences = differences.iter().map(|difference| DifferenceObject {
        channel: &difference.channel,
        r#where: &difference.place,
        old: &difference.old,
        new: &difference.new,
    });
    DivergenceObject {
        kind: line.kind.name(),
        file: (!place.file.is_empty()).then_some(&place.file),
        line: (place.line != 0).then_some(place.line),
        class: line.class.name(),
        proved: line.is_proved_silent(),
        native,
        confirmed: line.is_confirmed(),
        differences: differences.collect(),
        no_answer,
        cluster,
        detail: &line.detail,
        phase: line.phase.name(),
        changes: line.changes.iter().map(place_text).collect(),
        stack: &line.stack,
        path: line.path.lines.iter().map(branch).collect(),
        path_left_out: line.path.left_out,
        count: line.count,
        case: line.case.as_deref(),
        more_cases: &line.more_cases,
        call: line.call.as_deref(),
    }
}

fn branch(line: &PathLine) -> BranchObject<'_> {
    let known = |number: u32| (number != 0).then_some(number);
    let (to_line, to_column) = match line.way {
        PathWay::To(line, column) => (known(line), known(column)),
        _ => (None, None),
    };
    let (into, within) = match &line.way {
        PathWay::Into(function) => (Some(function.as_str()), None),
        PathWay::Within(function) => (None, Some(function.as_str())),
        PathWay::Unknown | PathWay::To(..) => (None, None),
    };
    BranchObject {
        function: &line.function,
        file: (!line.file.is_empty()).then_some(&line.file),
        line: known(line.line),
        column: known(line.column),
        to_line,
        to_column,
        into,
        within,
        version: line.version.map_or("both", Version::name),
        times: line.times,
    }
}

fn change(change: &ChangeLine) -> ChangeObject<'_> {
    ChangeObject {
        file: &change.place.file,
        line: change.place.line,
        reached: change.reached,
        tests: &change.tests,
        paired: change.paired,
        diverged: change.diverged,
    }
}
